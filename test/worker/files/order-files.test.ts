/** Files in which several rows make one order: how rows point at it, and that no slice border ever makes two. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { SLICE_BYTES } from '../../../src/kernel/limits.ts';
import { aBatch, type BatchUnderTest } from '../batches.ts';
import { manyOrders, orderFile } from '../order-files.ts';
import { type Answering, type Left, type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let made = 0;
const creates: Answering = () => {
  made += 1;
  return Response.json({ id: `0b6f2a53-6c1e-4b0e-9f4e-${String(made).padStart(12, '0')}` }, { status: 201 });
};

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(creates);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

let files = 0;
/** Order numbers of its own each time: an object that fell asleep in an earlier test outlives its `reset`. */
const unique = (): string => {
  files += 1;
  return `F${files}`;
};

async function settled(file: string, document?: string): Promise<BatchUnderTest> {
  const batch = await aBatch(file, { mapping: 'orders-csv', ...(document === undefined ? {} : { document }) });
  await batch.stub().create(batch.ticket);
  await batch.reaches('settled');
  return batch;
}

interface SentOrder {
  orderRef: string;
  skus: { sku: string }[];
}
/** By reference: which of two orders leaves first is no promise. */
const sent = (left: readonly Left[]): SentOrder[] =>
  left
    .map(({ body }) => JSON.parse(body) as SentOrder)
    .sort((one, other) => one.orderRef.localeCompare(other.orderRef));

const ANYWHERE = (BUNDLED_DOCUMENTS.get('orders-csv') ?? '').replace('order: adjacent', 'order: anywhere');

describe('the rows of an order', () => {
  it('become one create, and all of them show what became of it', async () => {
    const name = unique();
    const batch = await settled(orderFile(...manyOrders(2, 3, 0, name)));
    expect(sent(upstream.left).map(({ orderRef, skus }) => [orderRef, skus.length])).toEqual([
      [`${name}-0`, 3],
      [`${name}-1`, 3],
    ]);
    const rows = await batch.rows();
    expect(rows.map(({ record, group, state }) => [record, group, state])).toEqual([
      [1, null, 'delivered'],
      [2, 1, 'delivered'],
      [3, 1, 'delivered'],
      [4, null, 'delivered'],
      [5, 4, 'delivered'],
      [6, 4, 'delivered'],
    ]);
    for (const { requests } of rows) expect(requests).toMatchObject([{ kind: 'order.create', state: 'delivered' }]);
    expect(await batch.summary()).toMatchObject({
      rows: 6,
      rowStates: { delivered: 6 },
      requests: 2,
      requestStates: { delivered: 2 },
    });
  });

  it('are all in error when one of them is, and other orders go out', async () => {
    const name = unique();
    const [a1, a2, b1] = manyOrders(2, 2, 0, name);
    if (!a1 || !a2 || !b1) throw new Error('no lines');
    const batch = await settled(orderFile(a1, { ...a2, quantity: 'two' }, b1));
    expect(sent(upstream.left).map(({ orderRef }) => orderRef)).toEqual([`${name}-1`]);
    const rows = await batch.rows();
    expect(rows.map(({ state, errors }) => [state, errors.map(({ code }) => code)])).toEqual([
      ['invalid', ['group_invalid']],
      ['invalid', ['not_a_whole_number']],
      ['delivered', []],
    ]);
    expect(rows[0]?.errors[0]?.message).toContain('row 2');
  });

  it('never make a second create when they come back further down', async () => {
    const name = unique();
    const [a1, a2, b1, b2] = manyOrders(2, 2, 0, name);
    if (!a1 || !a2 || !b1 || !b2) throw new Error('no lines');
    const batch = await settled(orderFile(a1, b1, a2, b2));
    expect(sent(upstream.left).map(({ orderRef, skus }) => [orderRef, skus.length])).toEqual([
      [`${name}-0`, 1],
      [`${name}-1`, 1],
    ]);
    expect((await batch.rows()).map(({ errors }) => errors.map(({ code }) => code))).toEqual([
      [],
      [],
      ['group_reopened'],
      ['group_reopened'],
    ]);
  });

  it('may stand anywhere where the mapping says so', async () => {
    const name = unique();
    const lines = manyOrders(30, 4, 0, name);
    const shuffled = [0, 1, 2, 3].flatMap((place) => lines.filter((_, index) => index % 4 === place));
    const batch = await settled(orderFile(...shuffled), ANYWHERE);
    const orders = sent(upstream.left);
    expect(orders.map(({ orderRef }) => orderRef).sort()).toEqual(
      Array.from({ length: 30 }, (_, order) => `${name}-${order}`).sort(),
    );
    for (const { skus } of orders) expect(skus.map(({ sku }) => sku)).toEqual(['SKU-0', 'SKU-1', 'SKU-2', 'SKU-3']);
    const rows = await batch.rows();
    expect(rows.map(({ record }) => record)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    expect(rows.map(({ group }) => group)).toEqual(
      Array.from({ length: 120 }, (_, index) => (index < 30 ? null : (index % 30) + 1)),
    );
  });

  it('that carry a code of another carrier are refused as a whole', async () => {
    const name = unique();
    const document = (BUNDLED_DOCUMENTS.get('orders-csv') ?? '').replace(
      'order:\n',
      'scac: { from: Shipper, upper: true }\norder:\n',
    );
    const withScac = document.replaceAll('kind: order.create\n', 'kind: order.create\n            scac: ACME\n');
    const batch = await settled(orderFile(...manyOrders(1, 2, 0, name)), withScac);
    expect(upstream.left).toEqual([]);
    expect((await batch.rows()).map(({ errors }) => errors.map(({ code }) => code))).toEqual([
      ['scac_not_allowed'],
      ['group_invalid'],
    ]);
  });
});

describe('a file of several slices', () => {
  it.each([
    ['adjacent', undefined],
    ['anywhere', ANYWHERE],
  ])('has one create per order, whatever a slice cuts apart (%s)', async (_, document) => {
    const name = unique();
    const file = orderFile(...manyOrders(60, 12, 1_500, name));
    expect(file.length).toBeGreaterThan(4 * SLICE_BYTES);
    const batch = await settled(file, document);
    const orders = sent(upstream.left);
    expect(new Set(orders.map(({ orderRef }) => orderRef)).size).toBe(60);
    expect(orders).toHaveLength(60);
    for (const { skus } of orders) expect(skus).toHaveLength(12);
    expect(await batch.summary()).toMatchObject({ rows: 720, rowStates: { delivered: 720 }, requests: 60 });
  });
});
