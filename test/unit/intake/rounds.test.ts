/** When a register asks its open batches, and when it looks for what has outlived its time. */
import { expect, it } from 'vitest';
import { afterSweep, afterWatch, firstRounds, nextRoundMs } from '../../../src/intake/watch-batches.ts';
import { BATCH_PAUSE_MS, SWEEP_MS, WATCH_REGISTER_MS } from '../../../src/kernel/limits.ts';
import { clockAt, NOW_MS } from '../upstream/samples.ts';

const clock = clockAt();
const first = () => firstRounds(clock);

it('begins with both ahead', () => {
  expect(first()).toEqual({
    watch: { dueMs: NOW_MS + WATCH_REGISTER_MS, after: 0 },
    sweep: { dueMs: NOW_MS + SWEEP_MS, after: '' },
  });
});

it('asks the others soon where not all were asked, and begins anew a round later where all were', () => {
  expect(afterWatch(first(), 17, clock)).toEqual({ ...first(), watch: { dueMs: NOW_MS + BATCH_PAUSE_MS, after: 17 } });
  expect(afterWatch(first(), null, clock).watch).toEqual({ dueMs: NOW_MS + WATCH_REGISTER_MS, after: 0 });
});

it('goes on looking through files a round later, and begins anew when it came to the end', () => {
  expect(afterSweep(first(), 'x', clock)).toEqual({
    ...first(),
    sweep: { dueMs: NOW_MS + WATCH_REGISTER_MS, after: 'x' },
  });
  expect(afterSweep(first(), null, clock).sweep).toEqual({ dueMs: NOW_MS + SWEEP_MS, after: '' });
});

it('wakes for open batches only where there are any', () => {
  expect([nextRoundMs(first(), true), nextRoundMs(first(), false)]).toEqual([first().watch.dueMs, first().sweep.dueMs]);
});
