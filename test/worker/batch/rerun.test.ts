/** `/v1/ops/batches/{id}/rerun`: the same bytes, version and look-ups give the same requests; another version says what differs. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import type { RerunCounts } from '../../../src/http/ops/batches.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { aFleetThatKnows, type Left, upstreamAnswers } from '../upstream-double.ts';

let left: Left[] = [];
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  ({ left } = upstreamAnswers((sent) => Response.json(aFleetThatKnows(sent))));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface Rerun {
  batchId: string;
  from: string;
  to: string;
  different: {
    record: number;
    before: { requests: { body: Record<string, unknown> }[] } | null;
    after: { requests: { body: Record<string, unknown> }[] } | null;
    differences: { path: string; before: string; after: string }[];
  }[];
  counts: RerunCounts;
}
const NAME = 'carrier-status-csv';
const rerunOf = (operator: Operator, batchId: string, query = '') =>
  operator.getJson<Rerun>(`/v1/ops/batches/${batchId}/rerun${query}`);

/** Uploads and waits until every row is read; what becomes of them is of no matter here. */
async function read(
  partner: Partner,
  file: BodyInit,
  mapping: string,
  type = 'application/octet-stream',
): Promise<string> {
  const taken = await partner.upload(file, { mapping, scac: 'DEMO' }, { headers: { 'Content-Type': type } });
  expect(taken.status).toBe(202);
  const { batchId } = await taken.json<{ batchId: string }>();
  await vi.waitFor(async () => {
    expect((await partner.getJson<{ state: string }>(`/v1/batches/${batchId}`)).state).not.toBe('reading');
  }, 15_000);
  return batchId;
}

/** Single rows, groups, segments, and what is looked up; all shipped samples are made again by test/proof/rerun.test.ts. */
const NAMES = ['carrier-events-json', 'orders-csv', 'x12-214', 'xlsx-status', 'unit-positions-csv'];

describe.each(NAMES)('the sample of %s, made again', (name) => {
  it('gives the same requests, byte for byte, and sends nothing', async () => {
    const partner = await aPartner();
    const sample = await partner.fetch(`/v1/mappings/${name}/sample`);
    const type = sample.headers.get('Content-Type') ?? '';
    const batchId = await read(partner, await sample.arrayBuffer(), name, type);
    const sent = left.filter(({ method }) => method !== 'GET').length;
    const asked = left.length - sent;
    const { different, counts, from, to } = await rerunOf(await anOperator(), batchId);
    expect(different).toEqual([]);
    expect(counts.rows).toBeGreaterThan(0);
    expect(counts).toEqual({ rows: counts.rows, same: counts.rows, different: 0, apart: 0 });
    expect(from).toBe(to);
    // Look-ups come from what the batch has recorded.
    expect(left.filter(({ method }) => method === 'GET').length).toBe(asked);
  });
});

describe('a batch made again under another version', () => {
  it('shows exactly the rows that a changed code list changes, and what changes in them', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const words = ['A7', 'X1', 'A7', 'X3'];
    const file = statusFile(...words.map((Status, index) => statusRow(`RR${index}`, { Status })));
    const batchId = await read(partner, file, 'carrier-status-csv');
    expect((await rerunOf(operator, batchId, '?to=current')).counts).toMatchObject({ rows: 4, different: 0 });
    await operator.done('PATCH', '/v1/ops/code-lists/x12-status-codes', { set: { A7: 'A9' }, remove: [] });
    const { different, counts, from, to } = await rerunOf(operator, batchId, '?to=current');
    expect(from).not.toBe(to);
    expect(different.map(({ record }) => record)).toEqual([1, 3]);
    expect(different[0]?.differences).toEqual([{ path: 'requests[0].body.eventCode', before: '"A7"', after: '"A9"' }]);
    expect(counts).toEqual({ rows: 4, same: 2, different: 2, apart: 0 });
    expect((await rerunOf(operator, batchId)).counts).toMatchObject({ same: 4, different: 0 });
  });

  it('shows what a document that is being written would change, with its own code lists, and stores nothing', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const batchId = await read(partner, statusFile(statusRow('RD1'), statusRow('RD2', { Status: 'A7' })), NAME);
    const form = (mapping: string, codeList?: string): RequestInit => {
      const body = new FormData();
      body.append('mapping', mapping);
      if (codeList !== undefined) body.append('codeList', codeList);
      return { method: 'POST', body };
    };
    const path = `/v1/ops/batches/${batchId}/rerun`;
    const draft = BUNDLED_DOCUMENTS.get(NAME) ?? '';
    const same = await (await operator.fetch(path, form(draft))).json<Rerun>();
    expect([same.to, same.counts]).toEqual(['draft', { rows: 2, same: 2, different: 0, apart: 0 }]);
    const words = 'list: refused\ndescription: Theirs.\ncodes: { A7: A9 }\n';
    const edited = draft.replace('lookup: x12-status-codes', 'lookup: [refused, x12-status-codes]');
    const { different } = await (await operator.fetch(path, form(edited, words))).json<Rerun>();
    expect(different).toMatchObject([
      { record: 2, differences: [{ path: 'requests[0].body.eventCode', before: '"A7"', after: '"A9"' }] },
    ]);
    expect((await problemOf(await operator.fetch(path, form('mapping: x')))).code).toBe('mapping_invalid');
    expect((await rerunOf(operator, batchId, '?to=current')).counts).toMatchObject({ different: 0 });
  });

  it('shows rows that become errors, with the error', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const batchId = await read(partner, statusFile(statusRow('RS1', { Status: 'A3' })), 'carrier-status-csv');
    await operator.done('PATCH', '/v1/ops/code-lists/x12-status-codes', { remove: ['A3'] });
    const { different } = await rerunOf(operator, batchId, '?to=current');
    expect(different).toMatchObject([
      { record: 1, after: { requests: [], errors: [{ code: 'code_unknown', path: 'Status', value: 'A3' }] } },
    ]);
  });
});

describe('what cannot be made again', () => {
  it('is a dry run, a batch of nobody, another environment and a version that is none', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const dry = await partner.upload(statusFile(statusRow('RT1')), { mapping: 'carrier-status-csv', dryRun: 'true' });
    const { batchId } = await dry.json<{ batchId: string }>();
    await partner.reaches(batchId, 'settled');
    const refusal = async (path: string) => (await problemOf(await operator.fetch(`/v1/ops/batches/${path}`))).code;
    expect(await refusal(`${batchId}/rerun`)).toBe('not_comparable');
    expect(await refusal('b_0123456789abcdefghjkmnpqrs/rerun')).toBe('batch_unknown');
    expect(await refusal('b_0123456789abcdefghjkmnpqrs/look-ups')).toBe('batch_unknown');
    const sent = await read(partner, statusFile(statusRow('RT2')), 'carrier-status-csv');
    expect(await refusal(`${sent}/rerun?to=nothing`)).toBe('unknown_version');
    const live = await anOperator({ environments: ['production'] });
    expect((await live.fetch(`/v1/ops/batches/${sent}/rerun`)).status).toBe(404);
  });
});

it('what a batch looked up is given as the map command takes it', async () => {
  const [partner, operator] = [await aPartner(), await anOperator()];
  const file = 'Load,Unit,Site,Date,Time,Latitude,Longitude,Odometer\nRU1,UX1,SX1,2026-03-02,08:15,41.87,-87.65,\n';
  const batchId = await read(partner, file, 'unit-positions-csv');
  const { answers } = await operator.getJson<{ answers: { asked: { key: string }; answer: { outcome: string } }[] }>(
    `/v1/ops/batches/${batchId}/look-ups?partner=${partner.name}`,
  );
  expect(answers.map(({ asked, answer }) => `${asked.key} ${answer.outcome}`).sort()).toEqual([
    'SX1 found',
    'UX1 found',
  ]);
});
