/**
 * Says where a row belongs: to the group of its key, to none because the mapping leaves it out, or in doubt.
 *
 * A row in doubt cannot be read, or names no key. It may belong to the rows before it or to those after it. Pure.
 */
import type { ReadRecord } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { GroupReader } from './compile.ts';
import { addRow, newGroup, type RowGroup } from './row-group.ts';

/** `row` is the record with the problem that it has, also where it is only that it names no key. */
export type RowPlace =
  | { place: 'group'; key: string; row: ReadRecord }
  | { place: 'doubtful'; row: ReadRecord }
  | { place: 'skipped' };

/** @param open the group of the row before. */
export function placeRow(reader: GroupReader, record: ReadRecord, open: RowGroup | null): RowPlace {
  const { problem, fields } = record;
  if (problem === undefined && reader.isSkipped(fields)) return { place: 'skipped' };
  const key = keyOf(reader, record);
  if (key === undefined) return { place: 'doubtful', row: { ...record, problem: problem ?? keyMissing(reader) } };
  if (problem === undefined || key === open?.key || reader.keyHolds(problem))
    return { place: 'group', key, row: record };
  return { place: 'doubtful', row: record };
}

/** Whether a row stands in the group for its own key, and not because nothing else was known of it. */
export const isPlaced = (reader: GroupReader, row: ReadRecord, key: string): boolean =>
  row.problem === undefined || keyOf(reader, row) === key;

const keyOf = (reader: GroupReader, { fields }: ReadRecord): string | undefined =>
  fields.length === 0 ? undefined : reader.keyOf(fields);

/** The group of a key whose first sound row comes now: rows in doubt that name this key are taken back from the one before. */
export function beginGroup(reader: GroupReader, before: RowGroup | null, key: string): RowGroup {
  const group = newGroup(key);
  if (before === null) return group;
  const from = before.rows.findLastIndex((row) => row.problem === undefined || keyOf(reader, row) !== key) + 1;
  for (const row of before.rows.splice(from)) addRow(group, row);
  const last = before.rows.at(-1);
  if (last !== undefined && !isPlaced(reader, last, before.key)) group.doubtfulRecord = last.position.record;
  return group;
}

/** @returns the first of the rows by which the next group is told whether it is in doubt, and which may be taken back for it. */
export function awaitedFrom(reader: GroupReader, { rows }: RowGroup): number {
  const last = rows.at(-1);
  const key = last === undefined ? undefined : keyOf(reader, last);
  if (key === undefined) return Math.max(0, rows.length - 1);
  return Math.max(
    0,
    rows.findLastIndex((row) => keyOf(reader, row) !== key),
  );
}

const keyMissing = ({ by }: GroupReader): Problem => ({
  code: 'group_key_missing',
  path: by.join(', '),
  value: '',
  message: `${by.map((column) => `"${column}"`).join(' and ')} ${by.length === 1 ? 'says' : 'say'} which rows belong together, and this row has nothing there.`,
  fix: 'Fill it in as in the other rows of the group, or remove the row.',
});
