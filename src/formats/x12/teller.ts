/** Tells facts with their place: which interchange, group and set they stand in. */
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import { controlNumber, type Finding } from './judge.ts';
import type { X12Problem } from './problems.ts';
import { describeX12Problem } from './words.ts';

export class Teller {
  private readonly interchange: string | null;
  private readonly group: string | null;

  /** @param interchange and `group`: the segments that opened what is open. */
  constructor(interchange: Segment | null, group: Segment | null) {
    this.interchange = interchange === null ? null : controlNumber('interchange', interchange);
    this.group = group === null ? null : controlNumber('group', group);
  }

  /** @param segment one without a tag is a place where one is missing; @param set control number of the set, null outside */
  tell(problem: X12Problem, segment: Segment, set: string | null): EnvelopeProblem {
    const { tag, number, line, byteFrom, byteTo } = segment;
    const at = tag === '' ? null : { tag, number };
    return describeX12Problem(problem, {
      interchange: this.interchange,
      group: this.group,
      set,
      segment: at,
      line,
      byteFrom,
      byteTo,
    });
  }

  /** As many as are told at most, the last of them saying how many are not. */
  tellAll(findings: readonly Finding[], set: string | null, problemsMax: number): EnvelopeProblem[] {
    const told: EnvelopeProblem[] = [];
    for (const { problem, segment } of findings.slice(0, problemsMax)) {
      if (segment !== null) told.push(this.tell(problem, segment, set));
    }
    const rest = findings.length - problemsMax;
    const last = findings[problemsMax]?.segment;
    if (rest > 0 && last !== null && last !== undefined)
      told.push(this.tell({ code: 'more_problems', count: rest }, last, set));
    return told;
  }
}
