/** Reads through the cache: what is fresh is shown, what is stale is shown while it is asked for anew, or where nobody answers. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { FleetCache, KeptAnswer } from './cache.ts';
import type { FleetTrouble, Judged } from './judge.ts';
import {
  FAILED_PAUSE_MS,
  KEPT_MS,
  LOCATIONS_FRESH_MS,
  NONE_FRESH_MS,
  STALE_SHOWN_MS,
  VEHICLES_FRESH_MS,
} from './limits.ts';
import { apiOf, type FleetQuestion } from './question.ts';

export interface FleetPort {
  cache: FleetCache;
  clock: Clock;
  ask(question: FleetQuestion): Promise<Judged>;
  /** Goes on with it when the caller has its answer. */
  later(work: Promise<unknown>): void;
}

/** Times are on the clock of the caller. */
export interface FleetReading extends KeptAnswer {
  ageMs: number;
  /** For which it counts as of now. */
  freshMs: number;
  /** For which it is shown behind that while it is asked for anew. */
  staleMs: number;
  /** The upstream was asked just now. Without trouble, this is what it said. */
  wasAsked: boolean;
  /** Why a stale one was not renewed. */
  trouble: FleetTrouble | null;
}

/**
 * @param whenStale `show`: at once, and ask behind it, for an hour; then as `renew`: ask first. It still serves where nobody
 * answers; where that was tried a moment ago, `show` does not wait for it again.
 */
export async function readFleet(
  { cache, clock, ask, later }: FleetPort,
  question: FleetQuestion,
  whenStale: 'show' | 'renew',
): Promise<Result<FleetReading, FleetTrouble>> {
  const staleMs = scaledMs(STALE_SHOWN_MS, clock);
  const read = (
    kept: KeptAnswer,
    how: { wasAsked?: true; trouble?: FleetTrouble } = {},
  ): Result<FleetReading, FleetTrouble> =>
    ok({
      ...kept,
      ageMs: Math.max(0, clock.nowMs() - kept.fetchedAtMs),
      freshMs: freshMs(question, kept, clock),
      staleMs,
      wasAsked: false,
      trouble: null,
      ...how,
    });
  const cached = await cache.get(question);
  const ageMs = cached === null ? Number.POSITIVE_INFINITY : clock.nowMs() - cached.fetchedAtMs;
  const usable = ageMs < scaledMs(KEPT_MS, clock) ? cached : null;
  const renew = async (): Promise<Result<KeptAnswer, FleetTrouble>> => {
    const judged = await ask(question);
    if (judged.outcome === 'trouble') {
      const { trouble } = judged;
      if (usable?.items) await cache.put(question, { ...usable, failed: { atMs: clock.nowMs(), trouble } });
      return err(trouble);
    }
    const kept = { items: judged.items, fetchedAtMs: clock.nowMs() };
    await cache.put(question, kept);
    return ok(kept);
  };
  const stillFreshMs = usable === null ? 0 : freshMs(question, usable, clock) - ageMs;
  if (usable !== null && stillFreshMs > 0) return read(usable);
  // That there was none is nothing to go on with: it may be there by now.
  if (usable?.items?.length && whenStale === 'show') {
    const { failed } = usable;
    const how = failed === undefined ? {} : { trouble: failed.trouble };
    const isPaused = failed !== undefined && clock.nowMs() - failed.atMs < scaledMs(FAILED_PAUSE_MS, clock);
    if (isPaused) return read(usable, how);
    if (stillFreshMs + staleMs > 0) {
      later(renew());
      return read(usable, how);
    }
  }
  const renewed = await renew();
  if (renewed.ok) return read(renewed.value, { wasAsked: true });
  return usable === null || usable.items === null ? renewed : read(usable, { wasAsked: true, trouble: renewed.error });
}

function freshMs(question: FleetQuestion, { items }: KeptAnswer, clock: Clock): number {
  if (items === null || items.length === 0) return scaledMs(NONE_FRESH_MS, clock);
  return scaledMs(apiOf(question) === 'locations' ? LOCATIONS_FRESH_MS : VEHICLES_FRESH_MS, clock);
}
