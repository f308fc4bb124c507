/** Erasing a load or an order: of what its people are called and where they live, no store has a byte afterwards. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { Batch } from '../../../src/batch/object/batch.ts';
import { batchName, loadName, registerName } from '../../../src/kernel/names.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import { Load } from '../../../src/tracking/load.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { placesOf } from '../everything.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { manyOrders, orderFile } from '../order-files.ts';
import { ORDER_ID } from '../orders.ts';
import { aPartner, type Partner } from '../partners.ts';
import { aTicket } from '../registers.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface Plan {
  requests: number;
  batches: { batchId: string; requests: number; hasFile: boolean }[];
  underWay: { requests: number };
  stays: string[];
  confirm: string;
}

const WHY = 'asked for by the person';

const planned = (admin: Operator, path: string): Promise<Plan> =>
  admin.done<Plan>('POST', `${path}${path.includes('?') ? '&' : '?'}dryRun=true`, { why: WHY });

async function refused(admin: Operator, path: string, body: object): Promise<string> {
  const answer = await admin.fetch(path, { method: 'POST', body: JSON.stringify({ why: WHY, ...body }) });
  const { code, plan } = await answer.json<{ code: string; plan?: object }>();
  if (code.startsWith('erasure_')) expect(plan, `${code} shows what it is about`).toBeDefined();
  return `${answer.status} ${code}`;
}

/** Refuses what names somebody in its own words; takes all else. */
const upstream = (name: string) =>
  upstreamAnswers(({ body }) => {
    if (body.includes(name)) return Response.json({ code: 422, said: `no such person: ${name}` }, { status: 422 });
    return body.includes('"orderRef"')
      ? Response.json({ id: ORDER_ID }, { status: 201 })
      : Response.json({ code: 200 });
  });

/** Its register, and who follows it, know it a little later. */
const isOver = (partner: Partner, ...batchIds: string[]): Promise<void> =>
  vi.waitFor(async () => {
    for (const batchId of batchIds) {
      await partner.reaches(batchId, 'settled');
      const scope = { environment: partner.environment, partner: partner.name };
      const stub = env.BATCH.getByName(batchName(scope, batchId));
      const part = await stub.erasable({ subject: '', scac: null, records: [] });
      expect(part?.isUnderWay).toBe(false);
    }
  }, PATIENCE);

it('leaves no byte of an order in any store, and says so in the audit; others stay and go on', async () => {
  const [name, phone] = ['Zygmunt Canary', '+1 815 555 0142'];
  upstream(name);
  const partner = await aPartner();
  const admin = await anOperator({ role: 'admin' });
  await admin.done('PUT', `/v1/ops/partners/${partner.name}/webhooks/main`, {
    url: 'https://main.example/hook',
    events: ['batch.settled', 'order.status'],
    note: 'a test',
  });
  /** Longer than a slice that is still open may be. */
  const file = orderFile(
    { orderRef: 'SO-1', sku: 'S1', instructions: `call ${name} ${phone}` },
    { orderRef: 'SO-2', sku: 'S2', instructions: 'ring twice' },
    ...manyOrders(20, 1, 1_500, 'MORE'),
  );
  const { batchId } = await partner.receipt(file, { mapping: 'orders-csv' });
  await isOver(partner, batchId);
  await partner.fetch(`/v1/batches/${batchId}/retry`, { method: 'POST' }); // what was answered first is kept, too
  await isOver(partner, batchId);
  await vi.waitFor(async () => {
    const { issues } = await admin.getJson<{ issues: object[] }>('/v1/ops/issues');
    expect(issues).toMatchObject([{ answer: expect.stringContaining(name) }]);
  }, PATIENCE);
  const before = await placesOf(name);
  expect(new Set(before.map((at) => at.split(' ')[0]))).toEqual(new Set(['BATCH', 'ORDER', 'FILES', 'DIRECTORY']));
  const rowsBefore = await partner.rows(batchId);

  const path = `/v1/ops/orders/${partner.name}/SO-1/erase`;
  const plan = await planned(admin, path);
  expect(plan).toMatchObject({
    requests: 1,
    batches: [{ batchId, requests: 1, hasFile: true }],
    underWay: { requests: 0, reports: 0, batches: [] },
    stays: expect.arrayContaining([expect.stringContaining('receiving system')]),
  });
  expect(await refused(admin, path, {})).toBe('409 erasure_unseen');
  expect(await refused(admin, path, { confirm: 'other' })).toBe('409 erasure_changed');
  expect((await placesOf(name)).length).toBe(before.length); // nothing was done yet
  await admin.done('POST', path, { why: WHY, confirm: plan.confirm });

  expect(await placesOf(name, phone)).toEqual([]);
  const rows = await partner.rows(batchId);
  expect(rows.map(({ state }) => state)).toEqual(rowsBefore.map(({ state }) => state));
  expect(JSON.stringify(rows)).not.toContain(name); // nor in memory
  expect((await partner.fetch(`/v1/batches/${batchId}/report.csv`)).status).toBe(410);
  expect((await partner.fetch('/v1/orders/SO-1')).status).toBe(404);
  expect((await partner.fetch('/v1/orders/SO-2')).status).toBe(200);
  const { entries } = await admin.getJson<{ entries: object[] }>('/v1/ops/audit?action=order.erase');
  expect(entries).toMatchObject([{ about: 'order/SO-1', why: WHY, detail: { requests: 1, batches: 1 } }]);
  const retry = await partner.fetch(`/v1/batches/${batchId}/retry?dryRun=true`, { method: 'POST' });
  expect(await retry.text()).not.toContain('"retried":1'); // what was erased is never sent again
  const again = await partner.receipt(`${file}\n`, { mapping: 'orders-csv' }); // and the order may come anew
  await isOver(partner, again.batchId);
});

it('erases a load that has ended by itself, with its archives and the row that one of its rows corrected', async () => {
  const name = 'Canaryville';
  upstreamAnswers(200);
  const partner = await aPartner();
  const scope = { environment: 'test', partner: partner.name } as const;
  const admin = await anOperator({ role: 'admin' });
  const file = statusFile(
    statusRow('L1', { City: name }),
    statusRow('L2'),
    statusRow('L1', { City: name, Status: name }),
  );
  const { batchId } = await partner.receipt(file, { scac: 'DEMO' });
  await isOver(partner, batchId);
  const mended = await partner.fetch(`/v1/batches/${batchId}/corrections`, {
    method: 'POST',
    body: JSON.stringify({ rows: [{ record: 3, cells: { Status: 'X1' } }] }),
  });
  const { batchId: corrected } = await mended.json<{ batchId: string }>();
  await isOver(partner, batchId, corrected);
  const archive = await admin.fetch('/v1/ops/loads/L1/record');
  const life = `attempts/${sha256Hex(loadName(scope, 'DEMO', 'L1'))}/1-1.jsonl`;
  for (const each of [batchId, corrected])
    await env.FILES.put(`test/${partner.name}/${each}/${life}`, new Uint8Array(await archive.clone().arrayBuffer()));
  await runInDurableObject(env.LOAD.getByName(loadName(scope, 'DEMO', 'L1')), async (_, { storage }) => {
    await storage.deleteAll();
    await storage.sync();
  });
  const path = `/v1/ops/loads/L1/erase?partner=${partner.name}&scac=DEMO`;
  const plan = await planned(admin, path);
  expect(plan).toMatchObject({ requests: 2, files: 2, batches: [{ batchId, requests: 1 }, { batchId: corrected }] });
  await admin.done('POST', path, { why: WHY, confirm: plan.confirm });
  expect(await placesOf(name)).toEqual([]);
  expect((await partner.fetch('/v1/loads/L2')).status).toBe(200);
});

it('erases a partner in one environment, in steps that go on by themselves, and nobody else', async () => {
  const name = 'Wilhelmina Canary';
  upstream('LD-REFUSED');
  const [partner, other] = [await aPartner(), await aPartner()];
  const admin = await anOperator({ role: 'admin' });
  const path = `/v1/ops/partners/${partner.name}`;
  const hook = { url: 'https://main.example/canary', events: ['batch.settled'], note: 'a test' };
  await admin.done('PUT', `${path}/webhooks/main`, hook);
  await admin.done('PATCH', path, { channel: 'plain', why: 'a test' });
  await admin.fetch(`${path}/upload-links`, { method: 'POST', body: JSON.stringify({ why: 'a test', days: 1 }) });
  const file = (prefix: string) =>
    statusFile(statusRow(`${prefix}1`, { City: name }), statusRow('LD-REFUSED', { City: name }));
  const orders = orderFile({ orderRef: 'SO-1', sku: 'S1', instructions: `call ${name}` });
  const sent = [
    await partner.receipt(file('A'), { scac: 'DEMO' }),
    await partner.receipt(file('B'), { scac: 'DEMO' }),
    await partner.receipt(orders, { mapping: 'orders-csv' }),
  ];
  const theirs = await other.receipt(statusFile(statusRow('A1', { City: 'Joliet' })), { scac: 'DEMO' });
  await isOver(partner, ...sent.map(({ batchId }) => batchId));
  await isOver(other, theirs.batchId);
  expect((await placesOf(name)).length).toBeGreaterThan(8);

  const plan = await planned(admin, `${path}/erase`);
  expect(plan).toMatchObject({ batches: 3, openBatches: 0, keys: 1, uploadLinks: 1, webhooks: 1, begunAt: null });
  expect(await refused(admin, `${path}/erase`, {})).toBe('409 erasure_unseen');
  expect(await refused(admin, `${path}/erase`, { confirm: 'other' })).toBe('409 erasure_changed');
  vi.spyOn(Load.prototype, 'erase').mockRejectedValueOnce(new Error('planned: a load does not answer'));
  vi.spyOn(Batch.prototype, 'eraseWhole').mockRejectedValueOnce(new Error('planned: a batch does not answer'));
  await admin.done('POST', `${path}/erase`, { why: WHY, confirm: plan.confirm });
  expect((await partner.fetch('/v1/batches')).status).toBe(401); // at once
  await vi.waitFor(async () => {
    expect(await planned(admin, `${path}/erase`)).toMatchObject({ batches: 0, keys: 0, webhooks: 0, begunAt: null });
  }, PATIENCE);

  expect(await placesOf(name, 'main.example/canary')).toEqual([]);
  const scope = { environment: 'test', partner: partner.name } as const;
  const late = { ...aTicket(scope), receivedAtMs: Date.now() - 60_000 }; // its upload began before
  const claims = (ticket: BatchTicket) =>
    env.INTAKE_REGISTER.getByName(registerName(scope)).claim({
      ticket,
      idempotencyKey: null,
      fingerprint: '',
      who: 'k1',
    });
  expect(await claims(late)).toEqual({ outcome: 'being_erased' });
  const batches = await admin.getJson<{ batches: object[] }>(`/v1/ops/batches?partner=${partner.name}`);
  expect(batches.batches).toEqual([]);
  const { entries } = await admin.getJson<{ entries: object[] }>('/v1/ops/audit?action=partner.erase');
  expect(entries).toMatchObject([{ about: `partner/${partner.name}`, why: WHY, detail: { batches: 3, keys: 1 } }]);
  expect((await other.fetch('/v1/loads/A1')).status).toBe(200);
  expect((await other.rows(theirs.batchId)).map(({ state }) => state)).toEqual(['delivered']);
});

it('is refused while something of it is under way, and where nothing is stored', async () => {
  upstreamAnswers(503);
  const partner = await aPartner();
  const admin = await anOperator({ role: 'admin' });
  await partner.receipt(statusFile(statusRow('L1')), { scac: 'DEMO' });
  const path = '/v1/ops/loads/L1/erase';
  const plan = await vi.waitFor(async () => {
    const found = await planned(admin, path);
    expect(found.underWay.requests).toBe(1);
    return found;
  }, PATIENCE);
  expect(await refused(admin, path, { confirm: plan.confirm })).toBe('409 erasure_under_way');
  expect((await partner.fetch('/v1/loads/L1')).status).toBe(200);
  const other = `/v1/ops/loads/L9/erase?partner=${partner.name}&scac=DEMO`;
  expect(await refused(admin, other, {})).toBe('404 nothing_to_erase');
});
