/**
 * An order create without a clear effect or id: when to query the orders of its reference, and what the answers decide.
 * Pure.
 *
 * A single order that can only be ours is adopted; a person decides everything else. Nothing here repeats a create.
 */

import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  CHECK_RETRY_LAST_WAIT_MS,
  CHECK_RETRY_WAITS_MS,
  CHECKS_AFTER_MS,
  CHECKS_FOR_NOT_FOUND,
  CLOCKS_APART_MS,
  NOT_FOUND_AFTER_MS,
  RETRY_JITTER,
} from '../../kernel/limits.ts';
import type { Observation } from '../../upstream/answer.ts';
import { ORDER_ID_FORM } from '../../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import { readAnswer } from '../../upstream/statuses/read-answer.ts';
import type { AttemptClass } from '../classify.ts';
import type { NextStep } from '../next-step.ts';

/*
 * The upstream's list of orders under a reference (seed 4.4), read like every answer about statuses.
 *
 * Read whole or not at all: half a list could hide the order.
 */

export interface ListedOrder {
  orderId: string;
  orderRef: string;
  /** Its first event. */
  createdAtMs: number;
  isCancelled: boolean;
}

/** A UUID is the same in capital letters. */
export const plainOrderId = (orderId: string): string => orderId.toLowerCase();

/**
 * @param mapping null: it is not known how to read the answer.
 * @returns null unless the answer is a 2xx, whole, and every event is readable and names its order's id.
 */
export function readListing(observed: Observation | null, mapping: AnswerMapping | null): ListedOrder[] | null {
  if (mapping === null || observed?.outcome !== 'answered') return null;
  if (observed.status < 200 || observed.status > 299) return null;
  if (observed.bodyEnd !== 'whole' || observed.bodyEncoding !== 'utf-8') return null;
  const read = readAnswer(observed.body, mapping);
  if (!read.ok || read.value.unfit.count > 0) return null;
  const orders = new Map<string, ListedOrder>();
  for (const { orderId, orderRef, code, atMs } of read.value.statuses) {
    if (orderId === null || !ORDER_ID_FORM.test(orderId)) return null;
    const known = orders.get(plainOrderId(orderId));
    orders.set(plainOrderId(orderId), {
      orderId,
      orderRef: known?.orderRef ?? orderRef,
      createdAtMs: Math.min(known?.createdAtMs ?? atMs, atMs),
      isCancelled: isCancel(code) || known?.isCancelled === true,
    });
  }
  return [...orders.values()];
}

/** After the mapping has renamed codes. */
const isCancel = (code: string): boolean =>
  NOT_SHOWN.orderStatus.cancelledCodes.some((cancelled) => cancelled === code.toLowerCase());

/** A create whose effect is not proved. */
export interface Unsure {
  /** When it was clear that no answer proves anything. */
  endedAtMs: number;
  /** The upstream accepted it; only the id is missing. */
  isAccepted: boolean;
  deadlineMs: number;
}

/** @property isAnswered by a list that could be read whole; other checks count for nothing. */
export interface Check {
  atMs: number;
  isAnswered: boolean;
}

/** Ids, as `plainOrderId` writes them, of orders under this reference that are not the created one. */
export interface KnownIds {
  /** Of this order, in any incarnation. */
  ours: ReadonlySet<string>;
  /** Listed before the create was sent. */
  before: ReadonlySet<string>;
}

export type Finding =
  | { found: 'none' }
  | { found: 'one'; orderId: string }
  /** One, but cancelled, older than the create, or under its own reference. */
  | { found: 'doubtful' }
  | { found: 'several' };

/** @property orderRef what was queried; sentAtMs when the intent of the create was stored. */
export function findingIn(
  listed: readonly ListedOrder[],
  { orderRef, known, sentAtMs }: { orderRef: string; known: KnownIds; sentAtMs: number },
): Finding {
  const unknown = listed.filter((order) => !isKnown(known, order));
  const [order] = unknown;
  if (order === undefined) return { found: 'none' };
  if (unknown.length > 1) return { found: 'several' };
  const isOlder = order.createdAtMs < sentAtMs - CLOCKS_APART_MS;
  if (order.isCancelled || isOlder || order.orderRef !== orderRef) return { found: 'doubtful' };
  return { found: 'one', orderId: order.orderId };
}

const isKnown = ({ ours, before }: KnownIds, { orderId }: ListedOrder): boolean =>
  ours.has(plainOrderId(orderId)) || before.has(plainOrderId(orderId));

/** @returns when the first check is due, or the hold that comes first. */
export const firstCheck = (unsure: Unsure, clock: Clock, atLeastMs: number = CHECKS_AFTER_MS[0]): NextStep =>
  nextCheckAt(unsure, unsure.endedAtMs + scaledMs(Math.max(CHECKS_AFTER_MS[0], atLeastMs), clock));

/** @param checks those made so far; the last one was answered, with `finding`. */
export function afterAnsweredCheck(unsure: Unsure, checks: readonly Check[], finding: Finding, clock: Clock): NextStep {
  switch (finding.found) {
    case 'one':
      return { state: 'delivered', evidence: 'reconcile' };
    case 'several':
      return { state: 'held', reason: 'multiple' };
    case 'doubtful':
      return { state: 'held', reason: 'ambiguous' };
    case 'none': {
      const answered = checks.filter(({ isAnswered }) => isAnswered);
      const lastMs = answered.at(-1)?.atMs ?? clock.nowMs();
      const isOver =
        answered.length >= CHECKS_FOR_NOT_FOUND && lastMs - unsure.endedAtMs >= scaledMs(NOT_FOUND_AFTER_MS, clock);
      if (isOver) return { state: 'held', reason: unsure.isAccepted ? 'order_id_missing' : 'not_found' };
      return nextCheckAt(unsure, lastMs + scaledMs(checkGapMs(answered.length), clock));
    }
  }
}

/** @param checks those made so far; the last one failed, or could not be sent. @param random a number in [0, 1). */
export function afterFailedCheck(
  unsure: Unsure,
  checks: readonly Check[],
  seen: AttemptClass,
  clock: Clock,
  random: () => number,
): NextStep {
  return nextCheckAt(unsure, clock.nowMs() + scaledMs(failedWaitMs(checks, seen, random), clock));
}

/** The wait after failures in a row, spread so that orders that failed together do not return together. */
export function failedWaitMs(checks: readonly Check[], seen: AttemptClass, random: () => number): number {
  const failures = checks.length - 1 - checks.findLastIndex(({ isAnswered }) => isAnswered);
  const scheduledMs = CHECK_RETRY_WAITS_MS[Math.max(failures, 1) - 1] ?? CHECK_RETRY_LAST_WAIT_MS;
  const spreadMs = Math.round(scheduledMs * (1 - RETRY_JITTER + 2 * RETRY_JITTER * random()));
  const retryAfterMs = 'retryAfterMs' in seen ? (seen.retryAfterMs ?? 0) : 0;
  return Math.max(spreadMs, retryAfterMs);
}

/** From one answered check to the next, so that late ones are spread as far as punctual ones. */
function checkGapMs(answered: number): number {
  const index = Math.min(answered, CHECKS_AFTER_MS.length - 1);
  return (CHECKS_AFTER_MS[index] ?? 0) - (CHECKS_AFTER_MS[index - 1] ?? 0);
}

function nextCheckAt(unsure: Unsure, atMs: number): NextStep {
  if (atMs > unsure.deadlineMs) return outOfTime(unsure.isAccepted);
  return { state: 'unknown', atMs, reason: unsure.isAccepted ? 'order_id_missing' : 'create_unconfirmed' };
}

/** Its deadline came before certainty: a person decides, because the order may exist. */
export const outOfTime = (isAccepted: boolean): NextStep => ({
  state: 'held',
  reason: isAccepted ? 'order_id_missing' : 'exhausted',
});
