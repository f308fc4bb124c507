/** How far an EDIFACT file was read, so that a restart continues between two messages and finds the same parts. */
import type { EnvelopeState, EnvelopeValidation, OpenInterchange as OpenEnvelopes } from '../segments/envelopes.ts';
import type { SegmentCheckpoint } from '../segments/parts.ts';
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import type { Delimiters } from './delimiters.ts';
import type { NoteKind } from './text.ts';

/**
 * What is read next. `between`: an interchange, or the end of the file; `garbage`: text outside any interchange
 * continues; `inside`: a message or a segment of the envelope; `passing`: a message that is too large continues.
 */
export type Stage = 'start' | 'between' | 'garbage' | 'inside' | 'passing' | 'end';

export interface EdifactCheckpoint extends SegmentCheckpoint, EnvelopeState {
  /** First byte not read yet. After an interchange was checked, it goes back to its start once. */
  byte: number;
  /** Line feeds before `byte`. */
  line: number;
  noted: readonly NoteKind[];
  stage: Stage;
  /** Of a UNA whose UNB has not come yet. */
  una: Delimiters | null;
  /** Of the last interchange. */
  delimiters: Delimiters | null;
  /** Found before the next interchange, whose fact reports them. */
  pending: readonly EnvelopeProblem[];
  garbage: Garbage | null;
  open: OpenInterchange | null;
  passing: PassedMessage | null;
  judging: Judging | null;
  /** Set when the file ends early. */
  endProblem: EnvelopeProblem | null;
}

/** @property back where the interchange begins. */
interface Judging extends EnvelopeValidation {
  back: EdifactCheckpoint;
}

interface Garbage {
  byteFrom: number;
  line: number;
  text: string;
}

/** @property isBare the file has no UNB and need not have one. */
export interface OpenInterchange extends OpenEnvelopes {
  isBare: boolean;
  syntax: string;
  dividers: Delimiters & { repetition: string };
}

/** A message whose end is not found yet. @property inSegment the end of a segment that is too long is not found yet. */
export interface PassedMessage {
  header: Segment | null;
  reference: string;
  segments: number;
  inSegment: boolean;
  problem: EnvelopeProblem;
}

/** The start of any EDIFACT file. */
export const edifactStart: EdifactCheckpoint = {
  byte: 0,
  line: 0,
  notes: [],
  noted: [],
  stage: 'start',
  interchange: 0,
  una: null,
  delimiters: null,
  pending: [],
  garbage: null,
  open: null,
  passing: null,
  judging: null,
  judged: null,
  endProblem: null,
};
