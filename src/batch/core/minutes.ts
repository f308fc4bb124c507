/**
 * How many requests of a batch were delivered, and how many refused, in each minute: what a graph shows. Bounded: when
 * there are too many minutes, two become one. Pure.
 */
import { followedState } from '../../delivery/outcome.ts';
import type { RequestState } from '../../delivery/states.ts';
import { MINUTE_MS } from '../../kernel/clock.ts';

/** Points of a graph. Ours: more cannot be told apart, and they are stored with the counts. */
export const MINUTES_MAX = 360;

/** @property step minutes that a point stands for; points in order, each with its first minute since 1970. */
export interface MinuteTotals {
  step: number;
  points: readonly MinutePoint[];
}
export type MinutePoint = [minute: number, delivered: number, refused: number];

export const NO_MINUTES: MinuteTotals = { step: 1, points: [] };

const DELIVERED: readonly RequestState[] = ['delivered'];
const REFUSED: readonly RequestState[] = ['rejected', 'dead'];

type Followed = { state: RequestState; into_state: RequestState | null };

/** What a change of a request adds to the minute it came in. */
export function minutesOf(before: Followed, after: Followed, atMs: number): MinutePoint[] {
  const was = followedState(before.state, before.into_state);
  const is = followedState(after.state, after.into_state);
  const became = (states: readonly RequestState[]): number => Number(states.includes(is) && !states.includes(was));
  const [delivered, refused] = [became(DELIVERED), became(REFUSED)];
  return delivered + refused === 0 ? [] : [[Math.floor(atMs / MINUTE_MS), delivered, refused]];
}

/** Reports may come late: their minute is where it belongs. */
export function withMinutes({ step, points }: MinuteTotals, added: readonly MinutePoint[]): MinuteTotals {
  if (added.length === 0) return { step, points };
  const sums = new Map<number, MinutePoint>(points.map((point) => [point[0], point]));
  for (const [at, delivered, refused] of added) {
    const minute = at - (at % step);
    const [, deliveredBefore, refusedBefore] = sums.get(minute) ?? [minute, 0, 0];
    sums.set(minute, [minute, deliveredBefore + delivered, refusedBefore + refused]);
  }
  const all = [...sums.values()].sort(([one], [other]) => one - other);
  return all.length <= MINUTES_MAX ? { step, points: all } : withMinutes({ step: step * 2, points: [] }, all);
}
