/**
 * Groups adjacent rows of one key, row by row, so that a restart continues where it stopped. A key that returns after
 * its group closed makes its rows invalid, never a second request. A row whose group is unknown stays with the rows
 * before it and makes those after it doubtful, so that no request goes out with a row missing. Pure.
 */

import type { Cells, ReadRecord } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import { columnUses } from '../compile/columns.ts';
import { compileCondition } from '../document/condition.ts';
import type { GroupSpec } from '../document/document.ts';
import { type DocumentParts, leavesOf } from '../document/document-parts.ts';
import { GROUP_ROWS } from '../document/order-spec.ts';
import { GROUP_CHARACTERS_MAX, GROUP_ROWS_MAX } from '../limits.ts';
import type { IndexOf } from '../values/origin.ts';

/* Compiles how rows are grouped: which group a row belongs to, and what must be equal in all its rows. */

export interface GroupReader {
  order: 'adjacent' | 'anywhere';
  invalidRow: 'group' | 'row';
  /** The columns of the key, as the document names them. */
  by: readonly string[];
  /** @returns undefined if every column of the key is empty. */
  keyOf(fields: readonly string[]): string | undefined;
  /** Whether an unreadable row's key is still its own, not a value that slipped into its place. */
  keyHolds(problem: Problem): boolean;
  isSkipped(fields: readonly string[]): boolean;
  /** Columns in which a later row contradicts the first; an empty cell contradicts nothing. */
  differing(first: readonly string[], row: readonly string[]): { column: string; first: string; value: string }[];
}

export function compileGroup(parts: DocumentParts, group: GroupSpec, indexOf: IndexOf): GroupReader {
  const isSkipped = parts.skip === undefined ? () => false : compileCondition(parts.skip, indexOf);
  const key = group.by.flatMap((column) => indexOf(column) ?? []);
  // Too many or too few cells change nothing before them; characters that were put into a line move all that follow.
  const isFirst = parts.source?.format !== 'fixed' && key.every((index) => index < key.length);
  const shared = group.whenDifferent === 'first' ? [] : sharedColumns(parts, indexOf);
  return {
    order: group.order ?? 'adjacent',
    invalidRow: group.invalidRow ?? 'group',
    by: group.by,
    isSkipped,
    keyOf(fields) {
      const values = key.map((index) => trimmed(fields[index] ?? ''));
      return values.every((value) => value === '') ? undefined : JSON.stringify(values);
    },
    keyHolds: ({ path }) => isFirst && !group.by.includes(path),
    differing: (first, row) =>
      shared.flatMap(({ column, index }) => {
        const wanted = trimmed(first[index] ?? '');
        const value = trimmed(row[index] ?? '');
        return value === '' || value === wanted ? [] : [{ column, first: wanted, value }];
      }),
  };
}

/** What is read once per group, not in each of its rows. */
function sharedColumns(parts: DocumentParts, indexOf: IndexOf): { column: string; index: number }[] {
  const perRow = new Set(
    leavesOf(parts).flatMap((leaf) => (leaf.scope[0] === GROUP_ROWS ? [JSON.stringify(leaf.at)] : [])),
  );
  const once = columnUses(parts).filter(
    ({ at, scope, target }) => scope.length === 0 && target !== 'skip' && !isWithin(JSON.stringify(at), perRow),
  );
  return [...new Set(once.map(({ column }) => column))].flatMap((column) => {
    const index = indexOf(column);
    return index === undefined ? [] : [{ column, index }];
  });
}

/** A field's condition is below it. */
const isWithin = (at: string, places: ReadonlySet<string>): boolean =>
  places.has(at) || [...places].some((place) => at.startsWith(`${place.slice(0, -1)},`));

/* A group of rows while it is collected: its content and its limits. */

/** Rows of one key, in file order. JSON-serialisable: an open group travels with the checkpoint. */
export interface RowGroup {
  /** `NO_KEY`: rows before the first group, which have no known group. */
  key: string;
  /** Those with a problem may be here only because they are next to the others. */
  rows: ReadRecord[];
  /** Rows and characters that were added, including rows that it no longer holds. */
  count: number;
  characters: number;
  /** Beyond the limits: it becomes an error, and the content of its rows is no longer needed. */
  tooLarge: boolean;
  /** The key had an earlier group, which is closed. */
  reopened: boolean;
  /** Number of an earlier record without a known group that may belong to it. */
  doubtfulRecord: number | null;
  /** The file breaks off, so that rows of it may be missing. */
  cutOff: boolean;
}

/** The key of rows without one; a row's own key is never empty. */
export const NO_KEY = '';

export const newGroup = (key: string): RowGroup => ({
  key,
  rows: [],
  count: 0,
  characters: 0,
  tooLarge: false,
  reopened: false,
  doubtfulRecord: null,
  cutOff: false,
});

/** Of rows beyond the limits only the positions are stored. */
export function addRow(group: RowGroup, record: ReadRecord): void {
  group.count = Math.max(group.count, group.rows.length) + 1;
  group.characters += charactersOf(record);
  group.tooLarge ||= group.count > GROUP_ROWS_MAX || group.characters > GROUP_CHARACTERS_MAX;
  group.rows.push(group.tooLarge ? { ...record, fields: [], lists: [] } : record);
}

function charactersOf({ fields, lists }: Cells): number {
  const own = fields.reduce((sum, field) => sum + field.length, 0);
  return lists.flat().reduce((sum, item) => sum + charactersOf(item), own);
}

/*
 * Says where a row belongs: to the group of its key, to none because the mapping skips it, or in doubt.
 *
 * A row in doubt cannot be read, or has no key. It may belong to the rows before it or to those after it.
 */

/** `row` is the record with its problem, which may only be that it has no key. */
type RowLocation =
  | { place: 'group'; key: string; row: ReadRecord }
  | { place: 'doubtful'; row: ReadRecord }
  | { place: 'skipped' };

/** @param open the group of the row before. */
export function locateRow(reader: GroupReader, record: ReadRecord, open: RowGroup | null): RowLocation {
  const { problem, fields } = record;
  if (problem === undefined && reader.isSkipped(fields)) return { place: 'skipped' };
  const key = keyOf(reader, record);
  if (key === undefined) return { place: 'doubtful', row: { ...record, problem: problem ?? keyMissing(reader) } };
  if (problem === undefined || key === open?.key || reader.keyHolds(problem))
    return { place: 'group', key, row: record };
  return { place: 'doubtful', row: record };
}

/** Whether a row is in the group by its own key, not because nothing else was known. */
export const isLocated = (reader: GroupReader, row: ReadRecord, key: string): boolean =>
  row.problem === undefined || keyOf(reader, row) === key;

const keyOf = (reader: GroupReader, { fields }: ReadRecord): string | undefined =>
  fields.length === 0 ? undefined : reader.keyOf(fields);

/**
 * The group of a key whose first well-formed row comes now: doubtful rows with this key are taken from the group
 * before.
 */
export function beginGroup(reader: GroupReader, before: RowGroup | null, key: string): RowGroup {
  const group = newGroup(key);
  if (before === null) return group;
  const from = before.rows.findLastIndex((row) => row.problem === undefined || keyOf(reader, row) !== key) + 1;
  for (const row of before.rows.splice(from)) addRow(group, row);
  const last = before.rows.at(-1);
  if (last !== undefined && !isLocated(reader, last, before.key)) group.doubtfulRecord = last.position.record;
  return group;
}

/**
 * @returns index of the first row that decides whether the next group is in doubt; that group may take rows from there
 * on.
 */
function awaitedFrom(reader: GroupReader, { rows }: RowGroup): number {
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

/** What becomes of the rows that were read: whole groups (too large ones in parts), and rows of no group. */
export type Grouped =
  | { outcome: 'group'; group: RowGroup }
  | { outcome: 'skipped'; record: ReadRecord }
  | { outcome: 'invalid'; record: ReadRecord; problem: Problem };

interface GroupingStep {
  grouped: Grouped[];
  open: RowGroup | null;
  /** Keys of the groups that closed now. */
  closedKeys: string[];
}

/** How the given records end: more follow; the file ends; or it breaks off. */
export type RecordsEnd = 'more' | 'whole' | 'cut';

export interface GroupingInput {
  /** The group that the rows before left open; it is not changed. */
  open: RowGroup | null;
  records: readonly ReadRecord[];
  end: RecordsEnd;
  /** Whether a group of this key closed before these rows. */
  wasClosed(key: string): boolean;
}

export function groupAdjacent(reader: GroupReader, { open, records, end, wasClosed }: GroupingInput): GroupingStep {
  const step: GroupingStep = { grouped: [], open: open && { ...open, rows: [...open.rows] }, closedKeys: [] };
  const closed = new Set<string>();
  for (const record of records) {
    const placed = locateRow(reader, record, step.open);
    if (placed.place === 'skipped') {
      step.grouped.push({ outcome: 'skipped', record });
      continue;
    }
    if (placed.place === 'doubtful') {
      step.open ??= newGroup(NO_KEY);
    } else if (step.open?.key !== placed.key) {
      const next = beginGroup(reader, step.open, placed.key);
      close(step, closed);
      step.open = { ...next, reopened: closed.has(placed.key) || wasClosed(placed.key) };
    }
    if (step.open !== null) addRow(step.open, placed.row);
    if (step.open?.key === NO_KEY) emit(step, step.open.rows.splice(0, awaitedFrom(reader, step.open)));
  }
  if (end === 'cut' && step.open !== null) step.open.cutOff = true;
  if (end === 'more') letGo(step);
  else close(step, closed);
  return step;
}

function close(step: GroupingStep, closed: Set<string>): void {
  const { open } = step;
  if (open === null) return;
  emit(step, open.rows);
  step.open = null;
  if (open.key === NO_KEY) return;
  closed.add(open.key);
  step.closedKeys.push(open.key);
}

/**
 * Rows of a too large group need not wait for its end; the last one stays, because it may make the next group doubtful.
 */
function letGo(step: GroupingStep): void {
  const { open } = step;
  if (open === null || !open.tooLarge) return;
  emit(step, open.rows.splice(0, open.rows.length - 1));
}

function emit({ grouped, open }: GroupingStep, rows: ReadRecord[]): void {
  if (open === null || rows.length === 0) return;
  if (open.key === NO_KEY) grouped.push(...unplaced(rows));
  else grouped.push({ outcome: 'group', group: { ...open, rows } });
}

/** Rows before the first group; each has a problem, or it would have a key. */
export const unplaced = (rows: readonly ReadRecord[]): Grouped[] =>
  rows.flatMap((record) =>
    record.problem === undefined ? [] : [{ outcome: 'invalid', record, problem: record.problem } as const],
  );

/*
 * Groups rows that may be anywhere in the file by their key; the groups are complete only at the end of the file.
 *
 * A row without a known group makes the groups of the rows next to it doubtful, as among adjacent rows.
 */

/** The groups so far; `last` is the group of the row before. */
export interface WholeGroup {
  groups: Map<string, RowGroup>;
  last: RowGroup | null;
}

/** Adds rows to the groups. @returns those that the mapping skips, and those before any group. */
export function collectGroups(reader: GroupReader, gathered: WholeGroup, records: readonly ReadRecord[]): Grouped[] {
  const grouped: Grouped[] = [];
  for (const record of records) {
    const placed = locateRow(reader, record, gathered.last);
    if (placed.place === 'skipped') {
      grouped.push({ outcome: 'skipped', record });
      continue;
    }
    if (placed.place === 'doubtful') gathered.last ??= newGroup(NO_KEY);
    else if (gathered.last?.key !== placed.key) {
      const next = beginGroup(reader, gathered.last, placed.key);
      if (gathered.last?.key === NO_KEY) grouped.push(...unplaced(gathered.last.rows));
      gathered.last = joined(gathered.groups.get(placed.key), next);
      gathered.groups.set(placed.key, gathered.last);
    }
    if (gathered.last !== null) addRow(gathered.last, placed.row);
  }
  return grouped;
}

/**
 * @param cutOff the file breaks off. @returns all groups, in the order of their first rows, and the rows if there is no
 * group.
 */
export function groupedWhole({ groups, last }: WholeGroup, cutOff: boolean): Grouped[] {
  const alone = last?.key === NO_KEY ? unplaced(last.rows) : [];
  return [
    ...alone,
    ...[...groups.values()].map((group) => ({ outcome: 'group', group: { ...group, cutOff } }) as const),
  ];
}

function joined(known: RowGroup | undefined, next: RowGroup): RowGroup {
  if (known === undefined) return next;
  for (const row of next.rows) addRow(known, row);
  known.doubtfulRecord ??= next.doubtfulRecord;
  return known;
}
