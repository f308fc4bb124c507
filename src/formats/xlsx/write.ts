/**
 * Rows of texts → a workbook with one sheet, in which some cells are marked. Every cell has the format "text": a program
 * that opens it makes no date and no number of what a person types, so that it comes back as it was typed.
 */
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { columnLetters } from './convert.ts';

/** `wrong`: with a fill that shows; `name`: of a column; `note`: beside the row, not of it. */
export type CellLook = 'plain' | 'wrong' | 'name' | 'note';
export interface WrittenCell {
  text: string;
  look: CellLook;
}

/** @property sheet its name, or its place: then empty sheets stand before it. firstRow: where the rows begin, from 1. */
interface WrittenWorkbook {
  sheet: string | number;
  firstRow: number;
  rows: readonly (readonly WrittenCell[])[];
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** In the order of `cellXfs` below. */
const STYLES: Readonly<Record<CellLook, number>> = { plain: 1, wrong: 2, name: 3, note: 4 };
/** The number format "text" (ECMA-376-1 18.8.30). */
const TEXT_FORMAT = 49;
/** Width of a column, in characters. Ours: a date with its time fits. */
const COLUMN_WIDTH = 18;
const NOTE_WIDTH = 48;

export async function writeWorkbook({ sheet, firstRow, rows }: WrittenWorkbook): Promise<Uint8Array<ArrayBuffer>> {
  const place = typeof sheet === 'number' ? sheet : 1;
  const names = Array.from({ length: place }, (_, at) =>
    at + 1 === place && typeof sheet === 'string' ? sheet : `Sheet${at + 1}`,
  );
  const numbers = names.map((_, at) => at + 1);
  const parts: [string, string][] = [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${numbers.map((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${TYPES}.worksheet+xml"/>`).join('')}</Types>`,
    ],
    ['_rels/.rels', relationships([['officeDocument', 'xl/workbook.xml']])],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><bookViews><workbookView activeTab="${place - 1}"/></bookViews><sheets>${names.map((name, at) => `<sheet name="${xmlText(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relationships([
        ...numbers.map((number): [string, string] => ['worksheet', `worksheets/sheet${number}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ],
    ['xl/styles.xml', STYLES_XML],
    ...numbers.map((number): [string, string] => [
      `xl/worksheets/sheet${number}.xml`,
      number === place ? sheetXml(rows, firstRow) : sheetXml([], 1),
    ]),
  ];
  return zipped(parts);
}

const relationships = (targets: readonly [kind: string, target: string][]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${targets.map(([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`).join('')}</Relationships>`;

const xf = (font: number, fill: number, more = ''): string =>
  `<xf numFmtId="${TEXT_FORMAT}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"${more}`;

const STYLES_XML = `${XML}<styleSheet xmlns="${MAIN}"><fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font><font><i/><sz val="11"/><color rgb="FF9C0006"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFC7CE"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${xf(0, 0, '/>')}${xf(1, 2, '/>')}${xf(1, 0, '/>')}${xf(2, 0, ' applyAlignment="1"><alignment wrapText="1" vertical="top"/></xf>')}</cellXfs></styleSheet>`;

function sheetXml(rows: readonly (readonly WrittenCell[])[], firstRow: number): string {
  const widths = (rows[0] ?? []).map(({ look }, at) => {
    const isNote = rows[1]?.[at]?.look === 'note' || look === 'note';
    return `<col min="${at + 1}" max="${at + 1}" width="${isNote ? NOTE_WIDTH : COLUMN_WIDTH}" customWidth="1" style="1"/>`;
  });
  const frozen = `<sheetViews><sheetView workbookViewId="0"><pane ySplit="${firstRow}" topLeftCell="A${firstRow + 1}" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;
  const lines = rows.map((cells, at) => rowXml(cells, firstRow + at));
  const isFilled = rows.length > 0;
  return `${XML}<worksheet xmlns="${MAIN}">${isFilled ? `${frozen}<cols>${widths.join('')}</cols>` : ''}<sheetData>${lines.join('')}</sheetData></worksheet>`;
}

function rowXml(cells: readonly WrittenCell[], row: number): string {
  const written = cells.map(({ text, look }, at) => {
    const place = `r="${columnLetters(at + 1)}${row}" s="${STYLES[look]}"`;
    return text === ''
      ? `<c ${place}/>`
      : `<c ${place} t="inlineStr"><is><t xml:space="preserve">${xmlText(escaped(text))}</t></is></c>`;
  });
  return `<row r="${row}">${written.join('')}</row>`;
}

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What XML cannot hold, and what looks like such an escape (ECMA-376-1 22.4.2.4). */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[^\P{Cc}\t\n]|[\ufffe\uffff]/gu,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );

/* A ZIP of texts, deflated (APPNOTE.TXT 4.3). */

interface Entry {
  name: Buffer;
  packed: Buffer;
  bytes: number;
  crc: number;
  at: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const DEFLATED = 8;
/** 1980-01-01: the same rows are the same bytes. */
const NO_DATE = 0x0021;

async function zipped(parts: readonly [name: string, text: string][]): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  const entries: Entry[] = [];
  let at = 0;
  const push = (piece: Buffer): void => {
    pieces.push(piece);
    at += piece.length;
  };
  for (const [path, text] of parts) {
    const content = Buffer.from(text, 'utf8');
    const entry: Entry = {
      name: Buffer.from(path),
      packed: await deflated(content),
      bytes: content.length,
      crc: crc32(content),
      at,
    };
    entries.push(entry);
    push(numbers([LOCAL, 4], [VERSION, 2], ...facts(entry)));
    push(entry.name);
    push(entry.packed);
  }
  const directory = at;
  for (const entry of entries) {
    push(
      numbers([CENTRAL, 4], [VERSION, 2], [VERSION, 2], ...facts(entry), [0, 2], [0, 2], [0, 2], [0, 4], [entry.at, 4]),
    );
    push(entry.name);
  }
  const count: [number, 2 | 4] = [entries.length, 2];
  push(numbers([END, 4], [0, 2], [0, 2], count, count, [at - directory, 4], [directory, 4], [0, 2]));
  return new Uint8Array(Buffer.concat(pieces));
}

const facts = ({ name, packed, bytes, crc }: Entry): [number, 2 | 4][] => [
  ...([
    [0, 2],
    [DEFLATED, 2],
    [0, 2],
    [NO_DATE, 2],
  ] as [number, 2][]),
  ...([
    [crc, 4],
    [packed.length, 4],
    [bytes, 4],
  ] as [number, 4][]),
  ...([
    [name.length, 2],
    [0, 2],
  ] as [number, 2][]),
];

function numbers(...values: readonly [value: number, bytes: 2 | 4][]): Buffer {
  const written = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of values) at = written.writeUIntLE(value, at, bytes);
  return written;
}

async function deflated(content: Uint8Array): Promise<Buffer> {
  const packed = new Blob([content as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  return Buffer.from(await new Response(packed).arrayBuffer());
}
