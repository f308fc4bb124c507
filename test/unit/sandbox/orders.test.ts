import { describe, expect, it } from 'vitest';
import { LIFE, stepOffsetsMs } from '../../../src/sandbox/orders.ts';
import { codeOf, HISTORY, JSON_HEADERS, MemorySandbox, ORDERS } from './memory-sandbox.ts';

const HOUR_MS = 3_600_000;
const PAIR = 'partnerId=DEMO-PARTNER&clientId=DEMO-CLIENT';

function codes(sandbox: MemorySandbox, target: string): string[] {
  const { answer } = sandbox.send('GET', target);
  return JSON.parse(answer.body).events.map(({ code }: { code: string }) => code);
}

describe('the life of an order', () => {
  it('moves by elapsed time alone', () => {
    const sandbox = new MemorySandbox();
    sandbox.create();
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual(['received']);
    sandbox.nowMs += 5 * HOUR_MS;
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual(['received', 'scheduled', 'picked_up']);
    sandbox.nowMs += 30 * HOUR_MS;
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual(LIFE.map(({ code }) => code));
  });

  it('divides every step by the time scale', () => {
    expect(stepOffsetsMs(null, 720).at(-1)).toBe(150_000);
    expect(stepOffsetsMs(60, 10)).toEqual([0, 6_000, 12_000, 18_000, 24_000, 30_000]);
  });

  it('keeps the pace an order was created under', () => {
    const sandbox = new MemorySandbox();
    sandbox.create();
    sandbox.request('PUT', '/_sandbox/settings', { statusStepSeconds: 1 });
    sandbox.nowMs += 10_000;
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual(['received']);
  });

  it('stops where the order is cancelled', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    sandbox.nowMs += HOUR_MS;
    expect(sandbox.send('DELETE', ORDERS + id).answer.status).toBe(200);
    sandbox.nowMs += 40 * HOUR_MS;
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual(['received', 'scheduled', 'cancelled']);
  });

  it('shows milestones only under tracks', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, orderRef: 'PO-1' });
    sandbox.nowMs += 40 * HOUR_MS;
    const shown = codes(sandbox, '/test/rcsc/order-status/v1/tracks?orderRef=PO-1');
    expect(shown).toEqual(['received', 'scheduled', 'picked_up', 'out_for_delivery', 'delivered']);
  });
});

describe('order operations', () => {
  it('makes two orders of one create sent twice', () => {
    const sandbox = new MemorySandbox();
    expect(sandbox.create()).not.toBe(sandbox.create());
    expect(JSON.parse(sandbox.request('GET', '/_sandbox/orders').body).orders).toHaveLength(2);
  });

  it('wants the same id in path and body of an update', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    const other = sandbox.create();
    expect(codeOf(sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id: other, orderRef: 'PO-1' }).answer)).toBe(
      'order_id_disagrees',
    );
    expect(codeOf(sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { orderRef: 'PO-1' }).answer)).toBe(
      'order_id_disagrees',
    );
    expect(sandbox.send('PUT', ORDERS + id.toUpperCase(), JSON_HEADERS, { id, orderRef: 'PO-1' }).answer.status).toBe(
      200,
    );
  });

  it('replaces the whole document with an update', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create({ orderRef: 'PO-1', comments: 'ring twice' });
    sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, orderRef: 'PO-1', deliveryType: 'TP' });
    const [kept] = JSON.parse(sandbox.request('GET', '/_sandbox/orders').body).orders;
    expect(kept).toMatchObject({ version: 2, document: { id, orderRef: 'PO-1', deliveryType: 'TP' } });
    expect(kept.document.comments).toBeUndefined();
  });

  const LAMP = { sku: 'LAMP-2', quantity: 4, weightKg: 2 };
  const BEFORE = { orderRef: 'PO-1', requestedDate: '2026-03-09', skus: [{ sku: 'SOFA-3', quantity: 2 }, LAMP] };
  it.each<[string, Record<string, unknown>]>([
    ['shipper code, delivery type, comments', { shipperCode: 'A', deliveryType: 'B', comments: ['C'] }],
    ['consignee', { consignee: { address: { street: '12 Elm St' }, phone: '1', email: 'a@b.c' } }],
    ['references', { references: [{ name: 'PO', value: '7' }] }],
    ['quantities', { skus: [LAMP, { sku: 'SOFA-3', quantity: 0 }] }],
  ])('takes an update of %s', (_what, change) => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create(BEFORE);
    expect(sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, ...BEFORE, ...change }).answer.status).toBe(200);
    expect(sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, ...BEFORE }).answer.status).toBe(200);
  });
  it.each<[string, Record<string, unknown>, string]>([
    ['another date', { requestedDate: '2026-03-10' }, 'requestedDate'],
    ['no date', { requestedDate: undefined }, 'requestedDate'],
    ['another reference number', { orderRef: 'PO-2' }, 'orderRef'],
    ['a further member', { gift: true }, 'gift'],
    ['an item that was not there', { skus: [...BEFORE.skus, { sku: 'RUG-4', quantity: 1 }] }, 'skus[RUG-4]'],
    ['an item less', { skus: [LAMP] }, 'skus[SOFA-3]'],
    ['another weight', { skus: [BEFORE.skus[0], { ...LAMP, weightKg: 3 }] }, 'skus[LAMP-2].weightKg'],
    ['a quantity that is none', { skus: [{ sku: 'SOFA-3', quantity: 'two' }, LAMP] }, 'skus[SOFA-3].quantity'],
  ])('refuses an update with %s, and keeps the order', (_what, change, path) => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create(BEFORE);
    const { answer } = sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, ...BEFORE, ...change });
    expect([answer.status, codeOf(answer)]).toEqual([422, 'order_member_fixed']);
    expect(JSON.parse(answer.body).error.fields).toMatchObject([{ path }]);
    const [kept] = JSON.parse(sandbox.request('GET', '/_sandbox/orders').body).orders;
    expect(kept).toMatchObject({ version: 1, document: BEFORE });
  });

  it('refuses an update after a cancel, and takes a second cancel for the first', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    sandbox.send('DELETE', ORDERS + id);
    const update = sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, orderRef: 'PO-1' }).answer;
    expect([update.status, codeOf(update)]).toEqual([409, 'order_closed']);
    expect(sandbox.send('DELETE', ORDERS + id).answer.status).toBe(200);
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual(['received', 'cancelled']);
  });

  it('refuses to cancel what is delivered', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    sandbox.nowMs += 31 * HOUR_MS;
    expect(sandbox.send('DELETE', ORDERS + id).answer.status).toBe(409);
  });

  it('hides an order from every other account', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    const headers = { ...JSON_HEADERS, 'Ocp-Apim-Subscription-Key': 'sandbox-test-key-2' };
    expect(sandbox.send('GET', `${ORDERS}${id}/statuses`, headers).answer.status).toBe(404);
    expect(JSON.parse(sandbox.send('GET', `${HISTORY}?orderRef=PO-1`, headers).answer.body).events).toEqual([]);
  });

  it('finds an order by any of its references', () => {
    const sandbox = new MemorySandbox();
    sandbox.create({ orderRef: 'PO-1', references: [{ name: 'BOL', value: 'B-77' }, { name: 'odd' }] });
    expect(codes(sandbox, `${HISTORY}?orderRef=B-77`)).toEqual(['received']);
  });

  it('says the most recent action under statuses', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    sandbox.nowMs = Date.UTC(2026, 2, 1, 12, 5) - 1;
    sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, orderRef: 'PO-1' });
    const status = JSON.parse(sandbox.send('GET', `${ORDERS}${id}/statuses`).answer.body);
    expect(status).toEqual({
      id,
      orderRef: 'PO-1',
      action: 'update',
      code: 'updated',
      eventTime: '2026-03-01T12:05:00.0000000+00:00',
    });
  });
});

describe('the batch view', () => {
  it('shows every change once', () => {
    const sandbox = new MemorySandbox();
    const id = sandbox.create();
    expect(codes(sandbox, `${HISTORY}?${PAIR}`)).toEqual(['received']);
    expect(codes(sandbox, `${HISTORY}?${PAIR}`)).toEqual([]);
    sandbox.send('PUT', ORDERS + id, JSON_HEADERS, { id, orderRef: 'PO-1' });
    expect(codes(sandbox, `${HISTORY}?${PAIR}`)).toEqual(['updated']);
    sandbox.nowMs += HOUR_MS;
    expect(codes(sandbox, `${HISTORY}?${PAIR}`)).toEqual(['scheduled']);
  });

  it('keeps a cursor per pair, and takes the pair from the order', () => {
    const sandbox = new MemorySandbox();
    sandbox.create({ orderRef: 'PO-1' });
    sandbox.create({ orderRef: 'PO-2', partnerId: 'P', clientId: 'C' });
    expect(codes(sandbox, `${HISTORY}?${PAIR}`)).toEqual(['received']);
    expect(codes(sandbox, `${HISTORY}?partnerId=P&clientId=C`)).toEqual(['received']);
    expect(codes(sandbox, `${HISTORY}?partnerId=P&clientId=C`)).toEqual([]);
  });

  it.each(['', '?partnerId=P', '?partnerId=P&clientId=C&orderRef=X', '?orderRef=', '?orderRef=X&since=1'])(
    'refuses the query "%s"',
    (query) => {
      expect(new MemorySandbox().send('GET', HISTORY + query).answer.status).toBe(400);
    },
  );

  it('finds a young order by reference only after the index delay, and in the batch at once', () => {
    const sandbox = new MemorySandbox(10);
    sandbox.request('PUT', '/_sandbox/settings', { orderIndexDelaySeconds: 60 });
    sandbox.create();
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual([]);
    expect(codes(sandbox, `${HISTORY}?${PAIR}`)).toEqual(['received']);
    sandbox.nowMs += 6_000;
    expect(codes(sandbox, `${HISTORY}?orderRef=PO-1`)).toEqual(['received']);
  });
});
