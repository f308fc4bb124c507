/** Finds the columns a mapping reads among those of a file: every missing one is named at once, with what the file has instead. */
import { ELSE_ASK, type Problem, quoteValue } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { trimmed } from '../../kernel/text.ts';
import { nearest } from '../document/nearest.ts';
import type { IndexOf } from '../document/origin.ts';
import { COLUMNS_LISTED_MAX } from '../limits.ts';
import type { ColumnUse } from './columns.ts';

/**
 * Names are compared without blanks at their ends and characters nobody sees, and otherwise exactly: a column that is only similar may hold something
 * else, so it is suggested and not taken.
 */
export function bindColumns(uses: readonly ColumnUse[], columns: readonly string[]): Result<IndexOf, Problem[]> {
  const indexes = new Map(columns.map((column, index) => [trimmed(column), index]));
  const missing = new Map<string, Set<string>>();
  for (const { column, optional, target, scope } of uses) {
    if (optional || scope.length > 0 || indexes.has(trimmed(column))) continue;
    missing.set(column, (missing.get(column) ?? new Set()).add(target));
  }
  if (missing.size === 0) return ok((column) => indexes.get(trimmed(column)));
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
        ? `Add the column "${column}" to the file, or check that this is the right mapping for it. ${ELSE_ASK}`
        : `If "${quoteValue(similar)}" is meant, rename that column to "${column}". ${ELSE_ASK}`,
  };
}
