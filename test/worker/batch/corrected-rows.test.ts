/** Rows corrected one by one over the API, corrections as a workbook, and which mapping a file fits, for the key alone. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PREVIEW_BYTES_MAX } from '../../../src/ops/publishing/limits.ts';
import { anOperator } from '../operators.ts';
import { type OrderLine, orderFile } from '../order-files.ts';
import { aPartner, type Partner } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const HEADER = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\n';
const row = (load: string, status: string, time = '08:15') =>
  `${load},${status},NS,03/02/2026,${time},CT,Joliet,IL,1,,\n`;
const FILE = HEADER + row('F1', 'X3') + row('F2', 'QQ') + row('F3', 'QQ', '25:00');

const post = (partner: Partner, path: string, body: unknown): Promise<Response> =>
  partner.fetch(path, { method: 'POST', body: JSON.stringify(body) });

async function settled(partner: Partner): Promise<string> {
  const { batchId } = await partner.receipt(FILE);
  await partner.reaches(batchId, 'settled');
  return batchId;
}

describe('rows corrected one by one', () => {
  it('are shown with their cells at fault, tried, and sent as far as they are right', async () => {
    const partner = await aPartner();
    const batchId = await settled(partner);
    const shown = await partner.getJson<{ rows: { record: number; errors: { path: string; cells: number[] }[] }[] }>(
      `/v1/batches/${batchId}/correctable`,
    );
    expect(shown.rows.map(({ record, errors }) => [record, errors.map(({ cells }) => cells)])).toEqual([
      [2, [[1]]],
      [3, [[1], [3, 4]]],
    ]);
    const rows = [2, 3].map((record) => ({ record, cells: { Status: 'AF' } }));
    const sent = upstream.left.length;
    const tried = await (await post(partner, `/v1/batches/${batchId}/corrections?dryRun=true`, { rows })).json();
    expect(tried).toMatchObject({ ready: 1, left: 1, rows: [{ isReady: true }, { errors: [{ cells: [3, 4] }] }] });
    expect(upstream.left).toHaveLength(sent);
    const answer = await post(partner, `/v1/batches/${batchId}/corrections`, { rows });
    expect(answer.status).toBe(202);
    const made = await answer.json<{ batchId: string; corrects: string; ready: number }>();
    expect(made).toMatchObject({ corrects: batchId, ready: 1 });
    await partner.reaches(made.batchId, 'settled');
    expect((await partner.rows(made.batchId))[0]?.replaces).toBe(`${batchId}/2`);
    await vi.waitFor(async () => expect((await partner.summary(batchId)).resolved).toBe(1), 10_000);
    const left = await partner.getJson<{ rows: { record: number }[] }>(`/v1/batches/${batchId}/correctable`);
    expect(left.rows.map(({ record }) => record)).toEqual([3]);
    const again = await post(partner, `/v1/batches/${batchId}/corrections`, { rows: rows.slice(0, 1) });
    expect([again.status, (await again.json<{ code: string }>()).code]).toEqual([422, 'cell_unknown']);
  });

  it.each(['', '?dryRun=true'])('are none of a dry run, of which nothing is sent%s', async (query) => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(FILE, { dryRun: 'true' });
    await partner.reaches(batchId, 'settled');
    const path = `/v1/batches/${batchId}`;
    const shown = await partner.getJson<{ why: string; rows: object[] }>(`${path}/correctable`);
    expect(shown).toMatchObject({
      rows: [
        { record: 2, cells: null },
        { record: 3, cells: null },
      ],
    });
    expect(shown.why).toContain('dry run');
    const rows = [{ record: 2, cells: { Status: 'AF' } }];
    const answer = await post(partner, `${path}/corrections${query}`, { rows });
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([404, 'corrections_not_offered']);
    expect((await partner.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toHaveLength(1);
    expect(upstream.left).toEqual([]);
  });

  it('are not sent where dryRun is spelled in another way', async () => {
    const partner = await aPartner();
    const batchId = await settled(partner);
    const sent = upstream.left.length;
    const rows = [{ record: 2, cells: { Status: 'AF' } }];
    const answer = await post(partner, `/v1/batches/${batchId}/corrections?dryrun=true`, { rows });
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([400, 'parameter_unknown']);
    expect((await partner.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toHaveLength(1);
    expect(upstream.left).toHaveLength(sent);
  });

  it('may be records in JSON, of which only what was changed differs', async () => {
    const partner = await aPartner();
    const line = (load: string, code: string) =>
      `{"type":"event","load":"${load}","event":"${code}","at":1772460900,"tz":"America/Chicago","stop":1}\n`;
    const { batchId } = await partner.receipt(line('J1', 'X3') + line('J2', 'QQ'), {
      mapping: 'carrier-events-ndjson',
    });
    await partner.reaches(batchId, 'settled');
    const path = `/v1/batches/${batchId}`;
    type Shown = {
      why: string | null;
      rows: { cells: { column: string }[]; errors: { path: string; cells: number[] }[] }[];
    };
    const shown = await partner.getJson<Shown>(`${path}/correctable`);
    expect(shown.why).toBeNull();
    const [wrong] = shown.rows;
    const at = wrong?.errors[0]?.cells[0] ?? -1;
    expect(wrong?.cells[at]?.column).toBe(wrong?.errors[0]?.path);
    const rows = [{ record: 2, cells: { [wrong?.errors[0]?.path ?? '']: 'AF' } }];
    const answer = await post(partner, `${path}/corrections`, { rows });
    expect(answer.status).toBe(202);
    const made = await answer.json<{ batchId: string }>();
    await partner.reaches(made.batchId, 'settled');
    expect((await partner.rows(made.batchId))[0]?.replaces).toBe(`${batchId}/2`);
    expect(await (await partner.fetch(`/v1/batches/${made.batchId}/source`)).text()).toBe(
      line('J2', 'AF').replace('{', `{"_batch":"${batchId}","_record":2,`),
    );
  });

  it('may be lines of fixed width, of which nothing but the changed field differs, under the line of their load', async () => {
    const partner = await aPartner();
    const load = (number: string) => `LOD${number.padEnd(117)}\r\n`;
    const status = (code: string) =>
      `STS${code} NS 202603020815CT Joliet`.padEnd(49).concat('IL  1').padEnd(120) + '\r\n';
    const trailer = (count: number) => `TRL${String(count).padStart(8, '0')}`.padEnd(120) + '\r\n';
    const file = load('W1') + status('X3') + load('W2') + status('QQ') + status('QZ') + trailer(3);
    const { batchId } = await partner.receipt(file, { mapping: 'fixed-status' });
    await partner.reaches(batchId, 'settled');
    const path = `/v1/batches/${batchId}`;
    type Cell = { column: string; text: string; charactersMax: number };
    type Shown = { why: string | null; rows: { record: number; cells: Cell[]; errors: { cells: number[] }[] }[] };
    const shown = await partner.getJson<Shown>(`${path}/correctable`);
    expect([shown.why, shown.rows.map(({ record }) => record)]).toEqual([null, [2, 3]]);
    const [wrong] = shown.rows;
    expect(wrong?.cells[wrong.errors[0]?.cells[0] ?? -1]).toEqual({ column: 'status', text: 'QQ', charactersMax: 3 });
    const tooLong = await post(partner, `${path}/corrections`, { rows: [{ record: 2, cells: { status: 'FOUR' } }] });
    expect([tooLong.status, (await tooLong.json<{ code: string }>()).code]).toEqual([422, 'cell_not_writable']);
    const rows = [3, 2].map((record) => ({ record, cells: { status: record === 2 ? 'AF' : 'ZZ', city: 'Peoria' } }));
    const answer = await post(partner, `${path}/corrections`, { rows });
    expect(answer.status).toBe(202);
    const made = await answer.json<{ batchId: string; ready: number; left: number }>();
    expect(made).toMatchObject({ ready: 1, left: 1 });
    await partner.reaches(made.batchId, 'settled');
    expect(await (await partner.fetch(`/v1/batches/${made.batchId}/source`)).text()).toBe(
      load('W2') + status('AF').replace('Joliet', 'Peoria') + trailer(1),
    );
    expect((await partner.rows(made.batchId)).map(({ state, replaces }) => [state, replaces])).toEqual([
      ['delivered', `${batchId}/2`],
    ]);
    await vi.waitFor(async () => expect((await partner.summary(batchId)).resolved).toBe(1), 10_000);
  });

  it.each([
    ['nothing right', { rows: [{ record: 2, cells: { Status: 'ZZ' } }] }, 422, 'nothing_ready'],
    ['a column that is none', { rows: [{ record: 2, cells: { Other: 'x' } }] }, 422, 'cell_unknown'],
    ['a row that was delivered', { rows: [{ record: 1, cells: { Status: 'AF' } }] }, 422, 'cell_unknown'],
    ['no rows', { rows: [] }, 400, 'corrections_invalid'],
    ['too much', { rows: [{ record: 1, cells: { Status: 'x'.repeat(PREVIEW_BYTES_MAX) } }] }, 413, 'too_large'],
  ])('are refused with %s', async (_, body, status, code) => {
    const partner = await aPartner();
    const answer = await post(partner, `/v1/batches/${await settled(partner)}/corrections`, body);
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([status, code]);
  });

  it("are nobody else's", async () => {
    const batchId = await settled(await aPartner());
    const other = await aPartner();
    expect((await other.fetch(`/v1/batches/${batchId}/correctable`)).status).toBe(404);
    const rows = [{ record: 2, cells: { Status: 'AF' } }];
    expect((await post(other, `/v1/batches/${batchId}/corrections`, { rows })).status).toBe(404);
  });
});

it('corrections as a workbook are taken back: each row names the one it replaces', async () => {
  const partner = await aPartner();
  const batchId = await settled(partner);
  const book = await (await partner.fetch(`/v1/batches/${batchId}/corrections?form=xlsx`)).arrayBuffer();
  const ofOps = await (await anOperator()).fetch(`/v1/ops/batches/${batchId}/corrections?form=XLSX`);
  expect([ofOps.status, (await ofOps.arrayBuffer()).byteLength]).toEqual([200, book.byteLength]);
  const back = await partner.receipt(book);
  await partner.reaches(back.batchId, 'settled');
  const rows = await partner.rows(back.batchId);
  expect(rows.map(({ replaces, errors }) => [replaces, errors.map(({ path }) => path)])).toEqual([
    [`${batchId}/2`, ['Status']],
    [`${batchId}/3`, ['Status', 'Event Date, Event Time']],
  ]);
});

it('corrections are no workbook where a row would be taken for a comment; the file that is a table has it in quotes', async () => {
  const document = `
mapping: with-notes
description: A table with notes.
source: { format: csv, comment: "#" }
target: milestone
zone: { const: UTC }
fields:
  loadNumber: Load
  eventCode: Status
  time: { from: At, parse: iso }
examples: [{ input: "Load,Status,At\\nL1,X3,x\\n", records: [{ errors: [{ path: At, code: bad_date }] }] }]
`;
  await (await anOperator()).done('PUT', '/v1/ops/mappings/with-notes?shared=true', document);
  const partner = await aPartner();
  const text = '# Export\nLoad,Status,At\n"#L1",X3,soon\n#L2,X3,soon\n';
  const { batchId } = await partner.receipt(text, { mapping: 'with-notes' });
  expect((await partner.reaches(batchId, 'settled')).rows).toBe(1);
  const book = await partner.fetch(`/v1/batches/${batchId}/corrections?form=xlsx`);
  expect([book.status, (await book.json<{ code: string }>()).code]).toEqual([404, 'corrections_not_offered']);
  const table = await partner.fetch(`/v1/batches/${batchId}/corrections`);
  const back = await partner.receipt(await table.text(), { mapping: 'with-notes' });
  await partner.reaches(back.batchId, 'settled');
  expect((await partner.rows(back.batchId)).map(({ replaces }) => replaces)).toEqual([`${batchId}/1`]);
});

it('a cell that is never quoted takes no separator: nothing is sent, and the cell stays what it was', async () => {
  const document = `
mapping: never-quoted
description: A table without quotes.
source: { format: csv, delimiter: ";", quote: "" }
target: milestone
zone: { const: UTC }
fields:
  loadNumber: Load
  eventCode: Status
  eventCity: City
  time: { from: At, parse: iso }
examples: [{ input: "Load;Status;City;At\\nL1;X3;;x\\n", records: [{ errors: [{ path: At, code: bad_date }] }] }]
`;
  await (await anOperator()).done('PUT', '/v1/ops/mappings/never-quoted?shared=true', document);
  const partner = await aPartner();
  const { batchId } = await partner.receipt('Load;Status;City;At\nL1;X3;Joliet;soon\n', { mapping: 'never-quoted' });
  await partner.reaches(batchId, 'settled');
  const path = `/v1/batches/${batchId}/corrections`;
  const corrected = (City: string) => ({ rows: [{ record: 1, cells: { City, At: '2026-03-02T08:15:00Z' } }] });
  const refused = await post(partner, path, corrected('Joliet; Illinois'));
  const { code, detail } = await refused.json<{ code: string; detail: string }>();
  expect([refused.status, code]).toEqual([422, 'cell_not_writable']);
  expect(detail).toContain('"City" of row 1: cells of this file are not quoted, so none can have ";"');
  expect((await partner.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toHaveLength(1);
  expect((await post(partner, path, corrected('Joliet, Illinois'))).status).toBe(202);
});

it('a file is matched with the mappings of the key, and with no others', async () => {
  const match = async (partner: Partner) =>
    (await partner.fetch('/v1/mappings/match', { method: 'POST', body: FILE })).json<{
      mappings: { mapping: string; fit: string }[];
    }>();
  expect((await match(await aPartner())).mappings[0]).toMatchObject({ mapping: 'carrier-status-csv', fit: 'likely' });
  const narrow = await aPartner({ mappings: ['orders-csv', 'x12-214'] });
  expect((await match(narrow)).mappings).toMatchObject([{ mapping: 'orders-csv', fit: 'unlikely' }]);
});

describe('rows that make one order', () => {
  const ORDERS = { mapping: 'orders-csv' };
  const orderOf = async (partner: Partner, ...lines: OrderLine[]): Promise<string> => {
    upstream.answer(() => Response.json({ id: '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10' }, { status: 201 }));
    const { batchId } = await partner.receipt(orderFile(...lines), ORDERS);
    await partner.reaches(batchId, 'settled');
    return batchId;
  };
  const line = (orderRef: string, sku: string, quantity = '1'): OrderLine => ({ orderRef, sku, quantity });
  interface ShownRow {
    record: number;
    group: number | null;
    why: string | null;
    errors: { code: string; cells: number[] }[];
  }
  const shown = (partner: Partner, batchId: string, query = '') =>
    partner.getJson<{ rows: ShownRow[]; next: string | null }>(`/v1/batches/${batchId}/correctable${query}`);

  it('stand together, are ready together, and go out as the whole order, once', async () => {
    const partner = await aPartner();
    const lines = [line('G-1', 'A'), line('G-2', 'B'), line('G-2', 'C', 'two'), line('G-2', 'D', 'three')];
    const batchId = await orderOf(partner, ...lines, line('G-3', 'E', 'x'));
    const { rows } = await shown(partner, batchId);
    expect(rows.map(({ record, group, errors }) => [record, group, errors[0]?.code])).toEqual([
      [2, null, 'group_invalid'],
      [3, 2, 'not_a_whole_number'],
      [4, 2, 'not_a_whole_number'],
      [5, null, 'not_a_whole_number'],
    ]);
    // A page ends with an order, never within one.
    expect((await shown(partner, batchId, '?limit=2')).rows.map(({ record }) => record)).toEqual([2, 3, 4]);
    const path = `/v1/batches/${batchId}/corrections`;
    const half = [{ record: 3, cells: { Qty: '2' } }];
    const tried = await (await post(partner, `${path}?dryRun=true`, { rows: half })).json<{ rows: object[] }>();
    expect(tried).toMatchObject({ ready: 0, left: 3 });
    expect(JSON.stringify(tried.rows)).toContain('row 4 is wrong'); // by the number in this batch
    expect((await post(partner, path, { rows: half })).status).toBe(422);
    const made = await (await post(partner, path, { rows: [...half, { record: 4, cells: { Qty: '3' } }] })).json<{
      batchId: string;
    }>();
    expect(made).toMatchObject({ ready: 3, left: 0 });
    expect(await partner.reaches(made.batchId, 'settled')).toMatchObject({ rows: 3, requests: 1 });
    expect(JSON.parse(upstream.left.at(-1)?.body ?? '')).toMatchObject({
      orderRef: 'G-2',
      skus: [{ quantity: 1 }, { quantity: 2 }, { quantity: 3 }],
    });
    await vi.waitFor(async () => expect((await partner.summary(batchId)).resolved).toBe(3), 10_000);
    expect((await shown(partner, batchId)).rows.map(({ record }) => record)).toEqual([5]);
  });

  it('are no other order: a row that would leave its own, or join another, is not sent', async () => {
    const partner = await aPartner();
    const batchId = await orderOf(partner, line('H-1', 'A', 'x'), line('H-1', 'B'), line('H-2', 'C', 'x'));
    const path = `/v1/batches/${batchId}/corrections`;
    const moved = [
      { record: 1, cells: { Qty: '1' } },
      { record: 2, cells: { 'Order No': 'H-2' } },
      { record: 3, cells: { Qty: '1' } },
    ];
    const tried = await (await post(partner, `${path}?dryRun=true`, { rows: moved })).json();
    expect(tried).toMatchObject({ ready: 0, left: 3, rows: [{ errors: [{ code: 'group_changed' }] }, {}, {}] });
    const renamed = [1, 2].map((record) => ({ record, cells: { 'Order No': 'H-9', Qty: '1' } }));
    expect(await (await post(partner, `${path}?dryRun=true`, { rows: renamed })).json()).toMatchObject({ ready: 2 });
  });

  it('cannot be sent from here where which rows they are is not certain', async () => {
    const partner = await aPartner();
    const batchId = await orderOf(partner, line('K-1', 'A'), line('K-2', 'B'), line('K-1', 'C'));
    const { rows } = await shown(partner, batchId);
    expect(rows).toMatchObject([{ record: 3, cells: null, errors: [{ code: 'group_reopened' }] }]);
    expect(rows[0]?.why).toContain('send all rows of the order again');
    const sent = await post(partner, `/v1/batches/${batchId}/corrections`, {
      rows: [{ record: 3, cells: { 'Order No': 'K-3' } }],
    });
    expect(sent.status).toBe(422);
  });
});
