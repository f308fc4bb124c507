/** Compiles how rows come together: which group a row belongs to, and what must be equal in all rows of a group. */
import type { Problem } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import { columnUses } from '../compile/columns.ts';
import { compileCondition } from '../document/condition.ts';
import type { GroupSpec } from '../document/document.ts';
import type { DocumentParts } from '../document/document-parts.ts';
import { leavesOf } from '../document/leaves.ts';
import { GROUP_ROWS } from '../document/order-spec.ts';
import type { IndexOf } from '../document/origin.ts';

export interface GroupReader {
  order: 'adjacent' | 'anywhere';
  invalidRow: 'group' | 'row';
  /** The columns of the key, as the document names them. */
  by: readonly string[];
  /** @returns undefined where every column of the key is empty. */
  keyOf(fields: readonly string[]): string | undefined;
  /** Whether the key of a row that cannot be read is its own all the same, and not a value that slipped into its place. */
  keyHolds(problem: Problem): boolean;
  isSkipped(fields: readonly string[]): boolean;
  /** Columns in which a later row says something else than the first; an empty cell says nothing. */
  differing(first: readonly string[], row: readonly string[]): { column: string; first: string; value: string }[];
}

export function compileGroup(parts: DocumentParts, group: GroupSpec, indexOf: IndexOf): GroupReader {
  const isSkipped = parts.skip === undefined ? () => false : compileCondition(parts.skip, indexOf);
  const key = group.by.flatMap((column) => indexOf(column) ?? []);
  const isFirst = key.every((index) => index < key.length); // cells too many or too few change nothing before them
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

/** What is read once per group, and not in each of its rows. */
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

/** A condition of a field stands below it. */
const isWithin = (at: string, places: ReadonlySet<string>): boolean =>
  places.has(at) || [...places].some((place) => at.startsWith(`${place.slice(0, -1)},`));
