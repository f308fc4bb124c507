import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BATCH_ID_FORM, newBatchId, timeSortedId } from '../../../src/kernel/ids.ts';

const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 });
const timeMs = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) });

describe('timeSortedId', () => {
  it('has ten characters of time and sixteen of randomness', () => {
    expect(timeSortedId('b', 0, new Uint8Array(16))).toBe(`b_${'0'.repeat(26)}`);
    expect(timeSortedId('b', 32, new Uint8Array(16).fill(31))).toBe(`b_0000000010${'z'.repeat(16)}`);
  });

  it('sorts as text in the order of time', () => {
    fc.assert(
      fc.property(timeMs, timeMs, bytes16, bytes16, (one, other, random, otherRandom) => {
        fc.pre(one < other);
        expect(timeSortedId('b', one, random) < timeSortedId('b', other, otherRandom)).toBe(true);
      }),
    );
  });

  it('differs when time or randomness differs', () => {
    const random = new Uint8Array(16).fill(7);
    const ids = [
      timeSortedId('b', 1, random),
      timeSortedId('b', 2, random),
      timeSortedId(
        'b',
        1,
        random.map((byte) => byte + 1),
      ),
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it('always has the form that addresses are checked against', () => {
    fc.assert(fc.property(timeMs, bytes16, (nowMs, random) => BATCH_ID_FORM.test(timeSortedId('b', nowMs, random))));
  });
});

describe('newBatchId', () => {
  it('is new each time, at the same millisecond too', () => {
    const ids = Array.from({ length: 200 }, () => newBatchId(1_700_000_000_000));
    expect(new Set(ids).size).toBe(200);
    expect(ids.every((id) => BATCH_ID_FORM.test(id))).toBe(true);
  });
});

describe('BATCH_ID_FORM', () => {
  const good = newBatchId(0);

  it.each([
    ['another prefix', `c${good.slice(1)}`],
    ['capital letters', good.toUpperCase()],
    ['a letter that is not in the alphabet', `${good.slice(0, -1)}u`],
    ['one character less', good.slice(0, -1)],
    ['one character more', `${good}0`],
    ['a line end', `${good}\n`],
    ['a path', `b_../../${good.slice(8)}`],
  ])('refuses %s', (_what, id) => {
    expect(BATCH_ID_FORM.test(id)).toBe(false);
  });
});
