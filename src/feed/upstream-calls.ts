/** How the steps of a feed reach the upstream, and what they work on. */
import { classificationOf, classify } from '../delivery/classify.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { gateName, type PartnerScope } from '../kernel/names.ts';
import { Permits } from '../tracking/permits.ts';
import type { Observation } from '../upstream/answer.ts';
import type { UpstreamPort } from '../upstream/call.ts';
import type { Channel } from '../upstream/channels.ts';
import { upstreamOf } from '../upstream/settings.ts';
import type { ReadAnswer } from '../upstream/statuses/read-answer.ts';
import { tokenSource } from '../upstream/tokens.ts';
import type { EventStore } from './event-store.ts';
import { FEED_REFUSED_PAUSE_MS, POLL_ANSWER_BYTES_MAX } from './limits.ts';
import type { OrderBook } from './order-book.ts';
import type { PollStore, StoredFeed } from './poll-store.ts';

/* One call of a feed to the upstream: first a permit of its channel's gate, as for every other call. */

export type TargetQuery =
  | { outcome: 'parked'; untilMs: number; why: string }
  | { outcome: 'observed'; observed: Observation };

interface Question {
  channel: Channel;
  clock: Clock;
  /** Whether a repeat does no harm: only then may it probe an upstream that was down. */
  isRepeatable: boolean;
  moments?: UpstreamPort['moments'];
  post(port: UpstreamPort): Promise<Observation>;
  /** The last check before sending: false cancels the call. */
  mayBegin(): boolean;
  /** Before each sending; `end` after it. */
  begin(): void;
  end(observed: Observation): void;
}

const LANE = 'feed';

export class FeedRequests {
  readonly #env: Pick<Env, 'UPSTREAM_GATE' | 'TOKENS'>;
  readonly #permits: Permits;

  /** @param of the name the gate knows it by. */
  constructor(
    env: Pick<Env, 'UPSTREAM_GATE' | 'TOKENS'>,
    { environment, partner, subject }: PartnerScope & { subject: string },
  ) {
    this.#env = env;
    const gate = (channel: string) => env.UPSTREAM_GATE.getByName(gateName(environment, channel));
    this.#permits = new Permits(gate, { partner, subject });
  }

  /** Never throws, except what `begin` and `end` throw. */
  async request(
    scac: string,
    { channel, clock, isRepeatable, moments, mayBegin, post, begin, end }: Question,
  ): Promise<TargetQuery> {
    const of = { channel: channel.name, scac };
    let permit = this.#permits.take(LANE, of, clock);
    if (permit === null) {
      const parked = await this.#permits.request(LANE, { ...of, repeatable: isRepeatable, backlog: 1 }, clock);
      if (parked !== null) return { outcome: 'parked', untilMs: parked.untilMs, why: parked.why };
      permit = this.#permits.take(LANE, of, clock);
      if (permit === null) return { outcome: 'parked', untilMs: clock.nowMs(), why: 'rate' };
    }
    const { untilMs } = permit;
    const startedAtMs = clock.nowMs();
    let sendings = 0;
    let observed: Observation | null = null;
    try {
      observed = await post({
        tokens: tokenSource(
          { cache: this.#env.TOKENS, gate: (name) => this.#env.UPSTREAM_GATE.getByName(name) },
          clock,
        ),
        clock,
        answerBytesMax: POLL_ANSWER_BYTES_MAX,
        ...(moments === undefined ? {} : { moments }),
        log: {
          mayBegin: () => clock.nowMs() < untilMs && mayBegin(),
          begin: () => {
            sendings += 1;
            begin();
          },
          end,
        },
      });
      return { outcome: 'observed', observed };
    } finally {
      const verdict = observed === null ? 'busy' : classificationOf(observed, classify(observed, clock.nowMs()));
      const status = observed?.outcome === 'answered' ? observed.status : null;
      const detail = observed === null || observed.outcome === 'answered' ? '' : `${observed.code}: ${observed.detail}`;
      this.#permits.note(LANE, permit, { verdict, status, detail, startedAtMs, endedAtMs: clock.nowMs(), sendings });
    }
  }

  /** The wake-up is over: unused permits go back. Never throws. */
  settle = (): Promise<void> => this.#permits.settle(LANE);
}

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
  #requesting: { of: string; asking: FeedRequests } | undefined;

  constructor(port: StepsPort) {
    this.#port = port;
  }

  requestsOf({ settings }: StoredFeed): FeedRequests {
    const of = JSON.stringify(settings);
    if (this.#requesting?.of !== of) {
      const subject = JSON.stringify(['feed', settings.partnerId, settings.clientId]);
      this.#requesting = { of, asking: new FeedRequests(this.#port.env, { ...settings, subject }) };
    }
    return this.#requesting.asking;
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
    await this.#requesting?.asking.settle();
  }
}
