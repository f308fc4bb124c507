/**
 * What a load's lane of traces does next. Pure.
 *
 * Sets go out one at a time like milestones; a new set is packed when nothing blocks, a point may leave and the window is open.
 */
import type { AttemptClass } from '../classify.ts';
import type { Move } from '../drain.ts';
import type { Past, StepTaken } from '../next-step.ts';

/** Points in no set yet. */
export interface LoosePoints {
  /** When the first of them may leave. */
  readyAtMs: number;
  /** When the first of them is given up. */
  deadlineMs: number;
}

export type TraceMove = Move | { move: 'pack' } | { move: 'expire_loose' };

/**
 * @param sets what the sets that are packed ask for.
 * @param loose null when every point is in a set.
 * @param windowOpensMs before this no new set leaves.
 */
export function nextTraceMove(sets: Move, loose: LoosePoints | null, windowOpensMs: number, nowMs: number): TraceMove {
  const isBlocked = sets.move === 'wait' && sets.isBlocked;
  if (loose === null || (sets.move !== 'wait' && sets.move !== 'idle')) return sets;
  if (nowMs > loose.deadlineMs) return { move: 'expire_loose' };
  if (isBlocked) return { ...sets, untilMs: Math.min(sets.untilMs, loose.deadlineMs + 1) };
  const packMs = Math.max(loose.readyAtMs, windowOpensMs);
  if (packMs <= nowMs) return { move: 'pack' };
  return { move: 'wait', untilMs: sets.move === 'wait' ? Math.min(sets.untilMs, packMs) : packMs, isBlocked: false };
}

/**
 * When the next set may leave.
 * @param lastStartedMs start of the last set's first attempt, null before the first; `overflowed`: it left ready points behind.
 */
export const windowOpensMs = (lastStartedMs: number | null, overflowed: boolean, windowMs: number): number =>
  lastStartedMs === null || overflowed ? Number.NEGATIVE_INFINITY : lastStartedMs + windowMs;

/** One bad point never takes its neighbours along: only a point that stands alone is refused. */
export const isHalved = (seen: AttemptClass, points: number): boolean =>
  seen.effect === 'refused' && seen.loadUnknown !== true && points > 1; // all of them are of one load

/** Both halves go at once, as requests of their own; whether an earlier try may have landed stays with each. */
export const afterHalving = (past: Past, nowMs: number): StepTaken => ({
  tries: 0,
  hadUnknown: past.hadUnknown,
  step: { state: past.hadUnknown ? 'unknown' : 'waiting', atMs: nowMs, reason: 'set_refused' },
});
