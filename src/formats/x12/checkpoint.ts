/** How far an X12 file was read, so that a restart continues between two sets or envelopes and finds the same ones. */
import type { EnvelopeValidation } from '../segments/envelopes.ts';
import type { SegmentCheckpoint } from '../segments/parts.ts';
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import type { X12Delimiters } from './delimiters.ts';

/**
 * @property line physical lines that ended before `byte`.
 * @property lineBreak what ends lines in the last interchange. interchanges opened so far. open the current one, or one
 * whose ISA is refused and which is skipped.
 */
export interface X12Checkpoint extends SegmentCheckpoint {
  lineBreak: '\n' | '\r';
  interchanges: number;
  open: OpenInterchange | null;
  group: OpenGroup | null;
  /** What is too large is skipped: to the end of its segment, or of its set. */
  passing: 'segment' | 'set' | null;
  /** Text outside any interchange, to be reported at the next ISA or the end of the file. */
  stray: StrayText | null;
  /** If a broken interchange costs all its sets: a first pass checks it from here, a second one reads it from here. */
  judging: Judging | null;
  /** The result of that check; null: the interchange at `byte` was not checked yet. */
  verdict: EnvelopeValidation | null;
}

/**
 * @property delimiters null: the ISA is refused. `unexpected`: problems reported at its end, `unexpectedCount` includes
 * those not stored.
 */
export interface OpenInterchange {
  header: Segment;
  delimiters: X12Delimiters | null;
  groups: number;
  /** Sets outside any group. */
  looseSets: number;
  unexpected: readonly EnvelopeProblem[];
  unexpectedCount: number;
}

/** @property unexpected as of its interchange. */
interface OpenGroup {
  header: Segment;
  sets: number;
  unexpected: readonly EnvelopeProblem[];
  unexpectedCount: number;
}

export interface StrayText {
  byteFrom: number;
  byteTo: number;
  line: number;
  text: string;
}

interface Judging extends EnvelopeValidation {
  byte: number;
  line: number;
  stray: StrayText | null;
}

/** The start of any X12 file. */
export const x12Start: X12Checkpoint = {
  byte: 0,
  line: 0,
  notes: [],
  lineBreak: '\n',
  interchanges: 0,
  open: null,
  group: null,
  passing: null,
  stray: null,
  judging: null,
  verdict: null,
};
