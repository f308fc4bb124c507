/** Which ended requests a retry sends again. Never one that is delivered, duplicate or open. Pure. */
import type { RequestKind } from '../mapping/request.ts';
import type { RequestState, StateReason } from './states.ts';

/** A coalesced request counts with the state of the one it travelled in. */
export const RETRIABLE_STATES = ['rejected', 'dead', 'cancelled'] as const;
export type RetriableState = (typeof RETRIABLE_STATES)[number];

export interface EndedRequest {
  kind: RequestKind;
  state: RetriableState;
  reason: StateReason | null;
  /** It, or an earlier generation, was given up without a clear answer. */
  mayHaveArrived: boolean;
}

/** @property includeUnknown also what may have arrived: it may then arrive twice. */
export interface RetryWanted {
  states: readonly RetriableState[];
  includeUnknown: boolean;
}

/** Why an ended request of a wanted state is not sent again. */
export type LeftOut =
  /** Only on request: it may arrive twice. */
  | 'may_have_arrived'
  /** Its order exists with other content; a retry would meet the same conflict. */
  | 'order_exists'
  /** A second order would be real freight at a real door: a person looks it up first. */
  | 'order_may_exist';

type RetryClass = 'retried' | 'not_wanted' | LeftOut;

export function retryOf({ kind, state, reason, mayHaveArrived }: EndedRequest, wanted: RetryWanted): RetryClass {
  if (!wanted.states.includes(state)) return 'not_wanted';
  if (reason === 'order_exists') return 'order_exists';
  if (!mayHaveArrived) return 'retried';
  if (kind === 'order.create' || kind === 'order.upsert') return 'order_may_exist';
  return wanted.includeUnknown ? 'retried' : 'may_have_arrived';
}

/* Which requests a cancelled batch can still withdraw. */

/**
 * `queued` has not left; `waiting` is known not to be applied, whatever was tried. Requests being sent, unknown or held
 * go on: they may have arrived, and calling them withdrawn would be a lie.
 */
export const WITHDRAWABLE_STATES: readonly RequestState[] = ['queued', 'waiting'];

export const isWithdrawable = (state: RequestState): boolean => WITHDRAWABLE_STATES.includes(state);
