/** Orders of a partner that are followed: sets the feed as an operator would, and reads log and orders as the partner does. */
import { channelName } from '../local/bridge.ts';
import { callsWith, type HarnessClient } from '../local/client.ts';
import { makeOpsKey } from '../local/ops-keys.ts';
import { type HarnessOptions, type Stack, withStack } from '../local/stack.ts';

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

interface ShownFeed {
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
interface FeedAsked {
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
  const ops = callsWith(() => stack.bridge.baseUrl, opsKey);
  const { json } = callsWith(() => stack.bridge.baseUrl, partnerKey);
  const body = JSON.stringify({ ...settings, note: 'a run of orders' });
  await ops.text(`/v1/ops/partners/${partner}/feed`, { method: 'PUT', body });
  return {
    async eventsAfter(cursor) {
      const events: LoggedEvent[] = [];
      for (let next = cursor; ; ) {
        const path = `/v1/order-events?after=${next}&limit=${PAGE_EVENTS}`;
        const page = await json<{ events: LoggedEvent[]; next: string; more: boolean }>(path);
        events.push(...page.events);
        ({ next } = page);
        if (!page.more) return { events, next };
      }
    },
    order: (orderRef) => json(`/v1/orders/${orderRef}`, { signal: AbortSignal.timeout(ORDER_MS_MAX) }),
    async feed() {
      const { feeds } = await ops.json<{ feeds: ShownFeed[] }>('/v1/ops/feeds');
      return feeds.find((feed) => feed.partner === partner);
    },
  };
}

/** How long a new order cannot be found by its reference, in real seconds. */
const INDEX_DELAY_SECONDS = 1;
const REPAIRS_PER_MINUTE = 600;

/** @property stepSeconds of an order's life upstream. @property faults that are there before the first poll. */
interface FollowedOptions extends HarnessOptions {
  pair: { partnerId: string; clientId: string };
  stepSeconds: number;
  pollMinutes?: number;
  faults?: unknown[];
}

/** A stack whose one partner's orders are followed. */
export function withFollowedOrders<T>(
  { pair, stepSeconds, pollMinutes, faults, ...options }: FollowedOptions,
  run: (stack: Stack, client: HarnessClient, followed: FollowedOrders) => Promise<T>,
): Promise<T> {
  const ops = makeOpsKey({ name: 'Harness', role: 'operator', environments: ['test'] });
  return withStack({ ...options, directorySql: ops.sql + (options.directorySql ?? '') }, async (stack, client) => {
    await stack.putSettings({ statusStepSeconds: stepSeconds, orderIndexDelaySeconds: INDEX_DELAY_SECONDS });
    if (faults !== undefined) await stack.putFaults(faults);
    const followed = await followOrders(stack, {
      partner: options.partner,
      partnerKey: stack.keys[0] ?? '',
      opsKey: ops.key,
      channel: channelName('test', options.auth),
      ...pair,
      repairsPerMinute: REPAIRS_PER_MINUTE,
      ...(pollMinutes === undefined ? {} : { pollMinutes }),
    });
    return run(stack, client, followed);
  });
}
