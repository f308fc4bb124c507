import { describe, expect, it } from 'vitest';
import { afterSweep, afterWatch, firstRounds, nextRoundMs } from '../../../src/intake/rounds.ts';
import { sweepPlan } from '../../../src/intake/sweep.ts';
import { batchIdTimeMs, timeSortedId } from '../../../src/kernel/ids.ts';
import {
  BATCH_PAUSE_MS,
  SWEEP_CALLS_MAX,
  SWEEP_MS,
  UNCLAIMED_LIFE_MS,
  WATCH_REGISTER_MS,
} from '../../../src/kernel/limits.ts';

const NOW_MS = Date.UTC(2026, 2, 2, 8);
const clock = { nowMs: () => NOW_MS, timeScale: 1 };
const idAt = (ms: number): string => timeSortedId('b', ms, new Uint8Array(16));
const BORDER_MS = NOW_MS - UNCLAIMED_LIFE_MS;
const nobody = () => new Set<string>();

describe('a sweep of stored files', () => {
  it('reads the time of an id out of it', () => {
    for (const ms of [0, 1, NOW_MS, 2 ** 40]) expect(batchIdTimeMs(idAt(ms))).toBe(ms);
  });

  it('deletes what nobody claims after its time, and not before', () => {
    const [old, young] = [idAt(BORDER_MS - 1), idAt(BORDER_MS)];
    expect(sweepPlan([old, young], true, nobody, clock)).toEqual({ unclaimed: [old], last: null });
  });

  it('leaves alone what a batch of the register claims', () => {
    const ids = [1, 2, 3].map((ms) => idAt(BORDER_MS - ms)).sort();
    const known = () => new Set(ids.slice(1));
    expect(sweepPlan(ids, true, known, clock).unclaimed).toEqual(ids.slice(0, 1));
  });

  it('goes on behind a full page of old ones, and is done where the young begin', () => {
    const old = [idAt(BORDER_MS - 2), idAt(BORDER_MS - 1)];
    expect(sweepPlan(old, false, () => new Set(old), clock)).toEqual({ unclaimed: [], last: old[1] });
    expect(sweepPlan([...old, idAt(NOW_MS)], false, () => new Set(old), clock).last).toBeNull();
  });

  it('deletes no more at once than a wake-up may call, and goes on behind them', () => {
    const ids = Array.from({ length: SWEEP_CALLS_MAX + 2 }, (_, index) => idAt(BORDER_MS - 1_000 + index));
    const plan = sweepPlan(ids, true, nobody, clock);
    expect(plan.unclaimed).toEqual(ids.slice(0, SWEEP_CALLS_MAX));
    expect(plan.last).toBe(ids[SWEEP_CALLS_MAX - 1]);
  });
});

describe('the rounds of a register', () => {
  const first = firstRounds(clock);

  it('ask open batches every five minutes, and only where there are some', () => {
    expect(nextRoundMs(first, true)).toBe(NOW_MS + WATCH_REGISTER_MS);
    expect(nextRoundMs(first, false)).toBe(NOW_MS + SWEEP_MS);
  });

  it('go on soon where there are more batches than one wake-up may ask', () => {
    expect(afterWatch(first, 200, clock).watch).toEqual({ dueMs: NOW_MS + BATCH_PAUSE_MS, after: 200 });
    expect(afterWatch(first, null, clock).watch).toEqual({ dueMs: NOW_MS + WATCH_REGISTER_MS, after: 0 });
  });

  it('sweep once a day, and go on sooner where a sweep was cut short', () => {
    expect(afterSweep(first, null, clock).sweep).toEqual({ dueMs: NOW_MS + SWEEP_MS, after: '' });
    expect(afterSweep(first, 'b_1', clock).sweep).toEqual({ dueMs: NOW_MS + WATCH_REGISTER_MS, after: 'b_1' });
  });
});
