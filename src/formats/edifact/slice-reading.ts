/** One slice of an EDIFACT file while it is read: how far, what is open, and what all stages share. */

import type { EnvelopeFault, Finding } from '../segments/faults.ts';
import { countOf } from '../segments/list.ts';
import { locationMessage } from '../segments/problems.ts';
import { type EnvelopeProblem, elementText, type Segment } from '../segments/segment.ts';
import { type SliceInput, SliceReader } from '../segments/slice-reader.ts';
import type { EdifactCheckpoint, OpenInterchange, Stage } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import { EDIFACT_ENVELOPES } from './envelope.ts';
import { type EdifactLimits, NOTES_MAX } from './limits.ts';
import { WellFormedMessages } from './message.ts';
import { type Fault, FoundFaults } from './problems.ts';
import { type Dividers, SegmentScanner, swallowed } from './scan.ts';
import { isAscii, isEscaped, type Note, noteKind, noteMessage, readText } from './text.ts';

type Input = SliceInput<EdifactLimits> & { source: Pick<EdifactSource, 'encoding' | 'bare'> };

export abstract class SliceReading extends SliceReader<EdifactCheckpoint, Fault, Input> {
  /** Changed in place, by the envelopes too; the caller's checkpoint is not. */
  readonly state: EdifactCheckpoint;
  private readonly startStage: Stage;
  /** Of the interchange that is open. */
  scanner: SegmentScanner | null = null;
  private wellFormed: WellFormedMessages | null = null;

  constructor(input: Input, checkpoint: EdifactCheckpoint) {
    const { open, passing } = checkpoint;
    const state = { ...checkpoint, open: copyOf(open), passing: passing === null ? null : { ...passing } };
    super(input, checkpoint.line, {
      standard: EDIFACT_ENVELOPES,
      state,
      problemsMax: input.limits.interchangeProblemsMax,
    });
    this.state = state;
    this.startStage = checkpoint.stage;
  }

  protected hasTurned(): boolean {
    return this.state.stage !== this.startStage;
  }

  protected checkpoint(): EdifactCheckpoint {
    this.state.byte = this.byteAt(this.at);
    this.state.line = this.line;
    return this.state;
  }

  /** Nothing follows. @param problem why the file ends early. */
  finish(problem: EnvelopeProblem | null): false {
    // Nothing was ever read: the file as a whole is at fault.
    if (this.state.interchange === 0 && problem !== null) this.fileProblem = problem;
    Object.assign(this.state, { stage: 'end', endProblem: problem });
    this.isFinished = true;
    this.endProblem = problem;
    return false;
  }

  note(note: Note): void {
    const { state } = this;
    const kind = noteKind(note);
    // An interchange that is only checked is read again: its notes come then.
    if (state.judging !== null || state.noted.includes(kind) || state.noted.length >= NOTES_MAX) return;
    state.noted = [...state.noted, kind];
    state.notes = [...state.notes, noteMessage(note)];
  }

  protected excuse({ fault, at }: Finding<EnvelopeFault>): void {
    if (fault.code !== 'count_differs') return;
    const { counted: what, stated, found } = fault;
    const around = locationMessage(this.envelopes.headersAround());
    const place = around === '' ? at.tag : `${around}, ${at.tag}`;
    this.note({ kind: 'count_differs', what, stated, found, place });
  }

  addPending(problem: EnvelopeProblem): void {
    this.state.pending = [...this.state.pending, problem];
  }

  /** Moves to an offset, over text that is not a segment. */
  passTo(to: number): void {
    this.line += countOf(this.input.text, '\n', this.at, to);
    this.at = to;
  }

  /** @returns what is wrong with how the segment ends; the scanner is then at its real end. */
  endOf(scanner: SegmentScanner, tag: 'UNB' | 'UNG' | 'UNT' | 'UNE' | 'UNZ'): Fault[] {
    const inside = swallowed(scanner, tag);
    if (inside === null) return [];
    scanner.cut(inside.at);
    return [{ code: 'terminator_missing', followed: inside.tag }];
  }

  /** Text of a segment of the envelope. */
  textOf(segment: Segment, open: OpenInterchange | null): Segment {
    const units = segment.elements.flat().join('');
    if (isAscii(units)) return segment;
    const syntax = open?.syntax ?? elementText(segment, 1, 1);
    const { encoding: fallback } = this.input.source;
    // What is not text is shown as well as possible: a name in an envelope decides nothing.
    const { segments, note } = readText([segment], { units, syntax, fallback }, new FoundFaults(0));
    if (note !== null) this.note(note);
    return segments[0] ?? segment;
  }

  goOn(scanner: SegmentScanner): true {
    this.at = scanner.end;
    this.line = scanner.lineAfter;
    return true;
  }

  scannerInside(open: OpenInterchange): SegmentScanner {
    this.scanner ??= this.scannerOf(open.dividers, this.input.limits.segmentBytesMax);
    return this.scanner;
  }

  /** Null if each message needs the slow path. */
  wellFormedMessages(open: OpenInterchange): WellFormedMessages | null {
    const { isAscii, hasNul } = this.input;
    if (!isAscii || hasNul || isEscaped(open.syntax)) return null;
    if (open.broken !== null || (open.header === null && !open.isBare)) return null;
    const scanner = this.scannerInside(open);
    if (scanner.hasLines) return null;
    if (this.wellFormed?.scanner !== scanner) {
      this.wellFormed = new WellFormedMessages(scanner, this.table, this.input.limits);
    }
    return this.wellFormed;
  }

  scannerOf(dividers: Dividers, bytesMax: number): SegmentScanner {
    this.scanner = null;
    return new SegmentScanner({ ...this.input, searches: this.searches }, dividers, bytesMax);
  }
}

const copyOf = (open: OpenInterchange | null): OpenInterchange | null =>
  open === null ? null : { ...open, group: open.group === null ? null : { ...open.group } };
