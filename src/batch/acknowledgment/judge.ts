/**
 * What became of every set of a file, in its own order: the file is read again from its stored bytes, and its rows say what
 * was wrong in it. Pure but for the streams passed in.
 *
 * A set is accepted when all its records are requests, accepted with errors when some are, and rejected when none is.
 */
import { segmentAt } from '../../formats/segments/cells.ts';
import type { TakeSet } from '../../formats/segments/reader.ts';
import { NONE_SEEN } from '../../formats/segments/seen.ts';
import type { EnvelopeProblem, Segment, SegmentPart } from '../../formats/segments/segment.ts';
import type { LoopNode } from '../../formats/segments/tree.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { BatchRow } from '../summary.ts';

/** What a row says of its record. */
export type JudgedRow = Pick<BatchRow, 'state' | 'errors'>;

/** Where and what: `number` place of the segment in its set, null: no segment is at fault. `component` only where one is. */
export interface SetFault {
  tag: string;
  number: number | null;
  element: number | null;
  component: number | null;
  /** What is wrong, in the words of the row. */
  problem: Problem;
  /** The standard's own code with its list, '' where it is ours alone. */
  standard: string;
}

export interface SetVerdict {
  /** Its first segment: ST or UNH. */
  opening: Segment;
  outcome: 'accepted' | 'with_errors' | 'rejected';
  faults: readonly SetFault[];
}

/** In the order of the file. Of an envelope, `problems` are those of its header or its trailer, `counted` what was found in it. */
export type Judged =
  | { kind: 'interchange'; header: Segment; problems: readonly EnvelopeProblem[] }
  | { kind: 'group'; header: Segment; problems: readonly EnvelopeProblem[] }
  | { kind: 'set'; verdict: SetVerdict }
  | { kind: 'group_end' | 'interchange_end'; counted: number; problems: readonly EnvelopeProblem[] };

const OPENINGS: readonly string[] = ['ST', 'UNH'];

/** Faults told of one set. Ours: who gets more of them has a fault of principle. */
const FAULTS_MAX = 20;

/**
 * @param rows of all records in order, from the first one on.
 * @param take as the set was taken when it was read, so that records are counted alike.
 */
export async function* judgeParts(
  parts: AsyncIterable<SegmentPart>,
  rows: AsyncIterator<JudgedRow>,
  take: TakeSet,
): AsyncGenerator<Judged> {
  let before = NONE_SEEN;
  for await (const part of parts) {
    if ('fact' in part) {
      const { fact } = part;
      for (const _ of fact.problems) await rows.next(); // each is a record of its own
      const { kind, problems } = fact;
      if (kind === 'interchange' || kind === 'group') yield { kind, header: fact.header, problems };
      else yield { kind, counted: fact.counted, problems };
      continue;
    }
    const [first] = part.set.segments;
    // Segments that no ST or UNH opens have no number to be acknowledged under; the trailers around them tell of them.
    const opening = first !== undefined && OPENINGS.includes(first.tag) ? first : undefined;
    const { taken, seen } = take(part.set, before);
    before = seen;
    if (taken.outcome === 'ignored') continue;
    if (taken.outcome === 'refused') {
      await rows.next();
      const faults = taken.problems.slice(0, FAULTS_MAX).map(envelopeFault);
      if (opening !== undefined) yield { kind: 'set', verdict: { opening, outcome: 'rejected', faults } };
      continue;
    }
    const faults: SetFault[] = [];
    let invalid = 0;
    for (const node of taken.tree.records) {
      const row = (await rows.next()).value as JudgedRow | undefined;
      if (row?.state !== 'invalid') continue;
      invalid += 1;
      if (faults.length < FAULTS_MAX) faults.push(...row.errors.map((problem) => recordFault(node, problem)));
    }
    const all = taken.tree.records.length;
    const outcome = invalid === 0 ? 'accepted' : invalid < all ? 'with_errors' : 'rejected';
    if (opening !== undefined)
      yield { kind: 'set', verdict: { opening, outcome, faults: faults.slice(0, FAULTS_MAX) } };
  }
}

const envelopeFault = (problem: EnvelopeProblem): SetFault => ({
  tag: problem.segment?.tag ?? '',
  number: problem.segment?.number || null,
  element: problem.element,
  component: null,
  problem,
  standard: problem.standard,
});

/** The path of a row's problem leads to the segment that was read, where there was one; else to the record's own. */
function recordFault(node: LoopNode, problem: Problem): SetFault {
  const found = segmentAt(node, problem.path);
  const segment = found?.segment ?? node.opening;
  return {
    tag: segment?.tag ?? '',
    number: segment?.number ?? null,
    element: found?.element ?? null,
    component: found?.component ?? null,
    problem,
    standard: '',
  };
}
