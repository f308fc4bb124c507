/**
 * What a subject stores of its requests, and what the Batch dispatches: types.
 */

import type { Decision } from '../delivery/decisions.ts';
import type { RequestOutcome } from '../delivery/outcome.ts';
import type { Evidence, RequestState, StateReason } from '../delivery/states.ts';
import type { OfForm } from '../kernel/forms.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { Usage } from '../kernel/usage.ts';
import type { DeliveryRules } from '../mapping/document/delivery-spec.ts';
import type { RequestKind } from '../mapping/request.ts';

/* What a batch dispatches to a load or an order, and how that is identified. */

export interface LoadIdentity extends PartnerScope {
  scac: string;
  loadNumber: string;
}

/** Orders are not named by SCAC: each operation has its own. */
export interface OrderIdentity extends PartnerScope {
  orderRef: string;
}

/** What the Batch dispatches. `key` is unique and the same on every rerun, so a repeat changes nothing. */
export interface DispatchedRequest {
  key: string;
  batchId: string;
  record: number;
  request: number;
  /** Counts from 1; a retry is the next generation, a request of its own in its subject. */
  generation: number;
  /** An earlier generation may have been applied. */
  mayHaveArrived: boolean;
  kind: RequestKind;
  scac: string;
  /** Name of the channel it is sent on. */
  channel: string;
  /** JSON text, sent byte for byte on every try; a trace's point is packed with others. */
  body: string;
  acceptedAtMs: number;
  /** Id of the partner's key it came with; null or absent: not known. */
  uploadedBy?: string | null;
  /** Reported as it happened; false for what comes from a file. */
  live: boolean;
  /** Sent on request whatever was sent before: it never counts as a duplicate. */
  forced: boolean;
  /** Delivery rules of its mapping; null: the defaults, and always for orders. */
  rules: DeliveryRules | null;
}

/** The requests for one subject, and its identity. */
export interface DispatchedTo<Identity> {
  identity: Identity;
  requests: readonly DispatchedRequest[];
}

/** What a batch brings on a visit. */
export interface Parcel<Identity> extends DispatchedTo<Identity>, OfForm {
  batchId: string;
  /** No more positions of the batch come for this load: they need not wait for others. */
  isLast: boolean;
  /** The batch calls again when the load's retention may be over: it needs no alarm for that. Absent: it does not. */
  endsLoads?: true;
}

/** What a visit comes to, as far as its batch is concerned. */
export interface VisitReport extends OfForm {
  /** What the batch was not known to have stored; anything later is reported by the subject itself. */
  outcomes: RequestOutcome[];
  /** Names these outcomes, for `settled`; null: there are none. */
  receipt: string | null;
  /** Since it reported last, to whichever batch. Absent: a release that does not count. */
  usage?: Usage;
}

/** The lanes of a subject; at most one request of each is on the wire. */
export type LaneName = 'milestones' | 'traces' | 'operations';

/**
 * A dispatched request with what its subject adds. `eventAtMs` orders the points of a trace; null for what is not
 * packed. `businessKey` is equal where requests report the same event; null for what may be repeated.
 */
export interface EnqueuedRequest extends DispatchedRequest {
  lane: LaneName;
  takenAtMs: number;
  deadlineMs: number;
  /** Until then it is retried while the upstream does not know its load; null: not at all. */
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
  /** Its mapping wants that what may have arrived is not resent automatically. */
  hold_unclear: number;
  load_wait_until_ms: number | null;
  /** Later ones of its lane do not overtake it while it is undecided. */
  strict: number;
  /** JSON: how each kind of anomaly is treated; null: all are warnings. */
  surprise_policy: string | null;
  /** JSON of its anomalies, found at its step; null: none, or not yet checked. */
  surprises: string | null;
  event_at_ms: number | null;
  state: RequestState;
  /** Seq of the request it travels in or repeats; the lead of a set names itself. */
  into_seq: number | null;
  /** Seq of the earlier equal request that was not final at this one's step. */
  awaits_seq: number | null;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  /** Only for `delivered`. */
  evidence: Evidence | null;
  at_ms: number | null;
  first_tried_at_ms: number | null;
  tries: number;
  /** Sendings; lookups do not count. */
  attempts: number;
  had_unknown: number;
  possible_duplicate: number;
  late: number;
  revision: number;
  status: number | null;
  answer: string;
  decided_at_ms: number;
  /** For an order's update: JSON of what it changes; NULL until that is known. */
  diff: string | null;
  /** What the upstream reports of the operation, in its own text; NULL where it reported nothing. */
  action: string | null;
};

export type StoredAttempt = {
  seq: number;
  /** Counts from 1 over all purposes. */
  attempt: number;
  /**
   * `check` looks up what an earlier sending did, `precheck` what existed before the first; `status` queries what
   * became of an accepted one.
   */
  purpose: 'send' | 'check' | 'precheck' | 'status';
  started_at_ms: number;
  request_sha256: string;
  token_fingerprint: string | null;
  /** JSON array of the seqs whose points it carries; NULL: only its own request. */
  carries: string | null;
  /** NULL while the answer is awaited. For a lookup: `answered` or `unanswered`. */
  effect: string | null;
  status: number | null;
  headers: string | null;
  body: string | null;
  body_end: string | null;
  /** `latin1` where the bytes were not UTF-8: one character per byte, so that nothing is lost. */
  body_encoding: string | null;
  detail: string | null;
  latency_ms: number | null;
};

export interface TimelineEntry {
  request: StoredRequest;
  attempts: StoredAttempt[];
}

/** Not final. `held` is included: a person may release it. */
export const isOpen = (state: RequestState): boolean => OPEN_STATES.has(state);
const OPEN_STATES: ReadonlySet<RequestState> = new Set(['queued', 'sending', 'waiting', 'unknown', 'held']);

/** A decision of a person about a held request: an append-only audit. */
export type StoredDecision = {
  id: string;
  seq: number;
  at_ms: number;
  /** Id of the operator's key; `name` is its holder's name. */
  who: string;
  name: string;
  why: string;
  decision: Decision;
  order_id: string | null;
  outcome: 'not_applied' | 'unknown' | null;
  /** JSON of the request before and after it. */
  before: string;
  after: string;
};
