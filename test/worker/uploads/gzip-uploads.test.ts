/** Compressed uploads: kept as received, unpacked by themselves, refused where they are damaged or grow beyond measure. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { emptyReadMemory } from '../../../src/batch/files/pinned.ts';
import { unpack } from '../../../src/batch/files/unpack.ts';
import { MINUTE_MS } from '../../../src/kernel/clock.ts';
import { newBatchId } from '../../../src/kernel/ids.ts';
import { sourceKey } from '../../../src/kernel/names.ts';
import { aBatch } from '../batches.ts';
import { breakingOff } from '../breaking-off.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

async function gzip(content: BodyInit): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Response(content).body?.pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

it('is read like the file it holds, reported with its columns, and given back as it was received', async () => {
  const partner = await aPartner();
  const packed = await gzip(statusFile(...statusRows(20, 3)));
  const { batchId } = await partner.receipt(packed);
  const ended = await partner.reaches(batchId, 'settled');
  expect(ended).toMatchObject({ rows: 20, rowStates: { delivered: 20 }, bytes: packed.length });
  expect(ended.contentBytes).toBeGreaterThan(packed.length);
  const report = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
  expect(report).toMatch(/^"Load #","Status"/);
  expect(report.trimEnd().split('\r\n')).toHaveLength(21);
  const source = await (await partner.fetch(`/v1/batches/${batchId}/source`)).arrayBuffer();
  expect(new Uint8Array(source)).toEqual(packed);
});

it('is read over several parts and slices without losing or doubling a row', async () => {
  const partner = await aPartner();
  const padding = 'x'.repeat(200);
  const wrong = Array.from({ length: 30_000 }, (_, at) => `L${at},??,NS,03/02/2026,08:00,CT,${padding},IL,1,,`);
  const { batchId } = await partner.receipt(await gzip(statusFile(...wrong)));
  const ended = await partner.reaches(batchId, 'settled');
  expect(ended).toMatchObject({ rows: 30_000, rowStates: { invalid: 30_000 } });
  expect(ended.contentBytes).toBeGreaterThan(6 * 1024 * 1024);
});

it.each([
  ['is cut off', (packed: Uint8Array<ArrayBuffer>) => packed.slice(0, -20), 'gzip_broken'],
  [
    'has a wrong checksum',
    (packed: Uint8Array<ArrayBuffer>) => packed.map((byte, at) => (at === packed.length - 6 ? byte ^ 255 : byte)),
    'gzip_broken',
  ],
  ['is only the beginning of one', () => new Uint8Array([0x1f, 0x8b]), 'gzip_broken'],
])('is refused as a whole when it %s, and can be sent again whole', async (_, damage, code) => {
  const partner = await aPartner();
  const packed = await gzip(statusFile(...statusRows(200, 3)));
  const { batchId } = await partner.receipt(damage(packed));
  const ended = await partner.reaches(batchId, 'unreadable');
  expect(ended).toMatchObject({ rows: 0, requests: 0, problems: [{ code, fix: expect.stringMatching(/again/) }] });
});

it('is refused as a whole when it is several joined into one, and says so', async () => {
  const partner = await aPartner();
  const [first, second] = [await gzip(statusFile(...statusRows(20, 3))), await gzip(statusFile(...statusRows(5, 1)))];
  const { batchId } = await partner.receipt(new Uint8Array([...first, ...second]));
  const { problems, rows, requests } = await partner.reaches(batchId, 'unreadable');
  expect({ rows, requests }).toEqual({ rows: 0, requests: 0 });
  const [problem] = problems;
  expect(problem).toMatchObject({ code: 'gzip_broken', message: expect.stringMatching(/several .* joined/) });
  expect(problem?.fix).toMatch(/as a single file/);
});

it('is refused when it would grow two hundredfold, long before it is unpacked', async () => {
  const partner = await aPartner();
  const bomb = await gzip(new Uint8Array(40 * 1024 * 1024).fill(65));
  expect(bomb.length).toBeLessThan(60_000);
  const { batchId } = await partner.receipt(bomb);
  expect(await partner.reaches(batchId, 'unreadable')).toMatchObject({ problems: [{ code: 'gzip_too_large' }] });
});

it('is refused when it holds another one', async () => {
  const partner = await aPartner();
  const { batchId } = await partner.receipt(await gzip(await gzip(statusFile(...statusRows(3, 1)))));
  expect(await partner.reaches(batchId, 'unreadable')).toMatchObject({
    problems: [{ code: 'not_csv', value: 'gzip' }],
  });
});

it('is refused as empty when it holds nothing', async () => {
  const partner = await aPartner();
  const { batchId } = await partner.receipt(await gzip(''));
  expect(await partner.reaches(batchId, 'unreadable')).toMatchObject({ problems: [{ code: 'empty_file' }] });
});

it('is not judged where storage breaks off or stands still while it unpacks: the batch tries again', async () => {
  const packed = await gzip(statusFile(...statusRows(2_000, 3)));
  const { ticket } = await aBatch('', { batchId: newBatchId(Date.now()), bytes: packed.length });
  await env.FILES.put(sourceKey(ticket, ticket.batchId), packed);
  const unpackedFrom = (files: R2Bucket) => unpack(files, ticket, null, emptyReadMemory());
  await expect(unpackedFrom(breakingOff(2))).rejects.toThrow('planned: storage breaks off');

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const standStill = vi.fn();
  const ended = expect(unpackedFrom(breakingOff(2, standStill))).rejects.toThrow('too little came in 60 s');
  await vi.waitFor(() => expect(standStill).toHaveBeenCalled());
  vi.advanceTimersByTime(MINUTE_MS);
  vi.useRealTimers();
  await ended;

  expect(await unpackedFrom(env.FILES)).toMatchObject({ outcome: 'ready' });
});
