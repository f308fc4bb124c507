/** A mapping of CSV takes the same table as a workbook: texts as they are, dates and times in the form of their column. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { readerOnSheet } from '../../../src/formats/xlsx/reader.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { type CompiledMapping, compileMapping, type LocatedRecord } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { momentWriter, writtenForms } from '../../../src/mapping/values/date-time-text.ts';
import { letters, workbookOf, workbookOfTexts } from '../../workbook-files.ts';
import { readSlices } from '../formats/whole-read.ts';
import { SHIPPED } from './shipped.ts';

const SAMPLE = readFileSync('fixtures/samples/carrier-status-csv.csv', 'utf8');
const shippedMapping = (name: string): CompiledMapping => {
  const shipped = SHIPPED.get(name);
  if (shipped === undefined) throw new Error(name);
  return shipped.mapping;
};
const table = (text: string, delimiter = ','): string[][] => parse(text, { delimiter, relaxColumnCount: true });

async function mapped(mapping: CompiledMapping, bytes: Uint8Array): Promise<LocatedRecord[]> {
  const records: LocatedRecord[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    records.push(...step.records);
  }
  return records;
}

const whole = (records: readonly LocatedRecord[]) => records.map(({ mapped: each }) => each);

/** A number with the style of a date, a date as ISO writes it, or a text. */
type Cell = string | { serial: number; style: number } | { iso: string; style: number };
const sheetRow = (row: number, cells: readonly Cell[]): string =>
  `<row r="${row}">${cells
    .map((cell, at) => {
      const place = `r="${letters(at)}${row}"`;
      if (typeof cell === 'string') return `<c ${place} t="inlineStr"><is><t>${cell}</t></is></c>`;
      return 'iso' in cell
        ? `<c ${place} t="d" s="${cell.style}"><v>${cell.iso}</v></c>`
        : `<c ${place} s="${cell.style}"><v>${cell.serial}</v></c>`;
    })
    .join('')}</row>`;

const HEADER = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL'.split(',');
/** Styles: none, a date, a time of day. */
const bookWith = (cells: readonly (string | { serial: number; style: number })[]) =>
  workbookOf({
    sheets: [{ name: 'Tab', rows: sheetRow(1, HEADER) + sheetRow(2, cells) }],
    styles: [0, 14, 20],
  });
const DATE = { serial: 46083, style: 1 };
const EVENING = { serial: 0.773611111111111, style: 2 };

describe('a mapping of CSV', () => {
  it('makes of a workbook with the same texts what it makes of the file', async () => {
    const mapping = shippedMapping('carrier-status-csv');
    const ofCsv = await mapped(mapping, new TextEncoder().encode(SAMPLE));
    const ofBook = await mapped(mapping, workbookOfTexts(table(SAMPLE)));
    const isShort = ({ mapped: { errors } }: LocatedRecord) => errors.some(({ code }) => code === 'ragged_row');
    const short = ofCsv.findIndex(isShort); // in the file it lacks cells; on a sheet these are empty
    expect(whole(ofBook).toSpliced(short, 1)).toEqual(whole(ofCsv).toSpliced(short, 1));
    expect(ofBook.filter(({ mapped: { errors } }) => errors.length > 0)).toHaveLength(7);
    expect(ofBook[6]?.position.place).toBe('sheet "Sheet1", row 8');
  });

  it('does so whatever delimiter, quote and encoding it declares', async () => {
    const text = readFileSync('fixtures/samples/carrier-status-semicolon-csv.csv');
    const mapping = shippedMapping('carrier-status-semicolon-csv');
    const { source } = mapping;
    if (source.format !== 'csv') throw new Error(source.format);
    const lines = new TextDecoder(source.encoding).decode(text).split('\n').slice(source.skipLines).join('\n');
    const rows = [...Array.from({ length: source.skipLines }, () => ['above']), ...table(lines, source.delimiter)];
    expect(whole(await mapped(mapping, workbookOfTexts(rows)))).toEqual(whole(await mapped(mapping, text)));
  });

  it('reads a cell that holds a date or a time in the form of its column', async () => {
    const book = bookWith(['LD1', 'X3', 'NS', DATE, EVENING, 'CT', 'Joliet', 'IL', '1', '7', '']);
    const [record] = await mapped(shippedMapping('carrier-status-csv'), book);
    expect(record?.mapped.errors).toEqual([]);
    expect(record?.mapped.requests[0]?.body).toMatchObject({
      time: { dateTime: '2026-03-02T18:34:00.0000000-06:00' },
    });
  });

  it('does so below a row of blanks, which is no header', async () => {
    const cells = ['LD1', 'X3', 'NS', DATE, EVENING, 'CT', 'Joliet', 'IL', '1', '7', ''];
    const rows = sheetRow(1, [' ', '', '\u00a0']) + sheetRow(2, HEADER) + sheetRow(3, cells);
    const book = workbookOf({ sheets: [{ name: 'Tab', rows }], styles: [0, 14, 20] });
    const [record] = await mapped(shippedMapping('carrier-status-csv'), book);
    expect([record?.mapped.errors, record?.position.place]).toEqual([[], 'sheet "Tab", row 3']);
  });

  it('leaves a text that looks like a date as it is, and a time with seconds that its form cannot hold', async () => {
    const wrong = async (cells: Parameters<typeof bookWith>[0]) =>
      (await mapped(shippedMapping('carrier-status-csv'), bookWith(cells)))[0]?.mapped.errors;
    const rest = ['CT', 'Joliet', 'IL', '1', '7', ''];
    expect(await wrong(['LD1', 'X3', 'NS', '2026-03-02', '08:15', ...rest])).toMatchObject([
      { code: 'bad_date', value: '2026-03-02 08:15' },
    ]);
    const seconds = { serial: 0.5 + 1 / 86_400, style: 2 };
    expect(await wrong(['LD1', 'X3', 'NS', DATE, seconds, ...rest])).toMatchObject([
      { code: 'bad_date', value: '03/02/2026 12:00:01' },
    ]);
  });

  describe('with a date and a time in one column', () => {
    type Sent = { time: { dateTime: string } };
    /** Of the one cell of a time: what is sent, or the code of what is wrong. */
    async function sent(parse: string, cell: Cell): Promise<unknown> {
      const mapping = compileMapping(
        ...documentOf(`
mapping: one-time
description: One time.
source: { format: csv }
target: milestone
fields:
  loadNumber: Load
  eventCode: { const: X3 }
  reasonCode: { const: NS }
  eventCity: { const: Joliet }
  eventState: { const: IL }
  time: { from: At, parse: ${parse}, zone: { const: UTC } }
examples: [{ input: "Load,At\\nL,x\\n", records: [{ errors: [] }] }]
`),
      );
      const rows = sheetRow(1, ['Load', 'At']) + sheetRow(2, ['L1', cell]);
      const bytes =
        typeof cell === 'string'
          ? new TextEncoder().encode(`Load,At\nL1,${cell}\n`)
          : workbookOf({ sheets: [{ name: 'Tab', rows }], styles: [0, 14, 22] });
      const [record] = await mapped(mapping, bytes);
      const { requests = [], errors = [] } = record?.mapped ?? {};
      return errors[0]?.code ?? (requests[0]?.body as Sent | undefined)?.time.dateTime.slice(0, 19);
    }
    const DAY = { serial: 46083, style: 1 };
    const MIDNIGHT = { serial: 46083, style: 2 };
    const CLOCK_AS_DAY = { serial: 46083 + 8.25 / 24, style: 1 };

    it.each([
      ['"MM/dd/yyyy HH:mm"', '03/02/2026'],
      ['"MM/dd/yyyy h:mm a"', '03/02/2026'],
      ['["MM/dd/yyyy HH:mm", "yyyy-MM-dd HH:mm"]', '2026-03-02'],
    ])('takes a day alone for no midnight under %s, as in the file', async (parse, text) => {
      expect([await sent(parse, text), await sent(parse, DAY)]).toEqual(['bad_date', 'bad_date']);
    });

    it('does not move a day that does not exist to another', async () => {
      const none = { iso: '2026-02-30T08:15:00', style: 2 };
      expect(await sent('"MM/dd/yyyy HH:mm"', none)).toBe('bad_date');
      expect(await sent('[iso, "yyyy-MM-dd HH:mm:ss"]', none)).toBe('bad_date');
      expect(await sent('"MM/dd/yyyy HH:mm"', { iso: '2026-02-28T08:15:00', style: 2 })).toBe('2026-02-28T08:15:00');
    });

    it('reads it where one of the forms is a day, and a time that the cell has but does not show', async () => {
      expect(await sent('["MM/dd/yyyy HH:mm", MM/dd/yyyy]', DAY)).toBe('2026-03-02T00:00:00');
      expect(await sent('"MM/dd/yyyy HH:mm"', MIDNIGHT)).toBe('2026-03-02T00:00:00');
      expect(await sent('"MM/dd/yyyy HH:mm"', CLOCK_AS_DAY)).toBe('2026-03-02T08:15:00');
    });

    it.each([
      ['"MM/dd/yyyy HH:mm[:ss]"', ['bad_date', '08:15:00', '08:15:30']],
      ['"MM/dd/yyyy[ HH:mm]"', ['00:00:00', '08:15:00', 'bad_date']],
      ['"MM/dd/yyyy[ HH:mm[:ss]]"', ['00:00:00', '08:15:00', '08:15:30']],
    ])('writes of the optional sections of %s what holds the day, the minute and the second', async (parse, times) => {
      const cells = [DAY, { serial: 46083 + 8.25 / 24, style: 2 }, { serial: 46083 + 8.2583333333 / 24, style: 2 }];
      const all = await Promise.all(
        cells.map(async (cell) =>
          String(await sent(parse, cell))
            .split('T')
            .at(-1),
        ),
      );
      expect(all).toEqual(times);
    });
  });

  it('reads a date and a time of two columns in the forms of optional sections', async () => {
    const mapping = compileMapping(
      ...documentOf(`
mapping: two-columns
description: A date and a time.
source: { format: csv }
target: milestone
fields:
  loadNumber: Load
  eventCode: { const: X3 }
  reasonCode: { const: NS }
  eventCity: { const: Joliet }
  eventState: { const: IL }
  time: { from: [Day, Clock], parse: "MM/dd/yyyy[ HH:mm[:ss]]", zone: { const: UTC } }
examples: [{ input: "Load,Day,Clock\\nL,x,y\\n", records: [{ errors: [] }] }]
`),
    );
    const clocks = [8.25 / 24, 8.2583333333 / 24];
    const rows = clocks.map((serial, at) => sheetRow(at + 2, ['L1', DATE, { serial, style: 2 }])).join('');
    const book = workbookOf({
      sheets: [{ name: 'Tab', rows: sheetRow(1, ['Load', 'Day', 'Clock']) + rows }],
      styles: [0, 14, 21],
    });
    expect((await mapped(mapping, book)).map(({ mapped: each }) => each.requests[0]?.body)).toMatchObject([
      { time: { dateTime: '2026-03-02T08:15:00.0000000+00:00' } },
      { time: { dateTime: '2026-03-02T08:15:30.0000000+00:00' } },
    ]);
  });

  it('has no form for a column that two times read in two ways, nor where its text is changed first', () => {
    const withTimes = (fields: string) =>
      compileMapping(
        ...documentOf(`
mapping: two-times
description: Two times.
source: { format: csv }
target: milestone
fields:
  loadNumber: Load
  eventCode: { const: X3 }
  reasonCode: { const: NS }
  eventCity: { const: Joliet }
  eventState: { const: IL }
${fields}
examples: [{ input: "Load,When\\nL,x\\n", records: [{ errors: [] }] }]
`),
      ).sheet?.moments.size;
    expect(withTimes('  time: { from: When, parse: dd.MM.yyyy HH:mm, zone: { const: UTC } }')).toBe(1);
    expect(withTimes('  time: { from: When, upper: true, parse: dd MMM yyyy, zone: { const: UTC } }')).toBe(0);
  });
});

describe('a mapping of CSV with comments', () => {
  const NOTES = compileMapping(
    ...documentOf(`
mapping: with-notes
description: A table with notes.
source: { format: csv, comment: "#" }
target: milestone
fields:
  loadNumber: Load
  eventCode: { const: X3 }
  reasonCode: { const: NS }
  eventCity: City
  eventState: { const: IL }
  time: { from: At, parse: MM/dd/yyyy, zone: { const: UTC } }
examples: [{ input: "Load,City,At\\nL1,,x\\n", records: [{ errors: [] }] }]
`),
  );
  const TABLE = [
    ['# Export of 2 March'],
    ['Load', 'City', 'At'],
    ['L1', 'Joliet', '03/02/2026'],
    ['#L2', 'Joliet', '03/02/2026'],
    ['L3', '# 7', '03/02/2026'],
    ['# end of export'],
  ];
  const loads = (records: readonly LocatedRecord[]) =>
    records.map(({ mapped: { requests, errors }, position: { line, place } }) => [
      (requests[0]?.body as { loadNumber?: string } | undefined)?.loadNumber ?? errors.map(({ code }) => code),
      line,
      place,
    ]);

  it('passes over the same rows of a workbook as of the file: above the header, between rows, and below them', async () => {
    const file = new TextEncoder().encode(TABLE.map((cells) => cells.join(',')).join('\n'));
    expect(loads(await mapped(NOTES, file))).toEqual([
      ['L1', 3, undefined],
      ['L3', 5, undefined],
    ]);
    expect(loads(await mapped(NOTES, workbookOfTexts(TABLE)))).toEqual([
      ['L1', 3, 'sheet "Sheet1", row 3'],
      ['L3', 5, 'sheet "Sheet1", row 5'],
    ]);
  });

  it('reads dates in the form of their column below a comment', async () => {
    const rows = sheetRow(1, ['# Export', 'Load', 'City']) + sheetRow(2, ['Load', 'City', 'At']);
    const book = workbookOf({
      sheets: [{ name: 'Tab', rows: rows + sheetRow(3, ['L1', 'Joliet', DATE]) }],
      styles: [0, 14],
    });
    expect(loads(await mapped(NOTES, book))).toEqual([['L1', 3, 'sheet "Tab", row 3']]);
  });

  it('does not pass over a row without a first cell below a comment', async () => {
    const rows = sheetRow(1, ['Load', 'City', 'At']) + sheetRow(2, ['# late ones']);
    const book = workbookOf({
      sheets: [{ name: 'Tab', rows: `${rows}<row r="3"><c r="B3" t="str"><v>Joliet</v></c></row>` }],
    });
    expect((await mapped(NOTES, book)).map(({ position: { line } }) => line)).toEqual([3]);
  });

  it.each([
    ['an error', '<c r="A2" t="e"><f>NA()</f><v>#N/A</v></c>'],
    ['a formula that was never calculated', '<c r="A2" t="str"><f>B2&amp;"x"</f></c>'],
  ])('does not take %s in the first cell for a comment', async (_what, cell) => {
    const rest = sheetRow(2, ['', 'Joliet', '03/02/2026']).replace(/<c r="A2".*?<\/c>/, cell);
    const book = workbookOf({ sheets: [{ name: 'Tab', rows: sheetRow(1, ['Load', 'City', 'At']) + rest }] });
    expect(await mapped(NOTES, book)).toHaveLength(1);
  });

  it('reads what was stored of a workbook as its text says, quoted marks too', () => {
    const text = '"Load",City,At\r\n"#L2",Joliet,03/02/2026\r\n';
    const { start, read } = readerOnSheet(NOTES.reader, 'Tab');
    const whole = readSlices(read, start, new TextEncoder().encode(text), 100_000);
    expect(whole.records.map(({ fields, position: { place } }) => [fields[0], place])).toEqual([
      ['#L2', 'sheet "Tab", row 2'],
    ]);
  });
});

function documentOf(text: string) {
  const checked = checkMapping(text, new Map());
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return [checked.value, new Map()] as const;
}

it.each([
  ['dd.MM.yyyy', undefined],
  ['dd.MM.yyyy HH:mm', '02.03.2026 08:05'],
  ['MM/dd/yyyy h:mm a', '03/02/2026 8:05 AM'],
  ["d MMM yy 'at' H:mm", '2 Mar 26 at 8:05'],
  ['yyyy-MM-dd HH:mm XXX', undefined],
  ['HH:mm', undefined],
  ['iso', undefined],
])('a date with a time in the form %s is %s', (pattern, text) => {
  const localMs = Date.UTC(2026, 2, 2, 8, 5);
  expect(momentWriter(pattern)?.({ localMs, hasDate: true, hasTime: true })).toBe(text);
});

it.each([
  ['HH:mm', ['HH:mm']],
  ['HH:mm[:ss]', ['HH:mm', 'HH:mm:ss']],
  ['dd[ HH[:mm[:ss]]]', ['dd', 'dd HH', 'dd HH:mm', 'dd HH:mm:ss']],
  ["dd'['[ 'at ['HH]", ["dd'['", "dd'[' 'at ['HH"]],
  ['d[1][2][3][4][5][6]', []],
])('the pattern %s is written as one of %j', (pattern, forms) => {
  expect(writtenForms(pattern)).toEqual(forms);
});
