/**
 * Reads sets and envelopes from one slice until no whole one is left: the loop that X12 and EDIFACT share.
 *
 * A slice begins at the checkpoint and may end anywhere; parts, positions and problems do not depend on where.
 */
import { Buffer, isAscii } from 'node:buffer';
import type { Problem } from '../../kernel/problem.ts';
import { type EnvelopeStandard, type EnvelopeState, Envelopes, type MissingAt } from './envelopes.ts';
import type { EnvelopeFault, Finding } from './faults.ts';
import { countOf, type ForwardSearch, SegmentTable, SliceSearches } from './list.ts';
import type { EnvelopePolicy, PartsRead, SegmentCheckpoint, TakePart } from './parts.ts';
import type { DividedText, EnvelopeProblem } from './segment.ts';
import type { WellFormedReader } from './well-formed.ts';

/** A point between two segments. `line`: physical lines that ended before it. */
export interface Place {
  at: number;
  line: number;
}

/** The text of a slice, one unit per byte. */
export interface SliceText {
  text: string;
  isAscii: boolean;
  hasNul: boolean;
  /** It reaches the end of the file. */
  atEnd: boolean;
  /** Position of the slice in the file. */
  byteBase: number;
}

export function sliceText(bytes: Uint8Array, byteBase: number, atEnd: boolean): SliceText {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return { text, isAscii: isAscii(bytes), hasNul: text.includes('\0'), atEnd, byteBase };
}

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

/** Finds segments in a slice: what the scanners of both standards have in common. */
export class SliceScanner {
  readonly text: string;
  readonly atEnd: boolean;
  readonly within: DividedText;
  readonly lineFeed: ForwardSearch;
  readonly carriageReturn: ForwardSearch;
  protected readonly segmentBytesMax: number;
  private readonly lineBreak: string;

  constructor(
    { text, byteBase, atEnd, searches }: ScannedSlice,
    delimiters: { element: string; component: string | null; repetition: string | null },
    { lineBreak, segmentBytesMax }: { lineBreak: string; segmentBytesMax: number },
  ) {
    const codeOf = (separator: string | null): number => (separator ?? '').charCodeAt(0);
    const { element, component, repetition } = delimiters;
    this.text = text;
    this.atEnd = atEnd;
    this.within = {
      ...{ text, byteBase },
      ...{ element: codeOf(element), component: codeOf(component), repetition: codeOf(repetition) },
    };
    this.lineFeed = searches.of('\n');
    this.carriageReturn = searches.of('\r');
    this.segmentBytesMax = segmentBytesMax;
    this.lineBreak = lineBreak;
  }

  /** @returns how many lines ended before `to`, of which `line` did before `from`. */
  lineAt(from: number, to: number, line: number): number {
    return line + countOf(this.text, this.lineBreak, from, to);
  }

  /** Offset of the first line break from there on. */
  protected breakFrom(from: number): number {
    return Math.min(this.lineFeed.from(from), this.carriageReturn.from(from));
  }
}

/** @property searches shared by all scanners of a slice. */
export interface ScannedSlice extends Pick<SliceText, 'text' | 'byteBase' | 'atEnd'> {
  searches: SliceSearches;
}
