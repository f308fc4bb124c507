/**
 * How many requests of a batch were delivered, and how many refused, in each minute: what a graph shows. Bounded: when
 * there are too many minutes, two become one. Pure.
 */
import { followedState } from '../../delivery/outcome.ts';
import type { RequestState } from '../../delivery/states.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/clock.ts';
import { MINUTE_TOTALS_DAYS } from '../../kernel/limits.ts';
import { wholeSetting } from '../../kernel/setting.ts';

/** Points of a graph. Ours: more cannot be told apart, and they are stored with the counts. */
export const MINUTES_MAX = 360;

/** Bounds of the classes of delivery times, in ms; the last class has no bound. Ours: they are columns of the index of all batches. */
export const DELIVERY_TIME_BOUNDS_MS = [
  100, 250, 500, 1_000, 2_000, 5_000, 15_000, 60_000, 300_000, 1_800_000, 7_200_000,
] as const;
/** How many classes there are. */
export const DELIVERY_TIME_CLASSES = DELIVERY_TIME_BOUNDS_MS.length + 1;

/** @property step minutes that a point stands for; points in order, each with its first minute since 1970. */
export interface MinuteTotals {
  step: number;
  points: readonly MinutePoint[];
}
/**
 * Requests delivered and refused, rows that never became one, and deliveries by the class of the time they took. The last
 * two are left out where they are nothing.
 */
export type MinutePoint = [
  minute: number,
  delivered: number,
  refused: number,
  invalid?: number,
  times?: readonly number[],
];

export const NO_MINUTES: MinuteTotals = { step: 1, points: [] };

const DELIVERED: readonly RequestState[] = ['delivered'];
const REFUSED: readonly RequestState[] = ['rejected', 'dead'];

type Followed = { state: RequestState; into_state: RequestState | null };

/** What a change of a request adds to the minute it came in. @param tookMs from receiving its row to this change. */
export function minutesOf(
  before: Followed,
  after: Followed,
  atMs: number,
  tookMs: number | null = null,
): MinutePoint[] {
  const was = followedState(before.state, before.into_state);
  const is = followedState(after.state, after.into_state);
  const became = (states: readonly RequestState[]): number => Number(states.includes(is) && !states.includes(was));
  const [delivered, refused] = [became(DELIVERED), became(REFUSED)];
  if (delivered + refused === 0) return [];
  const minute = Math.floor(atMs / MINUTE_MS);
  if (delivered === 0 || tookMs === null) return [[minute, delivered, refused]];
  const times = Array.from({ length: timeClass(tookMs) + 1 }, (_, index) => Number(index === timeClass(tookMs)));
  return [[minute, delivered, refused, 0, times]];
}

const timeClass = (tookMs: number): number => {
  const found = DELIVERY_TIME_BOUNDS_MS.findIndex((bound) => tookMs < bound);
  return found === -1 ? DELIVERY_TIME_BOUNDS_MS.length : found;
};

/** Rows that never became requests. */
export const invalidAt = (count: number, atMs: number): MinutePoint[] =>
  count === 0 ? [] : [[Math.floor(atMs / MINUTE_MS), 0, 0, count]];

/** Reports may come late: their minute is where it belongs. */
export function withMinutes({ step, points }: MinuteTotals, added: readonly MinutePoint[]): MinuteTotals {
  if (added.length === 0) return { step, points };
  const sums = new Map<number, MinutePoint>(points.map((point) => [point[0], point]));
  for (const [at, ...counts] of added) {
    const minute = at - (at % step);
    const before = sums.get(minute);
    sums.set(minute, before === undefined ? [minute, ...counts] : sumOf(before, [minute, ...counts]));
  }
  const all = [...sums.values()].sort(([one], [other]) => one - other);
  return all.length <= MINUTES_MAX ? { step, points: all } : withMinutes({ step: step * 2, points: [] }, all);
}

function sumOf(one: MinutePoint, other: MinutePoint): MinutePoint {
  const [minute, delivered, refused, invalid = 0, times = []] = one;
  const [, moreDelivered, moreRefused, moreInvalid = 0, moreTimes = []] = other;
  const counts: [number, number, number] = [minute, delivered + moreDelivered, refused + moreRefused];
  const all = Array.from(
    { length: Math.max(times.length, moreTimes.length) },
    (_, index) => (times[index] ?? 0) + (moreTimes[index] ?? 0),
  );
  if (all.length > 0) return [...counts, invalid + moreInvalid, all];
  return invalid + moreInvalid === 0 ? counts : [...counts, invalid + moreInvalid];
}

/**
 * How long it took until this share of the deliveries was made, in ms, within its class by proportion.
 * @param times deliveries per class. @returns null: there were none.
 */
export function timeOfShare(times: readonly number[], share: number): number | null {
  const all = times.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  const wanted = share * all;
  let before = 0;
  for (const [index, count] of times.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = DELIVERY_TIME_BOUNDS_MS[index - 1] ?? 0;
      const to = DELIVERY_TIME_BOUNDS_MS[index] ?? from; // of the last class its bound is all that is known
      return Math.round(from + (to - from) * ((wanted - before) / count));
    }
    before += count;
  }
  return null;
}

/** Longer than the hours are kept nobody needs the minutes. */
const DAYS_DIGITS_MAX = 3;

/** @param text the setting MINUTE_TOTALS_DAYS: a whole number of days from 1 on. Anything else means the usual. */
export function minuteTotalsMs(text = ''): number {
  return wholeSetting(text, MINUTE_TOTALS_DAYS, DAYS_DIGITS_MAX) * DAY_MS;
}
