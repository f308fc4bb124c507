import type { AnomalyCode } from './events/anomalies.ts';
import type { MergeRefusalCode } from './orders/merge-messages.ts';

/**
 * The states of a request. Each comment says who moves it next, on what, by when, and what a person reads meanwhile.
 */
export const REQUEST_STATES = [
  /** Dispatched. The subject lane's drain moves it when nothing before it blocks. "Waiting for its turn." */
  'queued',
  /**
   * Its attempt is committed and may be on the wire. The answer moves it; after a crash the next wake-up makes it
   * `unknown`. "Being sent."
   */
  'sending',
  /** Known not to be applied. The alarm at `nextAtMs` sends it again; past its deadline it becomes `dead`. "Will be tried again at …" */
  'waiting',
  /**
   * Sent, and no answer proves the effect. The alarm at `nextAtMs` sends it again, or looks it up if it created an
   * order, until its deadline. "May have arrived; again at …"
   */
  'unknown',
  /**
   * A person decides; nothing moves it automatically, and an order's later operations wait for it. "Needs a decision."
   */
  'held',
  /** A 2xx was seen, or the order was found, or a person says so; `evidence` says which. Final. "Delivered." */
  'delivered',
  /** The upstream refused it; a repeat cannot help. Final. "Refused: …" */
  'rejected',
  /** It travels in another request, named in the row. Follows that request. */
  'coalesced',
  /** Equal to an earlier request, named in the row. Final. */
  'duplicate',
  /** Withdrawn on request before it was sent, or while it was known not to be applied. Final. "Withdrawn." */
  'cancelled',
  /** Given up; `outcome` says whether it may have been applied. Final. "Given up after …" */
  'dead',
] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

const FINAL_STATES: ReadonlySet<RequestState> = new Set(['delivered', 'rejected', 'duplicate', 'cancelled', 'dead']);

/** Final states never change; a replay makes a new generation. */
export const isFinal = (state: RequestState): boolean => FINAL_STATES.has(state);

/** Why a request ended without a plain answer, or who must act. */
export type StateReason =
  | 'unknown_then_refused'
  | 'may_have_arrived'
  | 'load_unknown'
  | 'redirected'
  | 'closed'
  | 'deadline'
  | 'credentials_refused'
  | 'scac_refused'
  | 'upstream_unwell'
  | 'channel_missing'
  | 'not_sendable'
  | 'interrupted'
  | 'no_token'
  | 'set_refused'
  | 'create_unconfirmed'
  | 'order_id_missing'
  | 'order_exists'
  | 'ambiguous'
  | 'multiple'
  | 'not_found'
  | 'exhausted'
  | 'pre_check_failed'
  | 'base_unknown'
  | 'order_cancelled'
  | 'dependency'
  | 'order_id_unknown'
  | 'order_unknown_upstream'
  | 'earlier_unclear'
  | MergeRefusalCode
  | AnomalyCode;

/** What shows that a request was delivered: its own answer, an order found by its reference, or a person. */
export type Evidence = 'answer' | 'reconcile' | 'operator';
