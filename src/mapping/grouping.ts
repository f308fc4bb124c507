/**
 * Puts rows together into groups, row by row, so that a restart goes on where it stopped. Pure.
 *
 * Adjacent rows of one key are one group; a key that comes back after its group closed makes its rows invalid, never a
 * second request. Rows that may stand anywhere are only given their key here; whoever calls stages them.
 */
import type { ReadRecord } from '../formats/reader.ts';
import type { Problem } from '../kernel/problem.ts';
import type { GroupReader } from './compile-group.ts';
import { GROUP_CHARACTERS_MAX, GROUP_ROWS_MAX } from './limits.ts';

/** Rows of one key, in the order of the file. JSON-serialisable: an open group travels with the checkpoint. */
export interface RowGroup {
  key: string;
  rows: ReadRecord[];
  /** Characters of all its rows. */
  characters: number;
  /** The key had a group before, which is closed. */
  reopened: boolean;
  /** Number of an unreadable record before it that may belong to it. */
  doubtfulRecord: number | null;
}

/** What becomes of the rows that were read: whole groups, and rows that belong to none. */
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

/**
 * @param open the group that the rows before left open; @param atEnd no row follows.
 * @param wasClosed whether a group of this key closed before these rows.
 */
export function groupAdjacent(
  reader: GroupReader,
  { open, records, atEnd }: { open: RowGroup | null; records: readonly ReadRecord[]; atEnd: boolean },
  wasClosed: (key: string) => boolean,
): GroupingStep {
  const step: GroupingStep = { grouped: [], open, closedKeys: [] };
  const closed = new Set<string>();
  let unreadable: number | null = lastUnreadable(open);
  const close = () => {
    if (step.open === null) return;
    step.grouped.push({ outcome: 'group', group: step.open });
    closed.add(step.open.key);
    step.closedKeys.push(step.open.key);
    step.open = null;
  };
  for (const record of records) {
    const key = keyOf(reader, record);
    if (key.found === 'none') {
      step.grouped.push(key.grouped);
      continue;
    }
    if (key.found === 'unreadable') {
      if (step.open === null) step.grouped.push({ outcome: 'invalid', record, problem: key.problem });
      else addRow(step.open, record); // it may be one of its rows
      unreadable = record.position.record;
      continue;
    }
    if (step.open?.key !== key.key) {
      close();
      const reopened = closed.has(key.key) || wasClosed(key.key);
      step.open = { ...newGroup(key.key), reopened, doubtfulRecord: unreadable };
    }
    unreadable = null;
    if (step.open !== null) addRow(step.open, record);
  }
  if (atEnd) close();
  return step;
}

/** A row that could not be read and ends an open group may as well belong to the next one. */
function lastUnreadable(open: RowGroup | null): number | null {
  const last = open?.rows.at(-1);
  return last?.problem !== undefined && last.fields.length === 0 ? last.position.record : null;
}

export const newGroup = (key: string): RowGroup => ({
  key,
  rows: [],
  characters: 0,
  reopened: false,
  doubtfulRecord: null,
});

export function addRow(group: RowGroup, record: ReadRecord): void {
  group.characters += record.fields.reduce((sum, field) => sum + field.length, 0);
  // A group beyond its limits becomes an error: its rows are told apart, but what they say is no longer needed.
  const isFull = group.rows.length >= GROUP_ROWS_MAX || group.characters > GROUP_CHARACTERS_MAX;
  group.rows.push(isFull ? { ...record, fields: [], lists: [] } : record);
}

export const isOverfull = (group: RowGroup): boolean =>
  group.rows.length > GROUP_ROWS_MAX || group.characters > GROUP_CHARACTERS_MAX;

export type FoundKey =
  | { found: 'key'; key: string }
  | { found: 'none'; grouped: Grouped }
  | { found: 'unreadable'; problem: Problem };

/** A row that could not be read whole may still say what it belongs to. */
export function keyOf(reader: GroupReader, record: ReadRecord): FoundKey {
  const { problem, fields } = record;
  if (problem === undefined && reader.isSkipped(fields)) {
    return { found: 'none', grouped: { outcome: 'skipped', record } };
  }
  const key = fields.length === 0 ? undefined : reader.keyOf(fields);
  if (key !== undefined) return { found: 'key', key };
  if (problem !== undefined) return { found: 'unreadable', problem };
  return { found: 'none', grouped: { outcome: 'invalid', record, problem: keyMissing(reader) } };
}

const keyMissing = ({ by }: GroupReader): Problem => ({
  code: 'group_key_missing',
  path: by.join(', '),
  value: '',
  message: `${by.map((column) => `"${column}"`).join(' and ')} say which rows belong together, and this row has nothing there.`,
  fix: 'Fill it in as in the other rows of the group, or remove the row.',
});
