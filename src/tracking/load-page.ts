/** All requests of a load, page by page, in the order of its events or of their sending. Plain translation. */

import { type Anomaly, type JourneyEvent, journeyEvent } from '../delivery/events/anomalies.ts';
import type { RequestOutcome } from '../delivery/outcome.ts';
import type { RequestState } from '../delivery/states.ts';
import { ANSWER_HEAD_CHARACTERS_MAX, LOAD_ATTEMPTS_SHOWN_MAX } from '../kernel/limits.ts';
import { headOf } from '../kernel/text.ts';
import type { RequestKind } from '../mapping/request.ts';
import { isOpen, type LoadIdentity, type StoredAttempt, type StoredRequest } from './request.ts';
import { anomaliesIn, outcomeOf } from './store/subject-rows.ts';
import type { SubjectStore } from './store/subject-store.ts';

export const LOAD_ORDERS = ['event', 'sent'] as const;
export type LoadOrder = (typeof LOAD_ORDERS)[number];

/** Where a page ends: the next one begins after it. */
export interface LoadCursor {
  atMs: number;
  seq: number;
}

export interface LoadPageQuery {
  order: LoadOrder;
  after: LoadCursor | null;
  limit: number;
}

/** @property status, answer of its last attempt; for a position, of the request it travelled in. */
export interface LoadEvent {
  batchId: string;
  kind: RequestKind;
  /** Its code, or `position`; null where it cannot be read. */
  what: string | null;
  /** As it is sent. */
  time: string | null;
  stop: number | null;
  place: string | null;
  position: { latitude: number; longitude: number } | null;
  body: string;
  outcome: RequestOutcome;
  surprises: Anomaly[];
  tries: LoadAttempt[];
  acceptedAtMs: number;
  sentAtMs: number | null;
  deadlineMs: number;
  /** Until then it is retried because the upstream does not know its load; null: it does not wait for that. */
  waitsForLoadUntilMs: number | null;
}

/** @property answer only its head. */
export type LoadAttempt = Pick<
  StoredAttempt,
  'attempt' | 'purpose' | 'started_at_ms' | 'effect' | 'status' | 'detail' | 'latency_ms'
> & { answer: string | null };

/** A position counts with the state of the request it travels in. */
export interface LoadCounts {
  events: number;
  milestones: number;
  positions: number;
  states: Partial<Record<RequestState, number>>;
  late: number;
  possibleDuplicates: number;
  warned: number;
  waitingForLoad: number;
  firstEventMs: number | null;
  lastEventMs: number | null;
}

/** @property counts of the whole load; null on any page but the first. */
export interface LoadPage {
  identity: LoadIdentity;
  counts: LoadCounts | null;
  events: LoadEvent[];
  next: LoadCursor | null;
}

/** What was never sent comes after all that was, in dispatch order. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;
/** A request with what it says, and where it stands on its page. */
interface Shown {
  row: StoredRequest;
  lead: StoredRequest | null;
  event: JourneyEvent | null;
  pageMs: number;
}

export class LoadPages {
  readonly #store: SubjectStore;

  constructor(store: SubjectStore) {
    this.#store = store;
  }

  page({ order, after, limit }: LoadPageQuery): LoadPage | null {
    const identity = this.#store.identity() as LoadIdentity | undefined;
    if (identity === undefined) return null;
    const from = after ?? { atMs: Number.MIN_SAFE_INTEGER, seq: 0 };
    const shown = [...this.#store.all()].map((row) => this.#shown(row, order));
    const rows = shown
      .filter(({ pageMs, row }) => pageMs > from.atMs || (pageMs === from.atMs && row.seq > from.seq))
      .sort((one, other) => one.pageMs - other.pageMs || one.row.seq - other.row.seq)
      .slice(0, limit);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      identity,
      counts: after === null ? countsOf(shown) : null,
      events: rows.map((each) => eventOf(each, this.#tries(each.row.seq))),
      next: last === undefined ? null : { atMs: last.pageMs, seq: last.row.seq },
    };
  }

  #shown(row: StoredRequest, order: LoadOrder): Shown {
    const lead = row.into_seq === row.seq ? null : this.#store.leadOf(row);
    const event = journeyEvent(row.kind, row.body);
    const sentMs = answeredIn({ row, lead }).first_tried_at_ms ?? NEVER_MS;
    return { row, lead, event, pageMs: order === 'sent' ? sentMs : (event?.atMs ?? row.accepted_at_ms) };
  }

  /** The newest of them, oldest first. */
  #tries = (seq: number): LoadAttempt[] =>
    this.#store
      .attemptsOf(seq)
      .slice(-LOAD_ATTEMPTS_SHOWN_MAX)
      .map(({ attempt, purpose, started_at_ms, effect, status, detail, latency_ms, body }) => ({
        ...{ attempt, purpose, started_at_ms, effect, status, detail, latency_ms },
        answer: body === null ? null : headOf(body, ANSWER_HEAD_CHARACTERS_MAX),
      }));
}

/** A position has the answer of the request it travels in. */
const answeredIn = ({ row, lead }: Pick<Shown, 'row' | 'lead'>): StoredRequest =>
  row.state === 'coalesced' && lead !== null ? lead : row;

function countsOf(shown: readonly Shown[]): LoadCounts {
  const count = (counts: (each: Shown) => boolean): number => shown.filter(counts).length;
  const times = shown.map(({ event, row }) => event?.atMs ?? row.accepted_at_ms);
  const states = Map.groupBy(shown, (each) => answeredIn(each).state);
  const byName = [...states].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    events: shown.length,
    milestones: count(({ row }) => row.lane === 'milestones'),
    positions: count(({ row }) => row.lane === 'traces'),
    late: count((each) => answeredIn(each).late === 1),
    possibleDuplicates: count((each) => answeredIn(each).possible_duplicate === 1),
    warned: count(({ row }) => row.surprises !== null),
    waitingForLoad: count(({ row }) => row.reason === 'load_unknown' && isOpen(row.state)),
    firstEventMs: times.length === 0 ? null : times.reduce((first, each) => Math.min(first, each)),
    lastEventMs: times.length === 0 ? null : times.reduce((last, each) => Math.max(last, each)),
    states: Object.fromEntries(byName.map(([state, each]) => [state, each.length])),
  };
}

function eventOf({ row, lead, event }: Shown, tries: LoadAttempt[]): LoadEvent {
  const answered = answeredIn({ row, lead });
  const isRetried = answered.state === 'waiting' || answered.state === 'unknown';
  return {
    batchId: row.batch_id,
    kind: row.kind,
    what: event?.what ?? null,
    time: event?.time ?? null,
    stop: event?.stop ?? null,
    place: event?.place ?? null,
    position: event?.position ?? null,
    body: row.body,
    outcome: outcomeOf(row, lead),
    surprises: anomaliesIn(row.surprises),
    tries,
    acceptedAtMs: row.accepted_at_ms,
    sentAtMs: answered.first_tried_at_ms,
    deadlineMs: answered.deadline_ms,
    waitsForLoadUntilMs: isRetried && answered.reason === 'load_unknown' ? answered.load_wait_until_ms : null,
  };
}
