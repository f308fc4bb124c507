/** When a register asks its open batches, and when it looks for what has outlived its time. Pure. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { BATCH_PAUSE_MS, SWEEP_MS, WATCH_REGISTER_MS } from '../kernel/limits.ts';

export interface Rounds {
  /** When the open batches are asked next, and behind which of them: its seq. */
  watch: { dueMs: number; after: number };
  /** When stored files are looked through next, and behind which of them. */
  sweep: { dueMs: number; after: string };
}

export const firstRounds = (clock: Clock): Rounds => ({
  watch: { dueMs: clock.nowMs() + scaledMs(WATCH_REGISTER_MS, clock), after: 0 },
  sweep: { dueMs: clock.nowMs() + scaledMs(SWEEP_MS, clock), after: '' },
});

/** @param last seq of the last batch asked, where there are more behind it; null: all were asked. */
export const afterWatch = (rounds: Rounds, last: number | null, clock: Clock): Rounds => ({
  ...rounds,
  watch:
    last === null
      ? { dueMs: clock.nowMs() + scaledMs(WATCH_REGISTER_MS, clock), after: 0 }
      : { dueMs: clock.nowMs() + scaledMs(BATCH_PAUSE_MS, clock), after: last },
});

/** @param last as far as it came, where there is more behind it; null: it came to the end. */
export const afterSweep = (rounds: Rounds, last: string | null, clock: Clock): Rounds => ({
  ...rounds,
  sweep:
    last === null
      ? { dueMs: clock.nowMs() + scaledMs(SWEEP_MS, clock), after: '' }
      : { dueMs: clock.nowMs() + scaledMs(WATCH_REGISTER_MS, clock), after: last },
});

/** @param hasOpen batches. @returns when the next of the two is due. */
export const nextRoundMs = ({ watch, sweep }: Rounds, hasOpen: boolean): number =>
  hasOpen ? Math.min(watch.dueMs, sweep.dueMs) : sweep.dueMs;
