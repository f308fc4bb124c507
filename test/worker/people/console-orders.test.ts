/** Pages of orders and feeds: who sees which, what their buttons do, and that no page of somebody else can press them. */

import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { feedName, orderName } from '../../../src/kernel/names.ts';
import { act, confirm, pageText, send } from '../console-forms.ts';
import { unique } from '../dead-letters.ts';
import { BY, orderHistory } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { aPartner, ORIGIN, type Partner } from '../partners.ts';
import { change } from '../rows.ts';

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

const movedTo = async (who: Partner | Operator, path: string): Promise<string | null> => {
  const answer = await who.fetch(path, { redirect: 'manual' });
  expect(answer.status, await answer.clone().text()).toBe(303);
  return answer.headers.get('Location');
};

describe('the page of an order', () => {
  it('is found by its reference, listed by its feed, and linked from the row that made it', async () => {
    const { partner, batchId, at } = await followed();
    const page = await pageText(partner, `/console/orders/${at}`);
    for (const fact of ['delivered', 'Joliet, IL', 'Version 1', 'New order', `/console/batches/${batchId}?`]) {
      expect(page).toContain(fact);
    }
    expect(page).toContain('Last asked');
    expect(page).not.toMatch(/\/v1\/ops\/|\/console\/do\/|\/console\/feeds/);
    expect(await movedTo(partner, `/console/orders?ref=%20${at}`)).toBe(`/console/orders/${at}`);
    expect(await pageText(partner, '/console/orders')).toContain(`<a href="/console/orders/${at}">`);
    const batch = await pageText(partner, `/console/batches/${batchId}?state=all`);
    expect(batch).toContain(`/console/orders/${at}`);
  });

  it('is there for its partner alone, and what is not there is looked for in vain and leaves nothing behind', async () => {
    const { partner, at } = await followed();
    const others = [await aPartner(), await aPartner({ partner: partner.name, environment: 'production' })];
    for (const other of others) {
      const refused = await pageText(other, `/console/orders/${at}`, 404);
      const missed = await pageText(other, `/console/orders?ref=${at}`, 404);
      expect(refused).toContain('Unknown order');
      expect(missed).toContain('There is no order');
      for (const page of [refused, missed]) {
        expect(page).not.toContain('Joliet');
        expect(page.replaceAll(`>${other.name}<`, '')).not.toContain(partner.name);
      }
      expect(await pageText(other, '/console/orders')).toContain('No order was sent yet.');
    }
    await pageText(partner, '/console/orders/NOBODYS', 404);
    const name = orderName({ environment: 'test', partner: partner.name }, 'NOBODYS');
    await runInDurableObject(env.ORDER.getByName(name), (_, { storage }) =>
      expect(storage.sql.exec('SELECT name FROM sqlite_master').toArray()).toEqual([]),
    );
    await pageText(partner, `/console/orders/${'x'.repeat(300)}`, 404);
  });

  it('is shown to an operator with its partner, and not to a partner under the operators’ address', async () => {
    const { partner, operator, at } = await followed();
    const path = `/console/orders/${partner.name}/${at}`;
    const page = await pageText(operator, path);
    expect(page).toContain(partner.name);
    expect(page).toContain('/console/batches/');
    expect(await movedTo(operator, `/console/orders?ref=${at}`)).toBe(path);
    expect(await movedTo(operator, `/console/orders?partner=${partner.name}&ref=${at}`)).toBe(path);
    expect(await movedTo(operator, `/console/orders/${at}`)).toBe(
      `/console/orders?ref=${encodeURIComponent(at).replaceAll('%25', '%')}`,
    );
    expect(await pageText(operator, `/console/orders?partner=${partner.name}`)).toContain(`href="${path}"`);
    const missed = `/console/orders?partner=${partner.name}&ref=NOBODYS`;
    expect(await pageText(operator, missed, 404)).toContain(`of ${partner.name} here`);
    expect(await pageText(operator, '/console/orders?ref=NOBODYS', 404)).toContain('of any partner here');
    expect(await pageText(partner, path, 404)).not.toContain('Joliet');
    expect(await pageText(operator, `/console/orders/${partner.name}/NOBODYS`, 404)).toContain('Unknown order');
  });

  it('shows what an end consumer sees only when somebody asks, to both', async () => {
    const { upstream, partner, operator, at } = await followed();
    for (const [who, path] of [
      [partner, `/console/orders/${at}`],
      [operator, `/console/orders/${partner.name}/${at}`],
    ] as const) {
      const before = upstream.tracks.length;
      expect(await pageText(who, path)).toContain('Ask the receiving system');
      expect(upstream.tracks).toHaveLength(before);
      expect(await pageText(who, `${path}?tracks=show`)).toContain('From the receiving system');
    }
  });
});

describe('an order that is loaded as it stands', () => {
  it('is planned first, refused where it is known unless that is wanted, and then has its version', async () => {
    const { partner, operator, orderRef, at } = await followed();
    const form = `/console/do/load-base?partner=${partner.name}&ref=${at}`;
    const document = `orderRef: ${orderRef}\nshipperCode: S2\n`;
    const known = await act(operator, form, { document, why: 'by mail' }, { step: 'plan' });
    expect([known.status, known.html]).toEqual([400, expect.stringContaining('base_known')]);
    const plan = await act(operator, form, { document, replace: 'true', why: 'by mail' }, { step: 'plan' });
    expect(plan.html).toContain('Enter this order');
    expect(plan.html).toContain('shipperCode');
    const page = `/console/orders/${partner.name}/${at}`;
    expect(await pageText(operator, page)).not.toContain('by mail');
    expect((await confirm(operator, form, plan)).location).toBe(page);
    expect(await pageText(operator, page)).toContain('By Analyst: by mail');
    const own = await pageText(partner, `/console/orders/${at}`);
    expect(own).toContain('Entered by an operator');
    expect(own).not.toContain('by mail');
  });

  it('is refused with what is wrong where the document cannot be read', async () => {
    const { partner, operator, at } = await followed();
    const form = `/console/do/load-base?partner=${partner.name}&ref=${at}`;
    const refused = await act(operator, form, { document: '{"a": [', why: 'by mail' }, { step: 'plan' });
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('body_invalid')]);
    expect(refused.html).toContain('{&quot;a&quot;: [');
  });
});

describe('the pages of feeds', () => {
  const audit = (partner: Partner): Promise<object[]> =>
    runInDurableObject(feedOf(partner), (_, { storage }) =>
      storage.sql.exec(`SELECT author, what, why FROM audit WHERE why <> 'a test'`).toArray(),
    );
  const form = (partner: Partner, action = 'feed-poll', more = ''): string =>
    `/console/do/${action}?partner=${partner.name}${more}`;

  it('show the feeds of one environment to operators alone', async () => {
    const { partner, operator } = await followed();
    const page = await pageText(operator, '/console/feeds');
    expect(page).toContain(`href="/console/feeds/${partner.name}"`);
    expect(await pageText(operator, `/console/feeds/${partner.name}`)).toContain(
      `P-${partner.name} / C-${partner.name}`,
    );
    const live = await anOperator({ environments: ['production'] });
    const unknown = await pageText(live, `/console/feeds/${partner.name}`, 404);
    expect(unknown).not.toContain(`P-${partner.name}`);
    expect(await pageText(live, '/console/feeds?environment=test', 403)).not.toContain(partner.name);
    for (const path of ['/console/feeds', `/console/feeds/${partner.name}`]) {
      expect((await partner.fetch(path, { headers: { Accept: 'text/html' } })).status).toBe(403);
    }
  });

  it('poll now, and repair, with the reason and the name of whoever pressed', async () => {
    const { partner, operator, orderRef } = await followed();
    const polled = await act(operator, form(partner), { why: 'a call was missed' });
    expect(polled.location).toBe(`/console/feeds/${partner.name}`);
    const one = await act(operator, form(partner, 'feed-repair'), { why: 'to be sure', orderRefs: orderRef });
    expect(one.html).toContain('1 order to look up');
    const all = await act(operator, form(partner, 'feed-repair'), { why: 'all of them' });
    expect(all.html).toMatch(/\d orders? to look up/);
    expect(await audit(partner)).toMatchObject([
      { author: 'Analyst', what: 'poll_now', why: 'a call was missed' },
      { author: 'Analyst', why: 'to be sure' },
      { author: 'Analyst', what: 'repair_now', why: 'all of them' },
    ]);
  });

  it('read a stored answer again, and say why an order cannot be skipped', async () => {
    const { partner, operator, orderRef } = await followed();
    const poll = (await feedOf(partner).status())?.polls.find(({ news }) => news > 0)?.poll_no ?? 0;
    const read = await act(operator, form(partner, 'feed-reread', `&poll=${poll}`), { why: 'to be sure' });
    expect(read.html).toContain(`Poll ${poll} was read again`);
    const skipped = await act(operator, form(partner, 'feed-skip'), { orderRef, why: 'to be sure' });
    expect([skipped.status, skipped.html]).toEqual([400, expect.stringContaining('order_not_due')]);
  });

  it('set a feed, with what is set now filled in', async () => {
    const { partner, operator } = await followed();
    const set = await act(operator, form(partner, 'set-feed'), { pollMinutes: '60', why: 'less often' });
    expect(set.location, set.html).toBe(`/console/feeds/${partner.name}`);
    const now = await operator.getJson(`/v1/ops/partners/${partner.name}/feed`);
    expect(now).toMatchObject({ ...feedKeyOf(partner), channel: 'plain', pollMinutes: 60, note: 'less often' });
    const other = await aPartner();
    expect(await pageText(operator, `/console/feeds/${other.name}`, 404)).toContain('Set a feed');
    const taken = await act(operator, form(other, 'set-feed'), {
      ...{ ...feedKeyOf(partner), channel: 'plain', why: 'a try' },
    });
    expect([taken.status, taken.html]).toEqual([400, expect.stringContaining('pair_taken')]);
    expect(/class="note bad">([\s\S]*?)<\/div>/.exec(taken.html)?.[1]).not.toContain(partner.name);
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['an address that was typed', { 'Sec-Fetch-Site': 'none' }],
    ['another origin, in a browser that says no more', { Origin: 'https://evil.example' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['nobody knows where', {}],
  ])('do nothing for a form from %s', async (_, headers) => {
    const { partner, operator } = await followed();
    const refused = await act(operator, form(partner), { why: 'a trick' }, { headers });
    expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('cross_site_refused')]);
    expect(await audit(partner)).toEqual([]);
  });

  it('do nothing without a reason, for a viewer, for a partner, or for what is no action', async () => {
    const { partner, operator } = await followed();
    const own = { 'Sec-Fetch-Site': 'same-origin' };
    const viewer = await anOperator({ role: 'viewer' });
    const told = async (values: Record<string, string>): Promise<string> =>
      (await act(operator, form(partner), values)).html;
    expect(await told({ why: '  ' })).toContain('field_missing');
    expect(await told({ why: 'x'.repeat(501) })).toContain('body_invalid');
    expect(await told({ why: 'a trick', partner: 'nobody' })).toContain('partner_unknown');
    expect(await told({ why: 'a trick', csrf: 'guessed' })).toContain('signed_in_since');
    expect(await told({ why: 'a trick', csrf: '' })).toContain('cross_site_refused');
    expect(await pageText(viewer, form(partner), 403)).toContain('role_insufficient');
    expect(await pageText(viewer, `/console/feeds/${partner.name}`)).not.toContain('/console/do/');
    const csrf = /name="csrf" value="([^"]*)"/.exec(await pageText(viewer, '/console/feeds'))?.[1] ?? '';
    const forged = await send(viewer, form(partner), { csrf, partner: partner.name, why: 'a trick', step: 'do' }, own);
    expect([forged.status, forged.html]).toEqual([403, expect.stringContaining('role_insufficient')]);
    await pageText(partner, form(partner), 403);
    await pageText(operator, '/console/do/feed-delete', 404);
    expect(await audit(partner)).toEqual([]);
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
