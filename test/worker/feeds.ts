/** One OrderFeed object under test, and an upstream that keeps the cursor of its polls as the true one does. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { EditedMapping, FeedSettings, FeedStatus } from '../../src/feed/feed-status.ts';
import type { EventRow, GapRow } from '../../src/feed/feed-tables.ts';
import type { BeginOutcome, OrderFeed } from '../../src/feed/order-feed.ts';
import { feedName } from '../../src/kernel/names.ts';
import type { FeedNotification } from '../../src/tracking/order-following.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../src/upstream/statuses/answer-mapping.ts';
import { PATIENCE } from './loads.ts';
import { type Answering, answerTo, type Left, upstreamAnswers } from './upstream-double.ts';

export const BY = { keyId: 'k_1', author: 'Analyst', why: 'a test' };
export const USUAL: EditedMapping = { edition: 0, mapping: DEFAULT_ANSWER_MAPPING };

/** The upstream's side: what happened to its orders, and how far polls have read. */
export interface OrderHistory {
  polls: Left[];
  singles: Left[];
  tracks: Left[];
  /** An order bears a secondary reference, by which it is answered, too. */
  bears(reference: string, orderRef: string): void;
  happens(orderRef: string, code: string, more?: Record<string, unknown>): void;
  /** The next poll moves the cursor and is answered like this. */
  nextPoll(...answers: Answering[]): void;
  /** The next poll is refused before it is handled: the cursor stays. */
  refusesPoll(status: number): void;
  /** A poll that was given up long ago is handled only now: what has happened since goes with it. */
  takesAway(): void;
  /** From now on for single orders; null: the truth. */
  singlesAnswer(answer: Answering | null): void;
  /** The same for tracks. */
  tracksAnswer(answer: Answering | null): void;
}

export function orderHistory(): OrderHistory {
  const happened: Record<string, unknown>[] = [];
  const faults: Answering[] = [];
  const refusals = new Set<Answering | undefined>();
  const polls: Left[] = [];
  const singles: Left[] = [];
  const tracks: Left[] = [];
  const bearers = new Map<string, string>();
  let track: Answering | null = null;
  let cursor = 0;
  let single: Answering | null = null;
  upstreamAnswers((left, signal) => {
    const query = new URL(left.url).searchParams;
    const asked = query.get('orderRef');
    const orderRef = asked === null ? null : (bearers.get(asked) ?? asked);
    if (left.method !== 'GET') return Response.json({ id: crypto.randomUUID() }, { status: 201 });
    if (new URL(left.url).pathname.endsWith('/tracks')) {
      tracks.push(left);
      const events = happened.filter((event) => event.orderRef === orderRef && event.level === 'milestone');
      return track === null ? Response.json({ events }) : answerTo(track, left, signal);
    }
    if (orderRef !== null) {
      singles.push(left);
      const events = happened.filter((event) => event.orderRef === orderRef);
      return single === null ? Response.json({ events }) : answerTo(single, left, signal);
    }
    polls.push(left);
    const fault = faults.shift();
    if (refusals.delete(fault)) return answerTo(fault ?? 400, left, signal);
    const events = happened.slice(cursor);
    cursor = happened.length;
    return fault === undefined ? Response.json({ events }) : answerTo(fault, left, signal);
  });
  let minute = 0;
  return {
    polls,
    singles,
    tracks,
    bears: (reference, orderRef) => void bearers.set(reference, orderRef),
    happens(orderRef, code, more = {}) {
      minute += 1;
      const eventTime = new Date(Date.UTC(2026, 2, 1, 8, minute)).toISOString().replace('Z', '0000+00:00');
      happened.push({ orderId: `id-${orderRef}`, orderRef, code, level: 'milestone', eventTime, ...more });
    },
    nextPoll: (...answers) => void faults.push(...answers),
    refusesPoll(status) {
      const refusal: Answering = () => Response.json({}, { status });
      refusals.add(refusal);
      faults.push(refusal);
    },
    takesAway() {
      cursor = happened.length;
    },
    singlesAnswer(answer) {
      single = answer;
    },
    tracksAnswer(answer) {
      track = answer;
    },
  };
}

export interface FeedUnderTest {
  settings: FeedSettings;
  name: string;
  stub(): DurableObjectStub<OrderFeed>;
  begin(more?: Partial<FeedSettings>, mapping?: EditedMapping): Promise<BeginOutcome>;
  wake(): Promise<void>;
  /** The next poll is made now. */
  poll(): Promise<void>;
  status(): Promise<FeedStatus>;
  /** `orderRef code` of the log. */
  log(): Promise<string[]>;
  events(): Promise<EventRow[]>;
  gaps(): Promise<Pick<GapRow, 'poll_no' | 'why' | 'closed_by'>[]>;
  /** Waits, woken by its own alarms, until no gap is open. */
  isWhole(): Promise<void>;
  /** As if every order that is to be asked for had waited long enough. */
  waitsPass(): Promise<void>;
  /** Orders say that they are about to be sent. */
  registers(...orderRefs: string[]): Promise<void>;
  /** An order says how it stands. @param more when it came in and when it says so; now unless said. */
  says(orderRef: string, state: FeedNotification['state'], more?: Partial<FeedNotification>): Promise<void>;
  sql(statement: string, ...values: SqlStorageValue[]): Promise<void>;
}

const UNDECIDED: ReadonlySet<string> = new Set(['asking', 'stored']);

let made = 0;
/** Each word of an order is later than the one before it. */
let toldAtMs = 0;

export function aFeed(more: Partial<FeedSettings> = {}): FeedUnderTest {
  made += 1;
  const settings: FeedSettings = {
    environment: 'test',
    partner: `feed-partner-${made}`,
    partnerId: `P-${made}`,
    clientId: `C-${made}`,
    channel: 'plain',
    scac: 'DEMO',
    pollMinutes: 30,
    repairsPerMinute: 600,
    edition: 1,
    ...more,
  };
  const name = feedName(settings.environment, settings);
  const stub = () => env.ORDER_FEED.getByName(name);
  const wake = () => runInDurableObject(stub(), (instance) => instance.alarm());
  const status = async () => {
    const found = await stub().status();
    if (found === null) throw new Error('there is no such feed');
    return found;
  };
  /** Number of the last poll once none is on the wire. */
  const lastPoll = (): Promise<number> =>
    vi.waitFor(async () => {
      const [last] = (await status()).polls;
      if (last !== undefined && UNDECIDED.has(last.state)) throw new Error('a poll is on its way');
      return last?.poll_no ?? 0;
    }, PATIENCE);
  const events = async () => {
    const page = await stub().eventsAfter(settings, null, 1_000);
    if (page.outcome !== 'page') throw new Error(page.outcome);
    return page.events;
  };
  const says: FeedUnderTest['says'] = async (orderRef, state, more = {}) => {
    toldAtMs = Math.max(toldAtMs + 1, Date.now());
    await stub().register(settings, orderRef, {
      state,
      takenAtMs: Date.now(),
      sinceMs: more.takenAtMs ?? Date.now(),
      toldAtMs,
      ...more,
    });
  };
  return {
    settings,
    says,
    name,
    stub,
    begin: (changed = {}, mapping = USUAL) => stub().begin({ ...settings, ...changed }, mapping),
    wake,
    poll: async () => {
      const before = await lastPoll();
      await stub().pollNow(BY);
      await vi.waitFor(async () => {
        await wake(); // the gate may have let nothing pass for a moment
        const [last] = (await status()).polls;
        if (last === undefined || last.poll_no <= before || UNDECIDED.has(last.state)) throw new Error('no poll yet');
      }, PATIENCE);
    },
    status,
    events,
    log: async () => (await events()).map(({ order_ref, code }) => `${order_ref} ${code}`),
    gaps: async () => (await status()).gaps.shown.map(({ poll_no, why, closed_by }) => ({ poll_no, why, closed_by })),
    isWhole: () =>
      vi.waitFor(async () => {
        const { gaps, orders } = await status();
        if (gaps.open > 0 || orders.due > 0) throw new Error(JSON.stringify({ gaps, orders }));
      }, PATIENCE),
    waitsPass: () =>
      runInDurableObject(stub(), async (feed, { storage }) => {
        storage.sql.exec('UPDATE order_book SET retry_at_ms = 0 WHERE due = 1');
        await feed.alarm();
      }),
    registers: async (...orderRefs) => {
      for (const orderRef of orderRefs) await says(orderRef, 'open');
    },
    sql: (statement, ...values) =>
      runInDurableObject(stub(), (_, state) => {
        state.storage.sql.exec(statement, ...values);
      }),
  };
}
