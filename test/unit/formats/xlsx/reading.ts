/** Reads a workbook as a batch would: its sheet as CSV text, and the records of that. */
import { bytesInMemory, type StoredBytes } from '../../../../src/formats/slices.ts';
import { openSheet } from '../../../../src/formats/xlsx/convert.ts';
import { sheetOfXlsx, type XlsxSource, xlsxSource } from '../../../../src/formats/xlsx/declaration.ts';
import type { WorkbookProblem } from '../../../../src/formats/xlsx/problems.ts';
import { readerOnSheet, xlsxReader } from '../../../../src/formats/xlsx/reader.ts';
import { type WorkbookWhole, workbookOf } from '../../../workbook-files.ts';
import { readSlices } from '../whole-read.ts';

export type Declared = Omit<Partial<XlsxSource>, 'format'>;
export const declare = (source: Declared = {}): XlsxSource => xlsxSource.parse({ format: 'xlsx', ...source });

export type Converted = { name: string; notes: string[]; text: string } | { problem: WorkbookProblem } | null;

export async function convert(stored: StoredBytes | Uint8Array, source: Declared = {}): Promise<Converted> {
  const opened = await openSheet(
    stored instanceof Uint8Array ? bytesInMemory(stored) : stored,
    sheetOfXlsx(declare(source)),
  );
  if (!opened.ok) return { problem: opened.error };
  if (opened.value === null) return null;
  const { name, notes, csv } = opened.value;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const rows = csv();
  let text = '';
  for (;;) {
    const { done, value } = await rows.next();
    if (!done) text += decoder.decode(value, { stream: true });
    else return value === null ? { name, notes, text: text + decoder.decode() } : { problem: value };
  }
}

export const problemOf = async (stored: StoredBytes | Uint8Array, source: Declared = {}): Promise<unknown> => {
  const converted = await convert(stored, source);
  return converted !== null && 'problem' in converted ? converted.problem : 'read';
};

/** The CSV text of a workbook; fails the test when there is none. */
export async function textOf(stored: StoredBytes | Uint8Array, source: Declared = {}): Promise<string> {
  const converted = await convert(stored, source);
  if (converted === null || 'problem' in converted) throw new Error(JSON.stringify(converted));
  return converted.text;
}

/** The text of one cell, given as XML, with the strings, styles and formats of the workbook. */
export async function cellOf(cell: string, whole: Omit<Partial<WorkbookWhole>, 'sheets'> = {}, source: Declared = {}) {
  const rows = `<row r="1">${cell}</row>`;
  const text = await textOf(workbookOf({ ...whole, sheets: [{ name: 'S', rows }] }), {
    header: false,
    columns: ['A'],
    ...source,
  });
  const [record] = recordsOf(text, { header: false, columns: ['A'] }).records;
  return record?.fields[0];
}

/** The records of a sheet's text, read in slices of a length; longer ones where no record fits. */
export function recordsOf(text: string, source: Declared = {}, sliceBytes = 100_000, sheet = 'S') {
  const { start, read } = readerOnSheet(xlsxReader(declare(source), { paths: [], lists: [] }), sheet);
  const whole = readSlices(read, start, new TextEncoder().encode(text), sliceBytes);
  const records = whole.records.map(({ fields, position, problem }) => ({
    fields,
    row: position.place ?? '',
    line: position.line,
    problem: problem?.code,
  }));
  return { records, columns: whole.columns, problems: whole.problems };
}
