/** What an operator decides of single orders of a feed: that they are asked for, or that one is not waited for any more. */
import { orderName } from '../kernel/names.ts';
import type { StepsPort } from './feed-calls.ts';
import type { FeedAction, OrderSkipped, OrdersAsked } from './feed-status.ts';
import type { NamedOrder } from './repair-steps.ts';
import type { FeedSettings } from './settings.ts';

/**
 * Has orders asked for which the feed may not know: those that were sent before it was set. All of them are orders that were made
 * here, or none is asked for: what is listed under another reference may be another partner's.
 * @param fromMs not before.
 */
export async function askForOrders(
  { env, polls, orders, commit }: StepsPort,
  settings: FeedSettings,
  orderRefs: readonly string[],
  by: FeedAction,
  fromMs: number,
): Promise<OrdersAsked> {
  const known = await Promise.all(
    orderRefs.map(async (orderRef) => {
      const order: NamedOrder = env.ORDER.getByName(orderName(settings, orderRef));
      const { ours, isBeingMade, hasUnnamed } = await order.ids();
      return ours.length > 0 || isBeingMade || hasUnnamed;
    }),
  );
  const unknown = orderRefs.filter((_, index) => known[index] !== true);
  if (unknown.length > 0) return { outcome: 'orders_unknown', orderRefs: unknown };
  const nowMs = Date.now();
  commit(() => {
    for (const orderRef of orderRefs) orders.ask(orderRef, nowMs, fromMs);
    polls.audit({ ...by, atMs: nowMs, what: 'repair_orders', detail: { orderRefs } });
  });
  return { outcome: 'asked', due: orders.counts().due };
}

/** What the gap took of it may be missing from then on: somebody has decided so. */
export function skipOrder({ polls, orders, commit }: StepsPort, orderRef: string, by: FeedAction): OrderSkipped {
  if (!orders.isDue(orderRef)) return 'not_due';
  const nowMs = Date.now();
  commit(() => {
    orders.repaired(orderRef);
    polls.audit({ ...by, atMs: nowMs, what: 'skip_order', detail: { orderRef } });
    if (orders.dueAtMs() === null) polls.closeGaps(nowMs, 'operator');
  });
  return 'skipped';
}
