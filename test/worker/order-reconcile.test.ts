/** A create that no answer proves is looked up by its reference, and never sent again. */
import { abortAllDurableObjects, evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../src/batch/batch.ts';
import { ORDER_DEADLINE_MS } from '../../src/kernel/limits.ts';
import { forgetTokens } from '../../src/upstream/tokens.ts';
import { TEST_TIME_SCALE } from './channels.ts';
import { PATIENCE } from './loads.ts';
import { anOrder, creates, lists, ORDER_ID, type OrderUnderTest, ordersAnswer } from './orders.ts';
import { type Answering, heldAnswer, neverAnswers, type UpstreamDouble } from './upstream-double.ts';

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

const posts = ({ left }: UpstreamDouble): number => left.filter(({ method }) => method === 'POST').length;
const checks = ({ left }: UpstreamDouble) => left.filter(({ method }) => method === 'GET');
const request = async (order: OrderUnderTest, index = 0) => (await order.timeline())[index]?.request;
const attempts = async (order: OrderUnderTest) =>
  (await order.timeline())[0]?.attempts.map(({ purpose, effect }) => `${purpose} ${effect}`);

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
    await order.handOver(create);
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(checks(upstream)).toEqual([
      expect.objectContaining({
        url: `http://127.0.0.1:9/upstream-test/rcsc/order-status/v1/orders?orderRef=${order.identity.orderRef}`,
        headers: expect.objectContaining({ 'Ocp-Apim-Subscription-Key': 'canary-key-plain', carrierSCAC: 'DEMO' }),
        body: '',
      }),
    ]);
    expect(await request(order)).toMatchObject({ evidence: 'reconcile', status: 200, attempts: 1, tries: 1 });
    expect(await attempts(order)).toEqual(['send unknown', 'check answered']);
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID, document: create.body, incarnation: 1 });
    await vi.waitFor(() => {
      const last = told.mock.calls.flatMap(([list]) => list).at(-1);
      expect(last).toMatchObject({ state: 'delivered', evidence: 'reconcile', possibleDuplicate: false });
    }, PATIENCE);
  });

  it('and that is found only at a later check is delivered then', async () => {
    const upstream = ordersAnswer([LOST], [NOTHING, NOTHING, lists({})]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await order.reaches('delivered');
    expect([posts(upstream), checks(upstream).length]).toEqual([1, 3]);
  });

  it('and that was not applied is held after all checks, and never sent again', async () => {
    const upstream = ordersAnswer([LOST, creates], [NOTHING]);
    const order = anOrder();
    await order.handOver(order.create(1), order.create(2));
    await order.reaches('unknown', 'queued');
    await vi.waitFor(() => expect(checks(upstream).length).toBeGreaterThan(0), PATIENCE);
    await checksPass(order, 4);
    await order.reaches('held', 'queued');
    expect(await request(order)).toMatchObject({ reason: 'not_found', evidence: null });
    expect(checks(upstream).length).toBeGreaterThanOrEqual(4);
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
    await order.handOver(order.create(1), order.create(2), other);
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
    await order.handOver(order.create(1));
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(await request(order)).toMatchObject({ evidence: 'reconcile' });
  });
});

describe('a create that was taken without an id', () => {
  const taken: Answering = () => Response.json({ ok: true }, { status: 201 });

  it('gets its id from the look-up', async () => {
    const upstream = ordersAnswer([taken], [lists({})]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID });
  });

  it('is held as what it is when nothing is found', async () => {
    const upstream = ordersAnswer([taken], [NOTHING]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await order.reaches('unknown');
    expect(await request(order)).toMatchObject({ reason: 'order_id_missing', had_unknown: 1 });
    await checksPass(order, 5);
    await order.reaches('held');
    expect(await request(order)).toMatchObject({ reason: 'order_id_missing' });
    expect(posts(upstream)).toBe(1);
  });
});

describe('a look-up', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['that is older than the create', { eventTime: '2026-03-02T08:00:00.0000000+00:00' }, 'ambiguous'],
    ['that is cancelled', { code: 'cancelled' }, 'ambiguous'],
    ['under another reference', { orderRef: 'SOMETHING-ELSE' }, 'ambiguous'],
  ])('never adopts an order %s', async (_what, more, reason) => {
    const upstream = ordersAnswer([LOST], [lists(more)]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await order.reaches('held');
    expect(await request(order)).toMatchObject({ reason, status: 200, answer: expect.stringContaining(ORDER_ID) });
    expect(await order.stub().accepted()).toBeNull();
    expect(posts(upstream)).toBe(1);
  });

  it('that finds several orders leaves the choice to a person', async () => {
    ordersAnswer([LOST], [lists({}, { orderId: OTHER_ID })]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await order.reaches('held');
    expect(await request(order)).toMatchObject({ reason: 'multiple' });
  });

  it('that fails counts for nothing and is made again', async () => {
    const upstream = ordersAnswer([LOST], [500, 404, () => Response.json({ orders: [] }), LOST, lists({})]);
    const order = anOrder();
    await order.handOver(order.create(1));
    for (let made = 1; made < 5; made += 1) {
      await vi.waitFor(async () => expect((await attempts(order))?.length).toBeGreaterThan(made), PATIENCE);
      await order.timePasses(HOUR_MS);
    }
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(await attempts(order)).toEqual([
      'send unknown',
      ...Array.from({ length: 4 }, () => 'check unanswered'),
      'check answered',
    ]);
    expect(await request(order)).toMatchObject({ attempts: 1, tries: 1 });
  });

  it('that fails until the deadline ends in a hold, not in giving up', async () => {
    ordersAnswer([LOST], [500]);
    const order = anOrder();
    await order.handOver(order.create(1), order.create(2));
    await order.reaches('unknown', 'queued');
    await order.sql('UPDATE request SET deadline_ms = ? WHERE seq = 1', Date.now() - 1);
    await order.wake();
    await order.reaches('held', 'queued');
    expect(await request(order)).toMatchObject({ reason: 'exhausted', outcome: null });
  });

  it('renews a token that was refused, and both askings are kept', async () => {
    const upstream = ordersAnswer([LOST], [401, lists({})]);
    const order = anOrder();
    await order.handOver(order.create(1, { channel: 'order-bearer' }));
    await order.reaches('delivered');
    expect(upstream.tokenRequests).toHaveLength(2);
    expect(await attempts(order)).toEqual(['send unknown', 'check unanswered', 'check answered']);
  });

  it('waits while its channel is missing, and what may exist is not given up', async () => {
    const upstream = ordersAnswer([LOST], [lists({})]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await order.reaches('unknown');
    await order.sql(`UPDATE request SET channel = 'gone', at_ms = 0`);
    await order.wake();
    expect(await request(order)).toMatchObject({ state: 'unknown', reason: 'create_unconfirmed' });
    await order.sql(`UPDATE request SET channel = 'plain', at_ms = 0`);
    await order.wake();
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
  });

  it('has its intent in storage before it leaves, and the request stays where it is', async () => {
    let seen: unknown;
    const order = anOrder();
    ordersAnswer(
      [LOST],
      [
        async (left, signal) => {
          const [entry] = await order.timeline();
          seen = [entry?.request.state, entry?.attempts.at(-1)?.purpose, entry?.attempts.at(-1)?.effect];
          const list = lists({});
          return typeof list === 'function' ? list(left, signal) : new Response();
        },
      ],
    );
    await order.handOver(order.create(1));
    await order.reaches('delivered');
    expect(seen).toEqual(['unknown', 'check', null]);
  });

  it('is not decided by an answer that comes after a decision', async () => {
    const held = heldAnswer();
    const upstream = ordersAnswer([LOST], [held.answer]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await vi.waitFor(() => expect(checks(upstream)).toHaveLength(1), PATIENCE);
    await order.sql(`UPDATE request SET state = 'dead', outcome = 'unknown'`);
    held.release(200);
    await vi.waitFor(async () => expect((await attempts(order))?.at(-1)).toBe('check unanswered'), PATIENCE);
    await order.reaches('dead');
  });
});

describe('a process that dies', () => {
  it('with a create on the wire leaves it to be looked up: one create, delivered', async () => {
    const upstream = ordersAnswer([neverAnswers, creates], [lists({})]);
    const order = anOrder();
    await order.handOver(order.create(1), order.create(2));
    await vi.waitFor(() => expect(posts(upstream)).toBe(1), PATIENCE);
    await abortAllDurableObjects();
    await order.reaches('delivered', 'duplicate');
    expect(posts(upstream)).toBe(1);
    expect((await order.timeline())[0]?.attempts[0]).toMatchObject({
      effect: 'unknown',
      detail: expect.stringMatching(/^interrupted/),
    });
  });

  it('with a check on the wire changes nothing but that attempt, and asks again', async () => {
    const upstream = ordersAnswer([LOST], [neverAnswers, lists({})]);
    const order = anOrder();
    await order.handOver(order.create(1));
    await vi.waitFor(() => expect(checks(upstream)).toHaveLength(1), PATIENCE);
    const before = await request(order);
    expect(before).toMatchObject({ state: 'unknown' });
    await abortAllDurableObjects();
    expect(await request(order)).toEqual(before);
    await order.reaches('delivered');
    expect(await attempts(order)).toEqual(['send unknown', 'check unanswered', 'check answered']);
    expect(posts(upstream)).toBe(1);
  });
});

describe('a channel with a look before each create', () => {
  const PRE_CHECKED = { channel: 'pre-checked' };

  it('asks first, then sends, and never adopts what was there', async () => {
    const upstream = ordersAnswer([LOST], [lists({ orderId: OTHER_ID.toUpperCase() }), lists({ orderId: OTHER_ID })]);
    const order = anOrder();
    await order.handOver(order.create(1, PRE_CHECKED));
    await order.reaches('unknown');
    expect(upstream.left.slice(0, 2).map(({ method }) => method)).toEqual(['GET', 'POST']);
    await order.timePasses(10 * MINUTE_MS);
    await order.timePasses(10 * MINUTE_MS);
    await order.reaches('unknown');
    expect((await attempts(order))?.slice(0, 3)).toEqual(['precheck answered', 'send unknown', 'check answered']);
    expect(await order.stub().accepted()).toBeNull();
  });

  it('adopts the one order that was not there before', async () => {
    ordersAnswer([LOST], [lists({ orderId: OTHER_ID }), lists({ orderId: OTHER_ID }, {})]);
    const order = anOrder();
    await order.handOver(order.create(1, PRE_CHECKED));
    await order.reaches('delivered');
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID });
  });

  it('sends nothing until it was answered, and asks only once per create', async () => {
    const upstream = ordersAnswer([429, creates], [500, 401, NOTHING]);
    const order = anOrder();
    await order.handOver(order.create(1, PRE_CHECKED));
    await vi.waitFor(async () => expect(await request(order)).toMatchObject({ reason: 'pre_check_failed' }), PATIENCE);
    expect(await request(order)).toMatchObject({ state: 'queued', attempts: 0, tries: 0, status: 500 });
    await order.timePasses(HOUR_MS);
    expect(await request(order)).toMatchObject({ state: 'queued', reason: 'credentials_refused' });
    await order.timePasses(HOUR_MS);
    await order.reaches('delivered');
    expect(upstream.left.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST', 'POST']);
  });

  it('takes back a create that was cancelled while it looked', async () => {
    const held = heldAnswer();
    const upstream = ordersAnswer([creates], [held.answer]);
    const order = anOrder();
    await order.handOver(order.create(1, PRE_CHECKED));
    await vi.waitFor(() => expect(checks(upstream)).toHaveLength(1), PATIENCE);
    await order.stub().cancel('b_1');
    held.release(200);
    await order.wake();
    await order.reaches('cancelled');
    expect(posts(upstream)).toBe(0);
  });

  it('gives a create up past its deadline as not applied', async () => {
    const upstream = ordersAnswer([creates], [500]);
    const order = anOrder();
    const acceptedAtMs = Date.now() - ORDER_DEADLINE_MS / TEST_TIME_SCALE - 1;
    await order.handOver(order.create(1, { ...PRE_CHECKED, acceptedAtMs }));
    await order.reaches('dead');
    expect(await request(order)).toMatchObject({ outcome: 'not_applied' });
    expect(upstream.left).toEqual([]);
  });
});
