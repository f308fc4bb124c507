/** Tells what was found, and no more of it than a person reads. Pure. */
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import type { Finding } from './judge.ts';
import { describeX12Problem } from './words.ts';

/** @returns as many as are told at most, then one that says how many are not. */
export function tellAll(findings: readonly Finding[], problemsMax: number): EnvelopeProblem[] {
  if (findings.length === 0) return [];
  const told = findings.slice(0, problemsMax).map(({ problem, segment }) => describeX12Problem(problem, segment));
  const next = findings[problemsMax];
  if (next === undefined) return told;
  return [...told, describeX12Problem({ code: 'more_problems', count: findings.length - problemsMax }, next.segment)];
}

/** Where a segment should stand and none does: no tag, no bytes. */
export const placeholder = (byte: number, line: number): Segment => ({
  tag: '',
  elements: [],
  number: 0,
  line,
  byteFrom: byte,
  byteTo: byte,
});
