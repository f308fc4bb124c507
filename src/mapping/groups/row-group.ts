/** A group of rows while it is put together: what it holds, and how much it may hold. */
import type { Cells, ReadRecord } from '../../formats/record-reader.ts';
import { GROUP_CHARACTERS_MAX, GROUP_ROWS_MAX } from '../limits.ts';

/** Rows of one key, in the order of the file. JSON-serialisable: an open group travels with the checkpoint. */
export interface RowGroup {
  /** `NO_KEY`: rows before the first group, none of which can be placed. */
  key: string;
  /** Those with a problem may be here only because they stood next to the others. */
  rows: ReadRecord[];
  /** Rows and characters that were added, also those of rows that it does not hold any more. */
  count: number;
  characters: number;
  /** Beyond the limits: it becomes an error, and what its rows say is no longer needed. */
  tooLarge: boolean;
  /** The key had a group before, which is closed. */
  reopened: boolean;
  /** Number of a record before it that cannot be placed and may belong to it. */
  doubtfulRecord: number | null;
  /** The file breaks off, so that rows of it may be missing. */
  cutOff: boolean;
}

/** The key of what has none; that of a row is never empty. */
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

/** Rows beyond the limits are told apart by their positions alone. */
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
