/** Polling, pages and parts over HTTP: tags, links to the next page, when to come back, and a part of the bytes. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { aPartner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

it('answers who asks again that nothing has changed, and with the next page where there is one', async () => {
  const partner = await aPartner();
  const file = statusFile(...statusRows(3, 1));
  const sent = await partner.upload(file);
  expect(Number(sent.headers.get('Retry-After'))).toBeGreaterThan(0);
  const { batchId } = await sent.json<{ batchId: string }>();
  await partner.reaches(batchId, 'settled');
  const polled = [
    `/v1/batches/${batchId}`,
    `/v1/batches/${batchId}/rows`,
    `/v1/batches/${batchId}/rows/1`,
    '/v1/mappings',
    '/v1/mappings/carrier-status-csv',
  ];
  for (const path of polled) {
    const first = await partner.fetch(path);
    const tag = first.headers.get('ETag') ?? '';
    expect(tag, path).toMatch(/^(W\/)?"[\w-]+"$/);
    const again = await partner.fetch(path, { headers: { 'If-None-Match': `"other", ${tag}` } });
    expect([path, again.status, await again.text(), again.headers.get('ETag')]).toEqual([path, 304, '', tag]);
    expect((await partner.fetch(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  }
  const page = await partner.fetch(`/v1/batches/${batchId}/rows?limit=2`);
  const { next } = await page.json<{ next: string }>();
  expect(page.headers.get('Link')).toBe(`<${next}>; rel="next"`);
  expect((await partner.fetch(`/v1/batches/${batchId}/rows?limit=500`)).headers.get('Link')).toBeNull();
});

it.each(['report.csv', 'report.json', 'corrections'])(
  'gives a part of what came of a settled batch: %s',
  async (what) => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('LD1', { Status: 'NOBODY KNOWS' })));
    await partner.reaches(batchId, 'settled');
    const path = `/v1/batches/${batchId}/${what}`;
    const whole = await partner.fetch(path);
    const [bytes, tag] = [await whole.bytes(), whole.headers.get('ETag') ?? ''];
    expect(whole.headers.get('Accept-Ranges')).toBe('bytes');
    const part = await partner.fetch(path, { headers: { Range: 'bytes=5-20', 'If-Range': tag } });
    expect([part.status, part.headers.get('Content-Range')]).toEqual([206, `bytes 5-20/${bytes.byteLength}`]);
    expect(await part.bytes()).toEqual(bytes.slice(5, 21));
    const behind = await partner.fetch(path, { headers: { Range: `bytes=${bytes.byteLength}-` } });
    expect([behind.status, behind.headers.get('Content-Range')]).toEqual([416, `bytes */${bytes.byteLength}`]);
    await behind.bytes();
  },
);

it('refuses a parameter that is nearly one of the address, and gives neither more nor something else', async () => {
  const partner = await aPartner();
  const { batchId } = await partner.receipt(statusFile(statusRow('LD1'), statusRow('LD2', { Status: 'NOBODY KNOWS' })));
  await partner.reaches(batchId, 'settled');
  const path = `/v1/batches/${batchId}`;
  for (const [address, meant] of [
    ['/v1/batches?filename=may.csv', 'fileName'],
    [`${path}/rows?states=invalid`, 'state'],
    [`${path}/corrections?Form=xlsx`, 'form'],
    [`${path}/acknowledgment?Kind=999`, 'kind'],
    [`${path}/messages?limits=1`, 'limit'],
  ]) {
    const refused = await problemOf(await partner.fetch(address ?? ''));
    expect([refused.status, refused.code]).toEqual([400, 'parameter_unknown']);
    expect(refused.fix).toContain(`Did you mean "${meant}"?`);
  }
  const { rows } = await partner.getJson<{ rows: unknown[] }>(`${path}/rows?state=invalid&_=1772460900`);
  expect(rows).toHaveLength(1);
});

it('gives a part of an upload, and says where there is none', async () => {
  const partner = await aPartner();
  const file = statusFile(...statusRows(3, 1));
  const { batchId } = await partner.receipt(file);
  await partner.reaches(batchId, 'settled');
  const path = `/v1/batches/${batchId}/source`;
  const whole = await partner.fetch(path);
  expect([whole.headers.get('Accept-Ranges'), await whole.text()]).toEqual(['bytes', file]);
  const part = await partner.fetch(path, { headers: { Range: 'bytes=3-7' } });
  expect([
    part.status,
    await part.text(),
    part.headers.get('Content-Range'),
    part.headers.get('Content-Length'),
  ]).toEqual([206, file.slice(3, 8), `bytes 3-7/${file.length}`, '5']);
  const old = await partner.fetch(path, { headers: { Range: 'bytes=3-7', 'If-Range': '"other"' } });
  expect([old.status, await old.text()]).toEqual([200, file]);
  const behind = await partner.fetch(path, { headers: { Range: `bytes=${file.length}-` } });
  expect([behind.status, behind.headers.get('Content-Range')]).toEqual([416, `bytes */${file.length}`]);
  expect(await behind.json()).toMatchObject({ code: 'range_not_there' });
});
