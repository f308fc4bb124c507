/** Reads a workbook as a batch would: its sheet as CSV text, and the records of that. */
import { bytesInMemory, type StoredBytes } from '../../../../src/formats/slices.ts';
import { openSheet } from '../../../../src/formats/xlsx/convert.ts';
import { type XlsxSource, xlsxSource } from '../../../../src/formats/xlsx/declaration.ts';
import type { WorkbookProblem } from '../../../../src/formats/xlsx/problems.ts';
import { readerOnSheet, xlsxReader } from '../../../../src/formats/xlsx/reader.ts';
import { type WorkbookWhole, workbookOf } from '../../../workbook-files.ts';

export type Declared = Omit<Partial<XlsxSource>, 'format'>;
export const declare = (source: Declared = {}): XlsxSource => xlsxSource.parse({ format: 'xlsx', ...source });

export type Converted = { name: string; notes: string[]; text: string } | { problem: WorkbookProblem } | null;

export async function convert(stored: StoredBytes | Uint8Array, source: Declared = {}): Promise<Converted> {
  const opened = await openSheet(stored instanceof Uint8Array ? bytesInMemory(stored) : stored, declare(source));
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
  const bytes = new TextEncoder().encode(text);
  const { start, read } = readerOnSheet(xlsxReader(declare(source), { paths: [], lists: [] }), sheet);
  const records: { fields: readonly string[]; row: string; line: number; problem: string | undefined }[] = [];
  let columns: readonly string[] = [];
  let checkpoint = start;
  for (let size = sliceBytes; ; ) {
    const to = Math.min(checkpoint.byte + size, bytes.length);
    const slice = read(checkpoint, bytes.subarray(checkpoint.byte, to), to === bytes.length);
    if (slice.outcome === 'unreadable') return { records, columns, problems: slice.problems };
    if (slice.outcome === 'more') {
      size *= 2;
      continue;
    }
    ({ columns } = slice);
    for (const { fields, position, problem } of slice.records) {
      records.push({ fields, row: position.place ?? '', line: position.line, problem: problem?.code });
    }
    if (slice.finished) return { records, columns, problems: [] };
    checkpoint = JSON.parse(JSON.stringify(slice.checkpoint));
    size = sliceBytes;
  }
}
