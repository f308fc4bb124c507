/** What a feed tells its partner's webhooks: each event of the log, once, whatever happens between. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookEvent, WebhookTarget } from '../../../src/webhooks/target.ts';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { aFeed, type FeedUnderTest, type OrderHistory, orderHistory } from '../feeds.ts';
import { aTarget, type HooksUnderTest, hooksOf, keyOf, targetsBeside } from '../hooks.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner } from '../partners.ts';
import type { Answering, Left } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface Hooked {
  upstream: OrderHistory;
  told: Left[];
  feed: FeedUnderTest;
  hooks: HooksUnderTest;
}

const forOrders = (id: string, more: Partial<WebhookTarget> = {}): WebhookTarget =>
  aTarget(id, { events: ['order.status'], ...more });

async function hooked(targets: WebhookTarget[], answers: Record<string, Answering[]> = {}): Promise<Hooked> {
  const upstream = orderHistory();
  const { told } = targetsBeside(answers);
  const feed = aFeed();
  const hooks = hooksOf({ environment: feed.settings.environment, partner: feed.settings.partner });
  if (targets.length > 0) await hooks.keep(...targets);
  await feed.begin();
  return { upstream, told, feed, hooks };
}

interface NotifiedProgress {
  type: string;
  timestamp: string;
  data: { seq: number; orderRef: string; code: string; links: Record<string, string> };
}

const bodyOf = ({ body }: Left): NotifiedProgress => JSON.parse(body) as NotifiedProgress;
const toldSeqs = (told: readonly Left[]): number[] => told.map((left) => bodyOf(left).data.seq);
const idsOf = (told: readonly Left[]): Set<string | undefined> =>
  new Set(told.map(({ headers }) => headers['webhook-id']));
/** Waits until so many have been told, and a moment longer. */
const isTold = async (told: readonly Left[], count: number): Promise<void> => {
  await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(count), PATIENCE);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(told).toHaveLength(count);
};
/** The mark as it was before anything was told. */
const forgetsTelling = (feed: FeedUnderTest): Promise<void> => feed.sql('UPDATE announced SET seq = 0');

describe('a feed whose partner has a webhook for the status of orders', () => {
  it('tells every event of its log, signed, with order, code, time, place and where the log goes on', async () => {
    const { upstream, told, feed, hooks } = await hooked([forOrders('one')]);
    upstream.happens('SO/1', 'received');
    upstream.happens('SO/1', 'out_for_delivery', { city: 'Joliet', state: 'IL' });
    upstream.happens('SO-2', 'received', { level: 'detail' });
    await feed.poll();
    await isTold(told, 3);
    const page = await feed.events();
    const [, second] = told;
    const verified = new Webhook(await keyOf(hooks.scope)).verify(second?.body ?? '', second?.headers ?? {});
    const learnedAt = new Date(page[1]?.learned_at_ms ?? 0).toISOString();
    expect(verified).toEqual({
      type: 'order.status',
      timestamp: learnedAt,
      data: {
        environment: 'test',
        seq: 2,
        orderRef: 'SO/1',
        orderId: 'id-SO/1',
        code: 'out_for_delivery',
        at: '2026-03-01T08:02:00.000Z',
        level: 'milestone',
        place: { city: 'Joliet', state: 'IL' },
        learnedAt,
        corrects: null,
        links: { order: '/v1/orders/SO%2F1', later: '/v1/order-events?after=2' },
      },
    });
    expect(toldSeqs(told)).toEqual([1, 2, 3]);
    const later = await feed.stub().eventsAfter(feed.settings, 2, 10);
    expect(later).toMatchObject({ outcome: 'page', events: [{ seq: 3, order_ref: 'SO-2' }] });
  });

  it('tells what a repair and a reread learn, and nothing twice', async () => {
    const { upstream, told, feed } = await hooked([forOrders('one')]);
    await feed.registers('R1');
    upstream.happens('R1', 'received');
    upstream.nextPoll(500); // the answer that had it is lost
    await feed.poll();
    await feed.isWhole();
    await isTold(told, 1);
    await feed.poll();
    const read = (await feed.status()).polls.find(({ state }) => state === 'read');
    await feed.stub().reread(read?.poll_no ?? 0, { keyId: 'k_1', author: 'Analyst', why: 'a test' });
    await feed.wake();
    await isTold(told, 1);
  });

  it('dies between learning and telling, and tells it when it comes back', async () => {
    const { upstream, told, feed } = await hooked([forOrders('one')]);
    const tell = vi.spyOn(Webhooks.prototype, 'notify').mockRejectedValue(new Error('planned: not reached'));
    upstream.happens('R1', 'received');
    await feed.poll();
    await vi.waitFor(() => expect(tell).toHaveBeenCalled(), PATIENCE);
    expect(await feed.log()).toEqual(['R1 received']);
    expect(told).toEqual([]);
    tell.mockRestore();
    await evictDurableObject(feed.stub());
    await isTold(told, 1); // by its own alarm
  });

  it('dies between telling and noting it, and its target hears nothing twice', async () => {
    const { upstream, told, feed } = await hooked([forOrders('one')]);
    upstream.happens('R1', 'received');
    upstream.happens('R2', 'received');
    await feed.poll();
    await isTold(told, 2);
    await forgetsTelling(feed);
    await evictDurableObject(feed.stub());
    const tell = vi.spyOn(Webhooks.prototype, 'notify');
    await feed.wake();
    expect(tell.mock.calls.flatMap(([events]) => events)).toHaveLength(2);
    await isTold(told, 2);
    expect(idsOf(told).size).toBe(2);
  });

  it('tells though its alarm was lost with something left to tell: whoever begins it again wakes it at once', async () => {
    const { upstream, told, feed } = await hooked([forOrders('one')]);
    upstream.happens('R1', 'received');
    await feed.poll();
    await isTold(told, 1);
    await feed.sql('UPDATE feed SET next_poll_ms = ?', Date.now() + 3_600_000);
    await feed.sql(`UPDATE event SET hash = 'other'`);
    await feed.sql(
      `INSERT INTO event SELECT seq + 1, 'R2', order_id, 'h', 'h', code, at_ms, level, place, 0, poll_no, learned_at_ms,
       NULL, 1, 0 FROM event`,
    );
    await runInDurableObject(feed.stub(), (_, { storage }) => storage.deleteAlarm());
    await feed.begin();
    await isTold(told, 2);
  });

  it('tells the thousands of a long answer page by page, in the order of the log', async () => {
    const { upstream, feed } = await hooked([]);
    for (let number = 1; number <= 1_203; number += 1) upstream.happens(`R${number % 5}`, `step-${number}`);
    const pages: WebhookEvent[][] = [];
    vi.spyOn(Webhooks.prototype, 'notify').mockImplementation(async (events) => void pages.push([...events]));
    await feed.poll();
    await vi.waitFor(() => expect(pages.flat()).toHaveLength(1_203), PATIENCE);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(500);
    expect(pages.flat().map(({ key }) => key.at(-1))).toEqual(Array.from({ length: 1_203 }, (_, index) => index + 1));
  });

  it('tells the other target while one is down, off or asked for something else, and goes on polling', async () => {
    const down: Answering = () => Response.json({}, { status: 503 });
    const targets = [
      forOrders('down'),
      forOrders('one'),
      forOrders('off', { isEnabled: false }),
      aTarget('batches', { events: ['batch.settled'] }),
    ];
    const { upstream, told, feed, hooks } = await hooked(targets, { down: [down] });
    upstream.happens('R1', 'received');
    await feed.poll();
    upstream.happens('R1', 'delivered');
    await feed.poll();
    await hooks.reaches(['delivered', 'delivered'], 'one');
    expect(await feed.log()).toEqual(['R1 received', 'R1 delivered']);
    expect(new Set(told.map(({ url }) => new URL(url).hostname))).toEqual(new Set(['one.example', 'down.example']));
    expect((await hooks.deliveries('down')).map(({ type }) => type)).toEqual(['order.status', 'order.status']);
    expect(await hooks.deliveries('off')).toEqual([]);
    expect(await hooks.deliveries('batches')).toEqual([]);
  });
});

describe('a feed whose partner cannot be told', () => {
  it('goes on polling and repairing, and tells all once it can, in order', async () => {
    const { upstream, told, feed } = await hooked([forOrders('one')]);
    const tell = vi.spyOn(Webhooks.prototype, 'notify').mockRejectedValue(new Error('planned: not reached'));
    upstream.happens('R1', 'received');
    await feed.poll();
    await feed.wake();
    upstream.happens('R1', 'delivered');
    await feed.poll();
    upstream.nextPoll(500);
    await feed.poll();
    await feed.isWhole();
    expect(await feed.log()).toEqual(['R1 received', 'R1 delivered']);
    expect(told).toEqual([]);
    tell.mockRestore();
    await isTold(told, 2);
    expect(toldSeqs(told)).toEqual([1, 2]);
  });

  it('has no webhook: nothing is kept, and one that comes later hears what is learned from then on', async () => {
    const { upstream, told, feed, hooks } = await hooked([]);
    upstream.happens('R1', 'received');
    await feed.poll();
    await feed.wake();
    await hooks.keep(forOrders('one'));
    upstream.happens('R1', 'delivered');
    await feed.poll();
    await isTold(told, 1);
    expect(toldSeqs(told)).toEqual([2]);
  });
});

describe('a webhook target', () => {
  it('is registered for the status of orders as for any other event', async () => {
    const { name } = await aPartner();
    const operator = await anOperator();
    const wanted = { url: 'https://hooks.example/orders', events: ['order.status'], note: 'a test' };
    const target = await operator.done('PUT', `/v1/ops/partners/${name}/webhooks/orders`, wanted);
    expect(target).toMatchObject({ state: 'enabled', events: ['order.status'] });
  });
});
