/** Sets and envelopes as records: everything of a file is a record, or a record with what is wrong. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readerOf, recordSource } from '../../../../src/formats/reader.ts';
import type { ReadRecord } from '../../../../src/formats/record-reader.ts';
import { NONE_SEEN, see } from '../../../../src/formats/segments/control-numbers.ts';

const SOURCE = recordSource.parse({
  format: 'x12',
  sets: ['214'],
  ignore: ['997'],
  loops: { LX: {}, AT7: { in: 'LX', holds: ['MS1'] } },
  record: 'AT7',
});

function read(text: string, sliceBytes = text.length): ReadRecord[] {
  const reader = readerOf(SOURCE, { paths: ['B10-02', 'AT7-01'], lists: [] });
  const bytes = Buffer.from(text);
  const records: ReadRecord[] = [];
  let length = sliceBytes;
  for (let checkpoint = reader.start; ; ) {
    const slice = bytes.subarray(checkpoint.byte, checkpoint.byte + length);
    const got = reader.read(checkpoint, slice, checkpoint.byte + slice.length >= bytes.length);
    if (got.outcome === 'unreadable') throw new Error(got.problems[0]?.message);
    if (got.outcome === 'more') {
      length *= 2;
      continue;
    }
    records.push(...got.records);
    if (got.finished) return records;
    checkpoint = JSON.parse(JSON.stringify(got.checkpoint));
    length = sliceBytes;
  }
}

const ISA =
  'ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*0*T*>~';
const set = (control: string, inner = 'LX*1~AT7*X3~', id = '214') => {
  const body = `B10*P*L${control}*DEMO~${inner}`;
  return `ST*${id}*${control}~${body}SE*${body.split('~').length + 1}*${control}~`;
};
const group = (sets: readonly string[], control = '1') =>
  `GS*QM*DEMO*TRANSLOAD*20260302*1500*${control}*X*004010~${sets.join('')}GE*${sets.length}*${control}~`;
const interchange = (...groups: readonly string[]) => `${ISA}${groups.join('')}IEA*${groups.length}*000000017~`;

const brief = (records: readonly ReadRecord[]) =>
  records.map(({ fields, problem }) => (problem === undefined ? fields.join(' ') : problem.code));

describe('a set', () => {
  it('is a record for each of its loops, numbered through the file, with its place in words', () => {
    const records = read(interchange(group([set('0001', 'LX*1~AT7*X3~AT7*AF~'), set('0002')])));
    expect(brief(records)).toEqual(['L0001 X3', 'L0001 AF', 'L0002 X3']);
    expect(records.map(({ position }) => position.record)).toEqual([1, 2, 3]);
    expect(records[1]?.position.place).toBe('ISA 000000017, GS 1, ST 0001, segment 5 (AT7)');
  });

  it('of a kind that the mapping does not take is a problem, and one that it passes over is nothing', () => {
    const records = read(
      interchange(group([set('0001', undefined, '204'), set('0002', undefined, '997'), set('0003')])),
    );
    expect(brief(records)).toEqual(['set_not_taken', 'L0003 X3']);
  });

  it('without the loop that would be a record is a problem: it is not passed over in silence', () => {
    expect(brief(read(interchange(group([set('0001', 'LX*1~')]))))).toEqual(['loop_missing']);
  });

  it('with a number that came before in its group is refused; in another group it is another one', () => {
    const file = interchange(group([set('0001'), set('1')]), group([set('0001')], '2'));
    const records = read(file);
    expect(brief(records)).toEqual(['L0001 X3', 'set_number_repeated', 'L0001 X3']);
    expect(records[1]?.problem?.message).toContain('AK502 23');
    expect(brief(read(file, 150))).toEqual(brief(records));
  });
});

it('a trailer that is wrong is a record of its own behind sets that stand', () => {
  const file = interchange(group([set('0001')]).replace('GE*1*', 'GE*5*'));
  const records = read(file);
  expect(brief(records)).toEqual(['L0001 X3', 'count_differs']);
  expect(records[1]?.position).toMatchObject({ line: 1, byteFrom: file.indexOf('GE*5') });
});

it('numbers seen before are told, however many came in between and in whatever order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60), { maxLength: 80 }), (numbers) => {
      let seen = NONE_SEEN;
      const known = new Set<number>();
      for (const number of numbers) {
        const now = see(seen, '1/1', String(number).padStart(4, '0'));
        expect(now.isRepeated).toBe(known.has(number));
        known.add(number);
        seen = now.seen;
      }
    }),
  );
});

it('a million numbers in order are remembered in one range', () => {
  let seen = NONE_SEEN;
  for (let number = 1; number <= 1_000_000; number += 1) seen = see(seen, '1/1', String(number)).seen;
  expect(seen.ranges).toEqual([[1, 1_000_000]]);
  expect(see(seen, '1/1', 'A7').seen.texts).toEqual(['A7']);
});
