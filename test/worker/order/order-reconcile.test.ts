/** A create that no answer proves is looked up by its reference, and never sent again. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { PATIENCE } from '../loads.ts';
import {
  anOrder,
  asked,
  attemptsOf,
  creates,
  lists,
  ORDER_ID,
  type OrderUnderTest,
  ordersAnswer,
  posts,
  requestOf,
} from '../orders.ts';
import type { Answering } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OTHER_ID = '1b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const LOST = new Error('Network connection lost.');
const NOTHING = lists();

/** Until so many checks have their outcome, all that the schedule asks for. */
async function checksPass(order: OrderUnderTest, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await order.timePasses(2 * HOUR_MS);
}

describe('a create whose answer was lost', () => {
  it('and that was applied is delivered by what the look-up finds, with one create', async () => {
    const told = vi.spyOn(Batch.prototype, 'recordOutcomes');
    const upstream = ordersAnswer([LOST], [lists({})]);
    const order = anOrder();
    const create = order.create(1);
    await order.dispatch(create);
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(asked(upstream)).toEqual([
      expect.objectContaining({
        url: `http://127.0.0.1:9/upstream-test/rcsc/order-status/v1/orders?orderRef=${order.identity.orderRef}`,
        headers: expect.objectContaining({ 'Ocp-Apim-Subscription-Key': 'canary-key-plain', carrierSCAC: 'DEMO' }),
        body: '',
      }),
    ]);
    expect(await requestOf(order)).toMatchObject({ evidence: 'reconcile', status: 200, attempts: 1, tries: 1 });
    expect(await attemptsOf(order)).toEqual(['send unknown', 'check answered']);
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID, document: create.body, incarnation: 1 });
    await vi.waitFor(() => {
      const last = told.mock.calls.flatMap(([list]) => list).at(-1);
      expect(last).toMatchObject({ state: 'delivered', evidence: 'reconcile', possibleDuplicate: false });
    }, PATIENCE);
  });

  it('and that is found only at a later check is delivered then', async () => {
    const upstream = ordersAnswer([LOST], [NOTHING, NOTHING, lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await vi.waitFor(async () => expect(await attemptsOf(order)).toHaveLength(2), PATIENCE);
    await checksPass(order, 2);
    await order.reaches('delivered');
    expect([posts(upstream), asked(upstream).length]).toEqual([1, 3]);
  });

  it('and that was not applied is held after all checks, and never sent again', async () => {
    const upstream = ordersAnswer([LOST, creates], [NOTHING]);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2));
    await order.reaches('unknown', 'queued');
    await vi.waitFor(() => expect(asked(upstream).length).toBeGreaterThan(0), PATIENCE);
    await checksPass(order, 4);
    await order.reaches('held', 'queued');
    expect(await requestOf(order)).toMatchObject({ reason: 'not_found', evidence: null });
    expect(asked(upstream).length).toBeGreaterThanOrEqual(4);
    await order.wake();
    await evictDurableObject(order.stub());
    await order.wake();
    expect(posts(upstream)).toBe(1);
    expect(await order.stub().accepted()).toBeNull();
  });

  it('keeps the later operations of its order waiting, and they see what was found', async () => {
    const upstream = ordersAnswer([LOST], [NOTHING, lists({})]);
    const order = anOrder();
    const other = order.create(3, { body: '{"orderRef":"R","shipperCode":"S2"}' });
    await order.dispatch(order.create(1), order.create(2), other);
    await order.reaches('unknown', 'queued', 'queued');
    await order.reaches('delivered', 'duplicate', 'dead');
    expect(posts(upstream)).toBe(1);
  });

  it.each<[string, Answering]>([
    ['a server error', 500],
    ['unavailable without a time', 503],
    ['a conflict', 409],
  ])('by %s is looked up as well', async (_what, answer) => {
    const upstream = ordersAnswer([answer], [lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(await requestOf(order)).toMatchObject({ evidence: 'reconcile' });
  });
});

describe('a create that was taken without an id', () => {
  const taken: Answering = () => Response.json({ ok: true }, { status: 201 });

  it('gets its id from the look-up', async () => {
    const upstream = ordersAnswer([taken], [lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID });
  });

  it('is held as what it is when nothing is found', async () => {
    const upstream = ordersAnswer([taken], [NOTHING]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('unknown');
    expect(await requestOf(order)).toMatchObject({ reason: 'order_id_missing', had_unknown: 1 });
    await checksPass(order, 5);
    await order.reaches('held');
    expect(await requestOf(order)).toMatchObject({ reason: 'order_id_missing' });
    expect(posts(upstream)).toBe(1);
  });
});

describe('an order that was cancelled', () => {
  const cancelled = async (order: OrderUnderTest) => {
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    await order.change((_, parts) => parts.order.end(1, Date.now()));
    expect(await order.stub().accepted()).toBeNull();
  };

  it('begins its next incarnation with the next create, the same content or not', async () => {
    const createsOther: Answering = () => Response.json({ id: OTHER_ID }, { status: 201 });
    const upstream = ordersAnswer([creates, createsOther], [NOTHING]);
    const order = anOrder();
    await cancelled(order);
    await order.dispatch(order.create(2), order.create(3));
    await order.reaches('delivered', 'delivered', 'duplicate');
    expect(posts(upstream)).toBe(2);
    expect(await order.stub().accepted()).toMatchObject({ incarnation: 2, order_id: OTHER_ID, seq: 2 });
  });

  it('is never adopted by its next incarnation', async () => {
    const upstream = ordersAnswer([creates, LOST], [lists({}), lists({}, { orderId: OTHER_ID })]);
    const order = anOrder();
    await cancelled(order);
    await order.dispatch(order.create(2));
    await vi.waitFor(() => expect(asked(upstream)).toHaveLength(1), PATIENCE);
    await order.reaches('delivered', 'unknown');
    await order.timePasses(10 * MINUTE_MS);
    await order.reaches('delivered', 'delivered');
    expect(await order.stub().accepted()).toMatchObject({ incarnation: 2, order_id: OTHER_ID });
  });

  it('ends once, and an order that never was ends not at all', async () => {
    const order = anOrder();
    await order.change((_, { order: store }) => {
      store.end(1, 1);
      expect(store.latest()).toBeNull();
      store.accept({ seq: 2, incarnation: 1, order_id: ORDER_ID, document: '{}', scac: 'DEMO', accepted_at_ms: 1 });
      expect(store.latest()).toEqual({ number: 1, hasEnded: false });
      store.end(3, 2);
      store.end(4, 3);
      expect(store.latest()).toEqual({ number: 1, hasEnded: true });
      expect(store.accepted()).toBeNull();
    });
  });
});
