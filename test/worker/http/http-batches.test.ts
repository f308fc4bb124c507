/** `/v1/batches` through the real Worker: receipts, the exact bytes, replays, lists and reports. */

import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchRow, BatchSummary } from '../../../src/batch/report/summary.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import { milestoneOf } from '../../milestone-of.ts';
import { STATUS_HEADER, statusFile, statusRow, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, type Partner, problemOf, type Receipt } from '../partners.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const sourcesInStorage = async (partner: Partner): Promise<string[]> =>
  (await env.FILES.list({ prefix: `${partner.environment}/${partner.name}/` })).objects.map(({ key }) => key);

describe('an upload', () => {
  it.each(['PUT', 'POST'])('by %s is receipted with its id, hash, size and links', async (method) => {
    const partner = await aPartner();
    const file = statusFile(...statusRows(2, 1));
    const before = Date.now();
    const answer = await partner.upload(file, {}, { method });
    expect(answer.status).toBe(202);
    const receipt = await answer.json<Receipt>();
    const self = `/v1/batches/${receipt.batchId}`;
    expect(receipt).toEqual({
      batchId: expect.stringMatching(/^b_[0-9a-z]{26}$/),
      sha256: await sha256Hex(new TextEncoder().encode(file)),
      bytes: file.length,
      receivedAt: expect.any(String),
      replayed: false,
      links: {
        self,
        rows: `${self}/rows`,
        reportCsv: `${self}/report.csv`,
        reportJson: `${self}/report.json`,
        corrections: `${self}/corrections`,
        source: `${self}/source`,
        console: `/console/batches/${receipt.batchId}`,
      },
    });
    expect(answer.headers.get('Location')).toBe(self);
    expect(answer.headers.get('Idempotency-Replayed')).toBeNull();
    expect(Date.parse(receipt.receivedAt)).toBeGreaterThanOrEqual(before);
    for (const link of Object.values(receipt.links)) {
      const linked = await partner.fetch(link);
      expect([link, linked.status, (await linked.bytes()).length > 0]).toEqual([link, 200, true]);
    }
  });

  it('is stored byte for byte as it was sent, whatever the bytes are', async () => {
    const partner = await aPartner();
    const bytes = new Uint8Array(Array.from({ length: 150_000 }, (_, index) => (index * 7919) % 256));
    const receipt = await partner.receipt(bytes);
    const stored = await env.FILES.get(`test/${partner.name}/${receipt.batchId}/source`);
    expect(await stored?.bytes()).toEqual(bytes);
    expect(receipt).toMatchObject({ sha256: await sha256Hex(bytes), bytes: 150_000 });
    const source = await partner.fetch(receipt.links.source);
    expect(new Uint8Array(await source.arrayBuffer())).toEqual(bytes);
  });

  it('of bytes that were sent before is the same batch, and its second copy is deleted', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const file = statusFile(...statusRows(3, 1));
    const first = await partner.receipt(file);
    const answer = await partner.upload(file);
    expect(answer.headers.get('Idempotency-Replayed')).toBe('true');
    expect(answer.headers.get('Location')).toBe(first.links.self);
    expect(await answer.json()).toMatchObject({ batchId: first.batchId, sha256: first.sha256, replayed: true });
    expect(await sourcesInStorage(partner)).toEqual([`test/${partner.name}/${first.batchId}/source`]);
    await partner.reaches(first.batchId, 'settled');
    expect((await partner.receipt(file)).replayed).toBe(true);
    expect(left).toHaveLength(3);
  });

  it('sent twelve times at once is one batch', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const file = statusFile(...statusRows(3, 1));
    const receipts = await Promise.all(Array.from({ length: 12 }, () => partner.receipt(file)));
    expect(new Set(receipts.map(({ batchId }) => batchId)).size).toBe(1);
    expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await partner.reaches(receipts[0]?.batchId ?? '', 'settled');
    expect(left).toHaveLength(3);
    expect(await sourcesInStorage(partner)).toHaveLength(1);
  });

  it('under an Idempotency-Key that stands for another file is refused and not kept', async () => {
    const partner = await aPartner();
    const headers = { 'Idempotency-Key': 'morning-export' };
    const first = await (await partner.upload(statusFile(...statusRows(1, 1)), {}, { headers })).json<Receipt>();
    const reused = await partner.upload(statusFile(...statusRows(2, 1)), {}, { headers });
    expect(reused.status).toBe(422);
    expect(await problemOf(reused)).toMatchObject({
      code: 'key_reused',
      detail: expect.stringContaining(first.batchId),
    });
    expect(await sourcesInStorage(partner)).toHaveLength(1);
    const same = await partner.upload(statusFile(...statusRows(1, 1)), {}, { headers });
    expect(await same.json()).toMatchObject({ batchId: first.batchId, replayed: true });
  });

  it('with a name too long to keep can still be downloaded', async () => {
    const partner = await aPartner();
    const name = encodeURIComponent(`${'a'.repeat(254)}\u{1f69a}.csv`);
    const path = `/v1/batches/${name}?mapping=carrier-status-csv`;
    const { links } = await (await partner.fetch(path, { method: 'PUT', body: statusFile() })).json<Receipt>();
    const source = await partner.fetch(links.source);
    expect(source.status).toBe(200);
    expect((await source.bytes()).length).toBe(statusFile().length);
  });

  it.each([
    ['of the address', '/v1/batches/march%20events.csv?mapping=carrier-status-csv', 'march events.csv'],
    ['of the query', '/v1/batches?mapping=carrier-status-csv&fileName=a.csv', 'a.csv'],
    ['without its folders', '/v1/batches?mapping=carrier-status-csv&fileName=C%3A%5Cout%5Cb.csv', 'b.csv'],
    [
      'without marks that turn text around',
      '/v1/batches?mapping=carrier-status-csv&fileName=%E2%80%AEvsc.exe',
      'vsc.exe',
    ],
    ['never, when there is none', '/v1/batches?mapping=carrier-status-csv', null],
  ])('shows the file name %s', async (_, path, fileName) => {
    const partner = await aPartner();
    const answer = await partner.fetch(path, { method: 'PUT', body: statusFile() });
    const { batchId } = await answer.json<Receipt>();
    expect((await partner.summary(batchId)).fileName).toBe(fileName);
  });
});

describe('the list of batches', () => {
  it('shows newest first, page by page, with their states', async () => {
    const partner = await aPartner();
    const ids: string[] = [];
    for (const rows of [1, 2, 3]) ids.unshift((await partner.receipt(statusFile(...statusRows(rows, 1)))).batchId);
    await vi.waitFor(async () => {
      const { batches } = await partner.getJson<{ batches: { state: string }[] }>('/v1/batches');
      expect(batches.map(({ state }) => state)).toEqual(['settled', 'settled', 'settled']);
    }, PATIENCE);
    type Page = { batches: { batchId: string; mapping: string; bytes: number }[]; next: string | null };
    const first = await partner.getJson<Page>('/v1/batches?limit=2');
    expect(first.batches.map(({ batchId }) => batchId)).toEqual(ids.slice(0, 2));
    expect(first.batches[0]).toMatchObject({ mapping: 'carrier-status-csv', bytes: expect.any(Number) });
    const second = await partner.getJson<Page>(first.next ?? '');
    expect(second.batches.map(({ batchId }) => batchId)).toEqual(ids.slice(2));
    expect(second.next).toBeNull();
  });
});

describe('asking for rows', () => {
  it('of a state that does not exist is refused with the states there are', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile());
    for (const state of ['deliverd', 'delivered,lost', 'DELIVERED', '%20']) {
      const answer = await partner.fetch(`/v1/batches/${batchId}/rows?state=${state}`);
      expect(answer.status, state).toBe(400);
      const { code, fix } = await problemOf(answer);
      expect(code).toBe('state_unknown');
      expect(fix).toContain('delivered');
    }
  });
});

/** Cells are always quoted, and these files have no line break inside one. */
const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('","')
    .map((cell) => cell.replaceAll('""', '"'));

describe('a report', () => {
  const rows = [
    statusRow('LD1'),
    statusRow('LD2', { Status: 'Q9', City: '=1+1' }),
    statusRow('TOTAL', { Status: '2' }),
    statusRow('LD3', { City: '"Coeur ""d"" Alene, ID"' }),
  ];
  async function settled() {
    upstreamAnswers((left) => Response.json({ id: 'ok' }, { status: left.body.includes('"LD3"') ? 422 : 200 }));
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt(statusFile(...rows));
    await partner.reaches(batchId, 'settled');
    return { partner, batchId, links };
  }

  it('as CSV has all original columns in input order, then what became of each row', async () => {
    const { partner, batchId, links } = await settled();
    const answer = await partner.fetch(links.reportCsv);
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toBe(`attachment; filename="${batchId}-report.csv"`);
    const [header, ...lines] = (await answer.text()).split('\r\n');
    expect(lines.pop()).toBe('');
    const names = cellsOf(header ?? '');
    expect(names.slice(0, 11)).toEqual(STATUS_HEADER.split(','));
    const records = lines.map((line) => Object.fromEntries(cellsOf(line).map((cell, index) => [names[index], cell])));
    expect(records).toMatchObject([
      {
        'Load #': 'LD1',
        City: 'Joliet',
        _batch: batchId,
        _record: '1',
        _line: '2',
        _state: 'delivered',
        _status: '200',
        _attempts: '1',
      },
      {
        'Load #': 'LD2',
        City: "'=1+1",
        _state: 'invalid',
        _code: 'code_unknown',
        _column: 'Status',
        _value: 'Q9',
        _fix: expect.stringMatching(/\S/),
      },
      { 'Load #': 'TOTAL', _record: '3', _state: 'skipped', _status: '' },
      { 'Load #': 'LD3', City: 'Coeur "d" Alene, ID', _state: 'rejected', _status: '422', _answer: '{"id":"ok"}' },
    ]);
  });

  it('as JSON has the batch and the same rows, with columns and requests', async () => {
    const { partner, batchId, links } = await settled();
    const answer = await partner.fetch(links.reportJson);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    const report = await answer.json<{ batch: BatchSummary; rows: (BatchRow & { columns: [string, string][] })[] }>();
    expect(report.batch).toMatchObject({ batchId, state: 'settled', rows: 4 });
    expect(report.rows.map(({ record, state }) => [record, state])).toEqual([
      [1, 'delivered'],
      [2, 'invalid'],
      [3, 'skipped'],
      [4, 'rejected'],
    ]);
    expect(report.rows[1]?.columns.find(([name]) => name === 'City')).toEqual(['City', '=1+1']);
    expect(report.rows[3]?.requests[0]).toMatchObject({ status: 422, answer: '{"id":"ok"}', kind: 'milestone' });
    expect(milestoneOf(report.rows[0]?.requests[0]).loadNumber).toBe('LD1');
  });

  it('of two thousand rows comes in pieces, complete and in order', async () => {
    const partner = await aPartner();
    const many = statusRows(2_000, 50).map((row, index) => (index % 10 === 3 ? row.replace(',X3,', ',Q9,') : row));
    const { batchId, links } = await partner.receipt(statusFile(...many), { dryRun: 'true' });
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ valid: 1_800, invalid: 200 });

    const pieces: string[] = [];
    const body = (await partner.fetch(links.reportCsv)).body?.pipeThrough(new TextDecoderStream());
    for await (const piece of body ?? []) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(3);
    const lines = pieces.join('').trimEnd().split('\r\n').slice(1).map(cellsOf);
    expect(lines.map((cells) => [cells[12], cells[8], cells[14]])).toEqual(
      many.map((_, index) => [String(index + 1), String(index + 1), index % 10 === 3 ? 'invalid' : 'valid']),
    );
    const json = await partner.getJson<{ rows: { record: number }[] }>(links.reportJson);
    expect(json.rows.map(({ record }) => record)).toEqual(many.map((_, index) => index + 1));
  });

  it('taken early is a true part of the later one', async () => {
    const held = heldAnswer();
    const { answer } = upstreamAnswers(held.answer);
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt(statusFile(...rows));
    await partner.reaches(batchId, 'delivering');
    const early = (await (await partner.fetch(links.reportCsv)).text()).split('\r\n');
    answer(200);
    held.release(200);
    await partner.reaches(batchId, 'settled');
    const late = (await (await partner.fetch(links.reportCsv)).text()).split('\r\n');
    expect(early).toHaveLength(late.length);
    expect(early.slice(2, 4)).toEqual(late.slice(2, 4));
    expect(early[1]).toMatch(/"(sending|queued)"/);
  });

  it('of a file that could not be read says why', async () => {
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt('%PDF-1.7 not a table');
    await partner.reaches(batchId, 'unreadable');
    const text = await (await partner.fetch(links.reportCsv)).text();
    expect(text.split('\r\n')).toHaveLength(3);
    expect(text).toContain('"not_csv"');
    const json = await partner.getJson<{ batch: BatchSummary; rows: unknown[] }>(links.reportJson);
    expect(json.rows).toEqual([]);
    expect(json.batch.problems).toMatchObject([{ code: 'not_csv' }]);
  });
});

describe('the source download', () => {
  it('is always an attachment of plain bytes with its own digest, never a page', async () => {
    const partner = await aPartner();
    const page = '<!doctype html><script>alert(1)</script>';
    const answer = await partner.fetch('/v1/batches/x.html?mapping=carrier-status-csv', { method: 'PUT', body: page });
    const { links, sha256 } = await answer.json<Receipt>();
    for (const path of [links.source, `${links.console}/source`]) {
      const answer = await partner.fetch(path);
      expect(await answer.bytes()).toEqual(new TextEncoder().encode(page));
      const { status, headers } = answer;
      expect([status, headers.get('Content-Type')]).toEqual([200, 'application/octet-stream']);
      expect(headers.get('Content-Disposition')).toBe("attachment; filename*=UTF-8''x.html");
      expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox");
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Content-Length')).toBe(String(page.length));
      const digest = Uint8Array.fromHex(sha256).toBase64();
      expect(headers.get('Repr-Digest')).toBe(`sha-256=:${digest}:`);
    }
  });
});
