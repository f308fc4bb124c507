/** Events of a load in few words, and a load that knows some of them. */

import {
  type Anomaly,
  anomaliesOf,
  type Journey,
  type JourneyEvent,
  journeyEvent,
} from '../../../src/delivery/events/anomalies.ts';
import type { StopPhase, StopRole } from '../../../src/delivery/events/event-classes.ts';
import type { AnomalyPolicy } from '../../../src/mapping/document/delivery-spec.ts';

/** Late enough for every event of these tests, and not much later. */
export const RECEIVED_MS = Date.UTC(2026, 2, 3);

const timeObject = (time: string) => ({
  dateTime: `${time.includes('T') ? time : `2026-03-02T${time}`}:00.0000000+00:00`,
  timeZoneCode: 'UTC',
  timeZoneOffset: 'UTC+0',
});

function made(event: JourneyEvent | null): JourneyEvent {
  if (event === null) throw new Error('no event');
  return event;
}

/** `X3@1 08:15`, `X3@1 2026-03-02T08:15`, without a stop `X3 08:15`, with a place `X3 08:15 Joliet, IL`. */
export function milestone(text: string): JourneyEvent {
  const [, code = '', stop, time = '', city, state] =
    /^(\w+)(?:@(\d+))? ([\dT:-]+)(?: ([^,]+), (\w+))?$/.exec(text) ?? [];
  const body = {
    eventCode: code,
    loadNumber: 'L1',
    time: timeObject(time),
    ...(stop === undefined ? {} : { stopsequenceNumber: Number(stop) }),
    ...(city === undefined ? {} : { eventCity: city, eventState: state }),
  };
  return made(journeyEvent('milestone', JSON.stringify(body)));
}

/** `41.5,-88.1 08:15`, with a resource `41.5,-88.1 08:15 VIN1`. */
export function position(text: string): JourneyEvent {
  const [at = '', time = '', resourceId] = text.split(' ');
  const [latitude = 0, longitude = 0] = at.split(',').map(Number);
  const point = { time: timeObject(time), coordinate: { latitude, longitude }, ...(resourceId && { resourceId }) };
  return made(journeyEvent('trace', JSON.stringify({ loadNumber: 'L1', traces: [point] })));
}

export const anEvent = (text: string): JourneyEvent => (/^-?\d/.test(text) ? position(text) : milestone(text));

/** A load that knows these. */
export function knowing(events: readonly JourneyEvent[]): Journey {
  const byTime = events.toSorted((one, other) => one.atMs - other.atMs);
  const first = (is: (event: JourneyEvent) => boolean) => byTime.find(is) ?? null;
  return {
    first: (stopKey: string, phase: StopPhase) => first((each) => each.stopKey === stopKey && each.phase === phase),
    latest: (stopKey) => byTime.findLast((each) => each.stopKey === stopKey) ?? null,
    firstOf: (role: StopRole) => first((each) => each.role === role),
    stops: () =>
      [...new Set(events.flatMap(({ stop, stopKey }) => (stop === null || stopKey === null ? [] : [stop])))].sort(
        (one, other) => one - other,
      ),
    around({ resource, atMs }) {
      const same = byTime.filter((each) => each.position !== null && each.resource === resource);
      const next = [same.findLast((each) => each.atMs <= atMs), same.find((each) => each.atMs > atMs)];
      return next.flatMap((each) => each ?? []);
    },
  };
}

/** @returns what is odd about an event beside the known ones. */
export const oddAbout = (
  event: JourneyEvent,
  known: readonly JourneyEvent[],
  { policy = {}, isRetry = false, acceptedAtMs = RECEIVED_MS }: Partial<OddAsked> = {},
): Anomaly[] => anomaliesOf(event, knowing(known), { acceptedAtMs, isRetry }, policy);

interface OddAsked {
  policy: AnomalyPolicy;
  isRetry: boolean;
  acceptedAtMs: number;
}

/** Takes events in one after the other. @returns what was odd about each. */
export function oddInTurn(events: readonly JourneyEvent[], policy: AnomalyPolicy = {}): Anomaly[][] {
  const known: JourneyEvent[] = [];
  return events.map((event) => {
    const odd = oddAbout(event, known, { policy });
    known.push(event);
    return odd;
  });
}
