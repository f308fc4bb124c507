/** The order feeds of an environment, for operators: owners, status and actions. */

import type {
  EditedMapping,
  FeedAction,
  FeedSettings,
  FeedStatus,
  FollowedOrder,
  OrderSkipped,
  OrdersQuery,
  RereadOutcome,
} from '../../feed/feed-status.ts';
import type { BeginOutcome } from '../../feed/order-feed.ts';
import { iso } from '../../kernel/clock.ts';
import { inLanes } from '../../kernel/lanes.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { type Environment, feedName, type OrderFeedKey, type PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Channel } from '../../upstream/channels.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import { type ChangeAuthor, directoryReached } from '../directory/directory.ts';
import {
  type AnswerMappings,
  type ChangedMeanwhile,
  isSeen,
  madeMeanwhile,
  type Revision,
  type SeenRevisions,
} from '../directory/settings.ts';
import { FEED_END_PAUSE_MS, FEED_END_TRIES, FEEDS_BEGUN_AT_ONCE } from '../limits.ts';
import type { FeedHistory, FeedRows } from './feed-rows.ts';

/** What is needed of one feed. */
export interface FeedStub {
  begin(settings: FeedSettings, mapping: EditedMapping): Promise<BeginOutcome>;
  release(partner: string): Promise<boolean>;
  eraseAll(): Promise<void>;
  status(): Promise<FeedStatus | null>;
  pollNow(by: FeedAction): Promise<boolean>;
  repairNow(by: FeedAction): Promise<number | null>;
  repairOrders(orderRefs: readonly string[], by: FeedAction): Promise<OrdersQuery | null>;
  skipOrder(orderRef: string, by: FeedAction): Promise<OrderSkipped | null>;
  followed(scope: PartnerScope, orderRef: string): Promise<FollowedOrder | null>;
  reread(pollNo: number, by: FeedAction): Promise<RereadOutcome>;
}

/** @property scac null: the first of the channel. */
interface WantedFeed extends OrderFeedKey {
  channel: string;
  scac: string | null;
  pollMinutes: number;
  repairsPerMinute: number;
}

export interface AgreedFeed {
  settings: FeedSettings;
  history: FeedHistory | null;
}

export type FeedLine = { settings: FeedSettings } & (
  | { reached: true; status: FeedStatus | null }
  | { reached: false; detail: string }
);

export type FeedRefusal =
  | ChangedMeanwhile
  | { code: 'directory_unavailable' | 'feed_unavailable' | 'no_feed' }
  | { code: 'unknown_channel'; name: string; known: readonly string[] }
  | { code: 'scac_not_of_channel'; scac: string; known: readonly string[] }
  /** Another partner has it. Which one is not revealed. */
  | { code: 'pair_taken' }
  /** A partner's log is not left to the next owner of the key. */
  | { code: 'feed_has_events' };

interface FeedsPort {
  rows: FeedRows;
  mappings: AnswerMappings;
  channels: ReadonlyMap<string, Channel>;
  feed(name: string): FeedStub;
}

export type OrderFeeds = ReturnType<typeof orderFeedsOf>;

export function orderFeedsOf(port: FeedsPort) {
  const { rows, feed } = port;
  const stubOf = (settings: FeedSettings): FeedStub => feed(feedName(settings.environment, settings));
  return {
    read: ({ environment, partner }: PartnerScope) =>
      directoryReached<AgreedFeed, FeedRefusal>(async () => {
        const settings = await rows.ofPartner(environment, partner);
        if (settings === null) return err({ code: 'no_feed' });
        return ok({ settings, history: await rows.lastChange(environment, partner) });
      }),
    /** One of them, with its status. */
    line: ({ environment, partner }: PartnerScope) =>
      directoryReached<FeedLine, FeedRefusal>(async () => {
        const settings = await rows.ofPartner(environment, partner);
        return settings === null ? err({ code: 'no_feed' }) : ok(await lineOf(settings, stubOf(settings)));
      }),
    set: (scope: PartnerScope, wanted: WantedFeed, by: ChangeAuthor, seen: SeenRevisions) =>
      directoryReached(() => setFeed(port, scope, wanted, by, seen)),
    /** One that cannot be reached is listed as such and hides no other. */
    list: (environment: Environment) =>
      directoryReached<FeedLine[], FeedRefusal>(async () => {
        const all = await rows.ofEnvironment(environment);
        return ok(await Promise.all(all.map((settings) => lineOf(settings, stubOf(settings)))));
      }),
    /** Calls the feed of a partner. @param callFeed null: there is none under this key any more. */
    call: <T>({ environment, partner }: PartnerScope, callFeed: (stub: FeedStub) => Promise<T | null>) =>
      directoryReached<T, FeedRefusal>(async () => {
        const settings = await rows.ofPartner(environment, partner);
        if (settings === null) return err({ code: 'no_feed' });
        const called = await answered(() => callFeed(stubOf(settings)));
        if (!called.ok) return called;
        return called.value === null ? err({ code: 'no_feed' }) : ok(called.value);
      }),
    /** Sends every feed the current answer mapping. A feed that is not reached gets it from the cron. */
    async spread(environment: Environment, mapping: Revision<AnswerMapping>): Promise<void> {
      try {
        await beginAgain(port, await rows.ofEnvironment(environment), () => mapping);
      } catch (thrown) {
        log('warn', 'feeds_not_told', { environment, detail: messageOf(thrown) });
      }
    },
  };
}

async function setFeed(
  { rows, mappings, channels, feed }: FeedsPort,
  { environment, partner }: PartnerScope,
  wanted: WantedFeed,
  by: ChangeAuthor,
  seen: SeenRevisions,
): Promise<Result<AgreedFeed, FeedRefusal>> {
  const usable = usableChannel(channels, environment, wanted);
  if (!usable.ok) return usable;
  const mapping = await mappings.read(environment);
  if (!mapping.ok) return mapping;
  const holder = await rows.ofFeedKey(environment, wanted);
  if (holder !== null && holder.partner !== partner) return err({ code: 'pair_taken' });
  const before = await rows.ofPartner(environment, partner);
  const now = before?.edition ?? 0;
  if (!isSeen(now, seen)) return err({ code: 'changed_meanwhile', edition: now });
  if (before !== null && holder === null) {
    // A new order-feed key. If this ends before the new one is written, the cron begins the old one again.
    const released = await answered(() => feed(feedName(environment, before)).release(partner));
    if (!released.ok) return released;
    if (!released.value) return err({ code: 'feed_has_events' });
  }
  const edition = now + 1;
  const settings: FeedSettings = { environment, partner, ...wanted, scac: usable.value, edition };
  try {
    await rows.write(settings, by);
  } catch (thrown) {
    const owner = await rows.ofFeedKey(environment, wanted);
    if (owner !== null && owner.partner !== partner) return err({ code: 'pair_taken' });
    if (((await rows.ofPartner(environment, partner))?.edition ?? 0) >= edition)
      return err(madeMeanwhile(edition, seen));
    throw thrown;
  }
  const outcome = await begun(feed(feedName(environment, settings)), settings, mapping.value);
  if (outcome === 'taken') {
    await rows.takeBack(settings, before);
    if (before !== null) await begun(feed(feedName(environment, before)), before, mapping.value); // it was released
    return err({ code: 'pair_taken' });
  }
  await endGivenUp({ rows, feed }, [settings]);
  const { author, note, atMs } = by;
  return ok({ settings, history: { changedBy: author, changedAt: iso(atMs), note } });
}

/** @returns the SCAC that the feed sends. */
function usableChannel(
  channels: ReadonlyMap<string, Channel>,
  environment: Environment,
  wanted: WantedFeed,
): Result<string, FeedRefusal> {
  const own = [...channels.values()].filter((channel) => channel.environment === environment);
  const channel = own.find(({ name }) => name === wanted.channel);
  const known = own.map(({ name }) => name);
  if (channel === undefined) return err({ code: 'unknown_channel', name: wanted.channel, known });
  const scac = wanted.scac ?? channel.scacs[0] ?? '';
  return channel.scacs.includes(scac) ? ok(scac) : err({ code: 'scac_not_of_channel', scac, known: channel.scacs });
}

/** A feed that is not reached is begun by the cron. */
async function begun(
  stub: Pick<FeedStub, 'begin'>,
  settings: FeedSettings,
  { edition, value: mapping }: Revision<AnswerMapping>,
): Promise<BeginOutcome | 'unreached'> {
  try {
    return await stub.begin(settings, { edition, mapping });
  } catch (thrown) {
    const { environment, partner } = settings;
    log('warn', 'feed_not_reached', { environment, partner, detail: messageOf(thrown) });
    return 'unreached';
  }
}

type BeginPort = { rows: Pick<FeedRows, 'now'>; feed(name: string): Pick<FeedStub, 'begin' | 'release' | 'eraseAll'> };

/**
 * Begins feeds as they are agreed now, a few at a time. @param mappingOf undefined: those of that environment are left out.
 */
export async function beginAgain(
  port: BeginPort,
  all: readonly FeedSettings[],
  mappingOf: (environment: Environment) => Revision<AnswerMapping> | undefined,
): Promise<void> {
  for (let at = 0; at < all.length; at += FEEDS_BEGUN_AT_ONCE) {
    const now = await port.rows.now(all.slice(at, at + FEEDS_BEGUN_AT_ONCE));
    await inLanes(now, async (next) => {
      const mapping = mappingOf(next.environment);
      if (mapping !== undefined) await begun(port.feed(feedName(next.environment, next)), next, mapping);
    });
    await endGivenUp(port, now);
  }
}

/**
 * Ends those of the feeds just begun that were erased, or whose order-feed key was given up, before they began: whoever did
 * that had ended them before. Never throws.
 */
async function endGivenUp({ rows, feed }: BeginPort, begunJustNow: readonly FeedSettings[]): Promise<void> {
  try {
    const agreed = await rows.now(begunJustNow);
    await inLanes(begunJustNow, async (settings) => {
      const name = feedName(settings.environment, settings);
      const now = agreed.find((each) => each.environment === settings.environment && each.partner === settings.partner);
      if (now === undefined || feedName(now.environment, now) !== name) await ended(feed(name), settings, now);
    });
  } catch (thrown) {
    log('error', 'feeds_not_watched', { detail: messageOf(thrown) });
  }
}

/** @param now what is agreed in its place; undefined: nothing, and nothing of it stays. Never throws. */
async function ended(
  stub: Pick<FeedStub, 'release' | 'eraseAll'>,
  { environment, partner, partnerId, clientId }: FeedSettings,
  now: FeedSettings | undefined,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (now === undefined) await stub.eraseAll();
      else if (!(await stub.release(partner))) throw new Error('it has events by now');
      return;
    } catch (thrown) {
      const detail = `${partnerId}, ${clientId}: ${messageOf(thrown)}`;
      if (tries >= FEED_END_TRIES) return log('error', 'feed_not_ended', { environment, partner, detail });
    }
    await scheduler.wait(FEED_END_PAUSE_MS); // a poll of it may be under way
  }
}

async function lineOf(settings: FeedSettings, stub: FeedStub): Promise<FeedLine> {
  try {
    return { settings, reached: true, status: await stub.status() };
  } catch (thrown) {
    return { settings, reached: false, detail: messageOf(thrown) };
  }
}

async function answered<T>(callFeed: () => Promise<T>): Promise<Result<T, FeedRefusal>> {
  try {
    return ok(await callFeed());
  } catch (thrown) {
    log('warn', 'feed_not_reached', { detail: messageOf(thrown) });
    return err({ code: 'feed_unavailable' });
  }
}
