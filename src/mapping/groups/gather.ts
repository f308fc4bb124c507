/**
 * Gathers rows that may stand anywhere into groups by their key. Pure; the groups are whole at the end of the file alone.
 *
 * A row that cannot be placed puts the groups of the rows next to it in doubt, as among adjacent rows.
 */
import type { ReadRecord } from '../../formats/record-reader.ts';
import type { GroupReader } from './compile.ts';
import { type Grouped, unplaced } from './grouping.ts';
import { addRow, NO_KEY, newGroup, type RowGroup } from './row-group.ts';
import { beginGroup, placeRow } from './row-place.ts';

/** What was gathered so far; `last` is the group of the row before. */
export interface Gathered {
  groups: Map<string, RowGroup>;
  last: RowGroup | null;
}

/** Adds rows to what was gathered. @returns those that the mapping leaves out, and those that stand before any group. */
export function gather(reader: GroupReader, gathered: Gathered, records: readonly ReadRecord[]): Grouped[] {
  const grouped: Grouped[] = [];
  for (const record of records) {
    const placed = placeRow(reader, record, gathered.last);
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

/** @param cutOff the file breaks off. @returns all groups, in the order of their first rows, and rows of a file that has none. */
export function gatheredWhole({ groups, last }: Gathered, cutOff: boolean): Grouped[] {
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
