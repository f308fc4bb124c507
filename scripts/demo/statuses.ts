/** What becomes of a partner's orders, as its feed learns it: shown while the demo is up. */
import { type FollowedOrders, followOrders, type LoggedEvent } from '../lives/followed-orders.ts';
import { callsWith, pause } from '../local/client.ts';
import type { Stack } from '../local/stack.ts';

/** From one status of an order to the next: its life lasts minutes here, so that its changes still come before its end. */
const STATUS_STEP_SECONDS = 30;
/** A feed polls every few minutes at most; here an operator asks for it sooner. */
const POLL_MS = 10_000;
const FIRST_MS_MAX = 60_000;

export interface DemoFeed {
  /** Asks now, and waits until the first statuses stand in the partner's log. */
  first(): Promise<LoggedEvent[]>;
  /** Says each new status, for as long as the process lives. */
  follow(say: (event: LoggedEvent) => void): Promise<never>;
  /** What may be shown to whoever waits for the goods. */
  tracks(orderRef: string): Promise<{ code: string }[]>;
}

/** @property opsKey of an operator, who sets the feed and asks for its polls. */
interface DemoFeedAsked {
  partner: string;
  partnerKey: string;
  opsKey: string;
  channel: string;
}

/** Before the first order is sent: its document then says whose it is. */
export async function setFeed(stack: Stack, asked: DemoFeedAsked): Promise<DemoFeed> {
  await stack.putSettings({ statusStepSeconds: STATUS_STEP_SECONDS });
  const pair = { partnerId: 'P-DEMO', clientId: 'C-1' };
  const followed = await followOrders(stack, { ...asked, ...pair, repairsPerMinute: 60 });
  let cursor = '0';
  const calls = (key: string) => callsWith(() => stack.bridge.baseUrl, key);
  const poll = () => {
    const body = JSON.stringify({ why: 'the demo shows what becomes of its orders' });
    return calls(asked.opsKey).text(`/v1/ops/feeds/${asked.partner}/poll`, { method: 'POST', body });
  };
  /** None where the bridge refuses for now: it is asked again soon. */
  const news = async (of: FollowedOrders): Promise<LoggedEvent[]> => {
    try {
      await poll();
      const { events, next } = await of.eventsAfter(cursor);
      cursor = next;
      return events;
    } catch {
      return [];
    }
  };
  return {
    async first() {
      for (const untilMs = Date.now() + FIRST_MS_MAX; Date.now() < untilMs; await pause(500)) {
        const events = await news(followed);
        if (events.length > 0) return events;
      }
      return [];
    },
    async follow(say) {
      for (;;) {
        await pause(POLL_MS);
        for (const event of await news(followed)) say(event);
      }
    },
    async tracks(orderRef) {
      const path = `/v1/orders/${encodeURIComponent(orderRef)}/tracks`;
      return (await calls(asked.partnerKey).json<{ tracks: { code: string }[] }>(path)).tracks;
    },
  };
}
