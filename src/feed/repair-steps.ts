/** The step of a repair: orders are requested alone, one after the other. `repair.ts` decides. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { CHANNEL_PAUSE_MS, SKIPPED_SAMPLES_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { orderName } from '../kernel/names.ts';
import type { NamedIds } from '../tracking/store/order-store.ts';
import { orderHistory } from '../upstream/endpoints.ts';
import { type ReadAnswer, readAnswer } from '../upstream/statuses/read-answer.ts';
import type { FeedAction, FeedSettings, OrderSkipped, OrdersQuery } from './feed-status.ts';
import type { BookedOrder } from './feed-tables.ts';
import { isOwn } from './poll-steps.ts';
import type { StoredFeed } from './poll-store.ts';
import {
  classifyRepair,
  isWhole,
  isYoung,
  mustBeKnown,
  type Owner,
  ownerOf,
  repairPaceMs,
  repairWaitMs,
  type TargetQuery,
} from './repair.ts';
import type { FeedCalls, StepsPort } from './upstream-calls.ts';

/** What a feed needs to know of an order it requests: a port of the caller. */
interface NamedOrder {
  ids(): Promise<NamedIds>;
}

const NOT_NAMED = 'the order could not be asked for its ids';

export class RepairSteps {
  readonly #port: StepsPort;
  readonly #calls: FeedCalls;

  constructor(port: StepsPort, calls: FeedCalls) {
    this.#port = port;
    this.#calls = calls;
  }

  /** Requests the history of the next order that a gap may concern. When none is left, all gaps are closed. */
  async repair(feed: StoredFeed, clock: Clock): Promise<void> {
    const { polls, events, orders } = this.#port;
    const { settings } = feed;
    const order = orders.nextDue(clock.nowMs());
    const channel = this.#calls.channelOf(feed, clock);
    if (order === undefined || channel === null) return;
    const { order_ref: orderRef } = order;
    const asked = await this.#calls.request(feed, {
      channel,
      clock,
      isRepeatable: true,
      post: (port) => orderHistory(port, channel, { scac: settings.scac, orderRef }),
    });
    await failpoint('repair_answered');
    if (!isOwn(polls.feed(), settings)) return; // released meanwhile: what it would learn is of nobody, or of the next owner
    const nowMs = clock.nowMs();
    if (asked.outcome === 'parked') {
      polls.repairNotBefore(asked.untilMs);
      polls.noteTrouble({ atMs: nowMs, detail: `the gate of the channel lets nothing pass: ${asked.why}` });
      return;
    }
    polls.repairNotBefore(nowMs + repairPaceMs(settings.repairsPerMinute, clock));
    const verdict = classifyRepair(asked.observed);
    const failed = (failure: string): void =>
      orders.failed(orderRef, failure, nowMs + repairWaitMs(order.tries + 1, clock));
    switch (verdict.verdict) {
      case 'not_sent':
        polls.repairNotBefore(nowMs + scaledMs(CHANNEL_PAUSE_MS, clock));
        polls.noteTrouble({ atMs: nowMs, detail: verdict.detail });
        return;
      case 'failed':
        return failed(verdict.detail);
      case 'nothing':
        return this.#repaired(order, 0, clock);
      case 'unknown': {
        const named = await this.#named(feed, orderRef);
        if (!isOwn(polls.feed(), settings)) return;
        if (named === null) return failed(NOT_NAMED);
        return mustBeKnown(order, named, clock) ? failed(verdict.detail) : this.#repaired(order, 0, clock);
      }
      case 'answered': {
        const named = await this.#named(feed, orderRef);
        if (!isOwn(polls.feed(), settings)) return;
        if (named === null) return failed(NOT_NAMED);
        return this.#learn(
          verdict.text,
          order,
          { orderRef, polled: events.polledIds(orderRef), creates: order.creates, ...named },
          feed,
          clock,
        );
      }
    }
  }

  /**
   * Learns only what is of this order. If it cannot yet tell, the order is requested again: its id will soon be known.
   */
  #learn(text: string, order: BookedOrder, asked: TargetQuery, { mapping }: StoredFeed, clock: Clock): void {
    const { events, orders, commit } = this.#port;
    const nowMs = clock.nowMs();
    const counts: Record<Owner, number> = { ours: 0, unclear: 0, order_ref_foreign: 0, order_id_foreign: 0 };
    const owner = ownerOf(asked);
    const listed = new Set<string>();
    const read = readAnswer(text, mapping.mapping, (status) => {
      const found = owner(status);
      counts[found] += 1;
      if (found === 'ours') listed.add(status.orderId?.toLowerCase() ?? '');
      return found === 'ours' ? null : found === 'unclear' ? 'order_id_foreign' : found;
    });
    const again = (failure: string): void =>
      orders.failed(order.order_ref, failure, nowMs + repairWaitMs(order.tries + 1, clock));
    if (!read.ok) {
      again(`the answer is unreadable: ${read.error}`);
      return;
    }
    const own = read.value.entries - counts.order_ref_foreign - counts.order_id_foreign;
    commit(() => {
      orders.noteEvents(events.learn(read.value.statuses, null, nowMs), nowMs);
      if (counts.unclear > 0)
        return again('it is being made, and what is listed may be of another: its id is not known yet');
      this.#noteSkipped(read.value);
      this.#repaired(order, isWhole(asked, listed) ? own : 0, clock);
    });
  }

  /** null: the order could not be queried. */
  async #named({ settings }: StoredFeed, orderRef: string): Promise<NamedIds | null> {
    try {
      const order: NamedOrder = this.#port.env.ORDER.getByName(orderName(settings, orderRef));
      return await order.ids();
    } catch (thrown) {
      log('warn', 'order_not_asked', { detail: messageOf(thrown) });
      return null;
    }
  }

  /**
   * @param order as it was when it was requested: it may have been made anew since. @param found entries that may be of
   * it; 0 where they are not all of it. For a young order none, or only those of an earlier one, may be found because it
   * is not listed yet.
   */
  #repaired(order: BookedOrder, found: number, clock: Clock): void {
    const { polls, orders, commit } = this.#port;
    const nowMs = clock.nowMs();
    const { creates, registered_at_ms } = orders.booked(order.order_ref) ?? order;
    const isUnsure = found === 0 || creates > 1;
    commit(() => {
      if (isUnsure && isYoung(registered_at_ms, clock)) {
        orders.failed(order.order_ref, 'not listed yet', nowMs + repairWaitMs(order.tries + 1, clock));
      } else {
        orders.repaired(order.order_ref);
        if (orders.dueAtMs() === null && polls.hasOpenGap()) polls.closeGaps(nowMs);
      }
    });
  }

  /** A skipped entry is stored, counted and shown, but keeps no gap open: the same answer would come again. */
  #noteSkipped({ unfit }: ReadAnswer): void {
    const { polls } = this.#port;
    const before = polls.feed()?.repairUnfit;
    if (unfit.count === 0 || before === undefined) return;
    const samples = [...unfit.samples, ...before.samples].slice(0, SKIPPED_SAMPLES_MAX);
    polls.storeRepairSkipped({ count: before.count + unfit.count, samples });
  }
}

/* What an operator decides about single orders of a feed: to request them, or to skip one. */

/**
 * Requests orders that the feed may not know: those sent before it was set. All must have been made here, or none is
 * requested: what is listed under another reference may be another partner's.
 * @param fromMs not before; it may have changed while the orders were asked. @returns null: there is no feed any more.
 */
export async function requestOrders(
  { env, polls, orders, commit }: StepsPort,
  settings: FeedSettings,
  orderRefs: readonly string[],
  by: FeedAction,
  fromMs: () => number,
): Promise<OrdersQuery | null> {
  const known = await Promise.all(
    orderRefs.map(async (orderRef) => {
      const order: NamedOrder = env.ORDER.getByName(orderName(settings, orderRef));
      const { ours, isBeingMade, hasUnnamed } = await order.ids();
      return ours.length > 0 || isBeingMade || hasUnnamed;
    }),
  );
  const unknown = orderRefs.filter((_, index) => known[index] !== true);
  if (unknown.length > 0) return { outcome: 'orders_unknown', orderRefs: unknown };
  if (!isOwn(polls.feed(), settings)) return null;
  const nowMs = Date.now();
  commit(() => {
    for (const orderRef of orderRefs) orders.request(orderRef, nowMs, fromMs());
    polls.audit({ ...by, atMs: nowMs, what: 'repair_orders', detail: { orderRefs } });
  });
  return { outcome: 'asked', due: orders.counts().due };
}

/** A person accepts that what the gap took of this order may be missing. */
export function skipOrder({ polls, orders, commit }: StepsPort, orderRef: string, by: FeedAction): OrderSkipped {
  if (!orders.isDue(orderRef)) return 'not_due';
  const nowMs = Date.now();
  commit(() => {
    orders.repaired(orderRef);
    polls.audit({ ...by, atMs: nowMs, what: 'skip_order', detail: { orderRef } });
    if (orders.dueAtMs() === null) polls.closeGaps(nowMs, 'operator');
  });
  return 'skipped';
}
