/**
 * Rows of a table that were corrected one by one: which of their cells are at fault, and the corrected rows as a file of
 * their mapping, in which each names the row it replaces. Pure.
 */
import type { CsvSource } from '../../formats/csv/declaration.ts';
import type { FixedSource } from '../../formats/fixed/declaration.ts';
import { REPLACED_BATCH, REPLACED_RECORD } from '../../formats/record-reader.ts';
import { type AroundJson, correctedJson, csvCell } from './corrections.ts';
import { fixedCells, withFixedChanges } from './fixed-cells.ts';
import { jsonCells, missingCells, withJsonChanges } from './json-cells.ts';
import type { OriginalRow } from './original.ts';
import { BYTE_ORDER_MARK, ownColumns } from './report-csv.ts';

/** @property charactersMax of a field of a fixed width. */
export type RowCell = NonNullable<OriginalRow['cells']>[number] & { charactersMax?: number };

/** Without what an earlier report or correction added. */
export function ownCells(cells: readonly RowCell[]): RowCell[] {
  const own = new Set(ownColumns(cells.map(({ column }) => column)));
  return cells.filter(({ column }) => own.has(column));
}

/**
 * The cells that a problem is about: a problem names a column, or several (`Event Date, Event Time`).
 * @returns their places in the row, without those of columns that the row lacks; none: it is about no single cell.
 */
export function cellsAtFault(path: string, columns: readonly string[]): number[] {
  if (path === '') return [];
  const names = columns.map((column) => column.trim());
  const single = names.indexOf(path);
  if (single !== -1) return [single];
  return (
    severalIn(path, names) ?? path.split(BETWEEN).flatMap((name) => (names.includes(name) ? names.indexOf(name) : []))
  );
}

const BETWEEN = ', ';

/** A name may itself have a comma: the longest one that fits is tried first. */
function severalIn(path: string, names: readonly string[]): number[] | null {
  const fitting = names
    .map((name, at) => ({ name, at }))
    .filter(({ name }) => name !== '' && (path === name || path.startsWith(name + BETWEEN)))
    .sort((one, other) => other.name.length - one.name.length);
  for (const { name, at } of fitting) {
    if (path === name) return [at];
    const rest = severalIn(path.slice(name.length + BETWEEN.length), names);
    if (rest !== null) return [at, ...rest];
  }
  return null;
}

/** @property original text of a record in JSON, or of a line of fixed width. */
export interface CorrectedRow {
  record: number;
  cells: readonly RowCell[];
  original?: string;
}

/** @property why it cannot be written, the end of a sentence. */
export interface NotWritable {
  record: number;
  cell: RowCell;
  why: string;
}

/** @param changes by name of the column; a name that the row lacks is a mistake of the caller. */
export function withChanges(
  row: CorrectedRow,
  changes: Readonly<Record<string, string>>,
): CorrectedRow | { unknown: string } {
  const { cells } = row;
  const unknown = Object.keys(changes).find((name) => !cells.some(({ column }) => column === name));
  if (unknown !== undefined) return { unknown };
  return { ...row, cells: cells.map((cell) => ({ ...cell, text: changes[cell.column] ?? cell.text })) };
}

/** @returns the first cell that would end where it should not: where cells are never quoted, a separator is none of their text. */
export function unquotableIn(rows: readonly CorrectedRow[], { quote, delimiter }: CsvSource): NotWritable | undefined {
  if (quote !== '') return;
  const why = `cells of this file are not quoted, so none can have "${delimiter}" or a line break in it`;
  const found = rows.flatMap(({ record, cells }) => cells.map((cell) => ({ record, cell, why })));
  return found.find(({ cell: { text } }) => (text + delimiter).indexOf(delimiter) < text.length || /[\r\n]/.test(text));
}

/** @param source with a header: without one the rows could not name those they replace. */
export function correctedCsv(source: CsvSource, batchId: string, rows: readonly CorrectedRow[]): string {
  const columns = [...new Set(rows.flatMap(({ cells }) => cells.map(({ column }) => column)))];
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell) => csvCell(cell, source)).join(source.delimiter)}\r\n`;
  const textIn = ({ cells }: CorrectedRow, name: string): string =>
    cells.find(({ column }) => column === name)?.text ?? '';
  return [
    BYTE_ORDER_MARK + '\r\n'.repeat(source.skipLines),
    line([...columns, REPLACED_BATCH, REPLACED_RECORD]),
    ...rows.map((row) => line([...columns.map((name) => textIn(row, name)), batchId, String(row.record)])),
  ].join('');
}

/**
 * A JSON record as a row of cells, with empty ones for what its problems miss.
 * @returns null: it cannot be shown as such, or two of its cells are called the same, as where a name reads like a path.
 */
export function jsonRow(record: number, original: string, paths: readonly string[]): CorrectedRow | null {
  const cells = jsonCells(original)?.map(({ column, text }) => ({ column, text }));
  if (cells === undefined) return null;
  const own = cells.filter(({ column }) => column !== REPLACED_BATCH && column !== REPLACED_RECORD);
  if (new Set(own.map(({ column }) => column)).size < own.length) return null;
  return { record, original, cells: [...own, ...missingCells(paths, own).map((column) => ({ column, text: '' }))] };
}

/** As `correctedCsv`, for records in JSON: only what was changed differs from the record as it came. */
export function correctedJsonFile(batchId: string, around: AroundJson, rows: readonly CorrectedRow[]): string {
  const texts = rows.map(({ record, cells, original = '{}' }) => {
    const before = new Map(jsonCells(original)?.map(({ column, text }) => [column, text]));
    const changed = cells.filter(({ column, text }) => (before.get(column) ?? '') !== text);
    const changes = Object.fromEntries(changed.map(({ column, text }) => [column, text]));
    return { record, text: withJsonChanges(original, changes) };
  });
  return correctedJson(batchId, around, texts);
}

/** A line of fixed width as a row of cells; null: it cannot be shown as such. */
export function fixedRow(record: number, original: string, source: FixedSource): CorrectedRow | null {
  const cells = fixedCells(original, source);
  return cells === null ? null : { record, original, cells };
}

/** The line with what was changed in it. */
export function correctedLine({ cells, original = '' }: CorrectedRow, source: FixedSource): string {
  const before = new Map(fixedCells(original, source)?.map(({ column, text }) => [column, text]));
  const changed = cells.filter(({ column, text }) => before.get(column) !== text);
  return withFixedChanges(original, source, Object.fromEntries(changed.map(({ column, text }) => [column, text])));
}
