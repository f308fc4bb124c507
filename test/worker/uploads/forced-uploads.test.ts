/** The same file again: what the answer says of the batch it is already, and how it becomes new work on request. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerName, sourceKey } from '../../../src/kernel/names.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
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

const FILE = statusFile(...statusRows(3, 2));

const forced = (partner: Partner, key: string | null, query: Record<string, string> = {}): Promise<Response> =>
  partner.upload(FILE, { force: 'true', ...query }, { headers: key === null ? {} : { 'Idempotency-Key': key } });

interface AuditRow {
  who: string;
  what: string;
  batch_id: string;
  detail: string;
}

const registerOf = (partner: Partner) =>
  env.INTAKE_REGISTER.getByName(registerName({ environment: 'test', partner: partner.name }));

const auditOf = (partner: Partner): Promise<AuditRow[]> =>
  runInDurableObject(registerOf(partner), (_, state) =>
    state.storage.sql.exec('SELECT who, what, batch_id, detail FROM audit ORDER BY seq').toArray(),
  ) as unknown as Promise<AuditRow[]>;

async function delivered(partner: Partner): Promise<string> {
  const { batchId } = await partner.receipt(FILE);
  await partner.reaches(batchId, 'settled');
  return batchId;
}

describe('a file that was sent before', () => {
  it('is told what became of it, and where to ask for what was not delivered', async () => {
    const partner = await aPartner();
    const mixed = statusFile(...statusRows(2, 1), statusRow('LD9', { Status: '??' }));
    const first = await partner.receipt(mixed);
    expect(first).not.toHaveProperty('state');
    await partner.reaches(first.batchId, 'settled');
    const answer = await partner.upload(mixed);
    expect(answer.status).toBe(202);
    expect(answer.headers.get('Idempotency-Replayed')).toBe('true');
    expect(await answer.json()).toMatchObject({
      batchId: first.batchId,
      replayed: true,
      state: 'settled',
      rows: 3,
      rowStates: { delivered: 2, invalid: 1 },
      requests: 2,
      requestStates: { delivered: 2 },
      links: { ...first.links, retry: `/v1/batches/${first.batchId}/retry` },
    });
  });
});

describe('force=true', () => {
  it('makes a new batch of it, sends it again, and says so for good', async () => {
    const partner = await aPartner();
    const first = await delivered(partner);
    const answer = await forced(partner, 'again-1');
    expect(answer.status).toBe(202);
    const { batchId, replayed } = await answer.json<Receipt>();
    expect(replayed).toBe(false);
    expect(batchId).not.toBe(first);
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({ forced: true, rows: 3 });
    expect(await partner.summary(first)).toMatchObject({ forced: false });
    expect(upstream.left.length).toBeGreaterThan(3);
    const [audit, ...others] = await auditOf(partner);
    expect(others).toEqual([]);
    expect(audit).toMatchObject({ who: partner.keyId, what: 'upload_forced', batch_id: batchId });
    expect(JSON.parse(audit?.detail ?? '')).toMatchObject({ claimedBefore: first, idempotencyKey: 'again-1' });
  });

  it('lets the claim stand for the newest batch', async () => {
    const partner = await aPartner();
    await delivered(partner);
    const { batchId } = await (await forced(partner, 'again-1')).json<Receipt>();
    expect(await partner.receipt(FILE)).toMatchObject({ batchId, replayed: true });
  });

  it('that is withdrawn whole leaves the file with the batch before it', async () => {
    const partner = await aPartner();
    const first = await delivered(partner);
    const { batchId } = await (await forced(partner, 'again-1')).json<Receipt>();
    await partner.reaches(batchId, 'settled');
    const end = { state: 'settled', claimsNothing: true, tookNothing: false, opening: 1 } as const;
    await registerOf(partner).closeBatch(batchId, end);
    expect(await partner.receipt(FILE)).toMatchObject({ batchId: first, replayed: true });
  });

  it('is one batch however often the same request is repeated, also at once', async () => {
    const partner = await aPartner();
    await delivered(partner);
    const answers = await Promise.all(Array.from({ length: 10 }, () => forced(partner, 'again-1')));
    const taken = answers.filter(({ status }) => status !== 409); // a repeat is told to wait while the first one comes
    const receipts = await Promise.all(taken.map((answer) => answer.json<Receipt>()));
    expect(await (await forced(partner, 'again-1')).json()).toMatchObject({ batchId: receipts[0]?.batchId });
    expect(new Set(receipts.map(({ batchId }) => batchId)).size).toBe(1);
    expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await auditOf(partner)).toHaveLength(1);
  });

  it('is a batch of its own under each new key', async () => {
    const partner = await aPartner();
    const one = await (await forced(partner, 'again-1')).json<Receipt>();
    const two = await (await forced(partner, 'again-2')).json<Receipt>();
    expect(two.batchId).not.toBe(one.batchId);
    const details = (await auditOf(partner)).map(({ detail }) => JSON.parse(detail).claimedBefore);
    expect(details).toEqual([null, one.batchId]);
  });

  it('is refused without an Idempotency-Key', async () => {
    const partner = await aPartner();
    await delivered(partner);
    const answer = await forced(partner, null);
    expect(answer.status).toBe(400);
    expect(await problemOf(answer)).toMatchObject({ code: 'force_needs_key', fix: expect.stringMatching(/UUID/) });
  });

  it('is refused with a key that stands for an upload already, and keeps nothing', async () => {
    const partner = await aPartner();
    const headers = { 'Idempotency-Key': 'export-1' };
    const { batchId } = await (await partner.upload(FILE, {}, { headers })).json<Receipt>();
    await partner.reaches(batchId, 'settled');
    const answer = await forced(partner, 'export-1');
    expect(answer.status).toBe(400);
    expect(await problemOf(answer)).toMatchObject({
      code: 'force_needs_key',
      detail: expect.stringContaining(batchId),
    });
    const { objects } = await env.FILES.list({ prefix: 'test/' });
    expect(objects.map(({ key }) => key)).toEqual([sourceKey({ environment: 'test', partner: partner.name }, batchId)]);
    expect(await auditOf(partner)).toEqual([]);
  });

  it('in a dry run claims nothing, sends nothing and needs no audit', async () => {
    const partner = await aPartner();
    const first = await delivered(partner);
    const sent = upstream.left.length;
    const { batchId } = await (await forced(partner, 'dry-1', { dryRun: 'true' })).json<Receipt>();
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({ rowStates: { valid: 3 } });
    expect(upstream.left).toHaveLength(sent);
    expect(await partner.receipt(FILE)).toMatchObject({ batchId: first, replayed: true });
    expect(await auditOf(partner)).toEqual([]);
  });
});
