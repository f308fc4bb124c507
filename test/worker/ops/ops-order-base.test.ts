/** An operator states the whole of an order that is not known here: changes are merged with that from then on. */

import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { feedName, orderName } from '../../../src/kernel/names.ts';
import { unique, uploaded } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { anOrder, keepsOrders, ORDER_ID, versionsOf } from '../orders.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { patchAll } from '../rows.ts';
import { neverAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const OTHER_ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f11';
const CHANGES = { mapping: 'order-changes-csv' };
const CREATES = { mapping: 'orders-csv' };

const wholeOrder = (orderRef: string, more: object = {}) => ({
  orderRef,
  shipperCode: 'acme',
  consignee: { name: 'Consignee', phone: '555-0100' },
  skus: [{ sku: 'SOFA-3', quantity: 2 }],
  ...more,
});

interface Stated {
  changed: boolean;
  incarnation: number;
  orderId: string | null;
  changes: object[] | null;
}
interface Shown {
  orderId: string | null;
  document: object | null;
  versions: { kind: string; version: number; incarnation: number; stated: object | null; changes: object[] | null }[];
  operations: { state: string; reason: string | null }[];
}

/** A partner whose change met no order, an upstream that has that order, and an operator. */
async function unknownHere() {
  const upstream = keepsOrders();
  const partner = await aPartner();
  const operator = await anOperator();
  const orderRef = unique();
  upstream.kept.push({ id: ORDER_ID, document: wholeOrder(orderRef), isCancelled: false, versions: 1 });
  const change = (phone: string) => `Order No,Action,Phone\n${orderRef},CHANGE,${phone}\n`;
  const receipt = await uploaded(partner, change('555-0199'), { dead: 1 }, CHANGES);
  return { upstream, partner, operator, orderRef, change, receipt };
}

const at = (partner: Partner, orderRef: string): string => `/v1/ops/orders/${partner.name}/${orderRef}`;
const state = (operator: Operator, partner: Partner, orderRef: string, body: object): Promise<Stated> =>
  operator.done('PUT', `${at(partner, orderRef)}/base`, { document: wholeOrder(orderRef), why: 'a test', ...body });
const refused = async (operator: Operator, partner: Partner, orderRef: string, body: object) =>
  problemOf(
    await operator.fetch(`${at(partner, orderRef)}/base`, {
      method: 'PUT',
      body: JSON.stringify({ document: wholeOrder(orderRef), why: 'a test', ...body }),
    }),
  );
const retried = async (partner: Partner, { batchId, links }: { batchId: string; links: { self: string } }) => {
  await partner.fetch(`${links.self}/retry`, { method: 'POST' });
  return (await partner.reaches(batchId, 'settled')).rowStates;
};

describe('an order that is not known here', () => {
  it('is stated by an operator: a change of three columns goes out whole, under its id, and the history says who stated what', async () => {
    const { upstream, partner, operator, orderRef, receipt } = await unknownHere();
    const stated = await state(operator, partner, orderRef, { orderId: ORDER_ID, why: 'sent by mail on Monday' });
    expect(stated).toMatchObject({ changed: true, incarnation: 1, orderId: ORDER_ID, changes: null });
    expect(upstream.left).toEqual([]);
    expect(await retried(partner, receipt)).toEqual({ delivered: 1 });
    const document = wholeOrder(orderRef, { consignee: { name: 'Consignee', phone: '555-0199' } });
    expect(upstream.left[0]).toMatchObject({ method: 'PUT', url: expect.stringContaining(`/${ORDER_ID}`) });
    expect(JSON.parse(upstream.left[0]?.body ?? '')).toEqual({ ...document, id: ORDER_ID });
    expect(upstream.kept[0]?.document).toEqual(document);
    const shown = await operator.getJson<Shown>(at(partner, orderRef));
    expect(shown).toMatchObject({ environment: 'test', partner: partner.name, orderId: ORDER_ID, document });
    expect(shown.versions).toMatchObject([
      {
        version: 1,
        kind: 'base',
        batchId: null,
        record: null,
        operation: null,
        scac: null,
        stated: { by: 'Analyst', why: 'sent by mail on Monday' },
      },
      {
        version: 2,
        kind: 'order.update',
        batchId: receipt.batchId,
        record: 1,
        stated: null,
        changes: [{ path: 'consignee.phone', before: '555-0100', after: '555-0199' }],
      },
    ]);
    const { versions } = await partner.getJson<Shown>(`/v1/orders/${orderRef}`);
    const asPartner = [{ ...shown.versions[0], stated: { by: 'operator', why: null } }, shown.versions[1]];
    expect(asPartner).toMatchObject(versions); // operators see links besides
  });

  it('is stated once: the same again changes nothing, anything else only with replace, and it says what that changes', async () => {
    const { partner, operator, orderRef } = await unknownHere();
    await state(operator, partner, orderRef, { orderId: ORDER_ID });
    expect(await state(operator, partner, orderRef, { orderId: ORDER_ID })).toMatchObject({ changed: false });
    const other = { document: wholeOrder(orderRef, { shipperCode: 'other' }) };
    const { code, ...known } = await refused(operator, partner, orderRef, other);
    expect([code, known]).toMatchObject(['base_known', { status: 409, orderId: ORDER_ID, since: expect.any(String) }]);
    const replaced = await state(operator, partner, orderRef, { ...other, replace: true, why: 'it was another' });
    const changes = [{ path: 'shipperCode', before: 'acme', after: 'other' }];
    expect(replaced).toMatchObject({ changed: true, incarnation: 1, orderId: ORDER_ID, changes });
    const { versions, document } = await operator.getJson<Shown>(at(partner, orderRef));
    expect(versions).toMatchObject([
      { version: 1, kind: 'base', changes: null },
      { version: 2, kind: 'base', changes, stated: { why: 'it was another' } },
    ]);
    expect(document).toEqual(other.document);
  });

  it('is tried with a dry run, which leaves nothing behind', async () => {
    const upstream = keepsOrders();
    const partner = await aPartner();
    const operator = await anOperator();
    const body = { document: wholeOrder('SO-DRY'), orderId: ORDER_ID, why: 'a test' };
    const planned = await operator.done('PUT', `${at(partner, 'SO-DRY')}/base?dryRun=true`, body);
    expect(planned).toMatchObject({ dryRun: true, changed: true, incarnation: 1 });
    expect((await problemOf(await operator.fetch(at(partner, 'SO-DRY')))).code).toBe('order_unknown');
    await operator.done('PUT', `${at(partner, 'SO-DRY')}/base`, body);
    const other = { ...body, document: wholeOrder('SO-DRY', { shipperCode: 'other' }), replace: true };
    const change = await operator.done('PUT', `${at(partner, 'SO-DRY')}/base?dryRun=true`, other);
    expect(change).toMatchObject({ changed: true, changes: [{ path: 'shipperCode' }] });
    expect((await operator.getJson<Shown>(at(partner, 'SO-DRY'))).versions).toHaveLength(1);
    expect(upstream.left).toEqual([]);
  });

  it('is stated without its id: a change says so, and goes out once the id is stated, too', async () => {
    const { upstream, partner, operator, orderRef, receipt } = await unknownHere();
    await state(operator, partner, orderRef, {});
    expect(await retried(partner, receipt)).toEqual({ dead: 1 });
    const { operations } = await operator.getJson<Shown>(at(partner, orderRef));
    expect(operations.map(({ reason }) => reason)).toEqual(['base_unknown', 'order_id_unknown']);
    await state(operator, partner, orderRef, { orderId: ORDER_ID, replace: true });
    expect(await retried(partner, receipt)).toEqual({ delivered: 1 });
    expect(upstream.calls()).toBe('PUT');
  });

  it('is never made a second time: a create of it is given up', async () => {
    const { upstream, partner, operator, orderRef } = await unknownHere();
    await state(operator, partner, orderRef, { orderId: ORDER_ID });
    await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { dead: 1 }, CREATES);
    const { operations } = await operator.getJson<Shown>(at(partner, orderRef));
    expect(operations.at(-1)).toMatchObject({ kind: 'order.create', reason: 'order_exists' });
    expect(upstream.left).toEqual([]);
  });

  it('is cancelled under the id that was stated, and the next create begins the next incarnation', async () => {
    const { upstream, partner, operator, orderRef } = await unknownHere();
    await state(operator, partner, orderRef, { orderId: ORDER_ID });
    await uploaded(partner, `Order No,Action,Phone\n${orderRef},CANCEL,\n`, { delivered: 1 }, CHANGES);
    expect(upstream.kept[0]?.isCancelled).toBe(true);
    await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { delivered: 1 }, CREATES);
    const { versions } = await operator.getJson<Shown>(at(partner, orderRef));
    expect(versions).toMatchObject([
      { kind: 'base', incarnation: 1 },
      { kind: 'order.create', incarnation: 2 },
    ]);
  });

  it('of a partner with a feed carries its pair and is known to the feed', async () => {
    const { partner, operator, orderRef } = await unknownHere();
    const pair = { partnerId: `P-${partner.name}`, clientId: `C-${partner.name}` };
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, { ...pair, channel: 'plain', note: 'a test' });
    await state(operator, partner, orderRef, { orderId: ORDER_ID });
    expect((await operator.getJson<Shown>(at(partner, orderRef))).document).toMatchObject(pair);
    const feed = env.ORDER_FEED.getByName(feedName('test', pair));
    await vi.waitFor(async () => expect((await feed.status())?.orders.open).toBe(1), PATIENCE);
  });

  it('is shown with what a refused change was to change, in the letter of that change', async () => {
    keepsOrders({ PUT: [async () => Response.json({ wrong: 'phone' }, { status: 422 })] });
    const partner = await aPartner();
    const operator = await anOperator();
    const orderRef = unique();
    await state(operator, partner, orderRef, { orderId: ORDER_ID });
    const file = `Order No,Action,Phone\n${orderRef},CHANGE,555-0199\n`;
    const { batchId } = await uploaded(partner, file, { rejected: 1 }, CHANGES);
    const letter = await operator.getJson(`/v1/ops/letters/${batchId}/1/1`);
    const diff = [{ path: 'consignee.phone', before: '555-0100', after: '555-0199' }];
    expect(letter).toMatchObject({ state: 'rejected', kind: 'order.update', diff });
  });

  it('belongs to its partner: no other one sees or changes it', async () => {
    const { partner, operator, orderRef } = await unknownHere();
    await state(operator, partner, orderRef, { orderId: ORDER_ID });
    const other = await aPartner();
    expect((await problemOf(await other.fetch(`/v1/orders/${orderRef}`))).code).toBe('order_unknown');
    expect((await problemOf(await operator.fetch(at(other, orderRef)))).code).toBe('order_unknown');
  });

  it.each<[string, object, string]>([
    ['of another reference', { document: wholeOrder('SO-OTHER') }, 'order_base_invalid'],
    ['with an id that is none', { orderId: '42' }, 'order_base_invalid'],
    ['without a reason', { why: ' ' }, 'body_invalid'],
    ['that is no object', { document: ['SO-1'] }, 'body_invalid'],
  ])('is not stated by a document %s', async (_, body, code) => {
    const partner = await aPartner();
    const operator = await anOperator();
    const words = await refused(operator, partner, 'SO-1', body);
    expect(words).toMatchObject({ code, detail: expect.stringContaining('Nothing was changed') });
    expect((await problemOf(await operator.fetch(at(partner, 'SO-1')))).code).toBe('order_unknown');
  });
});

const BY = { keyId: 'k_1', author: 'Analyst', why: 'a test', replace: true, dryRun: false };

describe('a base that is loaded', () => {
  it('waits for what is under way, whose whole order would overwrite it', async () => {
    keepsOrders({ POST: [neverAnswers] });
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('sending');
    const base = { document: wholeOrder(order.identity.orderRef), orderId: ORDER_ID };
    expect(await order.stub().state(order.identity, base, BY)).toEqual({ outcome: 'order_busy' });
    expect(await order.stub().accepted()).toBeNull();
  });

  it('is no proof: a change that agrees with it is sent, the next one that does is not', async () => {
    const { kept, calls } = keepsOrders();
    const order = anOrder();
    const { orderRef } = order.identity;
    kept.push({ id: ORDER_ID, document: {}, isCancelled: false, versions: 1 });
    await order.stub().state(order.identity, { document: wholeOrder(orderRef), orderId: ORDER_ID }, BY);
    const same = { order: { shipperCode: 'acme' } };
    await order.dispatch(order.update(1, same), order.update(2, same));
    await order.reaches('delivered', 'duplicate');
    expect(calls()).toBe('PUT');
    expect(kept[0]?.document).toEqual(wholeOrder(orderRef));
  });

  it('is what an upsert changes', async () => {
    const { kept, calls } = keepsOrders();
    const order = anOrder();
    const { orderRef } = order.identity;
    kept.push({ id: ORDER_ID, document: {}, isCancelled: false, versions: 1 });
    await order.stub().state(order.identity, { document: wholeOrder(orderRef), orderId: ORDER_ID }, BY);
    await order.dispatch(order.update(1, { order: { shipperCode: 'S9' } }, { kind: 'order.upsert' }));
    await order.reaches('delivered');
    expect(calls()).toBe('PUT');
    expect(kept[0]?.document).toEqual(wholeOrder(orderRef, { shipperCode: 'S9' }));
  });

  it('in place of what was accepted is what later changes are merged with, also after a restart', async () => {
    const { kept } = keepsOrders();
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    const stated = wholeOrder(order.identity.orderRef, { comments: ['as it stands there'] });
    const outcome = await order.stub().state(order.identity, { document: stated, orderId: null }, BY);
    expect(outcome).toMatchObject({ outcome: 'stated', incarnation: 1, orderId: kept[0]?.id });
    await evictDurableObject(order.stub());
    await order.dispatch(order.update(2, { order: { shipperCode: 'S9' } }));
    await order.reaches('delivered', 'delivered');
    expect(kept[0]?.document).toEqual({ ...stated, shipperCode: 'S9' });
    expect((await versionsOf(order)).map(({ kind }) => kind)).toEqual(['order.create', 'base', 'order.update']);
  });

  it('under another id is followed there, and the old id is ours all the same', async () => {
    const { kept, left } = keepsOrders();
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('delivered');
    kept.push({ id: OTHER_ID, document: {}, isCancelled: false, versions: 1 });
    const document = wholeOrder(order.identity.orderRef);
    await order.stub().state(order.identity, { document, orderId: OTHER_ID }, BY);
    await order.dispatch(order.update(2, { order: { shipperCode: 'S9' } }));
    await order.reaches('delivered', 'delivered');
    expect(left.at(-1)?.url).toContain(OTHER_ID);
  });

  it('keeps its order alive for 90 days, and not longer', async () => {
    keepsOrders();
    const order = anOrder();
    const { orderRef } = order.identity;
    await order.stub().state(order.identity, { document: wholeOrder(orderRef), orderId: ORDER_ID }, BY);
    await order.wake();
    expect(await order.stub().isKnown()).toBe(true);
    const lifeMs = (90 * 24 * 3_600_000) / 300;
    await order.change(({ loaded_base }) =>
      patchAll(loaded_base, ({ loaded_at_ms }) => ({ loaded_at_ms: loaded_at_ms - lifeMs - 1_000 })),
    );
    await runInDurableObject(env.ORDER.getByName(orderName(order.identity, orderRef)), (object) => object.alarm());
    expect(await order.stub().isKnown()).toBe(false);
  });
});
