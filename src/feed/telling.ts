/** Events of the log → the orders they are of. An order that cannot be reached is told later and holds up no other. */

import { type Clock, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { inLanes } from '../kernel/lanes.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { OrderIdentity } from '../tracking/handed.ts';
import type { ToldStatus } from '../tracking/store/order-statuses.ts';
import type { EventStore } from './event-store.ts';
import type { EventRow } from './feed-tables.ts';
import { FEED_TELL_PAUSE_MS, FEED_TOLD_ORDERS_MAX, FEED_TOLD_STATUSES_MAX } from './limits.ts';

/** What a feed needs of an order: a port of the caller. Idempotent. */
export interface StatusReceiver {
  takeStatuses(identity: OrderIdentity, statuses: readonly ToldStatus[]): Promise<void>;
}

/** Tells a few orders of what they have not heard yet. */
export async function tellOrders(
  events: EventStore,
  scope: PartnerScope,
  order: (orderRef: string) => StatusReceiver,
  clock: Clock,
): Promise<void> {
  const rows = events.untold(clock.nowMs(), FEED_TOLD_STATUSES_MAX);
  const waiting = [...Map.groupBy(rows, ({ order_ref }) => order_ref)].slice(0, FEED_TOLD_ORDERS_MAX);
  const { environment, partner } = scope;
  await inLanes(waiting, async ([orderRef, own]) => {
    const seqs = own.map(({ seq }) => seq);
    try {
      await order(orderRef).takeStatuses({ environment, partner, orderRef }, own.map(toldStatus));
      await failpoint('order_told');
      events.told(seqs);
    } catch (thrown) {
      log('warn', 'order_not_told', { detail: messageOf(thrown) });
      events.tellNotBefore(seqs, clock.nowMs() + scaledMs(FEED_TELL_PAUSE_MS, clock));
    }
  });
}

const toldStatus = ({
  seq,
  hash,
  order_id,
  code,
  at_ms,
  level,
  place,
  learned_at_ms,
  corrects,
}: EventRow): ToldStatus => ({
  seq,
  hash,
  orderId: order_id,
  code,
  atMs: at_ms,
  level,
  place,
  learnedAtMs: learned_at_ms,
  corrects,
});
