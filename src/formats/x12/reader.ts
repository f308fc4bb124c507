/** X12 as a reader of segments: bytes in, sets and facts of their envelopes out. */

import { type Encoding, type TextCodec, textCodec } from '../encoding.ts';
import { type Finding, pointAt } from '../segments/faults.ts';
import { countOf } from '../segments/list.ts';
import type { EnvelopePolicy, PartsRead, PartsReader, TakePart } from '../segments/parts.ts';
import { type Place, sliceText } from '../segments/scan.ts';
import type { Segment } from '../segments/segment.ts';
import { type SliceInput, SliceReader } from '../segments/slice-reader.ts';
import { type StrayText, type X12Checkpoint, x12Start } from './checkpoint.ts';
import type { X12Source } from './declaration.ts';
import { areUnits, type X12Delimiters } from './delimiters.ts';
import {
  controlNumber,
  loadEnvelopes,
  storedEnvelopes,
  validateHeader,
  X12_ENVELOPES,
  type X12Envelopes,
} from './envelopes.ts';
import { readIsaSegment } from './isa.ts';
import { ISA_WINDOW_BYTES, LOOKAHEAD_BYTES, X12_LIMITS, type X12Limits } from './limits.ts';
import { describeX12FileProblem, describeX12Problem } from './messages.ts';
import {
  beginsInterchange,
  fileProblem,
  type Outside,
  passBlanks,
  passToIsa,
  reportStray,
  strayText,
} from './opening.ts';
import { Notes, type X12FileProblem, type X12Problem } from './problems.ts';
import { behind, divideSegment, type FoundSegment, readingOf, SegmentScanner, splitOf, startOf } from './scan.ts';
import { buildSet, endsSet, type ScannedSet, scanSet, WellFormedSets } from './set.ts';

/* Reads sets and envelopes from one slice until no whole one is left. */

/** @property fallback of text that is not UTF-8. */
type Input = SliceInput<X12Limits> & { fallback: TextCodec };

class X12Slice extends SliceReader<X12Checkpoint, X12Problem, Input> {
  private readonly start: X12Checkpoint;
  private readonly notes: Notes;
  private readonly state: X12Envelopes;
  /** Nothing but ASCII without NUL, so there is nothing to decode and no wrong character. */
  private readonly isPlain: boolean;
  private lineBreak: X12Checkpoint['lineBreak'];
  private passing: X12Checkpoint['passing'];
  private stray: StrayText | null;
  private scanner: SegmentScanner | null = null;
  /** For the current interchange; null if each of its sets needs the slow path. */
  private wellFormedSets: WellFormedSets | null = null;

  constructor(input: Input, checkpoint: X12Checkpoint) {
    const state = loadEnvelopes(checkpoint);
    super(input, checkpoint.line, { standard: X12_ENVELOPES, state, problemsMax: input.limits.problemsMax });
    this.start = checkpoint;
    this.state = state;
    this.isPlain = input.isAscii && !input.hasNul;
    this.notes = new Notes(checkpoint.notes);
    this.lineBreak = checkpoint.lineBreak;
    this.passing = checkpoint.passing;
    this.stray = checkpoint.stray;
  }

  protected hasTurned(): boolean {
    return this.passing !== this.start.passing;
  }

  protected checkpoint(): X12Checkpoint {
    const { line, lineBreak, passing, stray } = this;
    const read = { byte: this.byteAt(this.at), line, notes: this.notes.all, lineBreak, passing, stray };
    return { ...storedEnvelopes(this.state), ...read };
  }

  protected step(): boolean {
    const { open, delimiters } = this.state;
    if (open === null) return this.betweenInterchanges();
    if (delimiters === null) return this.passRefused();
    const scanner = this.scannerOf(delimiters);
    return this.passing === null ? this.takeNext(scanner) : this.pass(scanner, this.passing);
  }

  /** Noted before anything after it, so that the order of notes does not depend on slices. */
  private noteEmptyBefore(scanner: SegmentScanner, at: number): void {
    if (scanner.emptyAt < at) this.notes.add('empty_segments');
  }

  private scannerOf(delimiters: X12Delimiters): SegmentScanner {
    if (this.scanner !== null) return this.scanner;
    const { limits } = this.input;
    this.scanner = new SegmentScanner({ ...this.input, searches: this.searches }, delimiters, limits.segmentBytesMax);
    this.wellFormedSets =
      this.isPlain && areUnits(delimiters) ? new WellFormedSets(this.scanner, this.table, delimiters, limits) : null;
    return this.scanner;
  }

  private get isFirst(): boolean {
    return this.state.interchange === 0;
  }

  private betweenInterchanges(): boolean {
    const { text, atEnd } = this.input;
    const isFirst = this.isFirst && this.stray === null;
    const passed = passBlanks(text, this.place, this.lineBreak, this.stray !== null);
    this.place = passed.place;
    for (const met of passed.met) {
      if (met === 'byte_order_mark') this.notes.add(met);
      else if (isFirst) this.notes.add('blanks_before_isa');
    }
    const { at } = this;
    if (at === text.length) return atEnd && this.finish();
    if (text.length - at < ISA_WINDOW_BYTES && !atEnd) return false;
    if (beginsInterchange(text, at)) return this.openInterchange();
    if (isFirst) {
      const problem = fileProblem(text, this.place, this.byteAt(at));
      if (problem !== null) return this.refuse(problem);
    }
    const { place } = passToIsa(this.outside(), this.place);
    if (place.at === at) return false;
    this.stray = strayText(this.outside(), this.stray, this.place, place.at);
    this.place = place;
    return true;
  }

  private finish(): boolean {
    if (this.isFirst) {
      return this.refuse({ code: 'empty_file', bytes: this.byteAt(this.input.text.length) });
    }
    this.endProblem = this.stray === null ? null : reportStray(this.stray);
    this.isFinished = true;
    return false;
  }

  private refuse(problem: X12FileProblem): false {
    this.fileProblem = describeX12FileProblem(problem);
    return false;
  }

  private openInterchange(): boolean {
    const { text, policy, fallback } = this.input;
    const { at, line } = this;
    const { state } = this;
    // Checked before anything of it is passed on.
    if (policy.broken === 'interchange' && state.judged === null && state.judging === null) {
      state.judging = { byte: this.byteAt(at), line, stray: this.stray, fault: null };
    }
    const isa = readIsaSegment(text.slice(at, at + ISA_WINDOW_BYTES), {
      byte: this.byteAt(at),
      line: line + 1,
      fallback,
      width: policy.width,
    });
    for (const note of isa.notes) this.notes.addText(note);
    this.passing = null;
    this.scanner = null;
    this.lineBreak = isa.delimiters?.lineBreak ?? this.lineBreak;
    const stray = this.stray === null ? [] : [reportStray(this.stray)];
    this.stray = null;
    state.delimiters = isa.delimiters;
    const open = { header: isa.header, reference: controlNumber('interchange', isa.header), sets: 0, messages: 0 };
    // Found under a strict width alone.
    const width = isa.findings.find(({ fault }) => fault.code === 'isa_width');
    const refusal = width === undefined ? null : X12_ENVELOPES.describe(width.fault, width.at);
    const within = { groups: 0, group: null, problems: [], moreProblems: 0, broken: state.judged?.fault ?? refusal };
    this.envelopes.openInterchange({ ...open, ...within }, isa.findings, stray);
    this.place = { at: at + isa.to, line: line + countOf(text, this.lineBreak, at, at + isa.to) };
    return true;
  }

  private takeNext(scanner: SegmentScanner): boolean {
    const isSound = this.isInGroup && this.state.open?.broken === null;
    if (this.takeWellFormed(isSound ? this.wellFormedSets : null)) return true;
    const found = scanner.next(this.at, this.line, 1);
    if (found.kind === 'more') return false;
    this.noteEmptyBefore(scanner, 'from' in found ? found.from : found.place.at);
    switch (found.kind) {
      case 'end':
        this.place = found.place;
        return this.input.atEnd && this.closeWithout('');
      case 'isa':
        this.place = found.place;
        return this.closeWithout('ISA');
      case 'too_long':
        return this.passTooLong(scanner, found.from, found.line);
      case 'segment':
        return this.take(scanner, found);
    }
  }

  private take(scanner: SegmentScanner, found: FoundSegment): boolean {
    const { envelopes, isInGroup } = this;
    if (!found.terminated && found.end === this.input.text.length) this.notes.add('last_terminator_absent');
    const missing = this.missingAt(found.tag, startOf(found));
    switch (found.tag) {
      case 'GS': {
        const header = this.segment(found);
        envelopes.openGroup(header, validateHeader('group', header), missing);
        break;
      }
      case 'GE':
        envelopes.closeGroup(this.segment(found));
        break;
      case 'IEA':
        envelopes.closeInterchange(this.segment(found), missing);
        return this.afterInterchange(behind(found));
      case 'TA1':
        if (isInGroup) this.unexpected(found);
        else this.notes.add('interchange_acknowledgments');
        break;
      case 'ST':
        return this.takeSet(scanner, found);
      default:
        if (isInGroup) return this.takeSet(scanner, found);
        this.unexpected(found);
    }
    this.place = behind(found);
    return true;
  }

  private get isInGroup(): boolean {
    return (this.state.open?.group ?? null) !== null;
  }

  private takeSet(scanner: SegmentScanner, first: FoundSegment): boolean {
    const scanned = scanSet(scanner, first, this.input.limits);
    if (scanned === null) return false;
    this.noteEmptyBefore(scanner, scanned.next.at);
    // Segments without an ST before them are a set when SE closes them, else they are out of place.
    if (first.tag === 'ST' || scanned.end.kind !== 'missing') this.keepSet(scanned);
    else this.unexpected(first);
    this.place = scanned.next;
    this.passing = scanned.passing;
    return true;
  }

  private keepSet(scanned: ScannedSet): void {
    const { envelopes, notes } = this;
    const { input: slice, isPlain, isInGroup: inGroup } = this;
    const context = { slice, isPlain, inGroup, delimiters: this.openDelimiters() };
    const built = buildSet(context, scanned);
    if (built.reading.note !== null) notes.addText(built.reading.note);
    if (built.seen.breaks) notes.add('breaks_in_segments');
    if (built.seen.repeated) notes.add('repeated_elements');
    if (built.excused !== null) this.excuse(built.excused);
    envelopes.giveSet(built.set);
  }

  protected excuse({ fault, at }: Finding<X12Problem>): void {
    this.notes.addText(`Accepted although wrong, in line ${at.line}: ${describeX12Problem(fault, at).message}`);
  }

  private unexpected(found: FoundSegment): void {
    this.envelopes.addFault({ code: 'unexpected_segment', tag: found.tag }, this.segment(found));
  }

  private passTooLong(scanner: SegmentScanner, from: number, line: number): boolean {
    const { text, limits } = this.input;
    const tag = text.slice(from, from + 3).split(this.openDelimiters().element)[0] ?? '';
    const to = from + limits.segmentBytesMax;
    const segment = { ...pointAt(this.byteAt(from), line), tag };
    this.envelopes.addFault({ code: 'segment_too_large', tag, bytesMax: limits.segmentBytesMax }, segment);
    this.place = { at: to, line: scanner.lineAt(from, to, line - 1) };
    this.passing = 'segment';
    return true;
  }

  /** Skips the rest of what is too large, up to where something else begins. */
  private pass(scanner: SegmentScanner, passing: 'segment' | 'set'): boolean {
    if (passing === 'segment') {
      const next = scanner.afterTerminator(this.place);
      this.place = next ?? this.beforeEnd(scanner);
      if (next !== null) this.passing = 'set';
      return next !== null;
    }
    const found = scanner.next(this.at, this.line, 1);
    if (found.kind === 'more') return false;
    this.noteEmptyBefore(scanner, 'from' in found ? found.from : found.place.at);
    switch (found.kind) {
      case 'too_long':
        this.passing = 'segment';
        this.place = { at: found.from, line: found.line - 1 };
        return true;
      case 'isa':
        this.passing = null;
        return true;
      case 'end':
        this.place = found.place;
        if (this.input.atEnd) this.passing = null;
        return this.input.atEnd;
      case 'segment':
        if (found.tag === 'SE' || endsSet(found.tag)) this.passing = null;
        if (!endsSet(found.tag)) this.place = behind(found);
        return true;
    }
  }

  private beforeEnd(scanner: SegmentScanner): Place {
    const { at, line } = this;
    const to = Math.max(at, this.input.text.length - LOOKAHEAD_BYTES);
    return { at: to, line: scanner.lineAt(at, to, line) };
  }

  /** @param found the tag found instead of trailers; '' at the end of the file */
  private closeWithout(found: string): boolean {
    this.envelopes.closeInterchangeWithout(this.missingAt(found));
    return this.afterInterchange(this.place);
  }

  /** Goes on after it; if that was its first pass, it is read again from its ISA, now that it is checked. */
  private afterInterchange(next: Place): true {
    const { state } = this;
    const { judging } = state;
    this.scanner = null;
    this.stray = judging?.stray ?? null;
    this.place = judging === null ? next : { at: judging.byte - this.input.byteBase, line: judging.line };
    state.judged = judging && { fault: judging.fault };
    state.judging = null;
    if (judging !== null) state.interchange--;
    return true;
  }

  /** Skips an interchange whose delimiters cannot be determined, up to the next ISA. */
  private passRefused(): boolean {
    const { place, found } = passToIsa(this.outside(), this.place);
    this.place = place;
    if (!found) return false;
    // No other fault is reported.
    this.envelopes.endInterchange([]);
    return this.afterInterchange(place);
  }

  private segment(found: FoundSegment): Segment {
    const { text, byteBase, fallback } = this.input;
    const units = text.slice(found.from, found.to);
    const reading = readingOf(units, fallback);
    const split = splitOf(text, units, this.openDelimiters(), reading, byteBase);
    const segment = divideSegment(found, 0, split);
    if (reading.note !== null) this.notes.addText(reading.note);
    if (split.seen.breaks) this.notes.add('breaks_in_segments');
    return segment;
  }

  private openDelimiters(): X12Delimiters {
    const { delimiters } = this.state;
    if (delimiters === null) throw new Error('segments stand inside an interchange');
    return delimiters;
  }

  private outside(): Outside {
    return { ...this.input, lineBreak: this.lineBreak };
  }
}

/*
 * Reads an X12 file slice by slice into transaction sets and facts of their envelopes, with exact positions.
 *
 * A slice begins at the checkpoint and may end anywhere; parts, positions and problems do not depend on where. Each set
 * is validated alone: a broken one has problems, and its neighbours do not. Trailers of groups and interchanges are
 * validated where they are, after their sets. If a broken set costs its interchange, a first pass goes to the end of
 * the interchange and a second pass reads it. Pure: no clock, no I/O.
 */

interface X12Input {
  /** Of text that is not UTF-8. */
  encoding: Encoding;
  policy: EnvelopePolicy;
  checkpoint: X12Checkpoint;
  bytes: Uint8Array;
  atEnd: boolean;
  take: TakePart;
}

/**
 * A whole set and twice `LOOKAHEAD_BYTES` never give `more`. There may be no part (a slice of blank lines, or of an interchange
 * in its first pass), but the checkpoint has moved on or the file is finished. After the first pass over an interchange
 * the checkpoint moves back once to its ISA.
 */
function readX12Slice(input: X12Input): PartsRead<X12Checkpoint> {
  return readX12SliceWithin(X12_LIMITS, input);
}

/** The same with other limits, so that tests can reach them with small files. */
export function readX12SliceWithin(
  limits: X12Limits,
  { encoding, policy, checkpoint, bytes, atEnd, take }: X12Input,
): PartsRead<X12Checkpoint> {
  const slice = sliceText(bytes, checkpoint.byte, atEnd);
  return new X12Slice({ ...slice, limits, policy, fallback: textCodec(encoding), take }, checkpoint).read();
}

/** @param policy of the partner: how strictly envelopes are validated, and what a broken one costs. */
export function x12PartsReader(
  source: Pick<X12Source, 'encoding'>,
  policy: EnvelopePolicy,
): PartsReader<X12Checkpoint> {
  return {
    start: x12Start,
    read: (checkpoint, bytes, atEnd, take) =>
      readX12Slice({ encoding: source.encoding, policy, checkpoint, bytes, atEnd, take }),
  };
}
