/** From an uploaded order to what its partner and the operators see of it: pair, statuses, tracks, the log in three forms. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { feedName, orderName } from '../../../src/kernel/names.ts';
import { BY, type OrderHistory, orderHistory } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { anOrder } from '../orders.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { cron, loseAlarm } from '../watched.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface Followed {
  upstream: OrderHistory;
  partner: Partner;
  operator: Operator;
  pair: { partnerId: string; clientId: string };
  feed(): ReturnType<typeof env.ORDER_FEED.getByName>;
  /** Polls until the log has so many events. */
  learns(count: number): Promise<void>;
}

interface ShownEvents {
  events: { seq: number; orderRef: string; code: string; at: string; learnedAt: string; corrects: number | null }[];
  next: string;
  more: boolean;
}

const wanted = (pair: { partnerId: string; clientId: string }) => ({ ...pair, channel: 'plain', note: 'a test' });

async function followed(): Promise<Followed> {
  const upstream = orderHistory();
  const partner = await aPartner();
  const operator = await anOperator();
  const pair = { partnerId: `P-${partner.name}`, clientId: `C-${partner.name}` };
  await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, wanted(pair));
  const feed = () => env.ORDER_FEED.getByName(feedName('test', pair));
  return {
    upstream,
    partner,
    operator,
    pair,
    feed,
    learns: (count) =>
      vi.waitFor(async () => {
        await feed().pollNow(BY);
        expect((await feed().status())?.lastSeq).toBe(count);
      }, PATIENCE),
  };
}

describe('an order of a partner whose orders are followed', () => {
  it('says with which key each row of it came, also where messages of several keys share a batch', async () => {
    const { partner } = await followed();
    const other = await aPartner({ partner: partner.name });
    const sent: [typeof partner, string][] = [
      [partner, 'SO-1'],
      [other, 'SO-2'],
    ];
    for (const [by, orderRef] of sent) {
      const answer = await by.fetch('/v1/messages?mapping=orders-csv', {
        method: 'POST',
        body: orderFile({ orderRef, sku: 'S' }),
        headers: { 'Idempotency-Key': orderRef },
      });
      expect(answer.status).toBe(202);
    }
    for (const [by, orderRef] of sent) {
      await vi.waitFor(async () => {
        const shown = await partner.getJson(`/v1/orders/${orderRef}`);
        expect(shown).toMatchObject({ versions: [{ uploadedBy: by.keyId }], operations: [{ uploadedBy: by.keyId }] });
      }, PATIENCE);
    }
  });

  it('is sent with the pair, known to the feed before it, and shown with its document, answers and statuses', async () => {
    const { upstream, partner, pair, feed, learns } = await followed();
    const { batchId } = await partner.receipt(orderFile({ orderRef: 'SO-1', sku: 'S' }), { mapping: 'orders-csv' });
    await partner.reaches(batchId, 'settled');
    expect((await feed().status())?.orders.open).toBe(1);
    upstream.happens('SO-1', 'received');
    upstream.happens('SO-1', 'at_terminal', { level: 'detail' });
    upstream.happens('SO-1', 'delivered', { city: 'Joliet', state: 'IL' });
    await learns(3);
    await vi.waitFor(async () => {
      const shown = await partner.getJson<{ statuses: unknown[] }>('/v1/orders/SO-1');
      expect(shown.statuses).toHaveLength(3);
    }, PATIENCE);
    expect(await partner.getJson('/v1/orders/SO-1')).toMatchObject({
      orderRef: 'SO-1',
      orderId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      incarnation: 1,
      document: { orderRef: 'SO-1', ...pair },
      pair,
      latestStatus: 'delivered',
      latestStatusAt: '2026-03-01T08:03:00.000Z',
      versions: [{ version: 1, incarnation: 1, scac: 'DEMO', uploadedBy: partner.keyId }],
      operations: [
        {
          kind: 'order.create',
          batchId,
          uploadedBy: partner.keyId,
          state: 'delivered',
          attempts: [{ purpose: 'send', effect: 'applied' }],
        },
      ],
      statuses: [{ code: 'received' }, { code: 'at_terminal' }, { code: 'delivered', place: { city: 'Joliet' } }],
    });
    expect(await partner.getJson('/v1/orders/SO-1/tracks')).toEqual({
      orderRef: 'SO-1',
      source: 'upstream',
      asOf: expect.any(String),
      trouble: null,
      tracks: [
        { code: 'received', at: expect.any(String), place: {}, orderId: 'id-SO-1' },
        { code: 'delivered', at: expect.any(String), place: { city: 'Joliet', state: 'IL' }, orderId: 'id-SO-1' },
      ],
    });
    const asCsv = async (path: string): Promise<string[]> => {
      const answer = await partner.fetch(path, { headers: { Accept: 'text/csv' } });
      expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
      return (await answer.text()).trimEnd().replaceAll('"', '').split('\r\n');
    };
    const lines = await asCsv('/v1/orders/SO-1');
    expect(lines[0]).toBe(
      'orderRef,orderId,seq,code,at,level,city,state,postalCode,country,learnedAt,corrects,correctedBy',
    );
    expect(lines.slice(1).map((line) => line.split(',')[3])).toEqual(['received', 'at_terminal', 'delivered']);
    expect(await asCsv('/v1/orders/SO-1.csv')).toEqual(lines);
    const tracks = await asCsv('/v1/orders/SO-1/tracks');
    expect(tracks[0]).toBe('orderRef,code,at,city,state,postalCode,country,orderId');
    expect(tracks[2]).toMatch(/^SO-1,delivered,[^,]+,Joliet,IL,,,id-SO-1$/);
    for (const other of [await aPartner(), await aPartner({ partner: partner.name, environment: 'production' })]) {
      for (const path of ['/v1/orders/SO-1', '/v1/orders/SO-1/tracks']) {
        const { code, detail } = await problemOf(await other.fetch(path));
        expect(code).toBe('order_unknown');
        expect(detail).not.toContain('SO-1');
      }
      expect((await problemOf(await other.fetch('/v1/order-events'))).code).toBe('no_feed');
    }
  });

  it('that is made anew under its number shows no status of the one that was cancelled but in the whole list', async () => {
    const { upstream, partner, learns } = await followed();
    const sent = async (file: string, mapping: string) => {
      const { batchId } = await partner.receipt(file, { mapping });
      expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
    };
    type Shown = { orderId: string; incarnation: number; latestStatus: string | null; statuses: { code: string }[] };
    const shown = () => partner.getJson<Shown>('/v1/orders/SO-4');
    const codes = async (): Promise<(string | null)[]> => {
      const { tracks } = await partner.getJson<{ tracks: { code: string }[] }>('/v1/orders/SO-4/tracks');
      return [(await shown()).latestStatus, ...tracks.map(({ code }) => code)];
    };
    await sent(orderFile({ orderRef: 'SO-4', sku: 'S' }), 'orders-csv');
    const first = (await shown()).orderId;
    await sent('Order No,Action\nSO-4,CANCEL\n', 'order-changes-csv');
    upstream.happens('SO-4', 'cancelled', { orderId: first.toUpperCase() });
    await learns(1);
    await vi.waitFor(async () => expect(await codes()).toEqual(['cancelled', 'cancelled']), PATIENCE);
    await sent(orderFile({ orderRef: 'SO-4', sku: 'S', quantity: '2' }), 'orders-csv');
    const anew = await shown();
    expect(anew).toMatchObject({ incarnation: 2, statuses: [{ code: 'cancelled' }] });
    expect(anew.orderId).not.toBe(first);
    expect(await codes()).toEqual([null]);
    const page = await (await partner.fetch('/console/orders/SO-4')).text();
    expect(page).toMatch(/>cancelled\s*</);
    expect(page).toContain('<dt>Latest status</dt><dd>none yet</dd>');
    upstream.happens('SO-4', 'received', { orderId: anew.orderId });
    await learns(2);
    await vi.waitFor(async () => expect(await codes()).toEqual(['received', 'received']), PATIENCE);
    expect((await shown()).statuses.map(({ code }) => code)).toEqual(['cancelled', 'received']);
  });

  it('that was refused by the upstream is no open order', async () => {
    const { partner, feed } = await followed();
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}, { status: 400 }));
    const { batchId } = await partner.receipt(orderFile({ orderRef: 'SO-2', sku: 'S' }), { mapping: 'orders-csv' });
    await partner.reaches(batchId, 'settled');
    await vi.waitFor(async () => expect((await feed().status())?.orders.open).toBe(0), PATIENCE);
  });

  it('is sent as before where no feed follows its partner', async () => {
    orderHistory();
    const partner = await aPartner();
    const { batchId } = await partner.receipt(orderFile({ orderRef: 'SO-3', sku: 'S' }), { mapping: 'orders-csv' });
    await partner.reaches(batchId, 'settled');
    const { document } = await partner.getJson<{ document: object }>('/v1/orders/SO-3');
    expect(document).not.toHaveProperty('partnerId');
    expect(document).not.toHaveProperty('clientId');
  });
});

describe('an order that names a pair of its own', () => {
  it('makes no feed of it, and tells the feed of itself once that is set', async () => {
    const upstream = orderHistory();
    const partner = await aPartner();
    const pair = { partnerId: 'P-later', clientId: partner.name };
    const feed = () => env.ORDER_FEED.getByName(feedName('test', pair));
    const order = env.ORDER.getByName(orderName({ environment: 'test', partner: partner.name }, 'SO-5'));
    const identity = { environment: 'test', partner: partner.name, orderRef: 'SO-5' } as const;
    const create = anOrder().create(1, { body: JSON.stringify({ orderRef: 'SO-5', ...pair }) });
    await order.enqueue(identity, [create]);
    await vi.waitFor(async () => expect((await order.timeline())[0]?.request.state).toBe('delivered'), PATIENCE);
    await runInDurableObject(feed(), (_, { storage }) =>
      expect(storage.sql.exec('SELECT name FROM sqlite_master').toArray()).toEqual([]),
    );
    const operator = await anOperator();
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, wanted(pair));
    await vi.waitFor(async () => expect((await feed().status())?.orders.open).toBe(1), PATIENCE);
    expect(upstream.singles).toEqual([]);
  });
});

describe('the log of a partner', () => {
  it('comes in pages that neither skip nor repeat, the same as JSON and as CSV', async () => {
    const { upstream, partner, learns } = await followed();
    for (let step = 0; step < 7; step += 1) upstream.happens(`=L${step % 2}`, `step-${step}`);
    await learns(7);
    const all = await partner.getJson<ShownEvents>('/v1/order-events');
    expect(all.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(all).toMatchObject({ next: '7', more: false });
    for (const path of ['/v1/order-events', '/v1/order-events.csv', '/v1/order-events.edi']) {
      const { headers } = await partner.fetch(`${path}?after=2&limit=4`);
      const link = `<${path}?after=6&limit=4>; rel="next"`;
      expect(['Link', 'X-Next-Cursor', 'X-More-Events'].map((name) => headers.get(name))).toEqual([link, '6', 'true']);
    }
    const paged: ShownEvents['events'] = [];
    for (let page: ShownEvents = { events: [], next: '0', more: true }; page.more; ) {
      page = await partner.getJson<ShownEvents>(`/v1/order-events?after=${page.next}&limit=3`);
      paged.push(...page.events);
    }
    expect(paged).toEqual(all.events);
    expect(await partner.getJson('/v1/order-events?after=7')).toEqual({ events: [], next: '7', more: false });
    const newest = (more: string) => partner.getJson<ShownEvents>(`/v1/order-events?newest=true&limit=3${more}`);
    const back = [await newest(''), await newest('&before=5'), await newest('&before=2'), await newest('&before=1')];
    expect(back.map(({ events }) => events.map(({ seq }) => seq))).toEqual([[7, 6, 5], [4, 3, 2], [1], []]);
    expect(back.map(({ next, more }) => [next, more])).toEqual([
      ['5', true],
      ['2', true],
      ['1', false],
      ['1', false],
    ]);
    const asCsv = await partner.fetch('/v1/order-events.csv?newest=true&limit=2&before=4');
    expect(
      (await asCsv.text())
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['"3"', '"2"']);
    expect(asCsv.headers.get('X-Next-Cursor')).toBe('2');
    for (const wrong of ['?newest=maybe', '?newest=true&before=x', '.edi?newest=true'])
      expect((await partner.fetch(`/v1/order-events${wrong}`)).status, wrong).toBe(400);
    for (const asked of [
      partner.fetch('/v1/order-events?after=5', { headers: { Accept: 'text/csv' } }),
      partner.fetch('/v1/order-events?after=5', { headers: { Accept: 'text/*, application/*;q=0.5' } }),
      partner.fetch('/v1/order-events.csv?after=5'),
    ]) {
      const answer = await asked;
      expect(answer.headers.get('X-Next-Cursor')).toBe('7');
      const [head, ...lines] = (await answer.text()).trim().split('\r\n');
      expect(head).toMatch(/^"seq","orderRef"/);
      expect(lines.map((line) => line.split(',').slice(0, 2))).toEqual([
        ['"6"', `"'=L1"`],
        ['"7"', `"'=L0"`],
      ]);
    }
    expect((await problemOf(await partner.fetch('/v1/order-events?after=soon'))).code).toBe('parameter_invalid');
    for (const path of ['/v1/order-events', '/v1/order-events.csv', '/v1/order-events.edi']) {
      const ahead = await problemOf(await partner.fetch(`${path}?after=8`));
      expect(ahead).toMatchObject({ status: 400, code: 'cursor_unknown', last: 7 });
    }
    for (const path of ['/v1/order-events?afer=5', '/v1/order-events.csv?after=5&Limit=3', '/v1/order-events.edi?x=']) {
      expect(await problemOf(await partner.fetch(path))).toMatchObject({ status: 400, code: 'parameter_unknown' });
    }
  });

  it('is read back as it is by the mapping for its 214s, under the same control number each time', async () => {
    const { upstream, partner, operator, pair, learns } = await followed();
    const scac = { ...wanted(pair), scac: 'ACME' }; // of the feed: not the first one of the key
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, scac);
    upstream.happens('SO-7', 'picked_up', { city: 'Montréal', state: 'QC', postalCode: 'H2Y 1C6', country: 'CA' });
    upstream.happens('SO-7', 'scheduled');
    upstream.happens('SO-8', 'delivered', { level: 'detail' });
    upstream.happens('SO*9', 'delivered');
    upstream.happens('SO\t10', 'delivered');
    await learns(5);
    const answer = await partner.fetch('/v1/order-events', { headers: { Accept: 'application/EDI-X12' } });
    expect(answer.headers.get('Content-Type')).toBe('application/EDI-X12');
    expect(answer.headers.get('X-Events-Written')).toBe('3');
    expect(answer.headers.get('X-Events-Left-Out')).toBe('2');
    const text = await answer.text();
    expect(await (await partner.fetch('/v1/order-events.edi')).text()).toBe(text);
    const ofAnyKind = await partner.fetch('/v1/order-events', { headers: { Accept: 'application/edi-consent' } });
    expect([ofAnyKind.headers.get('Content-Type'), await ofAnyKind.text()]).toEqual(['application/EDI-X12', text]);
    const other = await (await partner.fetch('/v1/order-events.edi?after=2')).text();
    expect(other.slice(90, 99)).not.toBe(text.slice(90, 99));
    const events = (await partner.getJson<ShownEvents>('/v1/order-events')).events;
    type Read = { requests: { body: Record<string, unknown>; scac: string }[]; errors: unknown[] };
    const readBy = async (mapping: string) => {
      const preview = await partner.fetch(`/v1/mappings/${mapping}/preview`, { method: 'POST', body: text });
      const { records } = await preview.json<{ records: Read[] }>();
      expect(records.flatMap(({ errors }) => errors)).toEqual([]);
      return records.flatMap(({ requests }) => requests);
    };
    const base = [
      {
        scac: 'ACME',
        body: {
          loadNumber: 'SO-7',
          eventCode: 'AF',
          reasonCode: 'NS',
          eventCity: 'Montréal',
          eventState: 'QC',
          time: { dateTime: events[0]?.at.replace('Z', '0000+00:00') },
        },
      },
      { body: { loadNumber: 'SO-8', eventCode: 'D1', time: { dateTime: events[2]?.at.replace('Z', '0000+00:00') } } },
      { body: { loadNumber: 'SO*9', eventCode: 'D1' } },
    ];
    expect(await readBy('x12-214')).toMatchObject(base);
    const read = await readBy('x12-214-order-events');
    expect(read).toMatchObject(base);
    expect(read.map(({ body }) => body.references)).toEqual([
      [
        { name: 'CODE', value: 'picked_up' },
        { name: 'LEVEL', value: 'milestone' },
        { name: 'SEQ', value: '1' },
        { name: 'LEARNED_AT', value: events[0]?.learnedAt },
        { name: 'ORDER_ID', value: 'id-SO-7' },
        { name: 'POSTAL_CODE', value: 'H2Y 1C6' },
        { name: 'COUNTRY', value: 'CA' },
      ],
      [
        { name: 'CODE', value: 'delivered' },
        { name: 'LEVEL', value: 'detail' },
        { name: 'SEQ', value: '3' },
        { name: 'LEARNED_AT', value: events[2]?.learnedAt },
        { name: 'ORDER_ID', value: 'id-SO-8' },
      ],
      expect.arrayContaining([{ name: 'SEQ', value: '4' }]),
    ]);
  });

  it('has 214s under another control number where codes, SCAC or parties are others, and the first one where they are as before', async () => {
    const { upstream, partner, operator, pair, learns } = await followed();
    upstream.happens('SO-7', 'picked_up');
    upstream.happens('SO-7', 'to_be_named');
    await learns(2);
    const asked = async (path = '/v1/order-events.edi?after=0') => {
      const text = await (await partner.fetch(path)).text();
      return { text, control: text.slice(90, 99), sets: text.match(/^ST/gm)?.length };
    };
    const codesPath = '/v1/ops/answer-mappings/order-status';
    const { mapping } = await operator.getJson<{ mapping: { x12: object } }>(codesPath);
    const codesAre = (x12: object) => operator.done('PUT', codesPath, { mapping: { ...mapping, x12 }, note: 'a test' });
    const first = await asked();
    await codesAre({ ...mapping.x12, to_be_named: 'X4' });
    const wider = await asked();
    expect([first.sets, wider.sets]).toEqual([1, 2]);
    await codesAre(mapping.x12);
    expect(await asked()).toEqual(first);
    const feedPath = `/v1/ops/partners/${partner.name}/feed`;
    await operator.done('PUT', feedPath, { ...wanted(pair), scac: 'ACME' });
    const ofOtherCarrier = await asked();
    await operator.done('PUT', feedPath, wanted(pair));
    const rules = { receivers: ['ZZ:BRIDGE'] };
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/envelopes`, { rules, note: 'a test' });
    const fromOther = await asked();
    expect(fromOther.text).toContain('*BRIDGE ');
    const controls = [first, wider, ofOtherCarrier, fromOther].map(({ control }) => control);
    expect(new Set(controls).size).toBe(4);
    expect(controls.every((control) => /^\d{9}$/.test(control))).toBe(true);
    expect(await asked('/v1/order-events.edi?after=0&limit=1')).toEqual(fromOther); // the same event, without the other one
  });

  it('is 204 as X12 where nothing can be written, with the cursor behind what was left out, and takes no control number', async () => {
    const { upstream, partner, learns } = await followed();
    for (const code of ['scheduled', 'to_be_named', 'picked_up']) upstream.happens('SO-7', code);
    await learns(3);
    const shown = async (query: string) => {
      const answer = await partner.fetch(`/v1/order-events.edi?${query}`);
      const headers = ['X-Next-Cursor', 'X-More-Events', 'X-Events-Written', 'X-Events-Left-Out', 'Link'];
      const text = await answer.text();
      return [answer.status, text.slice(90, 99), ...headers.map((name) => answer.headers.get(name))];
    };
    const link = (after: number, limit: number) => `</v1/order-events.edi?after=${after}&limit=${limit}>; rel="next"`;
    expect(await shown('limit=1')).toEqual([204, '', '1', 'true', '0', '1', link(1, 1)]);
    expect(await shown('limit=2')).toEqual([204, '', '2', 'true', '0', '2', link(2, 2)]);
    expect(await shown('after=2&limit=2')).toEqual([200, '000000001', '3', 'false', '1', '0', link(3, 2)]);
    expect(await shown('after=3&limit=2')).toEqual([204, '', '3', 'false', '0', '0', link(3, 2)]);
  });
});

describe('the feed of a partner', () => {
  it('is set once for a pair: another partner is refused it, and the first one keeps it', async () => {
    const { operator, partner, pair, feed } = await followed();
    const other = await aPartner();
    const path = `/v1/ops/partners/${other.name}/feed`;
    const refused = await operator.fetch(path, { method: 'PUT', body: JSON.stringify(wanted(pair)) });
    const problem = await problemOf(refused);
    expect(problem).toMatchObject({ status: 409, code: 'pair_taken' });
    expect(JSON.stringify(problem)).not.toContain(partner.name);
    expect((await problemOf(await operator.fetch(path))).code).toBe('no_feed');
    expect((await feed().status())?.settings.partner).toBe(partner.name);
    const fifty = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        operator.fetch(`/v1/ops/partners/${index % 2 ? other.name : partner.name}/feed`, {
          method: 'PUT',
          body: JSON.stringify(wanted({ partnerId: 'RACE', clientId: 'RACE' })),
        }),
      ),
    );
    await Promise.all(fifty.map((answer) => answer.arrayBuffer()));
    const rows = await env.DIRECTORY.prepare(`SELECT partner FROM order_feed WHERE partner_id = 'RACE'`).all();
    expect(rows.results).toHaveLength(1);
    const raced = await env.ORDER_FEED.getByName(feedName('test', { partnerId: 'RACE', clientId: 'RACE' })).status();
    expect(raced?.settings.partner).toBe(rows.results[0]?.partner);
  });

  it('may change its pair until something is logged, and its channel at any time', async () => {
    const { operator, partner, pair, upstream, learns, feed } = await followed();
    const path = `/v1/ops/partners/${partner.name}/feed`;
    const corrected = { ...pair, clientId: 'C-corrected' };
    await operator.done('PUT', path, wanted(corrected));
    expect(await feed().status()).toBeNull();
    await operator.done('PUT', path, wanted(pair));
    upstream.happens('M1', 'received');
    await learns(1);
    const refused = await operator.fetch(path, { method: 'PUT', body: JSON.stringify(wanted(corrected)) });
    expect((await problemOf(refused)).code).toBe('feed_has_events');
    const set = await operator.done<{ edition: number }>('PUT', path, {
      ...wanted(pair),
      repairsPerMinute: 30,
      pollMinutes: 60,
      scac: 'ACME',
    });
    expect(set).toMatchObject({
      edition: 4,
      scac: 'ACME',
      repairsPerMinute: 30,
      pollMinutes: 60,
      changedBy: 'Analyst',
      note: 'a test',
    });
    expect((await feed().status())?.settings).toMatchObject({
      edition: 4,
      scac: 'ACME',
      repairsPerMinute: 30,
      pollMinutes: 60,
    });
    expect(await (await operator.fetch(path)).json()).toMatchObject({
      edition: 4,
      repairsPerMinute: 30,
      pollMinutes: 60,
    });
    const audited = await env.DIRECTORY.prepare(
      'SELECT edition, key_name FROM order_feed_change ORDER BY edition',
    ).all();
    expect(audited.results.map(({ edition }) => edition)).toEqual([1, 2, 3, 4]);
  });

  it.each([
    [{ channel: 'nowhere' }, 422, 'unknown_channel'],
    [{ channel: 'live' }, 422, 'unknown_channel'],
    [{ scac: 'NOPE' }, 422, 'scac_not_of_channel'],
    [{ partnerId: '' }, 400, 'body_invalid'],
    [{ repairsPerMinute: 601 }, 400, 'body_invalid'],
    [{ pollMinutes: 4 }, 400, 'body_invalid'],
    [{ pollMinutes: 241 }, 400, 'body_invalid'],
    [{ note: '' }, 400, 'body_invalid'],
  ])('is not set with %j', async (more, status, code) => {
    orderHistory();
    const partner = await aPartner();
    const operator = await anOperator();
    const answer = await operator.fetch(`/v1/ops/partners/${partner.name}/feed`, {
      method: 'PUT',
      body: JSON.stringify({ ...wanted({ partnerId: 'P', clientId: 'C' }), ...more }),
    });
    expect(await problemOf(answer)).toMatchObject({ status, code });
    const rows = await env.DIRECTORY.prepare('SELECT * FROM order_feed').all();
    expect(rows.results).toEqual([]);
  });

  it('whose alarm was lost is found by the cron, and so is one that was never begun', async () => {
    const { feed, upstream, operator, pair } = await followed();
    await vi.waitFor(() => expect(upstream.polls.length).toBeGreaterThan(0), PATIENCE);
    await loseAlarm(feed());
    await cron();
    const made = upstream.polls.length;
    await vi.waitFor(() => expect(upstream.polls.length).toBeGreaterThan(made), PATIENCE);
    const other = { ...pair, clientId: 'never-begun' };
    const partner = await aPartner();
    await env.DIRECTORY.prepare('INSERT INTO order_feed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .bind(partner.name, 'test', other.partnerId, other.clientId, 'plain', 'DEMO', 30, 60, 1)
      .run();
    type Feeds = { feeds: { partner: string; state: string }[] };
    const states = async () =>
      (await operator.getJson<Feeds>('/v1/ops/feeds')).feeds.find((found) => found.partner === partner.name)?.state;
    expect(await states()).toBe('starting');
    await cron();
    await vi.waitFor(async () => expect(await states()).toBe('ok'), PATIENCE);
  });

  it('is shown with its cursor, gaps and what did not fit, in health too, and does what an operator asks', async () => {
    const { operator, partner, upstream, feed, learns } = await followed();
    upstream.happens('N1', 'received');
    upstream.happens('N1', 'broken', { eventTime: 'never' });
    await learns(1);
    upstream.singlesAnswer(500);
    upstream.nextPoll(new Error('Network connection lost.'));
    const act = (what: string) => operator.done('POST', `/v1/ops/feeds/${partner.name}/${what}`, { why: 'a test' });
    await act('poll');
    await vi.waitFor(async () => expect((await feed().status())?.gaps.open).toBe(1), PATIENCE);
    const { feeds } = await operator.getJson<{ feeds: Record<string, unknown>[] }>('/v1/ops/feeds');
    expect(feeds.find((found) => found.partner === partner.name)).toMatchObject({
      state: 'gap',
      cursor: { poll: expect.any(Number) },
      nextPoll: expect.any(String),
      lastEvent: 1,
      orders: { open: 1 },
      gaps: { open: 1, shown: [{ why: 'no_answer', closedAt: null }] },
      polls: expect.arrayContaining([
        expect.objectContaining({ state: 'read', entries: 2, news: 1, unfit: 1, unfitSamples: [expect.anything()] }),
      ]),
    });
    const health = await operator.getJson<{ feeds: unknown[] }>('/v1/ops/health');
    expect(health.feeds).toContainEqual(expect.objectContaining({ partner: partner.name, state: 'gap', openGaps: 1 }));
    upstream.singlesAnswer(null);
    expect(await act('repair')).toMatchObject({ orders: 1 });
    await vi.waitFor(async () => expect((await feed().status())?.gaps.open).toBe(0), PATIENCE);
    const audited = await operator.fetch(`/v1/ops/feeds/${partner.name}/polls/999/reread`, {
      method: 'POST',
      body: JSON.stringify({ why: 'a test' }),
    });
    expect((await problemOf(audited)).code).toBe('poll_unknown');
  });

  it('shows a status that was read wrongly in the list of its order alone, marked, until it is read so again', async () => {
    const { operator, partner, upstream, feed, learns } = await followed();
    upstream.happens('Q1', 'received');
    upstream.happens('Q1', 'delivered', { about: 'a box of it' });
    await learns(2);
    const path = '/v1/ops/answer-mappings/order-status';
    const { mapping } = await operator.getJson<{ mapping: object }>(path);
    const poll = (await feed().status())?.polls.find(({ news }) => news > 0)?.poll_no;
    const rereadUnder = async (changed: object) => {
      await operator.done('PUT', path, { mapping: { ...mapping, ...changed }, note: 'a test' });
      await operator.done('POST', `/v1/ops/feeds/${partner.name}/polls/${poll}/reread`, { why: 'a test' });
    };
    const shows = (statuses: string[], tracks: string[], latestStatus: string) =>
      vi.waitFor(async () => {
        const order = await partner.getJson<{
          latestStatus: string;
          latestStatusAt: string;
          statuses: { seq: number; code: string; correctedBy: number | null }[];
        }>('/v1/orders/Q1');
        const marked = order.statuses.map(({ seq, code, correctedBy }) => `${seq} ${code} ${correctedBy ?? ''}`.trim());
        expect([marked, order.latestStatus]).toEqual([statuses, latestStatus]);
        const { tracks: shown } = await partner.getJson<{ tracks: { code: string }[] }>('/v1/orders/Q1/tracks');
        expect(shown.map(({ code }) => code)).toEqual(tracks);
        const page = await (await partner.fetch('/console/orders/Q1')).text();
        expect(page).toContain(`<dt>Latest status</dt><dd>${latestStatus.replace('_', ' ')}</dd>`);
        expect(page).toContain(`<dt>Status since</dt><dd><time datetime="${order.latestStatusAt}"`);
      }, PATIENCE);
    await shows(['1 received', '2 delivered'], ['received', 'delivered'], 'delivered');
    await rereadUnder({
      code: { from: ['code'], codes: { delivered: 'parcel_left' } },
      level: { from: ['about'], milestones: [], otherwise: 'milestone' },
    });
    await shows(['1 received', '2 delivered 3', '3 parcel_left'], ['received'], 'parcel_left');
    await rereadUnder({});
    const whole = ['1 received', '2 delivered 3', '3 parcel_left 4', '4 delivered'];
    await shows(whole, ['received', 'delivered'], 'delivered');
    await rereadUnder({});
    await shows(whole, ['received', 'delivered'], 'delivered');
  });

  it('reads as operators say from the moment they say it, and reads stored answers again', async () => {
    const { operator, partner, upstream, feed, learns } = await followed();
    upstream.happens('O1', '14', { code: 14, status: 'DLV', when: 1_772_352_000 });
    await learns(1);
    const path = '/v1/ops/answer-mappings/order-status';
    const { mapping } = await operator.getJson<{ edition: number; mapping: object }>(path);
    const changed = {
      ...mapping,
      code: { from: ['status'], codes: { DLV: 'delivered' } },
      time: { from: ['when'], form: 'epochSeconds' },
    };
    const set = await operator.done<{ edition: number }>('PUT', path, { mapping: changed, note: 'as it is sent' });
    expect(set).toMatchObject({ edition: 1, changedBy: 'Analyst', note: 'as it is sent' });
    const poll = (await feed().status())?.polls.find(({ news }) => news > 0)?.poll_no;
    const reread = `/v1/ops/feeds/${partner.name}/polls/${poll}/reread`;
    expect(await operator.done('POST', reread, { why: 'mapping corrected' })).toMatchObject({ news: 1, unfit: 0 });
    const { events } = await partner.getJson<ShownEvents>('/v1/order-events');
    expect(events).toMatchObject([
      { seq: 1, code: '14', corrects: null },
      { seq: 2, code: 'delivered', at: '2026-03-01T08:00:00.000Z', corrects: 1 },
    ]);
    const refused = await operator.fetch(path, {
      method: 'PUT',
      body: JSON.stringify({ mapping: { ...mapping, list: ['a..b'] }, note: 'wrong' }),
    });
    expect((await problemOf(refused)).code).toBe('body_invalid');
  });
});
