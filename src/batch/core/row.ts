/** A row of a batch and its requests, as they are stored; and their running counts. Types only. */
import type { RecordState } from '../../delivery/outcome.ts';
import type { EndedRequest } from '../../delivery/retry.ts';
import type { Evidence, RequestState, StateReason } from '../../delivery/states.ts';
import type { RequestKind } from '../../mapping/request.ts';

/** An order that a row creates, or creates or changes, and how that stands. */
export interface MadeOrder {
  record: number;
  request: number;
  orderRef: string;
  state: RequestState;
}

/** What a page of them stopped at. */
export type MadeOrderCursor = Pick<MadeOrder, 'record' | 'request'>;

/** Ended requests that are judged alike. */
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
  /** Where it stands in the format's own words; NULL where lines say enough. */
  place: string | null;
  state: RecordState;
  problems: string | null;
  /** Number of the record that carries the requests of its group; NULL: it stands alone, or carries them itself. */
  group_record: number | null;
  /** `batch/record` of the row it replaces, as the file says. */
  replaces: string | null;
  /** JSON of the row that was delivered in its place; NULL: none was. */
  resolved_by: string | null;
  /** JSON of what was looked up for it; NULL: nothing. */
  looked_up: string | null;
};

export type StoredBatchRequest = {
  record: number;
  request: number;
  kind: RequestKind;
  subject: string;
  scac: string;
  body: string;
  /** Counts from 1; each retry is the next one. */
  generation: number;
  /** When this generation began; null for the first. */
  retried_at_ms: number | null;
  state: RequestState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  /** Only for `delivered`: what shows it. */
  evidence: Evidence | null;
  revision: number;
  attempts: number;
  status: number | null;
  answer: string | null;
  possible_duplicate: number;
  late: number;
  /** The request it travels in or repeats. */
  into_batch_id: string | null;
  into_record: number | null;
  into_request: number | null;
  into_state: RequestState | null;
  next_at_ms: number | null;
  decided_at_ms: number | null;
  /** Of an order's update: JSON of what it changes. */
  diff: string | null;
  /** What the upstream says of an order's operation. */
  action: string | null;
  /** When the message came in which it stands; null or absent: its batch says. */
  accepted_at_ms?: number | null;
  /** Id of the key it came with; null or absent: likewise. */
  uploaded_by?: string | null;
  /** JSON of what was odd about it beside the other events of its load; null: nothing. */
  surprises: string | null;
};

/** A load that got trace points of this batch. */
export type TracedLoad = { scac: string; subject: string };

/** Records and requests per state. Fold of what the rows say, kept as they change. */
export interface Tally {
  records: Partial<Record<RecordState, number>>;
  requests: Partial<Record<RequestState, number>>;
  /** Of the records, those in whose place another one was delivered; absent: none. */
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
