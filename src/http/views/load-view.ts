/** A load's page → the API's shape, which the console shows, too. Pure. */

import { type SurpriseWords, surpriseWords } from '../../delivery/events/surprise-words.ts';
import type { Evidence, RequestState, StateReason } from '../../delivery/states.ts';
import type { RequestKind } from '../../mapping/request.ts';
import type { LoadAttempt, LoadCounts, LoadEvent, LoadOrder, LoadPage } from '../../tracking/load-page.ts';
import { loadAddress, loadPagePath, type Reader, rowLinks } from '../edge/reader.ts';
import { writeMark } from './load-query.ts';

/** Where a row is found: in the API and on the page of its batch. */
export interface RowPlaceView {
  batchId: string;
  record: number;
  request: number;
  links: { batch: string; row: string; console: string };
}

export interface LoadEventView {
  kind: RequestKind;
  what: string | null;
  time: string | null;
  stop: number | null;
  place: string | null;
  position: LoadEvent['position'];
  state: RequestState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  evidence: Evidence | null;
  status: number | null;
  answer: string;
  attempts: number;
  /** The newest of them, oldest first. */
  tries: ReturnType<typeof tryView>[];
  late: boolean;
  possibleDuplicate: boolean;
  warnings: SurpriseWords[];
  from: RowPlaceView & { generation: number };
  /** The request it travels in (coalesced) or repeats (duplicate), and the state of that one. */
  into: (RowPlaceView & { state: RequestState | null }) | null;
  receivedAt: string | null;
  sentAt: string | null;
  nextAt: string | null;
  /** It is tried again because the receiving system does not know its load, until then. */
  waitsForLoadUntil: string | null;
  decidedAt: string | null;
  deadline: string | null;
  /** As it is mapped. */
  body: unknown;
}

export interface LoadView {
  loadNumber: string;
  scac: string;
  environment: string;
  order: LoadOrder;
  /** Of the whole load; null on any page but the first. */
  counts: LoadCountsView | null;
  notes: string[];
  events: LoadEventView[];
  next: string | null;
  links: { self: string; csv: string; console: string; otherOrder: string };
}

/** What the page of a load is given: with whoever reads it. */
export type LoadPageView = LoadView & { reader: Reader };

export type LoadCountsView = Omit<LoadCounts, 'firstEventMs' | 'lastEventMs'> & {
  firstEventAt: string | null;
  lastEventAt: string | null;
};

export function loadView(
  reader: Reader,
  { identity, counts, events, next }: LoadPage,
  { order, limit }: { order: LoadOrder; limit: number },
): LoadView {
  const { loadNumber, scac, environment } = identity;
  const at = (more: Record<string, string>, ending = ''): string => loadAddress(reader, identity, more, ending);
  return {
    loadNumber,
    scac,
    environment,
    order,
    counts: counts && countsView(counts),
    notes: counts === null ? [] : notesOf(counts),
    events: events.map((event) => eventView(reader, event)),
    next: next === null ? null : at({ order, limit: String(limit), cursor: writeMark(order, next) }),
    links: {
      self: at({ order }),
      csv: at({ order }, '.csv'),
      console: loadPagePath(reader, identity),
      otherOrder: at({ order: order === 'event' ? 'sent' : 'event' }),
    },
  };
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const countsView = ({ firstEventMs, lastEventMs, ...counts }: LoadCounts): LoadCountsView => ({
  ...counts,
  firstEventAt: iso(firstEventMs),
  lastEventAt: iso(lastEventMs),
});

const notesOf = ({ waitingForLoad }: LoadCounts): string[] =>
  waitingForLoad === 0
    ? []
    : [
        `The receiving system does not know this load yet: ${waitingForLoad === 1 ? 'one event waits' : `${waitingForLoad} events wait`} for it, and what stands behind on the load waits, too. Each is tried again by itself until the time that its mapping sets.`,
      ];

export const rowPlace = (reader: Reader, batchId: string, record: number, request: number): RowPlaceView => ({
  ...{ batchId, record, request },
  links: rowLinks(reader, batchId, record),
});

export function eventView(reader: Reader, event: LoadEvent): LoadEventView {
  const { outcome: told, batchId } = event;
  const { into } = told;
  return {
    kind: event.kind,
    what: event.what,
    time: event.time,
    stop: event.stop,
    place: event.place,
    position: event.position,
    state: told.state,
    reason: told.reason,
    outcome: told.outcome,
    evidence: told.evidence,
    status: told.status,
    answer: told.answer,
    attempts: told.attempts,
    tries: event.tries.map(tryView),
    late: told.late,
    possibleDuplicate: told.possibleDuplicate,
    warnings: event.surprises.map(surpriseWords),
    from: { ...rowPlace(reader, batchId, told.record, told.request), generation: told.generation },
    into: into && { ...rowPlace(reader, into.batchId, into.record, into.request), state: told.intoState },
    receivedAt: iso(event.acceptedAtMs),
    sentAt: iso(event.sentAtMs),
    nextAt: iso(told.nextAtMs),
    waitsForLoadUntil: iso(event.waitsForLoadUntilMs),
    decidedAt: iso(told.decidedAtMs || null),
    deadline: iso(event.deadlineMs),
    body: JSON.parse(event.body) as unknown,
  };
}

const tryView = (attempt: LoadAttempt) => ({
  attempt: attempt.attempt,
  startedAt: iso(attempt.started_at_ms),
  effect: attempt.effect,
  status: attempt.status,
  /** Its head, or what happened instead of one. */
  answer: attempt.answer ?? attempt.detail ?? '',
  latencyMs: attempt.latency_ms,
});
