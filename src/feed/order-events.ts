/** The events of a partner's orders as notifications and as pages of its log: the same shape. Pure. */

import type { Notification } from '../batch/core/batch-events.ts';
import { iso } from '../kernel/clock.ts';
import type { StatusPlace } from '../upstream/statuses/read-answer.ts';
import type { FeedSettings } from './feed-status.ts';
import type { EventRow } from './feed-tables.ts';

export const ORDER_NOTIFICATIONS = ['order.status'] as const;
export type OrderNotificationType = (typeof ORDER_NOTIFICATIONS)[number];

export const eventView = ({
  seq,
  order_ref,
  order_id,
  code,
  at_ms,
  level,
  place,
  learned_at_ms,
  corrects,
}: EventRow) => ({
  seq,
  orderRef: order_ref,
  orderId: order_id,
  code,
  at: iso(at_ms),
  level,
  place: JSON.parse(place) as StatusPlace,
  learnedAt: iso(learned_at_ms),
  /** Seq of an earlier event that was misread; this one replaces it. */
  corrects,
});

/** The id is its position in the log of its order-feed key, so a repeat has the same id. */
export function statusNotifications(
  { environment, partnerId, clientId }: Pick<FeedSettings, 'environment' | 'partnerId' | 'clientId'>,
  row: EventRow,
): Notification<OrderNotificationType> {
  return {
    type: 'order.status',
    key: [partnerId, clientId, row.seq],
    atMs: row.learned_at_ms,
    data: {
      environment,
      ...eventView(row),
      links: {
        order: `/v1/orders/${encodeURIComponent(row.order_ref)}`,
        /** The events after it. */
        later: `/v1/order-events?after=${row.seq}`,
      },
    },
  };
}
