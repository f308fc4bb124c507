import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { LOAD_COLUMNS, loadHeader, loadLine, rowLocation } from '../../../src/http/views/load.ts';
import { BATCH_ID } from '../batch/samples.ts';
import { aLoadEvent, OWN } from './loads.ts';

const lineOf = (...more: Parameters<typeof aLoadEvent>): Record<string, string> => {
  const [line] = parse(loadHeader() + loadLine(aLoadEvent(...more)), { columns: true }) as Record<string, string>[];
  return line ?? {};
};

it('has a cell under every name', () => {
  expect(Object.keys(lineOf())).toEqual(LOAD_COLUMNS);
  expect(lineOf()).toMatchObject({
    code: 'X3',
    state: 'delivered',
    status: '200',
    attempts: '1',
    record: '7',
    into: '',
    late: '',
  });
});

it('tells of a position where it was and what it travelled in', () => {
  const into = { ...rowLocation(OWN, BATCH_ID, 3, 1), state: 'delivered' as const };
  const position = { latitude: -41.5, longitude: -88.1 };
  expect(lineOf({ state: 'coalesced', into, position, late: true, possibleDuplicate: true })).toMatchObject({
    latitude: '-41.5',
    longitude: '-88.1',
    into: `${BATCH_ID}/3/1`,
    into_state: 'delivered',
    late: 'yes',
    possible_duplicate: 'yes',
  });
});

it.each(['=1+1', '+1+1', '@x', '-2+3', '\t=1', '＝1'])('neutralises %j wherever it stands', (text) => {
  const line = lineOf({ what: text, place: text, answer: text });
  expect([line.code, line.place, line.answer]).toEqual([`'${text}`, `'${text}`, `'${text}`]);
});
