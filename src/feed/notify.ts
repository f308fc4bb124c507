/**
 * Publishes events of the log to the partner's webhooks, in log order. The checkpoint moves after the notification: a
 * crash in between sends it again under the same id. A failure never stops the feed.
 */
import type { NotificationPort } from '../batch/core/batch-events.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { inLanes } from '../kernel/lanes.ts';
import { NOTIFICATION_PAUSE_MS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { OrderIdentity } from '../tracking/request.ts';
import type { NotifiedStatus } from '../tracking/store/order-statuses.ts';
import type { EventStore } from './event-store.ts';
import type { FeedSettings } from './feed-status.ts';
import type { EventRow } from './feed-tables.ts';
import {
  FEED_NOTIFICATIONS_AT_ONCE,
  FEED_NOTIFIED_ORDERS_MAX,
  FEED_NOTIFIED_STATUSES_MAX,
  FEED_NOTIFY_PAUSE_MS,
} from './limits.ts';
import { type OrderNotificationType, statusNotifications } from './order-events.ts';

/** Publishes one page of new events. Never throws. */
export async function publishStatuses(
  events: Pick<EventStore, 'unannounced' | 'published' | 'publishNotBefore'>,
  settings: FeedSettings,
  webhooks: NotificationPort<OrderNotificationType>,
  clock: Clock,
): Promise<void> {
  const rows = events.unannounced(FEED_NOTIFICATIONS_AT_ONCE);
  const last = rows.at(-1);
  if (last === undefined) return;
  try {
    await webhooks.notify(rows.map((row) => statusNotifications(settings, row)));
    events.published(last.seq);
  } catch (thrown) {
    const { environment, partner } = settings;
    log('warn', 'news_not_told', { environment, partner, detail: messageOf(thrown) });
    events.publishNotBefore(clock.nowMs() + scaledMs(NOTIFICATION_PAUSE_MS, clock));
  }
}

/* Notifies orders of their events. An order that cannot be reached is notified later and delays no other. */

/** What a feed needs of an order: a port of the caller. Idempotent. */
interface StatusReceiver {
  takeStatuses(identity: OrderIdentity, statuses: readonly NotifiedStatus[]): Promise<void>;
}

/** Notifies a few orders of their new events. */
export async function notifyOrders(
  events: EventStore,
  scope: PartnerScope,
  order: (orderRef: string) => StatusReceiver,
  clock: Clock,
): Promise<void> {
  const rows = events.untold(clock.nowMs(), FEED_NOTIFIED_STATUSES_MAX);
  const waiting = [...Map.groupBy(rows, ({ order_ref }) => order_ref)].slice(0, FEED_NOTIFIED_ORDERS_MAX);
  const { environment, partner } = scope;
  await inLanes(waiting, async ([orderRef, own]) => {
    const seqs = own.map(({ seq }) => seq);
    try {
      await order(orderRef).takeStatuses({ environment, partner, orderRef }, own.map(notifiedStatus));
      await failpoint('order_told');
      events.notified(seqs);
    } catch (thrown) {
      log('warn', 'order_not_told', { detail: messageOf(thrown) });
      events.notifyNotBefore(seqs, clock.nowMs() + scaledMs(FEED_NOTIFY_PAUSE_MS, clock));
    }
  });
}

const notifiedStatus = ({
  seq,
  hash,
  order_id,
  code,
  at_ms,
  level,
  place,
  learned_at_ms,
  corrects,
}: EventRow): NotifiedStatus => ({
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
