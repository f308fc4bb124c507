/** One upload under one Idempotency-Key, and one file once: repeated, at once, while it comes, and after a crash. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerName, sourceKey } from '../../../src/kernel/names.ts';
import { statusFile, statusRows } from '../csv-files.ts';
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

const FILE = statusFile(...statusRows(3, 2));
const KEY = { 'Idempotency-Key': 'morning-export' };
const FAR_MS = Date.UTC(2100, 0);

const registerOf = (partner: Partner) =>
  env.INTAKE_REGISTER.getByName(registerName({ environment: 'test', partner: partner.name }));
const inRegister = (partner: Partner, sql: string, ...values: SqlStorageValue[]) =>
  runInDurableObject(registerOf(partner), (_, state) => state.storage.sql.exec(sql, ...values).toArray());
const sourcesOf = async (partner: Partner): Promise<string[]> =>
  (await env.FILES.list({ prefix: `test/${partner.name}/` })).objects.map(({ key }) => key);

/** An upload whose bytes come when the test says so. */
function slowUpload(partner: Partner, file: string, headers: Record<string, string>) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const answer = partner.upload(readable, {}, { headers });
  const writer = writable.getWriter();
  return {
    answer,
    finish: async () => {
      await writer.write(new TextEncoder().encode(file));
      await writer.close();
    },
    finishEmpty: () => writer.close(),
  };
}

/** Waits until the key is reserved, then puts the end of the reservation at `untilMs`. */
const reservedUntil = (partner: Partner, untilMs: number): Promise<void> =>
  vi.waitFor(async () => {
    expect(await inRegister(partner, 'UPDATE reservation SET until_ms = ? RETURNING key', untilMs)).toHaveLength(1);
  }, PATIENCE);

describe('an Idempotency-Key', () => {
  it('of an upload that was taken brings the same answer again, and says so', async () => {
    const partner = await aPartner();
    const first = await partner.upload(FILE, {}, { headers: KEY });
    expect(first.headers.has('Idempotency-Replayed')).toBe(false);
    const { batchId, sha256, bytes, receivedAt } = await first.json<Receipt>();
    await partner.reaches(batchId, 'settled');
    const second = await partner.upload(FILE, {}, { headers: KEY });
    expect([second.status, second.headers.get('Idempotency-Replayed')]).toEqual([202, 'true']);
    expect(await second.json()).toMatchObject({ batchId, sha256, bytes, receivedAt, replayed: true });
    expect(upstream.left).toHaveLength(3);
    expect(await sourcesOf(partner)).toHaveLength(1);
  });

  it('with other bytes is refused, naming what it stands for and what came', async () => {
    const partner = await aPartner();
    const first = await (await partner.upload(FILE, {}, { headers: KEY })).json<Receipt>();
    const other = statusFile(...statusRows(2, 1));
    const { sha256 } = await partner.receipt(other, { dryRun: 'true' });
    const kept = await sourcesOf(partner);
    const answer = await partner.upload(other, {}, { headers: KEY });
    expect(answer.status).toBe(422);
    const { code, detail } = await problemOf(answer);
    expect(code).toBe('key_reused');
    for (const named of [first.batchId, first.sha256, sha256]) expect(detail).toContain(named);
    expect(await sourcesOf(partner)).toEqual(kept);
  });

  it.each([
    ['another mapping', { mapping: 'carrier-status-semicolon-csv' }],
    ['a dry run', { dryRun: 'true' }],
    ['another SCAC', { scac: 'ACME' }],
  ])('with the same bytes for %s is refused', async (_, query) => {
    const partner = await aPartner({ scacs: ['DEMO', 'ACME'] });
    const first = await partner.upload(FILE, { scac: 'DEMO' }, { headers: KEY });
    expect(first.status).toBe(202);
    const answer = await partner.upload(FILE, { scac: 'DEMO', ...query }, { headers: KEY });
    expect(answer.status).toBe(422);
    expect(await problemOf(answer)).toMatchObject({ code: 'key_reused', detail: expect.stringContaining('same file') });
  });

  it('is another upload for another partner', async () => {
    const [one, two] = [await aPartner(), await aPartner()];
    const receipts = [one, two].map(async (each) => (await each.upload(FILE, {}, { headers: KEY })).json<Receipt>());
    const [first, second] = await Promise.all(receipts);
    expect([first?.replayed, second?.replayed]).toEqual([false, false]);
  });
});

describe('an upload that is under way', () => {
  it('keeps its key: a repeat is told to come again, and then gets the same answer', async () => {
    const partner = await aPartner();
    const slow = slowUpload(partner, FILE, KEY);
    await reservedUntil(partner, FAR_MS);
    const repeat = await partner.upload(FILE, {}, { headers: KEY });
    expect(repeat.status).toBe(409);
    expect(repeat.headers.get('Retry-After')).toBe('10');
    expect(await problemOf(repeat)).toMatchObject({ code: 'key_in_flight' });
    await slow.finish();
    const first = await slow.answer;
    expect(first.status).toBe(202);
    const { batchId } = await first.json<Receipt>();
    const later = await partner.upload(FILE, {}, { headers: KEY });
    expect(await later.json()).toMatchObject({ batchId, replayed: true });
    expect(await inRegister(partner, 'SELECT * FROM reservation')).toEqual([]);
    expect(await sourcesOf(partner)).toEqual([sourceKey({ environment: 'test', partner: partner.name }, batchId)]);
  });

  it('gives its key back at once when it fails', async () => {
    const partner = await aPartner();
    const slow = slowUpload(partner, FILE, KEY);
    await reservedUntil(partner, FAR_MS);
    await slow.finishEmpty();
    expect((await slow.answer).status).toBe(422);
    expect(await inRegister(partner, 'SELECT * FROM reservation')).toEqual([]);
    expect((await partner.upload(FILE, {}, { headers: KEY })).status).toBe(202);
  });

  it('that never ended gives its key back in time', async () => {
    const partner = await aPartner();
    await registerOf(partner).reserve(KEY['Idempotency-Key'], 'b_of_a_dead_process', Date.now());
    await reservedUntil(partner, FAR_MS);
    expect((await partner.upload(FILE, {}, { headers: KEY })).status).toBe(409);
    await reservedUntil(partner, Date.now());
    expect((await partner.upload(FILE, {}, { headers: KEY })).status).toBe(202);
  });

  it('and lost its key to a repeat is that one’s batch, and keeps no bytes', async () => {
    const partner = await aPartner();
    const slow = slowUpload(partner, FILE, KEY);
    await reservedUntil(partner, 1);
    const taken = await (await partner.upload(FILE, {}, { headers: KEY })).json<Receipt>();
    await slow.finish();
    expect(await (await slow.answer).json()).toMatchObject({ batchId: taken.batchId, replayed: true });
    expect(await sourcesOf(partner)).toHaveLength(1);
  });
});

describe('fifty uploads of one file at once', () => {
  const fifty = <T>(make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 50 }, make));

  it('are one batch and forty-nine repeats, and one stored file', async () => {
    const partner = await aPartner();
    const receipts = await fifty(() => partner.receipt(FILE));
    const [batchId, ...others] = new Set(receipts.map((receipt) => receipt.batchId));
    expect(others).toEqual([]);
    expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await partner.reaches(batchId ?? '', 'settled');
    expect(upstream.left).toHaveLength(3);
    expect(await sourcesOf(partner)).toHaveLength(1);
  });

  it('under one Idempotency-Key are one batch, and the others are its repeats or told to wait', async () => {
    const partner = await aPartner();
    const answers = await fifty(() => partner.upload(FILE, {}, { headers: KEY }));
    const taken = answers.filter(({ status }) => status === 202);
    const waiting = answers.filter(({ status }) => status === 409);
    expect(taken.length + waiting.length).toBe(50);
    for (const { headers } of waiting) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    const receipts = await Promise.all(taken.map((answer) => answer.json<Receipt>()));
    expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(receipts.map((receipt) => receipt.batchId)).size).toBe(1);
    await partner.reaches(receipts[0]?.batchId ?? '', 'settled');
    expect(upstream.left).toHaveLength(3);
    expect(await sourcesOf(partner)).toHaveLength(1);
  });

  it('under fifty keys are one batch', async () => {
    const partner = await aPartner();
    let made = 0;
    const answers = await fifty(() => {
      made += 1;
      return partner.upload(FILE, {}, { headers: { 'Idempotency-Key': `key-${made}` } });
    });
    const receipts = await Promise.all(answers.map((answer) => answer.json<Receipt>()));
    expect(new Set(receipts.map((receipt) => receipt.batchId)).size).toBe(1);
    expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await sourcesOf(partner)).toHaveLength(1);
  });
});
