/** Which columns of the file a mapping reads, where the document says so, and for which upstream field. */
import type { RecordShape } from '../../formats/record-reader.ts';
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { trimmed } from '../../kernel/text.ts';
import { type Condition, innerConditions } from '../document/condition.ts';
import { type DocumentParts, type Leaf, leavesOf } from '../document/document-parts.ts';
import { longForm, type NumberKeys, type Origin } from '../document/field-spec.ts';
import { nearest } from '../document/nearest.ts';
import { GROUP_ROWS } from '../document/order-spec.ts';
import type { DocumentPath } from '../document/problems.ts';
import { COLUMNS_LISTED_MAX } from '../limits.ts';
import { type IndexOf, originColumns } from '../values/origin.ts';
import { plainName } from '../values/plain-name.ts';

/**
 * @property optional the file may lack it; target the upstream's field, or the document's key, that uses it.
 * @property scope paths of the arrays it is read in; none: the record itself.
 * @property behind it is used only if none of these has a value.
 * @property beside a condition asks for it beside the `each` of this array.
 */
export interface ColumnUse {
  column: string;
  optional: boolean;
  target: string;
  at: DocumentPath;
  scope: readonly string[];
  behind?: readonly string[];
  beside?: string;
}

export function columnUses(parts: DocumentParts): ColumnUse[] {
  const record = (column: string, target: string, at: DocumentPath) => ({
    column,
    optional: false,
    target,
    at,
    scope: [],
  });
  return [
    ...(parts.switch === undefined ? [] : [record(parts.switch.column, 'target', ['target', 'switch'])]),
    ...(parts.group?.by ?? []).map((column, index) => record(column, 'group', ['group', 'by', index])),
    ...leavesOf(parts).flatMap(leafUses),
  ].map((use) => ({ ...use, scope: inGroup(parts, use.scope) }));
}

/** The rows of a group are ordinary records: what is read in them is read in the record. */
const inGroup = ({ group }: DocumentParts, scope: readonly string[]): readonly string[] =>
  group !== undefined && scope[0] === GROUP_ROWS ? scope.slice(1) : scope;

function leafUses(leaf: Leaf): ColumnUse[] {
  const { target, at, scope } = leaf;
  if (leaf.kind === 'condition') {
    const beside = leaf.each === undefined ? {} : { beside: leaf.each };
    return conditionUses(leaf.when, { target, at, scope, ...beside });
  }
  const spec: Origin & NumberKeys = longForm<Origin & NumberKeys>(leaf.field);
  const optional = spec.optional ?? false;
  const unit = spec.unit?.from;
  return [
    ...originColumns(spec).map((column, index, columns) => {
      const behind = spec.firstOf === undefined ? [] : columns.slice(0, index);
      return { column, optional, target, at, scope, ...(behind.length === 0 ? {} : { behind }) };
    }),
    ...(typeof unit === 'object' ? [{ column: unit.column, optional, target, at, scope }] : []),
    ...(spec.when === undefined ? [] : conditionUses(spec.when, { target, at: [...at, 'when'], scope })),
  ];
}

function conditionUses(of: Condition, locate: Pick<ColumnUse, 'target' | 'at' | 'scope' | 'beside'>): ColumnUse[] {
  const own = of.field === undefined ? [] : [{ column: of.field, optional: of.optional ?? false, ...locate }];
  return [
    ...own,
    ...innerConditions(of).flatMap(({ path, condition }) =>
      conditionUses(condition, { ...locate, at: [...locate.at, ...path] }),
    ),
  ];
}

/** What a reader of trees extracts from every record: the paths, each once, and those in each array. */
export function recordShape(uses: readonly ColumnUse[]): RecordShape {
  const lists = Map.groupBy(
    uses.filter(({ scope }) => scope.length > 0),
    ({ scope }) => scope[0] ?? '',
  );
  const own = uses.filter(({ scope }) => scope.length === 0);
  const paths = [...new Set(own.map(({ column }) => column))];
  return {
    paths,
    yields: yieldsOf(own, paths),
    lists: [...lists].map(([path, inner]) => ({
      path,
      shape: recordShape(inner.map((use) => ({ ...use, scope: use.scope.slice(1) }))),
    })),
  };
}

/** @returns the paths that are used only after others. */
function yieldsOf(uses: readonly ColumnUse[], paths: readonly string[]): NonNullable<RecordShape['yields']> {
  const indexOf = new Map(paths.map((path, index) => [path, index]));
  const yields = new Map<number, number[][]>();
  for (const [column, own] of Map.groupBy(uses, (use) => use.column)) {
    const behind = own.map((use) => (use.behind ?? []).flatMap((path) => indexOf.get(path) ?? []));
    if (behind.every(({ length }) => length > 0)) yields.set(indexOf.get(column) ?? -1, behind);
  }
  return yields;
}

/* Finds a mapping's columns in a file: every missing one is reported at once, with what the file has instead. */

/**
 * Names are compared without blanks at their ends and invisible characters, otherwise exactly: a similar column may
 * hold something else, so it is suggested, not used.
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
    message: `The file has no column "${column}", which is needed for ${[...new Set([...targets].map(plainName))].join(' and ')}. It has: ${listed.join(', ')}${more}.`,
    fix:
      similar === undefined
        ? `Add the column "${column}" to the file, or check that this is the right kind of file. ${ELSE_CONTACT}`
        : `If "${quoteValue(similar)}" is meant, rename that column to "${column}". ${ELSE_CONTACT}`,
  };
}
