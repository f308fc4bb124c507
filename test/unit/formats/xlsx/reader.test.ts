/** The text of a sheet behind the face of all formats, the block that declares it, and the words of what can be wrong. */
import { describe, expect, it } from 'vitest';
import { encodingOf, fileTypeOf, isTabular } from '../../../../src/formats/reader.ts';
import { sheetAsCsv, xlsxSource } from '../../../../src/formats/xlsx/declaration.ts';
import { describeWorkbookProblem, partProblem, type WorkbookProblem } from '../../../../src/formats/xlsx/problems.ts';
import { xlsxReader } from '../../../../src/formats/xlsx/reader.ts';
import { declare, recordsOf } from './reading.ts';

describe('a sheet that comes as CSV', () => {
  it('is read as that, with rows counted as a spreadsheet would show them', () => {
    const text = '\ufeff"Load ""no""\r\n#",City\r\n\r\nL1,"a\nb"\nL2,c\r\n';
    const { records, columns } = recordsOf(text, {}, 1_000);
    expect(columns).toEqual(['Load "no"\r\n#', 'City']);
    expect(records.map(({ fields, row, line }) => [fields[1], row, line])).toEqual([
      ['a\nb', 'sheet "S", row 3', 4],
      ['c', 'sheet "S", row 4', 6],
    ]);
  });

  it('names no row where its encoding is another one, whose bytes cannot be counted', () => {
    const bytes = Buffer.from('\ufeffLoad\nL1\n', 'utf16le');
    const { start, read } = xlsxReader(declare(), { paths: [], lists: [] });
    const slice = read(start, bytes, true);
    expect(slice.outcome === 'records' && slice.records[0]?.position).toEqual({
      record: 1,
      line: 2,
      byteFrom: 12,
      byteTo: 16,
    });
  });

  it.each([
    ['an old workbook', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], 'old_excel', 'password'],
    ['a ZIP archive', [0x50, 0x4b, 3, 4], 'zip', 'packed'],
    ['a PDF', [...Buffer.from('%PDF-1.7')], 'pdf', 'PDF'],
    ['JSON', [...Buffer.from('[{"a": 1}]')], 'json', 'JSON'],
  ])('is told from %s', (_what, bytes, value, word) => {
    const { start, read } = xlsxReader(declare(), { paths: [], lists: [] });
    const slice = read(start, new Uint8Array(bytes), true);
    expect(slice).toMatchObject({
      outcome: 'unreadable',
      problems: [
        {
          code: 'not_a_workbook',
          value,
          message: expect.stringContaining(word),
          fix: expect.stringMatching(/\.xlsx|workbook/),
        },
      ],
    });
  });

  it('is judged by as much of its start as CSV is, so that slices make no difference', () => {
    const { start, read } = xlsxReader(declare(), { paths: [], lists: [] });
    expect(read(start, new Uint8Array([0x50, 0x4b, 3, 4]), false)).toEqual({ outcome: 'more' });
  });
});

describe('the block', () => {
  const problems = (source: object): string[] => {
    const parsed = xlsxSource.safeParse({ format: 'xlsx', ...source });
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  };

  it('has the first sheet and its first row as default', () =>
    expect(xlsxSource.parse({ format: 'xlsx' })).toEqual({
      format: 'xlsx',
      sheet: 1,
      header: true,
      headerRow: 1,
      dates: 'shown',
    }));

  it.each([
    [{ sheet: 0 }, /^sheet/],
    [{ sheet: 1.5 }, /^sheet/],
    [{ sheet: '' }, /^sheet/],
    [{ sheet: 2026 }, /^sheet/],
    [{ sheet: 'x'.repeat(32) }, /^sheet/],
    [{ headerRow: 0 }, /^headerRow: rows are counted from 1/],
    [{ dates: 'iso' }, /^dates/],
    [{ header: false }, /^columns: a sheet without header needs its column names/],
    [{ columns: ['A'] }, /^columns: column names come from the header/],
    [{ header: false, columns: ['A', 'B', 'A'] }, /^columns: each column name once: "A" stands here twice/],
    [{ delimiter: ';' }, /delimiter/],
  ])('refuses %j', (source, words) => expect(problems(source)).toEqual([expect.stringMatching(words)]));

  it('says how its sheet is written as CSV', () => {
    const source = declare({ headerRow: 4 });
    expect(sheetAsCsv(source)).toMatchObject({
      format: 'csv',
      delimiter: ',',
      quote: '"',
      encoding: 'utf-8',
      header: true,
      skipLines: 3,
    });
    expect(sheetAsCsv(declare({ header: false, columns: ['A'] }))).toMatchObject({
      header: false,
      columns: ['A'],
      skipLines: 0,
    });
    expect(fileTypeOf(source)).toEqual({ ending: 'csv', contentType: 'text/csv; charset=utf-8' });
    expect([isTabular(source), encodingOf(source)]).toEqual([true, 'utf-8']);
  });
});

describe('a problem', () => {
  const all: WorkbookProblem[] = [
    { code: 'not_a_workbook', looksLike: 'old_excel' },
    { code: 'not_a_workbook', looksLike: 'open_document' },
    { code: 'not_a_workbook', looksLike: 'html' },
    { code: 'not_a_workbook', looksLike: 'zip' },
    { code: 'workbook_too_large', of: 'file', bytes: 2, bytesMax: 1 },
    { code: 'workbook_too_large', of: 'part', part: 'p.xml', bytesMax: 1 },
    { code: 'workbook_too_large', of: 'token', part: 'p.xml', unitsMax: 1 },
    { code: 'workbook_too_large', of: 'text', sheet: 'S', bytesMax: 1 },
    { code: 'workbook_too_large', of: 'row', sheet: 'S', row: 7, unitsMax: 1 },
    { code: 'workbook_too_large', of: 'count', part: 'p.xml', things: 'sheets', countMax: 1 },
    { code: 'workbook_encrypted', part: null },
    { code: 'workbook_broken', fault: 'directory' },
    { code: 'workbook_broken', fault: 'packed', part: 'p.xml' },
    { code: 'workbook_broken', fault: 'missing', part: 'p.xml' },
    { code: 'workbook_broken', fault: 'xml', part: 'p.xml' },
    { code: 'workbook_broken', fault: 'encoding', part: 'p.xml' },
    { code: 'workbook_broken', fault: 'cell', sheet: 'S', cell: 'B7', text: 'x'.repeat(500) },
    { code: 'workbook_broken', fault: 'row', sheet: 'S', row: '7' },
    { code: 'workbook_doctype', part: 'p.xml' },
    { code: 'sheet_missing', wanted: 'T', sheets: ['S', 'U', 'V'], listedMax: 2 },
    { code: 'sheet_missing', wanted: 3, sheets: [], listedMax: 2 },
    { code: 'sheet_empty', sheet: 'S', fromRow: 4 },
  ];
  it('has words of its own, and a fix', () => {
    const described = all.map(describeWorkbookProblem);
    expect(new Set(described.map(({ message }) => message)).size).toBe(all.length);
    for (const { message, fix, value } of described) {
      expect(message).toMatch(/^["A-Z].*\.$/s);
      expect(fix).toMatch(/^["A-Z].*\.$/s);
      expect(value.length).toBeLessThan(150);
    }
  });

  it('lists the sheets there are, as far as a line goes', () => {
    const { message } = describeWorkbookProblem({
      code: 'sheet_missing',
      wanted: 'T',
      sheets: ['S', 'U', 'V'],
      listedMax: 2,
    });
    expect(message).toBe('The workbook has no sheet "T". It has: "S", "U", and 1 more.');
  });

  it('of the ZIP inside is one of the workbook', () => {
    expect(partProblem({ code: 'zip_encrypted', entry: 'e' }, 'p')).toEqual({ code: 'workbook_encrypted', part: 'p' });
    expect(partProblem({ code: 'zip_link', entry: 'e' }, 'p')).toEqual({
      code: 'workbook_broken',
      fault: 'packed',
      part: 'p',
    });
  });
});
