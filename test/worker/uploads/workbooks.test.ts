/** Workbooks: their sheet is read as CSV is, every row is told by its place on the sheet, and corrections go as CSV. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { convertSheet } from '../../../src/batch/files/unpack.ts';
import { sheetOfXlsx, xlsxSource } from '../../../src/formats/xlsx/declaration.ts';
import { contentKey, sourceKey } from '../../../src/kernel/names.ts';
import { letters, type SheetPart, sheetXml, workbookOf, xmlText } from '../../workbook-files.ts';
import { zipOf } from '../../zip-files.ts';
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

const HEADER = ['Load', 'Status', 'Reason', 'Event Time', 'Zone', 'City', 'State', 'Stop', 'PRO'];
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** 2026-03-02 08:15:00 by a style that shows both. */
const TIME = '<c s="1"><v>46083.34375</v></c>';

const cellXml = (text: string): string =>
  text.startsWith('<c') ? text : `<c t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
const rowXml = (row: number, cells: readonly string[]): string =>
  `<row r="${row}">${cells.map((cell, at) => cellXml(cell).replace('<c', `<c r="${letters(at)}${row}"`)).join('')}</row>`;
const statusCells = (load: string, stop: string, status = 'Arrived at pickup') => [
  load,
  status,
  '',
  TIME,
  'CT',
  'Joliet',
  'IL',
  stop,
];
const sheetOf = (rows: readonly (readonly string[])[], more: Partial<SheetPart> = {}): SheetPart => ({
  name: 'Status',
  rows: [rowXml(3, HEADER), ...rows.map((cells, at) => rowXml(at + 4, cells))].join(''),
  ...more,
});
const bookOf = (sheet: SheetPart) => workbookOf({ sheets: [{ name: 'Cover', rows: '' }, sheet], styles: [0, 22] });

const BOOK = bookOf(
  sheetOf([statusCells('W1', '1'), statusCells('W1', '2'), statusCells('W2', '1', 'Lost'), statusCells('W3', '1')]),
);
const SHEET =
  'Daily status\n\nLoad,Status,Reason,Event Time,Zone,City,State,Stop,PRO\nC1,Arrived at pickup,,2026-03-02 08:15:00,CT,Joliet,IL,1,\n';

const receipt = async (partner: Partner, file: BodyInit, more: Record<string, string> = {}) =>
  partner.receipt(file, { mapping: 'xlsx-status', ...more });
async function refused(file: BodyInit) {
  const partner = await aPartner();
  const { batchId } = await receipt(partner, file);
  const { problems, rows } = await partner.reaches(batchId, 'unreadable');
  expect(rows).toBe(0);
  return problems;
}

describe('a workbook', () => {
  it('is read from the sheet that the mapping names, and its good rows are delivered', async () => {
    const partner = await aPartner();
    const { batchId } = await receipt(partner, BOOK);
    const settled = await partner.reaches(batchId, 'settled');
    expect(settled).toMatchObject({
      rows: 4,
      rowStates: { delivered: 3, invalid: 1 },
      files: null,
      problems: [],
      notes: [],
    });
    expect(settled.bytes).toBe(BOOK.length);
    expect(settled.bytesRead).toBe(settled.contentBytes);
    const rows = await partner.rows(batchId);
    expect(rows.map(({ state, position: { line, place } }) => [state, line, place])).toEqual([
      ['delivered', 4, 'sheet "Status", row 4'],
      ['delivered', 5, 'sheet "Status", row 5'],
      ['invalid', 6, 'sheet "Status", row 6'],
      ['delivered', 7, 'sheet "Status", row 7'],
    ]);
    expect(upstream.left.map(({ body }) => JSON.parse(body).time.dateTime)).toEqual(
      Array(3).fill('2026-03-02T08:15:00.0000000-06:00'),
    );
  });

  it('stays as it was sent, and its report shows the cells as they were read', async () => {
    const partner = await aPartner();
    const { batchId } = await receipt(partner, BOOK, { dryRun: 'true' });
    await partner.reaches(batchId, 'settled');
    const source = await (await partner.fetch(`/v1/batches/${batchId}/source`)).arrayBuffer();
    expect(new Uint8Array(source)).toEqual(BOOK);
    const report = parse(await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text(), {
      columns: true,
      bom: true,
    });
    expect(report).toHaveLength(4);
    expect(report[2]).toMatchObject({
      Load: 'W2',
      Status: 'Lost',
      'Event Time': '2026-03-02 08:15:00',
      _state: 'invalid',
      _code: 'code_unknown',
    });
  });

  it('comes back corrected as CSV, and the corrected rows replace those of the workbook', async () => {
    const partner = await aPartner();
    const { batchId } = await receipt(partner, BOOK);
    await partner.reaches(batchId, 'settled');
    const answer = await partner.fetch(`/v1/batches/${batchId}/corrections`);
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toContain(`${batchId}-corrections.csv`);
    const text = await answer.text();
    expect(text).toContain('"W2","Lost"');
    const again = await receipt(partner, text.replace('"Lost"', '"Arrived at delivery"'));
    expect(await partner.reaches(again.batchId, 'settled')).toMatchObject({ rows: 1, rowStates: { delivered: 1 } });
    const [row] = await partner.rows(again.batchId);
    expect(row).toMatchObject({ replaces: expect.stringContaining(batchId), position: { line: 4, place: 'row 4' } });
  });

  it('may have a text of many megabytes', async () => {
    const partner = await aPartner();
    const rows = Array.from({ length: 700 }, (_, at) => [
      ...statusCells(`L${at}`, '1'),
      `${at} ${'Köln '.repeat(2_000)}`,
    ]);
    const { batchId } = await receipt(partner, bookOf(sheetOf(rows)), { dryRun: 'true' });
    const settled = await partner.reaches(batchId, 'settled');
    expect(settled).toMatchObject({ rows: 700 });
    expect(settled.contentBytes).toBeGreaterThan(8_000_000);
    expect((await partner.rows(batchId, '&after=690')).at(-1)?.position.place).toBe('sheet "Status", row 703');
  });

  it('says that the sheet was hidden', async () => {
    const partner = await aPartner();
    const { batchId } = await receipt(partner, bookOf(sheetOf([statusCells('W1', '1')], { state: 'hidden' })));
    const { notes } = await partner.reaches(batchId, 'settled');
    expect(notes).toEqual(['The sheet "Status", which was read, is hidden in the workbook.']);
  });

  it('is taken by its content type, and by those of CSV and of Windows', async () => {
    const partner = await aPartner();
    for (const type of [XLSX, 'text/csv', 'application/vnd.ms-excel', 'application/zip']) {
      const query = { mapping: 'xlsx-status', dryRun: 'true' };
      expect((await partner.upload(BOOK, query, { headers: { 'Content-Type': type } })).status).toBe(202);
    }
    const other = await partner.upload(
      BOOK,
      { mapping: 'xlsx-status' },
      { headers: { 'Content-Type': 'application/json' } },
    );
    expect(other.status).toBe(415);
  });

  it('is previewed like any small file', async () => {
    const partner = await aPartner();
    const answer = await partner.fetch('/v1/mappings/xlsx-status/preview', { method: 'POST', body: BOOK });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      counts: { records: 4, mapped: 3, invalid: 1 },
      fileProblems: [],
      records: [
        { position: { place: 'sheet "Status", row 4' }, columns: expect.arrayContaining([['Load', 'W1']]) },
        {},
        {},
        {},
      ],
    });
  });
});

describe('the sheet of a workbook', () => {
  it('may be sent as CSV, alone or several in an archive', async () => {
    const partner = await aPartner();
    const alone = await receipt(partner, SHEET);
    expect(await partner.reaches(alone.batchId, 'settled')).toMatchObject({ rows: 1, rowStates: { delivered: 1 } });
    const archive = zipOf([
      { name: 'a.csv', content: SHEET.replace('C1', 'C2') },
      { name: 'b.csv', content: SHEET.replace('C1', 'C3') },
    ]);
    const several = await receipt(partner, archive);
    expect(await partner.reaches(several.batchId, 'settled')).toMatchObject({ rows: 2, rowStates: { delivered: 2 } });
    const rows = await partner.rows(several.batchId);
    expect(rows.map(({ position: { file, place } }) => [file, place])).toEqual([
      ['a.csv', 'row 4'],
      ['b.csv', 'row 4'],
    ]);
  });
});

it('a mapping of CSV takes its table as a workbook, and answers with the rows of the sheet', async () => {
  const partner = await aPartner();
  const cells = ['Load #', 'Status', 'Reason', 'Event Date', 'Event Time', 'TZ', 'City', 'State', 'Stop'];
  const row = (load: string, status: string) => [
    load,
    status,
    'NS',
    '<c s="1"><v>46083</v></c>',
    '08:15',
    'CT',
    'Joliet',
    'IL',
    '1',
    '774411',
    '',
  ];
  const rows = [[...cells, 'Pro Number', 'BOL'], row('W1', 'X3'), row('W2', 'QQ')];
  const book = workbookOf({
    sheets: [{ name: 'Tab', rows: rows.map((each, at) => rowXml(at + 1, each)).join('') }],
    styles: [0, 14],
  });
  const { batchId } = await partner.receipt(book);
  expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1, invalid: 1 });
  expect(upstream.left.map(({ body }) => JSON.parse(body))).toMatchObject([
    { time: { dateTime: '2026-03-02T08:15:00.0000000-06:00' } },
  ]);
  const report = parse(await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text(), { bom: true });
  expect(report[2]?.slice(0, 5)).toEqual(['W2', 'QQ', 'NS', '03/02/2026', '08:15']);
});

describe('a file is refused whole', () => {
  it.each([
    ['without the sheet', bookOf(sheetOf([], { name: 'Other' })), 'sheet_missing', /"Cover", "Other"/],
    ['whose sheet is empty', workbookOf({ sheets: [{ name: 'Status', rows: '' }] }), 'sheet_empty', /from row 3 on/],
    ['that is cut off', BOOK.slice(0, 900), 'workbook_broken', /list of its parts/],
    [
      'whose sheet breaks off',
      workbookOf({
        sheets: [sheetOf([])],
        parts: { 'xl/worksheets/sheet1.xml': sheetXml('<row r="3"><c t="str"><v>Load</v></c></row><row>') },
      }),
      'workbook_broken',
      /no well-formed XML/,
    ],
    [
      'that is a bomb',
      workbookOf({ sheets: [sheetOf([])], parts: { 'xl/worksheets/sheet1.xml': sheetXml('<a/>'.repeat(6_000_000)) } }),
      'workbook_too_large',
      /unpacks to more/,
    ],
    [
      'that is an old workbook',
      new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 1, 2]),
      'not_a_workbook',
      /password/,
    ],
    ['that is an archive of workbooks', zipOf([{ name: 'a.xlsx', content: BOOK }]), 'zip_nested', /a\.xlsx/],
  ])('%s', async (_what, file, code, words) => {
    expect(await refused(file)).toEqual([expect.objectContaining({ code, message: expect.stringMatching(words) })]);
  });

  it('which is a workbook under a mapping that reads no table', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(BOOK, { mapping: 'carrier-events-json' });
    expect((await partner.reaches(batchId, 'unreadable')).problems).toMatchObject([{ code: 'zip_office_file' }]);
  });

  it('which has no column that a mapping of CSV reads', async () => {
    const partner = await aPartner();
    const { batchId } = await partner.receipt(workbookOf({ sheets: [{ name: 'A', rows: rowXml(1, ['Other']) }] }));
    const { problems } = await partner.reaches(batchId, 'unreadable');
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['missing_column']));
  });
});

describe('a store that fails while a sheet is converted', () => {
  const ticket = { environment: 'test', partner: 'p', batchId: 'b_1', bytes: 0 } as BatchTicket;
  const source = sheetOfXlsx(xlsxSource.parse({ format: 'xlsx', sheet: 'Status', headerRow: 3 }));
  const large = bookOf(
    sheetOf(Array.from({ length: 800 }, (_, at) => [...statusCells(`L${at}`, '1'), 'x'.repeat(10_000)])),
  );

  it.each([
    ['put', 'the sheet could not be stored (storage_unavailable)'],
    ['createMultipartUpload', ''],
    ['get', 'planned: no answer'],
  ] as const)('at %s throws, so that the Batch tries again', async (method, said) => {
    const book = method === 'put' ? BOOK : large;
    await env.FILES.put(sourceKey(ticket, ticket.batchId), book);
    const failing = new Proxy(env.FILES, {
      get: (files, name) => {
        if (name === method) return () => Promise.reject(new Error('planned: no answer'));
        const member: unknown = Reflect.get(files, name);
        return typeof member === 'function' ? member.bind(files) : member;
      },
    });
    await expect(convertSheet(failing, { ...ticket, bytes: book.length }, source)).rejects.toThrow(said);
    expect(await env.FILES.head(contentKey(ticket, ticket.batchId))).toBeNull();
    const again = await convertSheet(env.FILES, { ...ticket, bytes: book.length }, source);
    expect(again).toMatchObject({ ok: true, value: { sheet: 'Status' } });
  });

  it('behind the beginning of the sheet throws soon, too, and nothing of the sheet is stored', async () => {
    const ofBook = { ...ticket, batchId: 'b_2', bytes: BOOK.length };
    await env.FILES.put(sourceKey(ofBook, 'b_2'), BOOK);
    /** @param last read that is answered. */
    const answering = (last: number) => {
      let reads = 0;
      const get = (...asked: Parameters<R2Bucket['get']>) => {
        reads += 1;
        return reads > last ? Promise.reject(new Error('planned: no answer')) : env.FILES.get(...asked);
      };
      const files = { get, put: env.FILES.put.bind(env.FILES) } as unknown as R2Bucket;
      return { files, reads: () => reads };
    };
    const whole = answering(Number.POSITIVE_INFINITY);
    expect(await convertSheet(whole.files, ofBook, source)).toMatchObject({ ok: true });
    await env.FILES.delete(contentKey(ofBook, 'b_2'));
    const { files } = answering(whole.reads() - 1);
    await expect(convertSheet(files, ofBook, source)).rejects.toThrow('planned: no answer');
    expect(await env.FILES.head(contentKey(ofBook, 'b_2'))).toBeNull();
  });
});
