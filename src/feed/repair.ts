/**
 * What the history of one order (seed 4.4), requested to close a gap, showed. Pure: a GET of one order changes nothing
 * upstream.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { NOT_FOUND_AFTER_MS } from '../kernel/limits.ts';
import type { NamedIds } from '../tracking/store/order-store.ts';
import type { Observation } from '../upstream/answer.ts';
import type { OrderStatus } from '../upstream/statuses/read-answer.ts';
import type { BookedOrder } from './feed-tables.ts';
import { FINAL_GRACE_MS, REPAIR_WAITS_MS } from './limits.ts';

type RepairClass =
  | { verdict: 'answered'; text: string }
  | { verdict: 'nothing' }
  /** The upstream says that it does not know the order. */
  | { verdict: 'unknown'; detail: string }
  | { verdict: 'failed'; detail: string }
  /** It does not count as a try of the order. */
  | { verdict: 'not_sent'; detail: string };

export function classifyRepair(observed: Observation): RepairClass {
  if (observed.outcome === 'not_sent') return { verdict: 'not_sent', detail: `${observed.code}: ${observed.detail}` };
  if (observed.outcome === 'no_answer') return { verdict: 'failed', detail: `${observed.code}: ${observed.detail}` };
  const { status, bodyEnd, bodyEncoding, body } = observed;
  if (status === 404 || status === 410) return { verdict: 'unknown', detail: `status ${status}` };
  if (status < 200 || status > 299) return { verdict: 'failed', detail: `status ${status}` };
  if (bodyEnd !== 'whole' || bodyEncoding !== 'utf-8') return { verdict: 'failed', detail: `answer ${bodyEnd}` };
  if (status === 204) return { verdict: 'nothing' };
  return { verdict: 'answered', text: body };
}

/**
 * Whether the upstream must know an order, so that "unknown" is no answer: it named it, or something was learned of it.
 * Only an order that nothing can follow any more, so long after its end, may be forgotten there.
 */
export function mustBeKnown(
  order: Pick<BookedOrder, 'state' | 'learned_at_ms' | 'registered_at_ms'>,
  named: Pick<NamedIds, 'ours' | 'hasUnnamed'>,
  clock: Clock,
): boolean {
  const isMade = order.learned_at_ms !== null || named.ours.length > 0 || named.hasUnnamed;
  const heardAtMs = Math.max(order.learned_at_ms ?? 0, order.registered_at_ms);
  return isMade && (order.state !== 'final' || clock.nowMs() < heardAtMs + scaledMs(FINAL_GRACE_MS, clock));
}

/** @param tries failed ones, including this one. @returns the wait in real ms. */
export const repairWaitMs = (tries: number, clock: Clock): number =>
  scaledMs(REPAIR_WAITS_MS[Math.min(tries, REPAIR_WAITS_MS.length) - 1] ?? REPAIR_WAITS_MS[0], clock);

/** Between two orders, in real ms. */
export const repairPaceMs = (perMinute: number, clock: Clock): number => scaledMs(60_000 / perMinute, clock);

/** Whether an order of which nothing is found may just not be listed yet. */
export const isYoung = (registeredAtMs: number, clock: Clock): boolean =>
  clock.nowMs() < registeredAtMs + scaledMs(NOT_FOUND_AFTER_MS, clock);

/*
 * Whether a status in an answer about one reference is of the order that was requested.
 * A channel may serve several partners, each with an order of that reference; a single order is requested by reference
 * alone (seed 4.4), so their statuses may come with ours. The order's id tells them apart.
 */

export interface TargetQuery extends NamedIds {
  orderRef: string;
  /** Ids under which polls brought it: polls ask by order-feed key, so these are its partner's. */
  polled: readonly string[];
  /** How often it reported that it is to be made. */
  creates: number;
}

/** `unclear`: of an order that is being made and has no id yet. */
export type Owner = 'ours' | 'unclear' | 'order_ref_foreign' | 'order_id_foreign';

/** @returns whose each status is. One without an id, or of an order without a known id, is matched by its reference. */
export function ownerOf(asked: TargetQuery): (status: Pick<OrderStatus, 'orderRef' | 'orderId'>) => Owner {
  const orderRef = asked.orderRef.trim(); // as texts of an answer are
  const ours = lowered([...asked.ours, ...asked.polled]);
  const before = lowered(asked.before);
  const hasUnnamed = asked.hasUnnamed || (asked.ours.length === 0 && asked.creates > ours.size);
  return (status) => {
    if (status.orderRef !== orderRef) return 'order_ref_foreign';
    const id = status.orderId?.toLowerCase();
    if (id === undefined || ours.has(id)) return 'ours';
    if (before.has(id)) return 'order_id_foreign';
    if (asked.isBeingMade) return 'unclear';
    return ours.size === 0 || hasUnnamed ? 'ours' : 'order_id_foreign';
  };
}

/**
 * Whether all that was made under the reference is listed. The latest may not be yet, where an earlier one is: it may
 * still be being made, or have an id that is not known.
 * @param listed ids of what is ours, in lower case; '': without one.
 */
export function isWhole({ ours, hasUnnamed, unnamed, isBeingMade }: NamedIds, listed: ReadonlySet<string>): boolean {
  if (isBeingMade) return false;
  const named = lowered(ours);
  if (hasUnnamed) return listed.isSupersetOf(named) && listed.size >= named.size + (unnamed ?? 1);
  return named.size < 2 || listed.isSupersetOf(named);
}

const lowered = (ids: readonly string[]): ReadonlySet<string> => new Set(ids.map((id) => id.toLowerCase()));
