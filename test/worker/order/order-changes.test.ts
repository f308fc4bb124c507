/** An order that lives: changed, changed back, cancelled, begun anew, whatever becomes of the answers. */

import { abortAllDurableObjects, evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { ACTION_LOOKUP_AFTER_MS, ORDER_QUIET_MS } from '../../../src/kernel/limits.ts';
import { PATIENCE } from '../loads.ts';
import type { OrderUnderTest } from '../orders.ts';
import { anOrder, keepsOrders, type SandboxOrder, versionsOf } from '../orders.ts';
import { patchAll } from '../rows.ts';
import { type Answering, type Left, neverAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const LOST = new Error('Network connection lost.');
const quantityIn = (order: SandboxOrder | undefined): unknown =>
  (order?.document.skus as { quantity: number }[] | undefined)?.[0]?.quantity;
const more = (amount: number, changeRef: string) => ({ changeRef, order: { skus: [{ sku: 'SOFA-3', more: amount }] } });
const shipper = (shipperCode: string) => ({ order: { shipperCode } });
const reasonsOf = async (order: OrderUnderTest) => (await order.timeline()).map(({ request }) => request.reason);

/** What a person asks of the second operation. */
const OF_RECORD_2 = {
  id: 'click-1',
  place: { batchId: 'b_1', record: 2, request: 1 },
  who: 'key-1',
  name: 'A',
  why: 'seen',
};

describe('an update', () => {
  it('is the whole order, with its id in path and body, and what it changes is told', async () => {
    const { kept, left } = keepsOrders();
    const told = vi.spyOn(Batch.prototype, 'recordOutcomes');
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, { order: { deliveryType: 'TP', skus: [{ sku: 'SOFA-3', quantity: 5 }] } }),
    );
    await order.reaches('delivered', 'delivered');
    const [{ id } = { id: '' }] = kept;
    expect(left[1]).toMatchObject({
      method: 'PUT',
      url: `http://127.0.0.1:9/upstream-test/rcsc/order-requests/v1/${id}`,
      headers: { carrierSCAC: 'DEMO', 'Content-Type': 'application/json' },
    });
    const document = {
      orderRef: order.identity.orderRef,
      shipperCode: 'S1',
      comments: ['Ring twice'],
      skus: [{ sku: 'SOFA-3', quantity: 5 }],
      deliveryType: 'TP',
    };
    expect(JSON.parse(left[1]?.body ?? '')).toEqual({ ...document, id });
    expect(kept[0]?.document).toEqual(document);
    expect(JSON.parse((await order.stub().accepted())?.document ?? '')).toEqual(document);
    await vi.waitFor(() => {
      const last = told.mock.calls.flatMap(([list]) => list).findLast(({ record }) => record === 2);
      expect(last?.diff).toEqual([
        { path: 'skus[SOFA-3].quantity', before: 2, after: 5 },
        { path: 'deliveryType', after: 'TP' },
      ]);
    }, PATIENCE);
  });

  it('from A to B and back ends at A, in three calls', async () => {
    const { kept, calls } = keepsOrders();
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.update(3, shipper('S1')));
    await order.reaches('delivered', 'delivered', 'delivered');
    expect(kept[0]?.document.shipperCode).toBe('S1');
    expect(calls()).toBe('POST PUT PUT');
    const versions = await versionsOf(order);
    expect(versions.map(({ kind, record, document }) => [kind, record, JSON.parse(document).shipperCode])).toEqual([
      ['order.create', 1, 'S1'],
      ['order.update', 2, 'S2'],
      ['order.update', 3, 'S1'],
    ]);
  });

  it('that changes nothing is a duplicate of what brought that about, and nothing leaves', async () => {
    const { calls } = keepsOrders();
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, shipper('S1')),
      order.update(3, shipper('S2')),
      order.update(4, shipper('S2')),
    );
    await order.reaches('delivered', 'duplicate', 'delivered', 'duplicate');
    expect(calls()).toBe('POST PUT');
    expect((await order.timeline()).map(({ request }) => request.into_seq)).toEqual([null, 1, null, 3]);
  });

  it('of what may not change is given up and says what it was, while others go on', async () => {
    const { calls } = keepsOrders();
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, { order: { requestedDate: '2026-03-09' } }),
      order.update(3, shipper('S2')),
    );
    await order.reaches('delivered', 'dead', 'delivered');
    expect(calls()).toBe('POST PUT');
    expect((await order.timeline())[1]?.request).toMatchObject({
      reason: 'not_updatable',
      outcome: 'not_applied',
      answer: expect.stringContaining('requestedDate nothing → "2026-03-09"'),
    });
  });

  it('of what the documentation does not list is sent where the channel leaves that to the upstream', async () => {
    const { left, calls } = keepsOrders();
    const order = anOrder();
    const channel = 'sends-all';
    await order.dispatch(
      order.create(1, { channel }),
      order.update(2, { order: { requestedDate: '2026-03-09' } }, { channel }),
    );
    await order.reaches('delivered', 'delivered');
    expect(calls()).toBe('POST PUT');
    expect(JSON.parse(left[1]?.body ?? '')).toMatchObject({ requestedDate: '2026-03-09' });
  });

  it('of an order that nobody knows is given up, also a cancel', async () => {
    const { left } = keepsOrders();
    const order = anOrder();
    await order.dispatch(order.update(1, shipper('S2')), order.cancel(2));
    await order.reaches('dead', 'dead');
    expect(await reasonsOf(order)).toEqual(['base_unknown', 'base_unknown']);
    expect(left).toEqual([]);
  });

  it('behind a create that was refused is given up, and goes out with the corrected one', async () => {
    const { calls } = keepsOrders({ POST: [422, 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.cancel(3));
    await order.reaches('rejected', 'dead', 'dead');
    expect(await reasonsOf(order)).toEqual([null, 'dependency', 'dependency']);
    await order.dispatch(order.create(4), order.update(5, shipper('S2')));
    await order.reaches('rejected', 'dead', 'dead', 'delivered', 'delivered');
    expect(calls()).toBe('POST POST PUT');
  });

  it('waits behind a create that is unclear, and goes to the order that is found', async () => {
    const { kept, calls } = keepsOrders({ POST: ['lost'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')));
    await order.reaches('delivered', 'delivered');
    expect(calls()).toBe('POST GET PUT');
    expect(kept[0]).toMatchObject({ versions: 2, document: { shipperCode: 'S2' } });
  });

  it('of an order that was unclear waits while the upstream does not know it yet', async () => {
    const { calls } = keepsOrders({ POST: ['lost'], PUT: [404, 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')));
    await order.reaches('delivered', 'delivered');
    expect(calls()).toBe('POST GET PUT PUT');
  });

  it.each([404, 409, 422])('that is refused with %i changes nothing here either', async (status) => {
    keepsOrders({ PUT: [status, 'well'] });
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, shipper('S2')),
      order.update(3, { order: { comments: ['Late'] } }),
    );
    await order.reaches('delivered', 'rejected', 'delivered');
    expect(JSON.parse((await order.stub().accepted())?.document ?? '')).toMatchObject({
      shipperCode: 'S1',
      comments: ['Ring twice', 'Late'],
    });
  });

  it('is merged once: the same bytes on every try, and after a restart', async () => {
    const { left, kept } = keepsOrders({ PUT: [429, LOST, 503, 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, more(3, 'C-1')));
    await vi.waitFor(() => expect(left.length).toBeGreaterThan(2), PATIENCE);
    await evictDurableObject(order.stub());
    await order.reaches('delivered', 'delivered');
    const bodies = left.filter(({ method }) => method === 'PUT').map(({ body }) => body);
    expect(bodies).toHaveLength(4);
    expect(new Set(bodies).size).toBe(1);
    expect(quantityIn(kept[0])).toBe(5);
  });

  it('whose answer is lost is sent again and marked; the next operation waits until it can no longer come late', async () => {
    const { kept, calls } = keepsOrders({ PUT: ['lost', 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.update(3, shipper('S3')));
    await order.reaches('delivered', 'delivered', 'queued');
    expect(calls()).toBe('POST PUT PUT');
    const [, second, third] = await order.timeline();
    expect(second?.request).toMatchObject({ possible_duplicate: 1 });
    expect(third?.request).toMatchObject({ reason: 'earlier_unclear' });
    await order.timePasses(ORDER_QUIET_MS);
    await order.reaches('delivered', 'delivered', 'delivered');
    expect(kept[0]?.document.shipperCode).toBe('S3');
  });

  it('that was refused after an unclear try is held, and what a person says of it stands', async () => {
    const { kept } = keepsOrders({ PUT: ['lost', 422] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.update(3, shipper('S2')));
    await order.reaches('delivered', 'held', 'queued');
    const decided = {
      ...OF_RECORD_2,
      decision: 'mark_delivered',
      seen: null,
      orderId: null,
      outcome: null,
      dryRun: false,
    } as const;
    expect(await order.stub().decide(decided)).toMatchObject({ ok: true, value: { state: 'delivered' } });
    await order.reaches('delivered', 'delivered', 'duplicate');
    expect(kept[0]?.document.shipperCode).toBe('S2');
  });

  it('that is closed unclear leaves a doubt: the next one is sent, also where it changes nothing here', async () => {
    const { kept } = keepsOrders({ PUT: ['lost', 422, 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.update(3, shipper('S1')));
    await order.reaches('delivered', 'held', 'queued');
    const decided = {
      ...OF_RECORD_2,
      decision: 'close',
      seen: null,
      orderId: null,
      outcome: 'unknown',
      dryRun: false,
    } as const;
    await order.stub().decide(decided);
    await order.timePasses(ORDER_QUIET_MS);
    await order.reaches('delivered', 'dead', 'delivered');
    expect(kept[0]?.document.shipperCode).toBe('S1');
  });
});

describe('a difference of a quantity', () => {
  it('counts once, though the file is corrected and comes again', async () => {
    const { kept, calls } = keepsOrders();
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, more(3, 'C-1')));
    await order.reaches('delivered', 'delivered');
    await order.dispatch(
      order.update(1, more(3, 'C-1'), { batchId: 'b_2' }),
      order.update(2, more(1, 'C-2'), { batchId: 'b_2' }),
    );
    await order.reaches('delivered', 'delivered', 'duplicate', 'delivered');
    expect(quantityIn(kept[0])).toBe(6);
    expect(calls()).toBe('POST PUT PUT');
    expect((await order.timeline())[2]?.request.into_seq).toBe(2);
  });

  it('of which the upstream refused the order counts when it comes again', async () => {
    const { kept } = keepsOrders({ PUT: [422, 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, more(3, 'C-1')), order.update(3, more(3, 'C-1')));
    await order.reaches('delivered', 'rejected', 'delivered');
    expect(quantityIn(kept[0])).toBe(5);
  });

  it('that says another amount under the same name is given up, and says both', async () => {
    const { kept } = keepsOrders();
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, more(3, 'C-1')), order.update(3, more(5, 'C-1')));
    await order.reaches('delivered', 'delivered', 'dead');
    expect(quantityIn(kept[0])).toBe(5);
    expect(await reasonsOf(order)).toEqual([null, null, 'delta_conflict']);
  });

  it('counts on the order that was begun anew, whatever was counted on the one before it', async () => {
    const { kept } = keepsOrders();
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, more(3, 'C-1')),
      order.cancel(3),
      order.create(4),
      order.update(5, more(3, 'C-1')),
      order.update(6, more(3, 'C-1')),
    );
    await order.reaches('delivered', 'delivered', 'delivered', 'delivered', 'delivered', 'duplicate');
    expect(kept.map(quantityIn)).toEqual([5, 5]);
    expect((await order.timeline())[5]?.request.into_seq).toBe(5);
  });

  it('counts once when the process dies behind it', async () => {
    const { kept, left } = keepsOrders({ PUT: [neverAnswers, 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, more(3, 'C-1')));
    await vi.waitFor(() => expect(left).toHaveLength(2), PATIENCE);
    await abortAllDurableObjects();
    await order.reaches('delivered', 'delivered');
    expect(quantityIn(kept[0])).toBe(5);
  });
});

describe('a cancel', () => {
  it('is a call without a body, and ends the order: what follows has nothing to change', async () => {
    const { kept, left } = keepsOrders();
    const order = anOrder();
    await order.dispatch(order.create(1), order.cancel(2), order.cancel(3), order.update(4, shipper('S2')));
    await order.reaches('delivered', 'delivered', 'duplicate', 'dead');
    expect(left.map(({ method, body }) => `${method} ${body === '' ? 'empty' : 'body'}`)).toEqual([
      'POST body',
      'DELETE empty',
    ]);
    expect(kept[0]?.isCancelled).toBe(true);
    expect(await reasonsOf(order)).toEqual([null, null, null, 'order_cancelled']);
    expect(await order.stub().accepted()).toBeNull();
  });

  it('whose answer is lost is sent again: what is gone then is cancelled', async () => {
    const { kept, calls } = keepsOrders({ DELETE: ['lost', 'well'] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.cancel(2), order.create(3));
    await order.reaches('delivered', 'delivered', 'delivered');
    expect(calls()).toBe('POST DELETE DELETE POST');
    expect(kept.map(({ isCancelled }) => isCancelled)).toEqual([true, false]);
  });

  it('of an order that is not there, and that nobody tried to cancel, is refused', async () => {
    keepsOrders({ DELETE: [404] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.cancel(2));
    await order.reaches('delivered', 'rejected');
    expect(await order.stub().accepted()).not.toBeNull();
  });

  it('and a create begin a new order, which has an id and a document of its own', async () => {
    const { kept } = keepsOrders();
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, more(3, 'C-1')),
      order.cancel(3),
      order.create(4),
      order.update(5, shipper('S2')),
    );
    await order.reaches('delivered', 'delivered', 'delivered', 'delivered', 'delivered');
    expect(kept).toMatchObject([
      { isCancelled: true, document: { skus: [{ quantity: 5 }] } },
      { isCancelled: false, document: { shipperCode: 'S2', skus: [{ quantity: 2 }] } },
    ]);
    expect(await order.stub().accepted()).toMatchObject({ incarnation: 2, order_id: kept[1]?.id });
  });

  it('behind two updates in one file, the answer to the first of them lost: all three end right', async () => {
    const { kept, calls } = keepsOrders({ PUT: ['lost', 'well'] });
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, shipper('S2')),
      order.update(3, shipper('S3')),
      order.cancel(4),
    );
    await order.reaches('delivered', 'delivered', 'queued', 'queued');
    await order.timePasses(ORDER_QUIET_MS);
    await order.reaches('delivered', 'delivered', 'delivered', 'delivered');
    expect(calls()).toBe('POST PUT PUT PUT DELETE');
    expect(kept).toMatchObject([{ isCancelled: true, document: { shipperCode: 'S3' } }]);
  });
});

describe('an upsert', () => {
  const upsert = (order: OrderUnderTest, record: number, shipperCode: string) =>
    order.update(record, { ...shipper(shipperCode), complete: true }, { kind: 'order.upsert' });

  it('is a create where there is no order, an update where there is one, and a create behind its cancel', async () => {
    const { kept, calls } = keepsOrders();
    const order = anOrder();
    await order.dispatch(
      upsert(order, 1, 'S1'),
      upsert(order, 2, 'S2'),
      order.cancel(3),
      upsert(order, 4, 'S3'),
      upsert(order, 5, 'S3'),
    );
    await order.reaches('delivered', 'delivered', 'delivered', 'delivered', 'duplicate');
    expect(calls()).toBe('POST PUT DELETE POST');
    expect(kept).toMatchObject([{ document: { shipperCode: 'S2' } }, { document: { shipperCode: 'S3' } }]);
  });

  it('that was a create without a clear answer is looked up, and never becomes an update of itself', async () => {
    const { kept, calls } = keepsOrders({ POST: ['lost'] });
    const order = anOrder();
    await order.dispatch(upsert(order, 1, 'S1'), upsert(order, 2, 'S2'));
    await order.reaches('delivered', 'delivered');
    expect(calls()).toBe('POST GET PUT');
    expect(kept).toHaveLength(1);
  });

  it('of a part changes an order that is there, and makes none where it is not: what stands behind it is told the same', async () => {
    const { kept, calls } = keepsOrders();
    const order = anOrder();
    const part = (record: number) => order.update(record, shipper('S2'), { kind: 'order.upsert' });
    await order.dispatch(part(1), order.update(2, shipper('S3')));
    await order.reaches('dead', 'dead');
    expect(await reasonsOf(order)).toEqual(['base_unknown', 'base_unknown']);
    await order.dispatch(order.create(3), part(4), order.cancel(5), part(6), order.cancel(7));
    await order.reaches('dead', 'dead', 'delivered', 'delivered', 'delivered', 'dead', 'duplicate');
    expect(calls()).toBe('POST PUT DELETE');
    expect(kept).toHaveLength(1);
    expect((await order.timeline())[5]?.request).toMatchObject({ reason: 'base_unknown', outcome: 'not_applied' });
  });

  it('that was refused as a create is no order for those behind it', async () => {
    keepsOrders({ POST: [422, 'well'] });
    const order = anOrder();
    await order.dispatch(upsert(order, 1, 'S1'), order.update(2, shipper('S2')), upsert(order, 3, 'S3'));
    await order.reaches('rejected', 'dead', 'delivered');
    expect(await reasonsOf(order)).toEqual([null, 'dependency', null]);
  });
});

it('a create that says what the order came into being with is a duplicate, also behind updates', async () => {
  const { calls } = keepsOrders();
  const order = anOrder();
  await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.create(3));
  await order.reaches('delivered', 'delivered', 'duplicate');
  expect(calls()).toBe('POST PUT');
});

describe('what became of an operation', () => {
  const taken: Answering = () => Response.json({ code: 'accepted' }, { status: 202 });
  const says =
    (action: string, code: string): Answering =>
    () =>
      Response.json({ action, code });
  const actionOf = async (order: OrderUnderTest, at: number) => (await order.timeline())[at]?.request.action;
  const asksIn = (left: readonly Left[]) => left.filter(({ url }) => url.endsWith('/statuses')).length;

  it('is not asked where its own answer says so', async () => {
    const { left } = keepsOrders({
      PUT: [({ body }) => Response.json({ id: JSON.parse(body).id, code: 'updated' })],
    });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')));
    await order.reaches('delivered', 'delivered');
    await order.timePasses(ACTION_LOOKUP_AFTER_MS[1]);
    expect(asksIn(left)).toBe(0);
    expect(await actionOf(order, 1)).toBe('updated');
  });

  it('is asked until it is known, and told to its batch after all', async () => {
    const told = vi.spyOn(Batch.prototype, 'recordOutcomes');
    const { left } = keepsOrders({ PUT: [taken], GET: [says('update', 'processing'), says('update', 'updated')] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')));
    await vi.waitFor(async () => expect(await actionOf(order, 1)).toBe('processing'), PATIENCE);
    await order.change(({ followed }) => patchAll(followed, { at_ms: 0 }));
    await order.wake();
    await vi.waitFor(async () => expect(await actionOf(order, 1)).toBe('updated'), PATIENCE);
    await order.reaches('delivered', 'delivered');
    expect(left.at(-1)).toMatchObject({ method: 'GET', headers: { carrierSCAC: 'DEMO' } });
    await vi.waitFor(() => {
      const last = told.mock.calls.flatMap(([list]) => list).findLast(({ record }) => record === 2);
      expect(last).toMatchObject({ state: 'delivered', action: 'updated', attempts: 1 });
    }, PATIENCE);
    await order.wake();
    expect(asksIn(left)).toBe(2);
  });

  it('ends as refused where the answer to it says so, whatever its status', async () => {
    keepsOrders({ PUT: [({ body }) => Response.json({ id: JSON.parse(body).id, code: 'rejected' }), 'well'] });
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.update(2, shipper('S2')),
      order.update(3, { order: { comments: ['x'] } }),
    );
    await order.reaches('delivered', 'rejected', 'delivered');
    const versions = await versionsOf(order);
    expect(versions.map(({ record, document }) => [record, JSON.parse(document).shipperCode])).toEqual([
      [1, 'S1'],
      [3, 'S1'],
    ]);
  });

  it('that turns out not to be done leaves the order as it stood, its differences uncounted, and a cancel uncancelled', async () => {
    keepsOrders({
      PUT: [taken, 'well'],
      DELETE: [taken],
      GET: [says('update', 'rejected'), says('cancel', 'refused')],
    });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')));
    await vi.waitFor(async () => expect(await actionOf(order, 1)).toBe('rejected'), PATIENCE);
    const shown = async () => {
      const page = await order.stub().page({ before: null, limit: 10 });
      return [page?.counts.versions, ...(page?.versions ?? []).map(({ version, record }) => [version, record])];
    };
    expect(await shown()).toEqual([1, [1, 1]]);
    await order.dispatch(order.cancel(3));
    await vi.waitFor(async () => expect(await actionOf(order, 2)).toBe('refused'), PATIENCE);
    await order.dispatch(order.update(4, shipper('S2')));
    await order.reaches('delivered', 'delivered', 'delivered', 'delivered');
    const versions = await versionsOf(order);
    expect(versions.map(({ record, document }) => [record, JSON.parse(document).shipperCode])).toEqual([
      [1, 'S1'],
      [4, 'S2'],
    ]);
    expect(await shown()).toEqual([2, [1, 1], [2, 4]]);
  });

  it('that turns out not to be done is in no later one that waited for it: a difference counts once', async () => {
    const { kept, calls } = keepsOrders({ PUT: [LOST, taken, 'well'], GET: [says('update', 'rejected')] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, more(3, 'C-1')), order.update(3, shipper('S3')));
    await vi.waitFor(async () => expect(await actionOf(order, 1)).toBe('rejected'), PATIENCE);
    await order.reaches('delivered', 'delivered', 'queued');
    const before = kept[0]?.document;
    await order.timePasses(ORDER_QUIET_MS);
    await order.reaches('delivered', 'delivered', 'delivered');
    expect(calls()).toBe('POST PUT PUT GET PUT');
    expect(kept[0]?.document).toEqual({ ...(before as object), shipperCode: 'S3' });
    await order.dispatch(order.update(4, more(3, 'C-1')));
    await order.reaches('delivered', 'delivered', 'delivered', 'delivered');
    const quantities = (await versionsOf(order)).map(({ document }) => JSON.parse(document).skus[0].quantity);
    expect(quantities).toEqual([2, 2, 5]);
  });

  it('that cancels is asked about before a new order of the same number is made, and is its end only then', async () => {
    const { kept, calls } = keepsOrders({
      DELETE: [taken],
      GET: [says('cancel', 'pending'), says('cancel', 'cancelled')],
    });
    const order = anOrder();
    await order.dispatch(order.create(1), order.cancel(2), order.create(3));
    await vi.waitFor(async () => expect(await actionOf(order, 1)).toBe('pending'), PATIENCE);
    await order.reaches('delivered', 'delivered', 'queued');
    expect(kept).toHaveLength(1);
    await order.timePasses(ACTION_LOOKUP_AFTER_MS[1]);
    await order.reaches('delivered', 'delivered', 'delivered');
    expect(calls()).toBe('POST DELETE GET GET POST');
  });

  it('that cancels and is refused leaves the order: another one of the same number is not made beside it', async () => {
    const { kept, calls } = keepsOrders({ DELETE: [taken], GET: [says('cancel', 'rejected')] });
    const order = anOrder();
    await order.dispatch(
      order.create(1),
      order.cancel(2),
      order.create(3, { body: JSON.stringify({ orderRef: order.identity.orderRef, shipperCode: 'S9' }) }),
    );
    await vi.waitFor(async () => expect(await actionOf(order, 1)).toBe('rejected'), PATIENCE);
    await order.timePasses(ACTION_LOOKUP_AFTER_MS[1]);
    await order.reaches('delivered', 'delivered', 'dead');
    expect(await reasonsOf(order)).toEqual([null, null, 'order_exists']);
    expect(calls()).toBe('POST DELETE GET');
    expect(kept).toHaveLength(1);
  });

  it.each<[string, number, Answering]>([
    ['tells of another action', 2, says('create', 'received')],
    ['says that nothing is known', 2, () => new Response('', { status: 404 })],
    ['cannot be read', 5, () => new Response('<html>', { status: 200 })],
    ['does not come', 5, LOST],
  ])('is asked a few times at most, where the answer %s', async (_what, most, answer) => {
    const { left } = keepsOrders({ DELETE: [taken], GET: [answer] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.cancel(2));
    await vi.waitFor(() => expect(asksIn(left)).toBe(1), PATIENCE);
    for (let wakes = 0; wakes < 6; wakes += 1) {
      await order.change(({ followed }) => {
        for (const { seq, at_ms } of [...followed.values()]) if (at_ms > 0) followed.patch(seq, { at_ms: 0 });
      });
      await order.wake();
    }
    expect(asksIn(left)).toBe(most);
    await order.reaches('delivered', 'delivered');
  });

  it('is not asked any more once a later operation has left', async () => {
    const { left } = keepsOrders({ PUT: [taken, 'well'], GET: [says('update', 'pending')] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.update(3, shipper('S3')));
    await order.reaches('delivered', 'delivered', 'delivered');
    await order.change(({ followed }) => patchAll(followed, { at_ms: 0 }));
    await order.wake();
    expect(asksIn(left)).toBe(0);
  });

  it('is asked again by the next process, where one dies with the question on the wire', async () => {
    const { left } = keepsOrders({ PUT: [taken], GET: [neverAnswers, says('update', 'updated')] });
    const order = anOrder();
    await order.dispatch(order.create(1), order.update(2, shipper('S2')));
    await vi.waitFor(() => expect(asksIn(left)).toBe(1), PATIENCE);
    await abortAllDurableObjects();
    await order.change(({ followed }) => patchAll(followed, { at_ms: 0 }));
    await order.wake();
    await vi.waitFor(async () => expect(await actionOf(order, 1)).toBe('updated'), PATIENCE);
    await order.reaches('delivered', 'delivered');
  });
});
