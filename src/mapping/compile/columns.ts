/** Which columns of the file a mapping reads, where the document says so, and for which field of the upstream. */
import type { RecordShape } from '../../formats/record-reader.ts';
import { type Condition, innerConditions } from '../document/condition.ts';
import type { DocumentParts } from '../document/document-parts.ts';
import type { DocumentPath } from '../document/document-problem.ts';
import { longForm, type NumberKeys, type Origin } from '../document/field-spec.ts';
import { type Leaf, leavesOf } from '../document/leaves.ts';
import { GROUP_ROWS } from '../document/order-spec.ts';
import { originColumns } from '../document/origin.ts';

/**
 * @property optional the file may lack it; target the upstream's field, or the key of the document, it serves.
 * @property scope paths of the arrays it is read in; none: the record itself.
 * @property behind it is used only where none of these holds a value.
 */
export interface ColumnUse {
  column: string;
  optional: boolean;
  target: string;
  at: DocumentPath;
  scope: readonly string[];
  behind?: readonly string[];
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

/** The rows of a group are records like any other: what is read in them is read in the record. */
const inGroup = ({ group }: DocumentParts, scope: readonly string[]): readonly string[] =>
  group !== undefined && scope[0] === GROUP_ROWS ? scope.slice(1) : scope;

function leafUses(leaf: Leaf): ColumnUse[] {
  const { target, at, scope } = leaf;
  if (leaf.kind === 'condition') return conditionUses(leaf.when, { target, at, scope });
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

function conditionUses(of: Condition, place: Pick<ColumnUse, 'target' | 'at' | 'scope'>): ColumnUse[] {
  const own = of.field === undefined ? [] : [{ column: of.field, optional: of.optional ?? false, ...place }];
  return [
    ...own,
    ...innerConditions(of).flatMap(({ path, condition }) =>
      conditionUses(condition, { ...place, at: [...place.at, ...path] }),
    ),
  ];
}

/** What a reader of trees must take out of every record: the paths, each once, and those in each array. */
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

/** @returns the paths that are used behind others alone. */
function yieldsOf(uses: readonly ColumnUse[], paths: readonly string[]): NonNullable<RecordShape['yields']> {
  const indexOf = new Map(paths.map((path, index) => [path, index]));
  const yields = new Map<number, number[][]>();
  for (const [column, own] of Map.groupBy(uses, (use) => use.column)) {
    const behind = own.map((use) => (use.behind ?? []).flatMap((path) => indexOf.get(path) ?? []));
    if (behind.every(({ length }) => length > 0)) yields.set(indexOf.get(column) ?? -1, behind);
  }
  return yields;
}
