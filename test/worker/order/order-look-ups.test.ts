/** What a look-up of an order finds, how it fails, and the look before a create. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OrderFeed } from '../../../src/feed/order-feed.ts';
import { ORDER_DEADLINE_MS } from '../../../src/kernel/limits.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { answerMapping } from '../../../src/upstream/statuses/answer-mapping.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { aFeed } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { anOrder, asked, attemptsOf, creates, lists, ORDER_ID, ordersAnswer, posts, requestOf } from '../orders.ts';
import { type Answering, heldAnswer } from '../upstream-double.ts';

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

describe('a look-up', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['that is older than the create', { eventTime: '2026-03-02T08:00:00.0000000+00:00' }, 'ambiguous'],
    ['that is cancelled', { code: 'cancelled' }, 'ambiguous'],
    ['under another reference', { orderRef: 'SOMETHING-ELSE' }, 'ambiguous'],
  ])('never adopts an order %s', async (_what, more, reason) => {
    const upstream = ordersAnswer([LOST], [lists(more)]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('held');
    expect(await requestOf(order)).toMatchObject({ reason, status: 200, answer: expect.stringContaining(ORDER_ID) });
    expect(await order.stub().accepted()).toBeNull();
    expect(posts(upstream)).toBe(1);
  });

  it('that finds several orders leaves the choice to a person', async () => {
    ordersAnswer([LOST], [lists({}, { orderId: OTHER_ID })]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('held');
    expect(await requestOf(order)).toMatchObject({ reason: 'multiple' });
  });

  it('that fails counts for nothing and is made again', async () => {
    const upstream = ordersAnswer([LOST], [500, 404, () => Response.json({ orders: [] }), LOST, lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    for (let made = 1; made < 5; made += 1) {
      await vi.waitFor(async () => expect((await attemptsOf(order))?.length).toBeGreaterThan(made), PATIENCE);
      await order.timePasses(HOUR_MS);
    }
    await order.reaches('delivered');
    expect(posts(upstream)).toBe(1);
    expect(await attemptsOf(order)).toEqual([
      'send unknown',
      ...Array.from({ length: 4 }, () => 'check unanswered'),
      'check answered',
    ]);
    expect(await requestOf(order)).toMatchObject({ attempts: 1, tries: 1 });
  });

  it('is read as operators have fitted answers about statuses, and not at all while nobody can say how', async () => {
    const mapping = answerMapping.parse({
      list: ['history'],
      orderRef: ['number'],
      orderId: ['id'],
      code: { from: ['what'] },
      time: { from: ['when'], form: 'epochMs' },
    });
    const listed: Answering = ({ url }) => {
      const number = new URL(url).searchParams.get('orderRef');
      return Response.json({ history: [{ number, id: ORDER_ID, what: 'made', when: Date.now() }] });
    };
    const upstream = ordersAnswer([LOST], [listed]);
    const order = anOrder();
    const { partner, orderRef } = order.identity;
    const feed = aFeed({ partner });
    await feed.begin({}, { edition: 1, mapping });
    await feed.sql('UPDATE feed SET next_poll_ms = ?', Date.now() + HOUR_MS);
    vi.spyOn(OrderFeed.prototype, 'answerMapping').mockRejectedValueOnce(new Error('planned'));
    const { partnerId, clientId } = feed.settings;
    await order.dispatch(order.create(1, { body: JSON.stringify({ orderRef, partnerId, clientId }) }));
    await vi.waitFor(async () => expect(await attemptsOf(order)).toContain('check unanswered'), PATIENCE);
    await order.timePasses(HOUR_MS);
    await order.reaches('delivered');
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID });
    expect(posts(upstream)).toBe(1);
  });

  it('that fails until the deadline ends in a hold, not in giving up', async () => {
    ordersAnswer([LOST], [500]);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2));
    await order.reaches('unknown', 'queued');
    await order.becomes({ deadline_ms: Date.now() - 1 }, ({ seq }) => seq === 1);
    await order.wake();
    await order.reaches('held', 'queued');
    expect(await requestOf(order)).toMatchObject({ reason: 'exhausted', outcome: null });
  });

  it('renews a token that was refused, and both askings are kept', async () => {
    const upstream = ordersAnswer([LOST], [401, lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1, { channel: 'order-bearer' }));
    await order.reaches('delivered');
    expect(upstream.tokenRequests).toHaveLength(2);
    expect(await attemptsOf(order)).toEqual(['send unknown', 'check unanswered', 'check answered']);
  });

  it('waits while its channel is missing, and what may exist is not given up', async () => {
    const upstream = ordersAnswer([LOST], [lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('unknown');
    await order.becomes({ channel: 'gone', at_ms: 0 });
    await order.wake();
    expect(await requestOf(order)).toMatchObject({ state: 'unknown', reason: 'create_unconfirmed' });
    await order.becomes({ channel: 'plain', at_ms: 0 });
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
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    expect(seen).toEqual(['unknown', 'check', null]);
  });

  it('is made once, however many wake-ups come while it is awaited', async () => {
    const held = heldAnswer();
    const upstream = ordersAnswer([LOST], [held.answer]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await vi.waitFor(() => expect(asked(upstream)).toHaveLength(1), PATIENCE);
    await order.wake();
    await order.wake();
    expect(asked(upstream)).toHaveLength(1);
    held.release(500);
  });

  it('is not made while its intent cannot be stored, and is made when it can', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const upstream = ordersAnswer([LOST], [lists({})]);
    const { beginAttempt } = SubjectStore.prototype;
    const intents = vi.spyOn(SubjectStore.prototype, 'beginAttempt').mockImplementation(function (
      this: SubjectStore,
      intent,
    ) {
      if (intent.purpose === 'check') throw new Error('database or disk is full: SQLITE_FULL');
      beginAttempt.call(this, intent);
    });
    const order = anOrder();
    await order.dispatch(order.create(1));
    await vi.waitFor(() => expect(intents).toHaveBeenCalledTimes(2), PATIENCE);
    expect(asked(upstream)).toEqual([]);
    intents.mockRestore();
    await order.wake();
    await order.reaches('delivered');
    expect([posts(upstream), asked(upstream).length]).toEqual([1, 1]);
  });

  it('is not decided by an answer that comes after a decision', async () => {
    const held = heldAnswer();
    const upstream = ordersAnswer([LOST], [held.answer]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await vi.waitFor(() => expect(asked(upstream)).toHaveLength(1), PATIENCE);
    await order.becomes({ state: 'dead', outcome: 'unknown' });
    held.release(200);
    await vi.waitFor(async () => expect((await attemptsOf(order))?.at(-1)).toBe('check unanswered'), PATIENCE);
    await order.reaches('dead');
  });
});

describe('a channel with a look before each create', () => {
  const PRE_CHECKED = { channel: 'pre-checked' };

  it('asks first, then sends, and never adopts what was there', async () => {
    const upstream = ordersAnswer([LOST], [lists({ orderId: OTHER_ID.toUpperCase() }), lists({ orderId: OTHER_ID })]);
    const order = anOrder();
    await order.dispatch(order.create(1, PRE_CHECKED));
    await order.reaches('unknown');
    expect(upstream.left.slice(0, 2).map(({ method }) => method)).toEqual(['GET', 'POST']);
    await order.timePasses(10 * MINUTE_MS);
    await order.timePasses(10 * MINUTE_MS);
    await order.reaches('unknown');
    expect((await attemptsOf(order))?.slice(0, 3)).toEqual(['precheck answered', 'send unknown', 'check answered']);
    expect(await order.stub().accepted()).toBeNull();
  });

  it('adopts the one order that was not there before', async () => {
    ordersAnswer([LOST], [lists({ orderId: OTHER_ID }), lists({ orderId: OTHER_ID }, {})]);
    const order = anOrder();
    await order.dispatch(order.create(1, PRE_CHECKED));
    await order.reaches('delivered');
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID });
  });

  it('sends nothing until it was answered, and asks only once per create', async () => {
    const upstream = ordersAnswer([429, creates], [500, 401, NOTHING]);
    const order = anOrder();
    await order.dispatch(order.create(1, PRE_CHECKED));
    await vi.waitFor(
      async () => expect(await requestOf(order)).toMatchObject({ reason: 'pre_check_failed' }),
      PATIENCE,
    );
    expect(await requestOf(order)).toMatchObject({ state: 'queued', attempts: 0, tries: 0, status: 500 });
    await order.timePasses(HOUR_MS);
    expect(await requestOf(order)).toMatchObject({ state: 'queued', reason: 'credentials_refused' });
    await order.timePasses(HOUR_MS);
    await order.reaches('delivered');
    expect(upstream.left.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST', 'POST']);
  });

  it('takes back a create that was cancelled while it looked', async () => {
    const held = heldAnswer();
    const upstream = ordersAnswer([creates], [held.answer]);
    const order = anOrder();
    await order.dispatch(order.create(1, PRE_CHECKED));
    await vi.waitFor(() => expect(asked(upstream)).toHaveLength(1), PATIENCE);
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
    await order.dispatch(order.create(1, { ...PRE_CHECKED, acceptedAtMs }));
    await order.reaches('dead');
    expect(await requestOf(order)).toMatchObject({ outcome: 'not_applied' });
    expect(upstream.left).toEqual([]);
  });
});
