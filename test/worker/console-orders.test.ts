/** Pages of orders and feeds: who sees which, and that no page of somebody else can press their buttons. */

import { reset, runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { feedName, orderName } from '../../src/kernel/names.ts';
import { unique } from './dead-letters.ts';
import { BY, orderHistory } from './feeds.ts';
import { PATIENCE } from './loads.ts';
import { anOperator, type Operator } from './operators.ts';
import { orderFile } from './order-files.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from './partners.ts';
import { change } from './rows.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const feedKeyOf = ({ name }: Partner) => ({ partnerId: `P-${name}`, clientId: `C-${name}` });
const feedOf = (partner: Partner) => env.ORDER_FEED.getByName(feedName('test', feedKeyOf(partner)));

/** A partner with a feed and one order that was delivered, and an operator. */
async function followed() {
  const upstream = orderHistory();
  const partner = await aPartner();
  const operator = await anOperator();
  const wanted = { ...feedKeyOf(partner), channel: 'plain', note: 'a test' };
  await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, wanted);
  const orderRef = `${unique()}SO/1`;
  const { batchId } = await partner.receipt(orderFile({ orderRef, sku: 'S' }), { mapping: 'orders-csv' });
  await partner.reaches(batchId, 'settled');
  upstream.happens(orderRef, 'delivered', { city: 'Joliet', state: 'IL' });
  await vi.waitFor(async () => {
    await feedOf(partner).pollNow(BY);
    expect((await feedOf(partner).status())?.lastSeq).toBe(1);
  }, PATIENCE);
  await vi.waitFor(async () => {
    const order = env.ORDER.getByName(orderName({ environment: 'test', partner: partner.name }, orderRef));
    expect(await order.statuses(null)).toHaveLength(1);
  }, PATIENCE);
  return { upstream, partner, operator, orderRef, batchId, at: encodeURIComponent(orderRef) };
}

const pageOf = async (who: Partner | Operator, path: string, status = 200): Promise<string> => {
  const answer = await who.fetch(path);
  const text = await answer.text();
  expect(answer.status, `${path}: ${text.slice(0, 300)}`).toBe(status);
  expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/);
  expect(answer.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
  return text;
};
const movedTo = async (who: Partner | Operator, path: string, init: RequestInit = {}): Promise<string | null> => {
  const answer = await who.fetch(path, { ...init, redirect: 'manual' });
  expect(answer.status, await answer.clone().text()).toBe(303);
  return answer.headers.get('Location');
};

describe('the page of an order', () => {
  it('is found by its reference, listed by its feed, and linked from the row that made it', async () => {
    const { partner, batchId, at } = await followed();
    const page = await pageOf(partner, `/console/orders/${at}`);
    for (const fact of ['delivered', 'Joliet, IL', 'Version 1', 'New order', `/console/batches/${batchId}?`]) {
      expect(page).toContain(fact);
    }
    expect(await movedTo(partner, `/console/orders?ref=%20${at}`)).toBe(`/console/orders/${at}`);
    expect(await pageOf(partner, '/console/orders')).toContain(`<a href="/console/orders/${at}">`);
    const batch = await pageOf(partner, `/console/batches/${batchId}?state=all`);
    expect(batch).toContain(`<a href="/console/orders/${at}">`);
  });

  it('is there for its partner alone, and what is not there is looked for in vain and leaves nothing behind', async () => {
    const { partner, at } = await followed();
    const others = [await aPartner(), await aPartner({ partner: partner.name, environment: 'production' })];
    for (const other of others) {
      for (const path of [`/console/orders/${at}`, `/console/orders?ref=${at}`]) {
        const page = await pageOf(other, path, 404);
        expect(page).toContain('There is no order');
        expect(page).not.toContain('Joliet');
        expect(page).not.toContain(partner.name);
      }
      expect(await pageOf(other, '/console/orders')).toContain('No feed follows these orders');
    }
    await pageOf(partner, '/console/orders/NOBODYS', 404);
    const name = orderName({ environment: 'test', partner: partner.name }, 'NOBODYS');
    await runInDurableObject(env.ORDER.getByName(name), (_, { storage }) =>
      expect(storage.sql.exec('SELECT name FROM sqlite_master').toArray()).toEqual([]),
    );
    await pageOf(partner, `/console/orders/${'x'.repeat(300)}`, 404);
  });

  it('is shown to an operator with its partner, and not to a partner under the operators’ address', async () => {
    const { partner, operator, at } = await followed();
    const path = `/console/ops/orders/${partner.name}/${at}?environment=test`;
    const page = await pageOf(operator, path);
    expect(page).toContain(partner.name);
    expect(page).toContain('/console/batches/');
    const search = `/console/ops/orders?environment=test&partner=${partner.name}`;
    expect(await movedTo(operator, `${search}&ref=${at}`)).toBe(path);
    expect(await pageOf(operator, search)).toContain(`/console/ops/orders/${partner.name}/${at}?`);
    expect(await pageOf(operator, `${search}&ref=NOBODYS`, 404)).toContain(`of ${partner.name} here`);
    expect((await problemOf(await partner.fetch(path))).code).toBe('unauthorized');
    expect((await problemOf(await operator.fetch(`/console/orders/${at}`))).code).toBe('unauthorized');
    const gone = `/console/ops/orders/${partner.name}/NOBODYS?environment=test`;
    expect((await problemOf(await operator.fetch(gone))).code).toBe('order_unknown');
  });

  it('asks a browser for the key', async () => {
    const realm = async (path: string): Promise<string | null> =>
      (await exports.default.fetch(ORIGIN + path)).headers.get('WWW-Authenticate');
    expect(await realm('/console/orders')).toBe('Basic realm="Transload", charset="UTF-8"');
    expect(await realm('/console/ops/feeds')).toBe('Basic realm="Transload", charset="UTF-8"');
    expect(await realm('/v1/ops/feeds')).toBe('Bearer realm="Transload"');
  });
});

describe('the page of feeds', () => {
  const pressed = (
    why: string,
    headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' },
  ): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ why }).toString(),
  });
  const at = (partner: Partner, action: string): string =>
    `/console/ops/feeds/${partner.name}/${action}?environment=test`;
  const audit = (partner: Partner): Promise<object[]> =>
    runInDurableObject(feedOf(partner), (_, { storage }) =>
      storage.sql.exec(`SELECT author, what, why FROM audit WHERE why <> 'a test'`).toArray(),
    );

  it('shows the feeds of its environment, and opens on the first that the key may see', async () => {
    const { partner, operator } = await followed();
    const page = await pageOf(operator, '/console/ops/feeds?environment=test');
    expect(page).toContain(`data-feed="${partner.name}"`);
    expect(await movedTo(operator, '/console/ops/feeds')).toBe('/console/ops/feeds?environment=test');
    const live = await anOperator({ environments: ['production'] });
    expect(await pageOf(live, '/console/ops/feeds?environment=production')).not.toContain(partner.name);
    const refused = await problemOf(await live.fetch('/console/ops/feeds?environment=test'));
    expect(refused.code).toBe('environment_not_allowed');
  });

  it('polls now, and repairs, with the reason and the name of whoever pressed', async () => {
    const { partner, operator } = await followed();
    const back = await movedTo(operator, at(partner, 'poll'), pressed('a call was missed'));
    expect(back).toBe(`/console/ops/feeds?environment=test&done=poll&partner=${partner.name}`);
    expect(await pageOf(operator, back ?? '')).toContain('The next poll is made now');
    await movedTo(operator, at(partner, 'repair'), pressed('to be sure'));
    expect(await audit(partner)).toEqual([
      { author: 'Analyst', what: 'poll_now', why: 'a call was missed' },
      { author: 'Analyst', what: 'repair_now', why: 'to be sure' },
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['an address that was typed', { 'Sec-Fetch-Site': 'none' }],
    ['another origin, in a browser that says no more', { Origin: 'https://evil.example' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['nobody knows where', {}],
  ])('does nothing for a form from %s', async (_, headers) => {
    const { partner, operator } = await followed();
    const answer = await operator.fetch(at(partner, 'poll'), pressed('a trick', headers));
    expect(await problemOf(answer)).toMatchObject({ status: 403, code: 'cross_site_refused' });
    expect(await audit(partner)).toEqual([]);
  });

  it('does nothing without a reason, for a viewer, for a partner, or for what is no action', async () => {
    const { partner, operator } = await followed();
    const viewer = await anOperator({ role: 'viewer' });
    const codeOf = async (who: Partner | Operator, path: string, init: RequestInit): Promise<string> =>
      (await problemOf(await who.fetch(path, init))).code;
    expect(await codeOf(operator, at(partner, 'poll'), pressed('  '))).toBe('body_invalid');
    expect(await codeOf(operator, at(partner, 'poll'), pressed('x'.repeat(501)))).toBe('body_invalid');
    expect(await codeOf(operator, at(partner, 'poll'), pressed('x'.repeat(40_000)))).toBe('body_invalid');
    expect(await codeOf(viewer, at(partner, 'poll'), pressed('a test'))).toBe('role_insufficient');
    expect(await codeOf(partner, at(partner, 'poll'), pressed('a test'))).toBe('unauthorized');
    expect(await codeOf(operator, at(partner, 'delete'), pressed('a test'))).toBe('not_found');
    const nobody = at({ ...partner, name: 'nobody' }, 'poll');
    expect(await codeOf(operator, nobody, pressed('a test'))).toBe('partner_unknown');
    expect(await audit(partner)).toEqual([]);
    const page = await pageOf(viewer, '/console/ops/feeds?environment=test');
    expect(page).not.toContain('<form');
  });
});

describe('an order with more statuses than are shown', () => {
  it('shows the latest ones, and the very latest as its status', async () => {
    const { partner, orderRef, at } = await followed();
    const order = env.ORDER.getByName(orderName({ environment: 'test', partner: partner.name }, orderRef));
    const many = Array.from({ length: 1_202 }, (_, index) => index + 2).map((seq) => ({
      ...{ seq, hash: `h${seq}`, order_id: null, code: `step-${seq}`, at_ms: 1_800_000_000_000 + seq },
      ...{ level: 'milestone' as const, place: '{}', learned_at_ms: 1, corrects: null },
    }));
    await change(order, ({ order_status }) => order_status.putAll(many));
    const { statuses, latestStatus } = await partner.getJson<{ statuses: { code: string }[]; latestStatus: string }>(
      `/v1/orders/${at}`,
    );
    expect(latestStatus).toBe('step-1203');
    expect([statuses.length, statuses[0]?.code, statuses.at(-1)?.code]).toEqual([1_000, 'step-204', 'step-1203']);
  });
});
