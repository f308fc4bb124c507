/** A key that is limited to mappings or SCACs sees of its partner's work what it could have sent itself, on every route. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, type Partner, problemOf, type Receipt } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const BOTH = ['DEMO', 'ACME'];
const CSV = 'carrier-status-csv';
/** A load that is delivered, and one whose code nobody knows. */
const file = () => statusFile(statusRow('LD1'), statusRow('LD2', { Status: 'NOBODY KNOWS' }));

interface Work {
  sender: Partner;
  batchId: string;
  message: string;
}

const undelivered = async (partner: Partner): Promise<unknown[]> =>
  (await partner.getJson<{ rows: unknown[] }>('/v1/rows?text=NOBODY')).rows;

/** What a key for everything has sent: a file and a message. */
async function sentWork(): Promise<Work> {
  const sender = await aPartner({ scacs: BOTH });
  const { batchId } = await (await sender.upload(file(), { scac: 'DEMO', fileName: 'canary.csv' })).json<Receipt>();
  await sender.reaches(batchId, 'settled');
  const sent = await sender.fetch(`/v1/messages?mapping=${CSV}&scac=DEMO`, { method: 'POST', body: file() });
  await vi.waitFor(async () => expect((await undelivered(sender)).length).toBeGreaterThan(0), PATIENCE); // in the index
  return { sender, batchId, message: new URL(sent.headers.get('Location') ?? '', 'http://x').pathname };
}

/** Every route that shows one file or message of a partner, or does something with it. */
const addressesOf = ({ batchId, message }: Work): [route: string, method: string, address: string][] =>
  Object.keys(ROUTES).flatMap((route) => {
    const [method = '', path = ''] = route.split(' ');
    if (/^\/v1\/batches\/\{id\}/.test(path))
      return [[route, method, path.replace('{id}', batchId).replace('{record}', '2')] as [string, string, string]];
    if (!/^\/v1\/messages\/\{id\}/.test(path)) return [];
    return [[route, method, path.replace('/v1/messages/{id}/{message}', message)] as [string, string, string]];
  });

const statusesFor = async (partner: Partner, work: Work): Promise<Map<string, string>> => {
  const statuses = new Map<string, string>();
  for (const [route, method, address] of addressesOf(work)) {
    const answer = await partner.fetch(address, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
    const text = await answer.text();
    statuses.set(route, `${answer.status} ${/"code": "(\w+)"/.exec(text)?.[1] ?? ''}`);
    if (answer.status === 404) expect(text, route).not.toContain('LD2');
  }
  return statuses;
};

describe('what another key of the partner has sent', () => {
  it.each([
    ['mappings', { mappings: ['x12-214'], scacs: BOTH }],
    ['SCACs', { mappings: null, scacs: ['DEMO'] }],
  ])('is not there for a key of other %s, whatever the route', async (_, limits) => {
    const work = await sentWork();
    const narrow = await aPartner({ partner: work.sender.name, ...limits });
    const statuses = await statusesFor(narrow, work);
    expect(statuses.size).toBeGreaterThan(16);
    for (const [route, said] of statuses) expect(said, route).toMatch(/^404 (?:batch|message)_unknown$/);
    const { batches } = await narrow.getJson<{ batches: unknown[] }>('/v1/batches');
    const named = await narrow.getJson<{ batches: unknown[] }>('/v1/batches?fileName=canary');
    expect([batches, named.batches, await undelivered(narrow)]).toEqual([[], [], []]);
  });

  it('is there for every key that could have sent it', async () => {
    const work = await sentWork();
    for (const limits of [{ scacs: BOTH }, { scacs: [...BOTH, 'MORE'], mappings: [CSV] }]) {
      const peer = await aPartner({ partner: work.sender.name, ...limits });
      for (const [route, said] of await statusesFor(peer, work)) expect(said, route).not.toMatch(/^404 .*_unknown$/);
      const { batches } = await peer.getJson<{ batches: unknown[] }>('/v1/batches');
      const named = await peer.getJson<{ batches: unknown[] }>('/v1/batches?fileName=canary');
      expect([batches.length, named.batches.length, (await undelivered(peer)).length > 0]).toEqual([2, 1, true]);
    }
  });
});

/** The index then has so many newer batches like this one, which the register does not know. */
async function others(batchId: string, count: number): Promise<void> {
  const { results } = await env.DIRECTORY.prepare('SELECT * FROM batch_index WHERE batch_id = ?').bind(batchId).all();
  const row = results[0] ?? {};
  const names = Object.keys(row);
  const insert = env.DIRECTORY.prepare(`INSERT INTO batch_index (${names}) VALUES (${names.map(() => '?')})`);
  const other = (at: number) => ({
    ...row,
    batch_id: `b_${String(at).padStart(26, '0')}`,
    received_at_ms: Number(row.received_at_ms) + 1 + at,
  });
  await env.DIRECTORY.batch(Array.from({ length: count }, (_, at) => insert.bind(...Object.values(other(at)))));
}

interface NamedBatches {
  batches: { batchId: string }[];
  next: string | null;
}

it('a file that was taken in for another key is told so, without counts and addresses that this one may not see', async () => {
  const work = await sentWork();
  const narrow = await aPartner({ partner: work.sender.name, scacs: ['DEMO'] });
  const again = await narrow.upload(file(), { scac: 'DEMO', fileName: 'mine.csv' });
  const told = await problemOf(again);
  expect([again.status, told.code, JSON.stringify(told).includes(work.batchId)]).toEqual([
    409,
    'file_taken_elsewhere',
    false,
  ]);
  const once = { headers: { 'Idempotency-Key': 'once more' } };
  const forced = await narrow.upload(file(), { scac: 'DEMO', fileName: 'mine.csv', force: 'true' }, once);
  expect(forced.status).toBe(202);
});

it('a message that was taken in for another key under this Idempotency-Key is told so, without address and outcome', async () => {
  const full = await aPartner({ scacs: BOTH });
  const [peer, narrow] = [
    await aPartner({ partner: full.name, scacs: BOTH }),
    await aPartner({ partner: full.name, scacs: ['DEMO'] }),
  ];
  const send = (by: Partner, key = 'one') =>
    by.fetch(`/v1/messages?mapping=${CSV}&scac=DEMO`, {
      ...{ method: 'POST', body: file() },
      headers: { 'Idempotency-Key': key, Prefer: 'wait=10' },
    });
  const { batchId } = await (await send(full)).json<Receipt>();
  expect(await (await send(peer)).json()).toMatchObject({ batchId, rowCount: 2 });
  const again = await send(narrow);
  const told = await problemOf(again);
  expect([again.status, told.code, again.headers.get('Location')]).toEqual([409, 'file_taken_elsewhere', null]);
  expect(/LD1|LD2/.test(JSON.stringify(told)) || JSON.stringify(told).includes(batchId)).toBe(false);
  expect(await (await send(narrow, 'two')).json()).toMatchObject({ rowCount: 2 });
});

it('corrections that were taken in for another key are told so, without the batch that this one may not see', async () => {
  const full = await aPartner({ scacs: BOTH });
  const narrow = await aPartner({ partner: full.name, scacs: ['DEMO'] });
  const { batchId } = await narrow.receipt(file(), { scac: 'DEMO' });
  await narrow.reaches(batchId, 'settled');
  upstream.answer(503); // so that what was corrected first is still under way
  const body = JSON.stringify({ rows: [{ record: 2, cells: { Status: 'AF' } }] });
  const correct = (key: Partner) => key.fetch(`/v1/batches/${batchId}/corrections`, { method: 'POST', body });
  const first = await correct(full);
  expect(first.status).toBe(202);
  const made = await first.json<Receipt>();
  expect(await (await correct(full)).json()).toMatchObject({ batchId: made.batchId, replayed: true });
  const again = await correct(narrow);
  const told = await problemOf(again);
  expect([again.status, told.code, again.headers.get('Location')]).toEqual([409, 'file_taken_elsewhere', null]);
  expect([JSON.stringify(told).includes(made.batchId), told.fix?.includes('force')]).toEqual([false, false]);
});

describe('what a key sees of many', () => {
  it('is found among more than a page of those that it does not see: files by their name, rows by a text', async () => {
    const { sender, batchId } = await sentWork();
    await others(batchId, 230);
    const named = await sender.getJson<NamedBatches>('/v1/batches?fileName=CANARY&limit=1');
    expect([named.batches.map((each) => each.batchId), named.next]).toEqual([[batchId], null]);
    const found = await sender.getJson<{ rows: unknown[]; isCut: boolean }>('/v1/rows?text=NOBODY');
    expect([found.rows.length > 0, found.isCut]).toEqual([true, false]);
  });

  it('may be more than is looked at: then a page says where to go on, and a search that it is cut', async () => {
    const { sender, batchId } = await sentWork();
    await others(batchId, 2_000);
    const named = await sender.getJson<NamedBatches>('/v1/batches?fileName=canary');
    expect(named.batches).toEqual([]);
    const rest = await sender.getJson<NamedBatches>(named.next ?? '');
    expect([rest.batches.map((each) => each.batchId), rest.next]).toEqual([[batchId], null]);
    const found = await sender.getJson<{ rows: unknown[]; isCut: boolean }>('/v1/rows?text=NOBODY');
    expect([found.rows, found.isCut]).toEqual([[], true]);
  });

  it('comes in pages, each as long as is wanted', async () => {
    const sender = await aPartner({ scacs: BOTH });
    for (const name of ['one.csv', 'two.csv', 'three.csv']) {
      const text = statusFile(statusRow(name));
      const { batchId } = await (await sender.upload(text, { scac: 'DEMO', fileName: name })).json<Receipt>();
      await sender.reaches(batchId, 'settled');
    }
    const all = async () => (await sender.getJson<NamedBatches>('/v1/batches?fileName=csv')).batches;
    await vi.waitFor(async () => expect(await all()).toHaveLength(3), PATIENCE);
    const first = await sender.getJson<NamedBatches>('/v1/batches?fileName=csv&limit=2');
    const second = await sender.getJson<NamedBatches>(first.next ?? '');
    expect([...first.batches, ...second.batches]).toEqual(await all());
    expect([first.batches.length, second.next]).toEqual([2, null]);
    expect(await problemOf(await sender.fetch('/v1/batches?fileName=csv&before=17'))).toMatchObject({ status: 400 });
  });
});

describe('loads and orders', () => {
  const ORDERS = ['/v1/orders', '/v1/orders/O1', '/v1/orders/O1/tracks', '/v1/orders/O1/feed'].concat([
    '/v1/order-events',
    '/v1/order-events.csv',
    '/v1/order-events.edi',
  ]);
  it.each([
    [CSV, 'orders', ORDERS],
    ['orders-csv', 'loads', ['/v1/loads/LD1']],
  ])('are refused to a key for %s, which makes no %s', async (mapping, _, addresses) => {
    const narrow = await aPartner({ mappings: [mapping] });
    for (const address of addresses) {
      const refused = await problemOf(await narrow.fetch(address));
      expect([refused.status, refused.code], address).toEqual([403, 'key_limited']);
    }
  });

  it('are shown to a key with a mapping that makes them', async () => {
    const { sender } = await sentWork();
    const loads = await aPartner({ partner: sender.name, mappings: [CSV] });
    expect((await loads.fetch('/v1/loads/LD1')).status).toBe(200);
    const orders = await aPartner({ partner: sender.name, mappings: ['orders-csv'] });
    expect((await orders.fetch('/v1/orders')).status).toBe(200);
  });
});
