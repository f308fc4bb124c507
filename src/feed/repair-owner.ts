/**
 * Whether a status in an answer about one reference is of the order that was asked for. Pure.
 *
 * A channel may serve several partners, each with an order of that reference; a single order is asked for by reference alone
 * (seed 4.4), so that their statuses may come with ours. What tells them apart is the order's id.
 */
import type { NamedIds } from '../tracking/store/order-ids.ts';
import type { OrderStatus } from '../upstream/statuses/read-answer.ts';

export interface Asked extends NamedIds {
  orderRef: string;
  /** Ids under which polls brought it: those are asked for by the pair, so they are its partner's. */
  polled: readonly string[];
  /** How often it said that it is to be made. */
  creates: number;
}

/** `unclear`: of an order that is being made, and has no id yet. */
export type Owner = 'ours' | 'unclear' | 'order_ref_foreign' | 'order_id_foreign';

/** @returns who each status is of. One without an id, or of an order no id of which is known, is told by its reference. */
export function ownerOf(asked: Asked): (status: Pick<OrderStatus, 'orderRef' | 'orderId'>) => Owner {
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

const lowered = (ids: readonly string[]): ReadonlySet<string> => new Set(ids.map((id) => id.toLowerCase()));
