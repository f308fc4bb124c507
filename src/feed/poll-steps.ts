/** The steps of a poll: send, store, read. Each can be repeated after a crash; `poll.ts` decides. */

import { type Clock, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { CHANNEL_PAUSE_MS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { pollKey } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { Answer, Observation } from '../upstream/answer.ts';
import { pollOrderHistory } from '../upstream/endpoints.ts';
import { type ReadAnswer, readAnswer } from '../upstream/statuses/read-answer.ts';
import type { FeedSettings, RereadOutcome } from './feed-status.ts';
import { FEED_PAUSE_MS, FEED_QUIET_MS, FEED_REFUSED_PAUSE_MS, FINAL_GRACE_MS } from './limits.ts';
import { classifyPoll, type LostWhy, nextPollMs, type PollClass } from './poll.ts';
import type { StoredAnswer, StoredFeed } from './poll-store.ts';
import { type FeedCalls, NOTHING_READ, type StepsPort } from './upstream-calls.ts';

/** Tries to store an answer before it counts as lost: what is not stored is not read. */
const STORE_TRIES = 3;
/** A 204 says that there is nothing, and has no body. */
const NO_CONTENT = 204;

export class PollSteps {
  readonly #port: StepsPort;
  readonly #calls: FeedCalls;
  readonly #feedHash: string;

  constructor(port: StepsPort, calls: FeedCalls) {
    this.#port = port;
    this.#calls = calls;
    this.#feedHash = sha256Hex(port.name).slice(0, 32);
  }

  /** Requests all changes since the last poll; the intent is committed before each sending. */
  async poll(feed: StoredFeed, clock: Clock): Promise<void> {
    const { polls, commit } = this.#port;
    const { settings } = feed;
    const channel = this.#calls.channelOf(feed, clock);
    if (channel === null) return;
    let pollNo: number | null = null;
    const asked = await this.#calls.request(feed, {
      channel,
      clock,
      isRepeatable: false,
      moments: { begun: 'poll_begun', answered: 'poll_answered' },
      // The feed may have been released meanwhile, or set anew.
      mayBegin: () => isOwn(polls.feed(), settings) && polls.feed()?.settings.edition === settings.edition,
      post: (port) => pollOrderHistory(port, channel, settings),
      begin: () => {
        const startedAtMs = clock.nowMs();
        commit(() => {
          pollNo = polls.beginPoll(startedAtMs);
          polls.pollNotBefore(nextPollMs(feed, startedAtMs, clock, Math.random));
        });
      },
      // A 401 is followed by another sending with a new token; any other answer is classified below, once it is stored.
      end: (observed) => {
        const verdict = classifyPoll(observed, clock.nowMs());
        if (pollNo !== null && verdict.verdict === 'refused') this.#refused(pollNo, observed, verdict, clock);
      },
    });
    if (asked.outcome === 'parked') {
      polls.pollNotBefore(asked.untilMs);
      polls.noteTrouble({ atMs: clock.nowMs(), detail: `the gate of the channel lets nothing pass: ${asked.why}` });
      return;
    }
    const verdict = classifyPoll(asked.observed, clock.nowMs());
    if (pollNo === null) {
      const detail = verdict.verdict === 'not_sent' ? verdict.detail : verdict.verdict;
      polls.noteTrouble({ atMs: clock.nowMs(), detail });
      const isLate = asked.observed.outcome === 'not_sent' && asked.observed.code === 'withdrawn'; // its permit expired
      polls.pollNotBefore(clock.nowMs() + scaledMs(isLate ? CHANNEL_PAUSE_MS : FEED_REFUSED_PAUSE_MS, clock));
      return;
    }
    await this.#keep(pollNo, asked.observed, verdict, feed, clock);
  }

  /** Left by a dead process: an answer it stored is used, anything else is lost. */
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
    await failpoint('poll_read');
  }

  /**
   * An operator has it read once more. A poll that was lost only because it could not be read is no longer lost.
   * @param note stored with what was learned.
   */
  async reread(
    pollNo: number,
    feed: StoredFeed,
    note: (outcome: RereadOutcome & { outcome: 'reread' }) => void,
  ): Promise<RereadOutcome> {
    const { polls, commit } = this.#port;
    const poll = polls.poll(pollNo);
    if (poll === undefined) return { outcome: 'poll_unknown' };
    const isWhole = poll.state === 'read' || (poll.key !== null && polls.lostWhy(pollNo) === 'unreadable');
    if (!isWhole) return { outcome: 'not_kept' };
    const found = await this.#readStored(pollNo, feed);
    if (found.outcome === 'later') return { outcome: 'not_kept' };
    if (found.outcome === 'unreadable') return { outcome: 'unreadable', why: found.why };
    if (!isOwn(polls.feed(), feed.settings)) return { outcome: 'poll_unknown' }; // released meanwhile
    const { entries, unfit } = found.read;
    let news = 0;
    const outcome = () => ({ outcome: 'reread' as const, entries, news, unfit: unfit.count });
    commit(() => {
      news = this.#learn(pollNo, found.read, feed, Date.now());
      polls.closeGap(pollNo, Date.now());
      note(outcome());
    });
    return outcome();
  }

  async #keep(
    pollNo: number,
    observed: Observation,
    verdict: PollClass,
    feed: StoredFeed,
    clock: Clock,
  ): Promise<void> {
    const { polls } = this.#port;
    switch (verdict.verdict) {
      case 'refused':
        return; // recorded where it was seen
      case 'not_sent': // after a sending that was refused: a second one could not be made
        return polls.noteTrouble({ atMs: clock.nowMs(), detail: verdict.detail });
      case 'lost':
        if (observed.outcome === 'answered') await this.#store(pollNo, observed, 'lost', feed);
        return this.#lose(pollNo, verdict.why, detailOf(observed), clock);
      case 'answered': {
        if (observed.outcome !== 'answered') return;
        const isStored = await this.#store(pollNo, observed, 'answered', feed);
        if (!isStored) return this.#lose(pollNo, 'not_stored', 'the answer could not be stored', clock);
        polls.stored(pollNo, clock.nowMs());
        return failpoint('poll_stored');
      }
    }
  }

  #refused(pollNo: number, observed: Observation, verdict: PollClass & { verdict: 'refused' }, clock: Clock): void {
    const { polls, commit } = this.#port;
    const status = observed.outcome === 'answered' ? observed.status : null;
    const nowMs = clock.nowMs();
    commit(() => {
      polls.refused(pollNo, status, verdict.detail, nowMs);
      polls.noteTrouble({ atMs: nowMs, detail: `poll ${pollNo} was refused: ${verdict.detail}` });
      polls.pollNotBefore(nowMs + scaledMs(verdict.waitMs, clock));
    });
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
    const sha256 = sha256Hex(bytes);
    const key = pollKey(settings, this.#feedHash, pollNo);
    const customMetadata = { verdict, status: String(answer.status), sha256 };
    for (let tries = 0; tries < STORE_TRIES; tries += 1) {
      try {
        await env.FILES.put(key, bytes, { customMetadata, sha256 });
        await failpoint('poll_put');
        const stored: StoredAnswer = { status: answer.status, key, sha256, bytes: bytes.byteLength };
        polls.noteAnswer(pollNo, stored);
        return true;
      } catch (thrown) {
        log('warn', 'poll_not_stored', { detail: messageOf(thrown) });
      }
    }
    return false;
  }

  /** Records a gap and the orders it may concern, in one commit. */
  #lose(pollNo: number, why: LostWhy, detail: string, clock: Clock): void {
    const { polls, orders, commit } = this.#port;
    const nowMs = clock.nowMs();
    commit(() => {
      const sinceMs = polls.lost(pollNo, why, detail, nowMs);
      const fromMs = polls.takenUntilMs(scaledMs(FEED_QUIET_MS, clock)) ?? nowMs;
      orders.markDue(Math.min(sinceMs, nowMs - scaledMs(FINAL_GRACE_MS, clock)), fromMs);
      if (orders.dueAtMs() === null) polls.closeGaps(nowMs, 'nothing_known');
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

  /** @returns how many of its statuses are new. */
  #learn(pollNo: number, { statuses, entries, unfit }: ReadAnswer, feed: StoredFeed, nowMs: number): number {
    const { polls, events, orders } = this.#port;
    const learned = events.learn(statuses, pollNo, nowMs);
    orders.noteEvents(learned, nowMs);
    const { news } = learned;
    const mappingEdition = feed.mapping.edition;
    polls.read(pollNo, { mappingEdition, entries, news, unfit: unfit.count, samples: unfit.samples });
    return news;
  }
}

/** Whether it is still the feed of that partner. */
export const isOwn = (feed: StoredFeed | undefined, { partner }: FeedSettings): boolean =>
  feed?.settings.partner === partner;

const detailOf = (observed: Observation): string =>
  observed.outcome === 'answered'
    ? `status ${observed.status}, body ${observed.bodyEnd}`
    : `${observed.code}: ${observed.detail}`;

function latin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
