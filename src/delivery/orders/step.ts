/**
 * What happens to an order's operations: which is next, whether it is sent at all, and what follows from an answer. Pure.
 *
 * A create is sent at most once unless it is proved not to be applied: a second order is real freight at a real door. What is
 * not proved is looked up (`reconcile.ts`). Updates and cancels may be repeated: what they do is decided in `plan.ts`.
 */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { ORDER_QUIET_MS } from '../../kernel/limits.ts';
import type { Observation } from '../../upstream/answer.ts';
import { ORDER_ID_FORM } from '../../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import { isEqual } from '../../upstream/contracts/order-difference.ts';
import { orderPairIn, withOrderPair } from '../../upstream/contracts/order-pair.ts';
import type { AttemptClass } from '../classify.ts';
import type { LaneRequest, Move } from '../drain.ts';
import { afterAttempt, type NextStep, type Past, type StepTaken } from '../next-step.ts';
import { firstCheck } from './reconcile.ts';

/** @param first the first operation that is not final: none passes another, and a held one keeps the later ones waiting. */
export function nextOperation(first: LaneRequest | undefined, nowMs: number): Move {
  switch (first?.state) {
    case 'sending':
      return { move: 'busy' };
    case 'queued':
    case 'waiting':
    case 'unknown': {
      if (nowMs > first.deadlineMs) return { move: 'expire', key: first.key };
      const dueMs = first.atMs ?? nowMs;
      return dueMs <= nowMs ? { move: 'send', key: first.key } : { move: 'wait', untilMs: dueMs, isBlocked: true };
    }
    default:
      return { move: 'idle' }; // nothing is open, or a person decides
  }
}

/** What a create would make; equal contents are one order. */
export interface OrderContent {
  scac: string;
  body: string;
}

/** @param existing what this order came into being with, if it has. */
export function beforeCreate(
  asked: OrderContent,
  existing: OrderContent | null,
): 'send' | 'duplicate' | 'order_exists' {
  if (existing === null) return 'send';
  const isSame = asked.body === existing.body || isSameButForPair(asked.body, existing.body);
  return isSame && asked.scac === existing.scac ? 'duplicate' : 'order_exists';
}

/** Whose it is may have been agreed between the two, and is written into orders from then on. */
function isSameButForPair(asked: string, existing: string): boolean {
  const [one, other] = [JSON.parse(asked), JSON.parse(existing)] as [object, object];
  const pair = orderPairIn(one) ?? orderPairIn(other);
  return pair !== null && isEqual(withOrderPair(one, pair), withOrderPair(other, pair));
}

/** @property orderId set exactly when the step is `delivered`. */
export interface CreateTaken {
  step: NextStep;
  tries: number;
  hadUnknown: boolean;
  orderId: string | null;
}

/**
 * @param observation null where nobody saw an answer.
 * @param random a number in [0, 1).
 */
export function afterCreate(
  past: Past,
  { seen, observation }: { seen: AttemptClass; observation: Observation | null },
  clock: Clock,
  random: () => number,
): CreateTaken {
  const isTaken = seen.effect === 'applied';
  const orderId = isTaken ? readOrderId(observation) : null;
  const isUnsure = isTaken ? orderId === null : seen.effect === 'unknown' || isConflict(observation);
  if (!isUnsure) return { ...afterAttempt(past, seen, clock, random), orderId };
  const unsure = { endedAtMs: clock.nowMs(), isTaken, deadlineMs: past.deadlineMs };
  const step = firstCheck(unsure, clock, 'retryAfterMs' in seen ? seen.retryAfterMs : undefined);
  return { step, tries: past.tries + 1, hadUnknown: true, orderId: null };
}

/** What an update or a cancel is judged by. @property mayBeYoung no answer had shown that the order was created: it may not be known everywhere yet. */
export interface ChangeSent {
  does: 'update' | 'cancel';
  mayBeYoung: boolean;
}

/**
 * Updates and cancels are sent at least once: the same again changes nothing. What may have been applied is never given up by
 * itself. @param random a number in [0, 1).
 */
export function afterChange(
  past: Past,
  { seen, observation }: { seen: AttemptClass; observation: Observation | null },
  { does, mayBeYoung }: ChangeSent,
  clock: Clock,
  random: () => number,
): StepTaken {
  const status = observation?.outcome === 'answered' ? observation.status : null;
  const isGone = status === 404 || status === 410;
  if (does === 'cancel' && isGone && past.hadUnknown && (status === 410 || !mayBeYoung)) {
    return { ...past, tries: past.tries + 1, step: { state: 'delivered' } };
  }
  if (status === 404 && mayBeYoung) {
    const taken = afterAttempt(past, { effect: 'not_applied' }, clock, random);
    return heldForGivenUp({ ...taken, step: because('order_unknown_upstream', taken.step) });
  }
  return heldForGivenUp(afterAttempt(past, seen, clock, random));
}

const because = (reason: 'order_unknown_upstream', step: NextStep): NextStep =>
  step.state === 'waiting' || step.state === 'unknown' ? { ...step, reason } : step;

/** An order's operation that may have been applied is a person's to decide, not to be forgotten. */
function heldForGivenUp(taken: StepTaken): StepTaken {
  const { step } = taken;
  return step.state === 'dead' && step.outcome === 'unknown'
    ? { ...taken, step: { state: 'held', reason: 'exhausted' } }
    : taken;
}

/** When the next operation may leave: an unclear update may still arrive, and would overwrite a later one. */
export const quietUntilMs = (lastUnclearMs: number | null, clock: Clock): number =>
  lastUnclearMs === null ? 0 : lastUnclearMs + scaledMs(ORDER_QUIET_MS, clock);

/** An order of that reference may exist; whether it is this one, the answer does not say. */
const isConflict = (observation: Observation | null): boolean =>
  observation?.outcome === 'answered' && observation.status === 409;

/** The id stands at a path of our choice (NOT_SHOWN.orderIdPath). @returns null unless the whole answer was read and holds one. */
export function readOrderId(observation: Observation | null): string | null {
  if (observation?.outcome !== 'answered' || observation.bodyEnd !== 'whole') return null;
  let found: unknown;
  try {
    found = JSON.parse(observation.body);
  } catch {
    return null;
  }
  for (const name of NOT_SHOWN.orderIdPath) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  return typeof found === 'string' && ORDER_ID_FORM.test(found) ? found : null;
}
