/** What one partner, row or store does to its neighbours: nothing. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UPLOAD_PART_BYTES } from '../../../src/kernel/limits.ts';
import { loadName, orderName } from '../../../src/kernel/names.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { orderFile } from '../order-files.ts';
import { creates } from '../orders.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const scopeOf = ({ name }: Partner) => ({ environment: 'test', partner: name }) as const;

/** All that a partner can read of a batch. */
async function allOf(partner: Partner, links: Record<string, string>): Promise<string> {
  const paths = Object.entries(links).filter(([name]) => name !== 'console');
  const pages = await Promise.all(paths.map(async ([, path]) => (await partner.fetch(path)).text()));
  return [...pages, await (await partner.fetch('/v1/batches')).text()].join('\n');
}

describe('two partners with the same load number', () => {
  it('have a load each: one that is stuck holds up nobody, and neither sees a word of the other', async () => {
    const { left } = upstreamAnswers((one) =>
      one.body.includes('canary-of-a') ? new Response('said-to-a', { status: 500 }) : new Response('said-to-b'),
    );
    const [a, b] = [await aPartner(), await aPartner()];
    const ofA = await a.receipt(
      statusFile(statusRow('SAME', { BOL: 'canary-of-a' }), statusRow('SAME', { Stop: '2' })),
    );
    await vi.waitFor(() => expect(left.length).toBeGreaterThan(0));
    const ofB = await b.receipt(
      statusFile(statusRow('SAME', { BOL: 'canary-of-b' }), statusRow('SAME', { Stop: '2' })),
    );
    expect((await b.reaches(ofB.batchId, 'settled')).rowStates).toEqual({ delivered: 2 });
    const seenByA = await allOf(a, ofA.links);
    const seenByB = await allOf(b, ofB.links);
    expect(seenByA).toMatch(/canary-of-a/);
    expect(seenByB).toMatch(/canary-of-b/);
    expect(seenByA).not.toMatch(/canary-of-b|said-to-b/);
    expect(seenByB).not.toMatch(/canary-of-a|said-to-a/);
    for (const [partner, other] of [
      [a, 'canary-of-b'],
      [b, 'canary-of-a'],
    ] as const) {
      const timeline = await env.LOAD.getByName(loadName(scopeOf(partner), 'DEMO', 'SAME')).timeline();
      expect(timeline).toHaveLength(2);
      expect(JSON.stringify(timeline)).not.toContain(other);
    }
    const { objects } = await env.FILES.list();
    const files = objects.map(({ key }) => key).filter((key) => key.startsWith('test/'));
    expect(new Set(files.map((key) => key.split('/')[1]))).toEqual(new Set([a.name, b.name]));
  });

  it('have an order each under the same reference', async () => {
    const { left } = upstreamAnswers(creates);
    const partners = [await aPartner(), await aPartner()];
    for (const partner of partners) {
      const file = orderFile({ orderRef: 'SAME-ORDER', sku: `of-${partner.name}` });
      const { batchId } = await partner.receipt(file, { mapping: 'orders-csv' });
      expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
    }
    expect(left).toHaveLength(2);
    for (const partner of partners) {
      const order = env.ORDER.getByName(orderName(scopeOf(partner), 'SAME-ORDER'));
      expect((await order.accepted())?.document).toContain(`of-${partner.name}`);
      expect(await order.timeline()).toHaveLength(1);
    }
  });
});

const MEBIBYTE = 1024 ** 2;

describe('a row with a value of megabytes', () => {
  it.each([
    ['of 70 KB', 70_000, 'cell_too_large'],
    ['of 2 MB', 2 * MEBIBYTE - 1_000, 'cell_too_large'],
    ['of 3 MB', 3 * MEBIBYTE, 'record_too_large'],
  ])('%s is invalid, and the rows around it are delivered', async (_, length, code) => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const rows = statusRows(6, 2, `PO-${partner.name}`);
    rows[2] = statusRow('POISON', { BOL: 'x'.repeat(length) });
    const { batchId } = await partner.receipt(statusFile(...rows));
    const ended = await partner.reaches(batchId, 'settled');
    expect(ended).toMatchObject({ rows: 6, rowStates: { delivered: 5, invalid: 1 } });
    const [wrong] = await partner.rows(batchId, '&state=invalid');
    expect(wrong).toMatchObject({ record: 3, errors: [{ code }] });
    expect(JSON.stringify(wrong).length).toBeLessThan(2_000);
    expect(left).toHaveLength(5);
  });
});

describe('storage that fails while an upload comes in', () => {
  const bytesOf = (partner: Partner, length: number): Uint8Array<ArrayBuffer> => {
    const file = statusFile(...statusRows(3, 1, `ST-${partner.name}`));
    return Uint8Array.from(new TextEncoder().encode(file.padEnd(length, '\n')));
  };
  /** Of unknown length: nothing says how much comes. */
  const streamOf = (bytes: Uint8Array<ArrayBuffer>) => new Response(bytes).body?.pipeThrough(new TransformStream());

  it.each([
    ['as a whole', 0, (bytes: Uint8Array<ArrayBuffer>) => bytes],
    ['at its second part', UPLOAD_PART_BYTES + 1_000, streamOf],
  ])('%s is 503 with a time to come again, and then the same key is one batch', async (_, length, body) => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const bytes = bytesOf(partner, length);
    const put = vi.spyOn(env.FILES, 'put').mockRejectedValue(new Error('planned: storage is down'));
    const begin = env.FILES.createMultipartUpload.bind(env.FILES);
    const multipart = vi.spyOn(env.FILES, 'createMultipartUpload').mockImplementation(async (...asked) => {
      const upload = await begin(...asked);
      vi.spyOn(upload, 'uploadPart').mockImplementation(async (partNumber) => {
        if (partNumber > 1) throw new Error('planned: storage is down');
        return { partNumber, etag: 'x' };
      });
      return upload;
    });
    const send = () => {
      const sent = body(bytes);
      if (sent === undefined) throw new Error('no body');
      return partner.upload(sent, {}, { headers: { 'Idempotency-Key': 'once' } });
    };
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await problemOf(refused)).toMatchObject({ code: 'storage_unavailable' });
    put.mockRestore();
    multipart.mockRestore();
    expect((await partner.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toEqual([]);
    const taken = await send();
    expect(taken.status).toBe(202);
    const { batchId } = await taken.json<{ batchId: string }>();
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 3 });
    expect(left).toHaveLength(3);
  });
});
