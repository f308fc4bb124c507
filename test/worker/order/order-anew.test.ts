/** Which statuses of an order stand where several orders were made under its reference, one after the other. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OrderStore } from '../../../src/tracking/store/order-store.ts';
import { anOrder, keepsOrders, type OrderUnderTest } from '../orders.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const FIRST = '0b6f2a53-6c1e-4b0e-9f4e-000000000000';
const SECOND = '0b6f2a53-6c1e-4b0e-9f4e-000000000001';

/** One status after the other, of these ids; the code of each is its place in the list. */
const told = (order: OrderUnderTest, ...orderIds: (string | null)[]) =>
  order.stub().takeStatuses(
    order.identity,
    orderIds.map((orderId, index) => ({
      seq: index + 1,
      hash: `h${index}`,
      orderId,
      code: `of ${orderId ?? 'none'}`,
      atMs: index + 1,
      level: 'milestone',
      place: '{}',
      learnedAtMs: index + 1,
      corrects: null,
    })),
  );

/** Ids of the statuses that stand, and the code of the latest. */
async function standing(order: OrderUnderTest) {
  const tracks = await order.stub().statuses('milestone');
  const shown = await order.stub().page({ before: null, limit: 1 });
  return {
    ids: tracks?.map(({ order_id }) => order_id),
    latest: shown?.latestStatus?.code,
    listed: shown?.statuses.length,
  };
}

const written = (order: OrderUnderTest, write: (store: OrderStore) => void) =>
  order.change((_, parts) => write(parts.order));

const cancelledAndMadeAnew = async (): Promise<OrderUnderTest> => {
  keepsOrders();
  const order = anOrder();
  await order.dispatch(order.create(1), order.cancel(2), order.create(3));
  await order.reaches('delivered', 'delivered', 'delivered');
  expect(await order.stub().accepted()).toMatchObject({ incarnation: 2, order_id: SECOND });
  return order;
};

it('those of the order that was cancelled do not, however its id is written; those of no id, or one nobody knows, do', async () => {
  const order = await cancelledAndMadeAnew();
  await told(order, FIRST, null, 'somebody’s', FIRST.toUpperCase());
  expect(await standing(order)).toEqual({ ids: [null, 'somebody’s'], latest: 'of somebody’s', listed: 4 });
});

it('those of the order itself do, however its id is written', async () => {
  const order = await cancelledAndMadeAnew();
  await told(order, SECOND.toUpperCase(), FIRST);
  expect(await standing(order)).toMatchObject({ ids: [SECOND.toUpperCase()], listed: 2 });
});

it('of which it is told twice are kept once', async () => {
  const order = await cancelledAndMadeAnew();
  await told(order, SECOND, SECOND);
  await told(order, SECOND, SECOND, SECOND);
  expect(await standing(order)).toEqual({ ids: [SECOND, SECOND, SECOND], latest: `of ${SECOND}`, listed: 3 });
});

it('all of them do while the order is cancelled', async () => {
  keepsOrders();
  const order = anOrder();
  await order.dispatch(order.create(1), order.cancel(2));
  await order.reaches('delivered', 'delivered');
  await told(order, FIRST);
  expect(await standing(order)).toEqual({ ids: [FIRST], latest: `of ${FIRST}`, listed: 1 });
});

it('all of them do where nobody has named the id of the order', async () => {
  keepsOrders();
  const order = anOrder();
  await order.dispatch(order.create(1), order.cancel(2));
  await order.reaches('delivered', 'delivered');
  await written(order, (store) =>
    store.accept({ seq: 3, incarnation: 2, order_id: '', document: '{}', scac: 'DEMO', accepted_at_ms: 1 }),
  );
  expect(await order.stub().accepted()).toMatchObject({ incarnation: 2, order_id: '' });
  await told(order, FIRST);
  expect(await standing(order)).toEqual({ ids: [FIRST], latest: `of ${FIRST}`, listed: 1 });
});

it('those of an order do whose id it had earlier in this incarnation, also where an earlier one had it', async () => {
  const order = await cancelledAndMadeAnew();
  const document = { orderRef: order.identity.orderRef, shipperCode: 'S1' };
  const by = { keyId: 'k_1', author: 'Analyst', why: 'it was not cancelled after all', replace: true, dryRun: false };
  const stated = await order.stub().state(order.identity, { document, orderId: FIRST.toUpperCase() }, by);
  expect(stated).toMatchObject({ outcome: 'stated', incarnation: 2 });
  await told(order, FIRST, SECOND);
  expect(await standing(order)).toMatchObject({ ids: [FIRST, SECOND], latest: `of ${SECOND}` });
});

it('those of a create do not that was refused after all', async () => {
  keepsOrders();
  const order = anOrder();
  await order.dispatch(order.create(1));
  await order.reaches('delivered');
  await written(order, (store) => {
    store.refuse(1);
    store.accept({ seq: 2, incarnation: 1, order_id: SECOND, document: '{}', scac: 'DEMO', accepted_at_ms: 1 });
  });
  await told(order, FIRST, SECOND);
  expect(await standing(order)).toEqual({ ids: [SECOND], latest: `of ${SECOND}`, listed: 2 });
  await told(order, FIRST, SECOND, FIRST);
  expect(await standing(order)).toEqual({ ids: [SECOND], latest: `of ${SECOND}`, listed: 3 });
});
