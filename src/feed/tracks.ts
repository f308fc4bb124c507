/**
 * Tracks of one order, for an end consumer (seed 4.4, milestone level): what the upstream answers, asked with a permit of the
 * channel's gate and kept for a minute. Where it cannot be had, what the order's feed has learned stands in, marked as that.
 */
import { classify } from '../delivery/classify.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { KV_TTL_SECONDS_MIN } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { PartnerScope } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { TrackTerms } from '../tracking/store/order-ids.ts';
import type { Observation } from '../upstream/answer.ts';
import type { Channel } from '../upstream/channels.ts';
import { orderTracks } from '../upstream/endpoints.ts';
import { DEFAULT_ANSWER_MAPPING } from '../upstream/statuses/answer-mapping.ts';
import { type OrderStatus, readAnswer } from '../upstream/statuses/read-answer.ts';
import { type Asked, Asking } from './asking.ts';
import { TRACKS_FRESH_MS, TRACKS_PERMIT_WAIT_MS } from './limits.ts';
import { ownerOf } from './repair-owner.ts';

export type Track = Pick<OrderStatus, 'code' | 'atMs' | 'place' | 'orderId'>;

/** Why the upstream's answer cannot be shown. `status`: HTTP, where there was an answer. */
export interface TracksTrouble {
  code: 'upstream_down' | 'upstream_refused' | 'upstream_unreadable';
  status: number | null;
  detail: string;
}

/** @property ageMs since the upstream said so, on the clock of the caller. */
export type TracksRead =
  | { outcome: 'read'; tracks: readonly Track[]; askedAtMs: number; ageMs: number }
  | { outcome: 'trouble'; trouble: TracksTrouble };

export interface TracksPort {
  env: Pick<Env, 'UPSTREAM_GATE' | 'TOKENS' | 'LOOK_UPS'>;
  clock: Clock;
  channel: Channel;
  scope: PartnerScope;
}

type Kept = { askedAtMs: number } & ({ tracks: readonly Track[] } | { trouble: TracksTrouble });

/** @param terms what the order knows of itself: another partner's statuses of that reference are never shown. */
export async function readTracks(port: TracksPort, orderRef: string, terms: TrackTerms): Promise<TracksRead> {
  const { clock, channel } = port;
  // Which orders of the reference are gone is part of what was asked.
  const kept = await briefly<Kept>(port, ['tracks', orderRef, ...[...terms.earlier].sort()]);
  const ageMs = kept.value === null ? Number.POSITIVE_INFINITY : Math.max(0, clock.nowMs() - kept.value.askedAtMs);
  let known = ageMs < scaledMs(TRACKS_FRESH_MS, clock) ? kept.value : null;
  if (known === null) {
    const scac = terms.scac ?? channel.scacs[0] ?? '';
    const asked = await askOnce(port, { reference: orderRef, scac, endpoint: orderTracks });
    const found =
      asked.outcome === 'parked' ? { trouble: parked(asked.why) } : tracksIn(asked.observed, orderRef, terms, clock);
    known = { askedAtMs: clock.nowMs(), ...found };
    await kept.put(known);
  }
  if ('trouble' in known) return { outcome: 'trouble', trouble: known.trouble };
  const { tracks, askedAtMs } = known;
  return { outcome: 'read', tracks, askedAtMs, ageMs: Math.max(0, clock.nowMs() - askedAtMs) };
}

/** One question about one reference, with a permit of the channel's gate: somebody waits for the answer. */
export async function askOnce(
  { env, clock, channel, scope }: TracksPort,
  { reference, scac, endpoint }: { reference: string; scac: string; endpoint: typeof orderTracks },
): Promise<Asked> {
  const asking = new Asking(env, { ...scope, subject: JSON.stringify(['reads', reference]) });
  const untilMs = clock.nowMs() + TRACKS_PERMIT_WAIT_MS;
  try {
    for (;;) {
      const asked = await asking.ask(scac, {
        channel,
        clock,
        isRepeatable: true,
        post: (upstream) => endpoint(upstream, channel, { scac, orderRef: reference }),
        mayBegin: () => true,
        begin: () => undefined,
        end: () => undefined,
      });
      const againMs = asked.outcome === 'parked' ? Math.max(asked.untilMs, clock.nowMs() + 1) : 0;
      if (asked.outcome === 'observed' || againMs > untilMs) return asked;
      await scheduler.wait(againMs - clock.nowMs());
    }
  } finally {
    await asking.settle();
  }
}

const parked = (why: string): TracksTrouble => ({
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
  const { status, body, bodyEnd } = observed;
  const { effect } = classify(observed, clock.nowMs());
  if (effect === 'refused' || effect === 'channel') return trouble('upstream_refused', status, body);
  if (effect !== 'applied' || bodyEnd === 'cut') return trouble('upstream_down', status, body);
  const isOurs = ownerOf({ ...terms, orderRef, creates: 0 });
  const gone = new Set(terms.earlier);
  // What says nothing of its level is a milestone here; what says that it is none is not for an end consumer.
  const mapping = terms.mapping ?? DEFAULT_ANSWER_MAPPING;
  const read = readAnswer(body, { ...mapping, level: { ...mapping.level, otherwise: 'milestone' } });
  if (!read.ok || bodyEnd === 'capped') return trouble('upstream_unreadable', status, body);
  const own = read.value.statuses.filter(
    (one) => isOurs(one) === 'ours' && one.level === 'milestone' && !gone.has(one.orderId?.toLowerCase() ?? ''),
  );
  const tracks = own.map(({ code, atMs, place, orderId }) => ({ code, atMs, place, orderId }));
  return { tracks: tracks.sort((one, other) => one.atMs - other.atMs) };
}

/** What was answered about this, kept in KV; the same reference is another partner's, too. A cache that is down costs a call. */
export async function briefly<Value>(
  { env, channel, scope }: TracksPort,
  about: readonly string[],
): Promise<{ value: Value | null; put(value: Value): Promise<void> }> {
  const named = JSON.stringify([scope.environment, channel.name, scope.partner, ...about]);
  const key = `orders:${await sha256Hex(new TextEncoder().encode(named))}`;
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
