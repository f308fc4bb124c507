/**
 * Reads through the cache: fresh answers are shown, stale ones are shown while they are renewed or if nobody answers.
 */

import { type Clock, scaledMs } from '../kernel/clock.ts';
import { KV_TTL_SECONDS_MIN } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { Channel } from '../upstream/channels.ts';
import type { FleetAnswer, FleetItem, FleetTrouble } from './answer.ts';
import { requestWith } from './call.ts';
import {
  CACHED_MS,
  FAILED_PAUSE_MS,
  LOCATIONS_FRESH_MS,
  NONE_FRESH_MS,
  STALE_SHOWN_MS,
  VEHICLES_FRESH_MS,
} from './limits.ts';
import { apiOf, type FleetQuestion, questionText } from './question.ts';

/*
 * Answers of the fleet and locations APIs in KV: copies, each with the time of its answer. A cache that is down costs a
 * call.
 */

/** @property items null: no such vehicle or location. */
export interface CachedAnswer {
  items: readonly FleetItem[] | null;
  /** When the upstream said so, epoch milliseconds. */
  fetchedAtMs: number;
  /** When it was last renewed without success, and why. */
  failed?: { atMs: number; trouble: FleetTrouble };
}

export interface FleetCache {
  get(question: FleetQuestion): Promise<CachedAnswer | null>;
  put(question: FleetQuestion, answer: CachedAnswer): Promise<void>;
}

/** What one channel's account sees is never shown to another: the channel is part of every key. */
export function fleetCache(kv: Pick<KVNamespace, 'get' | 'put'>, { environment, name }: Channel): FleetCache {
  const keyOf = (question: FleetQuestion): string =>
    `fleet:${sha256Hex(JSON.stringify([environment, name, questionText(question)]))}`;
  return {
    async get(question) {
      try {
        return await kv.get<CachedAnswer>(keyOf(question), 'json');
      } catch (thrown) {
        log('warn', 'look_up_cache_failed', { channel: name, detail: messageOf(thrown) });
        return null;
      }
    },
    async put(question, answer) {
      try {
        const expirationTtl = Math.max(KV_TTL_SECONDS_MIN, CACHED_MS / 1_000);
        await kv.put(keyOf(question), JSON.stringify(answer), { expirationTtl });
      } catch (thrown) {
        log('warn', 'look_up_cache_failed', { channel: name, detail: messageOf(thrown) });
      }
    },
  };
}

export interface FleetPort {
  cache: FleetCache;
  clock: Clock;
  request(question: FleetQuestion): Promise<FleetAnswer>;
  /** Continues in the background after the caller has its answer. */
  later(work: Promise<unknown>): void;
}

/** Times are on the caller's clock. */
export interface FleetReading extends CachedAnswer {
  ageMs: number;
  /** How long it counts as current. */
  freshMs: number;
  /** How long after that it is shown while it is renewed. */
  staleMs: number;
  /** The upstream was called just now. Without trouble, this is its answer. */
  wasAsked: boolean;
  /** Why a stale answer was not renewed. */
  trouble: FleetTrouble | null;
}

/**
 * @param whenStale `show`: at once, and renew it in the background, for an hour; then as `renew`: call first. A stale
 * answer is still used if nobody answers; if a call failed a moment ago, `show` does not wait for another.
 */
export async function readFleet(
  { cache, clock, request: ask, later }: FleetPort,
  question: FleetQuestion,
  whenStale: 'show' | 'renew',
): Promise<Result<FleetReading, FleetTrouble>> {
  const staleMs = scaledMs(STALE_SHOWN_MS, clock);
  const read = (
    kept: CachedAnswer,
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
  const usable = ageMs < scaledMs(CACHED_MS, clock) ? cached : null;
  const renew = async (): Promise<Result<CachedAnswer, FleetTrouble>> => {
    const judged = await ask(question);
    if (judged.outcome === 'trouble') {
      const { trouble } = judged;
      const isLatest = async (): Promise<boolean> => (await cache.get(question))?.fetchedAtMs === usable?.fetchedAtMs;
      if (usable?.items && (await isLatest()))
        await cache.put(question, { ...usable, failed: { atMs: clock.nowMs(), trouble } });
      return err(trouble);
    }
    const kept = { items: judged.items, fetchedAtMs: clock.nowMs() };
    await cache.put(question, kept);
    return ok(kept);
  };
  const stillFreshMs = usable === null ? 0 : freshMs(question, usable, clock) - ageMs;
  if (usable !== null && stillFreshMs > 0) return read(usable);
  // An empty answer is not shown stale: the item may exist by now.
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

function freshMs(question: FleetQuestion, { items }: CachedAnswer, clock: Clock): number {
  if (items === null || items.length === 0) return scaledMs(NONE_FRESH_MS, clock);
  return scaledMs(apiOf(question) === 'locations' ? LOCATIONS_FRESH_MS : VEHICLES_FRESH_MS, clock);
}

/*
 * What one caller's reads need of this deployment: its cache, its permits, and work that may finish after the answer.
 */

interface FleetReader {
  channel: Channel;
  clock: Clock;
  partner: string;
  /** The caller's name at the gate, beside the partner's loads and orders. */
  subject: string;
  /** Keeps the process alive until the work is done. */
  waitUntil(work: Promise<unknown>): void;
}

export function fleetPort(
  env: Pick<Env, 'LOOK_UPS' | 'UPSTREAM_GATE' | 'TOKENS'>,
  { channel, clock, partner, subject, waitUntil }: FleetReader,
): FleetPort {
  return {
    cache: fleetCache(env.LOOK_UPS, channel),
    clock,
    request: requestWith({ env, channel, clock, partner, subject }),
    later: (work) =>
      waitUntil(
        work.catch((thrown) =>
          log('warn', 'look_up_not_renewed', { channel: channel.name, detail: messageOf(thrown) }),
        ),
      ),
  };
}
