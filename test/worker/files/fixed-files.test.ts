/** Fixed-width files through the Batch object and over HTTP: header lines over slices, trailers, notes, corrections. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { aBatch } from '../batches.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

const load = (number: string): string => `LOD${number}`.padEnd(120);
const status = (time: string, code = 'X3', stop = '1'): string =>
  `STS${code.padEnd(6)}20260302${time}CT ${'Joliet'.padEnd(25)}IL${stop.padStart(3)}`.padEnd(120);
const trailer = (records: number): string => `TRL${String(records).padStart(8, '0')}`;
const fileOf = (...lines: string[]): string => lines.map((line) => `${line}\r\n`).join('');

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

it('keeps the header line of a load over several slices and an eviction', async () => {
  const times = Array.from({ length: 1_400 }, (_, minute) => {
    const hour = String(Math.floor(minute / 60)).padStart(2, '0');
    return `${hour}${String(minute % 60).padStart(2, '0')}`;
  });
  const loads = ['FW1', 'FW2', 'FW3'];
  const lines = loads.flatMap((number) => [load(number), ...times.map((time) => status(time))]);
  const batch = await aBatch(fileOf(...lines, trailer(4_200)), { mapping: 'fixed-status', dryRun: true }); // 500 KB
  await batch.stub().create(batch.ticket);
  await evictDurableObject(batch.stub());
  const summary = await batch.reaches('settled');
  expect(summary).toMatchObject({ rows: 4_200, rowStates: { valid: 4_200 }, problems: [], notes: [] });
});

it('tells a trailer that counts otherwise, and delivers what was read', async () => {
  const batch = await aBatch(fileOf(load('FW4'), status('0815'), trailer(2)), { mapping: 'fixed-status' });
  await batch.stub().create(batch.ticket);
  expect(await batch.reaches('settled')).toMatchObject({
    rowStates: { delivered: 1 },
    problems: [{ code: 'trailer_count_differs', path: 'TRL', value: '2' }],
  });
});

it('gives back the lines to correct below the line of their load, and takes them again', async () => {
  const partner = await aPartner();
  const file = fileOf(
    load('FW5'),
    status('0815'),
    status('0915', 'ZZ'),
    load('FW6'),
    status('1015').trimEnd(),
    trailer(3),
  );
  const first = await partner.receipt(file, { mapping: 'fixed-status' });
  expect(await partner.reaches(first.batchId, 'settled')).toMatchObject({
    rowStates: { delivered: 2, invalid: 1 },
    notes: [expect.stringContaining('Line 5 is shorter')],
  });
  const answer = await partner.fetch(`/v1/batches/${first.batchId}/corrections`);
  expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=windows-1252');
  expect(answer.headers.get('Content-Disposition')).toContain('-corrections.txt"');
  const text = await answer.text();
  expect(text).toBe(fileOf(load('FW5'), status('0915', 'ZZ'), trailer(1)));
  const second = await partner.receipt(text.replace('STSZZ', 'STSAF'), { mapping: 'fixed-status' });
  expect(await partner.reaches(second.batchId, 'settled')).toMatchObject({ rowStates: { delivered: 1 }, problems: [] });
});

it('refuses an upload that calls itself something else', async () => {
  const partner = await aPartner();
  const answer = await partner.upload(
    fileOf(load('FW7')),
    { mapping: 'fixed-status' },
    { headers: { 'Content-Type': 'application/json' } },
  );
  expect(answer.status).toBe(415);
});
