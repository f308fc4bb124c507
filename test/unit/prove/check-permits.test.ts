/** The check of a channel's rate: what the permits allow passes, what goes beyond them is found. */
import { describe, expect, it } from 'vitest';
import { mostPerSecond, rateViolations } from '../../../scripts/invariants/permits.ts';

const PLAN = { perSecond: 100, burst: 20 };
const every = (ms: number, count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, at) => from + at * ms);

describe('the rate of a channel', () => {
  it('is kept by a burst and then one request each time a permit comes', () => {
    expect(rateViolations([...every(0, 20), ...every(10, 1_000)], PLAN)).toEqual([]);
  });

  it('is broken by a burst beyond what the bucket holds', () => {
    expect(rateViolations(every(0, 32), PLAN)).toHaveLength(1);
  });

  it('is broken by requests that come a little too fast for long', () => {
    expect(rateViolations(every(8, 1_000), PLAN)).toHaveLength(1);
  });

  it('is broken late as well as early', () => {
    expect(rateViolations([...every(20, 500), ...every(0, 90, 10_000)], PLAN)).toHaveLength(1);
  });
});

describe('the fullest second', () => {
  it('is found wherever it lies', () => {
    expect(mostPerSecond([0, 500, 1_499, 1_500, 1_600, 4_000])).toBe(3);
    expect(mostPerSecond([])).toBe(0);
  });
});
