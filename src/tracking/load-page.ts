/** All requests of a load, page by page, in the order of its events or of their sending. SQL and plain translation. */

import type { Anomaly } from '../delivery/events/anomalies.ts';
import type { RequestOutcome } from '../delivery/outcome.ts';
import type { RequestState } from '../delivery/states.ts';
import { ANSWER_HEAD_CHARACTERS_MAX, LOAD_ATTEMPTS_SHOWN_MAX } from '../kernel/limits.ts';
import type { RequestKind } from '../mapping/request.ts';
import { type LoadIdentity, OPEN_STATES, type StoredAttempt, type StoredRequest } from './request.ts';
import type { LoadJourney } from './store/load-events.ts';
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
/** When a request was first sent, or the one it travels in. */
const SENT_MS = `coalesce(CASE request.state WHEN 'coalesced' THEN lead.first_tried_at_ms ELSE request.first_tried_at_ms END, ${NEVER_MS})`;
const JOINED = 'request JOIN event USING (seq) LEFT JOIN request AS lead ON lead.seq = request.into_seq';
const SHOWN = `request.*, event.at_ms AS event_ms, event.what, event.time, event.stop, event.place, event.latitude, event.longitude`;
const PAGES: Record<LoadOrder, string> = {
  event: `SELECT ${SHOWN}, event.at_ms AS page_ms FROM event CROSS JOIN request USING (seq)
    WHERE (event.at_ms, event.seq) > (?1, ?2) ORDER BY event.at_ms, event.seq LIMIT ?3`,
  sent: `SELECT ${SHOWN}, ${SENT_MS} AS page_ms FROM ${JOINED}
    WHERE (page_ms, request.seq) > (?1, ?2) ORDER BY page_ms, request.seq LIMIT ?3`,
};
const WAITS_FOR_LOAD = `reason = 'load_unknown' AND state IN ${OPEN_STATES}`;
const NOTIFIED = (column: string): string =>
  `CASE request.state WHEN 'coalesced' THEN lead.${column} ELSE request.${column} END`;

type PageRow = StoredRequest & {
  page_ms: number;
  what: string | null;
  time: string | null;
  stop: number | null;
  place: string | null;
  latitude: number | null;
  longitude: number | null;
};

export class LoadPages {
  readonly #sql: SqlStorage;
  readonly #store: SubjectStore;
  readonly #journey: LoadJourney;

  constructor(sql: SqlStorage, store: SubjectStore, journey: LoadJourney) {
    this.#sql = sql;
    this.#store = store;
    this.#journey = journey;
  }

  page({ order, after, limit }: LoadPageQuery): LoadPage | null {
    const identity = this.#store.identity() as LoadIdentity | undefined;
    if (identity === undefined) return null;
    this.#journey.fill();
    const from = after ?? { atMs: Number.MIN_SAFE_INTEGER, seq: 0 };
    const rows = this.#sql.exec<PageRow>(PAGES[order], from.atMs, from.seq, limit).toArray();
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      identity,
      counts: after === null ? this.#counts() : null,
      events: this.#events(rows),
      next: last === undefined ? null : { atMs: last.page_ms, seq: last.seq },
    };
  }

  #events(rows: readonly PageRow[]): LoadEvent[] {
    const tries = Map.groupBy(this.#tries(rows.map(({ seq }) => seq)), ({ seq }) => seq);
    const leads = new Map<number, StoredRequest>();
    const leadOf = (seq: number): StoredRequest => {
      const lead = leads.get(seq) ?? this.#store.bySeq(seq);
      leads.set(seq, lead);
      return lead;
    };
    return rows.map((row) => {
      const lead = row.into_seq === null || row.into_seq === row.seq ? null : leadOf(row.into_seq);
      return eventOf(row, lead, tries.get(row.seq) ?? []);
    });
  }

  #tries(seqs: readonly number[]): (LoadAttempt & { seq: number })[] {
    return this.#sql
      .exec<LoadAttempt & { seq: number }>(
        `SELECT seq, attempt, purpose, started_at_ms, effect, status, detail, latency_ms, substr(body, 1, ?2) AS answer
         FROM (SELECT *, row_number() OVER (PARTITION BY seq ORDER BY attempt DESC) AS back FROM attempt
               WHERE seq IN (SELECT value FROM json_each(?1)))
         WHERE back <= ?3 ORDER BY seq, attempt`,
        JSON.stringify(seqs),
        ANSWER_HEAD_CHARACTERS_MAX,
        LOAD_ATTEMPTS_SHOWN_MAX,
      )
      .toArray();
  }

  #counts(): LoadCounts {
    const told = this.#sql
      .exec<Omit<LoadCounts, 'states'>>(
        `SELECT count(*) AS events, coalesce(sum(request.lane = 'milestones'), 0) AS milestones,
           coalesce(sum(request.lane = 'traces'), 0) AS positions, coalesce(sum(${NOTIFIED('late')}), 0) AS late,
           coalesce(sum(${NOTIFIED('possible_duplicate')}), 0) AS possibleDuplicates,
           count(request.surprises) AS warned,
           (SELECT count(*) FROM request WHERE ${WAITS_FOR_LOAD}) AS waitingForLoad,
           min(event.at_ms) AS firstEventMs, max(event.at_ms) AS lastEventMs FROM ${JOINED}`,
      )
      .one();
    const states = this.#sql
      .exec<{ state: RequestState; requests: number }>(
        `SELECT ${NOTIFIED('state')} AS state, count(*) AS requests
         FROM request LEFT JOIN request AS lead ON lead.seq = request.into_seq GROUP BY 1 ORDER BY 1`,
      )
      .toArray();
    return { ...told, states: Object.fromEntries(states.map(({ state, requests }) => [state, requests])) };
  }
}

function eventOf(
  row: PageRow,
  lead: StoredRequest | null,
  tries: readonly (LoadAttempt & { seq: number })[],
): LoadEvent {
  const told = row.state === 'coalesced' && lead !== null ? lead : row;
  const { latitude, longitude } = row;
  const isOpen = told.state === 'waiting' || told.state === 'unknown';
  return {
    batchId: row.batch_id,
    kind: row.kind,
    what: row.what,
    time: row.time,
    stop: row.stop,
    place: row.place,
    position: latitude === null || longitude === null ? null : { latitude, longitude },
    body: row.body,
    outcome: outcomeOf(row, lead),
    surprises: anomaliesIn(row.surprises),
    tries: tries.map(({ seq: _, ...attempt }) => attempt),
    acceptedAtMs: row.accepted_at_ms,
    sentAtMs: told.first_tried_at_ms,
    deadlineMs: told.deadline_ms,
    waitsForLoadUntilMs: isOpen && told.reason === 'load_unknown' ? told.load_wait_until_ms : null,
  };
}
