/** The steps of a feed: poll, read, repair. Each can be repeated after a crash; what is decided stands in pure files. */
import { createHash } from 'node:crypto';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { CHANNEL_PAUSE_MS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { pollKey } from '../kernel/names.ts';
import type { Answer, Observation } from '../upstream/answer.ts';
import type { Channel } from '../upstream/channels.ts';
import { orderHistory, pollOrderHistory } from '../upstream/endpoints.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { Asking } from './asking.ts';
import type { EventStore } from './event-store.ts';
import type { RereadOutcome } from './feed-status.ts';
import { FEED_PAUSE_MS, FEED_REFUSED_PAUSE_MS, UNFIT_SAMPLES_MAX } from './limits.ts';
import type { OrderBook } from './order-book.ts';
import { judgePoll, type LostWhy, nextPollMs, type PollVerdict } from './poll.ts';
import type { PollStore, StoredAnswer, StoredFeed } from './poll-store.ts';
import { type ReadAnswer, readAnswer } from './read-answer.ts';
import { isYoung, judgeRepair, repairPaceMs, repairWaitMs } from './repair.ts';

export interface StepsPort {
  env: Env;
  polls: PollStore;
  events: EventStore;
  orders: OrderBook;
  /** Of the object. */
  name: string;
  /** All of it or nothing. */
  commit(work: () => void): void;
}

/** Tries to store an answer before it counts as lost: what is not stored is not read. */
const STORE_TRIES = 3;
/** A 204 says that there is nothing, and has no body to say it. */
const NO_CONTENT = 204;
const NOTHING_READ: ReadAnswer = { statuses: [], entries: 0, unfit: { count: 0, samples: [] } };

export class FeedSteps {
  readonly #port: StepsPort;
  readonly #feedHash: string;
  #asking: { of: string; asking: Asking } | undefined;

  constructor(port: StepsPort) {
    this.#port = port;
    this.#feedHash = createHash('sha256').update(port.name).digest('hex').slice(0, 32);
  }

  /** Asks for all changes since the last poll; the intent is committed before each sending. */
  async poll(feed: StoredFeed, clock: Clock): Promise<void> {
    const { polls } = this.#port;
    const { settings } = feed;
    const channel = this.#channelOf(feed, clock);
    if (channel === null) return;
    let pollNo: number | null = null;
    const asked = await this.#askingOf(feed).ask(settings.scac, {
      channel,
      clock,
      isRepeatable: false,
      post: (port) => pollOrderHistory(port, channel, settings),
      begin: () => {
        const startedAtMs = clock.nowMs();
        pollNo = polls.beginPoll(startedAtMs);
        polls.pollNotBefore(nextPollMs(startedAtMs, clock, Math.random));
      },
      // A 401 is answered by another sending with a new token; whatever else comes is judged below, once it is stored.
      end: (observed) => {
        const verdict = judgePoll(observed, clock.nowMs());
        if (pollNo !== null && verdict.verdict === 'refused') this.#refused(pollNo, observed, verdict, clock);
      },
    });
    if (asked.outcome === 'parked') {
      polls.pollNotBefore(asked.untilMs);
      polls.noteTrouble({ atMs: clock.nowMs(), detail: `the gate of the channel lets nothing pass: ${asked.why}` });
      return;
    }
    const verdict = judgePoll(asked.observed, clock.nowMs());
    if (pollNo === null) {
      const detail = verdict.verdict === 'not_sent' ? verdict.detail : verdict.verdict;
      polls.noteTrouble({ atMs: clock.nowMs(), detail });
      const isLate = asked.observed.outcome === 'not_sent' && asked.observed.code === 'withdrawn'; // its permit ran out
      polls.pollNotBefore(clock.nowMs() + scaledMs(isLate ? CHANNEL_PAUSE_MS : FEED_REFUSED_PAUSE_MS, clock));
      return;
    }
    await this.#keep(pollNo, asked.observed, verdict, feed, clock);
  }

  /** Left by a dead process: what it had stored is taken up, anything else is lost. */
  async recover(pollNo: number, feed: StoredFeed, clock: Clock): Promise<void> {
    const { polls, env } = this.#port;
    const key = pollKey(feed.settings, this.#feedHash, pollNo);
    const stored = await env.FILES.head(key);
    const meta = stored?.customMetadata;
    if (stored === null || meta?.verdict !== 'answered') {
      this.#lose(pollNo, 'interrupted', 'the bridge stopped before the answer was stored', clock);
      return;
    }
    polls.noteAnswer(pollNo, { status: Number(meta.status), key, sha256: meta.sha256 ?? '', bytes: stored.size });
    polls.stored(pollNo, clock.nowMs());
  }

  /** Reads a stored answer into the log. */
  async read(pollNo: number, feed: StoredFeed, clock: Clock): Promise<void> {
    const { polls, commit } = this.#port;
    const found = await this.#readStored(pollNo, feed);
    if (found.outcome === 'later') return polls.readNotBefore(pollNo, clock.nowMs() + scaledMs(FEED_PAUSE_MS, clock));
    if (found.outcome === 'unreadable') return this.#lose(pollNo, 'unreadable', found.why, clock);
    commit(() => {
      this.#learn(pollNo, found.read, feed, clock.nowMs());
      polls.noteTrouble(null);
    });
  }

  /** An operator has it read once more. What was lost only because it could not be read is lost no more. */
  async reread(pollNo: number, feed: StoredFeed): Promise<RereadOutcome> {
    const { polls, commit } = this.#port;
    const poll = polls.poll(pollNo);
    if (poll === undefined) return { outcome: 'poll_unknown' };
    const isWhole = poll.state === 'read' || (poll.key !== null && polls.lostWhy(pollNo) === 'unreadable');
    if (!isWhole) return { outcome: 'not_kept' };
    const found = await this.#readStored(pollNo, feed);
    if (found.outcome === 'later') return { outcome: 'not_kept' };
    if (found.outcome === 'unreadable') return { outcome: 'unreadable', why: found.why };
    let news = 0;
    commit(() => {
      news = this.#learn(pollNo, found.read, feed, Date.now());
      polls.closeGap(pollNo, Date.now());
    });
    return { outcome: 'reread', entries: found.read.entries, news, unfit: found.read.unfit.count };
  }

  /** Asks for the history of the next order that a gap may concern. When none is left, all gaps are closed. */
  async repair(feed: StoredFeed, clock: Clock): Promise<void> {
    const { polls, events, orders, commit } = this.#port;
    const { settings } = feed;
    const order = orders.nextDue(clock.nowMs());
    const channel = this.#channelOf(feed, clock);
    if (order === undefined || channel === null) return;
    const { order_ref: orderRef } = order;
    const asked = await this.#askingOf(feed).ask(settings.scac, {
      channel,
      clock,
      isRepeatable: true,
      post: (port) => orderHistory(port, channel, { scac: settings.scac, orderRef }),
      begin: () => undefined,
      end: () => undefined,
    });
    const nowMs = clock.nowMs();
    if (asked.outcome === 'parked') {
      polls.repairNotBefore(asked.untilMs);
      polls.noteTrouble({ atMs: nowMs, detail: `the gate of the channel lets nothing pass: ${asked.why}` });
      return;
    }
    polls.repairNotBefore(nowMs + repairPaceMs(settings.repairsPerMinute, clock));
    const verdict = judgeRepair(asked.observed, order.learned_at_ms !== null);
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
        return this.#repaired(order, NOTHING_READ, clock);
      case 'answered': {
        const read = readAnswer(verdict.text, feed.mapping.mapping);
        if (!read.ok) return failed(`the answer is unreadable: ${read.error}`);
        return commit(() => {
          const { after } = events.learn(read.value.statuses, null, nowMs);
          orders.noteEvents(after, nowMs);
          this.#noteUnfit(read.value);
          this.#repaired(order, read.value, clock);
        });
      }
    }
  }

  /** The wake-up is over. */
  async settle(): Promise<void> {
    await this.#asking?.asking.settle();
  }

  /** @param order as it was when it was asked for. Of a young order nothing found may mean that it is not listed yet. */
  #repaired(
    order: { order_ref: string; learned_at_ms: number | null; registered_at_ms: number; tries: number },
    read: ReadAnswer,
    clock: Clock,
  ): void {
    const { polls, orders } = this.#port;
    const nowMs = clock.nowMs();
    const isUnheard = read.entries === 0 && order.learned_at_ms === null;
    if (isUnheard && isYoung(order.registered_at_ms, clock)) {
      orders.failed(order.order_ref, 'not listed yet', nowMs + repairWaitMs(order.tries + 1, clock));
    } else {
      orders.repaired(order.order_ref);
      if (orders.dueAtMs() === null && polls.hasOpenGap()) polls.closeGaps(nowMs);
    }
  }

  /** It is kept, counted and shown, and keeps no gap open: the same answer would come again. */
  #noteUnfit({ unfit }: ReadAnswer): void {
    const { polls } = this.#port;
    const before = polls.feed()?.repairUnfit;
    if (unfit.count === 0 || before === undefined) return;
    const samples = [...unfit.samples, ...before.samples].slice(0, UNFIT_SAMPLES_MAX);
    polls.keepRepairUnfit({ count: before.count + unfit.count, samples });
  }

  async #keep(
    pollNo: number,
    observed: Observation,
    verdict: PollVerdict,
    feed: StoredFeed,
    clock: Clock,
  ): Promise<void> {
    const { polls } = this.#port;
    switch (verdict.verdict) {
      case 'refused':
        return; // noted where it was seen
      case 'not_sent': // behind a sending that was refused: a second one could not be made
        return polls.noteTrouble({ atMs: clock.nowMs(), detail: verdict.detail });
      case 'lost':
        if (observed.outcome === 'answered') await this.#store(pollNo, observed, 'lost', feed);
        return this.#lose(pollNo, verdict.why, detailOf(observed), clock);
      case 'answered': {
        if (observed.outcome !== 'answered') return;
        const isStored = await this.#store(pollNo, observed, 'answered', feed);
        if (!isStored) return this.#lose(pollNo, 'not_stored', 'the answer could not be stored', clock);
        return polls.stored(pollNo, clock.nowMs());
      }
    }
  }

  #refused(pollNo: number, observed: Observation, verdict: PollVerdict & { verdict: 'refused' }, clock: Clock): void {
    const { polls } = this.#port;
    const status = observed.outcome === 'answered' ? observed.status : null;
    const nowMs = clock.nowMs();
    polls.refused(pollNo, status, verdict.detail, nowMs);
    polls.noteTrouble({ atMs: nowMs, detail: `poll ${pollNo} was refused: ${verdict.detail}` });
    polls.pollNotBefore(nowMs + scaledMs(verdict.waitMs, clock));
  }

  /** @returns whether it is stored. */
  async #store(
    pollNo: number,
    answer: Answer,
    verdict: 'answered' | 'lost',
    { settings }: StoredFeed,
  ): Promise<boolean> {
    const { env, polls } = this.#port;
    const bytes = answer.bodyEncoding === 'utf-8' ? new TextEncoder().encode(answer.body) : latin1(answer.body);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const key = pollKey(settings, this.#feedHash, pollNo);
    const customMetadata = { verdict, status: String(answer.status), sha256 };
    for (let tries = 0; tries < STORE_TRIES; tries += 1) {
      try {
        await env.FILES.put(key, bytes, { customMetadata, sha256 });
        const stored: StoredAnswer = { status: answer.status, key, sha256, bytes: bytes.byteLength };
        polls.noteAnswer(pollNo, stored);
        return true;
      } catch (thrown) {
        log('warn', 'poll_not_stored', { detail: messageOf(thrown) });
      }
    }
    return false;
  }

  /** A gap, and the orders that it may concern: one commit. */
  #lose(pollNo: number, why: LostWhy, detail: string, clock: Clock): void {
    const { polls, orders, commit } = this.#port;
    const nowMs = clock.nowMs();
    commit(() => {
      orders.markDue(polls.lost(pollNo, why, detail, nowMs));
      if (orders.dueAtMs() === null) polls.closeGaps(nowMs); // nothing is known that could have changed
    });
    log('warn', 'poll_lost', { detail: `poll ${pollNo}: ${why}, ${detail}` });
  }

  async #readStored(
    pollNo: number,
    feed: StoredFeed,
  ): Promise<{ outcome: 'read'; read: ReadAnswer } | { outcome: 'unreadable'; why: string } | { outcome: 'later' }> {
    const { polls, env } = this.#port;
    const poll = polls.poll(pollNo);
    if (poll?.status === NO_CONTENT) return { outcome: 'read', read: NOTHING_READ };
    let text: string | undefined;
    try {
      text = await (await env.FILES.get(poll?.key ?? ''))?.text();
    } catch (thrown) {
      log('warn', 'poll_not_fetched', { detail: messageOf(thrown) });
      return { outcome: 'later' };
    }
    if (text === undefined) return { outcome: 'unreadable', why: 'what was stored is gone' };
    const read = readAnswer(text, feed.mapping.mapping);
    return read.ok ? { outcome: 'read', read: read.value } : { outcome: 'unreadable', why: read.error };
  }

  /** @returns how many of its statuses are news. */
  #learn(pollNo: number, { statuses, entries, unfit }: ReadAnswer, feed: StoredFeed, nowMs: number): number {
    const { polls, events, orders } = this.#port;
    const { news, after } = events.learn(statuses, pollNo, nowMs);
    orders.noteEvents(after, nowMs);
    const mappingEdition = feed.mapping.edition;
    polls.read(pollNo, { mappingEdition, entries, news, unfit: unfit.count, samples: unfit.samples });
    return news;
  }

  #askingOf({ settings }: StoredFeed): Asking {
    const of = JSON.stringify(settings);
    if (this.#asking?.of !== of) this.#asking = { of, asking: new Asking(this.#port.env, settings) };
    return this.#asking.asking;
  }

  /** null: it is gone, or belongs to the other environment; nothing may leave then. */
  #channelOf({ settings }: StoredFeed, clock: Clock): Channel | null {
    const channel = upstreamOf(this.#port.env).channels.get(settings.channel);
    if (channel !== undefined && channel.environment === settings.environment) return channel;
    const { polls } = this.#port;
    const atMs = clock.nowMs() + scaledMs(FEED_REFUSED_PAUSE_MS, clock);
    polls.pollNotBefore(atMs);
    polls.repairNotBefore(atMs);
    polls.noteTrouble({
      atMs: clock.nowMs(),
      detail: `channel "${settings.channel}" is not configured for this environment`,
    });
    return null;
  }
}

const detailOf = (observed: Observation): string =>
  observed.outcome === 'answered'
    ? `status ${observed.status}, body ${observed.bodyEnd}`
    : `${observed.code}: ${observed.detail}`;

function latin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
