/**
 * Puts adjacent rows together into groups, row by row, so that a restart goes on where it stopped. Pure.
 *
 * Adjacent rows of one key are one group; a key that comes back after its group closed makes its rows invalid, never a
 * second request. A row that cannot be placed stays with the rows before it and puts those after it in doubt, so that no
 * request goes out with a row missing. How many rows are given at once changes nothing.
 */
import type { ReadRecord } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { GroupReader } from './compile.ts';
import { addRow, NO_KEY, newGroup, type RowGroup } from './row-group.ts';
import { awaitedFrom, beginGroup, placeRow } from './row-place.ts';

/** What becomes of the rows that were read: whole groups (one too large in parts), and rows that belong to none. */
export type Grouped =
  | { outcome: 'group'; group: RowGroup }
  | { outcome: 'skipped'; record: ReadRecord }
  | { outcome: 'invalid'; record: ReadRecord; problem: Problem };

export interface GroupingStep {
  grouped: Grouped[];
  open: RowGroup | null;
  /** Keys of the groups that closed now. */
  closedKeys: string[];
}

/** How the records given end: more follow; none does; or none does because the file breaks off. */
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
    const placed = placeRow(reader, record, step.open);
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

/** Rows of a group that is too large need not wait for its end; the last one stays, for it may put the next group in doubt. */
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
