/** XML documents through the Batch object and over HTTP: slices, restarts, what breaks off, corrections. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SLICE_BYTES } from '../../../src/kernel/limits.ts';
import { zipOf } from '../../zip-files.ts';
import { aBatch } from '../batches.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

const status = (time: string, code = 'X3', city = 'Joliet'): string =>
  `<status code="${code}" stop="1"><time>2026-03-02 ${time}</time><place><city>${city}</city><state>IL</state></place></status>`;
const shipment = (number: string, ...events: string[]): string =>
  `<shipment number="${number}"><events>${events.join('')}</events></shipment>`;
const documentOf = (...shipments: string[]): string =>
  `<statusMessage><header><sender id="S1"/><timeZone>CT</timeZone></header><shipments>\n${shipments.join('\n')}\n</shipments></statusMessage>`;
const minute = (at: number): string =>
  `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

it('reads a document over several slices, evicted on the way, without losing or doubling a record', async () => {
  const { left } = upstreamAnswers(200);
  const all = Array.from({ length: 300 }, (_, at) =>
    shipment(`XW${at % 5}`, `<!--${'x'.repeat(4_000)}-->`, status(minute(at))),
  );
  const file = documentOf(...all);
  expect(file.length).toBeGreaterThan(4 * SLICE_BYTES);
  const batch = await aBatch(file, { mapping: 'xml-status' });
  await batch.stub().create(batch.ticket);
  await evictDurableObject(batch.stub());
  const summary = await batch.reaches('settled');
  expect(summary).toMatchObject({ rows: 300, rowStates: { delivered: 300 }, problems: [], notes: [] });
  expect(left).toHaveLength(300);
  expect(left.every(({ body }) => body.includes('"SENDER"'))).toBe(true); // from the header, in every slice
});

it('delivers what stands before the place where a document breaks, and says where that is', async () => {
  const file = documentOf(shipment('XW6', status('08:15')), shipment('XW7', status('08:15', 'X3', 'Smith & Sons')));
  const batch = await aBatch(file, { mapping: 'xml-status' });
  await batch.stub().create(batch.ticket);
  const summary = await batch.reaches('settled');
  expect(summary).toMatchObject({ rows: 1, rowStates: { delivered: 1 } });
  expect(summary.problems).toMatchObject([
    { code: 'xml_not_well_formed', path: 'statusMessage/shipments/shipment/events/status/place/city' },
  ]);
});

it('sends nothing of a document with a DOCTYPE', async () => {
  const batch = await aBatch(`<!DOCTYPE a [<!ENTITY b "c">]>${documentOf(shipment('XW8', status('08:15')))}`, {
    mapping: 'xml-status',
  });
  await batch.stub().create(batch.ticket);
  expect(await batch.reaches('unreadable')).toMatchObject({ rows: 0, problems: [{ code: 'xml_doctype' }] });
});

it('gives back the shipments to correct inside of their document, and each replaces its row', async () => {
  const partner = await aPartner();
  const file = documentOf(shipment('XW9', status('08:15')), shipment('XW9', status('09:15', 'ZZ')));
  const headers = { 'Content-Type': 'text/xml' };
  const taken = await partner.upload(file, { mapping: 'xml-status' }, { headers });
  const first = await taken.json<{ batchId: string }>();
  expect(await partner.reaches(first.batchId, 'settled')).toMatchObject({ rowStates: { delivered: 1, invalid: 1 } });
  const answer = await partner.fetch(`/v1/batches/${first.batchId}/corrections`);
  expect(answer.headers.get('Content-Type')).toBe('application/xml');
  expect(answer.headers.get('Content-Disposition')).toContain('-corrections.xml"');
  const text = (await answer.text()).replace('"ZZ"', '"AF"');
  const second = await partner.receipt(text, { mapping: 'xml-status' });
  expect(await partner.reaches(second.batchId, 'settled')).toMatchObject({ rows: 1, rowStates: { delivered: 1 } });
  expect(await partner.rows(second.batchId)).toMatchObject([{ replaces: `${first.batchId}/2` }]);
});

it('one bad event costs itself: the others of its shipment arrive, its row is to correct, and the correction sends it alone', async () => {
  const { left } = upstreamAnswers(200);
  const partner = await aPartner();
  const bad = shipment('XWE', status('08:15'), status('09:15', 'ZZ'), status('10:15', 'AF'));
  const taken = await partner.upload(
    documentOf(bad),
    { mapping: 'xml-status' },
    { headers: { 'Content-Type': 'text/xml' } },
  );
  const { batchId } = await taken.json<{ batchId: string }>();
  expect(await partner.reaches(batchId, 'settled')).toMatchObject({
    rows: 1,
    rowStates: { invalid: 1 },
    requests: 2,
    requestStates: { delivered: 2 },
  });
  expect(await partner.rows(batchId)).toMatchObject([
    {
      state: 'invalid',
      errors: [{ code: 'code_unknown' }],
      requests: [{ state: 'delivered' }, { state: 'delivered' }],
    },
  ]);
  const report = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
  expect(report).toContain('"code_unknown"');
  expect(report).toContain('X3: delivered | AF: delivered');
  const corrections = await (await partner.fetch(`/v1/batches/${batchId}/corrections`)).text();
  const second = await partner.receipt(corrections.replace('"ZZ"', '"X1"'), { mapping: 'xml-status' });
  expect(await partner.reaches(second.batchId, 'settled')).toMatchObject({
    requestStates: { duplicate: 2, delivered: 1 },
  });
  expect(left.map(({ body }) => JSON.parse(body).eventCode)).toEqual(['X3', 'AF', 'X1']);
});

it('tells in a dry run of the bad event and of the others', async () => {
  const file = documentOf(shipment('XWF', status('08:15'), status('09:15', 'ZZ')), shipment('XWF', status('10:15')));
  const batch = await aBatch(file, { mapping: 'xml-status', dryRun: true });
  await batch.stub().create(batch.ticket);
  expect(await batch.reaches('settled')).toMatchObject({ rowStates: { invalid: 1, valid: 1 } });
});

it('reads the documents of an archive one after the other, and offers no corrections of several', async () => {
  const partner = await aPartner();
  const archive = zipOf([
    { name: 'one.xml', content: documentOf(shipment('XWA', status('08:15'))) },
    { name: 'two.xml', content: documentOf(shipment('XWA', status('09:15', 'ZZ'))) },
  ]);
  const { batchId } = await partner.receipt(new Uint8Array(archive), { mapping: 'xml-status' });
  expect(await partner.reaches(batchId, 'settled')).toMatchObject({ rowStates: { delivered: 1, invalid: 1 } });
  const answer = await partner.fetch(`/v1/batches/${batchId}/corrections`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ code: 'corrections_not_offered', fix: expect.stringContaining('line') });
  const shown = await partner.getJson<{ why: string; hasFile: boolean }>(`/v1/batches/${batchId}/correctable`);
  expect([shown.hasFile, shown.why]).toEqual([false, expect.stringContaining('in the documents themselves')]);
});

it('offers corrections of one document as a file, also out of an archive', async () => {
  const partner = await aPartner();
  const content = documentOf(shipment('XWA', status('09:15', 'ZZ')));
  for (const file of [content, new Uint8Array(zipOf([{ name: 'one.xml', content }]))]) {
    const { batchId } = await partner.receipt(file, { mapping: 'xml-status' });
    await partner.reaches(batchId, 'settled');
    const shown = await partner.getJson<{ why: string; hasFile: boolean }>(`/v1/batches/${batchId}/correctable`);
    expect([shown.hasFile, shown.why]).toEqual([true, expect.stringContaining('get the rows to correct')]);
    const corrections = await partner.fetch(`/v1/batches/${batchId}/corrections`);
    expect([corrections.status, await corrections.text()]).toEqual([200, expect.stringContaining('XWA')]);
  }
});
