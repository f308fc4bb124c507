/**
 * The rows of one slice → groups. Pure.
 *
 * Adjacent groups are mapped as they close. Rows that may stand anywhere are handed back to be staged, and their groups are
 * mapped once the file has ended.
 */
import type { ReadRecord } from '../../formats/record-reader.ts';
import type { BoundMapping } from '../../mapping/compile/compile.ts';
import type { PlacedRecord } from '../../mapping/compile/map-record.ts';
import type { GroupReader } from '../../mapping/groups/compile.ts';
import { type Grouped, type GroupingInput, groupAdjacent, unplaced } from '../../mapping/groups/grouping.ts';
import { mapGrouped } from '../../mapping/groups/map-group.ts';
import { addRow, NO_KEY, newGroup, type RowGroup } from '../../mapping/groups/row-group.ts';
import { beginGroup, placeRow } from '../../mapping/groups/row-place.ts';

/** A row that waits for the end of its file. */
export interface StagedRow {
  key: string;
  record: ReadRecord;
}

export interface StagedSize {
  rows: number;
  characters: number;
}

/** What became known of a staged group beside its rows. */
export interface StagedMark {
  key: string;
  /** More rows came than a group may have. */
  tooLarge: boolean;
  /** Number of a record that cannot be placed and may belong to it. */
  doubtfulRecord: number | null;
}

export interface GroupedSlice {
  placed: PlacedRecord[];
  /** Adjacent: the group that is not closed yet. Anywhere: the last rows, which may still turn out to belong to the next group. */
  open: RowGroup | null;
  closedKeys: string[];
  staged: StagedRow[];
  marks: StagedMark[];
}

export function groupSlice(
  mapping: BoundMapping,
  reader: GroupReader,
  input: GroupingInput & { stagedSize(key: string): StagedSize },
): GroupedSlice {
  if (reader.order === 'anywhere') return stageSlice(mapping, reader, input);
  const { grouped, open, closedKeys } = groupAdjacent(reader, input);
  return { placed: grouped.flatMap((each) => mapGrouped(mapping, each)), open, closedKeys, staged: [], marks: [] };
}

function stageSlice(
  mapping: BoundMapping,
  reader: GroupReader,
  { open, records, end, stagedSize }: GroupingInput & { stagedSize(key: string): StagedSize },
): GroupedSlice {
  const staging = new Staging(mapping, stagedSize);
  let last = open && { ...open, rows: [...open.rows] };
  for (const record of records) {
    const placed = placeRow(reader, record, last);
    if (placed.place === 'skipped') {
      staging.pass({ outcome: 'skipped', record });
      continue;
    }
    if (placed.place === 'doubtful') last ??= newGroup(NO_KEY);
    else if (last?.key !== placed.key) {
      const next = beginGroup(reader, last, placed.key);
      staging.take(last);
      last = next;
    } else if (placed.row.problem === undefined) {
      staging.take(last); // only the rows since the last sound one can turn out to belong elsewhere
      last = newGroup(placed.key);
    }
    if (last !== null) addRow(last, placed.row);
  }
  if (end !== 'more') {
    staging.take(last);
    last = null;
  }
  return {
    placed: staging.placed,
    open: last,
    closedKeys: [],
    staged: staging.rows,
    marks: [...staging.marks.values()],
  };
}

/** Collects what a slice stages; a group that is full takes no more rows, and says so of each. */
class Staging {
  readonly placed: PlacedRecord[] = [];
  readonly rows: StagedRow[] = [];
  readonly marks = new Map<string, StagedMark>();
  readonly #mapping: BoundMapping;
  readonly #stagedSize: (key: string) => StagedSize;
  /** How full the groups of this slice are. */
  readonly #sizes = new Map<string, RowGroup>();

  constructor(mapping: BoundMapping, stagedSize: (key: string) => StagedSize) {
    this.#mapping = mapping;
    this.#stagedSize = stagedSize;
  }

  pass(grouped: Grouped): void {
    this.placed.push(...mapGrouped(this.#mapping, grouped));
  }

  take(group: RowGroup | null): void {
    if (group === null) return;
    if (group.key === NO_KEY) {
      for (const grouped of unplaced(group.rows)) this.pass(grouped);
      return;
    }
    const size = this.#sizes.get(group.key) ?? sized(group.key, this.#stagedSize(group.key));
    this.#sizes.set(group.key, size);
    for (const record of group.rows) {
      addRow(size, record);
      if (!size.tooLarge && !group.tooLarge) this.rows.push({ key: group.key, record });
      else this.pass({ outcome: 'group', group: { ...newGroup(group.key), rows: [record], tooLarge: true } });
    }
    this.#mark(group, size.tooLarge || group.tooLarge);
  }

  #mark({ key, doubtfulRecord }: RowGroup, tooLarge: boolean): void {
    if (doubtfulRecord === null && !tooLarge) return;
    const known = this.marks.get(key);
    this.marks.set(key, {
      key,
      tooLarge: tooLarge || known?.tooLarge === true,
      doubtfulRecord: known?.doubtfulRecord ?? doubtfulRecord,
    });
  }
}

/** A group as large as what is staged of it; what its rows say is not needed to know whether another fits. */
const sized = (key: string, { rows, characters }: StagedSize): RowGroup => ({
  ...newGroup(key),
  rows: new Array(rows),
  characters,
});

/** A group whose rows are all there. */
export interface StagedGroup extends StagedMark {
  rows: ReadRecord[];
}

/** @param cutOff the file breaks off, so that any of its groups may lack rows. */
export function placeStaged(mapping: BoundMapping, groups: readonly StagedGroup[], cutOff: boolean): PlacedRecord[] {
  return groups.flatMap(({ key, rows, tooLarge, doubtfulRecord }) =>
    mapGrouped(mapping, { outcome: 'group', group: { ...newGroup(key), rows, tooLarge, doubtfulRecord, cutOff } }),
  );
}
