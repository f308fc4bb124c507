/** A row of a batch and its requests as they are stored, and their running counts. Types only. */
import type { RecordState } from '../../delivery/outcome.ts';
import type { EndedRequest } from '../../delivery/retry.ts';
import type { Evidence, RequestState, StateReason } from '../../delivery/states.ts';
import type { RequestKind } from '../../mapping/request.ts';

/** An order that a row creates or upserts, and its state. */
export interface MadeOrder {
  record: number;
  request: number;
  orderRef: string;
  state: RequestState;
}

/** Where a page of them ended. */
export type MadeOrderCursor = Pick<MadeOrder, 'record' | 'request'>;

/** Ended requests of the same classification. */
export interface EndedGroup extends EndedRequest {
  requests: number;
}

/** A row of a batch of the same partner. */
export interface RowLocation {
  batchId: string;
  record: number;
}

export type StoredRecord = {
  record: number;
  line: number;
  byte_from: number;
  byte_to: number;
  /** Its location in the format's own terms; NULL when lines suffice. */
  place: string | null;
  state: RecordState;
  problems: string | null;
  /** Number of the record that carries the requests of its group; NULL: it has no group, or carries them itself. */
  group_record: number | null;
  /** `batch/record` of the row it replaces, as the file says. */
  replaces: string | null;
  /** JSON of the row delivered in its place; NULL: none. */
  resolved_by: string | null;
  /** JSON of its lookups; NULL: none. */
  looked_up: string | null;
};

export type StoredBatchRequest = {
  record: number;
  request: number;
  kind: RequestKind;
  subject: string;
  scac: string;
  body: string;
  /** From 1; each retry adds one. */
  generation: number;
  /** When this generation began; null for the first. */
  retried_at_ms: number | null;
  state: RequestState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  /** Only for `delivered`. */
  evidence: Evidence | null;
  revision: number;
  attempts: number;
  status: number | null;
  answer: string | null;
  possible_duplicate: number;
  late: number;
  /** Batch of the request it travels in or repeats. */
  into_batch_id: string | null;
  into_record: number | null;
  into_request: number | null;
  into_state: RequestState | null;
  next_at_ms: number | null;
  decided_at_ms: number | null;
  /** Of an order's update: JSON of the changes. */
  diff: string | null;
  /** The upstream's word for an order's operation. */
  action: string | null;
  /** When its message was received; null or absent: as its batch. */
  accepted_at_ms?: number | null;
  /** Id of the key it came with; null or absent: as its batch. */
  uploaded_by?: string | null;
  /** JSON of its anomalies against the other events of its load; null: none. */
  surprises: string | null;
};

/** A load that received trace points of this batch. */
export type TracedLoad = { scac: string; subject: string };

/** Records and requests per state, updated as the rows change. */
export interface Tally {
  records: Partial<Record<RecordState, number>>;
  requests: Partial<Record<RequestState, number>>;
  /** Records in whose place another was delivered; absent: none. */
  resolved?: Partial<Record<RecordState, number>>;
}

export type EarlierRow = {
  record: number;
  request: number;
  generation: number;
  state: RequestState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  attempts: number;
  status: number | null;
  answer: string | null;
  decided_at_ms: number | null;
};
