/**
 * Reads sets and envelopes from one slice until no whole one is left: the loop that X12 and EDIFACT share.
 *
 * A slice begins at the checkpoint and may end anywhere; parts, positions and problems do not depend on where.
 */
import type { Problem } from '../../kernel/problem.ts';
import { type EnvelopeStandard, type EnvelopeState, Envelopes, type MissingAt } from './envelopes.ts';
import type { EnvelopeFault, Finding } from './faults.ts';
import { SegmentTable, SliceSearches } from './list.ts';
import type { EnvelopePolicy, PartsRead, SegmentCheckpoint, TakePart } from './parts.ts';
import type { Place, SliceText } from './scan.ts';
import type { EnvelopeProblem } from './segment.ts';
import type { WellFormedReader } from './well-formed.ts';

export interface SliceInput<Limits> extends SliceText {
  limits: Limits;
  policy: EnvelopePolicy;
  take: TakePart;
}

export abstract class SliceReader<Own extends SegmentCheckpoint, Fault, Input extends SliceInput<unknown>> {
  readonly input: Input;
  readonly envelopes: Envelopes<Fault>;
  /** Shared by all scanners of the slice. */
  readonly searches: SliceSearches;
  protected readonly table: SegmentTable;
  /** Offset in the slice; below 0 if an interchange that was checked begins before it. */
  at = 0;
  /** Lines of the file that ended before `at`. */
  line: number;
  /** Set when the file as a whole cannot be read. */
  fileProblem: Problem | null = null;
  protected isFinished = false;
  /** Why the file ends early. */
  protected endProblem: EnvelopeProblem | null = null;

  constructor(
    input: Input,
    line: number,
    { standard, state, problemsMax }: { standard: EnvelopeStandard<Fault>; state: EnvelopeState; problemsMax: number },
  ) {
    this.input = input;
    this.line = line;
    this.searches = new SliceSearches(input.text);
    this.table = new SegmentTable(input.text.length);
    const { policy, take } = input;
    const excuse = (finding: Finding<EnvelopeFault>): void => this.excuse(finding);
    this.envelopes = new Envelopes(standard, state, { policy, take, problemsMax, excuse });
  }

  /** Reads one part, or skips something. @returns false when the slice ends before the next part can be recognised. */
  protected abstract step(): boolean;
  /** Whether something began or ended though nothing was given and no byte was passed. */
  protected abstract hasTurned(): boolean;
  protected abstract checkpoint(): Own;
  /** Notes a wrong count that the policy allows. */
  protected abstract excuse(finding: Finding<EnvelopeFault>): void;

  read(): PartsRead<Own> {
    // An interchange that was checked is read again from its start, which may be before the slice.
    while (!this.isFinished && this.fileProblem === null && this.at >= 0 && this.step());
    const { fileProblem, isFinished: finished, endProblem } = this;
    if (fileProblem !== null) return { outcome: 'unreadable', problems: [fileProblem] };
    const hasMoved = finished || this.at !== 0 || this.envelopes.hasGiven || this.hasTurned();
    return hasMoved ? { outcome: 'parts', checkpoint: this.checkpoint(), finished, endProblem } : { outcome: 'more' };
  }

  get place(): Place {
    return { at: this.at, line: this.line };
  }

  set place({ at, line }: Place) {
    this.at = at;
    this.line = line;
  }

  byteAt(at: number): number {
    return this.input.byteBase + at;
  }

  /** Where the tag found at a place shows that something is missing. */
  missingAt(found: string, { at, line }: Place = this.place): MissingAt {
    return { found, byte: this.byteAt(at), line };
  }

  /** @returns false if the next set needs the slow path. */
  takeWellFormed(sets: WellFormedReader | null): boolean {
    const found = sets?.from(this.at, this.line) ?? null;
    if (found === null) return false;
    this.place = found;
    this.envelopes.giveWellFormed(found.id, found.segments);
    return true;
  }
}
