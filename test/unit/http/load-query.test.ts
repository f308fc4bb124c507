import { describe, expect, it } from 'vitest';
import { namedForm } from '../../../src/http/edge/query.ts';
import { readLoadQuery, writeCheckpoint } from '../../../src/http/views/load.ts';
import { LOAD_PAGE_DEFAULT, LOAD_PAGE_MAX } from '../../../src/kernel/limits.ts';

describe('the form of a load’s answer', () => {
  it.each([
    ['L1', null, 'L1', 'json'],
    ['L1', '*/*', 'L1', 'json'],
    ['L1', 'text/csv', 'L1', 'csv'],
    ['L1', 'text/csv;q=0.5, application/json', 'L1', 'json'],
    ['L1', 'text/*', 'L1', 'csv'],
    ['L1', 'text/*;q=0.5, application/json', 'L1', 'json'],
    ['L1.csv', null, 'L1', 'csv'],
    ['L1.csv', 'text/html,*/*', 'L1', 'csv'],
    ['L1.csv', 'application/json', 'L1.csv', 'json'],
    ['L1.csv.csv', null, 'L1.csv', 'csv'],
    ['.csv', null, '.csv', 'json'],
  ] as const)('of %s with Accept %s is %s as %s', (text, accept, name, form) => {
    expect(namedForm(text, accept)).toEqual({ name, form });
  });
});

describe('what is asked of a load', () => {
  it('is its first page by the time of the event, where nothing is said', () => {
    const usual = { scac: null, order: 'event', after: null, limit: LOAD_PAGE_DEFAULT };
    expect(readLoadQuery({})).toEqual({ ok: true, value: usual });
  });
  it.each(['event', 'sent'] as const)('goes on where the page before ended: %s', (order) => {
    const mark = { atMs: -62_135_596_800_000, seq: 17 };
    const read = readLoadQuery({ order, scac: 'ABCD', limit: '9999', cursor: writeCheckpoint(order, mark) });
    expect(read).toEqual({ ok: true, value: { scac: 'ABCD', order, after: mark, limit: LOAD_PAGE_MAX } });
  });
  it('goes on also behind what was never sent', () => {
    const mark = { atMs: Number.MAX_SAFE_INTEGER, seq: 3 };
    expect(readLoadQuery({ order: 'sent', cursor: writeCheckpoint('sent', mark) })).toMatchObject({
      value: { after: mark },
    });
  });
  it.each([
    [{ order: 'time' }, 'parameter_invalid'],
    [{ order: 'event', cursor: 'sent~1~1' }, 'parameter_invalid'],
    [{ cursor: 'event~1' }, 'parameter_invalid'],
    [{ cursor: 'event~9999999999999999~1' }, 'parameter_invalid'],
    [{ cursor: 'event~1~1~1' }, 'parameter_invalid'],
    [{ cursor: '' }, 'parameter_invalid'],
    [{ lane: 'traces' }, 'parameter_unknown'],
  ])('is refused where it cannot be read: %j', (parameters, code) => {
    expect(readLoadQuery(parameters as Record<string, string>)).toMatchObject({
      ok: false,
      error: { code, status: 400 },
    });
  });
});
