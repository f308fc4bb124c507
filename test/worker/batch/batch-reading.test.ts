/** How a batch is read by people: a row in full, pages back, what operators do to it, its events, and what finds it. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { statusFile, statusRow } from '../csv-files.ts';
import { unique } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214 } from '../x12-files.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** Loads with `shut` are refused while they are. */
const refusesShut = (isShut: () => boolean = () => true) =>
  upstreamAnswers(({ body }) =>
    body.includes('shut') && isShut()
      ? Response.json({ message: 'The load is closed.' }, { status: 422 })
      : Response.json({}),
  );

async function settled(partner: Partner, file: string, query: Record<string, string> = {}): Promise<string> {
  const { batchId } = await partner.receipt(file, query);
  await partner.reaches(batchId, 'settled');
  return batchId;
}

const ofOps = (batchId: string, rest = '', query = ''): string =>
  `/v1/ops/batches/${batchId}${rest}?environment=test${query}`;

it('a row in full has its cells as sent, its request, and every attempt with its answer; of another partner it is not there', async () => {
  refusesShut();
  const [operator, partner, other] = [await anOperator(), await aPartner(), await aPartner()];
  const load = unique();
  const batchId = await settled(
    partner,
    statusFile(statusRow(`${load}shut`), statusRow(load, { Status: 'QQ' }), statusRow(load)),
  );
  const refused = await partner.getJson<Record<string, never>>(`/v1/batches/${batchId}/rows/1`);
  expect(refused).toMatchObject({
    batchId,
    record: 1,
    state: 'rejected',
    original: { text: expect.stringContaining(`${load}shut,X3,NS`) },
    requests: [
      {
        body: { loadNumber: `${load}shut` },
        generations: [{ attempts: [{ status: 422, answer: expect.stringContaining('The load is closed.') }] }],
      },
    ],
  });
  expect(await operator.getJson(ofOps(batchId, '/rows/2'))).toMatchObject({
    state: 'invalid',
    requests: [],
    errors: [{ code: 'code_unknown', value: 'QQ' }],
  });
  for (const record of ['4', '0', 'x'])
    expect((await problemOf(await partner.fetch(`/v1/batches/${batchId}/rows/${record}`))).code).toBe('row_unknown');
  expect((await other.fetch(`/v1/batches/${batchId}/rows/1`)).status).toBe(404);
});

it('pages go forward and back over the same rows, also of a filter', async () => {
  refusesShut();
  const partner = await aPartner();
  const load = unique();
  const rows = Array.from({ length: 9 }, (_, at) => statusRow(`${load}${at}`, at % 2 === 0 ? { Status: 'QQ' } : {}));
  const batchId = await settled(partner, statusFile(...rows));
  type Answer = { rows: { record: number }[]; next: string | null; previous: string | null };
  const numbers = async (path: string | null): Promise<[number[], Answer]> => {
    const answer = await partner.getJson<Answer>(path ?? '');
    return [answer.rows.map(({ record }) => record), answer];
  };
  for (const [query, pages] of [
    ['', [[1, 2, 3, 4], [5, 6, 7, 8], [9]]],
    ['&state=invalid', [[1, 3, 5, 7], [9]]],
  ] as const) {
    let path: string | null = `/v1/batches/${batchId}/rows?limit=4${query}`;
    let last: Answer | undefined;
    for (const page of pages) {
      const [found, answer]: [number[], Answer] = await numbers(path);
      expect(found, query).toEqual(page);
      [path, last] = [answer.next, answer];
    }
    for (const page of pages.slice(0, -1).toReversed()) {
      const [found, answer]: [number[], Answer] = await numbers(last?.previous ?? null);
      expect(found, query).toEqual(page);
      last = answer;
    }
  }
});

it('an operator sends again with a reason, after a plan that does nothing; what has ended is not cancelled', async () => {
  let isShut = true;
  const { left } = refusesShut(() => isShut);
  const [operator, partner] = [await anOperator(), await aPartner()];
  const load = unique();
  const batchId = await settled(partner, statusFile(statusRow(`${load}shut`), statusRow(load)));
  isShut = false;
  const sent = left.length;
  expect(await operator.done('POST', ofOps(batchId, '/retry', '&dryRun=true'), {})).toMatchObject({
    retried: 1,
    retriedAt: null,
  });
  expect((await problemOf(await operator.fetch(ofOps(batchId, '/retry'), { method: 'POST', body: '{}' }))).code).toBe(
    'body_invalid',
  );
  expect(left).toHaveLength(sent);
  const acted = (what: string): Promise<Response> =>
    operator.fetch(ofOps(batchId, `/${what}`), {
      method: 'POST',
      headers: { 'Idempotency-Key': what },
      body: JSON.stringify({ why: 'the load is open' }),
    });
  expect((await acted('retry')).ok).toBe(true);
  await vi.waitFor(async () => {
    expect((await partner.summary(batchId)).rowStates).toEqual({ delivered: 2 });
  }, PATIENCE);
  expect(left).toHaveLength(sent + 1);
  await partner.reaches(batchId, 'settled');
  expect((await acted('cancel')).status).toBe(409);
  const { entries } = await operator.getJson<{ entries: { action: string; why: string }[] }>(
    '/v1/ops/audit?environment=test',
  );
  expect(entries).toMatchObject([{ action: 'batch.retry', why: 'the load is open' }]);
});

it('what is not delivered is found by a reference and by a word, what was sent by its file', async () => {
  refusesShut();
  const [operator, partner, other] = [await anOperator(), await aPartner(), await aPartner()];
  const load = unique();
  const file = statusFile(
    statusRow(`${load}shut`, { 'Pro Number': `PRO-${load}` }),
    statusRow(load, { Status: `Q-${load}` }),
    statusRow(`${load}fine`, { 'Pro Number': `PRO-${load}` }),
  );
  const batchId = await settled(partner, file, { fileName: `week-${load}.csv` });
  interface FoundRows {
    rows: { batchId: string; record: number; state: string; partner: string }[];
    isCut: boolean;
  }
  const search = (by: Partner | Operator, path: string): Promise<FoundRows> => by.getJson<FoundRows>(path);
  await vi.waitFor(async () => {
    const found = await search(operator, `/v1/ops/rows?environment=test&text=pro-${load}`);
    expect(found).toMatchObject({
      rows: [{ batchId, record: 1, state: 'rejected', partner: partner.name }],
      isCut: false,
    });
  }, PATIENCE);
  expect((await search(partner, `/v1/rows?text=q-${load}`)).rows).toMatchObject([{ record: 2, state: 'invalid' }]);
  expect((await search(other, `/v1/rows?text=pro-${load}`)).rows).toEqual([]);
  expect((await problemOf(await partner.fetch('/v1/rows?text=ab'))).status).toBe(400);
  const named = await partner.getJson<{ batches: { batchId: string; rows: number }[] }>(
    `/v1/batches?fileName=WEEK-${load}`,
  );
  expect(named.batches).toMatchObject([{ batchId, rows: 3 }]);
  expect((await other.getJson<{ batches: unknown[] }>(`/v1/batches?fileName=week-${load}`)).batches).toEqual([]);
  const page = (by: Partner | Operator, text: string) =>
    by.fetch(`/console/search?q=${text}`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  for (const by of [partner, operator]) {
    const answer = await page(by, `PRO-${load}`);
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, expect.stringContaining('row=1')]);
  }
});

it('pages of rows of one cause stay with it, also where the value at fault is empty', async () => {
  upstreamAnswers(200);
  const partner = await aPartner();
  const wrong = ['', 'QQ', ''].map((status, at) => statusRow(`${unique()}${at}`, { Status: status }));
  const batchId = await settled(partner, statusFile(...wrong));
  interface Rows {
    rows: { record: number }[];
    next: string | null;
  }
  const first = await partner.getJson<Rows>(`/v1/batches/${batchId}/rows?column=Status&value=&limit=1`);
  const second = await partner.getJson<Rows>(first.next ?? '');
  expect([first, second].map(({ rows }) => rows.map(({ record }) => record))).toEqual([[1], [3]]);
  const page = await partner.fetch(`/console/batches/${batchId}?column=Status&value=`, {
    headers: { Accept: 'text/html' },
  });
  expect(await page.text(), 'a filter of the page keeps to it').toContain(
    '<input type="hidden" name="column" value="Status"/>',
  );
  const many = Array.from({ length: 501 }, (_, at) => at + 1).join(',');
  expect((await partner.fetch(`/v1/batches/${batchId}/rows?records=${many}`)).status).toBe(400);
});

it("a page's events tell how far the batch is, and that it is over; a stranger's are not there", async () => {
  refusesShut();
  const [operator, other, partner] = [await anOperator(), await aPartner(), await aPartner()];
  const batchId = await settled(partner, statusFile(statusRow(unique()), statusRow(`${unique()}shut`)));
  for (const by of [partner, operator]) {
    const answer = await by.fetch(`/console/batches/${batchId}/events?records=1,2`);
    expect(answer.headers.get('Content-Type')).toContain('text/event-stream');
    const text = await answer.text();
    expect(text).toMatch(/^retry: \d+\n\nid: [0-9a-f]{16}\nevent: progress\ndata: \{/);
    const { rows } = JSON.parse(/\ndata: (.*)/.exec(text)?.[1] ?? '{}') as { rows: Record<string, object> };
    expect(rows).toMatchObject({
      'row-1': { label: 'Delivered', why: '' },
      'row-2': { label: 'Refused', why: expect.stringContaining('The load is closed.') },
    });
    expect(text.trimEnd().endsWith('event: end\ndata: {}')).toBe(true);
    const [, id = ''] = /id: ([0-9a-f]{16})/.exec(text) ?? [];
    const again = await by.fetch(`/console/batches/${batchId}/events?records=1,2`, {
      headers: { 'Last-Event-ID': id },
    });
    expect(await again.text()).not.toContain('event: progress');
  }
  expect((await other.fetch(`/console/batches/${batchId}/events`)).status).toBe(404);
});

it('an interchange is found by its control number, with whoever sent it, and only in its environment', async () => {
  refusesShut();
  const [operator, partner] = [await anOperator(), await aPartner()];
  const batchId = await settled(partner, a214([{ load: unique() }], { control: 4711 }), { mapping: 'x12-214' });
  const path = (control: string): string => `/v1/ops/interchanges?environment=test&control=${control}`;
  expect(await operator.getJson(path('000004711'))).toMatchObject({
    interchanges: [{ partner: partner.name, batchId, links: { console: `/console/batches/${batchId}` } }],
  });
  expect(await operator.getJson(path('000004712'))).toMatchObject({ interchanges: [] });
  expect((await problemOf(await operator.fetch(path('a%20b')))).status).toBe(400);
});
