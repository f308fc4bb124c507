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

/** Why a group may be incomplete: a record before it that could not be read, or a file that breaks off. */
export type GroupDoubt = { cause: 'record'; record: number } | { cause: 'end' };

/** Rows of one key, in the order of the file. JSON-serialisable: an open group is stored with the checkpoint. */
export interface RowGroup {
  key: string;
  rows: ReadRecord[];
  /** Characters of all its rows. */
  characters: number;
  /** The key had a group before, which is closed. */
  reopened: boolean;
  /** More rows came than a group may have. Those that did not fit are told one by one. */
  overfull: boolean;
  doubt: GroupDoubt | null;
}

export const newGroup = (key: string): RowGroup => ({
  key,
  rows: [],
  characters: 0,
  reopened: false,
  overfull: false,
  doubt: null,
});

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

export interface GroupingInput {
  /** The group that the rows before left open. */
  open: RowGroup | null;
  records: readonly ReadRecord[];
  /** `whole`: no row follows; `cut`: none follows, but the file breaks off, so that the last group may lack rows. */
  end: 'more' | 'whole' | 'cut';
  /** Whether a group of this key closed before these rows. */
  wasClosed(key: string): boolean;
}

export function groupAdjacent(reader: GroupReader, input: GroupingInput): GroupingStep {
  const open = input.open === null ? null : { ...input.open, rows: [...input.open.rows] };
  const step: GroupingStep = { grouped: [], open, closedKeys: [] };
  const closed = new Set<string>();
  let unreadable = lastUnreadable(input.open);
  const close = () => {
    if (step.open === null) return;
    if (step.open.rows.length > 0) step.grouped.push({ outcome: 'group', group: step.open });
    closed.add(step.open.key);
    step.closedKeys.push(step.open.key);
    step.open = null;
  };
  for (const record of input.records) {
    const found = keyOf(reader, record);
    if (found.found === 'none') {
      step.grouped.push(found.grouped);
      continue;
    }
    if (found.found === 'unreadable') {
      unreadable = record.position.record;
      if (step.open === null) step.grouped.push({ outcome: 'invalid', record, problem: found.problem });
      else step.grouped.push(...addRow(reader, step.open, record)); // it may be one of its rows
      continue;
    }
    if (step.open?.key !== found.key) {
      close();
      const reopened = closed.has(found.key) || input.wasClosed(found.key);
      const doubt: GroupDoubt | null = unreadable === null ? null : { cause: 'record', record: unreadable };
      step.open = { ...newGroup(found.key), reopened, doubt };
    }
    unreadable = null;
    step.grouped.push(...addRow(reader, step.open, record));
  }
  if (input.end === 'cut' && step.open !== null) step.open = { ...step.open, doubt: { cause: 'end' } };
  if (input.end !== 'more') close();
  return step;
}

/** A row that could not be read and ends an open group may as well belong to the next one. */
function lastUnreadable(open: RowGroup | null): number | null {
  const last = open?.rows.at(-1);
  return last?.problem !== undefined && last.fields.length === 0 ? last.position.record : null;
}

/** @returns the row itself when it does not fit: a group beyond its limits is an error, and its rows need not be kept. */
export function addRow(reader: GroupReader, group: RowGroup, record: ReadRecord): Grouped[] {
  const characters = group.characters + record.fields.reduce((sum, field) => sum + field.length, 0);
  if (!group.overfull && group.rows.length < GROUP_ROWS_MAX && characters <= GROUP_CHARACTERS_MAX) {
    group.rows.push(record);
    group.characters = characters;
    return [];
  }
  group.overfull = true;
  return [{ outcome: 'invalid', record, problem: groupTooLarge(reader) }];
}

export const groupTooLarge = ({ by }: GroupReader): Problem => ({
  code: 'group_too_large',
  path: by.join(', '),
  value: '',
  message: `The group has more than ${GROUP_ROWS_MAX} rows or ${GROUP_CHARACTERS_MAX} characters; nothing was sent for it.`,
  fix: 'Split it into several, each with a number of its own.',
});

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
