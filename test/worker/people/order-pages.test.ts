/** An order with a long life, page by page: from its latest operations and versions back to the first. */

import { reset } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ORDER_ATTEMPTS_SHOWN_MAX, ORDER_PAGE_CHARACTERS_MAX } from '../../../src/kernel/limits.ts';
import type { OrderPage } from '../../../src/tracking/order-page.ts';
import { attemptKey } from '../../../src/tracking/store/subject-tables.ts';
import { anOperator } from '../operators.ts';
import { anOrder, keepsOrders, type OrderUnderTest } from '../orders.ts';
import { aPartner, problemOf } from '../partners.ts';
import { addAttempts } from '../rows.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const BY = { keyId: 'k', author: 'Analyst', why: 'as it stands there', replace: true, dryRun: false };
const shipper = (code: string) => ({ order: { shipperCode: code } });

async function pagesOf(order: OrderUnderTest, limit: number): Promise<OrderPage[]> {
  const pages: OrderPage[] = [];
  for (let before: OrderPage['next'] = null; ; ) {
    const page = await order.stub().page({ before, limit });
    if (page === null) throw new Error('no such order');
    pages.push(page);
    if (page.next === null) return pages;
    before = page.next;
  }
}

/** Created, changed, stated twice, changed in vain, cancelled and created anew. */
async function aLongLife(): Promise<OrderUnderTest> {
  keepsOrders({ PUT: ['well', 422, 'well'] });
  const order = anOrder();
  await order.dispatch(order.create(1), order.update(2, shipper('S2')));
  await order.reaches('delivered', 'delivered');
  for (const comment of ['one', 'two']) {
    const document = { orderRef: order.identity.orderRef, shipperCode: 'S5', comments: [comment] };
    expect(await order.stub().state(order.identity, { document, orderId: null }, BY)).toMatchObject({
      outcome: 'stated',
    });
  }
  await order.dispatch(order.update(3, shipper('S3')), order.update(4, shipper('S4')), order.cancel(5));
  await order.dispatch(order.create(6));
  await order.reaches('delivered', 'delivered', 'rejected', 'delivered', 'delivered', 'delivered');
  return order;
}

describe('the pages of an order', () => {
  it.each([1, 2, 3, 7])('of %i leave nothing out, repeat nothing and number versions through', async (limit) => {
    const order = await aLongLife();
    const [whole, ...none] = await pagesOf(order, 100);
    expect(none).toEqual([]);
    expect(whole?.operations.map(({ request }) => request.record)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(whole?.versions.map(({ version, kind, record }) => [version, kind, record])).toEqual([
      [1, 'order.create', 1],
      [2, 'order.update', 2],
      [3, 'base', null],
      [4, 'base', null],
      [5, 'order.update', 4],
      [6, 'order.create', 6],
    ]);
    const pages = await pagesOf(order, limit);
    expect(pages).toHaveLength(Math.ceil(8 / limit));
    const earliestFirst = pages.toReversed();
    expect(earliestFirst.flatMap(({ operations }) => operations)).toEqual(whole?.operations);
    expect(earliestFirst.flatMap(({ versions }) => versions)).toEqual(whole?.versions);
    for (const { accepted, counts } of pages) {
      expect(accepted).toEqual(whole?.accepted);
      expect(counts).toEqual({ versions: 6, operations: 6, open: 0 });
    }
  });

  it('carry no document but the one that stands, and no body', async () => {
    const order = await aLongLife();
    const text = JSON.stringify({ ...(await pagesOf(order, 100))[0], accepted: null });
    expect(text).not.toContain('"document"');
    expect(text).not.toContain('"body":"{\\"orderRef');
  });

  it('show the newest attempts of an operation, and end once their answers are long', async () => {
    const order = await aLongLife();
    const tries = ORDER_ATTEMPTS_SHOWN_MAX + 10;
    const characters = Math.ceil(ORDER_PAGE_CHARACTERS_MAX / ORDER_ATTEMPTS_SHOWN_MAX / 2);
    const answered = { effect: 'not_applied', body: 'x'.repeat(characters) } as const;
    await order.change((tables) => {
      for (const { seq, attempt } of [...tables.attempt.values()]) {
        if (seq === 3 || seq === 4) tables.attempt.drop(attemptKey(seq, attempt));
      }
      for (const seq of [3, 4]) {
        tables.request.patch(seq, { attempts: 0 });
        addAttempts(tables, seq, Array<typeof answered>(tries).fill(answered));
      }
    });
    const pages = await pagesOf(order, 100);
    expect(pages.map(({ operations }) => operations.map(({ request }) => request.seq))).toEqual([
      [3, 4, 5, 6],
      [1, 2],
    ]);
    const shown = pages[0]?.operations[0]?.attempts.map(({ attempt }) => attempt);
    expect(shown).toEqual(Array.from({ length: ORDER_ATTEMPTS_SHOWN_MAX }, (_, at) => at + 11));
  });
});

describe('over HTTP', () => {
  interface Shown {
    operations: { operation: number }[];
    versions: { version: number }[];
    counts: object;
    next: string | null;
  }

  it('a partner and an operator are led from page to page, each at their own addresses', async () => {
    keepsOrders();
    const partner = await aPartner();
    const operator = await anOperator();
    const order = anOrder({ partner: partner.name });
    await order.dispatch(order.create(1), order.update(2, shipper('S2')), order.update(3, shipper('S3')));
    await order.reaches('delivered', 'delivered', 'delivered');
    const { orderRef } = order.identity;
    for (const [who, address] of [
      [partner, `/v1/orders/${orderRef}`],
      [operator, `/v1/ops/orders/${partner.name}/${orderRef}?environment=test`],
      [operator, `/v1/ops/orders/${orderRef}?environment=test`],
    ] as const) {
      const seen: number[][] = [];
      for (let path = `${address}${address.includes('?') ? '&' : '?'}limit=2`; ; ) {
        const page = await who.getJson<Shown>(path);
        expect(page.versions.map(({ version }) => version)).toEqual(page.operations.map(({ operation }) => operation));
        expect(page.counts).toEqual({ versions: 3, operations: 3, open: 0 });
        seen.push(page.operations.map(({ operation }) => operation));
        if (page.next === null) break;
        path = page.next;
      }
      expect(seen).toEqual([[2, 3], [1]]);
      expect((await who.getJson<Shown>(address)).next).toBeNull();
      const wrong = await who.fetch(`${address}${address.includes('?') ? '&' : '?'}cursor=x`);
      expect(await problemOf(wrong)).toMatchObject({ status: 400, code: 'parameter_invalid' });
    }
    const page = await (await partner.fetch(`/console/orders/${orderRef}?limit=2`)).text();
    const [, next] = /href="([^"]+)" rel="next">Show earlier operations</.exec(page) ?? [];
    const earlier = await (await partner.fetch((next ?? '').replaceAll('&amp;', '&'))).text();
    expect(page).toContain('Version 3');
    expect(page).not.toMatch(/Version 1\s*</);
    expect(earlier).toMatch(/Version 1\s*</);
    expect(earlier).toContain(`href="/console/orders/${orderRef}">Show the first</a>`);
  });
});
