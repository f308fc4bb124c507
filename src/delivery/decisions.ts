/** What a person may decide about a held request. Pure. */

import { type Clock, scaledMs } from '../kernel/clock.ts';
import { DECIDED_DEADLINE_MS } from '../kernel/limits.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { RequestKind } from '../mapping/request.ts';
import { ORDER_ID_FORM } from '../upstream/contracts/bodies.ts';
import type { NextStep, StepDone } from './next-step.ts';
import type { RequestState, StateReason } from './states.ts';

export const DECISIONS = ['send_again', 'create_again', 'adopt_id', 'mark_delivered', 'close'] as const;
/**
 * `send_again`: the same bytes; it may then arrive twice. `create_again`: may create a second order. `adopt_id`: the
 * order exists, under an id that was looked up. `mark_delivered`: it arrived. `close`: given up, whatever became of it.
 */
export type Decision = (typeof DECISIONS)[number];

const AGAIN: readonly Decision[] = ['send_again', 'mark_delivered', 'close'];
const CREATE: readonly Decision[] = ['create_again', 'adopt_id', 'mark_delivered', 'close'];
/** The order was accepted: creating it again would certainly make a second one. */
const ACCEPTED: readonly Decision[] = CREATE.filter((decision) => decision !== 'create_again');

/** @param kind what was sent: `order.update` for an `order.upsert` that became an update. */
export function decisionsFor(kind: RequestKind, state: RequestState, reason: StateReason | null): readonly Decision[] {
  if (state !== 'held') return [];
  switch (kind) {
    case 'milestone':
    case 'loadMilestoneEvent':
    case 'trace':
    case 'order.update':
    case 'order.cancel':
      return AGAIN;
    case 'order.create':
    case 'order.upsert':
      return reason === 'order_id_missing' ? ACCEPTED : CREATE;
  }
}

/* What a decision about a held request leads to, or why it is not allowed. The object stores the result. */

/** @property version of the request, so that a decision based on an older version can be refused. */
export interface HeldRequest {
  kind: RequestKind;
  state: RequestState;
  reason: StateReason | null;
  tries: number;
  hadUnknown: boolean;
  version: string;
}

/**
 * @property seen the version the person looked at; null: any. orderId of the order that exists upstream. outcome of
 * what is closed, according to the person.
 */
export interface DecisionWanted {
  decision: Decision;
  seen: string | null;
  orderId: string | null;
  outcome: 'not_applied' | 'unknown' | null;
}

/** @property deadlineMs null: unchanged. */
interface HoldDecision {
  taken: StepDone;
  orderId: string | null;
  deadlineMs: number | null;
}

export type HoldDecisionRefusal =
  /** An answer, or another decision, came first. */
  | { code: 'not_held'; state: RequestState; reason: StateReason | null; version: string }
  | { code: 'moved_since'; state: RequestState; reason: StateReason | null; version: string }
  | { code: 'decision_not_open'; open: readonly Decision[] }
  | { code: 'order_id_wanted' }
  | { code: 'outcome_wanted' };

export function decide(
  held: HeldRequest,
  wanted: DecisionWanted,
  clock: Clock,
): Result<HoldDecision, HoldDecisionRefusal> {
  const { kind, state, reason, version } = held;
  if (state !== 'held') return err({ code: 'not_held', state, reason, version });
  if (wanted.seen !== null && wanted.seen !== version) return err({ code: 'moved_since', state, reason, version });
  const open = decisionsFor(kind, state, reason);
  if (!open.includes(wanted.decision)) return err({ code: 'decision_not_open', open });
  const hasOrderId = wanted.orderId !== null && ORDER_ID_FORM.test(wanted.orderId);
  if (wanted.decision === 'adopt_id' && !hasOrderId) return err({ code: 'order_id_wanted' });
  if (wanted.decision === 'close' && wanted.outcome === null) return err({ code: 'outcome_wanted' });
  const isAgain = wanted.decision === 'send_again' || wanted.decision === 'create_again';
  return ok({
    // The schedule starts again; what an earlier try may have done is not forgotten.
    taken: { tries: isAgain ? 0 : held.tries, hadUnknown: held.hadUnknown, step: stepOf(held, wanted, clock.nowMs()) },
    orderId: wanted.decision === 'adopt_id' ? wanted.orderId : null,
    deadlineMs: isAgain ? clock.nowMs() + scaledMs(DECIDED_DEADLINE_MS, clock) : null,
  });
}

function stepOf({ hadUnknown }: HeldRequest, { decision, outcome }: DecisionWanted, nowMs: number): NextStep {
  switch (decision) {
    case 'create_again':
      return { state: 'queued', atMs: nowMs };
    case 'send_again':
      // What may have arrived cannot be withdrawn as if it had never left.
      return { state: hadUnknown ? 'unknown' : 'queued', atMs: nowMs };
    case 'adopt_id':
    case 'mark_delivered':
      return { state: 'delivered', evidence: 'operator' };
    case 'close':
      return { state: 'dead', outcome: outcome ?? 'unknown', reason: 'closed' };
  }
}

/** What a person should do first, in one sentence. */
export function recommendation(kind: RequestKind, reason: StateReason | null): string {
  if (kind === 'order.create' || kind === 'order.upsert') {
    return reason === 'order_id_missing'
      ? 'The order was taken. Look its id up in the receiving system by the reference and enter it (adopt_id).'
      : 'Look the order up in the receiving system by its reference. If it is there, enter its id (adopt_id); only if it is certainly not there, create it again (create_again).';
  }
  if (kind === 'trace') {
    return 'Later positions supersede it: give it up (close, outcome unknown), unless the receiving system asks for it.';
  }
  return 'Ask the receiving system whether it has arrived. If so, mark it delivered (mark_delivered); if not, and the cause is mended, send it again (send_again).';
}
