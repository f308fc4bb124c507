import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, PATHS } from './client.ts';

/** Scale and step under which the order's life is walked: 72 s / 720 = 100 ms a step. */
export const TIME_SCALE = 720;
const STEP_SECONDS = 72;

/** seed 2.8, 2.9, 4.4, 6.2: orders, the three views of their status, the cursor of the batch view. */
export function orderClauses(client: () => Client): void {
  const poll = (partnerId: string, clientId: string) =>
    client().eventCodes(`${PATHS.history}?partnerId=${partnerId}&clientId=${clientId}`);

  describe('orders (2.8, 4.4)', () => {
    beforeAll(() => client().control('POST', 'reset'));

    it('4.4 create: the answer contains an ID in the form of a UUID', async () => {
      const { id } = await client().createOrder();
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    });

    it('2.8: an order without its client-facing number is refused', async () => {
      expect((await client().call('POST', PATHS.orders, { body: { comments: 'x' } })).status).toBe(400);
      expect((await client().call('POST', PATHS.orders, { body: [] })).status).toBe(400);
    });

    it('4.4 update: takes the complete order with the ID in path and body', async () => {
      const { id, orderRef } = await client().createOrder({ comments: 'old' });
      const { status } = await client().call('PUT', PATHS.orders + id, {
        body: { id, orderRef, deliveryType: 'threshold' },
      });
      expect(status).toBe(200);
      const { orders } = await client().control('GET', 'orders?limit=1000');
      const kept = orders.find((one: { id: string }) => one.id === id);
      expect(kept.document).toEqual({ id, orderRef, deliveryType: 'threshold' });
    });

    it('2.8 update: changes what can be updated, and nothing else', async () => {
      const skus = [{ sku: 'SOFA-3', quantity: 2 }];
      const { id, orderRef } = await client().createOrder({ requestedDate: '2026-03-09', skus });
      const whole = { id, orderRef, requestedDate: '2026-03-09', skus: [{ sku: 'SOFA-3', quantity: 5 }] };
      expect((await client().call('PUT', PATHS.orders + id, { body: whole })).status).toBe(200);
      const refused = await client().call('PUT', PATHS.orders + id, {
        body: { ...whole, requestedDate: '2026-03-10' },
      });
      expect([refused.status, refused.json.error.code]).toEqual([422, 'order_member_fixed']);
    });

    it('4.4 update: an ID that differs between path and body, or is missing in the body, is refused', async () => {
      const { id, orderRef } = await client().createOrder();
      const body = { id: crypto.randomUUID(), orderRef };
      expect((await client().call('PUT', PATHS.orders + id, { body })).json.error.code).toBe('order_id_disagrees');
      expect((await client().call('PUT', PATHS.orders + id, { body: { orderRef } })).json.error.code).toBe(
        'order_id_disagrees',
      );
    });

    it.each(['PUT', 'DELETE'])('4.4: %s of an unknown order is refused', async (method) => {
      const id = crypto.randomUUID();
      const call = method === 'PUT' ? { body: { id, orderRef: 'PO' } } : {};
      expect((await client().call(method, PATHS.orders + id, call)).status).toBe(404);
      expect((await client().call(method, `${PATHS.orders}not-a-uuid`, call)).status).toBe(400);
    });

    it('4.4 cancel: takes the entire order, without a body', async () => {
      const { id } = await client().createOrder();
      expect((await client().call('DELETE', PATHS.orders + id, { body: {} })).status).toBe(400);
      expect((await client().call('DELETE', PATHS.orders + id)).status).toBe(200);
      expect((await client().call('GET', `${PATHS.orders}${id}/statuses`)).json).toMatchObject({
        action: 'cancel',
        code: 'cancelled',
      });
    });

    it('2.8: a cancelled order takes no update, and a second cancel changes nothing', async () => {
      const { id, orderRef } = await client().createOrder();
      await client().call('DELETE', PATHS.orders + id);
      expect((await client().call('PUT', PATHS.orders + id, { body: { id, orderRef } })).status).toBe(409);
      expect((await client().call('DELETE', PATHS.orders + id)).status).toBe(200);
    });

    it('4.4 statuses: names the most recent action', async () => {
      const { id, orderRef } = await client().createOrder();
      const action = async () => (await client().call('GET', `${PATHS.orders}${id}/statuses`)).json.action;
      expect(await action()).toBe('create');
      await client().call('PUT', PATHS.orders + id, { body: { id, orderRef } });
      expect(await action()).toBe('update');
    });

    it('1.6: an order of the test environment does not exist in production', async () => {
      const { id } = await client().createOrder();
      expect((await client().call('GET', `${PATHS.orders}${id}/statuses`, { environment: 'production' })).status).toBe(
        404,
      );
    });
  });

  describe('order status (2.9, 4.4, 6.2)', () => {
    beforeAll(() => client().control('POST', 'reset'));

    it('4.4 history: finds one order by its number and by a secondary reference', async () => {
      const { id, orderRef } = await client().createOrder({ references: [{ name: 'BOL', value: 'BOL-4711' }] });
      for (const ref of [orderRef, 'BOL-4711']) {
        const { json } = await client().call('GET', `${PATHS.history}?orderRef=${ref}`);
        expect(json.events).toMatchObject([{ orderId: id, orderRef, code: 'received' }]);
        expect(json.events[0].eventTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}\+00:00$/);
      }
    });

    it('4.4 history: an orderRef nobody knows has an empty history', async () => {
      expect(await client().eventCodes(`${PATHS.history}?orderRef=nobody`)).toEqual([]);
    });

    it('2.9 batch: shows changes since the last poll, once, and keeps the cursor itself', async () => {
      const { id } = await client().createOrder({ partnerId: 'P-1', clientId: 'C-1' });
      expect(await poll('P-1', 'C-1')).toEqual(['received']);
      expect(await poll('P-1', 'C-1')).toEqual([]);
      await client().call('DELETE', PATHS.orders + id);
      expect(await poll('P-1', 'C-1')).toEqual(['cancelled']);
    });

    it('2.9 batch: each (partnerId, clientId) pair has a cursor of its own', async () => {
      await client().createOrder({ partnerId: 'P-2', clientId: 'C-2' });
      expect(await poll('P-2', 'C-9')).toEqual([]);
      expect(await poll('P-2', 'C-2')).toEqual(['received']);
    });

    it('4.4 history: refuses a query that is neither a pair nor an orderRef', async () => {
      for (const query of ['', '?partnerId=P', '?clientId=C', '?orderRef=']) {
        expect((await client().call('GET', PATHS.history + query)).status).toBe(400);
      }
    });

    it('3, 6.2: an order moves by itself at the time scale, up to delivered', async () => {
      await client().control('PUT', 'settings', { statusStepSeconds: STEP_SECONDS });
      const { orderRef } = await client().createOrder();
      await expect
        .poll(() => client().eventCodes(`${PATHS.history}?orderRef=${orderRef}`), { timeout: 5_000 })
        .toEqual(['received', 'scheduled', 'picked_up', 'at_terminal', 'out_for_delivery', 'delivered']);
    });

    it('4.4 tracks: shows milestones only', async () => {
      const { orderRef } = await client().createOrder();
      const track = (): Promise<string[]> => client().eventCodes(`${PATHS.tracks}?orderRef=${orderRef}`);
      await expect
        .poll(track, { timeout: 5_000 })
        .toEqual(['received', 'scheduled', 'picked_up', 'out_for_delivery', 'delivered']);
    });

    it('3: a cancelled order stops moving', async () => {
      const { id, orderRef } = await client().createOrder();
      await client().call('DELETE', PATHS.orders + id);
      const other = await client().createOrder();
      await expect
        .poll(() => client().eventCodes(`${PATHS.history}?orderRef=${other.orderRef}`), { timeout: 5_000 })
        .toContain('delivered');
      expect((await client().eventCodes(`${PATHS.history}?orderRef=${orderRef}`)).at(-1)).toBe('cancelled');
    });
  });
}
