/**
 * A record of a sample file before it is written: texts by column, and the elements of its arrays.
 *
 * Columns are named without blanks around them, as files are bound. A column without a text is empty.
 */
import type { Cells, RecordShape } from '../formats/record-reader.ts';

export interface Draft {
  cells: ReadonlyMap<string, string>;
  /** By path; only a tree has any. */
  lists: ReadonlyMap<string, readonly Draft[]>;
}

/** What becomes one request or several: a record, or the rows of a group. */
export type DraftGroup = readonly Draft[];

/** @param columns of the file; @param shape tells the arrays apart. */
export function draftOf({ fields, lists }: Cells, columns: readonly string[], shape: RecordShape): Draft {
  const cells = columns.flatMap((column, index) => {
    const text = fields[index] ?? '';
    return text === '' ? [] : [[column.trim(), text] as const];
  });
  const arrays = shape.lists.map(({ path, shape: inner }, index) => {
    const items = (lists[index] ?? []).map((item) => draftOf(item, inner.paths, inner));
    return [path, items] as const;
  });
  return { cells: new Map(cells), lists: new Map(arrays) };
}

/** The records themselves, or all elements of the array at a path of arrays. */
export const draftsIn = (drafts: readonly Draft[], scope: readonly string[]): readonly Draft[] =>
  scope.reduce<readonly Draft[]>((outer, path) => outer.flatMap(({ lists }) => lists.get(path) ?? []), drafts);

/** What is read of the elements at a path of arrays. */
export function shapeIn(shape: RecordShape, scope: readonly string[]): RecordShape {
  return scope.reduce(
    (outer, path) => outer.lists.find((list) => list.path === path)?.shape ?? { paths: [], lists: [] },
    shape,
  );
}

export const columnsOf = (shape: RecordShape): string[] => [...new Set(shape.paths.map((column) => column.trim()))];

/** The values from the n-th on, then those before it. */
export function rotated<Value>(values: readonly Value[], turn: number): Value[] {
  const from = values.length === 0 ? 0 : turn % values.length;
  return [...values.slice(from), ...values.slice(0, from)];
}
