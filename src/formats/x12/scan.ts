/**
 * Finds segments in a slice: where each begins and ends, and on which line.
 *
 * Units are bytes, so an offset is a position. Results do not depend on where the slice ends: when it could matter, a
 * longer slice is requested.
 */

import { Buffer } from 'node:buffer';
import { badUtf8At, type TextCodec, textCodec } from '../encoding.ts';
import type { SliceSearches } from '../segments/list.ts';
import { type Place, type ScannedSlice, SliceScanner } from '../segments/scan.ts';
import { type DividedText, type Segment, type SegmentElement, UndividedSegment } from '../segments/segment.ts';
import { tagText } from '../segments/tags.ts';
import { isAlphanumeric, isBlank, isBreak, type X12Delimiters } from './delimiters.ts';
import { EXCERPT_BYTES, LOOKAHEAD_BYTES } from './limits.ts';
import { NOTES, readAsNote } from './problems.ts';

/** A segment in its slice; it can be divided in place only where the functions below say so. */
export class FoundSegment extends UndividedSegment {
  /** Lines that ended before `end`. */
  readonly lineAfter: number;
  /** False if an ISA cuts it off, or the end of the file. */
  readonly terminated: boolean;
  /** There is a line break between `from` and `to`. */
  readonly broken: boolean;

  constructor(
    within: DividedText,
    { tag, number, line, lineAfter }: { tag: string; number: number; line: number; lineAfter: number },
    { from, to, end }: { from: number; to: number; end: number },
    { terminated, broken }: { terminated: boolean; broken: boolean },
  ) {
    super(within, tag, number, line, from, from + tag.length + 1, to, end);
    this.lineAfter = lineAfter;
    this.terminated = terminated;
    this.broken = broken;
  }

  get kind(): 'segment' {
    return 'segment';
  }
}

/** Where reading continues after a segment. */
export const behind = ({ end, lineAfter }: FoundSegment): Place => ({ at: end, line: lineAfter });
/** Where a segment begins. */
export const startOf = ({ from, line }: FoundSegment): Place => ({ at: from, line: line - 1 });

/** `end`: only blanks are left in the slice. `isa`: an interchange begins at `place`, whatever is open. */
type Found =
  | FoundSegment
  | { kind: 'isa'; place: Place }
  | { kind: 'too_long'; from: number; line: number }
  | { kind: 'end'; place: Place }
  | { kind: 'more' };

/**
 * Beyond every offset. A small integer, like the offsets: with Infinity the engine would store all of them as doubles.
 */
const NONE = 0x3fff_ffff;
const UNSURE = -1;
const LETTER_I = 0x49;
/** Offsets of the separators in an ISA of fixed width, which is searched inside segments. */
const ISA_SEPARATORS = [6, 17, 20];

export class SegmentScanner extends SliceScanner {
  readonly searches: SliceSearches;
  /** Offset of the first terminator with no segment before it, of those that were seen. */
  emptyAt = NONE;
  private readonly delimiters: X12Delimiters;
  private readonly lineBreakCode: number;
  private readonly terminatorCode: number;
  /** The last segment found ends with its terminator. */
  private isTerminator = false;
  private isaAt = -1;

  constructor(slice: ScannedSlice, delimiters: X12Delimiters, segmentBytesMax: number) {
    super(slice, delimiters, { lineBreak: delimiters.lineBreak, segmentBytesMax });
    this.searches = slice.searches;
    this.delimiters = delimiters;
    this.lineBreakCode = delimiters.lineBreak.charCodeAt(0);
    this.terminatorCode = delimiters.terminator.charCodeAt(0);
  }

  /** The next segment from `from` on. @param lines that ended before it; @param number of it in its set */
  next(from: number, lines: number, number: number): Found {
    const { text, delimiters, atEnd } = this;
    const { terminator } = delimiters;
    let [at, line] = [from, lines];
    let unit = text.charCodeAt(at);
    for (;;) {
      for (; isBlank(unit); unit = text.charCodeAt(++at)) if (unit === this.lineBreakCode) line++;
      if (at === text.length) return { kind: 'end', place: { at, line } };
      if (unit !== this.terminatorCode || !text.startsWith(terminator, at)) break;
      this.emptyAt = Math.min(this.emptyAt, at);
      at += terminator.length;
      unit = text.charCodeAt(at);
    }
    if (unit === LETTER_I && text.startsWith('ISA', at)) {
      if (at + 3 === text.length && !atEnd) return { kind: 'more' };
      if (opensIsa(text, at)) return { kind: 'isa', place: { at, line } };
    }
    return this.segmentAt(at, line, number);
  }

  /** After the terminator at or after `place`, wherever that is, or before an ISA; null when neither is in sight. */
  afterTerminator({ at, line }: Place): Place | null {
    const { text, delimiters } = this;
    const cut = this.cutFrom(at, at - 1);
    if (cut === UNSURE || (cut === NONE && !this.atEnd)) return null;
    const to = Math.min(text.length, this.isTerminator ? cut + delimiters.terminator.length : cut);
    return { at: to, line: this.lineAt(at, to, line) };
  }

  /** Whether no ISA cuts off the text there, in this slice or in a longer one. */
  hasNoIsa(from: number, to: number): boolean {
    const isa = this.isaAfter(from);
    return isa === UNSURE ? to <= this.text.length - LOOKAHEAD_BYTES : isa >= to;
  }

  private segmentAt(from: number, line: number, number: number): Found {
    const { text, delimiters, atEnd, segmentBytesMax } = this;
    const { terminator } = delimiters;
    const cutAt = this.cutFrom(from, from);
    if (cutAt === UNSURE && text.length - from <= segmentBytesMax + LOOKAHEAD_BYTES) return { kind: 'more' };
    if (cutAt === UNSURE) return { kind: 'too_long', from, line: line + 1 };
    if (cutAt === NONE && text.length - from <= segmentBytesMax && !atEnd) return { kind: 'more' };
    const cut = Math.min(cutAt, text.length);
    if (cut - from > segmentBytesMax) return { kind: 'too_long', from, line: line + 1 };
    const terminated = this.isTerminator;
    let to = cut;
    while (isBlank(text.charCodeAt(to - 1)) && to > from) to--;
    const end = terminated ? cut + terminator.length : cut;
    const breakAt = this.breakFrom(from);
    const broken = breakAt < to;
    // A terminator that is a line break ends a line; others rarely have one inside their segment.
    const lineAfter = breakAt < end ? this.lineAt(from, end, line) : line;
    const tag = this.tagAt(from, to);
    const lines = { tag, number, line: line + 1, lineAfter };
    return new FoundSegment(this.within, lines, { from, to, end }, { terminated, broken });
  }

  /**
   * The end of the text at `at`: at its terminator (`isTerminator` then), or before an ISA after `isaAfter`; `NONE`:
   * neither is in this slice; `UNSURE` when an ISA may begin so close to the end of the slice that it cannot be told
   * from text yet.
   */
  private cutFrom(at: number, isaAfter: number): number {
    const { text } = this;
    const found = text.indexOf(this.delimiters.terminator, at);
    const isa = this.isaAt > isaAfter && this.isaAt === NONE ? NONE : this.isaAfter(isaAfter);
    this.isTerminator = false;
    if (isa === UNSURE && (found === -1 || found > text.length - LOOKAHEAD_BYTES)) return UNSURE;
    if (found === -1 || (isa !== UNSURE && found > isa)) return isa === UNSURE ? NONE : isa;
    this.isTerminator = true;
    return found;
  }

  private tagAt(from: number, to: number): string {
    const { text, within } = this;
    const { element } = this.delimiters;
    // First checked where it is in well-formed files: text without any separator must not be searched again and again.
    for (let at = from + 2; at <= from + 3 && at < to; at++) {
      if (text.charCodeAt(at) !== within.element) continue;
      if (element.length === 1 || text.startsWith(element, at)) return tagText(text, from, at);
    }
    const raw = text.slice(from, to);
    const separator = raw.indexOf(element);
    return separator === -1 ? raw : raw.slice(0, separator);
  }

  /**
   * Offset of the first ISA of fixed width after `from`; `NONE` when there is none, `UNSURE` when the end of the slice
   * may hide one.
   */
  private isaAfter(from: number): number {
    const { text, atEnd } = this;
    if (this.isaAt <= from) {
      let at = text.indexOf('ISA', from + 1);
      while (at !== -1 && at + LOOKAHEAD_BYTES <= text.length && !isFixedIsa(text, at))
        at = text.indexOf('ISA', at + 1);
      this.isaAt = at === -1 ? NONE : at;
    }
    if (this.isaAt === NONE) return NONE;
    const inSight = this.isaAt + LOOKAHEAD_BYTES <= text.length;
    if (inSight) return this.isaAt;
    if (!atEnd) return UNSURE;
    return isFixedIsa(text, this.isaAt) ? this.isaAt : NONE;
  }
}

/** `ISA` and a character that can be a separator. */
export function opensIsa(text: string, at: number): boolean {
  if (!text.startsWith('ISA', at) || at + 3 >= text.length) return false;
  const code = text.charCodeAt(at + 3);
  return !isAlphanumeric(code) && !isBlank(code) && !isBreak(code);
}

function isFixedIsa(text: string, at: number): boolean {
  if (!opensIsa(text, at)) return false;
  const separator = text.charCodeAt(at + 3);
  return ISA_SEPARATORS.every((offset) => text.charCodeAt(at + offset) === separator);
}

/* Divides segments into elements and components, and converts units to text. */

const NON_ASCII = /[\x80-\xff]/;
const BREAKS = /[\r\n]+/g;

/** How a range of units becomes text; `codec` null: it is ASCII. */
export interface Reading {
  codec: TextCodec | null;
  note: string | null;
}

/** How ASCII is read. */
export const ASCII: Reading = { codec: null, note: null };

/** UTF-8 where every sequence is well-formed, else the fallback: a set has one encoding. */
export function readingOf(units: string, fallback: TextCodec): Reading {
  if (!NON_ASCII.test(units)) return ASCII;
  if (badUtf8At(units) === -1) return { codec: textCodec('utf-8'), note: NOTES.read_as_utf_8 };
  return { codec: fallback, note: readAsNote(fallback.encoding) };
}

export const textOf = (units: string, { codec }: Reading): string => (codec === null ? units : codec.toText(units));

/** Units as shown in a problem, in whatever encoding. */
export const shown = (units: string, fallback: TextCodec): string =>
  textOf(units.slice(0, EXCERPT_BYTES), readingOf(units.slice(0, EXCERPT_BYTES), fallback));

export const hexOf = (units: string): string => Buffer.from(units, 'latin1').toString('hex');

/** Whether a line break inside a segment is not part of its text but only wraps it. */
const breaksAreNoText = ({ terminator }: X12Delimiters): boolean => terminator !== '\n' && terminator !== '\r';

export interface SplitSeen {
  breaks: boolean;
  repeated: boolean;
}

/** What is needed to divide the segments of one range; `seen` is set if something was left out. */
interface Split {
  text: string;
  delimiters: X12Delimiters;
  reading: Reading;
  byteBase: number;
  seen: SplitSeen;
  /** Null if the range has none of them. */
  component: string | null;
  repetition: string | null;
}

/** @param units the range of the text that holds the segments */
export function splitOf(
  text: string,
  units: string,
  delimiters: X12Delimiters,
  reading: Reading,
  byteBase: number,
): Split {
  const component = separatorIn(units, delimiters.component);
  const repetition = separatorIn(units, delimiters.repetition);
  return { text, delimiters, reading, byteBase, seen: { breaks: false, repeated: false }, component, repetition };
}

const separatorIn = (units: string, separator: string | null): string | null =>
  separator !== null && units.includes(separator) ? separator : null;

/** Whether segments can stay as they were found, to be divided on access: there is nothing to decode or leave out. */
export const isDividedLater = ({ delimiters, reading, component, repetition }: Split, isWrapped: boolean): boolean =>
  reading.codec === null &&
  repetition === null &&
  delimiters.element.length === 1 &&
  (component === null || component.length === 1) &&
  !(isWrapped && breaksAreNoText(delimiters));

/** Divided at once: a segment of an envelope is stored in checkpoints. */
export function divideSegment(found: FoundSegment, number: number, split: Split): Segment {
  const { text, delimiters, component, repetition, byteBase } = split;
  let { tag } = found;
  const from = found.from + tag.length + delimiters.element.length;
  let parts: string[] = [];
  if (found.broken && breaksAreNoText(delimiters)) {
    tag = tag.replace(BREAKS, '');
    split.seen.breaks = true;
    if (from <= found.to) parts = text.slice(from, found.to).replace(BREAKS, '').split(delimiters.element);
  } else if (from <= found.to) parts = text.slice(from, found.to).split(delimiters.element);
  if (repetition !== null) {
    parts.forEach((part, at) => {
      const cut = part.indexOf(repetition);
      if (cut === -1) return;
      split.seen.repeated = true;
      parts[at] = part.slice(0, cut);
    });
  }
  const { codec } = split.reading;
  const elements =
    component !== null || codec !== null ? parts.map((part) => elementOf(part, component, codec)) : parts;
  return { tag, elements, number, line: found.line, byteFrom: byteBase + found.from, byteTo: byteBase + found.end };
}

function elementOf(part: string, component: string | null, codec: TextCodec | null): SegmentElement {
  const toText = (units: string): string => (codec === null ? units : codec.toText(units));
  return component !== null && part.includes(component) ? part.split(component).map(toText) : toText(part);
}
