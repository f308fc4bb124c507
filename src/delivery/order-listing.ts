/**
 * The upstream's list of orders under a reference, as its answer shows it (seed 4.4; its form is our choice, NOT_SHOWN.orderStatus).
 *
 * Read whole or not at all: half a list could hide the order that is looked for. Pure.
 */
import type { Observation } from '../upstream/answer.ts';
import { ORDER_ID_FORM } from '../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';

export interface ListedOrder {
  orderId: string;
  orderRef: string;
  /** Its first event. */
  createdAtMs: number;
  isCancelled: boolean;
}

type OrderEvent = Omit<ListedOrder, 'createdAtMs'> & { atMs: number };

/** A UUID is the same in capital letters. */
export const plainOrderId = (orderId: string): string => orderId.toLowerCase();

/** @returns null unless the answer is a 2xx, whole, and every event in it can be read. */
export function readListing(observed: Observation | null): ListedOrder[] | null {
  if (observed?.outcome !== 'answered' || observed.status < 200 || observed.status > 299) return null;
  if (observed.bodyEnd !== 'whole' || observed.bodyEncoding !== 'utf-8') return null;
  const events = memberOf(parsed(observed.body), NOT_SHOWN.orderStatus.listKey);
  if (!Array.isArray(events)) return null;
  const orders = new Map<string, ListedOrder>();
  for (const entry of events) {
    const event = readEvent(entry);
    if (event === null) return null;
    const { orderId, orderRef, atMs, isCancelled } = event;
    const known = orders.get(plainOrderId(orderId));
    orders.set(plainOrderId(orderId), {
      orderId,
      orderRef: known?.orderRef ?? orderRef,
      createdAtMs: Math.min(known?.createdAtMs ?? atMs, atMs),
      isCancelled: isCancelled || known?.isCancelled === true,
    });
  }
  return [...orders.values()];
}

function readEvent(entry: unknown): OrderEvent | null {
  const names = NOT_SHOWN.orderStatus;
  const orderId = memberOf(entry, names.orderId);
  const orderRef = memberOf(entry, names.orderRef);
  const code = memberOf(entry, names.code);
  const time = memberOf(entry, names.time);
  if (typeof orderId !== 'string' || !ORDER_ID_FORM.test(orderId)) return null;
  if (typeof orderRef !== 'string' || typeof code !== 'string' || typeof time !== 'string') return null;
  const atMs = Date.parse(time);
  if (Number.isNaN(atMs)) return null;
  const isCancelled = names.cancelledCodes.some((cancelled) => cancelled === code.toLowerCase());
  return { orderId, orderRef, atMs, isCancelled };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
