/**
 * The tables of a load and of an order, in their journal. The order of tables and of columns is stored: new ones are
 * added at the end, none is removed or moved.
 */

import { requestKey } from '../../kernel/names.ts';
import { RowJournal, type Rows, STORED, type TableForm } from '../../kernel/row-journal.ts';
import type { StoredAttempt, StoredDecision, StoredRequest } from '../request.ts';

/** Versions of these tables: of the last migration step of their class. */
export const LOAD_VERSION = 1;
export const ORDER_VERSION = 1;

interface IdentityRow {
  id: 1;
  /** JSON of who it is. */
  named: string;
}

const IDENTITY: TableForm<IdentityRow> = {
  name: 'identity',
  keyOf: ({ id }) => id,
  columns: { id: 1, named: STORED },
};

const REQUEST: TableForm<StoredRequest> = {
  name: 'request',
  keyOf: ({ seq }) => seq,
  columns: {
    seq: STORED,
    key: ({ batch_id, record, request, generation }) => requestKey(batch_id, record, request, generation),
    lane: 'milestones',
    batch_id: STORED,
    record: STORED,
    request: 1,
    generation: 1,
    kind: 'milestone',
    scac: STORED,
    channel: STORED,
    body: STORED,
    live: 0,
    forced: 0,
    business_key: null,
    accepted_at_ms: STORED,
    uploaded_by: null,
    taken_at_ms: STORED,
    deadline_ms: STORED,
    hold_unclear: 0,
    load_wait_until_ms: null,
    strict: 0,
    surprise_policy: null,
    surprises: null,
    event_at_ms: null,
    state: 'queued',
    into_seq: null,
    awaits_seq: null,
    reason: null,
    outcome: null,
    evidence: null,
    at_ms: null,
    first_tried_at_ms: null,
    tries: 0,
    attempts: 0,
    had_unknown: 0,
    possible_duplicate: 0,
    late: 0,
    revision: 0,
    status: null,
    answer: '',
    decided_at_ms: 0,
    diff: null,
    action: null,
  },
};

const ATTEMPT: TableForm<StoredAttempt> = {
  name: 'attempt',
  keyOf: ({ seq, attempt }) => attemptKey(seq, attempt),
  columns: {
    seq: STORED,
    attempt: 1,
    purpose: 'send',
    started_at_ms: STORED,
    request_sha256: STORED,
    token_fingerprint: null,
    carries: null,
    effect: null,
    status: null,
    headers: null,
    body: null,
    body_end: null,
    body_encoding: null,
    detail: null,
    latency_ms: null,
  },
};
export const attemptKey = (seq: number, attempt: number): string => `${seq}/${attempt}`;

/** An outcome that its batch has not confirmed. */
interface OutboxRow {
  seq: number;
  revision: number;
}

const OUTBOX: TableForm<OutboxRow> = {
  name: 'outbox',
  keyOf: ({ seq }) => seq,
  columns: { seq: STORED, revision: STORED },
};

const DECISION: TableForm<StoredDecision> = {
  name: 'decision',
  keyOf: ({ id }) => id,
  columns: {
    id: STORED,
    seq: STORED,
    at_ms: STORED,
    who: STORED,
    name: STORED,
    why: STORED,
    decision: STORED,
    order_id: null,
    outcome: null,
    before: STORED,
    after: STORED,
  },
};

/** What loads and orders share. */
export interface SubjectTables {
  journal: RowJournal;
  identity: Rows<IdentityRow>;
  request: Rows<StoredRequest>;
  attempt: Rows<StoredAttempt>;
  outbox: Rows<OutboxRow>;
  decision: Rows<StoredDecision>;
}

function subjectTables(sql: SqlStorage, version: number): SubjectTables {
  const journal = new RowJournal(sql, version);
  return {
    journal,
    identity: journal.table(IDENTITY),
    request: journal.table(REQUEST),
    attempt: journal.table(ATTEMPT),
    outbox: journal.table(OUTBOX),
    decision: journal.table(DECISION),
  };
}

/* Of a load. */

/**
 * `set_no` and `part`: the position of a set in its lane; a half keeps the number and begins at its own point.
 */
export interface TraceSet {
  seq: number;
  set_no: number;
  part: number;
  points: number;
  overflowed: number;
  body: string;
}

const TRACE_SET: TableForm<TraceSet> = {
  name: 'trace_set',
  keyOf: ({ seq }) => seq,
  columns: { seq: STORED, set_no: STORED, part: 0, points: STORED, overflowed: 0, body: STORED },
};

/** A batch that has dispatched its last record. */
interface ReleasedRow {
  batch_id: string;
}

const RELEASED: TableForm<ReleasedRow> = {
  name: 'released',
  keyOf: ({ batch_id }) => batch_id,
  columns: { batch_id: STORED },
};

/** Of an event that was checked: 1 while it counts, 2 where it was not applied. */
export interface AuditedRow {
  seq: number;
  known: 1 | 2;
}

const AUDITED: TableForm<AuditedRow> = {
  name: 'audited',
  keyOf: ({ seq }) => seq,
  columns: { seq: STORED, known: 1 },
};

/** A stop that an event of the load has named. */
interface StopRow {
  stop: number;
}

const STOP_MET: TableForm<StopRow> = { name: 'stop_met', keyOf: ({ stop }) => stop, columns: { stop: STORED } };

export interface LoadTables extends SubjectTables {
  trace_set: Rows<TraceSet>;
  released: Rows<ReleasedRow>;
  audited: Rows<AuditedRow>;
  stop_met: Rows<StopRow>;
}

export function loadTables(sql: SqlStorage): LoadTables {
  const shared = subjectTables(sql, LOAD_VERSION);
  const { journal } = shared;
  return {
    ...shared,
    trace_set: journal.table(TRACE_SET),
    released: journal.table(RELEASED),
    audited: journal.table(AUDITED),
    stop_met: journal.table(STOP_MET),
  };
}

/* Of an order. */

/** `seq` is the operation that made it; `document` the exact body. */
export interface AcceptedOrder {
  seq: number;
  incarnation: number;
  order_id: string;
  document: string;
  scac: string;
  accepted_at_ms: number;
}

const ACCEPTED: TableForm<AcceptedOrder> = {
  name: 'accepted',
  keyOf: ({ seq }) => seq,
  columns: {
    seq: STORED,
    incarnation: 1,
    order_id: STORED,
    document: STORED,
    scac: STORED,
    accepted_at_ms: STORED,
  },
};

/** An operation that was accepted, and not done after all. */
interface RefusedOperation {
  seq: number;
}

const REFUSED_OPERATION: TableForm<RefusedOperation> = {
  name: 'refused_operation',
  keyOf: ({ seq }) => seq,
  columns: { seq: STORED },
};

/** The cancel `seq` that ended an incarnation was accepted. */
interface EndedIncarnation {
  incarnation: number;
  seq: number;
  ended_at_ms: number;
}

const ENDED: TableForm<EndedIncarnation> = {
  name: 'ended',
  keyOf: ({ incarnation }) => incarnation,
  columns: { incarnation: STORED, seq: STORED, ended_at_ms: STORED },
};

/** An id that existed under the reference before the create `seq` was sent. */
interface ForeignOrder {
  order_id: string;
  seq: number;
}

const FOREIGN_ORDER: TableForm<ForeignOrder> = {
  name: 'foreign_order',
  keyOf: ({ order_id }) => order_id,
  columns: { order_id: STORED, seq: STORED },
};

/** A document that an operator stated. `after_seq`: the last operation at the time. */
export interface LoadedBase {
  number: number;
  after_seq: number;
  incarnation: number;
  order_id: string;
  document: string;
  loaded_at_ms: number;
  /** Id of the operator's key; `author` is its holder's name. */
  key_id: string;
  author: string;
  why: string;
  /** JSON of what it changed; null where nothing was known. */
  diff: string | null;
}

const LOADED_BASE: TableForm<LoadedBase> = {
  name: 'loaded_base',
  keyOf: ({ number }) => number,
  columns: {
    number: STORED,
    after_seq: STORED,
    incarnation: STORED,
    order_id: STORED,
    document: STORED,
    loaded_at_ms: STORED,
    key_id: STORED,
    author: STORED,
    why: STORED,
    diff: null,
  },
};

/** What an operation does, as planned at its first step. */
export interface StoredOperation {
  seq: number;
  does: 'create' | 'update' | 'cancel';
  /** null for a create: known when it is accepted. */
  incarnation: number | null;
  order_id: string | null;
  /** Sent byte for byte on every try; '' for a cancel. */
  body: string;
  /** What the order becomes when it is accepted; null for a cancel. */
  document: string | null;
  /** JSON: the differences to count. */
  lines: string | null;
}

const OPERATION: TableForm<StoredOperation> = {
  name: 'operation',
  keyOf: ({ seq }) => seq,
  columns: { seq: STORED, does: STORED, incarnation: null, order_id: null, body: '', document: null, lines: null },
};

/** A difference of a line that was counted, by the operation `seq`. */
interface CountedRow {
  incarnation: number;
  line: string;
  amount: number;
  seq: number;
}

export const countedKey = (incarnation: number, line: string): string => `${incarnation}/${line}`;
const COUNTED_DELTA: TableForm<CountedRow> = {
  name: 'counted_delta',
  keyOf: ({ incarnation, line }) => countedKey(incarnation, line),
  columns: { incarnation: STORED, line: STORED, amount: STORED, seq: STORED },
};

/** An operation whose status is still to be queried. */
export interface FollowedRow {
  seq: number;
  order_id: string;
  does: 'create' | 'update' | 'cancel';
  at_ms: number;
}

const FOLLOWED: TableForm<FollowedRow> = {
  name: 'followed',
  keyOf: ({ seq }) => seq,
  columns: { seq: STORED, order_id: STORED, does: STORED, at_ms: STORED },
};

/** `seq` of the feed's log; `place` is JSON; `corrects` the seq of an earlier one that is read again. */
export interface OrderStatusRow {
  seq: number;
  hash: string;
  order_id: string | null;
  code: string;
  at_ms: number;
  level: 'milestone' | 'detail';
  place: string;
  learned_at_ms: number;
  corrects: number | null;
}

const ORDER_STATUS: TableForm<OrderStatusRow> = {
  name: 'order_status',
  keyOf: ({ seq }) => seq,
  columns: {
    seq: STORED,
    hash: STORED,
    order_id: null,
    code: STORED,
    at_ms: STORED,
    level: STORED,
    place: STORED,
    learned_at_ms: STORED,
    corrects: null,
  },
};

/**
 * Whose the order is, from the first document that says so. `since_ms`: when the first operation came in that its feed
 * was not notified of; `told`: what the feed knows, as confirmed at `heard_at_ms`; `told_at_ms`: time of the last
 * notification.
 */
interface FeedLink {
  id: 1;
  pair: string;
  taken_at_ms: number;
  since_ms: number;
  told: 'open' | 'none' | null;
  told_at_ms: number;
  heard_at_ms: number;
}

const FEED_LINK: TableForm<FeedLink> = {
  name: 'feed_link',
  keyOf: ({ id }) => id,
  columns: { id: 1, pair: STORED, taken_at_ms: STORED, since_ms: STORED, told: null, told_at_ms: 0, heard_at_ms: 0 },
};

export interface OrderTables extends SubjectTables {
  accepted: Rows<AcceptedOrder>;
  refused_operation: Rows<RefusedOperation>;
  ended: Rows<EndedIncarnation>;
  foreign_order: Rows<ForeignOrder>;
  loaded_base: Rows<LoadedBase>;
  operation: Rows<StoredOperation>;
  counted_delta: Rows<CountedRow>;
  followed: Rows<FollowedRow>;
  order_status: Rows<OrderStatusRow>;
  feed_link: Rows<FeedLink>;
}

export function orderTables(sql: SqlStorage): OrderTables {
  const shared = subjectTables(sql, ORDER_VERSION);
  const { journal } = shared;
  return {
    ...shared,
    accepted: journal.table(ACCEPTED),
    refused_operation: journal.table(REFUSED_OPERATION),
    ended: journal.table(ENDED),
    foreign_order: journal.table(FOREIGN_ORDER),
    loaded_base: journal.table(LOADED_BASE),
    operation: journal.table(OPERATION),
    counted_delta: journal.table(COUNTED_DELTA),
    followed: journal.table(FOLLOWED),
    order_status: journal.table(ORDER_STATUS),
    feed_link: journal.table(FEED_LINK),
  };
}
