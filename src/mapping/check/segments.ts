/** Checks what a document reads of segments: paths, the loops they go through, and the loops themselves. */

import { type SegmentSource, segmentsOf } from '../../formats/reader.ts';
import { segmentTag } from '../../formats/segments/loops.ts';
import { DEFAULT_POLICY } from '../../formats/segments/parts.ts';
import { compileElementPath, compileListPath, type Step } from '../../formats/segments/path.ts';
import type { Result } from '../../kernel/result.ts';
import type { ColumnUse } from '../compile/columns.ts';
import { didYouMean } from '../document/nearest.ts';
import type { LocatedProblem } from '../document/problems.ts';

export function checkSegmentPaths(uses: readonly ColumnUse[], source: SegmentSource): LocatedProblem[] {
  const { loops, record } = segmentsOf(source, DEFAULT_POLICY).taking;
  const names = Object.keys(loops);
  const inPaths = uses.flatMap(({ column, at, scope }) => [
    ...pathProblems(column, compileElementPath(column.trim()), names, at),
    ...(scope.length === 0
      ? []
      : pathProblems(scope.at(-1) ?? '', compileListPath((scope.at(-1) ?? '').trim()), names, at)),
  ]);
  const problems = [
    ...(record === undefined || names.includes(record) ? [] : [loopUnknown(record, names, ['source', 'record'])]),
    ...names.flatMap((name) => loopProblems(name, loops, names)),
    ...(source.single ?? []).flatMap((path, index) => singleProblems(path, uses, ['source', 'single', index])),
    ...inPaths,
  ];
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.value]), problem])).values()];
}

/** Checks that it is one of the mapping's paths, compared as text. */
function singleProblems(path: string, uses: readonly ColumnUse[], at: ColumnUse['at']): LocatedProblem[] {
  const [paired] = [compileElementPath(path.trim())].flatMap((read) => (read.ok ? (read.value.pair ?? []) : []));
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

function pathProblems(
  text: string,
  path: Result<{ steps: readonly Step[] } | readonly Step[], string>,
  names: readonly string[],
  at: ColumnUse['at'],
): LocatedProblem[] {
  if (!path.ok) {
    return [
      { at, code: 'path_invalid', value: text, message: `"${text}" is no path into segments.`, wanted: path.error },
    ];
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
