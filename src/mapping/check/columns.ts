/** Checks what a document reads: declared columns, paths into trees, arrays only in formats that have them. */
import { kindsOf } from '../../formats/fixed/lines.ts';
import { compileElementPath, compileListPath, compilePath } from '../../formats/json/path.ts';
import type { XmlSource } from '../../formats/xml/declaration.ts';
import { xmlPathFault } from '../../formats/xml/reader.ts';
import { type ColumnUse, columnUses } from '../compile/columns.ts';
import type { DocumentParts } from '../document/document-parts.ts';
import { didYouMean } from '../document/nearest.ts';
import type { DocumentPath, LocatedProblem } from '../document/problems.ts';
import { checkSegmentPaths } from './segments.ts';

export function checkColumns(parts: DocumentParts): LocatedProblem[] {
  if (parts.source === undefined) return [];
  const uses = columnUses(parts);
  switch (parts.source.format) {
    case 'csv':
    case 'xlsx':
      return parts.source.columns === undefined ? [] : checkDeclared(uses, parts.source.columns);
    case 'fixed':
      return checkDeclared(uses, kindsOf(parts.source).columns);
    case 'x12':
    case 'edifact':
      return [...checkSegmentPaths(uses, parts.source), ...checkArrays(parts, uses)];
    case 'json':
    case 'ndjson':
      return [...checkPaths(uses), ...checkArrays(parts, uses)];
    case 'xml':
      return [...checkXmlPaths(parts.source, uses), ...checkArrays(parts, uses)];
  }
}

/** If the document declares the columns itself, any other name is wrong. */
function checkDeclared(uses: readonly ColumnUse[], columns: readonly string[]): LocatedProblem[] {
  const declared = new Set(columns.map((column) => column.trim()));
  return uses
    .filter(({ column, optional, scope }) => !optional && scope.length === 0 && !declared.has(column.trim()))
    .map(({ column, at }) => ({
      at,
      code: 'column_unknown',
      value: column,
      message: `"${column}" is not among the columns of "source".${didYouMean(column, columns)}`,
      wanted: `one of ${columns.join(', ')}`,
    }));
}

/** In a tree, a column name is a path, and so is an array name. */
function checkPaths(uses: readonly ColumnUse[]): LocatedProblem[] {
  return onePerLocation(uses.flatMap(({ column, at, scope }) => pathProblem(column, at, scope)));
}

const onePerLocation = (problems: readonly LocatedProblem[]): LocatedProblem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.value]), problem])).values(),
];

function checkXmlPaths(source: XmlSource, uses: readonly ColumnUse[]): LocatedProblem[] {
  const wrong = uses.flatMap(({ column, at, scope }) => {
    const fault = xmlPathFault(source, column, scope);
    return fault === null ? [] : [wrongPath(fault.value, at, fault.wanted)];
  });
  return onePerLocation(wrong);
}

/** An array of which nothing is read would never be visited. */
function checkArrays({ plans, group }: DocumentParts, uses: readonly ColumnUse[]): LocatedProblem[] {
  const isBelow = ({ at, scope }: ColumnUse, place: DocumentPath) =>
    scope.length > 0 && place.every((step, index) => at[index] === step);
  return plans
    .filter((plan) => plan.each !== undefined && group === undefined && !uses.some((use) => isBelow(use, plan.at)))
    .map((plan) => ({
      at: [...plan.at, 'each'],
      code: 'no_effect',
      value: plan.each ?? '',
      message: 'Nothing is read in the elements of this array.',
      wanted: 'fields or an order of its own, whose paths begin at the element',
    }));
}

function pathProblem(column: string, at: DocumentPath, scope: readonly string[]): LocatedProblem[] {
  if (scope.length === 0) {
    const path = compilePath(column.trim());
    return path.ok ? [] : [wrongPath(column, at, path.error)];
  }
  let depth = 0;
  for (const list of scope) {
    const levels = compileListPath(list.trim());
    if (!levels.ok) return [wrongPath(list, at, levels.error)];
    depth += levels.value.length;
  }
  const path = compileElementPath(column.trim());
  if (!path.ok) return [wrongPath(column, at, path.error)];
  const wanted = `at most ${depth} "../": the last one leads to the record`;
  return path.value.ups > depth ? [wrongPath(column, at, wanted)] : [];
}

const wrongPath = (text: string, at: ColumnUse['at'], wanted: string): LocatedProblem => ({
  at,
  code: 'path_invalid',
  value: text,
  message: `"${text}" is no path into a record.`,
  wanted,
});
