/**
 * What happens to an order's operations: which is next, whether it is sent, and what follows from an answer. Pure.
 *
 * A create is sent at most once unless it is proved not to be applied: a second order is real freight at a real door.
 * If not proved, it is looked up (`reconcile.ts`). Updates and cancels may be repeated; `plan.ts` decides what they do.
 */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { ORDER_QUIET_MS } from '../../kernel/limits.ts';
import type { Observation } from '../../upstream/answer.ts';
import { ORDER_ID_FORM } from '../../upstream/contracts/bodies.ts';
import { parseJson, valueAt } from '../../upstream/contracts/json.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import { isDocument, isEqual, type OrderDocument } from '../../upstream/contracts/order-difference.ts';
import { orderFeedKeyIn, withOrderFeedKey } from '../../upstream/contracts/order-pair.ts';
import type { AttemptClass } from '../classify.ts';
import { type LaneRequest, type Move, nextMove } from '../drain.ts';
import { afterAttempt, type NextStep, type Past, type StepDone } from '../next-step.ts';
import { firstCheck } from './reconcile.ts';

/** @param first the first operation that is not final: none passes another, and a held one blocks the later ones. */
export const nextOperation = (first: LaneRequest | undefined, nowMs: number): Move =>
  nextMove(first === undefined ? [] : [first], nowMs, Number.POSITIVE_INFINITY);

/** The content of a create; equal contents are one order. */
interface OrderContent {
  scac: string;
  body: string;
}

/** @param existing what this order was created with, if it was. */
export function beforeCreate(
  asked: OrderContent,
  existing: OrderContent | null,
): 'send' | 'duplicate' | 'order_exists' {
  if (existing === null) return 'send';
  const isSame = asked.body === existing.body || isSameButForFeedKey(asked.body, existing.body);
  return isSame && asked.scac === existing.scac ? 'duplicate' : 'order_exists';
}

/** The order-feed key may have been agreed between the two; later orders then contain it. */
function isSameButForFeedKey(asked: string, existing: string): boolean {
  const [one, other] = [JSON.parse(asked), JSON.parse(existing)] as [object, object];
  const pair = orderFeedKeyIn(one) ?? orderFeedKeyIn(other);
  return pair !== null && isEqual(withOrderFeedKey(one, pair), withOrderFeedKey(other, pair));
}

/** @property orderId set exactly when the step is `delivered`. */
interface CreateAccepted {
  step: NextStep;
  tries: number;
  hadUnknown: boolean;
  orderId: string | null;
}

/**
 * @param observation null if nobody saw an answer.
 * @param random a number in [0, 1).
 */
export function afterCreate(
  past: Past,
  { seen, observation }: { seen: AttemptClass; observation: Observation | null },
  clock: Clock,
  random: () => number,
): CreateAccepted {
  const isAccepted = seen.effect === 'applied';
  const orderId = isAccepted ? readOrderId(observation) : null;
  const isUnsure = isAccepted ? orderId === null : seen.effect === 'unknown' || isConflict(observation);
  if (!isUnsure) return { ...heldForGivenUp(afterAttempt(past, seen, clock, random)), orderId };
  const unsure = { endedAtMs: clock.nowMs(), isAccepted, deadlineMs: past.deadlineMs };
  const step = firstCheck(unsure, clock, 'retryAfterMs' in seen ? seen.retryAfterMs : undefined);
  return { step, tries: past.tries + 1, hadUnknown: true, orderId: null };
}

/**
 * Facts about an update or a cancel. @property mayBeYoung no answer had shown that the order was created: it may not be
 * known everywhere yet.
 */
interface ChangeSent {
  does: 'update' | 'cancel';
  mayBeYoung: boolean;
}

/**
 * Updates and cancels are sent at least once: a repeat changes nothing. What may have been applied is never given up
 * automatically. @param random a number in [0, 1).
 */
export function afterChange(
  past: Past,
  { seen, observation }: { seen: AttemptClass; observation: Observation | null },
  { does, mayBeYoung }: ChangeSent,
  clock: Clock,
  random: () => number,
): StepDone {
  const status = observation?.outcome === 'answered' ? observation.status : null;
  const isGone = status === 404 || status === 410;
  if (does === 'cancel' && isGone && past.hadUnknown && (status === 410 || !mayBeYoung)) {
    return { ...past, tries: past.tries + 1, step: { state: 'delivered' } };
  }
  if (status === 404 && mayBeYoung) {
    const accepted = afterAttempt(past, { effect: 'not_applied' }, clock, random);
    return heldForGivenUp({ ...accepted, step: because('order_unknown_upstream', accepted.step) });
  }
  return heldForGivenUp(afterAttempt(past, seen, clock, random));
}

const because = (reason: 'order_unknown_upstream', step: NextStep): NextStep =>
  step.state === 'waiting' || step.state === 'unknown' ? { ...step, reason } : step;

/** A person decides about an order's operation that may have been applied; it is not dropped. */
function heldForGivenUp(accepted: StepDone): StepDone {
  const { step } = accepted;
  return step.state === 'dead' && step.outcome === 'unknown'
    ? { ...accepted, step: { state: 'held', reason: 'exhausted' } }
    : accepted;
}

/** When the next operation may leave: an ambiguous update may still arrive, and would overwrite a later one. */
export const quietUntilMs = (lastAmbiguousMs: number | null, clock: Clock): number =>
  lastAmbiguousMs === null ? 0 : lastAmbiguousMs + scaledMs(ORDER_QUIET_MS, clock);

/** An order of that reference may exist; the answer does not say whether it is this one. */
const isConflict = (observation: Observation | null): boolean =>
  observation?.outcome === 'answered' && observation.status === 409;

/**
 * The id is at a path of our choice (NOT_SHOWN.orderIdPath). @returns null unless the whole answer was read and has
 * one.
 */
export function readOrderId(observation: Observation | null): string | null {
  if (observation?.outcome !== 'answered' || observation.bodyEnd !== 'whole') return null;
  return orderIdIn(parseJson(observation.body));
}

function orderIdIn(answer: unknown): string | null {
  const id = valueAt(answer, NOT_SHOWN.orderIdPath);
  return typeof id === 'string' && ORDER_ID_FORM.test(id) ? id : null;
}

/*
 * Whether an operation of an order was done, not only accepted: its answer says so, or `/statuses` later (seed 4.4,
 * "status of the most recent action"; which answers decide is our choice, NOT_SHOWN.orderAction).
 */

/** @property code in the upstream's words; null if none was read. isDecided: no more queries. */
interface ActionSaid {
  code: string | null;
  isDecided: boolean;
  /** It was not done: the order is as before. */
  isRefused: boolean;
}

/** The answer to the write itself: if it names the order, it decides, unless its code means only accepted. */
export function actionInAnswer(observation: Observation | null): ActionSaid {
  const body = bodyOf(observation);
  if (body === null) return { code: null, isDecided: false, isRefused: false };
  const code = textIn(body, NOT_SHOWN.orderActionStatus.code);
  const isRefused = isOf('refusedCodes', code);
  return { code, isDecided: isRefused || (orderIdIn(body) !== null && !isOf('pendingCodes', code)), isRefused };
}

/** @returns null if the answer reports no action, or another than the queried one. */
export function actionInStatus(
  observation: Observation | null,
  does: 'create' | 'update' | 'cancel',
): ActionSaid | null {
  const body = bodyOf(observation);
  if (body === null || textIn(body, NOT_SHOWN.orderActionStatus.action) !== does) return null;
  const code = textIn(body, NOT_SHOWN.orderActionStatus.code);
  if (code === null) return null;
  return { code, isDecided: !isOf('pendingCodes', code), isRefused: isOf('refusedCodes', code) };
}

/** What a status query shows: that the upstream knows of no action is an answer, too. */
export const statusEffect = (observed: Observation): 'answered' | 'unanswered' => {
  const knowsNone = observed.outcome === 'answered' && observed.status === 404;
  return knowsNone || bodyOf(observed) !== null ? 'answered' : 'unanswered';
};

const isOf = (list: keyof typeof NOT_SHOWN.orderAction, code: string | null): boolean =>
  code !== null && NOT_SHOWN.orderAction[list].some((known) => known === code.toLowerCase());

/** Longest stored code, in characters. Ours. */
const CODE_CHARACTERS_MAX = 60;

function textIn(body: OrderDocument, name: string): string | null {
  const text = Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof text === 'string' && text !== '' ? text.slice(0, CODE_CHARACTERS_MAX) : null;
}

function bodyOf(observed: Observation | null): OrderDocument | null {
  if (observed?.outcome !== 'answered' || observed.status < 200 || observed.status > 299) return null;
  if (observed.bodyEnd !== 'whole' || observed.bodyEncoding !== 'utf-8') return null;
  const body = parseJson(observed.body);
  return isDocument(body) ? body : null;
}

/*
 * Several orders under one reference, one after another: after a cancel, the next create begins a new incarnation, with
 * an upstream id and a document of its own.
 */

export interface Incarnation {
  /** Counts from 1. */
  number: number;
  /** Its cancel was accepted. */
  hasEnded: boolean;
}

/** @param latest null while no order exists. @returns the incarnation of a create that is accepted now. */
export function incarnationOfCreate(latest: Incarnation | null): number {
  if (latest === null) return 1;
  return latest.hasEnded ? latest.number + 1 : latest.number;
}
