/** What a Batch makes of special files: unreadable ones, dry runs, pinned versions, SCACs in rows; and paging through rows. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { mappingKey, sourceKey } from '../../../src/kernel/names.ts';
import { Load } from '../../../src/tracking/load.ts';
import { aBatch, SCAC_PER_ROW } from '../batches.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('a file that cannot be read', () => {
  const withoutStatus = statusFile(...statusRows(5, 2)).replace('Status,', 'State of things,');

  it('sends nothing, and says once for the whole file what is missing', async () => {
    const visit = vi.spyOn(Load.prototype, 'visit');
    const batch = await aBatch(withoutStatus);
    await batch.stub().create(batch.ticket);
    const summary = await batch.reaches('unreadable');
    expect(summary).toMatchObject({ rows: 0, requests: 0, rowStates: {}, requestStates: {} });
    expect(summary.problems).toEqual([
      expect.objectContaining({ code: 'missing_column', path: 'Status', fix: expect.stringMatching(/\S/) }),
    ]);
    expect(summary.settledAt).not.toBeNull();
    expect(visit).not.toHaveBeenCalled();
  });

  it('sends nothing of an earlier slice either, because the header is judged first', async () => {
    const { left } = upstreamAnswers(200);
    const batch = await aBatch(`%PDF-1.7\n${statusFile(...statusRows(5, 2))}`);
    await batch.stub().create(batch.ticket);
    expect((await batch.reaches('unreadable')).problems).toMatchObject([{ code: 'not_csv', value: 'pdf' }]);
    expect(left).toEqual([]);
  });

  it('releases its claim, so that the same bytes can come again as a new batch', async () => {
    const partner = await aPartner();
    const first = await partner.receipt(withoutStatus);
    await partner.reaches(first.batchId, 'unreadable');
    await vi.waitFor(async () => {
      const again = await partner.receipt(withoutStatus);
      expect(again.replayed).toBe(false);
      expect(again.batchId).not.toBe(first.batchId);
    }, PATIENCE);
    const { batches } = await partner.getJson<{ batches: { batchId: string; state: string }[] }>('/v1/batches');
    expect(batches.find(({ batchId }) => batchId === first.batchId)?.state).toBe('unreadable');
  });

  it('releases its Idempotency-Key too, so that the mended file can come under it', async () => {
    const partner = await aPartner();
    const headers = { 'Idempotency-Key': 'export-2026-03-02' };
    const first = await (await partner.upload(withoutStatus, {}, { headers })).json<{ batchId: string }>();
    await partner.reaches(first.batchId, 'unreadable');
    await vi.waitFor(async () => {
      const mended = await partner.upload(statusFile(...statusRows(5, 2)), {}, { headers });
      expect(mended.status).toBe(202);
    }, PATIENCE);
  });
});

describe('a dry run', () => {
  it('maps every row, sends nothing and counts no request', async () => {
    const { left } = upstreamAnswers(200);
    const visit = vi.spyOn(Load.prototype, 'visit');
    const partner = await aPartner();
    const file = statusFile(statusRow('LD1'), statusRow('LD2', { Status: 'Q9' }), statusRow('TOTAL'));
    const { batchId } = await partner.receipt(file, { dryRun: 'true' });
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({
      dryRun: true,
      rowStates: { valid: 1, invalid: 1, skipped: 1 },
      requests: 0,
    });
    expect((await partner.rows(batchId))[1]?.errors).toMatchObject([{ code: 'code_unknown', path: 'Status' }]);
    expect(visit).not.toHaveBeenCalled();
    expect(left).toEqual([]);
  });

  it('claims nothing: the real upload of the same bytes is a batch of its own and delivers', async () => {
    const partner = await aPartner();
    const file = statusFile(...statusRows(3, 1));
    const tried = await partner.receipt(file, { dryRun: 'true' });
    const real = await partner.receipt(file);
    expect(real).toMatchObject({ replayed: false });
    expect(real.batchId).not.toBe(tried.batchId);
    expect((await partner.reaches(real.batchId, 'settled')).rowStates).toEqual({ delivered: 3 });
    const later = await partner.receipt(file, { dryRun: 'true' });
    expect(later.replayed).toBe(false);
  });
});

describe('the mapping version of a batch', () => {
  const document = BUNDLED_DOCUMENTS.get('carrier-status-csv') ?? '';
  const older = document.replace('eventCity: City', 'eventCity: { const: Pinned City }');

  it('is the one it was pinned to, though the bundle holds another by that name', async () => {
    const { left } = upstreamAnswers(200);
    expect(older).not.toBe(document);
    const batch = await aBatch(statusFile(...statusRows(2, 1)), { document: older });
    await batch.stub().create(batch.ticket);
    await batch.reaches('settled');
    expect(left.map(({ body }) => JSON.parse(body).eventCity)).toEqual(['Pinned City', 'Pinned City']);
  });

  it('is read from storage: without it nothing is sent, and the batch waits', async () => {
    const { left } = upstreamAnswers(200);
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const document = older.replace('Pinned City', 'Another City');
    const batch = await aBatch(statusFile(...statusRows(2, 1)), { document });
    const version = await (await env.FILES.get(mappingKey(batch.ticket.mappingSha256)))?.text();
    await env.FILES.delete(mappingKey(batch.ticket.mappingSha256));
    await batch.stub().create(batch.ticket);
    await vi.waitFor(() => expect(String(failed.mock.calls[0]?.[0])).toContain('is missing'), PATIENCE);
    expect(await batch.summary()).toMatchObject({ state: 'reading', rows: 0 });
    expect(left).toEqual([]);
    await env.FILES.put(mappingKey(batch.ticket.mappingSha256), version ?? '');
    await batch.wake();
    await batch.reaches('settled');
    expect(left).toHaveLength(2);
  });
});

describe('SCACs named in rows', () => {
  const whereNamed = SCAC_PER_ROW.replace(
    'scac: Carrier',
    'scac: { from: Carrier, when: { field: Carrier, empty: false } }',
  );
  let files = 0;
  /** Loads of its own each time, so that no event was sent before. */
  const file = (...carriers: string[]): string => {
    files += 1;
    const rows = carriers.map((carrier, index) => `L${files}-${index},${carrier},2026-03-02 08:15`);
    return ['Load,Carrier,When', ...rows, ''].join('\n');
  };
  async function settled(carriers: string[], document: string, scac: string | null) {
    const { left } = upstreamAnswers(200);
    const allowedScacs = ['DEMO', 'ACME'];
    const batch = await aBatch(file(...carriers), { mapping: 'scac-per-row', document, scac, allowedScacs });
    await batch.stub().create(batch.ticket);
    await batch.reaches('settled');
    return { rows: await batch.rows(), scacs: left.map(({ headers }) => headers.carrierSCAC).sort() };
  }
  const codes = (rows: Awaited<ReturnType<typeof settled>>['rows']) =>
    rows.map(({ state, errors }) => (state === 'delivered' ? state : errors.map(({ code }) => code).join()));

  it('go out under the SCAC of their row, and only those the key allows', async () => {
    const { rows, scacs } = await settled(['DEMO', 'ACME', 'EVIL', 'demo'], SCAC_PER_ROW, null);
    expect(scacs).toEqual(['ACME', 'DEMO']);
    expect(codes(rows)).toEqual(['delivered', 'delivered', 'scac_not_allowed', 'scac_invalid']);
    expect(rows[2]?.errors[0]).toMatchObject({ value: 'EVIL', fix: expect.stringContaining('DEMO, ACME') });
  });

  it('are never guessed: an empty one is an error, though the upload names one', async () => {
    const { rows, scacs } = await settled(['', 'ACME'], SCAC_PER_ROW, 'DEMO');
    expect(scacs).toEqual(['ACME']);
    expect(codes(rows)).toEqual(['value_missing', 'delivered']);
  });

  it('give way to the SCAC of the upload where the mapping says so, and are missing where there is none', async () => {
    const given = await settled(['', 'ACME'], whereNamed, 'DEMO');
    expect(given.scacs).toEqual(['ACME', 'DEMO']);
    const none = await settled(['', 'ACME'], whereNamed, null);
    expect(codes(none.rows)).toEqual(['scac_missing', 'delivered']);
    expect(none.rows[0]?.errors[0]?.fix).toContain('scac=');
  });
});

describe('the rows of a batch', () => {
  async function manyRows() {
    const partner = await aPartner();
    const rows = Array.from({ length: 23 }, (_, index) =>
      statusRow(`LD${index % 4}`, index % 5 === 2 ? { Status: 'Q9' } : { Stop: String(index) }),
    );
    const { batchId } = await partner.receipt(statusFile(...rows));
    await partner.reaches(batchId, 'settled');
    return { partner, batchId };
  }
  type Page = { rows: { record: number; state: string }[]; next: string | null };

  it('come page by page in input order, each once', async () => {
    const { partner, batchId } = await manyRows();
    const records: number[] = [];
    let pages = 0;
    for (let next: string | null = `/v1/batches/${batchId}/rows?limit=5`; next !== null; pages += 1) {
      const page: Page = await partner.getJson<Page>(next);
      expect(page.rows.length).toBeLessThanOrEqual(5);
      records.push(...page.rows.map(({ record }) => record));
      next = page.next;
    }
    expect(records).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
    expect(pages).toBe(5);
  });

  it('can be narrowed to states, page by page', async () => {
    const { partner, batchId } = await manyRows();
    const first = await partner.getJson<Page>(`/v1/batches/${batchId}/rows?state=invalid&limit=3`);
    expect(first.rows.map(({ record }) => record)).toEqual([3, 8, 13]);
    const second = await partner.getJson<Page>(first.next ?? '');
    expect(second.rows.map(({ record, state }) => [record, state])).toEqual([
      [18, 'invalid'],
      [23, 'invalid'],
    ]);
    expect(second.next).toBeNull();
    const both = await partner.getJson<Page>(`/v1/batches/${batchId}/rows?state=invalid,delivered`);
    expect(both.rows).toHaveLength(23);
    expect((await partner.getJson<Page>(`/v1/batches/${batchId}/rows?state=dead`)).rows).toEqual([]);
  });

  it('fall back to sensible pages when the address asks for nonsense', async () => {
    const { partner, batchId } = await manyRows();
    for (const query of ['limit=0', 'limit=-3', 'limit=x', 'limit=1.5', 'after=x', 'limit=99999999']) {
      expect((await partner.getJson<Page>(`/v1/batches/${batchId}/rows?${query}`)).rows, query).toHaveLength(23);
    }
  });
});

describe('a batch that cannot go on', () => {
  it('says so where people look, and forgets it when it goes on', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const batch = await aBatch(statusFile(...statusRows(3, 1)));
    const key = sourceKey(batch.ticket, batch.ticket.batchId);
    const bytes = await (await env.FILES.get(key))?.arrayBuffer();
    await env.FILES.delete(key);
    await batch.stub().create(batch.ticket);
    await vi.waitFor(async () => {
      expect((await batch.summary()).notes).toEqual([expect.stringMatching(/cannot go on .*missing/)]);
    }, PATIENCE);
    await env.FILES.put(key, bytes ?? '');
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 3 });
    await vi.waitFor(async () => expect((await batch.summary()).notes).toEqual([]), PATIENCE);
  });
});
