/** `/v1/orders/{ref}/tracks`: the receiving system's own answer (seed 4.4), and what stands in where it cannot be had. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OrderHistory, orderHistory } from '../feeds.ts';
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

interface Tracks {
  source: string;
  trouble: { code: string; status: number } | null;
  tracks: { code: string; orderId: string }[];
}

async function sent(upstream: OrderHistory, partner: Partner, orderRef: string): Promise<string> {
  const { batchId } = await partner.receipt(orderFile({ orderRef, sku: 'S' }), { mapping: 'orders-csv' });
  await partner.reaches(batchId, 'settled');
  const { orderId } = await partner.getJson<{ orderId: string }>(`/v1/orders/${orderRef}`);
  upstream.happens(orderRef, 'delivered', { orderId });
  return orderId;
}

describe('tracks of an order without a feed', () => {
  it('show the upstream’s answer, with its age, and are asked once a minute', async () => {
    const upstream = orderHistory();
    const partner = await aPartner();
    const orderId = await sent(upstream, partner, 'SO-1');
    upstream.happens('SO-1', 'at_terminal', { orderId, level: 'detail' });
    const answer = await partner.fetch('/v1/orders/SO-1/tracks');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Age')).toBe('0');
    expect(await answer.json()).toMatchObject({
      source: 'upstream',
      trouble: null,
      tracks: [{ code: 'delivered', orderId }],
    });
    expect(new URL(upstream.tracks[0]?.url ?? '').search).toBe('?orderRef=SO-1');
    await partner.getJson('/v1/orders/SO-1/tracks');
    expect(upstream.tracks).toHaveLength(1);
    await vi.waitFor(async () => {
      await partner.getJson('/v1/orders/SO-1/tracks');
      expect(upstream.tracks.length).toBeGreaterThan(1);
    }, PATIENCE);
    expect(upstream.singles).toEqual([]);
  });

  it('never show what another partner of the channel has under the same reference', async () => {
    const upstream = orderHistory();
    const [one, other] = [await aPartner(), await aPartner()];
    await sent(upstream, one, 'SO-2');
    const orderId = await sent(upstream, other, 'SO-2');
    expect((await other.getJson<Tracks>('/v1/orders/SO-2/tracks')).tracks.map((track) => track.orderId)).toEqual([
      orderId,
    ]);
    expect((await problemOf(await (await aPartner()).fetch('/v1/orders/SO-2/tracks'))).code).toBe('order_unknown');
    expect(upstream.tracks).toHaveLength(1);
  });

  it('say why there are none where the upstream does not answer', async () => {
    const upstream = orderHistory();
    const partner = await aPartner();
    await sent(upstream, partner, 'SO-3');
    upstream.tracksAnswer(() => Response.json({}, { status: 403 }));
    const answer = await partner.fetch('/v1/orders/SO-3/tracks');
    expect(answer.status).toBe(502);
    expect((await problemOf(answer)).code).toBe('upstream_refused');
  });
});

describe('tracks of an order with a feed', () => {
  it('are what the feed has learned, marked as that, where the upstream does not answer', async () => {
    const upstream = orderHistory();
    const partner = await aPartner();
    const pair = { partnerId: `P-${partner.name}`, clientId: `C-${partner.name}` };
    await (await anOperator()).done('PUT', `/v1/ops/partners/${partner.name}/feed`, {
      ...pair,
      channel: 'plain',
      note: 'a test',
    });
    await sent(upstream, partner, 'SO-4');
    upstream.tracksAnswer(() => Response.json({}, { status: 403 }));
    const answer = await partner.fetch('/v1/orders/SO-4/tracks');
    expect(answer.headers.get('Age')).toBeNull();
    expect(answer.headers.get('Tracks-Source')).toBe('feed');
    expect(await answer.json()).toMatchObject({ source: 'feed', trouble: { code: 'upstream_refused', status: 403 } });
  });
});

describe('an order of the caller', () => {
  it('is found by its secondary reference, too, and never another partner’s', async () => {
    const upstream = orderHistory();
    const [partner, other] = [await aPartner(), await aPartner()];
    const orderId = await sent(upstream, partner, 'SO-5');
    upstream.bears('PRO-5', 'SO-5');
    const answer = await partner.fetch('/v1/orders/PRO-5');
    expect(answer.headers.get('Content-Location')).toBe('/v1/orders/SO-5');
    expect(await answer.json()).toMatchObject({ orderRef: 'SO-5', orderId });
    expect(await partner.getJson('/v1/orders/PRO-5/tracks')).toMatchObject({ orderRef: 'SO-5', source: 'upstream' });
    expect(upstream.singles.map(({ url }) => new URL(url).search)).toEqual(['?orderRef=PRO-5']);
    expect((await problemOf(await other.fetch('/v1/orders/PRO-5'))).code).toBe('order_unknown');
    expect((await problemOf(await partner.fetch('/v1/orders/PRO-6'))).code).toBe('order_unknown');
  });

  it('is not taken for the one of another partner that bears the reference, though both have the same number', async () => {
    const upstream = orderHistory();
    const [partner, other] = [await aPartner(), await aPartner()];
    const orderId = await sent(upstream, partner, 'SO-6');
    await sent(upstream, other, 'SO-6');
    const eventTime = '2026-03-01T08:00:00.0000000+00:00';
    const bearer = { orderId, orderRef: 'SO-6', code: 'delivered', level: 'milestone', eventTime };
    upstream.singlesAnswer(() => Response.json({ events: [bearer] }));
    expect((await problemOf(await other.fetch('/v1/orders/PRO-6'))).code).toBe('order_unknown');
    expect(await partner.getJson('/v1/orders/PRO-6')).toMatchObject({ orderRef: 'SO-6', orderId });
  });

  it('is the one of which was told last where a reference has passed from one to another', async () => {
    const upstream = orderHistory();
    const partner = await aPartner();
    const [before, now] = [await sent(upstream, partner, 'SO-10'), await sent(upstream, partner, 'SO-11')];
    const told = (orderRef: string, orderId: string, hour: string) => ({
      ...{ orderId, orderRef, code: 'received', level: 'milestone' },
      eventTime: `2026-03-01T${hour}:00:00.0000000+00:00`,
    });
    const events = [told('SO-10', before, '08'), told('SO-11', now, '10'), told('SO-10', before, '09')];
    upstream.singlesAnswer(() => Response.json({ events }));
    expect(await partner.getJson('/v1/orders/PRO-10')).toMatchObject({ orderRef: 'SO-11', orderId: now });
  });

  it('is listed by `GET /v1/orders`, page by page, where a feed follows it', async () => {
    const upstream = orderHistory();
    const [partner, other] = [await aPartner(), await aPartner()];
    expect(await partner.getJson('/v1/orders')).toEqual({ followed: false, orders: [], next: null });
    const pair = { partnerId: `P-${partner.name}`, clientId: `C-${partner.name}` };
    const operator = await anOperator();
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, { ...pair, channel: 'plain', note: 'a test' });
    for (const orderRef of ['SO-8', 'SO-7', 'SO-9']) await sent(upstream, partner, orderRef);
    type Page = { orders: { orderRef: string; state: string }[]; next: string | null };
    const first = await partner.getJson<Page>('/v1/orders?limit=2');
    expect(first.orders).toMatchObject([
      { orderRef: 'SO-7', state: 'open' },
      { orderRef: 'SO-8', state: 'open' },
    ]);
    const second = await partner.getJson<Page>(first.next ?? '');
    expect([second.orders.map(({ orderRef }) => orderRef), second.next]).toEqual([['SO-9'], null]);
    expect(await other.getJson('/v1/orders')).toEqual({ followed: false, orders: [], next: null });
  });

  it('is listed without a feed, too: newest upload first, with how it was sent and where', async () => {
    const upstream = orderHistory();
    const [partner, other] = [await aPartner(), await aPartner()];
    for (const orderRef of ['SO-1', 'SO-2', 'SO-3']) await sent(upstream, partner, orderRef);
    await sent(upstream, other, 'SO-9');
    type Page = { orders: { orderRef: string; sent: object; links: Record<string, string> }[]; next: string | null };
    const first = await partner.getJson<Page>('/v1/orders?limit=2');
    expect(first.orders).toMatchObject([
      { orderRef: 'SO-3', state: null, sent: { state: 'delivered', record: 1 } },
      { orderRef: 'SO-2' },
    ]);
    for (const link of ['self', 'row', 'batch']) await partner.getJson(first.orders[0]?.links[link] ?? '');
    const second = await partner.getJson<Page>(first.next ?? '');
    expect([second.orders.map(({ orderRef }) => orderRef), second.next]).toEqual([['SO-1'], null]);
    expect((await problemOf(await partner.fetch('/v1/orders?cursor=SO-1'))).code).toBe('parameter_invalid');
    const page = await (await partner.fetch('/console/orders')).text();
    expect(page).toContain('Sent last');
    expect(page).toContain('/console/orders/SO-3');
    expect(page).not.toContain('SO-9');
  });
});
