/** Corrections as a workbook: read back by the same mapping, every cell is the text that was written. */
import { inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { csvSource } from '../../../src/formats/csv/declaration.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { openSheet } from '../../../src/formats/xlsx/convert.ts';
import { sheetOfCsv, sheetOfXlsx, xlsxSource } from '../../../src/formats/xlsx/declaration.ts';
import { type WrittenCell, writeWorkbook } from '../../../src/formats/xlsx/write.ts';

const cells = (...texts: string[]): WrittenCell[] =>
  texts.map((text, at) => ({ text, look: at === 1 ? 'wrong' : 'plain' }));
const ROWS = [
  cells('Load #', 'Event Date', 'Pro'),
  cells('L<1> & "2"', '03/02/2026', '0012'),
  cells('_x0041_', 'a\u0001b', "'=1+1"),
  cells('', 'Zürich 😀', ''),
];

async function readBack(
  book: Uint8Array,
  reading: Parameters<typeof openSheet>[1],
): Promise<{ name: string; text: string }> {
  const opened = await openSheet(bytesInMemory(book), reading);
  if (!opened.ok || opened.value === null) throw new Error(JSON.stringify(opened));
  const pieces: Uint8Array[] = [];
  for await (const piece of opened.value.csv()) pieces.push(piece);
  return { name: opened.value.name, text: Buffer.concat(pieces).toString('utf8') };
}

it('every text comes back as it was written, on the first sheet of a mapping of CSV', async () => {
  const book = await writeWorkbook({ sheet: 1, firstRow: 1, rows: ROWS });
  const { text } = await readBack(book, sheetOfCsv(csvSource.parse({ format: 'csv' }), new Map()));
  expect(text.split('\r\n')).toEqual([
    '"Load #",Event Date,Pro',
    '"L<1> & ""2""",03/02/2026,0012',
    '"_x0041_",a\u0001b,\'=1+1',
    '"",Zürich 😀,',
    '',
  ]);
});

it.each([
  ['Status', 'Status'],
  [3, 'Sheet3'],
])('it is where the mapping looks for it: sheet %s, below the rows above its header', async (sheet, name) => {
  const book = await writeWorkbook({ sheet, firstRow: 4, rows: ROWS });
  const read = await readBack(book, sheetOfXlsx(xlsxSource.parse({ format: 'xlsx', sheet, headerRow: 4 })));
  expect(read.name).toBe(name);
  expect(read.text).toMatch(/^\r\n\r\n\r\n"Load #"/);
});

/** The text of a part, by its local header. */
function partOf(book: Uint8Array, wanted: string): string {
  const all = Buffer.from(book);
  for (let at = 0; all.readUInt32LE(at) === 0x04034b50; ) {
    const [packed, nameBytes] = [all.readUInt32LE(at + 18), all.readUInt16LE(at + 26)];
    const from = at + 30 + nameBytes;
    const name = all.toString('utf8', at + 30, from);
    if (name === wanted) return inflateRawSync(all.subarray(from, from + packed)).toString('utf8');
    at = from + packed;
  }
  throw new Error(wanted);
}

it('wrong cells have a fill, and every cell is a text, so that no program makes a date of what is typed', async () => {
  const book = await writeWorkbook({ sheet: 1, firstRow: 1, rows: ROWS });
  const styles = [
    ...partOf(book, 'xl/styles.xml').matchAll(/<xf numFmtId="(\d+)" fontId="\d+" fillId="(\d+)"[^>]*xfId/g),
  ];
  const sheet = partOf(book, 'xl/worksheets/sheet1.xml');
  const styleOf = (cell: string) => styles[Number(new RegExp(`r="${cell}" s="(\\d+)"`).exec(sheet)?.[1])];
  expect([styleOf('A2')?.[1], styleOf('A2')?.[2]]).toEqual(['49', '0']);
  expect([styleOf('B2')?.[1], styleOf('B2')?.[2]]).toEqual(['49', '2']);
  expect(styleOf('A4')?.[1]).toBe('49');
});
