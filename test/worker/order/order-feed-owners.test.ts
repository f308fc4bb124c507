/** A channel serves several partners, each with an order of one reference: what a repair learns is of its own partner's alone. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { orderName } from '../../../src/kernel/names.ts';
import { Order } from '../../../src/tracking/order.ts';
import { aFeed, BY, type FeedUnderTest } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { anOrder } from '../orders.ts';
import { type Answering, answerTo, type Left, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** The upstream's ids are UUIDs. */
const [FIRST, SECOND, THIRD, OTHER] = ['a1', 'b2', 'c3', 'd4'].map((end) => `00000000-0000-4000-8000-0000000000${end}`);

let minute = 0;
const event = (orderRef: string, orderId: string | null | undefined, code: string) => {
  minute += 1;
  const eventTime = new Date(Date.UTC(2026, 2, 1, 8, minute)).toISOString();
  return { orderRef, ...(orderId == null ? {} : { orderId }), code, level: 'milestone', eventTime };
};

interface Upstream {
  created: { ids: (string | undefined)[]; answer: Answering | null };
  polled: unknown[];
  listed: unknown[];
  singles: Left[];
}

/** Polls bring what is `polled`, once; a question about one reference is answered with all that is `listed`. */
function upstreamOf(): Upstream {
  const upstream: Upstream = { created: { ids: [], answer: null }, polled: [], listed: [], singles: [] };
  upstreamAnswers((left, signal) => {
    const { created } = upstream;
    if (left.method === 'POST' && left.url.includes('cancel')) return Response.json({});
    if (left.method === 'POST') {
      if (created.answer !== null) return answerTo(created.answer, left, signal);
      return Response.json({ id: created.ids.shift() }, { status: 201 });
    }
    if (left.method !== 'GET') return Response.json({});
    if (!new URL(left.url).searchParams.has('orderRef')) return Response.json({ events: upstream.polled.splice(0) });
    upstream.singles.push(left);
    return Response.json({ events: upstream.listed });
  });
  return upstream;
}

async function begun(): Promise<{ feed: FeedUnderTest; upstream: Upstream }> {
  const upstream = upstreamOf();
  const feed = aFeed();
  await feed.begin();
  await feed.poll();
  return { feed, upstream };
}

const orderOf = (feed: FeedUnderTest, orderRef: string) => {
  const stub = env.ORDER.getByName(orderName(feed.settings, orderRef));
  const identity = { environment: 'test', partner: feed.settings.partner, orderRef } as const;
  const { partnerId, clientId } = feed.settings;
  const body = JSON.stringify({ orderRef, partnerId, clientId });
  return {
    creates: async (record: number) => stub.enqueue(identity, [{ ...anOrder().create(record), body }]),
    cancels: async (record: number) =>
      stub.enqueue(identity, [{ ...anOrder().cancel(record), body: JSON.stringify({ orderRef }) }]),
    states: async () => (await stub.timeline()).map(({ request }) => request.state),
  };
};

const repairs = async ({ stub, isWhole }: FeedUnderTest): Promise<void> => {
  await stub().repairNow(BY);
  await isWhole();
};
const ids = async (feed: FeedUnderTest) => (await feed.events()).map(({ order_id, code }) => `${order_id} ${code}`);

describe('a repair', () => {
  it('learns nothing of another reference that is listed with the one it asked for', async () => {
    const { feed, upstream } = await begun();
    await feed.registers('SO-1');
    upstream.listed = [event('SO-1', null, 'received'), event('SO-10', null, 'delivered'), event('so-1', null, 'x')];
    await repairs(feed);
    expect(await feed.log()).toEqual(['SO-1 received']);
    const { repairUnfit } = await feed.status();
    expect(repairUnfit).toMatchObject({ count: 2, samples: [{ code: 'order_ref_foreign', index: 1 }, { index: 2 }] });
  });

  it('learns nothing of another partner’s order of the same reference, once a poll has said which is its own', async () => {
    const { feed, upstream } = await begun();
    upstream.polled = [event('SO-2', 'own', 'received')];
    await feed.poll();
    upstream.listed = [
      event('SO-2', 'other', 'delivered'),
      event('SO-2', 'OWN', 'picked_up'),
      event('SO-2', null, 'x'),
    ];
    await repairs(feed);
    expect(await ids(feed)).toEqual(['own received', 'OWN picked_up', 'null x']);
    expect((await feed.status()).repairUnfit).toMatchObject({ count: 1, samples: [{ code: 'order_id_foreign' }] });
  });

  it('learns what is of an order that was made anew under its reference, as the order names it', async () => {
    const { feed, upstream } = await begun();
    const order = orderOf(feed, 'SO-3');
    upstream.created.ids = [FIRST, SECOND];
    await order.creates(1);
    await vi.waitFor(async () => expect(await order.states()).toEqual(['delivered']), PATIENCE);
    upstream.polled = [event('SO-3', FIRST, 'received')];
    await feed.poll();
    await order.cancels(2);
    await order.creates(3);
    await vi.waitFor(async () => expect((await order.states()).at(-1)).toBe('delivered'), PATIENCE);
    upstream.listed = [event('SO-3', FIRST, 'cancelled'), event('SO-3', SECOND, 'received'), event('SO-3', THIRD, 'x')];
    await feed.stub().repairNow(BY);
    await vi.waitFor(async () => expect((await feed.status()).orders.failing).toBe(1), PATIENCE); // it is young
    expect(await ids(feed)).toEqual([`${FIRST} received`, `${FIRST} cancelled`, `${SECOND} received`]);
  });

  it('waits with what may be of another while its order is being made', async () => {
    const { feed, upstream } = await begun();
    const order = orderOf(feed, 'SO-4');
    upstream.created = { ids: [FIRST], answer: 429 };
    await order.creates(1);
    await vi.waitFor(async () => expect((await feed.status()).orders.open).toBe(1), PATIENCE);
    upstream.listed = [event('SO-4', OTHER, 'delivered'), event('SO-4', FIRST, 'received')];
    await feed.stub().repairNow(BY);
    await vi.waitFor(async () => expect((await feed.status()).orders.failing).toBe(1), PATIENCE);
    expect(await feed.log()).toEqual([]);
    expect((await feed.status()).failures).toMatchObject([{ failure: expect.stringContaining('being made') }]);
    upstream.created.answer = null;
    await vi.waitFor(async () => expect(await order.states()).toEqual(['delivered']), PATIENCE);
    await repairs(feed);
    expect(await ids(feed)).toEqual([`${FIRST} received`]);
  });

  it('asks again where the order cannot say its ids', async () => {
    const { feed, upstream } = await begun();
    await feed.registers('SO-5');
    upstream.listed = [event('SO-5', 'own', 'received')];
    const says = vi.spyOn(Order.prototype, 'ids').mockRejectedValue(new Error('planned'));
    await feed.stub().repairNow(BY);
    await vi.waitFor(async () => expect((await feed.status()).orders.failing).toBe(1), PATIENCE);
    expect(await feed.log()).toEqual([]);
    says.mockRestore();
    await repairs(feed);
    expect(await feed.log()).toEqual(['SO-5 received']);
  });
});
