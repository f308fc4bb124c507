/** X12 as a reader of segments: bytes in, sets and facts of their envelopes out. */

import { Buffer, isAscii } from 'node:buffer';
import { type Encoding, type TextCodec, textCodec } from '../encoding.ts';
import { SegmentTable, SliceSearches, WellFormedSet } from '../segments/list.ts';
import type { EnvelopePolicy, PartsRead, PartsReader, TakePart } from '../segments/parts.ts';
import type { EnvelopeProblem, Segment } from '../segments/segment.ts';
import { type StrayText, type X12Checkpoint, x12Start } from './checkpoint.ts';
import type { X12Source } from './declaration.ts';
import { areUnits, type X12Delimiters } from './delimiters.ts';
import { Envelopes, placeholder, type Trailer } from './envelopes.ts';
import { readIsaSegment } from './isa.ts';
import { ISA_WINDOW_BYTES, LOOKAHEAD_BYTES, X12_LIMITS, type X12Limits } from './limits.ts';
import { describeX12FileProblem } from './messages.ts';
import {
  beginsInterchange,
  fileProblem,
  lineBreaksIn,
  type Outside,
  passBlanks,
  passToIsa,
  reportStray,
  strayText,
} from './opening.ts';
import { Notes, type X12FileProblem, type X12Problem } from './problems.ts';
import {
  behind,
  divideSegment,
  type FoundSegment,
  type Place,
  readingOf,
  SegmentScanner,
  splitOf,
  startOf,
} from './scan.ts';
import { buildSet, endsSet, type ScannedSet, scanSet, WellFormedSets } from './set.ts';

/* Reads sets and envelopes from one slice until no whole one is left. */

interface SliceInput {
  text: string;
  /** Nothing but ASCII without NUL, so there is nothing to decode and no wrong character. */
  isPlain: boolean;
  atEnd: boolean;
  /** Position of the slice in the file. */
  byteBase: number;
  limits: X12Limits;
  policy: EnvelopePolicy;
  fallback: TextCodec;
  take: TakePart;
}

class SliceReader {
  private readonly input: SliceInput;
  private readonly start: X12Checkpoint;
  private readonly notes: Notes;
  private readonly envelopes: Envelopes;
  private place: Place;
  private lineBreak: X12Checkpoint['lineBreak'];
  private passing: X12Checkpoint['passing'];
  private stray: StrayText | null;
  private scanner: SegmentScanner | null = null;
  /** For the current interchange; null if each of its sets needs the slow path. */
  private wellFormedSets: WellFormedSets | null = null;
  private readonly table: SegmentTable;
  private readonly searches: SliceSearches;
  private unreadable: X12FileProblem | null = null;
  private endProblem: EnvelopeProblem | null = null;
  private isFinished = false;

  constructor(input: SliceInput, checkpoint: X12Checkpoint) {
    this.input = input;
    this.start = checkpoint;
    this.searches = new SliceSearches(input.text);
    this.table = new SegmentTable(input.text.length);
    this.notes = new Notes(checkpoint.notes);
    this.envelopes = new Envelopes(checkpoint, { ...input, problemsMax: input.limits.problemsMax, notes: this.notes });
    this.place = { at: 0, line: checkpoint.line };
    this.lineBreak = checkpoint.lineBreak;
    this.passing = checkpoint.passing;
    this.stray = checkpoint.stray;
  }

  read(): PartsRead<X12Checkpoint> {
    // An interchange that was checked is read again from its ISA, which may be before the slice.
    while (!this.isFinished && this.unreadable === null && this.place.at >= 0 && this.step()) {
      // Each step reads one part, or skips something.
    }
    if (this.unreadable !== null) {
      return { outcome: 'unreadable', problems: [describeX12FileProblem(this.unreadable)] };
    }
    const { place, lineBreak, passing, stray, isFinished, start, endProblem } = this;
    const { hasGiven, state } = this.envelopes;
    const byte = this.byteAt(place.at);
    const isMoved = byte !== start.byte || hasGiven || isFinished || passing !== start.passing;
    if (!isMoved) return { outcome: 'more' };
    const checkpoint = { ...state, byte, line: place.line, notes: this.notes.all, lineBreak, passing, stray };
    return { outcome: 'parts', checkpoint, finished: isFinished, endProblem };
  }

  /** @returns false when the slice ends before the next part can be recognised */
  private step(): boolean {
    const { envelopes } = this;
    if (!envelopes.isOpen) return this.betweenInterchanges();
    const { delimiters } = envelopes;
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
    const { limits, isPlain } = this.input;
    this.scanner = new SegmentScanner({ ...this.input, searches: this.searches }, delimiters, limits.segmentBytesMax);
    this.wellFormedSets =
      isPlain && areUnits(delimiters) ? new WellFormedSets(this.scanner, this.table, delimiters, limits) : null;
    return this.scanner;
  }

  private betweenInterchanges(): boolean {
    const { text, atEnd } = this.input;
    const isFirst = this.envelopes.isFirst && this.stray === null;
    const passed = passBlanks(text, this.place, this.lineBreak, this.stray !== null);
    this.place = passed.place;
    for (const met of passed.met) {
      if (met === 'byte_order_mark') this.notes.add(met);
      else if (isFirst) this.notes.add('blanks_before_isa');
    }
    const { at } = this.place;
    if (at === text.length) return atEnd && this.finish();
    if (text.length - at < ISA_WINDOW_BYTES && !atEnd) return false;
    if (beginsInterchange(text, at)) return this.openInterchange();
    if (isFirst) {
      this.unreadable = fileProblem(text, this.place, this.byteAt(at));
      if (this.unreadable !== null) return false;
    }
    const { place } = passToIsa(this.outside(), this.place);
    if (place.at === at) return false;
    this.stray = strayText(this.outside(), this.stray, this.place, place.at);
    this.place = place;
    return true;
  }

  private finish(): boolean {
    if (this.envelopes.isFirst) {
      this.unreadable = { code: 'empty_file', bytes: this.byteAt(this.input.text.length) };
      return false;
    }
    this.endProblem = this.stray === null ? null : reportStray(this.stray);
    this.isFinished = true;
    return false;
  }

  private openInterchange(): boolean {
    const { text, policy, fallback } = this.input;
    const { at, line } = this.place;
    this.envelopes.validateFrom({ byte: this.byteAt(at), line, stray: this.stray });
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
    this.envelopes.beginInterchange(isa.header, isa.delimiters, isa.findings, stray);
    this.place = { at: at + isa.to, line: line + lineBreaksIn(text.slice(at, at + isa.to), this.lineBreak) };
    return true;
  }

  private takeNext(scanner: SegmentScanner): boolean {
    if (this.takeWellFormed()) return true;
    const found = scanner.next(this.place.at, this.place.line, 1);
    if (found.kind === 'more') return false;
    this.noteEmptyBefore(scanner, 'from' in found ? found.from : found.place.at);
    switch (found.kind) {
      case 'end':
        this.place = found.place;
        return this.input.atEnd && this.closeMissing(null);
      case 'isa':
        this.place = found.place;
        return this.closeMissing('ISA');
      case 'too_long':
        return this.passTooLong(scanner, found.from, found.line);
      case 'segment':
        return this.take(scanner, found);
    }
  }

  private take(scanner: SegmentScanner, found: FoundSegment): boolean {
    const { envelopes } = this;
    if (!found.terminated && found.end === this.input.text.length) this.notes.add('last_terminator_absent');
    switch (found.tag) {
      case 'GS':
        if (envelopes.isInGroup) return this.closeMissing('GS', startOf(found));
        envelopes.beginGroup(this.segment(found));
        break;
      case 'GE':
        if (envelopes.isInGroup) envelopes.endGroup({ segment: this.segment(found) });
        else this.unexpected(found, { code: 'header_missing', level: 'group', found: 'GE' });
        break;
      case 'IEA':
        if (envelopes.isInGroup) return this.closeMissing('IEA', startOf(found));
        return this.closeInterchange({ segment: this.segment(found) }, behind(found));
      case 'TA1':
        if (envelopes.isInGroup) this.unexpected(found, { code: 'unexpected_segment', tag: 'TA1' });
        else this.notes.add('interchange_acknowledgments');
        break;
      case 'ST':
        return this.takeSet(scanner, found);
      default:
        if (envelopes.isInGroup) return this.takeSet(scanner, found);
        this.unexpected(found, { code: 'unexpected_segment', tag: found.tag });
    }
    this.place = behind(found);
    return true;
  }

  private takeWellFormed(): boolean {
    const { envelopes, wellFormedSets, place } = this;
    if (wellFormedSets === null || !envelopes.isInGroup) return false;
    const found = wellFormedSets.from(place.at, place.line);
    if (found === null) return false;
    const { ref, header, verdict } = envelopes.aroundSet();
    if (verdict !== null) return false;
    envelopes.keepSet(new WellFormedSet(ref, found.id, header, found.segments));
    this.place = { at: found.at, line: found.line };
    return true;
  }

  private takeSet(scanner: SegmentScanner, first: FoundSegment): boolean {
    const scanned = scanSet(scanner, first, this.input.limits);
    if (scanned === null) return false;
    this.noteEmptyBefore(scanner, scanned.next.at);
    // Segments without an ST before them are a set when SE closes them, else they are out of place.
    if (first.tag === 'ST' || scanned.end.kind !== 'missing') this.keepSet(scanned);
    else this.unexpected(first, { code: 'unexpected_segment', tag: first.tag });
    this.place = scanned.next;
    this.passing = scanned.passing;
    return true;
  }

  private keepSet(scanned: ScannedSet): void {
    const { envelopes, notes } = this;
    const context = { slice: this.input, around: envelopes.aroundSet(), delimiters: this.openDelimiters() };
    const built = buildSet(context, scanned);
    if (built.reading.note !== null) notes.addText(built.reading.note);
    if (built.seen.breaks) notes.add('breaks_in_segments');
    if (built.seen.repeated) notes.add('repeated_elements');
    if (built.excused !== null) envelopes.noteExcused(built.excused);
    envelopes.keepSet(built.set);
  }

  private unexpected(found: FoundSegment, problem: X12Problem): void {
    this.envelopes.unexpected(problem, this.segment(found));
  }

  private passTooLong(scanner: SegmentScanner, from: number, line: number): boolean {
    const { text, limits } = this.input;
    const tag = text.slice(from, from + 3).split(this.openDelimiters().element)[0] ?? '';
    const to = from + limits.segmentBytesMax;
    const segment = { ...placeholder(this.byteAt(from), line), tag };
    this.envelopes.unexpected({ code: 'segment_too_large', tag, bytesMax: limits.segmentBytesMax }, segment);
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
    const found = scanner.next(this.place.at, this.place.line, 1);
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
    const { at, line } = this.place;
    const to = Math.max(at, this.input.text.length - LOOKAHEAD_BYTES);
    return { at: to, line: scanner.lineAt(at, to, line) };
  }

  /** @param found the tag found instead of a trailer; null at the end of the file */
  private closeMissing(found: string | null, at: Place = this.place): boolean {
    const trailer = { found, place: placeholder(this.byteAt(at.at), at.line + 1) };
    if (!this.envelopes.isInGroup) return this.closeInterchange(trailer, at);
    this.envelopes.endGroup(trailer);
    this.place = at;
    return true;
  }

  private closeInterchange(trailer: Trailer | null, next: Place): boolean {
    const again = this.envelopes.endInterchange(trailer);
    this.scanner = null;
    this.place = again === null ? next : { at: again.byte - this.input.byteBase, line: again.line };
    this.stray = again?.stray ?? null;
    return true;
  }

  /** Skips an interchange whose delimiters cannot be determined, up to the next ISA. */
  private passRefused(): boolean {
    const { place, found } = passToIsa(this.outside(), this.place);
    if (found) return this.closeInterchange(null, place);
    this.place = place;
    return false;
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
    const { delimiters } = this.envelopes;
    if (delimiters === null) throw new Error('segments stand inside an interchange');
    return delimiters;
  }

  private outside(): Outside {
    return { ...this.input, lineBreak: this.lineBreak };
  }

  private byteAt(at: number): number {
    return this.input.byteBase + at;
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

interface X12Slice {
  /** Of text that is not UTF-8. */
  encoding: Encoding;
  policy: EnvelopePolicy;
  checkpoint: X12Checkpoint;
  bytes: Uint8Array;
  atEnd: boolean;
  take: TakePart;
}

/**
 * `X12_SLICE_BYTES_ENOUGH` bytes never give `more`. There may be no part (a slice of blank lines, or of an interchange
 * in its first pass), but the checkpoint has moved on or the file is finished. After the first pass over an interchange
 * the checkpoint moves back once to its ISA.
 */
function readX12Slice(input: X12Slice): PartsRead<X12Checkpoint> {
  return readX12SliceWithin(X12_LIMITS, input);
}

/** The same with other limits, so that tests can reach them with small files. */
export function readX12SliceWithin(
  limits: X12Limits,
  { encoding, policy, checkpoint, bytes, atEnd, take }: X12Slice,
): PartsRead<X12Checkpoint> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const fallback = textCodec(encoding);
  const isPlain = isAscii(bytes) && !text.includes('\0');
  const byteBase = checkpoint.byte;
  return new SliceReader({ text, isPlain, atEnd, byteBase, limits, policy, fallback, take }, checkpoint).read();
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
