/** What the steps of a feed work on: its own storage, a clock that tests move, and stand-ins for the gate, the files and the orders. */
import { vi } from 'vitest';
import { EventStore } from '../../../src/feed/event-store.ts';
import type { FeedSettings } from '../../../src/feed/feed-status.ts';
import { FEED_MIGRATIONS } from '../../../src/feed/feed-tables.ts';
import { OrderBook } from '../../../src/feed/order-book.ts';
import { PollSteps } from '../../../src/feed/poll-steps.ts';
import { PollStore, type StoredFeed } from '../../../src/feed/poll-store.ts';
import { RepairSteps, requestOrders } from '../../../src/feed/repair-steps.ts';
import { FeedCalls, type StepsPort } from '../../../src/feed/upstream-calls.ts';
import { err, type Result } from '../../../src/kernel/result.ts';
import { type NamedIds, NOTHING_NAMED } from '../../../src/tracking/store/order-store.ts';
import type { LeaseAnswer, LeaseRequest } from '../../../src/upstream/gate/core.ts';
import type { TokenProblem } from '../../../src/upstream/gate/mint.ts';
import type { CachedToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { sqlOf } from '../tracking/samples.ts';
import { type MovedClock, movedClock } from '../upstream/gate-samples.ts';
import { BASE_URL } from '../upstream/samples.ts';

const SETTINGS: FeedSettings = {
  environment: 'test',
  partner: 'acme',
  partnerId: 'P-1',
  clientId: 'C-1',
  channel: 'main',
  scac: 'DEMO',
  pollMinutes: 30,
  repairsPerMinute: 60,
  edition: 1,
};
const BY = { keyId: 'k_1', author: 'Analyst', why: 'a test' };
const CHANNEL = { name: 'main', baseUrl: BASE_URL, scacs: ['DEMO'] };
const SECRETS = { main: { apiKey: 'canary-key', clientId: 'canary-id', clientSecret: 'canary-secret' } };

/** A gate that grants for a minute, unless `answers` say otherwise, and has no token to give before it `mints` one. */
export function aGate(clock: MovedClock, answers: LeaseAnswer[] = []) {
  const asked: LeaseRequest[] = [];
  const mints = vi.fn(
    async (): Promise<Result<CachedToken, TokenProblem>> => err({ code: 'token_refused', detail: 'status 500' }),
  );
  return {
    ...{ asked, answers, mints },
    binding: {
      getByName: () => ({
        lease: async (_: string, request: LeaseRequest): Promise<LeaseAnswer> => {
          asked.push(request);
          if (request.wanted < 1) return { outcome: 'noted' };
          const untilMs = clock.nowMs() + 60_000;
          return answers.shift() ?? { outcome: 'granted', lease: 'lease', permits: 1, untilMs, probe: false };
        },
        currentToken: mints,
      }),
    },
  };
}

/** The only file there is. */
function aFile() {
  let kept: { bytes: Uint8Array; customMetadata: Record<string, string> } | null = null;
  return {
    put: vi.fn(async (_: string, bytes: Uint8Array, more: { customMetadata: Record<string, string> }) => {
      kept = { bytes, ...more };
    }),
    get: vi.fn(async (_: string) => {
      const { bytes } = kept ?? {};
      return bytes === undefined ? null : { text: async () => new TextDecoder().decode(bytes) };
    }),
    head: vi.fn(async (_: string) => kept && { size: kept.bytes.byteLength, ...kept }),
    delete: vi.fn(async (_: string[]) => undefined),
  };
}

interface ChannelOfFeed {
  /** How it signs in at the order service. */
  auth?: 'key' | 'key+bearer';
  environment?: 'test' | 'production';
}

/** A feed that has begun. */
export function aFeed({ auth = 'key', environment = 'test' }: ChannelOfFeed = {}) {
  const clock = movedClock();
  const sql = sqlOf(FEED_MIGRATIONS);
  const [polls, events, orders] = [new PollStore(sql), new EventStore(sql), new OrderBook(sql)];
  const [gate, files] = [aGate(clock), aFile()];
  /** What its orders know of their ids. */
  const named: { ids: NamedIds; fails?: boolean; meanwhile?: () => void } = { ids: NOTHING_NAMED };
  const idsOfOrder = async (): Promise<NamedIds> => {
    named.meanwhile?.();
    if (named.fails) throw new Error('planned: the order cannot be reached');
    return named.ids;
  };
  const env = {
    CHANNELS: JSON.stringify([{ ...CHANNEL, environment, auth: { orders: auth } }]),
    CHANNEL_SECRETS: JSON.stringify(SECRETS),
    UPSTREAM_GATE: gate.binding,
    TOKENS: { get: async () => null },
    FILES: files,
    ORDER: { getByName: () => ({ ids: idsOfOrder }) },
  } as unknown as Env;
  polls.begin(SETTINGS, { edition: 0, mapping: DEFAULT_ANSWER_MAPPING }, clock.nowMs());
  const port: StepsPort = { env, polls, events, orders, name: 'a feed', commit: (work) => work() };
  const calls = new FeedCalls(port);
  const [polling, repairing] = [new PollSteps(port, calls), new RepairSteps(port, calls)];
  const feed = (): StoredFeed => {
    const found = polls.feed();
    if (found === undefined) throw new Error('it has not begun');
    return found;
  };
  let toldAtMs = 0;
  return {
    ...{ clock, polls, events, orders, gate, files, named, feed },
    poll: () => polling.poll(feed(), clock),
    reads: (pollNo: number) => polling.read(pollNo, feed(), clock),
    repair: () => repairing.repair(feed(), clock),
    reread: (pollNo: number) => polling.reread(pollNo, feed(), () => undefined),
    request: (orderRefs: readonly string[], fromMs: () => number) =>
      requestOrders(port, feed().settings, orderRefs, BY, fromMs),
    /** Another partner has the key now. */
    passesOn(): void {
      polls.stop();
      polls.begin({ ...SETTINGS, partner: 'other' }, { edition: 0, mapping: DEFAULT_ANSWER_MAPPING }, clock.nowMs());
    },
    /** An operator sets it anew. */
    isSet: (more: Partial<FeedSettings>) => polls.keepSettings({ ...SETTINGS, edition: 2, ...more }),
    /** An order says that it is about to be sent. */
    registers(orderRef: string): void {
      toldAtMs += 1;
      const takenAtMs = clock.nowMs();
      orders.register(orderRef, { state: 'open', takenAtMs, sinceMs: takenAtMs, toldAtMs }, takenAtMs, null);
    },
    /** Every order that is open, or of which was learned, is to be asked for now. */
    gap: () => orders.markDue(0, clock.nowMs()),
  };
}

export const entry = (orderRef: string, code: string, more: Record<string, unknown> = {}) => ({
  orderRef,
  code,
  level: 'milestone',
  eventTime: '2026-03-01T08:00:00.0000000+00:00',
  ...more,
});
