/** How the steps of a feed reach the upstream, and what they work on. */
import { signalOf } from '../delivery/classify.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import type { Channel } from '../upstream/channels.ts';
import { type CallOutcome, PermittedCalls, type SingleCall } from '../upstream/permitted-call.ts';
import { upstreamOf } from '../upstream/settings.ts';
import type { ReadAnswer } from '../upstream/statuses/read-answer.ts';
import type { EventStore } from './event-store.ts';
import { FEED_REFUSED_PAUSE_MS, POLL_ANSWER_BYTES_MAX } from './limits.ts';
import type { OrderBook } from './order-book.ts';
import type { PollStore, StoredFeed } from './poll-store.ts';

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

export const NOTHING_READ: ReadAnswer = { statuses: [], entries: 0, unfit: { count: 0, samples: [] } };

export class FeedCalls {
  readonly #port: StepsPort;
  #calls: { of: string; calls: PermittedCalls } | undefined;

  constructor(port: StepsPort) {
    this.#port = port;
  }

  /** With a permit, as every call. */
  request({ settings }: StoredFeed, wanted: Omit<SingleCall, 'scac' | 'signal'>): Promise<CallOutcome> {
    const of = JSON.stringify(settings);
    if (this.#calls?.of !== of) {
      const subject = JSON.stringify(['feed', settings.partnerId, settings.clientId]);
      this.#calls = { of, calls: new PermittedCalls(this.#port.env, { ...settings, subject }) };
    }
    const { scac } = settings;
    return this.#calls.calls.request({ ...wanted, scac, signal: signalOf, answerBytesMax: POLL_ANSWER_BYTES_MAX });
  }

  /** null: it is gone, or belongs to the other environment; then nothing may be sent. */
  channelOf({ settings }: StoredFeed, clock: Clock): Channel | null {
    const channel = upstreamOf(this.#port.env).channels.get(settings.channel);
    if (channel !== undefined && channel.environment === settings.environment) return channel;
    const { polls } = this.#port;
    const atMs = clock.nowMs() + scaledMs(FEED_REFUSED_PAUSE_MS, clock);
    polls.pollNotBefore(atMs);
    polls.repairNotBefore(atMs);
    const detail = `channel "${settings.channel}" is not configured for this environment`;
    polls.noteTrouble({ atMs: clock.nowMs(), detail });
    return null;
  }

  /** The wake-up is over. */
  async settle(): Promise<void> {
    await this.#calls?.calls.settle();
  }
}
