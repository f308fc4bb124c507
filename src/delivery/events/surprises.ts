/**
 * What is odd about an event beside those that its load knows: told to whoever sent it, or a reason not to send it. Pure.
 *
 * Only contradictions count: an event that is missing is none, and a code of unknown meaning takes part in no order. Events
 * that have nothing to do with each other may come in any order.
 */

import { SURPRISE_KINDS, type SurprisePolicy } from '../../mapping/document/delivery-spec.ts';
import type { StopRole } from './event-classes.ts';
import type { EventSaid, GlobePosition, Journey, JourneyEvent, KnownEvent } from './journey.ts';
import {
  EVENT_AGE_MAX_MS,
  EVENT_AHEAD_MAX_MS,
  SPEED_DISTANCE_MIN_KM,
  SPEED_KM_PER_HOUR_MAX,
} from './surprise-limits.ts';

/** `event` is the one that is judged, `other` the one it contradicts. */
export type Surprise =
  | { kind: 'outOfOrder'; rule: 'before_arrival' | 'delivery_before_pickup'; event: EventSaid; other: EventSaid }
  /** A later one of its stop was sent before it. */
  | { kind: 'cameLate'; event: EventSaid; other: EventSaid }
  | { kind: 'stops'; event: EventSaid; known: readonly number[] }
  /** @property kmPerHour null: both at the same time. */
  | { kind: 'speed'; event: EventSaid; other: EventSaid; km: number; kmPerHour: number | null }
  | { kind: 'inFuture' | 'tooOld'; event: EventSaid; acceptedAtMs: number };

export const SURPRISE_CODES = ['sequence_suspicious', 'time_in_future', 'time_too_old'] as const;
export type SurpriseCode = (typeof SURPRISE_CODES)[number];

export function surpriseCode({ kind }: Surprise): SurpriseCode {
  switch (kind) {
    case 'outOfOrder':
    case 'cameLate':
    case 'stops':
    case 'speed':
      return 'sequence_suspicious';
    case 'inFuture':
      return 'time_in_future';
    case 'tooOld':
      return 'time_too_old';
  }
}

/** @property acceptedAtMs when it came in, so that an outage changes nothing; isRetry: it comes late because of that. */
export interface Moment {
  acceptedAtMs: number;
  isRetry: boolean;
}

export interface SurpriseLimits {
  aheadMs: number;
  ageMs: number;
  kmPerHour: number;
  kmMin: number;
}

const LIMITS: SurpriseLimits = {
  aheadMs: EVENT_AHEAD_MAX_MS,
  ageMs: EVENT_AGE_MAX_MS,
  kmPerHour: SPEED_KM_PER_HOUR_MAX,
  kmMin: SPEED_DISTANCE_MIN_KM,
};

/** @returns at most one of each kind, in the order of SURPRISE_KINDS; none of those that the policy leaves off. */
export function surprisesOf(
  event: JourneyEvent,
  journey: Journey,
  moment: Moment,
  policy: SurprisePolicy,
  limits: SurpriseLimits = LIMITS,
): Surprise[] {
  return SURPRISE_KINDS.flatMap((kind) => {
    if (policy[kind] === 'off') return [];
    const found = JUDGES[kind](event, journey, moment, limits);
    return found === null ? [] : [found];
  });
}

/** @param isForced it is sent on request, whatever is known. @returns why it is not sent; null: it is. */
export function refusalOf(
  surprises: readonly Surprise[],
  policy: SurprisePolicy,
  isForced: boolean,
): SurpriseCode | null {
  const refused = isForced ? undefined : surprises.find(({ kind }) => policy[kind] === 'reject');
  return refused === undefined ? null : surpriseCode(refused);
}

type Judge = (event: JourneyEvent, journey: Journey, moment: Moment, limits: SurpriseLimits) => Surprise | null;

const JUDGES: Record<Surprise['kind'], Judge> = {
  outOfOrder: (event, journey) => beforeArrival(event, journey) ?? deliveryBeforePickup(event, journey),
  cameLate: (event, journey, { isRetry }) => {
    const latest = isRetry || event.stopKey === null ? null : journey.latest(event.stopKey);
    if (latest === null || latest.atMs <= event.atMs) return null;
    return { kind: 'cameLate', event: said(event), other: said(latest) };
  },
  stops: strangeStop,
  speed: tooFast,
  inFuture: (event, _journey, { acceptedAtMs }, { aheadMs }) =>
    event.happened && event.atMs > acceptedAtMs + aheadMs
      ? { kind: 'inFuture', event: said(event), acceptedAtMs }
      : null,
  tooOld: (event, _journey, { acceptedAtMs }, { ageMs }) =>
    event.atMs < acceptedAtMs - ageMs ? { kind: 'tooOld', event: said(event), acceptedAtMs } : null,
};

/** Nothing happens at a stop before the arrival there, whichever of the two is told first. */
function beforeArrival(event: JourneyEvent, journey: Journey): Surprise | null {
  const { stopKey, phase, atMs } = event;
  if (stopKey === null || phase === null || phase === 'other') return null;
  const arrival = journey.first(stopKey, 'arrival');
  const contradicts = (other: KnownEvent): Surprise => ({
    kind: 'outOfOrder',
    rule: 'before_arrival',
    event: said(event),
    other: said(other),
  });
  if (phase === 'after') return arrival !== null && atMs < arrival.atMs ? contradicts(arrival) : null;
  const after = journey.first(stopKey, 'after');
  const isExplained = after !== null && arrival !== null && arrival.atMs <= after.atMs; // it came back later
  return after !== null && !isExplained && after.atMs < atMs ? contradicts(after) : null;
}

/** Before the first pick-up there is nothing to deliver; a pick-up at a later stop is for a later delivery. */
function deliveryBeforePickup(event: JourneyEvent, journey: Journey): Surprise | null {
  const other: StopRole | null = event.role === 'pickup' ? 'delivery' : event.role === 'delivery' ? 'pickup' : null;
  const first = other === null ? null : journey.firstOf(other);
  if (first === null) return null;
  const [pickup, delivery] = other === 'pickup' ? [first, event] : [event, first];
  const isLaterStop = pickup.stop !== null && delivery.stop !== null && pickup.stop > delivery.stop;
  if (delivery.atMs >= pickup.atMs || isLaterStop) return null;
  const earlier = other === 'delivery' ? journey.firstOf('pickup') : null;
  if (earlier !== null && earlier.atMs <= delivery.atMs) return null;
  return { kind: 'outOfOrder', rule: 'delivery_before_pickup', event: said(event), other: said(first) };
}

/** Far ahead of all stops that are known: those it met tell how they are numbered, and two of them must. An earlier one may just be late. */
function strangeStop(event: JourneyEvent, journey: Journey): Surprise | null {
  if (event.stop === null || event.stopKey === null) return null;
  const stops = journey.stops();
  const highest = stops.at(-1);
  if (highest === undefined || stops.length < 2) return null;
  const gaps = stops.slice(1).map((stop, at) => stop - (stops[at] ?? stop));
  return event.stop <= highest + Math.min(...gaps) ? null : { kind: 'stops', event: said(event), known: stops };
}

/** Short ways are left out: a receiver that strays by a few hundred metres makes any speed of them. */
function tooFast(
  event: JourneyEvent,
  journey: Journey,
  _moment: Moment,
  { kmPerHour: most, kmMin }: SurpriseLimits,
): Surprise | null {
  if (event.position === null) return null;
  for (const other of journey.around(event)) {
    if (other.position === null) continue;
    const km = distanceKm(event.position, other.position);
    const hours = Math.abs(event.atMs - other.atMs) / HOUR_MS;
    if (km < kmMin || km <= most * hours) continue;
    const kmPerHour = hours === 0 ? null : Math.round(km / hours);
    return { kind: 'speed', event: said(event), other: said(other), km: Math.round(km), kmPerHour };
  }
  return null;
}

const HOUR_MS = 3_600_000;
/** Mean radius (IUGG). */
const EARTH_KM = 6371.0088;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Along the surface (haversine). */
export function distanceKm(one: GlobePosition, other: GlobePosition): number {
  const north = Math.sin(radians(other.latitude - one.latitude) / 2);
  const east = Math.sin(radians(other.longitude - one.longitude) / 2);
  const share = north ** 2 + Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * east ** 2;
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(share)));
}

const said = ({ what, time, stop, place, position }: EventSaid): EventSaid => ({ what, time, stop, place, position });
