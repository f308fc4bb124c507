/** Goes through one slice of an EDIFACT file, stage by stage, until it holds nothing whole any more. */
import type { EnvelopePolicy, PartsRead } from '../segments/parts.ts';
import { type EnvelopeProblem, elementText, type Segment } from '../segments/segment.ts';
import { isAscii } from './charset.ts';
import type { EdifactCheckpoint, OpenInterchange, PassedMessage, Stage } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import {
  type Delimiters,
  delimitersOf,
  delimitersWithoutUna,
  LEVEL_A,
  repetitionSeparator,
  UNA_BYTES,
} from './delimiters.ts';
import type { Dividers } from './elements.ts';
import { Envelopes, type MissingAt } from './envelope.ts';
import { type EdifactLimits, EXCERPT_BYTES } from './limits.ts';
import { readMessage, segmentOf, type TooLarge } from './message.ts';
import type { Note } from './notes.ts';
import { describeFault, describeFileFault, type Fault, type FileFault } from './problems.ts';
import { beginsInterchange, HEAD_LOOKED_AT_UNITS, HEAD_UNITS, headAt, isLineBreak, SegmentScanner } from './scan.ts';
import { type ServiceTag, serviceTag, swallowed } from './service.ts';
import { judgeMessage } from './set.ts';
import { excerptAt } from './shown.ts';
import { readText } from './text.ts';

export interface SliceInput {
  source: Pick<EdifactSource, 'encoding' | 'bare'>;
  policy: EnvelopePolicy;
  limits: EdifactLimits;
  /** One unit per byte. */
  text: string;
  atEnd: boolean;
}

/** What pads a file between interchanges; the last two are written by mainframes and DOS. */
const PADDING = ' \t\r\n\0\x1a';

export class SliceReader {
  private readonly input: SliceInput;
  private readonly base: number;
  private readonly envelopes: Envelopes;
  private readonly state: EdifactCheckpoint;
  private readonly from: EdifactCheckpoint;
  private readonly isAscii: boolean;
  private readonly hasNul: boolean;
  private scanner: SegmentScanner | null = null;
  private fileFault: FileFault | null = null;
  /** Offset in the slice; below 0 where a judged interchange begins before it. */
  private at = 0;
  /** Line feeds of the file before `at`. */
  private line: number;

  constructor(input: SliceInput, checkpoint: EdifactCheckpoint) {
    this.input = input;
    this.base = checkpoint.byte;
    this.from = checkpoint;
    this.envelopes = new Envelopes(checkpoint, input.policy, input.limits.interchangeProblemsMax);
    this.state = this.envelopes.state;
    this.line = checkpoint.line;
    this.isAscii = isAscii(input.text);
    this.hasNul = input.text.includes('\0');
  }

  note(note: Note): void {
    this.envelopes.note(note);
  }

  addPending(problem: EnvelopeProblem): void {
    this.state.pending = [...this.state.pending, problem];
  }

  readFrom(at: number, lines: number, stage: Stage): PartsRead<EdifactCheckpoint> {
    this.at = at;
    this.line += lines;
    this.state.stage = stage;
    if (stage !== 'start') return this.read();
    return this.result();
  }

  read(): PartsRead<EdifactCheckpoint> {
    while (this.at >= 0 && this.step());
    return this.result();
  }

  private result(): PartsRead<EdifactCheckpoint> {
    const { state, fileFault } = this;
    if (fileFault !== null) return { outcome: 'unreadable', problems: [describeFileFault(fileFault)] };
    const { parts } = this.envelopes;
    state.byte = this.base + this.at;
    state.line = this.line;
    const finished = state.stage === 'end';
    // Nothing was ever read: the file as a whole is at fault.
    if (finished && state.interchange === 0 && state.endProblem !== null) {
      return { outcome: 'unreadable', problems: [state.endProblem] };
    }
    const hasMoved = finished || parts.length > 0 || state.byte !== this.base || state.stage !== this.from.stage;
    if (!hasMoved) return { outcome: 'more' };
    return { outcome: 'parts', parts, checkpoint: state, finished, endProblem: finished ? state.endProblem : null };
  }

  /** @returns false when the slice holds nothing whole any more, or the file is finished. */
  private step(): boolean {
    switch (this.state.stage) {
      case 'start':
      case 'end':
        return false;
      case 'between':
        return this.between();
      case 'garbage':
        return this.passGarbage();
      case 'inside':
        return this.inside();
      case 'passing':
        return this.passMessage();
    }
  }

  private between(): boolean {
    const { state } = this;
    const { text, atEnd, source } = this.input;
    for (; this.at < text.length && PADDING.includes(text.charAt(this.at)); this.at++) {
      if (text[this.at] === '\n') this.line++;
    }
    const { at } = this;
    if (at >= text.length && atEnd) return this.finish();
    const head = headAt(text, at, isLineBreak((state.una ?? LEVEL_A).terminator));
    if (head.length < HEAD_UNITS && text.length - at < HEAD_LOOKED_AT_UNITS && !atEnd) return false;
    if (beginsInterchange(head)) return head[2] === 'A' ? this.readUna() : this.openInterchange(head.charAt(3));
    if (state.una !== null || this.beginsMessage(at)) {
      if (state.interchange > 0 || source.bare === 'accept') return this.openBare();
      if (text.length - at < EXCERPT_BYTES && !atEnd) return false;
      this.fileFault = { code: 'interchange_header_missing', text: excerptAt(text, at) };
      return false;
    }
    if (text.length - at < EXCERPT_BYTES && !atEnd) return false;
    state.garbage = { byteFrom: this.base + at, line: this.line, text: excerptAt(text, at) };
    state.stage = 'garbage';
    return true;
  }

  private beginsMessage(at: number): boolean {
    const { text } = this.input;
    const tag = text.slice(at, at + 3);
    const { element } = this.state.una ?? this.state.delimiters ?? LEVEL_A;
    return (tag === 'UNH' || tag === 'UNG') && text[at + 3] === element;
  }

  private readUna(): boolean {
    const { text, atEnd } = this.input;
    const una = text.slice(this.at, this.at + UNA_BYTES);
    if (una.length < UNA_BYTES && !atEnd) return false;
    const read = delimitersOf(una);
    if (!read.ok) return this.endWith({ code: 'bad_delimiters', ...read.error }, 'UNA', this.at + UNA_BYTES);
    this.state.una = read.value;
    if (read.value.decimal !== LEVEL_A.decimal) this.note({ kind: 'decimal_mark', mark: read.value.decimal });
    this.at += UNA_BYTES;
    this.line += lineFeedsIn(una, 0, una.length);
    return true;
  }

  private openInterchange(separator: string): boolean {
    const { state, at, line } = this;
    const { text, limits, policy } = this.input;
    const delimiters = state.una ?? delimitersWithoutUna(separator, state.delimiters);
    if (delimiters === null || delimiters.element !== separator) {
      return this.endWith({ code: 'delimiters_unknown', separator }, 'UNB', at + HEAD_UNITS);
    }
    const scanner = this.scannerOf({ ...delimiters, repetition: '' }, limits.envelopeSegmentBytesMax);
    const scan = scanner.segmentAt(at, line);
    if (scan === 'more') return false;
    if (scan !== 'segment') {
      const bytesMax = limits.envelopeSegmentBytesMax;
      const hasLineBreaks = [...text.slice(at, at + bytesMax).trimEnd()].some(isLineBreak);
      const { terminator } = delimiters;
      return this.endWith({ code: 'header_unterminated', terminator, hasLineBreaks, bytesMax }, 'UNB', at + HEAD_UNITS);
    }
    if (policy.broken === 'interchange' && state.judged === null && state.judging === null) {
      state.judging = { back: { ...state, byte: this.base + at, line }, fault: null };
    }
    if (state.una === null && delimiters !== LEVEL_A && state.delimiters === delimiters) {
      this.note({ kind: 'delimiters_kept', line: line + 1 });
    }
    const faults = this.endOf(scanner, 'UNB');
    const header = this.textOf({ ...segmentOf(scanner, this.base, 0) }, null);
    const repetition = repetitionSeparator(delimiters, elementText(header, 1, 2));
    state.delimiters = delimiters;
    this.envelopes.openInterchange(header, { ...delimiters, repetition }, faults, false);
    return this.goOn(scanner);
  }

  /** Messages without UNB. */
  private openBare(): boolean {
    const { state } = this;
    const delimiters: Delimiters = state.una ?? state.delimiters ?? LEVEL_A;
    const isBare = state.interchange === 0;
    if (isBare) this.note({ kind: 'no_interchange' });
    state.delimiters = delimiters;
    this.envelopes.openInterchange(null, { ...delimiters, repetition: '' }, [], isBare);
    this.scanner = null;
    return true;
  }

  private inside(): boolean {
    const { open } = this.state;
    if (open === null) return false;
    const scanner = this.scannerInside(open);
    const scan = scanner.next(this.at, this.line);
    this.at = scanner.from;
    this.line = scanner.line;
    if (scan === 'more') return false;
    if (scan === 'end') return this.closeWithout(open, '');
    if (scan === 'interchange') return this.closeWithout(open, headAt(this.input.text, this.at, false).slice(0, 3));
    const tag = scan === 'overlong' ? null : serviceTag(scanner);
    switch (tag) {
      case 'UNG':
      case 'UNE':
      case 'UNZ':
        return this.readEnvelopeSegment(open, scanner, tag, scan === 'rest');
      default:
        return this.readMessage(open, scanner);
    }
  }

  private readEnvelopeSegment(
    open: OpenInterchange,
    scanner: SegmentScanner,
    tag: 'UNG' | 'UNE' | 'UNZ',
    isLast: boolean,
  ): boolean {
    const { envelopes } = this;
    const { envelopeSegmentBytesMax: bytesMax } = this.input.limits;
    const at = this.missingAt(tag);
    const faults = this.endOf(scanner, tag);
    let segment = segmentOf(scanner, this.base, 0);
    if (segment.byteTo - segment.byteFrom > bytesMax) {
      faults.push({ code: 'segment_too_large', bytesMax, text: excerptAt(scanner.units(), 0) });
      segment = { ...segment, elements: [] };
    }
    segment = this.textOf(segment, open);
    if (isLast) {
      if (tag === 'UNG') faults.push({ code: 'terminator_missing', followed: '' });
      else this.note({ kind: 'last_terminator', tag });
    }
    if (tag === 'UNG') envelopes.openGroup(open, segment, faults, at);
    else if (tag === 'UNE') envelopes.closeGroup(open, segment, faults);
    else envelopes.closeInterchange(open, segment, faults, at);
    this.goOn(scanner);
    if (tag === 'UNZ') this.endJudging();
    return true;
  }

  private readMessage(open: OpenInterchange, scanner: SegmentScanner): boolean {
    const { text, limits, policy, source } = this.input;
    const { at, base } = this;
    const read = readMessage(scanner, limits, { at, line: this.line, base });
    if (read.outcome === 'more') return false;
    if (read.outcome === 'too_large') return this.beginPassing(open, read);
    const units = this.isAscii ? '' : text.slice(at, read.at);
    const judged = judgeMessage(read, {
      open,
      policy,
      fallback: source.encoding,
      problemsMax: limits.messageProblemsMax,
      units: isAscii(units) ? '' : units,
      hasNul: this.hasNul,
      byteTo: base + read.at,
      line: read.line,
    });
    this.at = read.at;
    this.line = read.line;
    // Terminators alone are no message.
    if (read.segments.length > 0) this.envelopes.giveSet(open, judged);
    else for (const note of judged.notes) this.note(note);
    return true;
  }

  private beginPassing(open: OpenInterchange, read: TooLarge): boolean {
    const { header: found, fault, segments, inSegment } = read;
    const isSmall = found !== null && found.byteTo - found.byteFrom <= this.input.limits.envelopeSegmentBytesMax;
    const header = isSmall ? this.textOf(found, open) : null;
    const reference = found === null || !isSmall ? '' : elementText(found, 1, null).trim();
    const isMessageFault = fault.code !== 'segment_too_large' && header !== null;
    const segment = isMessageFault ? { tag: header.tag, number: 1 } : null;
    const byteFrom = isMessageFault ? header.byteFrom : this.base + read.at;
    const line = isMessageFault ? header.line : read.line + 1;
    const problem = describeFault(fault, { segment, element: null, line, byteFrom, byteTo: byteFrom });
    this.state.passing = { header, reference, segments, inSegment, problem };
    this.state.stage = 'passing';
    this.at = read.at;
    this.line = read.line;
    return true;
  }

  /** Goes on to the end of a message that is too large, keeping nothing of it. */
  private passMessage(): boolean {
    const { open, passing } = this.state;
    if (open === null || passing === null) return false;
    const scanner = this.scannerInside(open);
    if (passing.inSegment) {
      const { to, isOver } = scanner.passSegment(this.at);
      this.line += lineFeedsIn(this.input.text, this.at, to);
      this.at = to;
      if (!isOver) return false;
      this.state.passing = { ...passing, inSegment: false, segments: passing.segments + 1 };
      return true;
    }
    const scan = scanner.next(this.at, this.line);
    this.at = scanner.from;
    this.line = scanner.line;
    if (scan === 'more') return false;
    if (scan === 'end' || scan === 'interchange') return this.endPassing(open, passing, null);
    if (scan === 'overlong') {
      this.state.passing = { ...passing, inSegment: true };
      return true;
    }
    const tag = serviceTag(scanner);
    if (tag !== null && tag !== 'UNT') return this.endPassing(open, passing, null);
    if (tag === 'UNT') this.endOf(scanner, 'UNT');
    this.goOn(scanner);
    if (tag === 'UNT') return this.endPassing(open, passing, segmentOf(scanner, this.base, passing.segments + 1));
    passing.segments++;
    return true;
  }

  private endPassing(open: OpenInterchange, passing: PassedMessage, trailer: Segment | null): boolean {
    const { header, problem } = passing;
    const segments = [header, trailer === null ? null : this.textOf(trailer, open)].filter((one) => one !== null);
    const id = header === null ? '' : elementText(header, 2, 1).trim();
    const isMessage = segments.length > 0;
    this.envelopes.giveSet(open, { id, segments, problems: [problem], notes: [], isMessage });
    this.state.passing = null;
    this.state.stage = 'inside';
    return true;
  }

  /** @param found the tag that stands where UNZ should, '' at the end of the file. */
  private closeWithout(open: OpenInterchange, found: string): boolean {
    this.envelopes.closeInterchangeWithout(open, this.missingAt(found));
    this.endJudging();
    return true;
  }

  /** The interchange was gone through: it is read again from its start, under the verdict. */
  private endJudging(): void {
    const { judging } = this.state;
    if (judging === null) return;
    const { back, fault } = judging;
    Object.assign(this.state, back, { judging: null, judged: { fault } });
    this.at = back.byte - this.base;
    this.line = back.line;
    this.scanner = null;
  }

  private passGarbage(): boolean {
    const { state, at } = this;
    const { text, atEnd } = this.input;
    const { garbage } = state;
    if (garbage === null) return false;
    // The first of it was looked at before: only what follows can be something else.
    const isFirst = this.base + at === garbage.byteFrom;
    let next = text.indexOf('UN', isFirst ? at + 1 : at);
    while (next !== -1 && !beginsInterchange(headAt(text, next, true)) && !this.beginsMessage(next))
      next = text.indexOf('UN', next + 1);
    const isOver = next !== -1 || atEnd;
    // A tag may begin in this slice and end in the next.
    const to = next !== -1 ? next : atEnd ? text.length : Math.max(at, text.length - HEAD_UNITS + 1);
    this.line += lineFeedsIn(text, at, to);
    this.at = to;
    if (!isOver) return false;
    const { byteFrom, line, text: shown } = garbage;
    const byteTo = this.base + to;
    const fault = { code: 'text_outside_interchange', text: shown, bytes: byteTo - byteFrom } as const;
    this.addPending(describeFault(fault, { segment: null, element: null, line: line + 1, byteFrom, byteTo }));
    state.garbage = null;
    state.stage = 'between';
    return true;
  }

  private finish(): boolean {
    const { state } = this;
    state.endProblem ??= state.pending[0] ?? null;
    if (state.interchange === 0 && state.endProblem === null) {
      this.fileFault = { code: 'interchange_header_missing', text: '' };
    }
    state.stage = 'end';
    return false;
  }

  /** From here on nothing can be read. */
  private endWith(fault: Fault, tag: ServiceTag, to: number): boolean {
    const { at, base, line, state } = this;
    const where = { segment: { tag, number: 0 }, element: null, line: line + 1, byteFrom: base + at };
    state.endProblem = describeFault(fault, {
      ...where,
      byteTo: Math.min(base + to, base + this.input.text.length),
    });
    state.stage = 'end';
    return false;
  }

  /** @returns what is wrong with how the segment ends; the scanner then stands at its real end. */
  private endOf(scanner: SegmentScanner, tag: 'UNB' | 'UNG' | 'UNT' | 'UNE' | 'UNZ'): Fault[] {
    const inside = swallowed(scanner, tag);
    if (inside === null) return [];
    scanner.cut(inside.at);
    return [{ code: 'terminator_missing', followed: inside.tag }];
  }

  /** Text of a segment of the envelope. */
  private textOf(segment: Segment, open: OpenInterchange | null): Segment {
    const units = segment.elements.flat().join('');
    if (isAscii(units)) return segment;
    const syntax = open?.syntax ?? elementText(segment, 1, 1);
    const { segments, note } = readText([segment], units, syntax, this.input.source.encoding);
    if (note !== null) this.note(note);
    return segments[0] ?? segment;
  }

  private missingAt(found: string): MissingAt {
    return { found, byte: this.base + this.at, line: this.line };
  }

  private goOn(scanner: SegmentScanner): true {
    this.at = scanner.end;
    this.line = scanner.lineAfter;
    return true;
  }

  private scannerInside(open: OpenInterchange): SegmentScanner {
    this.scanner ??= this.scannerOf(open.dividers, this.input.limits.segmentBytesMax);
    return this.scanner;
  }

  private scannerOf(dividers: Dividers, bytesMax: number): SegmentScanner {
    this.scanner = null;
    return new SegmentScanner(this.input.text, this.input.atEnd, dividers, bytesMax);
  }
}

function lineFeedsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
