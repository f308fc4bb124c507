/** JSON and NDJSON through the Batch object: slices, restarts, what breaks off, and the report. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SLICE_BYTES } from '../../../src/kernel/limits.ts';
import { aBatch } from '../batches.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

const twoDigits = (number: number): string => String(Math.floor(number)).padStart(2, '0');
const event = (index: number, more: object = {}) => ({
  load: { number: `J${index % 5}` },
  status: { code: 'X3' },
  occurredAt: `2026-03-02T${twoDigits(index / 60)}:${twoDigits(index % 60)}:00-06:00`, // no two alike
  padding: 'x'.repeat(4_000),
  ...more,
});
const documentOf = (count: number) =>
  JSON.stringify({ events: Array.from({ length: count }, (_, index) => event(index)) });

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

it('reads a document over several slices, evicted on the way, without losing or doubling a record', async () => {
  const { left } = upstreamAnswers(200);
  const file = documentOf(300);
  expect(file.length).toBeGreaterThan(4 * SLICE_BYTES);
  const batch = await aBatch(file, { mapping: 'carrier-events-json' });
  await batch.stub().create(batch.ticket);
  await evictDurableObject(batch.stub());
  const summary = await batch.reaches('settled');
  expect(summary).toMatchObject({ rows: 300, rowStates: { delivered: 300 }, problems: [] });
  expect((await batch.rows()).map(({ record }) => record)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
  expect(left).toHaveLength(300);
});

it('delivers what stands before the place where a document breaks off, and says where that is', async () => {
  const batch = await aBatch(documentOf(4).slice(0, -1_000), { mapping: 'carrier-events-json' });
  await batch.stub().create(batch.ticket);
  const summary = await batch.reaches('settled');
  expect(summary).toMatchObject({ rows: 4, rowStates: { delivered: 3, invalid: 1 } });
  expect(summary.problems).toMatchObject([{ code: 'json_broken_from_here', message: expect.stringContaining('byte') }]);
});

it('sends nothing of a document whose records are not where the mapping says', async () => {
  const batch = await aBatch('{"event":[]}', { mapping: 'carrier-events-json' });
  await batch.stub().create(batch.ticket);
  expect(await batch.reaches('unreadable')).toMatchObject({ rows: 0, problems: [{ code: 'records_not_found' }] });
});

it('takes a feed line by line and reports the values that its mapping reads', async () => {
  const partner = await aPartner();
  const lines = ['{"load":"N1","event":"AF","at":1772460900}', '{"load":"N1"', '{"type":"ping"}'];
  const { batchId } = await partner.receipt(lines.join('\n'), { mapping: 'carrier-events-ndjson' });
  const ended = await partner.reaches(batchId, 'settled');
  expect(ended).toMatchObject({ rowStates: { delivered: 1, invalid: 1, skipped: 1 } });
  const report = await partner.getJson<{ rows: { columns: [string, string][]; state: string }[] }>(
    `/v1/batches/${batchId}/report.json`,
  );
  expect(report.rows.map(({ state }) => state)).toEqual(['delivered', 'invalid', 'skipped']);
  expect(Object.fromEntries(report.rows[0]?.columns ?? [])).toMatchObject({
    load: 'N1',
    event: 'AF',
    at: '1772460900',
  });
});
