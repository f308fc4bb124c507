/** The whole record of a load, an order and a partner, as operators take it out. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { anOperator, type Operator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { ORDER_ID } from '../orders.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ACME_MAPPING = (BUNDLED_DOCUMENTS.get('carrier-status-csv') ?? '').replace(
  'mapping: carrier-status-csv',
  'mapping: acme-status',
);

type Line = Record<string, Record<string, unknown> | undefined>;

async function recordOf(operator: Operator, path: string): Promise<{ text: string; lines: Line[] }> {
  const answer = await operator.fetch(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson');
  expect(answer.headers.get('Content-Disposition')).toMatch(/^attachment; filename="\w+\.ndjson"$/);
  const text = await answer.text();
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines.at(-1)).toEqual({ end: { lines: lines.length - 1 } });
  return { text, lines };
}

it('has all that is stored, without secrets, and stands in the audit', async () => {
  upstreamAnswers(({ body }) =>
    body.includes('"orderRef"')
      ? Response.json({ id: ORDER_ID }, { status: 201 })
      : Response.json({ code: 422, said: 'closed' }, { status: 422 }),
  );
  const partner = await aPartner();
  const operator = await anOperator();
  const events = await partner.receipt(statusFile(statusRow('L1'), statusRow('L2')), { fileName: 'one.csv' });
  const orders = await partner.receipt(orderFile({ orderRef: 'SO-1', sku: 'S1' }), { mapping: 'orders-csv' });
  for (const { batchId } of [events, orders]) await partner.reaches(batchId, 'settled');
  const hook = { url: 'https://main.example/hook', events: ['batch.settled'], note: 'a test' };
  const path = `/v1/ops/partners/${partner.name}`;
  const { secret } = await operator.done<{ secret: string }>('PUT', `${path}/webhooks/main`, hook);

  const load = await recordOf(operator, '/v1/ops/loads/L1/record?note=asked%20for');
  expect(load.lines[0]).toMatchObject({ record: 'load', partner: partner.name, scac: 'DEMO', loadNumber: 'L1' });
  expect(load.lines[1]).toMatchObject({
    request: { batch_id: events.batchId, state: 'rejected', body: expect.stringContaining('"L1"') },
    attempts: [{ status: 422, body: '{"code":422,"said":"closed"}' }],
  });
  expect(load.text).not.toContain('"L2"');

  const order = await recordOf(operator, `/v1/ops/orders/${partner.name}/SO-1/record`);
  expect(order.lines[1]).toMatchObject({ request: { kind: 'order.create', state: 'delivered' } });
  expect(order.lines.find(({ accepted }) => accepted)).toMatchObject({
    accepted: { document: expect.stringContaining('12 Elm St') },
  });

  const whole = await recordOf(operator, `${path}/record`);
  const of = (name: string): Record<string, unknown>[] =>
    whole.lines.slice(1).flatMap((line) => (line[name] === undefined ? [] : [line[name]]));
  expect(of('partner')).toMatchObject([{ partner: partner.name }]);
  expect(of('key')).toMatchObject([{ keyId: partner.keyId, state: 'live' }]);
  expect(of('webhook')).toMatchObject([{ id: 'main', url: hook.url }]);
  expect(
    of('batch')
      .map(({ batchId }) => batchId)
      .sort(),
  ).toEqual([events.batchId, orders.batchId].sort());
  expect(of('file').map(({ name }) => name)).toContain(`test/${partner.name}/${events.batchId}/source`);
  expect(of('audit').map(({ action }) => action)).toEqual(['partner.export', 'webhook.set']);
  for (const hidden of [secret, partner.key, partner.key.split('_').at(-1) ?? ''])
    expect(whole.text).not.toContain(hidden);

  const { entries } = await operator.getJson<{ entries: object[] }>('/v1/ops/audit?action=load');
  expect(entries).toMatchObject([{ action: 'load.export', about: 'load/L1', why: 'asked for', actor: 'Analyst' }]);
});

it('of a partner has more than lists show: every key, upload link and proposed mapping', async () => {
  const partner = await aPartner();
  const operator = await anOperator();
  const proposal = { name: 'acme-status', mapping: ACME_MAPPING, note: 'our export' };
  const proposed = await partner.fetch('/v1/mapping-proposals', { method: 'POST', body: JSON.stringify(proposal) });
  expect(proposed.status).toBe(201);
  const path = `/v1/ops/partners/${partner.name}`;
  const many = async (table: string, id: string, first: Record<string, unknown>): Promise<void> => {
    const hashed = (at: number) => (table === 'upload_link' ? { link_sha256: `${at}` } : {});
    const names = Object.keys(first);
    const insert = env.DIRECTORY.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`);
    const rows = Array.from({ length: 101 }, (_, at) => ({ ...first, ...hashed(at), [id]: `${first[id]}${at}` }));
    await env.DIRECTORY.batch(rows.map((row) => insert.bind(...Object.values(row))));
  };
  await env.DIRECTORY.prepare(`INSERT OR IGNORE INTO partner_channel VALUES (?, 'test', 'plain')`)
    .bind(partner.name)
    .run();
  const link = { method: 'POST', body: JSON.stringify({ why: 'for the clerk', days: 1 }) };
  expect((await operator.fetch(`${path}/upload-links`, link)).status).toBe(201);
  for (const [table, id] of [
    ['partner_key', 'key_id'],
    ['upload_link', 'link_id'],
  ] as const) {
    const row = await env.DIRECTORY.prepare(`SELECT * FROM ${table}`).first();
    await many(table, id, row ?? {});
  }
  const { lines } = await recordOf(operator, `${path}/record`);
  const count = (name: string): number => lines.slice(1).filter((each) => each[name] !== undefined).length;
  expect(['key', 'uploadLink', 'proposal'].map(count)).toEqual([102, 102, 1]);
  expect(lines.find((each) => each.proposal)?.proposal).toMatchObject({ mapping: ACME_MAPPING });
});

it('is a file of the pages, for operators alone; what is not there is refused', async () => {
  upstreamAnswers(200);
  const partner = await aPartner();
  const operator = await anOperator();
  const viewer = await anOperator({ role: 'viewer' });
  const { batchId } = await partner.receipt(statusFile(statusRow('L1')));
  await partner.reaches(batchId, 'settled');
  const page = `/console/loads/L1?partner=${partner.name}&scac=DEMO`;
  const link = /href="([^"]+record\.ndjson[^"]*)"/.exec(await (await operator.fetch(page)).text())?.[1] ?? '';
  await recordOf(operator, link.replaceAll('&amp;', '&'));
  expect(await (await viewer.fetch(page)).text()).not.toContain('record.ndjson');
  for (const path of ['loads/none/record', `orders/${partner.name}/none/record`, 'partners/none/record'])
    expect((await operator.fetch(`/v1/ops/${path}`)).status, path).toBe(404);
  expect((await viewer.fetch('/v1/ops/loads/L1/record')).status).toBe(403);
});

it('is refused where the audit cannot be written', async () => {
  upstreamAnswers(200);
  const partner = await aPartner();
  const operator = await anOperator();
  const { batchId } = await partner.receipt(statusFile(statusRow('L1')));
  await partner.reaches(batchId, 'settled');
  await env.DIRECTORY.prepare('ALTER TABLE audit_entry RENAME TO lost').run();
  expect((await operator.fetch('/v1/ops/loads/L1/record')).status).toBe(503);
  await env.DIRECTORY.prepare('ALTER TABLE lost RENAME TO audit_entry').run();
});
