/**
 * Turns the cells of one scanned record into text, one field per column, and finds what is wrong with it.
 *
 * A record without a problem has exactly as many fields as there are columns. Pure.
 */
import { utf8InsteadAt } from '../encoding.ts';
import { hexOf, type TextSlice } from '../text-slice.ts';
import { type Dialect, isBlank } from './declaration.ts';
import type { CsvLimits } from './limits.ts';
import type { ColumnRef, CsvProblem, CsvRecordProblem } from './problems.ts';
import type { QuoteFault, Scan } from './scan.ts';

export interface Reading {
  slice: TextSlice;
  dialect: Dialect;
  limits: CsvLimits;
  columns: readonly string[];
  /** Cells of every row: more than columns if rows end with delimiters that the header does not have. */
  width: number;
}

export interface Shaped {
  fields: readonly string[];
  problem?: CsvProblem;
}

type ScannedRecord = Scan & { kind: 'record' };

/** @param from offset of the record in the slice */
export function shapeRecord(reading: Reading, from: number, scan: ScannedRecord): Shaped {
  const { columns, slice } = reading;
  const texts = textsOf(reading, scan.cells, scan.ascii);
  const problem =
    widthProblem(reading, scan.count, texts) ??
    sizeProblem(reading, scan) ??
    (scan.ascii ? undefined : encodingProblem(reading, from, scan, texts)) ??
    (reading.slice.hasNul ? nulProblem(reading, from, texts) : undefined);
  if (problem === undefined) {
    if (texts.length === columns.length) return { fields: texts };
    return { fields: columns.map((_, index) => texts[index] ?? '') };
  }
  // A cell of megabytes is not worth storing: its bytes can be found again by the record's position.
  const cellUnitsMax = reading.limits.cellBytesMax / slice.codec.unitBytes;
  return { fields: texts.map((text) => (text.length > cellUnitsMax ? '' : text)), problem };
}

/** The cells before the fault, and the fault with its location in the file. @param line of the record's first line */
export function shapeFault(reading: Reading, line: number, scan: Scan & { kind: 'fault' }): Shaped {
  return { fields: textsOf(reading, scan.cells, false), problem: quoteProblem(reading, line, scan.fault) };
}

function quoteProblem(reading: Pick<Reading, 'slice' | 'columns'>, line: number, fault: QuoteFault): CsvRecordProblem {
  const { slice } = reading;
  const facts = {
    column: columnRef(reading.columns, fault.column),
    line: line + fault.linesBefore,
    byte: slice.byteAt(fault.quoteAt),
    text: slice.excerpt(fault.quoteAt),
  };
  if (fault.code === 'unclosed_quote') return { code: 'unclosed_quote', ...facts };
  return { code: 'bad_quote', found: fault.code, ...facts };
}

/** @param number counts from 1 */
export function columnRef(columns: readonly string[], number: number): ColumnRef {
  return { number, name: columns[number - 1] ?? '' };
}

function textsOf(reading: Reading, cells: string[], ascii: boolean): string[] {
  const { slice, dialect } = reading;
  if (ascii && !dialect.trim) return cells;
  return cells.map((cell) => slice.codec.toText(dialect.trim ? trimBlanks(cell, dialect) : cell));
}

function trimBlanks(cell: string, dialect: Dialect): string {
  let from = 0;
  let to = cell.length;
  while (from < to && isBlank(cell.charCodeAt(from), dialect)) from++;
  while (to > from && isBlank(cell.charCodeAt(to - 1), dialect)) to--;
  return cell.slice(from, to);
}

/**
 * Three deviations are tolerated because they cannot put a cell into a wrong column: empty cells after the last column
 * if every row has them, missing cells of nameless columns at the end of the header, and a row without any text.
 */
function widthProblem(reading: Reading, count: number, texts: string[]): CsvRecordProblem | undefined {
  const { columns, width, limits } = reading;
  if (count === columns.length && width === columns.length) return undefined;
  if (count > limits.columnsMax) return { code: 'too_many_columns', found: count, columnsMax: limits.columnsMax };
  if (count >= columns.length) {
    const surplus = texts.slice(columns.length).find((text) => text.trim() !== '') ?? '';
    const isEmpty = surplus === '' && (count === width || texts.every((text) => text.trim() === ''));
    return isEmpty ? undefined : { code: 'ragged_row', wanted: width, found: count, missing: null, surplus };
  }
  const index = columns.findIndex((name, at) => at >= count && name !== '');
  if (index === -1) return undefined;
  const missing = columnRef(columns, index + 1);
  return { code: 'ragged_row', wanted: columns.length, found: count, missing, surplus: '' };
}

function sizeProblem(reading: Reading, scan: ScannedRecord): CsvRecordProblem | undefined {
  if (scan.large === null) return undefined;
  const { slice, columns, limits } = reading;
  return {
    code: 'cell_too_large',
    column: columnRef(columns, scan.large.column),
    bytes: scan.large.units * slice.codec.unitBytes,
    bytesMax: limits.cellBytesMax,
    byte: slice.byteAt(scan.large.at),
    text: slice.excerpt(scan.large.at),
  };
}

function encodingProblem(
  reading: Reading,
  from: number,
  scan: ScannedRecord,
  texts: string[],
): CsvRecordProblem | undefined {
  const { slice, columns } = reading;
  const { codec } = slice;
  const units = slice.text.slice(from, scan.to);
  const utf8At = utf8InsteadAt(units, codec);
  const at = utf8At === -1 ? codec.badAt(units) : utf8At;
  if (at === -1) return undefined;
  const isIn = (cell: string) => (utf8At === -1 ? codec.badAt(cell) : utf8InsteadAt(cell, codec)) !== -1;
  const index = scan.cells.findIndex(isIn);
  if (index === -1) return undefined; // the declared delimiter itself is such a sequence
  return {
    code: 'bad_encoding',
    encoding: codec.encoding,
    found: utf8At === -1 ? null : 'utf-8',
    column: columnRef(columns, index + 1),
    byte: slice.byteAt(from + at),
    hex: hexOf(units, at, codec),
    text: texts[index] ?? '',
  };
}

function nulProblem(reading: Reading, from: number, texts: string[]): CsvRecordProblem | undefined {
  const index = texts.findIndex((text) => text.includes('\0'));
  if (index === -1) return undefined;
  return {
    code: 'nul_character',
    column: columnRef(reading.columns, index + 1),
    byte: reading.slice.byteAt(reading.slice.text.indexOf('\0', from)),
    text: texts[index] ?? '',
  };
}
