/**
 * How an event contradicts those its load knows: a warning for the sender, or a reason not to send it. Pure.
 *
 * Only contradictions count: a missing event is none, a code of unknown meaning has no order, and unrelated events may
 * come in any order.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/clock.ts';
import { ANOMALY_KINDS, type AnomalyPolicy } from '../../mapping/document/delivery-spec.ts';
import type { LoadMilestoneEventFields, MilestoneFields, RequestKind, TraceFields } from '../../mapping/request.ts';
import { EVENT_CLASSES, hasHappened, phaseOf, type StopPhase, type StopRole } from './event-classes.ts';

/* What one request of a load says about its journey, read from its body alone, and what a load knows of the others. */

interface GlobePosition {
  latitude: number;
  longitude: number;
}

/** An event as a person would find it. @property what its code, or `position`; time as it is sent. */
export interface EventSaid {
  what: string;
  time: string;
  stop: number | null;
  place: string | null;
  position: GlobePosition | null;
}

export interface KnownEvent extends EventSaid {
  atMs: number;
}

export interface JourneyEvent extends KnownEvent {
  /** It reports something that was so at its time; false for what is to come, and for an unknown code. */
  happened: boolean;
  /** null: it says nothing about order. */
  phase: StopPhase | null;
  role: StopRole | null;
  /** Equal if two events are of the same stop; null if that is not known. */
  stopKey: string | null;
  /** The tracked resource of a position; empty if there is none. */
  resource: string;
}

/** The earlier events of a load that were not refused. Each query takes a few steps. */
export interface Journey {
  first(stopKey: string, phase: StopPhase): KnownEvent | null;
  /** The latest by its own time, of events that have happened. */
  latest(stopKey: string): KnownEvent | null;
  firstOf(role: StopRole): KnownEvent | null;
  /** Known stop numbers, in order. */
  stops(): readonly number[];
  /** The neighbouring positions of the same resource in time. */
  around(event: Pick<JourneyEvent, 'resource' | 'atMs'>): readonly KnownEvent[];
}

/** @returns null if it has no readable time, or is no event. */
export function journeyEvent(kind: RequestKind, body: string): JourneyEvent | null {
  try {
    switch (kind) {
      case 'milestone':
        return ofMilestone(JSON.parse(body) as MilestoneFields);
      case 'trace':
        return ofTrace(JSON.parse(body) as TraceFields);
      case 'loadMilestoneEvent':
        return ofPlainMilestone(JSON.parse(body) as LoadMilestoneEventFields);
      default:
        return null;
    }
  } catch {
    return null; // validated elsewhere: here it is only left out
  }
}

function ofMilestone({
  eventCode,
  time,
  stopsequenceNumber,
  eventCity,
  eventState,
}: MilestoneFields): JourneyEvent | null {
  const place = locationOf(eventCity, eventState);
  return event(eventCode, time.dateTime, { stop: stopsequenceNumber ?? null, place });
}

const ofPlainMilestone = ({ milestone_type, event_time }: LoadMilestoneEventFields): JourneyEvent | null =>
  event(milestone_type, event_time, { stop: null, place: null });

function event(code: string, time: string, at: Pick<EventSaid, 'stop' | 'place'>): JourneyEvent | null {
  const atMs = Date.parse(time);
  if (Number.isNaN(atMs)) return null;
  const known = EVENT_CLASSES.get(code);
  const happened = known !== undefined && hasHappened(known) ? known : null;
  return {
    what: code,
    time,
    ...at,
    atMs,
    position: null,
    happened: happened !== null,
    phase: happened && phaseOf(happened),
    role: happened?.role ?? null,
    stopKey: happened && stopKeyOf(at, happened.role),
    resource: '',
  };
}

/** Without a number: the same kind of stop in the same place. */
function stopKeyOf({ stop, place }: Pick<EventSaid, 'stop' | 'place'>, role: StopRole | null): string | null {
  if (stop !== null) return `#${stop}`;
  return place === null || role === null ? null : `${role}@${place.toLowerCase()}`;
}

function ofTrace({ traces, eventCity, eventState }: TraceFields): JourneyEvent | null {
  const [point] = traces;
  if (point === undefined) return null;
  const { time, coordinate, resourceId = '', stopsequenceNumber } = point;
  const atMs = Date.parse(time.dateTime);
  if (Number.isNaN(atMs)) return null;
  const { latitude, longitude } = coordinate;
  return {
    what: 'position',
    time: time.dateTime,
    stop: stopsequenceNumber ?? null,
    place: locationOf(eventCity, eventState),
    atMs,
    position: { latitude, longitude },
    happened: true,
    phase: null,
    role: null,
    stopKey: null, // positions are a lane of their own: their order relative to milestones is chance
    resource: resourceId,
  };
}

const locationOf = (city: string | undefined, state: string | undefined): string | null =>
  [city, state].filter((part) => part !== undefined && part !== '').join(', ') || null;

/* Thresholds of anomalies. All ours: the receiving system names none. */

/**
 * How far after its receipt an event may be before it is reported, in ms. Ours: clocks differ by minutes, wrong zones
 * by half an hour at least.
 */
const EVENT_AHEAD_MAX_MS = 15 * MINUTE_MS;
/** How long before its receipt an event may be, in ms. Ours: finds a mistyped year, allows a backlog of months. */
const EVENT_AGE_MAX_MS = 330 * DAY_MS;
/** Fastest speed between two positions of one vehicle, in km/h. Ours: no truck is faster; set higher if loads fly. */
const SPEED_KM_PER_HOUR_MAX = 200;
/**
 * Positions nearer to each other than this are not checked, in km. Ours: receivers drift, and coordinates are rounded.
 */
const SPEED_DISTANCE_MIN_KM = 5;
/** Stop numbers that a load remembers. Ours: far more than a load has. */
export const STOPS_KNOWN_MAX = 100;

/** `event` is the one that is checked, `other` the one it contradicts. */
export type Anomaly =
  | { kind: 'outOfOrder'; rule: 'before_arrival' | 'delivery_before_pickup'; event: EventSaid; other: EventSaid }
  /** A later event of its stop was sent before it. */
  | { kind: 'cameLate'; event: EventSaid; other: EventSaid }
  | { kind: 'stops'; event: EventSaid; known: readonly number[] }
  /** @property kmPerHour null: both at the same time. */
  | { kind: 'speed'; event: EventSaid; other: EventSaid; km: number; kmPerHour: number | null }
  | { kind: 'inFuture' | 'tooOld'; event: EventSaid; acceptedAtMs: number };

export const ANOMALY_CODES = ['sequence_suspicious', 'time_in_future', 'time_too_old'] as const;
export type AnomalyCode = (typeof ANOMALY_CODES)[number];

export function anomalyCode({ kind }: Anomaly): AnomalyCode {
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

/** @property acceptedAtMs when it came in, so that an outage changes nothing; isRetry: a retry makes it late. */
interface Moment {
  acceptedAtMs: number;
  isRetry: boolean;
}

export interface AnomalyLimits {
  aheadMs: number;
  ageMs: number;
  kmPerHour: number;
  kmMin: number;
}

const LIMITS: AnomalyLimits = {
  aheadMs: EVENT_AHEAD_MAX_MS,
  ageMs: EVENT_AGE_MAX_MS,
  kmPerHour: SPEED_KM_PER_HOUR_MAX,
  kmMin: SPEED_DISTANCE_MIN_KM,
};

/** @returns at most one of each kind, in the order of ANOMALY_KINDS, without those the policy turns off. */
export function anomaliesOf(
  event: JourneyEvent,
  journey: Journey,
  moment: Moment,
  policy: AnomalyPolicy,
  limits: AnomalyLimits = LIMITS,
): Anomaly[] {
  return ANOMALY_KINDS.flatMap((kind) => {
    if (policy[kind] === 'off') return [];
    const found = DETECTORS[kind](event, journey, moment, limits);
    return found === null ? [] : [found];
  });
}

/** @param isForced it is sent on request, despite anomalies. @returns why it is not sent; null: it is. */
export function refusalOf(surprises: readonly Anomaly[], policy: AnomalyPolicy, isForced: boolean): AnomalyCode | null {
  const refused = isForced ? undefined : surprises.find(({ kind }) => policy[kind] === 'reject');
  return refused === undefined ? null : anomalyCode(refused);
}

type Detector = (event: JourneyEvent, journey: Journey, moment: Moment, limits: AnomalyLimits) => Anomaly | null;

const DETECTORS: Record<Anomaly['kind'], Detector> = {
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

/** Nothing happens at a stop before the arrival there, whichever is reported first. */
function beforeArrival(event: JourneyEvent, journey: Journey): Anomaly | null {
  const { stopKey, phase, atMs } = event;
  if (stopKey === null || phase === null || phase === 'other') return null;
  const arrival = journey.first(stopKey, 'arrival');
  const contradicts = (other: KnownEvent): Anomaly => ({
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

/** Before the first pick-up nothing can be delivered; a pick-up at a later stop is for a later delivery. */
function deliveryBeforePickup(event: JourneyEvent, journey: Journey): Anomaly | null {
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

/** Far beyond all known stops: at least two must be known to show the numbering. An earlier stop may just be late. */
function strangeStop(event: JourneyEvent, journey: Journey): Anomaly | null {
  if (event.stop === null || event.stopKey === null) return null;
  const stops = journey.stops();
  const highest = stops.at(-1);
  if (highest === undefined || stops.length < 2) return null;
  const gaps = stops.slice(1).map((stop, at) => stop - (stops[at] ?? stop));
  return event.stop <= highest + Math.min(...gaps) ? null : { kind: 'stops', event: said(event), known: stops };
}

/** Short distances are left out: a receiver that drifts by a few hundred metres can imply any speed. */
function tooFast(
  event: JourneyEvent,
  journey: Journey,
  _moment: Moment,
  { kmPerHour: most, kmMin }: AnomalyLimits,
): Anomaly | null {
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
