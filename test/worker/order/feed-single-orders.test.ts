/** What an operator decides of single orders of a feed, and what becomes of those that nobody can ask for. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OrderFeed } from '../../../src/feed/order-feed.ts';
import { orderName } from '../../../src/kernel/names.ts';
import type { FeedNotification } from '../../../src/tracking/order-following.ts';
import { aFeed, BY, type FeedUnderTest, orderHistory } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { anOrder } from '../orders.ts';
import { aPartner } from '../partners.ts';
import { type Answering, answerTo, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ORDER_ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const listed = { orderId: ORDER_ID, code: 'received', level: 'milestone', eventTime: '2026-03-01T08:00:00Z' };
const cut: Answering = () => new Response('{"eve', { headers: { 'content-length': '400' } });

/** An order whose document says nothing of whose it is: no feed is told of it. */
async function madeBefore(feed: FeedUnderTest, orderRef: string): Promise<void> {
  const stub = env.ORDER.getByName(orderName(feed.settings, orderRef));
  const identity = { environment: 'test', partner: feed.settings.partner, orderRef } as const;
  await stub.enqueue(identity, [{ ...anOrder().create(1), body: JSON.stringify({ orderRef }) }]);
  await vi.waitFor(async () => expect((await stub.timeline())[0]?.request.state).toBe('delivered'), PATIENCE);
}

describe('orders that were sent before their feed was set', () => {
  /** Polls are answered as the test says, single orders with their one event. */
  function upstream(poll: Answering): { asked: string[] } {
    const asked: string[] = [];
    upstreamAnswers((left, signal) => {
      if (left.method === 'POST') return Response.json({ id: ORDER_ID }, { status: 201 });
      const orderRef = new URL(left.url).searchParams.get('orderRef');
      if (orderRef === null) return answerTo(poll, left, signal);
      asked.push(orderRef);
      return Response.json({ events: [{ ...listed, orderRef }] });
    });
    return { asked };
  }

  it('are none that its first gap can ask for, which says so', async () => {
    const { asked } = upstream(500);
    const feed = aFeed();
    await madeBefore(feed, 'EARLY');
    await feed.begin();
    await feed.poll();
    expect(await feed.gaps()).toMatchObject([{ why: 'server_error', closed_by: 'nothing_known' }]);
    expect(asked).toEqual([]);
  });

  it('are asked for by their references, and followed from then on', async () => {
    const { asked } = upstream(() => Response.json({ events: [] }));
    const feed = aFeed();
    await madeBefore(feed, 'EARLY');
    await feed.begin();
    await feed.poll();
    expect(await feed.stub().repairOrders(['EARLY'], BY)).toEqual({ outcome: 'asked', due: 1 });
    await vi.waitFor(async () => expect(await feed.log()).toEqual(['EARLY received']), PATIENCE);
    expect(asked).toEqual(['EARLY']);
    expect((await feed.status()).orders).toMatchObject({ open: 1, due: 0 });
  });

  it('are asked for on record: which ones, by whom and why', async () => {
    upstream(() => Response.json({ events: [] }));
    const feed = aFeed();
    await madeBefore(feed, 'EARLY');
    await feed.begin();
    await feed.stub().repairOrders(['EARLY'], BY);
    const recorded = await runInDurableObject(feed.stub(), (_, { storage }) =>
      storage.sql.exec('SELECT key_id, author, what, why, detail FROM audit').toArray(),
    );
    const { keyId, author, why } = BY;
    const detail = JSON.stringify({ orderRefs: ['EARLY'] });
    expect(recorded).toEqual([{ key_id: keyId, author, what: 'repair_orders', why, detail }]);
  });

  it('are asked for all or none: what was not made here may be of another partner', async () => {
    const { asked } = upstream(() => Response.json({ events: [] }));
    const feed = aFeed();
    await madeBefore(feed, 'EARLY');
    await feed.begin();
    await feed.poll();
    const answer = await feed.stub().repairOrders(['EARLY', 'ELSEWHERE'], BY);
    expect(answer).toEqual({ outcome: 'orders_unknown', orderRefs: ['ELSEWHERE'] });
    await feed.wake();
    expect(asked).toEqual([]);
    expect((await feed.status()).orders).toMatchObject({ open: 0, due: 0 });
  });
});

it('an order says since when its feed has not heard of it, however often it was made since, and begins anew once that has', async () => {
  orderHistory();
  const feed = aFeed();
  const { environment, partner, partnerId, clientId } = feed.settings;
  const stub = env.ORDER.getByName(orderName(feed.settings, 'SO-9'));
  const body = JSON.stringify({ orderRef: 'SO-9', partnerId, clientId });
  const made = (record: number) =>
    stub.enqueue({ environment, partner, orderRef: 'SO-9' }, [{ ...anOrder().create(record), body }]);
  const register = vi.spyOn(OrderFeed.prototype, 'register');
  const lastWord = () => register.mock.calls.at(-1)?.[2] as FeedNotification | undefined;
  /** A word that its feed did not take is said again: a new one is of a later operation. */
  const wordAfter = async (takenAtMs: number): Promise<FeedNotification> => {
    await vi.waitFor(() => expect(lastWord()?.takenAtMs ?? 0).toBeGreaterThan(takenAtMs), PATIENCE);
    return lastWord() as FeedNotification;
  };
  await made(1);
  const first = await wordAfter(0);
  expect(first.sinceMs).toBe(first.takenAtMs);
  await made(2); // its feed is not there yet
  const second = await wordAfter(first.takenAtMs);
  expect(second.takenAtMs).toBeGreaterThan(first.takenAtMs);
  expect(second.sinceMs).toBe(first.takenAtMs);
  await feed.begin();
  await made(3);
  await vi.waitFor(async () => expect((await feed.status()).orders.open).toBe(1), PATIENCE);
  // The feed has heard; that the order knows so may come a moment later, and what is made before then still counts from the first.
  let record = 4;
  await vi.waitFor(async () => {
    const heardOfAtMs = lastWord()?.takenAtMs ?? 0;
    await made(record++);
    const last = await wordAfter(heardOfAtMs);
    expect(last.sinceMs).toBe(last.takenAtMs);
  }, PATIENCE);
});

it('an order whose feed cannot be reached says so in the log, and is sent', async () => {
  orderHistory();
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(OrderFeed.prototype, 'register').mockRejectedValue(new Error('planned: it is away'));
  const { environment, partner, partnerId, clientId } = aFeed().settings;
  const stub = env.ORDER.getByName(orderName({ environment, partner }, 'SO-8'));
  const body = JSON.stringify({ orderRef: 'SO-8', partnerId, clientId });
  await stub.enqueue({ environment, partner, orderRef: 'SO-8' }, [{ ...anOrder().create(1), body }]);
  await vi.waitFor(async () => expect((await stub.timeline())[0]?.request.state).toBe('delivered'), PATIENCE);
  const events = warned.mock.calls.map(([line]) => (JSON.parse(String(line)) as { event: string }).event);
  expect(events).toContain('feed_not_told');
});

it('an operator is told which orders nobody made here, and which no repair waits for', async () => {
  orderHistory();
  const partner = await aPartner();
  const operator = await anOperator();
  const pair = { partnerId: `P-${partner.name}`, clientId: 'C' };
  await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, { ...pair, channel: 'plain', note: 'a test' });
  const asked = async (action: string, body: object): Promise<[number, string, string]> => {
    const init = { method: 'POST', body: JSON.stringify({ why: 'a test', ...body }) };
    const answer = await operator.fetch(`/v1/ops/feeds/${partner.name}/${action}`, init);
    const { code = '', detail = '' } = await answer.json<{ code?: string; detail?: string }>();
    return [answer.status, code, detail];
  };
  expect(await asked('repair', { orderRefs: ['SO-1'] })).toEqual([
    404,
    'orders_unknown',
    expect.stringContaining('SO-1'),
  ]);
  expect(await asked('repair', { orderRefs: [] })).toEqual([400, 'body_invalid', expect.stringContaining('orderRefs')]);
  expect(await asked('skip', { orderRef: 'SO-1' })).toEqual([409, 'order_not_due', expect.stringContaining('SO-1')]);
});

describe('an order that the receiving system does not know any more', () => {
  const gone: Answering = () => Response.json({}, { status: 410 });

  it('keeps no gap open three days after its final status', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.registers('DONE');
    upstream.happens('DONE', 'delivered');
    await feed.poll();
    upstream.singlesAnswer(gone);
    upstream.nextPoll(cut);
    await feed.poll();
    await vi.waitFor(async () => expect((await feed.status()).orders.failing).toBe(1), PATIENCE);
    expect((await feed.status()).gaps.open).toBe(1);
    await feed.sql('UPDATE order_book SET registered_at_ms = 1, learned_at_ms = 1');
    await feed.waitsPass();
    await feed.isWhole();
    expect(upstream.singles).not.toEqual([]);
    expect(await feed.gaps()).toMatchObject([{ closed_by: 'repair' }]);
  });

  it('keeps the gap open while more is expected of it, until an operator skips it', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.registers('OPEN');
    upstream.happens('OPEN', 'received');
    await feed.poll();
    upstream.singlesAnswer(gone);
    upstream.nextPoll(cut);
    await feed.poll();
    await vi.waitFor(async () => expect((await feed.status()).orders.failing).toBe(1), PATIENCE);
    expect(await feed.stub().skipOrder('OTHER', BY)).toBe('not_due');
    expect((await feed.status()).gaps.open).toBe(1);
    expect(await feed.stub().skipOrder('OPEN', BY)).toBe('skipped');
    expect(await feed.gaps()).toMatchObject([{ closed_by: 'operator' }]);
    expect((await feed.status()).orders.due).toBe(0);
  });
});
