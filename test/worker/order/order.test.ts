/** An Order: creates go out at most once, in hand-over order. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { Batch } from '../../../src/batch/object/batch.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { ORDER_DEADLINE_MS } from '../../../src/kernel/limits.ts';
import { orderName } from '../../../src/kernel/names.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { aBatch } from '../batches.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { anOrder, creates, ORDER_ID, posts, requestOf } from '../orders.ts';
import { type Answering, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

describe('a create', () => {
  it('is posted to the order address with key and SCAC, and its id is kept with the accepted document', async () => {
    const { left } = upstreamAnswers(creates);
    const order = anOrder();
    const create = order.create(1, { scac: 'ACME' });
    await order.dispatch(create);
    await order.reaches('delivered');
    expect(left).toEqual([
      expect.objectContaining({
        url: 'http://127.0.0.1:9/upstream-test/rcsc/order-requests/v1/',
        method: 'POST',
        body: create.body,
        headers: expect.objectContaining({ 'Ocp-Apim-Subscription-Key': 'canary-key-plain', carrierSCAC: 'ACME' }),
      }),
    ]);
    expect(await order.stub().accepted()).toMatchObject({ order_id: ORDER_ID, document: create.body, scac: 'ACME' });
  });

  it('has its intent in storage before it leaves', async () => {
    let seen: unknown;
    const order = anOrder();
    upstreamAnswers(async () => {
      const [entry] = await env.ORDER.getByName(orderName(order.identity, order.identity.orderRef)).timeline();
      seen = [entry?.request.state, entry?.attempts.length, entry?.attempts[0]?.effect];
      return Response.json({ id: ORDER_ID });
    });
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    expect(seen).toEqual(['sending', 1, null]);
  });

  it('is sent again, and only then, when it was proved not to be applied', async () => {
    const { left } = upstreamAnswers(
      429,
      () => new Response('', { status: 503, headers: { 'Retry-After': '1' } }),
      creates,
    );
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    expect(left).toHaveLength(3);
    expect(new Set(left.map(({ body }) => body)).size).toBe(1);
    const [entry] = await order.timeline();
    expect(entry?.request).toMatchObject({ possible_duplicate: 0, attempts: 3 });
  });

  it('is rejected when it was refused, and dead when it was redirected', async () => {
    upstreamAnswers(422);
    const refused = anOrder();
    await refused.dispatch(refused.create(1));
    await refused.reaches('rejected');
    upstreamAnswers(() => new Response(null, { status: 308, headers: { Location: '/x' } }));
    const redirected = anOrder();
    await redirected.dispatch(redirected.create(1));
    await redirected.reaches('dead');
    expect((await redirected.timeline())[0]?.request).toMatchObject({ reason: 'redirected', outcome: 'not_applied' });
  });

  it('is given up past its deadline without being sent', async () => {
    const { left } = upstreamAnswers(creates);
    const order = anOrder();
    await order.dispatch(order.create(1, { acceptedAtMs: Date.now() - ORDER_DEADLINE_MS / TEST_TIME_SCALE - 1 }));
    await order.reaches('dead');
    expect((await order.timeline())[0]?.request).toMatchObject({ reason: 'deadline', outcome: 'not_applied' });
    expect(left).toEqual([]);
  });

  it('goes out again after its credentials were refused: that proves it was not applied', async () => {
    const { left } = upstreamAnswers(401, creates);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    expect(left).toHaveLength(2);
  });
});

describe('a create that may have come into being', () => {
  const cut: Answering = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(`{"id":"${ORDER_ID}"`));
          controller.error(new Error('the line broke'));
        },
      }),
      { status: 201 },
    );

  it.each<[string, Answering, string]>([
    ['a server error', 500, 'create_unconfirmed'],
    ['unavailable without a time', 503, 'create_unconfirmed'],
    ['a conflict', 409, 'create_unconfirmed'],
    ['a broken line', new Error('Network connection lost.'), 'create_unconfirmed'],
    ['a cut answer', cut, 'order_id_missing'],
    ['an answer without an id', () => Response.json({ ok: true }), 'order_id_missing'],
    ['an id of another form', () => Response.json({ id: 'ORDER-1' }), 'order_id_missing'],
  ])('is not sent again after %s, and the later ones wait', async (_what, answer, reason) => {
    const upstream = upstreamAnswers(answer);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2, { body: '{"orderRef":"other"}' }));
    await order.reaches('unknown', 'queued');
    upstream.answer(creates); // says nothing that a look-up understands
    await order.wake();
    await evictDurableObject(order.stub());
    await order.wake();
    await order.dispatch(order.create(3));
    await order.wake();
    await order.reaches('unknown', 'queued', 'queued');
    expect(posts(upstream)).toBe(1);
    expect(await requestOf(order)).toMatchObject({ reason, attempts: 1 });
    expect(await order.stub().accepted()).toBeNull();
  });
});

describe('a create of an order that exists', () => {
  it('is a duplicate when it is the same, and names the first', async () => {
    const { left } = upstreamAnswers(creates);
    const told = vi.spyOn(Batch.prototype, 'recordOutcomes');
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2), order.create(7, { batchId: 'b_2' }));
    await order.reaches('delivered', 'duplicate', 'duplicate');
    expect(left).toHaveLength(1);
    await vi.waitFor(() => {
      const outcomes = told.mock.calls.flatMap(([list]) => list).filter(({ state }) => state === 'duplicate');
      expect(outcomes.map(({ record, into, intoState }) => [record, into, intoState])).toEqual([
        [2, { batchId: 'b_1', record: 1, request: 1 }, 'delivered'],
        [7, { batchId: 'b_1', record: 1, request: 1 }, 'delivered'],
      ]);
    }, PATIENCE);
  });

  it('is dead when its content is another, and nothing leaves', async () => {
    const { left } = upstreamAnswers(creates);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2, { body: '{"orderRef":"R","shipperCode":"S2"}' }));
    await order.reaches('delivered', 'dead');
    expect(left).toHaveLength(1);
    expect((await order.timeline())[1]?.request).toMatchObject({ reason: 'order_exists', outcome: 'not_applied' });
  });

  it('is sent when the earlier one was refused', async () => {
    const { left } = upstreamAnswers(422, creates);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2));
    await order.reaches('rejected', 'delivered');
    expect(left).toHaveLength(2);
  });

  it('that was handed over twice under one key is one operation', async () => {
    const { left } = upstreamAnswers(creates);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    await order.dispatch(order.create(1));
    await order.wake();
    await order.reaches('delivered');
    expect(left).toHaveLength(1);
  });
});

it('keeps operations waiting behind one that is tried again, however long that takes', async () => {
  const upstream = upstreamAnswers(429);
  const order = anOrder();
  await order.dispatch(order.create(1), order.create(2));
  await vi.waitFor(() => expect(upstream.left.length).toBeGreaterThan(0), PATIENCE);
  await order.becomes({ first_tried_at_ms: 0, at_ms: Date.UTC(2100, 0) }, ({ seq }) => seq === 1);
  await order.wake();
  await order.reaches('waiting', 'queued');
  expect((await order.timeline())[1]?.attempts).toEqual([]);
});

it('ends what is no operation of an order as not sendable', async () => {
  const { left } = upstreamAnswers(creates);
  const order = anOrder();
  await order.dispatch(order.create(1, { kind: 'milestone' }), order.create(2));
  await order.reaches('dead', 'delivered');
  expect(left).toHaveLength(1);
  expect((await order.timeline())[0]?.request).toMatchObject({ reason: 'not_sendable', outcome: 'not_applied' });
});

it('refuses a channel of the other environment before anything leaves', async () => {
  const { left } = upstreamAnswers(creates);
  const order = anOrder();
  await order.dispatch(order.create(1, { channel: 'live' }));
  await order.reaches('dead');
  expect((await order.timeline())[0]?.request).toMatchObject({ reason: 'channel_missing' });
  expect(left).toEqual([]);
});

it('is reached from a Batch, whose rows end with what became of each operation', async () => {
  const { left } = upstreamAnswers(creates);
  const { addRows } = BatchStore.prototype;
  const asCreate = (row: MappedRow): MappedRow => {
    const orderRef = `B-${Math.ceil(row.position.record / 2)}`;
    return {
      ...row,
      requests: [{ kind: 'order.create', subject: `order:${orderRef}`, scac: 'DEMO', body: { orderRef } }],
    };
  };
  vi.spyOn(BatchStore.prototype, 'addRows').mockImplementation(function (this: BatchStore, rows, recordState) {
    return addRows.call(this, rows.map(asCreate), recordState);
  });
  const batch = await aBatch(statusFile(...statusRows(4, 1)));
  await batch.stub().create(batch.ticket);
  expect(await batch.reaches('settled')).toMatchObject({ rowStates: { delivered: 2, duplicate: 2 } });
  expect(left.map(({ body }) => body).sort()).toEqual(['{"orderRef":"B-1"}', '{"orderRef":"B-2"}']);
  const stub = env.ORDER.getByName(orderName(batch.ticket, 'B-1'));
  expect((await stub.timeline()).map(({ request }) => [request.record, request.state])).toEqual([
    [1, 'delivered'],
    [2, 'duplicate'],
  ]);
});
