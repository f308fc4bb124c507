/**
 * OrderFeed, one object per (environment, partnerId, clientId): the only poller for these orders, and the log of their
 * statuses.
 * A shell: `poll.ts`, `repair.ts` and `read-answer.ts` decide. Intent before poll, answer stored before it is read;
 * what is lost is a gap until every order it may concern was requested alone.
 */
import { ensureAlarm, wake } from '../kernel/alarm.ts';
import { BoundObject } from '../kernel/bound-object.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { PERMIT_WAIT_MS } from '../kernel/limits.ts';
import { Cached } from '../kernel/migrate.ts';
import { orderName, type PartnerScope, registerName } from '../kernel/names.ts';
import type { FeedNotification } from '../tracking/order-following.ts';
import { upstreamOf } from '../upstream/settings.ts';
import type { AnswerMapping } from '../upstream/statuses/answer-mapping.ts';
import { EventStore } from './event-store.ts';
import {
  type EditedMapping,
  type EventPage,
  type FeedAction,
  type FeedSettings,
  type FeedStatus,
  type FollowedOrder,
  gapsOf,
  type OrderSkipped,
  type OrdersQuery,
  pageAfter,
  type RereadOutcome,
} from './feed-status.ts';
import { type EventRow, FEED_MIGRATIONS } from './feed-tables.ts';
import {
  ALARM_OVERDUE_MS,
  FEED_CLOCKS_APART_MS,
  FEED_PAUSE_MS,
  FEED_POLLS_SHOWN,
  FEED_QUIET_MS,
  FEED_STEPS_PER_WAKE_UP,
  FEED_WAKE_UP_MS,
} from './limits.ts';
import { notifyOrders, publishStatuses } from './notify.ts';
import { OrderBook, type RecentOrder } from './order-book.ts';
import { type FeedFacts, type FeedStep, nextFeedStep, nextPollMs } from './poll.ts';
import { PollSteps } from './poll-steps.ts';
import { PollStore, type StoredFeed } from './poll-store.ts';
import { RepairSteps, requestOrders, skipOrder } from './repair-steps.ts';
import { forgetOld } from './retention.ts';
import { FeedCalls, type StepsPort } from './upstream-calls.ts';

/** `taken`: the order-feed key belongs to another partner. */
export type BeginOutcome = 'begun' | 'taken';

interface Parts {
  port: StepsPort;
  polls: PollStore;
  events: EventStore;
  orders: OrderBook;
  calls: FeedCalls;
  polling: PollSteps;
  repairing: RepairSteps;
}

export class OrderFeed extends BoundObject {
  readonly #cached = new Cached(this.ctx.storage, FEED_MIGRATIONS, () => this.#build(this.ctx.storage));
  #waking: Promise<void> | undefined;

  #build(storage: DurableObjectStorage): Parts {
    const polls = new PollStore(storage.sql);
    const events = new EventStore(storage.sql);
    const orders = new OrderBook(storage.sql);
    const name = this.ctx.id.name ?? '';
    const commit = (work: () => void): void => storage.transactionSync(work);
    const port: StepsPort = { env: this.env, polls, events, orders, name, commit };
    const calls = new FeedCalls(port);
    const [polling, repairing] = [new PollSteps(port, calls), new RepairSteps(port, calls)];
    return { port, polls, events, orders, calls, polling, repairing };
  }

  get #parts(): Parts {
    return this.#cached.parts;
  }

  /**
   * Settings of operators; an older revision than the stored one changes nothing. Arms an alarm that was lost.
   * Idempotent.
   * @returns `taken` where the order-feed key is another partner's: then nothing was changed.
   */
  async begin(settings: FeedSettings, mapping: EditedMapping): Promise<BeginOutcome> {
    const { polls, events, port } = this.#parts;
    const feed = polls.feed();
    if (feed !== undefined && feed.settings.partner !== settings.partner) return 'taken';
    if (feed === undefined) port.commit(() => polls.begin(settings, mapping, Date.now()));
    else {
      if (settings.edition > feed.settings.edition) this.#keepSettings(settings, feed);
      const isNewer = mapping.edition > feed.mapping.edition;
      const isUsual = mapping.edition === 0 && feed.mapping.edition === 0; // a deploy may have changed the default
      if (isNewer || (isUsual && !isSame(mapping, feed.mapping))) polls.keepMapping(mapping);
    }
    const dueMs = [polls.feed()?.nextPollMs, events.notifyAtMs(), events.publishAtMs()];
    await this.#wakeWithin(Math.max(Date.now(), Math.min(...dueMs.filter((atMs) => typeof atMs === 'number'))));
    return 'begun';
  }

  /** Deletes all of it, on request, once what is under way has ended: that stores what it was answered. */
  async eraseAll(): Promise<void> {
    if (this.#feed() !== undefined) this.#parts.polls.stop();
    await this.#waking;
    const emptied = this.ctx.storage.deleteAll();
    this.#cached.forget();
    await emptied;
  }

  /** If polls now come more often, the next one does not wait for its old time. */
  #keepSettings(settings: FeedSettings, { beganAtMs, nextPollMs: dueMs }: StoredFeed): void {
    const { polls, port } = this.#parts;
    const { clock } = upstreamOf(this.env);
    const nextMs = nextPollMs({ beganAtMs, settings }, clock.nowMs(), clock, Math.random);
    port.commit(() => {
      polls.keepSettings(settings);
      polls.pollNotBefore(Math.min(dueMs, nextMs));
    });
  }

  /**
   * The partner gives the order-feed key up. @returns false where it has events: a partner's log is not left to the
   * next owner.
   */
  async release(partner: string): Promise<boolean> {
    const { polls, events } = this.#parts;
    const feed = polls.feed();
    if (feed === undefined || feed.settings.partner !== partner) return true;
    if (events.hasAny()) return false;
    if (polls.openPoll() !== undefined) throw new Error('a poll is under way: what it brings is still to be read');
    polls.stop();
    await this.ctx.storage.deleteAlarm();
    return true;
  }

  /**
   * An order reports that it is about to be sent, or that no order was made. Reports from another partner are ignored.
   * Idempotent. @returns whether it was accepted.
   */
  async register(scope: PartnerScope, orderRef: string, telling: FeedNotification): Promise<boolean> {
    if (this.#feedOf(scope) === undefined) return false;
    const { polls, orders } = this.#parts;
    const takenUntilMs = this.#takenUntilMs();
    const isLate = takenUntilMs !== null && telling.sinceMs <= takenUntilMs + FEED_CLOCKS_APART_MS;
    const lateMs = isLate ? takenUntilMs : null;
    orders.register(orderRef, telling, Date.now(), lateMs);
    if (orders.dueAtMs() === null && polls.hasOpenGap()) polls.closeGaps(Date.now()); // it was the last one
    if (lateMs !== null) await this.#wakeWithin(Date.now());
    return true;
  }

  /** Checked without creating tables: an order-feed key that an order makes up leaves nothing. */
  #feed(): StoredFeed | undefined {
    const sql = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'feed'`;
    return this.ctx.storage.sql.exec(sql).toArray().length > 0 ? this.#parts.polls.feed() : undefined;
  }

  /** undefined where the order-feed key is not this partner's. */
  #feedOf({ partner }: PartnerScope): StoredFeed | undefined {
    const feed = this.#feed();
    return feed?.settings.partner === partner ? feed : undefined;
  }

  /** How it reads the upstream's statuses of orders; null where this partner has no such feed. */
  async answerMapping(scope: PartnerScope): Promise<AnswerMapping | null> {
    return this.#feedOf(scope)?.mapping.mapping ?? null;
  }

  /** The partner's log after `after`, in its order; null: from the oldest retained event. */
  async eventsAfter(scope: PartnerScope, after: number | null, limit: number): Promise<EventPage> {
    const feed = this.#feedOf(scope);
    return feed === undefined
      ? { outcome: 'no_feed' }
      : pageAfter(this.#parts.events, after, limit, feed.settings.scac);
  }

  /** The partner's log, newest first; null: it has no such feed. */
  async newestEvents(scope: PartnerScope, before: number | null, limit: number): Promise<EventRow[] | null> {
    return this.#feedOf(scope) === undefined ? null : this.#parts.events.before(before, limit);
  }

  /** The partner's most recent orders, newest first; none where it has no such feed. */
  async recentOrders(scope: PartnerScope, limit: number): Promise<RecentOrder[]> {
    return this.#feedOf(scope) === undefined ? [] : this.#parts.orders.recent(limit);
  }

  /** The partner's orders by number, after `after`; null: it has no such feed. */
  async ordersAfter(scope: PartnerScope, after: string, limit: number): Promise<RecentOrder[] | null> {
    return this.#feedOf(scope) === undefined ? null : this.#parts.orders.page(after, limit);
  }

  /** What it knows of one order; null: the partner has no such feed. */
  async followed(scope: PartnerScope, orderRef: string): Promise<FollowedOrder | null> {
    const feed = this.#feedOf(scope);
    if (feed === undefined) return null;
    const { polls, orders } = this.#parts;
    const booked = orders.one(orderRef);
    const last = polls.polls(FEED_POLLS_SHOWN).find(({ state }) => state === 'read');
    return {
      booked,
      lastPoll: last === undefined ? null : { pollNo: last.poll_no, atMs: last.started_at_ms },
      nextPollMs: feed.nextPollMs,
      trouble: feed.trouble,
      gaps: gapsOf(polls.gaps(FEED_POLLS_SHOWN), booked),
    };
  }

  /** null: it was never begun. */
  async status(): Promise<FeedStatus | null> {
    const feed = this.#feed();
    if (feed === undefined) return null;
    const { polls, events, orders } = this.#parts;
    return {
      settings: feed.settings,
      mappingEdition: feed.mapping.edition,
      nextPollMs: feed.nextPollMs,
      trouble: feed.trouble,
      repairUnfit: feed.repairUnfit,
      polls: polls.polls(FEED_POLLS_SHOWN),
      gaps: { ...polls.countGaps(), shown: polls.gaps(FEED_POLLS_SHOWN) },
      unread: polls.countUnread(),
      orders: orders.counts(),
      failures: orders.failures(FEED_POLLS_SHOWN),
      lastSeq: events.last(),
    };
  }

  /** The next poll is due now. One that is in progress is not doubled. @returns false where there is no feed. */
  async pollNow(by: FeedAction): Promise<boolean> {
    const { polls, port } = this.#parts;
    if (polls.feed() === undefined) return false;
    port.commit(() => {
      polls.pollNotBefore(Date.now());
      polls.audit({ ...by, atMs: Date.now(), what: 'poll_now', detail: {} });
    });
    await this.#wakeWithin(Date.now());
    return true;
  }

  /** All open orders are requested, one by one. @returns how many are due; null where there is no feed. */
  async repairNow(by: FeedAction): Promise<number | null> {
    const { polls, orders, port } = this.#parts;
    if (polls.feed() === undefined) return null;
    port.commit(() => {
      orders.markDue(Date.now(), this.#takenUntilMs() ?? 0);
      polls.storeRepairSkipped({ count: 0, samples: [] });
      const { due } = orders.counts();
      polls.audit({ ...by, atMs: Date.now(), what: 'repair_now', detail: { due } });
    });
    await this.#wakeWithin(Date.now());
    return orders.counts().due;
  }

  /** Single orders are requested, whether the feed knows them or not. null: there is no feed. */
  async repairOrders(orderRefs: readonly string[], by: FeedAction): Promise<OrdersQuery | null> {
    const feed = this.#parts.polls.feed();
    if (feed === undefined) return null;
    const fromMs = (): number => this.#takenUntilMs() ?? 0;
    const asked = await requestOrders(this.#parts.port, feed.settings, orderRefs, by, fromMs);
    if (asked !== null) await this.#wakeWithin(Date.now());
    return asked;
  }

  /** Repairs no longer wait for this order. null: there is no feed. */
  async skipOrder(orderRef: string, by: FeedAction): Promise<OrderSkipped | null> {
    const { polls, port } = this.#parts;
    return polls.feed() === undefined ? null : skipOrder(port, orderRef, by);
  }

  /** A stored answer is read again, under the current mapping. Nothing is sent. */
  async reread(pollNo: number, by: FeedAction): Promise<RereadOutcome> {
    const { polls, polling } = this.#parts;
    const feed = polls.feed();
    if (feed === undefined) return { outcome: 'poll_unknown' };
    const outcome = await polling.reread(pollNo, feed, (reread) =>
      polls.audit({ ...by, atMs: Date.now(), what: 'reread', detail: { pollNo, ...reread } }),
    );
    if (outcome.outcome === 'reread') await this.#wakeWithin(Date.now());
    return outcome;
  }

  /** Two wake-ups at once are one: there is never a second poller. */
  override alarm(): Promise<void> {
    this.#waking ??= this.#wakeUp().finally(() => {
      this.#waking = undefined;
    });
    return this.#waking;
  }

  async #wakeUp(): Promise<void> {
    if (!(await this.#cached.isReady())) return;
    const againMs = Date.now() + FEED_PAUSE_MS;
    const afterFailure = (): number => againMs;
    await wake(this.ctx.storage, { work: () => this.#work(), failed: 'feed_wake_up_failed', afterFailure });
  }

  /** @returns when to wake next; null: there is no feed. */
  async #work(): Promise<number | null> {
    const { calls } = this.#parts;
    const { clock } = upstreamOf(this.env);
    const untilMs = clock.nowMs() + FEED_WAKE_UP_MS;
    try {
      for (let step = 0; step < FEED_STEPS_PER_WAKE_UP && clock.nowMs() < untilMs; step += 1) {
        const feed = this.#parts.polls.feed();
        if (feed === undefined) return null;
        const turn = nextFeedStep(this.#facts(feed), clock.nowMs());
        if (turn.turn === 'wait') {
          const waitMs = turn.untilMs - clock.nowMs();
          if (this.#isMidRepair() === false || waitMs > PERMIT_WAIT_MS) return turn.untilMs;
          await scheduler.wait(Math.max(1, waitMs));
        } else await this.#take(turn, feed, clock);
      }
      return clock.nowMs();
    } finally {
      await calls.settle();
    }
  }

  async #take(turn: Exclude<FeedStep, { turn: 'wait' }>, feed: StoredFeed, clock: Clock): Promise<void> {
    const { events, polling, repairing, polls, orders } = this.#parts;
    switch (turn.turn) {
      case 'recover':
        return polling.recover(turn.pollNo, feed, clock);
      case 'read':
        return polling.read(turn.pollNo, feed, clock);
      case 'poll':
        await forgetOld({ polls, events, orders, files: this.env.FILES }, clock);
        return polling.poll(feed, clock);
      case 'tell': {
        const { settings } = feed;
        return notifyOrders(
          events,
          settings,
          (orderRef) => this.env.ORDER.getByName(orderName(settings, orderRef)),
          clock,
        );
      }
      case 'announce': {
        const { settings } = feed;
        return publishStatuses(events, settings, this.env.WEBHOOKS.getByName(registerName(settings)), clock);
      }
      case 'repair':
        return repairing.repair(feed, clock);
    }
  }

  #facts(feed: StoredFeed): FeedFacts {
    const { polls, events, orders } = this.#parts;
    const open = polls.openPoll();
    const dueMs = orders.dueAtMs();
    return {
      open: open
        ? {
            pollNo: open.poll_no,
            state: open.state === 'asking' ? 'asking' : 'stored',
            notBeforeMs: open.not_before_ms,
          }
        : null,
      nextPollMs: feed.nextPollMs,
      notifyAtMs: events.notifyAtMs(),
      publishAtMs: events.publishAtMs(),
      repairAtMs: dueMs === null ? null : Math.max(dueMs, feed.nextRepairMs),
    };
  }

  #takenUntilMs = (): number | null =>
    this.#parts.polls.takenUntilMs(scaledMs(FEED_QUIET_MS, upstreamOf(this.env).clock));

  /** Between two orders of a repair another wake-up would cost more than the wait. */
  #isMidRepair = (): boolean => this.#parts.orders.dueAtMs() !== null;

  #wakeWithin = (atMs: number): Promise<void> => ensureAlarm(this.ctx.storage, atMs, Date.now() - ALARM_OVERDUE_MS);
}

const isSame = (one: EditedMapping, other: EditedMapping): boolean => JSON.stringify(one) === JSON.stringify(other);
