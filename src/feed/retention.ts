/** Removes what is past its retention in a feed: a little with every poll. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { EventStore } from './event-store.ts';
import { FEED_RETENTION_MS } from './limits.ts';
import type { OrderBook } from './order-book.ts';
import type { PollStore } from './poll-store.ts';

/** Removed at once. Ours: far more than come in between two polls of a busy feed, or of a year. */
const ORDERS_AT_ONCE = 5_000;
const POLLS_AT_ONCE = 100;

interface ForgettingPort {
  polls: PollStore;
  events: EventStore;
  orders: OrderBook;
  files: Pick<R2Bucket, 'delete'>;
}

export async function forgetOld({ polls, events, orders, files }: ForgettingPort, clock: Clock): Promise<void> {
  const beforeMs = clock.nowMs() - scaledMs(FEED_RETENTION_MS, clock);
  const old = polls.oldPolls(beforeMs, POLLS_AT_ONCE);
  const keys = old.flatMap(({ key }) => (key === null ? [] : [key]));
  if (old.length > 0 && (await areDeleted(files, keys))) polls.forgetPolls(old.map(({ poll_no }) => poll_no));
  const ended = orders.old(beforeMs, ORDERS_AT_ONCE);
  if (ended.length === 0) return;
  events.forget(ended);
  orders.forget(ended);
}

/** @returns false: they are for the next poll. Nothing else of the feed waits for that. */
async function areDeleted(files: ForgettingPort['files'], keys: string[]): Promise<boolean> {
  if (keys.length === 0) return true;
  try {
    await files.delete(keys);
    return true;
  } catch (thrown) {
    log('warn', 'old_polls_not_deleted', { detail: messageOf(thrown) });
    return false;
  }
}
