/** Workbooks written part by part, so that a test can write what a program writes, and what none does. */
import { type ZipPart, zipOf } from './zip-files.ts';

export interface SheetPart {
  name: string;
  /** What stands inside of `sheetData`. */
  rows: string;
  state?: 'hidden' | 'veryHidden';
}

export interface WorkbookWhole {
  sheets: readonly SheetPart[];
  /** What stands inside of each `si`. */
  strings?: readonly string[];
  /** Number formats by number. */
  formats?: Readonly<Record<number, string>>;
  /** The number of the format of each cell style, from style 0 on. */
  styles?: readonly number[];
  date1904?: boolean;
  /** Written instead of the part of that name, or beside the others; null leaves it out. */
  parts?: Readonly<Record<string, string | Uint8Array | null>>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE_RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export const workbookOf = (whole: WorkbookWhole): Uint8Array<ArrayBuffer> => zipOf(workbookParts(whole));

export function workbookParts({ parts = {}, ...whole }: WorkbookWhole): ZipPart[] {
  const all = new Map<string, string | Uint8Array | null>([
    ...Object.entries(usualParts(whole)),
    ...Object.entries(parts),
  ]);
  return [...all].flatMap(([name, content]) => (content === null ? [] : [{ name, content }]));
}

function usualParts(whole: Omit<WorkbookWhole, 'parts'>): Record<string, string> {
  const { sheets, strings, formats = {}, styles = [0], date1904 } = whole;
  const kinds = [
    ...sheets.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`]),
    ['styles', 'styles.xml'],
  ];
  if (strings !== undefined) kinds.push(['sharedStrings', 'sharedStrings.xml']);
  const listed = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${xmlText(name)}" sheetId="${index + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${index + 1}"/>`,
  );
  const numFmts = Object.entries(formats).map(
    ([id, code]) => `<numFmt numFmtId="${id}" formatCode="${xmlText(code)}"/>`,
  );
  return {
    '[Content_Types].xml': `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><workbookPr${date1904 ? ' date1904="1"' : ''}/><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(kinds),
    'xl/styles.xml': `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts>${numFmts.join('')}</numFmts><cellXfs>${styles.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    ...(strings === undefined ? {} : { 'xl/sharedStrings.xml': sharedStringsXml(strings) }),
    ...Object.fromEntries(sheets.map(({ rows }, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(rows)])),
  };
}

export const sheetXml = (rows: string): string =>
  `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;
export const sharedStringsXml = (strings: readonly string[]): string =>
  `${DECLARATION}<sst xmlns="${MAIN}">${strings.map((inner) => `<si>${inner}</si>`).join('')}</sst>`;

const relationships = (kinds: readonly string[][]): string =>
  `${DECLARATION}<Relationships xmlns="${PACKAGE_RELATIONSHIPS}">${kinds
    .map(
      ([kind, target], index) =>
        `<Relationship Id="rId${index + 1}" Type="${RELATIONSHIPS}/${kind}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

/** Every text of the rows as a shared string of its own place in the list, equal ones shared, empty ones left out. */
export function workbookOfTexts(rows: readonly (readonly string[])[], name = 'Sheet1'): Uint8Array<ArrayBuffer> {
  const strings = [...new Set(rows.flat())];
  const at = new Map(strings.map((text, index) => [text, index]));
  const rowXml = (texts: readonly string[], row: number): string =>
    `<row r="${row + 1}">${texts
      .map((text, column) =>
        text === '' ? '' : `<c r="${letters(column)}${row + 1}" t="s"><v>${at.get(text)}</v></c>`,
      )
      .join('')}</row>`;
  const inner = strings.map((text) => `<t xml:space="preserve">${xmlText(escaped(text))}</t>`);
  return workbookOf({ sheets: [{ name, rows: rows.map(rowXml).join('') }], strings: inner });
}

/** @param column from 0. */
export const letters = (column: number): string =>
  column < 26 ? String.fromCharCode(65 + column) : letters(Math.floor(column / 26) - 1) + letters(column % 26);

export const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What XML cannot hold or would change, and what looks like an escape, as Excel writes it. */
const escaped = (text: string): string =>
  text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[^\P{Cc}\t\n]|[\ufffe\uffff]/gu,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
