/** The head of the watch chain: a cron has every partner's register ensure its alarm. */

import { WATCH_FEEDS_MAX } from '../feed/limits.ts';
import { inLanes } from '../kernel/lanes.ts';
import { WATCH_REGISTERS_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { type Environment, type PartnerScope, registerName } from '../kernel/names.ts';
import type { AnswerMapping } from '../upstream/statuses/answer-mapping.ts';
import type { Audit } from './directory/audit.ts';
import { ofRun } from './directory/directory.ts';
import type { AnswerMappings, Revision } from './directory/settings.ts';
import type { FeedRows } from './feeds/feed-rows.ts';
import { beginAgain, type FeedStub } from './feeds/order-feeds.ts';

interface WatchedRegister {
  /** Arms an alarm that was lost. */
  watch(): Promise<void>;
}

/**
 * Never throws: registers have alarms of their own, and the next run repeats it.
 * @param run counts the runs: if there are more registers than one run can call, the next one continues after them.
 */
export async function watchRegisters(
  database: D1Database,
  register: (name: string) => WatchedRegister,
  run: number,
): Promise<void> {
  const waiting = await ofRun(run, WATCH_REGISTERS_MAX, registersIn(database)).catch((thrown: unknown) => {
    log('error', 'registers_not_listed', { detail: messageOf(thrown) });
    return [];
  });
  await inLanes(waiting, async (next) => {
    try {
      await register(registerName(next)).watch();
    } catch (thrown) {
      log('warn', 'register_not_reached', { ...next, detail: messageOf(thrown) });
    }
  });
}

/** Every partner and environment that ever had a key or a link: work of what is revoked continues. */
function registersIn(database: D1Database) {
  const all = 'SELECT environment, partner FROM partner_key UNION SELECT environment, partner FROM upload_link';
  return {
    async count(): Promise<number> {
      const counted = database.prepare(`SELECT count(*) AS scopes FROM (${all})`);
      return (await counted.first<{ scopes: number }>())?.scopes ?? 0;
    },
    async page(limit: number, offset: number): Promise<PartnerScope[]> {
      const bound = database.prepare(`${all} ORDER BY environment, partner LIMIT ? OFFSET ?`).bind(limit, offset);
      return (await bound.all<PartnerScope>()).results;
    },
  };
}

/*
 * The watch chain of feeds: a cron begins each again with its settings, which arms a lost alarm and changes nothing
 * else.
 */

interface WatchFeedsPort {
  rows: Pick<FeedRows, 'count' | 'page' | 'now'>;
  mappings: Pick<AnswerMappings, 'read'>;
  feed(name: string): Pick<FeedStub, 'begin' | 'release' | 'eraseAll'>;
}

/**
 * Never throws. @param run counts the runs: if there are more feeds than one run can call, the next one continues after
 * them.
 */
export async function watchFeeds({ rows, mappings, feed }: WatchFeedsPort, run: number): Promise<void> {
  try {
    const waiting = await ofRun(run, WATCH_FEEDS_MAX, rows);
    const read = new Map<Environment, Revision<AnswerMapping>>();
    for (const environment of new Set(waiting.map((settings) => settings.environment))) {
      const mapping = await mappings.read(environment);
      if (mapping.ok) read.set(environment, mapping.value);
    }
    await beginAgain({ rows, feed }, waiting, (environment) => read.get(environment));
  } catch (thrown) {
    log('error', 'feeds_not_watched', { detail: messageOf(thrown) });
  }
}

/** Deletes the entries of the audit whose life has ended. Never throws: the next run repeats it. */
export async function sweepAudit(audit: Pick<Audit, 'sweep'>, beforeMs: number): Promise<void> {
  const swept = await audit.sweep(beforeMs);
  if (!swept.ok) log('warn', 'audit_not_swept', {});
}
