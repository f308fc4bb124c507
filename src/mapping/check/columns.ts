/** Checks what a document reads: declared columns, paths into trees and segments, loops, arrays only in formats that have them. */
import { kindsOf } from '../../formats/fixed/lines.ts';
import { compileElementPath, compileListPath, compilePath } from '../../formats/json/path.ts';
import { type SegmentSource, segmentsOf } from '../../formats/reader.ts';
import { segmentTag } from '../../formats/segments/loops.ts';
import { DEFAULT_POLICY } from '../../formats/segments/parts.ts';
import {
  compileListPath as compileSegmentList,
  compileElementPath as compileSegmentPath,
  type Step,
} from '../../formats/segments/path.ts';
import type { XmlSource } from '../../formats/xml/declaration.ts';
import { xmlPathFault } from '../../formats/xml/reader.ts';
import type { Result } from '../../kernel/result.ts';
import { type ColumnUse, columnUses } from '../compile/columns.ts';
import type { DocumentParts } from '../document/document-parts.ts';
import { didYouMean } from '../document/nearest.ts';
import { type DocumentPath, distinct, type LocatedProblem } from '../document/problems.ts';

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
  return distinct(uses.flatMap(({ column, at, scope }) => pathProblem(column, at, scope)));
}

function checkXmlPaths(source: XmlSource, uses: readonly ColumnUse[]): LocatedProblem[] {
  const wrong = uses.flatMap(({ column, at, scope }) => {
    const fault = xmlPathFault(source, column, scope);
    return fault === null ? [] : [wrongPath(fault.value, at, fault.wanted)];
  });
  return distinct(wrong);
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

/**
 * Conditions beside `each` that name what the elements hold: they are asked of what is around, where it is most often
 * absent. A path that is written out as one of the record is not doubted. For documents that are being written: stored
 * versions go on to do what they did.
 */
export function misreadConditions(parts: DocumentParts): LocatedProblem[] {
  const { source } = parts;
  if (source?.format !== 'json' && source?.format !== 'ndjson' && source?.format !== 'xml') return [];
  const uses = columnUses(parts);
  return uses.flatMap(({ column, at, scope, beside }): LocatedProblem[] => {
    const own = beside === undefined ? undefined : ownPath(source, column.trim(), scope);
    if (beside === undefined || own === undefined) return [];
    const isRead = (within: readonly string[]) => (use: ColumnUse) =>
      use.beside === undefined &&
      use.column.trim() === column.trim() &&
      use.scope.length === within.length &&
      use.scope.every((list, index) => list === within[index]);
    const place = at.slice(0, at.lastIndexOf('when'));
    const inElement = uses
      .filter(isRead([...scope, beside]))
      .some((use) => place.every((step, i) => use.at[i] === step));
    if (!inElement || uses.some(isRead(scope))) return [];
    const around = scope.length === 0 ? 'the record' : 'the element around it';
    const isRequest = place[0] === 'requests' && place.length === 2;
    const each = isRequest
      ? 'elements of requests cannot be left out one by one'
      : 'else item: { object: …, when: … }, whose "when" is asked of each element';
    const message = `"${column}" is read in each element of "${beside}"; a "when" beside "each" is asked once, of ${around}.`;
    const wanted = `${own} if that of ${around} is meant; ${each}`;
    return [{ at, code: 'path_invalid', value: column, message, wanted }];
  });
}

/** The same path, written so that it begins at the record; undefined if it does already, or if nothing writes that. */
function ownPath(source: { format: 'json' | 'ndjson' } | XmlSource, path: string, scope: readonly string[]) {
  if (/^(?:\[|\/|\.)/.test(path)) return undefined;
  if (source.format !== 'xml') return path.replace(/^[^.[]+/, (name) => JSON.stringify([name]));
  return scope.length === 0 ? `/${source.records}/${path}` : undefined;
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

/* What is read of segments: paths, the loops they go through, and the loops themselves. */

function checkSegmentPaths(uses: readonly ColumnUse[], source: SegmentSource): LocatedProblem[] {
  const { loops, record } = segmentsOf(source, DEFAULT_POLICY).taking;
  const names = Object.keys(loops);
  const inPaths = uses.flatMap(({ column, at, scope }) => [
    ...segmentPathProblems(column, compileSegmentPath(column.trim()), names, at),
    ...(scope.length === 0
      ? []
      : segmentPathProblems(scope.at(-1) ?? '', compileSegmentList((scope.at(-1) ?? '').trim()), names, at)),
  ]);
  const problems = [
    ...(record === undefined || names.includes(record) ? [] : [loopUnknown(record, names, ['source', 'record'])]),
    ...names.flatMap((name) => loopProblems(name, loops, names)),
    ...(source.single ?? []).flatMap((path, index) => singleProblems(path, uses, ['source', 'single', index])),
    ...inPaths,
  ];
  return distinct(problems);
}

/** Checks that it is one of the mapping's paths, compared as text. */
function singleProblems(path: string, uses: readonly ColumnUse[], at: ColumnUse['at']): LocatedProblem[] {
  const [paired] = [compileSegmentPath(path.trim())].flatMap((read) => (read.ok ? (read.value.pair ?? []) : []));
  if (paired === undefined && uses.some(({ column }) => column.trim() === path.trim())) return [];
  const message =
    paired === undefined
      ? `Nothing reads "${path}", so that it cannot find several values.`
      : `"${path}" takes the first pair of its kind.`;
  return [{ at, code: 'no_effect', value: path, message, wanted: 'a path of a field, written as it is there' }];
}

function loopProblems(name: string, loops: SegmentSource['loops'], names: readonly string[]): LocatedProblem[] {
  const { in: parent, opens } = loops[name] ?? {};
  const at = ['source', 'loops', name];
  if (parent !== undefined && !names.includes(parent)) return [loopUnknown(parent, names, [...at, 'in'])];
  if (isInItself(name, loops)) {
    const message = `The loop "${name}" stands in itself.`;
    return [{ at: [...at, 'in'], code: 'path_invalid', value: parent ?? '', message, wanted: 'a loop around it' }];
  }
  if (opens !== undefined || segmentTag.safeParse(name).success) return [];
  const message = `"${name}" is no tag of a segment, and nothing says which one opens the loop.`;
  return [{ at, code: 'path_invalid', value: name, message, wanted: 'opens: <tag>' }];
}

/** Loops of which one is never met, as another in the same place opens by its tag. For documents that are being written. */
export function rivalLoops({ source }: DocumentParts): LocatedProblem[] {
  if (source?.format !== 'x12' && source?.format !== 'edifact') return [];
  const { loops } = segmentsOf(source, DEFAULT_POLICY).taking;
  const first = new Map<string, string>();
  return Object.entries(loops).flatMap(([name, { in: parent = '', opens = name }]): LocatedProblem[] => {
    const place = JSON.stringify([parent, opens]);
    const rival = first.get(place);
    first.set(place, rival ?? name);
    if (rival === undefined) return [];
    const message = `The loop "${rival}" opens by ${opens} in the same place, so that one of the two is never met.`;
    const wanted = `one loop for ${opens}; a path chooses among its repeats, as N1[01=ST] does`;
    return [{ at: ['source', 'loops', name], code: 'path_invalid', value: opens, message, wanted }];
  });
}

/**
 * Lines that are carried and cannot keep their place: names that are whole numbers come first in any object, in their own
 * order, whatever was written. For documents that are being written.
 */
export function unorderedKinds({ source }: DocumentParts): LocatedProblem[] {
  if (source?.format !== 'fixed') return [];
  const carried = Object.entries(source.records).filter(([, { use }]) => use === 'carried');
  if (carried.length < 2) return [];
  return carried
    .filter(([name]) => WHOLE_NUMBER.test(name))
    .map(([name, { marker }]) => {
      const message =
        'Carried lines are nested in the order in which they are written, but a whole number as a name always comes first.';
      const wanted =
        marker === undefined
          ? `a name with a letter, and marker: "${name}"`
          : 'a name with a letter; its marker may stay';
      return { at: ['source', 'records', name], code: 'wrong_form', value: name, message, wanted };
    });
}

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;

function isInItself(name: string, loops: SegmentSource['loops']): boolean {
  const met = new Set<string>();
  for (let loop: string | undefined = name; loop !== undefined; loop = loops[loop]?.in) {
    if (met.has(loop)) return true;
    met.add(loop);
  }
  return false;
}

/** All steps of a path but the last are loops; the first may be the segment that opens the set. */
const OPENINGS = ['ST', 'UNH'];

function segmentPathProblems(
  text: string,
  path: Result<{ steps: readonly Step[] } | readonly Step[], string>,
  names: readonly string[],
  at: ColumnUse['at'],
): LocatedProblem[] {
  if (!path.ok) {
    const message = `"${text}" is no path into segments.`;
    return [{ at, code: 'path_invalid', value: text, message, wanted: path.error }];
  }
  const steps = 'steps' in path.value ? path.value.steps : path.value;
  return steps
    .slice(0, -1)
    .filter(({ name }, index) => !names.includes(name) && !(index === 0 && OPENINGS.includes(name)))
    .map(({ name }) => loopUnknown(name, names, at));
}

const loopUnknown = (name: string, names: readonly string[], at: ColumnUse['at']): LocatedProblem => ({
  at,
  code: 'path_invalid',
  value: name,
  message: `"source" declares no loop "${name}".${didYouMean(name, names)}`,
  wanted: names.length === 0 ? 'a loop under source.loops' : `one of ${names.join(', ')}`,
});
