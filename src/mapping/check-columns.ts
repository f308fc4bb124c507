/** Checks of what a document reads: declared columns, paths into trees, arrays where there can be arrays. */
import { kindsOf } from '../formats/fixed/kinds.ts';
import { compilePath, ELEMENT } from '../formats/json/path.ts';
import type { XmlSource } from '../formats/xml/declaration.ts';
import { xmlPathFault } from '../formats/xml/reader.ts';
import { checkSegmentPaths } from './check-segments.ts';
import { type ColumnUse, columnUses } from './columns.ts';
import type { DocumentParts } from './document-parts.ts';
import type { DocumentPath, PlacedProblem } from './document-problem.ts';
import { didYouMean } from './nearest.ts';

export function checkColumns(parts: DocumentParts): PlacedProblem[] {
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

/** Where the document declares the columns itself, a name that is none of them is known to be wrong. */
function checkDeclared(uses: readonly ColumnUse[], columns: readonly string[]): PlacedProblem[] {
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

/** In a tree, what a document calls a column is a path, and so is the name of an array. */
function checkPaths(uses: readonly ColumnUse[]): PlacedProblem[] {
  const wrong = uses.flatMap(({ column, at, scope }) => [
    ...(column.trim() === ELEMENT && scope.length > 0 ? [] : pathProblem(column, at)),
    ...(scope.length === 0 ? [] : pathProblem(scope.at(-1) ?? '', at)),
  ]);
  return onePerPlace(wrong);
}

const onePerPlace = (problems: readonly PlacedProblem[]): PlacedProblem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.value]), problem])).values(),
];

function checkXmlPaths(source: XmlSource, uses: readonly ColumnUse[]): PlacedProblem[] {
  const wrong = uses.flatMap(({ column, at, scope }) => {
    const fault = xmlPathFault(source, column, scope);
    return fault === null ? [] : [wrongPath(fault.value, at, fault.wanted)];
  });
  return onePerPlace(wrong);
}

/** An array of which nothing is read would not be gone through at all. */
function checkArrays({ plans, group }: DocumentParts, uses: readonly ColumnUse[]): PlacedProblem[] {
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

function pathProblem(text: string, at: ColumnUse['at']): PlacedProblem[] {
  const path = compilePath(text.trim());
  return path.ok ? [] : [wrongPath(text, at, path.error)];
}

const wrongPath = (text: string, at: ColumnUse['at'], wanted: string): PlacedProblem => ({
  at,
  code: 'path_invalid',
  value: text,
  message: `"${text}" is no path into a record.`,
  wanted,
});
