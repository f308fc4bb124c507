/** What a subject stores of its requests, and what the Batch hands over: types and tables of every subject, no statements. */

import type { Evidence, RequestState, StateReason } from '../delivery/states.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { DeliveryRules } from '../mapping/document/delivery-spec.ts';
import type { RequestKind } from '../mapping/request.ts';

/* What a batch hands over to a load or an order, and who that is. Types only. */

export interface LoadIdentity extends PartnerScope {
  scac: string;
  loadNumber: string;
}

/** Orders are not named by SCAC: each operation brings its own. */
export interface OrderIdentity extends PartnerScope {
  orderRef: string;
}

/** What the Batch hands over. `key` is unique and the same on every rerun, so a repeat changes nothing. */
export interface DispatchedRequest {
  key: string;
  batchId: string;
  record: number;
  request: number;
  /** Counts from 1; a retry of the request is the next one, a request of its own in its subject. */
  generation: number;
  /** An earlier generation may have been applied after all. */
  mayHaveArrived: boolean;
  kind: RequestKind;
  scac: string;
  /** The channel it goes out on, by name. */
  channel: string;
  /** JSON text, sent byte for byte on every try; a trace's point is packed with others. */
  body: string;
  acceptedAtMs: number;
  /** Id of the partner's key it came with; null or absent: nobody said. */
  uploadedBy?: string | null;
  /** Sent as it happened; false for what comes from a file. */
  live: boolean;
  /** Sent on request whatever was sent before: it is never the duplicate of another. */
  forced: boolean;
  /** What its mapping asks of delivery; null: the usual, and what orders get. */
  rules: DeliveryRules | null;
}

/** What goes to one subject, and who that is. */
export interface DispatchedTo<Identity> {
  identity: Identity;
  requests: readonly DispatchedRequest[];
}

/** The orders of sending a subject knows; at most one request of each is on the wire. */
export type LaneName = 'milestones' | 'traces' | 'operations';

/**
 * A handed request with what its subject adds. `eventAtMs` orders the points of a trace; null for what is not packed.
 * `businessKey` is equal where requests say the same; null for what may rightly be said twice.
 */
export interface EnqueuedRequest extends DispatchedRequest {
  lane: LaneName;
  takenAtMs: number;
  deadlineMs: number;
  /** Until then it is tried again while its load is not known; null: not at all. */
  loadWaitUntilMs: number | null;
  eventAtMs: number | null;
  businessKey: string | null;
}

export type StoredRequest = {
  key: string;
  seq: number;
  lane: LaneName;
  batch_id: string;
  record: number;
  request: number;
  generation: number;
  kind: RequestKind;
  scac: string;
  channel: string;
  body: string;
  live: number;
  forced: number;
  business_key: string | null;
  accepted_at_ms: number;
  uploaded_by: string | null;
  taken_at_ms: number;
  deadline_ms: number;
  /** Its mapping asks that what may have arrived is not sent again by itself. */
  hold_unclear: number;
  load_wait_until_ms: number | null;
  /** Later ones of its lane do not pass it while it is undecided. */
  strict: number;
  /** JSON of what becomes of each kind of surprise; null: all are warnings. */
  surprise_policy: string | null;
  /** JSON of what was odd about it when its turn came; null: nothing, or its turn has not come. */
  surprises: string | null;
  event_at_ms: number | null;
  state: RequestState;
  /** The request it travels in or repeats, by its seq; the lead of a set names itself. */
  into_seq: number | null;
  /** The earlier request that says the same and was not final when this one's turn came. */
  awaits_seq: number | null;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  /** Only for `delivered`. */
  evidence: Evidence | null;
  at_ms: number | null;
  first_tried_at_ms: number | null;
  tries: number;
  /** Sendings; what only asks is not among them. */
  attempts: number;
  had_unknown: number;
  possible_duplicate: number;
  late: number;
  revision: number;
  status: number | null;
  answer: string;
  decided_at_ms: number;
  /** Of an order's update: JSON of what it changes; NULL before that is known. */
  diff: string | null;
  /** What the upstream says of the operation, in its words; NULL where it said nothing. */
  action: string | null;
};

export type StoredAttempt = {
  seq: number;
  /** Counts from 1, whatever the purpose. */
  attempt: number;
  /** `check` looks up what an earlier sending did, `precheck` what stood there before the first; `status` asks what became of one that was taken. */
  purpose: 'send' | 'check' | 'precheck' | 'status';
  started_at_ms: number;
  request_sha256: string;
  token_fingerprint: string | null;
  /** JSON array of the seqs whose points it carries; NULL when it carries its own request alone. */
  carries: string | null;
  /** NULL while the answer is awaited. Of a look-up: `answered` or `unanswered`. */
  effect: string | null;
  status: number | null;
  headers: string | null;
  body: string | null;
  body_end: string | null;
  /** `latin1` where the bytes were no UTF-8: one character per byte, so that nothing is lost. */
  body_encoding: string | null;
  detail: string | null;
  latency_ms: number | null;
};

export interface TimelineEntry {
  request: StoredRequest;
  attempts: StoredAttempt[];
}

/** Written as in the index, so that it is used. */
export const OPEN_LOOKUP = `effect IS NULL AND purpose <> 'send'`;

/** Not final. `held` is among them: a person may let it go again. */
export const OPEN_STATES = `('queued', 'sending', 'waiting', 'unknown', 'held')`;

/** Whether the earlier one that a request awaits is still open; a point is where its set is. */
export const AWAITS_EQUAL = `(request.awaits_seq IS NOT NULL AND EXISTS (
  SELECT 1 FROM request AS earlier LEFT JOIN request AS lead ON lead.seq = earlier.into_seq
  WHERE earlier.seq = request.awaits_seq AND coalesce(lead.state, earlier.state) IN ${OPEN_STATES}))`;
