/**
 * The events of a load: what each says by its body alone, and which of them count.
 * `delivery/events/anomalies.ts` finds the anomalies, `delivery/events/duplicates.ts` what becomes of equal ones.
 */

import {
  type Anomaly,
  type AnomalyCode,
  anomaliesOf,
  type Journey,
  type JourneyEvent,
  journeyEvent,
  type KnownEvent,
  refusalOf,
  STOPS_KNOWN_MAX,
} from '../../delivery/events/anomalies.ts';
import type { EqualRequest } from '../../delivery/events/duplicates.ts';
import type { StopPhase, StopRole } from '../../delivery/events/event-classes.ts';
import type { NextStep } from '../../delivery/next-step.ts';
import type { AnomalyPolicy } from '../../mapping/document/delivery-spec.ts';
import type { StoredRequest } from '../request.ts';
import type { SubjectStore } from './subject-store.ts';
import type { AuditedRow, LoadTables } from './subject-tables.ts';

const PHASES: readonly StopPhase[] = ['arrival', 'after', 'other'];

interface Audited {
  surprises: readonly Anomaly[];
  refusal: AnomalyCode | null;
}

/** An event that counts, under its request. */
interface Counted {
  seq: number;
  event: JourneyEvent;
}

/** Events under what they have in common, by their time and then in dispatch order. */
class EventsBy {
  readonly #events = new Map<string, Counted[]>();

  of = (key: string): readonly Counted[] => this.#events.get(key) ?? [];

  add(key: string, counted: Counted): void {
    const events = this.#events.get(key) ?? [];
    this.#events.set(key, events);
    events.splice(countUpTo(events, counted.event.atMs, counted.seq), 0, counted);
  }

  remove(key: string, { seq, event }: Counted): void {
    const events = this.#events.get(key) ?? [];
    const at = countUpTo(events, event.atMs, seq) - 1;
    if (events[at]?.seq === seq) events.splice(at, 1);
  }
}

/** How many of them come before this time, or at it with this number or a lower one. */
function countUpTo(events: readonly Counted[], atMs: number, seq: number): number {
  let [from, to] = [0, events.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const { event, seq: other } = events[middle] as Counted;
    if (event.atMs < atMs || (event.atMs === atMs && other <= seq)) from = middle + 1;
    else to = middle;
  }
  return from;
}

export class LoadJourney implements Journey {
  readonly #tables: LoadTables;
  readonly #store: SubjectStore;
  /** Under stop and phase, role, or resource; null until an event is checked. */
  #counted: EventsBy | null = null;
  /** The event that is being checked: read once. */
  #checked: { seq: number; event: JourneyEvent | null } | null = null;

  constructor(tables: LoadTables, store: SubjectStore) {
    this.#tables = tables;
    this.#store = store;
    tables.audited.watch((after, before) => {
      if (after === null)
        this.#counted = null; // rows go only all together
      else if (before?.known === 1) this.#each(before, (key, counted) => this.#counted?.remove(key, counted));
      if (after?.known === 1) this.#each(after, (key, counted) => this.#counted?.add(key, counted));
    });
  }

  /** Checks a request once, at its step; a second call finds nothing new. */
  classify(request: StoredRequest): Audited {
    const { seq, kind, body, generation, accepted_at_ms: acceptedAtMs } = request;
    if (this.#tables.audited.has(seq)) return NOTHING_NEW;
    const event = journeyEvent(kind, body);
    this.#checked = { seq, event };
    const policy: AnomalyPolicy = request.surprise_policy === null ? {} : JSON.parse(request.surprise_policy);
    const surprises = event === null ? [] : anomaliesOf(event, this, { acceptedAtMs, isRetry: generation > 1 }, policy);
    const refusal = refusalOf(surprises, policy, request.forced === 1);
    this.#tables.audited.put({ seq, known: refusal === null ? 1 : 2 });
    if (refusal === null) this.#meetStop(event);
    return { surprises, refusal };
  }

  #meetStop(event: JourneyEvent | null): void {
    const { stop_met: met } = this.#tables;
    if (event === null || event.stop === null || event.stopKey === null || met.has(event.stop)) return;
    if (met.size < STOPS_KNOWN_MAX) met.put({ stop: event.stop });
  }

  /** What was not applied says nothing about the journey; for a set, that goes for all of its points. */
  ended(seq: number, step: NextStep): void {
    const isRefused = step.state === 'rejected' || (step.state === 'dead' && step.outcome === 'not_applied');
    if (!isRefused) return;
    const { audited } = this.#tables;
    for (const each of [seq, ...this.#store.pointing(seq).map((point) => point.seq)]) {
      if (audited.get(each)?.known === 1) audited.patch(each, { known: 2 });
    }
  }

  first = (stopKey: string, phase: StopPhase): KnownEvent | null =>
    firstThat(this.#by(atStop(stopKey, phase)), this.#counts);

  latest(stopKey: string): KnownEvent | null {
    const last = PHASES.flatMap((phase) => lastThat(this.#by(atStop(stopKey, phase)), this.#counts) ?? []);
    return last.reduce<KnownEvent | null>((latest, each) => (latest && latest.atMs >= each.atMs ? latest : each), null);
  }

  firstOf = (role: StopRole): KnownEvent | null => firstThat(this.#by(ofRole(role)), this.#counts);

  stops = (): readonly number[] =>
    [...this.#tables.stop_met.values()].map(({ stop }) => stop).sort((one, other) => one - other);

  around({ resource, atMs }: Pick<JourneyEvent, 'resource' | 'atMs'>): readonly KnownEvent[] {
    const events = this.#by(ofResource(resource));
    const after = countUpTo(events, atMs, Number.POSITIVE_INFINITY);
    const neighbours = [lastThat(events, this.#counts, after), firstThat(events, this.#counts, after)];
    return neighbours.flatMap((each) => each ?? []);
  }

  #by(key: string): readonly Counted[] {
    if (this.#counted === null) {
      this.#counted = new EventsBy();
      for (const row of this.#tables.audited.values()) {
        if (row.known === 1) this.#each(row, (each, counted) => this.#counted?.add(each, counted));
      }
    }
    return this.#counted.of(key);
  }

  #each({ seq }: AuditedRow, note: (key: string, counted: Counted) => void): void {
    if (this.#counted === null) return;
    const event = this.#eventOf(seq);
    if (event === null) return;
    if (event.stopKey !== null && event.phase !== null) note(atStop(event.stopKey, event.phase), { seq, event });
    if (event.role !== null) note(ofRole(event.role), { seq, event });
    if (event.position !== null) note(ofResource(event.resource), { seq, event });
  }

  #eventOf(seq: number): JourneyEvent | null {
    if (this.#checked?.seq === seq) return this.#checked.event;
    const { kind, body } = this.#store.bySeq(seq);
    return journeyEvent(kind, body);
  }

  /** What was withdrawn before it was sent no longer counts; for points, the lead of their set decides. */
  #counts = ({ seq }: Counted): boolean => {
    const own = this.#store.bySeq(seq);
    return (this.#store.leadOf(own) ?? own).state !== 'cancelled';
  };
}

const NOTHING_NEW: Audited = { surprises: [], refusal: null };

const atStop = (stopKey: string, phase: StopPhase): string => `stop ${phase} ${stopKey}`;
const ofRole = (role: StopRole): string => `role ${role}`;
const ofResource = (resource: string): string => `resource ${resource}`;

function firstThat(events: readonly Counted[], counts: (each: Counted) => boolean, from = 0): KnownEvent | null {
  for (let at = from; at < events.length; at += 1) {
    const each = events[at] as Counted;
    if (counts(each)) return each.event;
  }
  return null;
}

function lastThat(
  events: readonly Counted[],
  counts: (each: Counted) => boolean,
  before = events.length,
): KnownEvent | null {
  for (let at = before - 1; at >= 0; at -= 1) {
    const each = events[at] as Counted;
    if (counts(each)) return each.event;
  }
  return null;
}

/** The earlier equal requests, in dispatch order; none for a request that is sent whatever was sent before. */
export function* equalsBefore(store: SubjectStore, seq: number): Iterable<EqualRequest> {
  const request = store.bySeq(seq);
  if (request.forced === 1) return;
  for (const earlier of store.equalTo(request.business_key)) {
    if (earlier >= seq) continue;
    const { state, outcome, ...row } = store.bySeq(earlier);
    if (state === 'duplicate' || state === 'rejected' || state === 'cancelled') continue; // never blocks an equal one
    const lead = row.into_seq === null ? null : store.bySeq(row.into_seq);
    yield { seq: earlier, state, outcome, into: lead && { state: lead.state, outcome: lead.outcome } };
  }
}
