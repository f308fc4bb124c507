/**
 * The rows of one slice → groups. Pure.
 *
 * Adjacent groups are mapped as they close; rows that may stand anywhere are handed back to be staged, and their groups
 * are mapped once the file has ended.
 */
import type { ReadRecord } from '../formats/reader.ts';
import type { BoundMapping } from '../mapping/compile.ts';
import type { GroupReader } from '../mapping/compile-group.ts';
import {
  addRow,
  type GroupDoubt,
  type GroupingInput,
  groupAdjacent,
  keyOf,
  newGroup,
  type RowGroup,
} from '../mapping/grouping.ts';
import { mapGrouped } from '../mapping/map-group.ts';
import type { PlacedRecord } from '../mapping/map-record.ts';

/** A row that waits for the end of its file. */
export interface StagedRow {
  key: string;
  record: ReadRecord;
}

export interface StagedSize {
  rows: number;
  characters: number;
}

export interface GroupedSlice {
  placed: PlacedRecord[];
  open: RowGroup | null;
  closedKeys: string[];
  staged: StagedRow[];
  /** Keys of staged groups to which more rows came than a group may have. */
  overfullKeys: string[];
}

export function groupSlice(
  mapping: BoundMapping,
  reader: GroupReader,
  input: GroupingInput & { stagedSize(key: string): StagedSize },
): GroupedSlice {
  if (reader.order === 'anywhere') return stageSlice(mapping, reader, input);
  const { grouped, open, closedKeys } = groupAdjacent(reader, input);
  return {
    placed: grouped.flatMap((each) => mapGrouped(mapping, each)),
    open,
    closedKeys,
    staged: [],
    overfullKeys: [],
  };
}

function stageSlice(
  mapping: BoundMapping,
  reader: GroupReader,
  { records, stagedSize }: { records: readonly ReadRecord[]; stagedSize(key: string): StagedSize },
): GroupedSlice {
  const slice: GroupedSlice = { placed: [], open: null, closedKeys: [], staged: [], overfullKeys: [] };
  const groups = new Map<string, RowGroup>();
  for (const record of records) {
    const found = keyOf(reader, record);
    if (found.found === 'none') slice.placed.push(...mapGrouped(mapping, found.grouped));
    else if (found.found === 'unreadable') {
      slice.placed.push(...mapGrouped(mapping, { outcome: 'invalid', record, problem: found.problem }));
    } else {
      const group = groups.get(found.key) ?? sized(found.key, stagedSize(found.key));
      groups.set(found.key, group);
      const tooMany = addRow(reader, group, record);
      slice.placed.push(...tooMany.flatMap((each) => mapGrouped(mapping, each)));
      if (tooMany.length === 0) slice.staged.push({ key: found.key, record });
    }
  }
  slice.overfullKeys = [...groups.values()].flatMap(({ key, overfull }) => (overfull ? [key] : []));
  return slice;
}

/** A group as large as what is staged of it; what its rows say is not needed to know whether another fits. */
const sized = (key: string, { rows, characters }: StagedSize): RowGroup => ({
  ...newGroup(key),
  rows: new Array(rows),
  characters,
});

/** A group whose rows are all there. */
export interface StagedGroup {
  key: string;
  rows: ReadRecord[];
  /** More of its rows came than a group may have. */
  overfull: boolean;
}

/** @param cut the file breaks off, so that any of its groups may lack rows. */
export function placeStaged(mapping: BoundMapping, groups: readonly StagedGroup[], cut: boolean): PlacedRecord[] {
  const doubt: GroupDoubt | null = cut ? { cause: 'end' } : null;
  return groups.flatMap(({ key, rows, overfull }) =>
    mapGrouped(mapping, { outcome: 'group', group: { ...newGroup(key), rows, overfull, doubt } }),
  );
}
