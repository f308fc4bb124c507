/** Reads through the cache: what is fresh is shown, what is stale is shown while it is asked for anew, or where nobody answers. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { FleetCache, KeptAnswer } from './cache.ts';
import type { FleetTrouble, Judged } from './judge.ts';
import { KEPT_MS, LOCATIONS_FRESH_MS, NONE_FRESH_MS, VEHICLES_FRESH_MS } from './limits.ts';
import { apiOf, type FleetQuestion } from './question.ts';

export interface FleetPort {
  cache: FleetCache;
  clock: Clock;
  ask(question: FleetQuestion): Promise<Judged>;
  /** Goes on with it when the caller has its answer. */
  later(work: Promise<unknown>): void;
}

/** @property freshMs for which it counts as of now, on the clock of the caller. @property trouble why a stale one was not renewed. */
export interface FleetReading extends KeptAnswer {
  ageMs: number;
  freshMs: number;
  trouble: FleetTrouble | null;
}

/** @param whenStale `show`: at once, and ask behind it. `renew`: ask first; it still serves where nobody answers. */
export async function readFleet(
  { cache, clock, ask, later }: FleetPort,
  question: FleetQuestion,
  whenStale: 'show' | 'renew',
): Promise<Result<FleetReading, FleetTrouble>> {
  const read = (kept: KeptAnswer, trouble: FleetTrouble | null = null): Result<FleetReading, FleetTrouble> =>
    ok({
      ...kept,
      ageMs: Math.max(0, clock.nowMs() - kept.fetchedAtMs),
      freshMs: freshMs(question, kept, clock),
      trouble,
    });
  const renew = async (): Promise<Result<KeptAnswer, FleetTrouble>> => {
    const judged = await ask(question);
    if (judged.outcome === 'trouble') return err(judged.trouble);
    const kept = { items: judged.items, fetchedAtMs: clock.nowMs() };
    await cache.put(question, kept);
    return ok(kept);
  };
  const cached = await cache.get(question);
  const ageMs = cached === null ? Number.POSITIVE_INFINITY : clock.nowMs() - cached.fetchedAtMs;
  const usable = ageMs < scaledMs(KEPT_MS, clock) ? cached : null;
  if (usable !== null && ageMs < freshMs(question, usable, clock)) return read(usable);
  // That there was none is nothing to go on with: it may be there by now.
  if (usable !== null && usable.items !== null && whenStale === 'show') {
    later(renew());
    return read(usable);
  }
  const renewed = await renew();
  if (renewed.ok) return read(renewed.value);
  return usable === null || usable.items === null ? renewed : read(usable, renewed.error);
}

function freshMs(question: FleetQuestion, { items }: KeptAnswer, clock: Clock): number {
  if (items === null || items.length === 0) return scaledMs(NONE_FRESH_MS, clock);
  return scaledMs(apiOf(question) === 'locations' ? LOCATIONS_FRESH_MS : VEHICLES_FRESH_MS, clock);
}
