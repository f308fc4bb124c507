/**
 * Tracks of one order, for an end consumer (seed 4.4, milestone level): the upstream's answer, requested with a permit
 * of the channel's gate and cached for a minute. If it cannot be had, what the order's feed has learned is shown
 * instead, and marked so.
 */
import { classify, signalOf } from '../delivery/classify.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { KV_TTL_SECONDS_MIN } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { PartnerScope } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { TrackTerms } from '../tracking/store/order-store.ts';
import type { Observation } from '../upstream/answer.ts';
import type { Channel } from '../upstream/channels.ts';
import { orderHistory, orderTracks } from '../upstream/endpoints.ts';
import { type CallOutcome, callOnce, type UpstreamBindings } from '../upstream/permitted-call.ts';
import { type AnswerMapping, DEFAULT_ANSWER_MAPPING } from '../upstream/statuses/answer-mapping.ts';
import { type OrderStatus, readAnswer } from '../upstream/statuses/read-answer.ts';
import { POLL_ANSWER_BYTES_MAX, TRACKS_FRESH_MS, TRACKS_PERMIT_WAIT_MS } from './limits.ts';
import { ownerOf } from './repair.ts';

type Track = Pick<OrderStatus, 'code' | 'atMs' | 'place' | 'orderId'>;

/** Why the upstream's answer cannot be shown. `status`: HTTP, where there was an answer. */
export interface TracksTrouble {
  code: 'upstream_down' | 'upstream_refused' | 'upstream_unreadable';
  status: number | null;
  detail: string;
}

/** @property ageMs since the upstream answered, on the clock of the caller. */
export type TracksRead =
  | { outcome: 'read'; tracks: readonly Track[]; askedAtMs: number; ageMs: number }
  | { outcome: 'trouble'; trouble: TracksTrouble };

export interface TracksPort {
  env: UpstreamBindings & Pick<Env, 'LOOK_UPS'>;
  clock: Clock;
  channel: Channel;
  scope: PartnerScope;
}

type Cached = { askedAtMs: number } & ({ tracks: readonly Track[] } | { trouble: TracksTrouble });

/** @param terms what the order knows of itself: another partner's statuses of that reference are never shown. */
export async function readTracks(port: TracksPort, orderRef: string, terms: TrackTerms): Promise<TracksRead> {
  const { clock, channel } = port;
  // The cache key names which orders of the reference are gone, since the answer depends on it.
  const kept = await briefly<Cached>(port, ['tracks', orderRef, ...[...terms.earlier].sort()]);
  const ageMs = kept.value === null ? Number.POSITIVE_INFINITY : Math.max(0, clock.nowMs() - kept.value.askedAtMs);
  let known = ageMs < scaledMs(TRACKS_FRESH_MS, clock) ? kept.value : null;
  if (known === null) {
    const scac = terms.scac ?? channel.scacs[0] ?? '';
    const asked = await requestOnce(port, { reference: orderRef, scac, endpoint: orderTracks });
    const found =
      asked.outcome === 'parked' ? { trouble: deferred(asked.why) } : tracksIn(asked.observed, orderRef, terms, clock);
    known = { askedAtMs: clock.nowMs(), ...found };
    await kept.put(known);
  }
  if ('trouble' in known) return { outcome: 'trouble', trouble: known.trouble };
  const { tracks, askedAtMs } = known;
  return { outcome: 'read', tracks, askedAtMs, ageMs: Math.max(0, clock.nowMs() - askedAtMs) };
}

/** One query about one reference, with a permit of the channel's gate: somebody is waiting for the answer. */
const requestOnce = (
  { env, clock, channel, scope }: TracksPort,
  { reference, scac, endpoint }: { reference: string; scac: string; endpoint: typeof orderTracks },
): Promise<CallOutcome> =>
  callOnce(
    env,
    { ...scope, subject: JSON.stringify(['reads', reference]) },
    {
      channel,
      scac,
      clock,
      signal: signalOf,
      isRepeatable: true,
      answerBytesMax: POLL_ANSWER_BYTES_MAX,
      post: (upstream) => endpoint(upstream, channel, { scac, orderRef: reference }),
    },
    TRACKS_PERMIT_WAIT_MS,
  );

const deferred = (why: string): TracksTrouble => ({
  code: 'upstream_down',
  status: null,
  detail: why === 'rate' ? 'the rate of the channel is used up' : `sending is stopped: ${why}`,
});

/** Longest description of a failure that is shown, in characters. Ours. */
const DETAIL_CHARACTERS_MAX = 200;

function tracksIn(
  observed: Observation,
  orderRef: string,
  terms: TrackTerms,
  clock: Clock,
): { tracks: Track[] } | { trouble: TracksTrouble } {
  const trouble = (code: TracksTrouble['code'], status: number | null, detail: string) => ({
    trouble: { code, status, detail: detail.slice(0, DETAIL_CHARACTERS_MAX) },
  });
  if (observed.outcome !== 'answered') return trouble('upstream_down', null, `${observed.code}: ${observed.detail}`);
  const { status, body, bodyEnd, notRenewed } = observed;
  if (notRenewed !== undefined) return trouble('upstream_down', null, `no_token: ${notRenewed}`);
  const { effect } = classify(observed, clock.nowMs());
  if (effect === 'refused' || effect === 'channel') return trouble('upstream_refused', status, body);
  if (effect !== 'applied' || bodyEnd === 'cut') return trouble('upstream_down', status, body);
  const isOurs = ownerOf({ ...terms, orderRef, creates: 0 });
  const gone = new Set(terms.earlier);
  // A status without a level counts as a milestone here; one of another level is not for an end consumer.
  const mapping = terms.mapping ?? DEFAULT_ANSWER_MAPPING;
  const read = readAnswer(body, { ...mapping, level: { ...mapping.level, otherwise: 'milestone' } });
  if (!read.ok || bodyEnd === 'capped') return trouble('upstream_unreadable', status, body);
  const own = read.value.statuses.filter(
    (one) => isOurs(one) === 'ours' && one.level === 'milestone' && !gone.has(one.orderId?.toLowerCase() ?? ''),
  );
  const tracks = own.map(({ code, atMs, place, orderId }) => ({ code, atMs, place, orderId }));
  return { tracks: tracks.sort((one, other) => one.atMs - other.atMs) };
}

/** A cached answer from KV; another partner may have the same reference, too. A cache that is down costs a call. */
async function briefly<Value>(
  { env, channel, scope }: TracksPort,
  about: readonly string[],
): Promise<{ value: Value | null; put(value: Value): Promise<void> }> {
  const key = `orders:${sha256Hex(JSON.stringify([scope.environment, channel.name, scope.partner, ...about]))}`;
  const failed = (thrown: unknown): null => {
    log('warn', 'look_up_cache_failed', { channel: channel.name, detail: messageOf(thrown) });
    return null;
  };
  return {
    value: await env.LOOK_UPS.get<Value>(key, 'json').catch(failed),
    put: async (value) => {
      await env.LOOK_UPS.put(key, JSON.stringify(value), { expirationTtl: KV_TTL_SECONDS_MIN }).catch(failed);
    },
  };
}

/*
 * Finds an order by its secondary reference (seed 2.8): the upstream knows which order has it and answers by either
 * number (4.4), so it is queried, and what it names counts only if its id shows that the order is the caller's own.
 */

interface FindPort extends TracksPort {
  /** The mapping of the partner's feed; null: it has none, or it could not be loaded. */
  mapping: AnswerMapping | null;
  /** Ids, in lower case, under which the caller has an order of this number; none where it has none. */
  idsOf(orderRef: string): Promise<readonly string[]>;
}

type Found = { askedAtMs: number; orderRef: string | null };

/**
 * @returns the number of the caller's order that has the reference; null: no such order is known, or nobody can say.
 */
export async function findOrder(port: FindPort, reference: string): Promise<string | null> {
  const { clock } = port;
  const kept = await briefly<Found>(port, ['order-ref', reference]);
  const known = kept.value !== null && isFresh(kept.value, clock) ? kept.value : null;
  if (known !== null) return known.orderRef;
  const scac = port.channel.scacs[0] ?? '';
  const asked = await requestOnce(port, { reference, scac, endpoint: orderHistory });
  if (asked.outcome !== 'observed' || asked.observed.outcome !== 'answered' || asked.observed.status !== 200)
    return null;
  const read = readAnswer(asked.observed.body, port.mapping ?? DEFAULT_ANSWER_MAPPING);
  if (!read.ok || asked.observed.bodyEnd !== 'whole') return null;
  const orderRef = await ownAmong(read.value.statuses, port);
  await kept.put({ askedAtMs: clock.nowMs(), orderRef });
  return orderRef;
}

const isFresh = ({ askedAtMs }: Found, clock: Clock): boolean =>
  clock.nowMs() - askedAtMs < scaledMs(TRACKS_FRESH_MS, clock);

/** Latest first: a reference may have passed from one order to another. */
async function ownAmong(statuses: readonly OrderStatus[], { idsOf }: FindPort): Promise<string | null> {
  const named = [...statuses].sort((one, other) => other.atMs - one.atMs);
  const seen = new Set<string>();
  for (const { orderRef, orderId } of named) {
    const id = orderId?.toLowerCase();
    if (id === undefined || seen.has(`${id} ${orderRef}`)) continue;
    seen.add(`${id} ${orderRef}`);
    if (seen.size > ORDERS_LOOKED_AT_MAX) return null;
    if ((await idsOf(orderRef)).includes(id)) return orderRef;
  }
  return null;
}

/** Orders of one answer that are checked. Ours: a reference names one, or its few successors. */
const ORDERS_LOOKED_AT_MAX = 10;
