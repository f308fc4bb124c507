/** Orders of a partner that are followed: sets the feed as an operator would, and reads log and orders as the partner does. */
import type { Stack } from '../local/stack.ts';

export interface LoggedEvent {
  seq: number;
  orderRef: string;
  orderId: string | null;
  code: string;
  at: string;
}

/** What `/v1/orders/{ref}` shows, as far as it is looked at here. */
export interface ShownOrder {
  orderRef: string;
  orderId: string | null;
  document: unknown;
  versions: { kind: string }[];
  operations: { kind: string; state: string; reason: string | null }[];
  statuses: { seq: number; orderId: string | null; code: string; at: string }[];
}

export interface ShownFeed {
  partner: string;
  gaps: { open: number; closed: number };
}

export interface FollowedOrders {
  /** The partner's log behind a cursor, page by page, to its end. */
  eventsAfter(cursor: string): Promise<{ events: LoggedEvent[]; next: string }>;
  order(orderRef: string): Promise<ShownOrder>;
  feed(): Promise<ShownFeed | undefined>;
}

/** @property opsKey of an operator. */
export interface FeedAsked {
  partner: string;
  partnerKey: string;
  opsKey: string;
  channel: string;
  partnerId: string;
  clientId: string;
  repairsPerMinute: number;
  /** As usual where it is left out. */
  pollMinutes?: number;
}

const PAGE_EVENTS = 500;
/** An order that is not known here is asked for upstream, and that may stand at a named point at which the bridge is about to be killed. */
const ORDER_MS_MAX = 10_000;

/** From its return on the feed polls. */
export async function followOrders(stack: Stack, asked: FeedAsked): Promise<FollowedOrders> {
  const { partner, partnerKey, opsKey, ...settings } = asked;
  const ask = async <T>(path: string, key: string, init: RequestInit = {}): Promise<T> => {
    const answer = await fetch(stack.bridge.baseUrl + path, { ...init, headers: { Authorization: `Bearer ${key}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  await ask(`/v1/ops/partners/${partner}/feed`, opsKey, {
    method: 'PUT',
    body: JSON.stringify({ ...settings, note: 'a run of orders' }),
  });
  return {
    async eventsAfter(cursor) {
      const events: LoggedEvent[] = [];
      for (let next = cursor; ; ) {
        const path = `/v1/order-events?after=${next}&limit=${PAGE_EVENTS}`;
        const page = await ask<{ events: LoggedEvent[]; next: string; more: boolean }>(path, partnerKey);
        events.push(...page.events);
        ({ next } = page);
        if (!page.more) return { events, next };
      }
    },
    order: (orderRef) => ask(`/v1/orders/${orderRef}`, partnerKey, { signal: AbortSignal.timeout(ORDER_MS_MAX) }),
    async feed() {
      const { feeds } = await ask<{ feeds: ShownFeed[] }>('/v1/ops/feeds', opsKey);
      return feeds.find((feed) => feed.partner === partner);
    },
  };
}
