/** One slice of an EDIFACT file while it is read: how far, what is open, and what all stages share. */

import { Envelopes, type MissingAt } from '../segments/envelopes.ts';
import type { EnvelopeFault, Finding } from '../segments/faults.ts';
import { SegmentTable, SliceSearches } from '../segments/list.ts';
import type { EnvelopePolicy, TakePart } from '../segments/parts.ts';
import { locationMessage } from '../segments/problems.ts';
import { type EnvelopeProblem, elementText, type Segment } from '../segments/segment.ts';
import type { EdifactCheckpoint, OpenInterchange } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import { EDIFACT_ENVELOPES } from './envelope.ts';
import { type EdifactLimits, NOTES_MAX } from './limits.ts';
import { WellFormedMessages } from './message.ts';
import { type Fault, type FileFault, FoundFaults } from './problems.ts';
import { type Dividers, SegmentScanner, swallowed } from './scan.ts';
import { isAscii, isEscaped, type Note, noteKind, noteMessage, readText } from './text.ts';

export interface SliceInput {
  source: Pick<EdifactSource, 'encoding' | 'bare'>;
  policy: EnvelopePolicy;
  limits: EdifactLimits;
  /** One unit per byte. */
  text: string;
  isAscii: boolean;
  atEnd: boolean;
  take: TakePart;
}

export class SliceReading {
  readonly input: SliceInput;
  /** First byte of the slice in the file. */
  readonly base: number;
  readonly envelopes: Envelopes<Fault>;
  /** Changed in place, by the envelopes too; the caller's checkpoint is not. */
  readonly state: EdifactCheckpoint;
  readonly isAscii: boolean;
  readonly hasNul: boolean;
  private readonly searches: SliceSearches;
  /** Of the interchange that is open. */
  scanner: SegmentScanner | null = null;
  private wellFormed: WellFormedMessages | null = null;
  private table: SegmentTable | null = null;
  /** Set when the file as a whole cannot be read. */
  fileFault: FileFault | null = null;
  /** Offset in the slice; below 0 if an interchange that was checked begins before it. */
  at = 0;
  /** Line feeds of the file before `at`. */
  line: number;

  constructor(input: SliceInput, checkpoint: EdifactCheckpoint) {
    this.input = input;
    this.base = checkpoint.byte;
    const { open, passing } = checkpoint;
    this.state = { ...checkpoint, open: copyOf(open), passing: passing === null ? null : { ...passing } };
    const { policy, take, limits } = input;
    const excuse = (finding: Finding<EnvelopeFault>): void => this.excuse(finding);
    const rules = { policy, take, problemsMax: limits.interchangeProblemsMax, excuse };
    this.envelopes = new Envelopes(EDIFACT_ENVELOPES, this.state, rules);
    this.line = checkpoint.line;
    this.isAscii = input.isAscii;
    this.searches = new SliceSearches(input.text);
    this.hasNul = input.text.includes('\0');
  }

  note(note: Note): void {
    const { state } = this;
    const kind = noteKind(note);
    // An interchange that is only checked is read again: its notes come then.
    if (state.judging !== null || state.noted.includes(kind) || state.noted.length >= NOTES_MAX) return;
    state.noted = [...state.noted, kind];
    state.notes = [...state.notes, noteMessage(note)];
  }

  private excuse({ fault, at }: Finding<EnvelopeFault>): void {
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
    this.line += lineFeedsIn(this.input.text, this.at, to);
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

  missingAt(found: string): MissingAt {
    return { found, byte: this.base + this.at, line: this.line };
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
    if (
      !this.isAscii ||
      isEscaped(open.syntax) ||
      this.hasNul ||
      open.broken !== null ||
      (open.header === null && !open.isBare)
    )
      return null;
    const scanner = this.scannerInside(open);
    if (scanner.hasLines) return null;
    if (this.wellFormed?.scanner !== scanner) {
      this.table ??= new SegmentTable(this.input.text.length);
      this.wellFormed = new WellFormedMessages(scanner, this.table, this.input.limits);
    }
    return this.wellFormed;
  }

  scannerOf(dividers: Dividers, bytesMax: number): SegmentScanner {
    this.scanner = null;
    const { text, atEnd } = this.input;
    return new SegmentScanner({ text, byteBase: this.base, atEnd, searches: this.searches }, dividers, bytesMax);
  }
}

const copyOf = (open: OpenInterchange | null): OpenInterchange | null =>
  open === null ? null : { ...open, group: open.group === null ? null : { ...open.group } };

export function lineFeedsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
