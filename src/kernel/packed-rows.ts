/**
 * Many rows → one text, column by column. A column that is the same in nearly all rows is written once, with its
 * exceptions, so that a row costs its own values and not its names. The text says its form, and a form of a later
 * release is refused.
 */
import { STORED_DATA_NEWER } from './migrate.ts';

/** As JSON has it; `undefined` of a member: the row does not have it. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Names of members are the caller's own, never a partner's: `__proto__` is none of them. */
export type PackableRow = { readonly [name: string]: JsonValue | undefined };

const FORM = 1;

/** Highest share of rows that are exceptions in a column written once. Ours: an exception costs its row's number, too. */
const EXCEPTIONS_MAX = 0.25;

/**
 * A value per row; or the exceptions: `are` of the rows `at`, and `others` of all others. Rows without the member count
 * as exceptions under `lack`; `others` absent: all others lack it.
 */
type Column = JsonValue[] | { others?: JsonValue; at?: number[]; are?: JsonValue[]; lack?: number[] };

export interface Packed {
  form: number;
  rows: number;
  columns: [name: string, column: Column][];
}

/** Only what JSON can write: a number that is none would come back as null. */
export const packRows = (rows: readonly PackableRow[]): string => JSON.stringify(packedRows(rows));

/** The same, as part of a larger text. */
export function packedRows(rows: readonly PackableRow[]): Packed {
  const names = new Set<string>();
  for (const row of rows) for (const name in row) names.add(name);
  const columns = [...names].map((name): [string, Column] => [name, columnOf(rows, name)]);
  return { form: FORM, rows: rows.length, columns };
}

function columnOf(rows: readonly PackableRow[], name: string): Column {
  const others = mostCommon(rows, name);
  const at: number[] = [];
  const are: JsonValue[] = [];
  const lack: number[] = [];
  let index = -1;
  for (const row of rows) {
    index += 1;
    const value = row[name];
    if (value === others) continue;
    if (value === undefined) lack.push(index);
    else {
      at.push(index);
      are.push(value);
    }
  }
  const isInAll = others !== undefined && lack.length === 0;
  if (isInAll && at.length > rows.length * EXCEPTIONS_MAX) return rows.map((row) => row[name] as JsonValue);
  return {
    ...(others === undefined ? {} : { others }),
    ...(at.length > 0 ? { at, are } : {}),
    ...(lack.length > 0 ? { lack } : {}),
  };
}

/** The value of more than half of the rows, if there is one; otherwise any of them. By identity: texts and numbers. */
function mostCommon(rows: readonly PackableRow[], name: string): JsonValue | undefined {
  let candidate: JsonValue | undefined;
  let lead = 0;
  for (const row of rows) {
    const value = row[name];
    if (lead === 0) candidate = value;
    lead += value === candidate ? 1 : -1;
  }
  return candidate;
}

/** @throws for a text of a later release. The caller knows what the rows are. */
export const unpackRows = <Row extends PackableRow>(text: string): Row[] => rowsIn<Row>(JSON.parse(text) as Packed);

/** The same, of part of a larger text. */
export function rowsIn<Row extends PackableRow>(packed: Packed): Row[] {
  if (packed.form !== FORM) {
    throw new Error(
      `${STORED_DATA_NEWER}: rows are packed in form ${packed.form}, and this release knows form ${FORM}. Deploy the release that wrote them, or a later one. Nothing was changed.`,
    );
  }
  const rows: Record<string, JsonValue>[] = Array.from({ length: packed.rows }, () => ({}));
  for (const [name, column] of packed.columns) {
    if (isPerRow(column)) for (const [index, row] of rows.entries()) row[name] = column[index] as JsonValue;
    else unpackColumn(rows, name, column);
  }
  return rows as Row[];
}

const isPerRow = (column: Column): column is JsonValue[] => Array.isArray(column);

function unpackColumn(
  rows: Record<string, JsonValue>[],
  name: string,
  { others, at = [], are = [], lack = [] }: Exclude<Column, JsonValue[]>,
): void {
  if (others !== undefined) {
    const without = new Set(lack);
    for (const [index, row] of rows.entries()) if (!without.has(index)) row[name] = others;
  }
  for (const [position, index] of at.entries()) {
    const row = rows[index];
    if (row !== undefined) row[name] = are[position] as JsonValue;
  }
}
