/**
 * Events of the log → the partner's webhooks, in the order of the log. The mark moves behind what was told: a death in between
 * tells it again under the same name. Who cannot be told keeps the feed from nothing.
 */
import type { NewsPort } from '../batch/core/news-event.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { NEWS_PAUSE_MS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { EventStore } from './event-store.ts';
import { FEED_NEWS_AT_ONCE } from './limits.ts';
import { type OrderNewsType, statusNews } from './order-news.ts';
import type { FeedSettings } from './settings.ts';

/** Tells one page of what is news. Never throws. */
export async function announceStatuses(
  events: Pick<EventStore, 'unannounced' | 'announced' | 'announceNotBefore'>,
  settings: FeedSettings,
  webhooks: NewsPort<OrderNewsType>,
  clock: Clock,
): Promise<void> {
  const rows = events.unannounced(FEED_NEWS_AT_ONCE);
  const last = rows.at(-1);
  if (last === undefined) return;
  try {
    await webhooks.tell(rows.map((row) => statusNews(settings, row)));
    events.announced(last.seq);
  } catch (thrown) {
    const { environment, partner } = settings;
    log('warn', 'news_not_told', { environment, partner, detail: messageOf(thrown) });
    events.announceNotBefore(clock.nowMs() + scaledMs(NEWS_PAUSE_MS, clock));
  }
}
