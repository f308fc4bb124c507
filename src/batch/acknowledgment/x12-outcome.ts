/** What must be known of an X12 interchange before the first word of its answer is written: whether TA1 tells of it, and what. Pure. */
import { elementText, type Segment } from '../../formats/segments/segment.ts';
import type { Judged } from './judge.ts';
import { isAcknowledgment } from './x12-group.ts';
import { codesOf } from './x12-lines.ts';

/** What TA1 is told of: a fault of the interchange itself, by its own code and the standard's. */
export interface InterchangeFault {
  code: string;
  standard: string;
}

/** TA104: accepted, accepted with errors, or rejected. */
export type Outcome = 'A' | 'E' | 'R';

export interface InterchangeOutcome {
  /** TA104 and TA105; null: no TA1 is wanted. */
  ta1: { outcome: Outcome; code: string } | null;
  /** Groups that are answered. */
  groups: number;
}

interface Tally {
  header: Segment;
  first: InterchangeFault | undefined;
  /** The first code of TA105 among them. */
  told: string | undefined;
  /** Sets of it that were not refused. */
  taken: number;
  /** Sets that were refused outside of any group, where only TA1 can tell of them. */
  loose: number;
  groups: number;
}

/** @returns one for each interchange, in their order; null for one that has no end. */
export async function* interchangeOutcomes(
  judged: AsyncIterable<Judged>,
): AsyncGenerator<InterchangeOutcome | null, undefined> {
  let tally: Tally | null = null;
  let group: { isOwn: boolean; rejected: number } | null = null;
  for await (const each of judged) {
    switch (each.kind) {
      case 'interchange':
        if (tally !== null) yield null;
        tally = { header: each.header, first: undefined, told: undefined, taken: 0, loose: 0, groups: 0 };
        tell(tally, each.problems);
        group = null;
        break;
      case 'group':
        group = { isOwn: isAcknowledgment(each), rejected: 0 };
        break;
      case 'set': {
        const { outcome, faults } = each.verdict;
        if (group !== null) group.rejected += outcome === 'rejected' ? 1 : 0;
        else if (tally !== null) {
          tally.loose += 1;
          tell(
            tally,
            faults.map(({ problem, standard }) => ({ code: problem.code, standard })),
          );
        }
        break;
      }
      case 'unopened':
        if (group !== null) group.rejected += 1;
        break;
      case 'group_end':
        if (group !== null && tally !== null) {
          tally.taken += group.isOwn ? each.counted : each.counted - group.rejected;
          tally.groups += group.isOwn ? 0 : 1;
        }
        group = null;
        break;
      case 'interchange_end':
        if (tally !== null) {
          tell(tally, each.problems);
          yield { ta1: ta1Of(tally), groups: tally.groups };
        }
        tally = null;
        break;
    }
  }
}

function tell(tally: Tally, faults: readonly InterchangeFault[]): void {
  tally.first ??= faults[0];
  tally.told ??= codesOf(faults, 'TA1', 1)[0];
}

/** ISA14: 1 wanted; some partners write 2 (only when rejected) or 3 (rejected or with errors), both unverified. Else: faults are told. */
function ta1Of(tally: Tally): InterchangeOutcome['ta1'] {
  const outcome = outcomeOf(tally);
  const ta1 = { outcome, code: tally.told ?? fallbackCode(tally.first) };
  switch (elementText(tally.header, 14, null).trim()) {
    case '1':
      return ta1;
    case '2':
      return outcome === 'R' || tally.loose > 0 ? ta1 : null;
    default:
      return outcome === 'A' ? null : ta1;
  }
}

/** Rejected: nothing of it was taken though something might have been, and the interchange itself is at fault. */
function outcomeOf({ first, taken }: Tally): Outcome {
  if (first === undefined) return 'A';
  return taken > 0 ? 'E' : 'R';
}

/** TA105: nothing is wrong; the structure is, or what stands in it, where the list has nothing more exact. */
const NOTHING_WRONG = '000';
const STRUCTURE = '022';
const CONTENT = '024';

function fallbackCode(first: InterchangeFault | undefined): string {
  if (first === undefined) return NOTHING_WRONG;
  return first.code === 'text_outside_interchange' ? CONTENT : STRUCTURE;
}

/** TA105 of one fault. */
export const ta1Code = (fault: InterchangeFault): string => codesOf([fault], 'TA1', 1)[0] ?? fallbackCode(fault);
