/** What one request of a load says of its journey, and what a load can tell of the others. Pure; reads nothing but the body. */
import type { LoadMilestoneEventFields, MilestoneFields, RequestKind, TraceFields } from '../../mapping/request.ts';
import { EVENT_CLASSES, hasHappened, phaseOf, type StopPhase, type StopRole } from './event-classes.ts';

export interface GlobePosition {
  latitude: number;
  longitude: number;
}

/** An event in the words a person finds it by. @property what its code, or `position`; time as it is sent. */
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
  /** It says that something was so at its time; false for what is to come, and for a code that is not known. */
  happened: boolean;
  /** null: it says nothing about what comes first. */
  phase: StopPhase | null;
  role: StopRole | null;
  /** Equal where two events are of the same stop; null where that cannot be told. */
  stopKey: string | null;
  /** The tracked resource of a position; empty where it names none. */
  resource: string;
}

/** What a load knows of the events that had their turn before, and were not refused. Each answer takes a few steps. */
export interface Journey {
  first(stopKey: string, phase: StopPhase): KnownEvent | null;
  /** The latest by its own time that has happened. */
  latest(stopKey: string): KnownEvent | null;
  firstOf(role: StopRole): KnownEvent | null;
  /** Stop numbers met so far, in order. */
  stops(): readonly number[];
  /** The positions of the same resource next to this one in time. */
  around(event: Pick<JourneyEvent, 'resource' | 'atMs'>): readonly KnownEvent[];
}

/** @returns null where it says no readable time, or is no event. */
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
    return null; // its form is checked elsewhere: here it is only not judged
  }
}

function ofMilestone({
  eventCode,
  time,
  stopsequenceNumber,
  eventCity,
  eventState,
}: MilestoneFields): JourneyEvent | null {
  const place = placeOf(eventCity, eventState);
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
    place: placeOf(eventCity, eventState),
    atMs,
    position: { latitude, longitude },
    happened: true,
    phase: null,
    role: null,
    stopKey: null, // positions are a lane of their own: what of the other one came first is chance
    resource: resourceId,
  };
}

const placeOf = (city: string | undefined, state: string | undefined): string | null =>
  [city, state].filter((part) => part !== undefined && part !== '').join(', ') || null;
