/** Finds the columns a mapping reads among those of a file: every missing one is named at once, with what the file has instead. */
import { type Problem, quoteValue } from '../kernel/problem.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { ColumnUse } from './columns.ts';
import { COLUMNS_LISTED_MAX } from './limits.ts';
import { nearest } from './nearest.ts';
import type { IndexOf } from './origin.ts';

/**
 * Names are compared without blanks at their ends and otherwise exactly: a column that is only similar may hold something
 * else, so it is suggested and not taken.
 */
export function bindColumns(uses: readonly ColumnUse[], columns: readonly string[]): Result<IndexOf, Problem[]> {
  const indexes = new Map(columns.map((column, index) => [column.trim(), index]));
  const missing = new Map<string, Set<string>>();
  for (const { column, optional, target, scope } of uses) {
    if (optional || scope.length > 0 || indexes.has(column.trim())) continue;
    missing.set(column, (missing.get(column) ?? new Set()).add(target));
  }
  if (missing.size === 0) return ok((column) => indexes.get(column.trim()));
  return err([...missing].map(([column, targets]) => missingColumn(column, targets, columns)));
}

function missingColumn(column: string, targets: ReadonlySet<string>, columns: readonly string[]): Problem {
  const [similar] = nearest(column, columns);
  const listed = columns.slice(0, COLUMNS_LISTED_MAX).map((name) => `"${quoteValue(name)}"`);
  const more = columns.length > listed.length ? `, and ${columns.length - listed.length} more` : '';
  return {
    code: 'missing_column',
    path: column,
    value: '',
    message: `The file has no column "${column}", which is needed for ${[...targets].join(', ')}. It has: ${listed.join(', ')}${more}.`,
    fix:
      similar === undefined
        ? `Add the column "${column}" to the file, or check that this is the right mapping and delimiter for it.`
        : `If "${quoteValue(similar)}" is meant, rename that column to "${column}", or change the name in the mapping.`,
  };
}
