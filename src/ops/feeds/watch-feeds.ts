/** The watch chain of feeds: a cron begins each again as it is set, which arms an alarm that was lost and changes nothing else. */

import { WATCH_FEEDS_MAX } from '../../feed/limits.ts';
import { inLanes } from '../../kernel/lanes.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { type Environment, feedName } from '../../kernel/names.ts';
import type { AgreedMapping, AnswerMappings } from '../directory/answer-mappings.ts';
import type { FeedRows } from './feed-rows.ts';
import { begun, type FeedStub } from './order-feeds.ts';

export interface WatchFeedsPort {
  rows: Pick<FeedRows, 'count' | 'page'>;
  mappings: Pick<AnswerMappings, 'read'>;
  feed(name: string): Pick<FeedStub, 'begin'>;
}

/** Never throws. @param run counts the runs: where there are more feeds than one run asks, the next one goes on behind them. */
export async function watchFeeds({ rows, mappings, feed }: WatchFeedsPort, run: number): Promise<void> {
  try {
    const pages = Math.max(1, Math.ceil((await rows.count()) / WATCH_FEEDS_MAX));
    const waiting = await rows.page((run % pages) * WATCH_FEEDS_MAX, WATCH_FEEDS_MAX);
    const read = new Map<Environment, AgreedMapping>();
    for (const environment of new Set(waiting.map((settings) => settings.environment))) {
      const mapping = await mappings.read(environment);
      if (mapping.ok) read.set(environment, mapping.value);
    }
    await inLanes(waiting, async (next) => {
      const mapping = read.get(next.environment);
      if (mapping !== undefined) await begun(feed(feedName(next.environment, next)), next, mapping);
    });
  } catch (thrown) {
    log('error', 'feeds_not_watched', { detail: messageOf(thrown) });
  }
}
