/** What operators read of orders, feeds, webhooks and settings beyond one thing: lists, how far an order is known, revisions. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { feedName } from '../../../src/kernel/names.ts';
import { unique } from '../dead-letters.ts';
import { BY, orderHistory } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const keyOf = ({ name }: Partner) => ({ partnerId: `P-${name}`, clientId: `C-${name}` });
const feedOf = (partner: Partner) => env.ORDER_FEED.getByName(feedName('test', keyOf(partner)));

interface List {
  followed: boolean;
  orders: {
    orderRef: string;
    latestStatus: string | null;
    sent: object | null;
    links: { self: string; tracks: string };
  }[];
  next: string | null;
}
interface Known {
  state: string | null;
  cursor: { poll: number } | null;
  repair: { tries: number; failure: string | null } | null;
  gaps: { poll: number; closedAt: string | null }[];
}

/** A partner with a feed and two orders, of which the second was heard of last. */
async function followed() {
  const upstream = orderHistory();
  const [partner, operator] = [await aPartner(), await anOperator()];
  await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, {
    ...keyOf(partner),
    channel: 'plain',
    note: 'a test',
  });
  const refs = [`Z${unique()}`, `A${unique()}`];
  for (const orderRef of refs) {
    const { batchId } = await partner.receipt(orderFile({ orderRef, sku: 'S' }), { mapping: 'orders-csv' });
    await partner.reaches(batchId, 'settled');
  }
  const [first = '', second = ''] = refs;
  upstream.happens(first, 'delivered', { city: 'Joliet', state: 'IL' });
  await vi.waitFor(async () => {
    await feedOf(partner).pollNow(BY);
    expect((await feedOf(partner).status())?.lastSeq).toBe(1);
  }, PATIENCE);
  return { upstream, partner, operator, first, second };
}

describe('the orders of a partner', () => {
  it('are listed for an operator by number or by when they were heard of, with addresses of the operators', async () => {
    const { partner, operator, first, second } = await followed();
    const at = `/v1/ops/orders?environment=test&partner=${partner.name}`;
    const refsOf = async (path: string): Promise<string[]> =>
      (await operator.getJson<List>(path)).orders.map(({ orderRef }) => orderRef);
    expect(await refsOf(at)).toEqual([second, first]);
    expect(await refsOf(`${at}&sort=recent`)).toEqual([first, second]);
    const page = await operator.getJson<List>(`${at}&limit=1`);
    expect(page).toMatchObject({ followed: true, orders: [{ orderRef: second }] });
    expect(await refsOf(page.next ?? '')).toEqual([first]);
    const { links } = page.orders[0] ?? { links: { self: '', tracks: '' } };
    expect(links.tracks).toBe(`/v1/ops/orders/${partner.name}/${second}/tracks?environment=test`);
    expect((await operator.fetch(links.self)).status).toBe(200);
    expect(await partner.getJson<List>('/v1/orders?sort=recent')).toMatchObject({ orders: [{ orderRef: first }, {}] });
    expect((await problemOf(await partner.fetch('/v1/orders?sort=newest'))).code).toBe('parameter_invalid');
  });

  it('are those of its uploads without a feed, and of one partner at a time', async () => {
    orderHistory();
    const [partner, operator] = [await aPartner(), await anOperator()];
    await aPartner();
    const orderRef = unique();
    const { batchId } = await partner.receipt(orderFile({ orderRef, sku: 'S' }), { mapping: 'orders-csv' });
    await partner.reaches(batchId, 'settled');
    const found = await operator.getJson<List>(`/v1/ops/orders?environment=test&partner=${partner.name}`);
    expect(found).toMatchObject({ followed: false, orders: [{ orderRef, sent: { batchId, record: 1 } }] });
    const any = await operator.fetch('/v1/ops/orders?environment=test');
    expect((await problemOf(any)).code).toBe('partner_required');
  });
});

describe('how far the statuses of an order are known', () => {
  it('names the last poll, and a gap that may have cost one until its repair has asked', async () => {
    const { upstream, partner, operator, first } = await followed();
    const paths = [
      `/v1/orders/${first}/feed`,
      `/v1/ops/orders/${partner.name}/${first}/feed?environment=test`,
    ] as const;
    for (const [who, path] of [
      [partner, paths[0]],
      [operator, paths[1]],
    ] as const) {
      expect(await who.getJson<Known>(path)).toMatchObject({ state: 'final', repair: null, gaps: [] });
    }
    upstream.singlesAnswer(503);
    upstream.nextPoll(500);
    await feedOf(partner).pollNow(BY);
    await vi.waitFor(async () => {
      const known = await partner.getJson<Known>(paths[0]);
      expect(known.gaps).toMatchObject([{ closedAt: null }]);
      expect(known.repair?.tries).toBeGreaterThan(0);
    }, PATIENCE);
  });

  it('is told of the caller’s own orders alone, and of nothing that no feed follows', async () => {
    const { partner, operator, first } = await followed();
    const other = await aPartner();
    expect((await problemOf(await other.fetch(`/v1/orders/${first}/feed`))).code).toBe('order_unknown');
    const foreign = `/v1/ops/orders/${other.name}/${first}/feed?environment=test`;
    expect((await problemOf(await operator.fetch(foreign))).code).toBe('order_unknown');
    expect((await operator.fetch(`/v1/ops/orders/${partner.name}/${first}/feed?environment=test`)).status).toBe(200);
    const { batchId } = await other.receipt(orderFile({ orderRef: first, sku: 'S' }), { mapping: 'orders-csv' });
    await other.reaches(batchId, 'settled');
    for (const [who, path] of [
      [other, `/v1/orders/${first}/feed`],
      [operator, foreign],
      [operator, foreign.replace('/feed', '/tracks')],
    ] as const) {
      expect((await problemOf(await who.fetch(path))).code, path).toBe('no_feed');
    }
  });

  it('goes with what an end consumer may see, asked for over the channel of its feed', async () => {
    const { upstream, partner, operator, first } = await followed();
    const path = `/v1/ops/orders/${partner.name}/${first}/tracks?environment=test`;
    const seen = await operator.getJson<{ source: string; tracks: { code: string }[] }>(path);
    expect(seen).toMatchObject({ source: 'upstream', tracks: [{ code: 'delivered' }] });
    expect(upstream.tracks).toHaveLength(1);
    const nobodys = path.replace(first, 'NOBODYS');
    expect((await problemOf(await operator.fetch(nobodys))).code).toBe('order_unknown');
  });
});

describe('one feed', () => {
  it('is there under the name of its partner', async () => {
    const { partner, operator } = await followed();
    const found = await operator.getJson(`/v1/ops/feeds/${partner.name}?environment=test`);
    expect(found).toMatchObject({ environment: 'test', partner: partner.name, state: 'ok', lastEvent: 1 });
    const other = await aPartner();
    expect((await problemOf(await operator.fetch(`/v1/ops/feeds/${other.name}?environment=test`))).code).toBe(
      'no_feed',
    );
  });
});

describe('the webhooks of all partners', () => {
  it('are one list of the environment, without secrets and without those that were deleted', async () => {
    const operator = await anOperator();
    const partners = [await aPartner(), await aPartner(), await aPartner({ environment: 'production' })];
    const live = await anOperator({ environments: ['production'] });
    const wanted = { url: 'https://one.example/hook', events: ['batch.settled'], note: 'a test' };
    for (const { name, environment } of partners) {
      const who = environment === 'test' ? operator : live;
      for (const id of ['one', 'gone']) await who.done('PUT', `/v1/ops/partners/${name}/webhooks/${id}`, wanted);
      await who.done('DELETE', `/v1/ops/partners/${name}/webhooks/gone?note=over`, '');
    }
    const { webhooks } = await operator.getJson<{ webhooks: object[] }>('/v1/ops/webhooks');
    const [first, second] = partners.map(({ name }) => name);
    expect(webhooks).toMatchObject([
      { partner: first, id: 'one', reached: true, state: 'enabled' },
      { partner: second, id: 'one' },
    ]);
    expect(webhooks).toHaveLength(2);
    expect(JSON.stringify(webhooks)).not.toContain('whsec_');
  });
});

describe('what is agreed', () => {
  it('shows what a change would do without doing it, and keeps every revision', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const at = `/v1/ops/partners/${partner.name}/envelopes`;
    const rules = { senders: ['ZZ:ACME'], counts: 'lenient' };
    const plan = await operator.done('PUT', `${at}?dryRun=true`, { rules, note: 'asked' });
    expect(plan).toMatchObject({
      dryRun: true,
      edition: 0,
      changes: expect.arrayContaining([
        { path: 'senders', after: ['ZZ:ACME'] },
        { path: 'counts', before: 'strict', after: 'lenient' },
      ]),
    });
    expect(await operator.getJson(at)).toMatchObject({ edition: 0 });
    await operator.done('PUT', at, { rules, note: 'asked' });
    await operator.done('PUT', at, { rules: { ...rules, counts: 'strict' }, note: 'asked again' });
    const { revisions } = await operator.getJson<{ revisions: object[] }>(`${at}/history`);
    expect(revisions).toMatchObject([
      { edition: 2, note: 'asked again', changes: [{ path: 'counts', before: 'lenient', after: 'strict' }] },
      { edition: 1, note: 'asked', changes: null, rules: { senders: ['ZZ:ACME'] } },
    ]);
  });

  it('is the same for how answers are read', async () => {
    const operator = await anOperator();
    const at = '/v1/ops/answer-mappings/order-status';
    const { mapping } = await operator.getJson<{ mapping: object }>(at);
    const changed = { ...mapping, finalCodes: ['done'] };
    const plan = await operator.done<{ changes: { path: string }[] }>('PUT', `${at}?dryRun=true`, {
      mapping: changed,
      note: 'a test',
    });
    expect(plan.changes.map(({ path }) => path)).toEqual(['finalCodes']);
    expect(await operator.getJson(at)).toMatchObject({ edition: 0 });
    expect(await operator.getJson(`${at}/history`)).toEqual({ revisions: [] });
    await operator.done('PUT', at, { mapping: changed, note: 'a test' });
    expect(await operator.getJson(`${at}/history`)).toMatchObject({ revisions: [{ edition: 1, note: 'a test' }] });
  });
});
