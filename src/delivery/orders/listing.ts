/**
 * The upstream's list of orders under a reference, as its answer shows it (seed 4.4), read as every answer about statuses.
 *
 * Read whole or not at all: half a list could hide the order that is looked for. Pure.
 */
import type { Observation } from '../../upstream/answer.ts';
import { ORDER_ID_FORM } from '../../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import { readAnswer } from '../../upstream/statuses/read-answer.ts';

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
 * @param mapping null: it is not known how the answer is to be read.
 * @returns null unless the answer is a 2xx, whole, and every event in it can be read and names its order's id.
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

/** As the mapping renames codes. */
const isCancel = (code: string): boolean =>
  NOT_SHOWN.orderStatus.cancelledCodes.some((cancelled) => cancelled === code.toLowerCase());
