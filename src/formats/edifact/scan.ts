/**
 * Finds where segments begin and end in a slice of one unit per byte. It does not divide them.
 *
 * Its search for release characters and line breaks only goes forward, so a slice is searched once whatever it
 * contains.
 */

import { type ForwardSearch, NOWHERE, nextOf } from '../segments/list.ts';
import { type ScannedSlice, SliceScanner } from '../segments/scan.ts';
import { type Segment, type SegmentElement, UndividedSegment } from '../segments/segment.ts';
import { tagText } from '../segments/tags.ts';
import type { Delimiters } from './delimiters.ts';

/* Divides a segment that holds release characters or line breaks into its tag and elements. */

interface SegmentText {
  tag: string;
  elements: SegmentElement[];
}

export interface Dividers extends Delimiters {
  /** '' if repetitions are not separated. */
  repetition: string;
}

/**
 * For any segment: a released character is text whatever it is; line breaks only wrap the file and are not text, even
 * between a release character and what it releases.
 */
export function divideReleased(units: string, dividers: Dividers): SegmentText {
  const { element, component, repetition, release } = dividers;
  const parts: SegmentElement[] = [];
  let components: string[] = [];
  let text = '';
  let isRepeated = false;
  const endComponent = (): void => {
    if (!isRepeated) components.push(text);
    text = '';
  };
  const endElement = (): void => {
    endComponent();
    parts.push(components.length === 1 ? (components[0] ?? '') : components);
    components = [];
    isRepeated = false;
  };
  for (let at = 0; at < units.length; at++) {
    const unit = units.charAt(at);
    if (unit === '\r' || unit === '\n') continue;
    if (unit === release) {
      do at++;
      while (units[at] === '\r' || units[at] === '\n');
      text += units.charAt(at);
    } else if (unit === element) endElement();
    else if (unit === component) endComponent();
    else if (unit === repetition && parts.length > 0) {
      endComponent();
      isRepeated = true;
    } else text += unit;
  }
  endElement();
  const [tag = '', ...elements] = parts;
  return { tag: typeof tag === 'string' ? tag : (tag[0] ?? ''), elements };
}

/**
 * - `segment`: it ends in a terminator; `rest`: it ends with the file.
 * - `interchange`: UNA or UNB, which may bring delimiters of its own.
 * - `overlong`: longer than a segment may be. `more`: the slice ends first. `end`: only blanks up to the end of the
 *   file.
 */
type Scan = 'segment' | 'rest' | 'interchange' | 'overlong' | 'more' | 'end';

const ALPHANUMERIC = /[A-Za-z0-9]/;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const LETTER_U = 0x55;

/** What may come between segments. */
export const isBlank = (unit: number): boolean =>
  unit <= BLANK && (unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === BLANK || unit === TAB);
export const isLineBreak = (unit: string): boolean => unit === '\n' || unit === '\r';

export class SegmentScanner extends SliceScanner {
  /** Offset of the tag. */
  from = 0;
  /** After the last unit of the segment, which is where its terminator is. */
  to = 0;
  /** After the terminator. */
  end = 0;
  /** Line feeds before `from` and before `end`. */
  line = 0;
  lineAfter = 0;
  /** It contains no release character and no line break. */
  isPlain = true;
  hasBreak = false;

  readonly dividers: Dividers;
  /** The terminator is a line break. */
  readonly hasLines: boolean;
  readonly release: ForwardSearch;

  constructor(slice: ScannedSlice, dividers: Dividers, segmentBytesMax: number) {
    super(slice, dividers, { lineBreak: '\n', segmentBytesMax });
    this.dividers = dividers;
    this.release = slice.searches.of(dividers.release);
    this.hasLines = isLineBreak(dividers.terminator);
  }

  /** @param line line feeds before `at` */
  next(at: number, line: number): Scan {
    const { text, atEnd } = this;
    this.skipBlanks(at, line);
    const from = this.from;
    if (from >= text.length) return atEnd ? 'end' : 'more';
    if (text.charCodeAt(from) === LETTER_U) {
      const head = headAt(text, from, this.hasLines);
      if (head.length < HEAD_UNITS && text.length - from < HEAD_LOOKED_AT_UNITS && !atEnd) return 'more';
      if (beginsInterchange(head)) return 'interchange';
    }
    return this.segmentAt(from, this.line);
  }

  /** What begins at an offset with a known tag. */
  segmentAt(from: number, line: number): Exclude<Scan, 'interchange' | 'end'> {
    const { text, atEnd } = this;
    this.from = from;
    this.line = line;
    const to = this.terminatorFrom(from);
    if ((to === -1 ? text.length : to) - from > this.segmentBytesMax) return 'overlong';
    if (to === -1 && !atEnd) return 'more';
    // Lines of a fixed width are padded with blanks.
    if (to === -1) this.to = trimmedEnd(text, from, text.length);
    else this.to = this.hasLines ? trimmedEnd(text, from, to) : to;
    this.end = to === -1 ? text.length : to + 1;
    const breakAt = this.breakFrom(from);
    this.hasBreak = breakAt < this.to;
    this.isPlain = !this.hasBreak && this.release.from(from) >= this.to;
    this.lineAfter = breakAt < this.end ? this.lineAt(from, this.end, this.line) : this.line;
    return to === -1 ? 'rest' : 'segment';
  }

  /** The segment ends at an offset inside it, where another one begins: its terminator is missing. */
  cut(at: number): void {
    this.to = at;
    this.end = at;
    this.lineAfter = this.lineAt(this.from, at, this.line);
  }

  /** The current segment. Its texts are still units. @param number of it in its message */
  segment(number: number): Segment {
    if (this.isPlain) return this.plainSegment(number);
    const { tag, elements } = divideReleased(this.units(), this.dividers);
    const { byteBase } = this.within;
    return { tag, elements, number, line: this.line + 1, byteFrom: byteBase + this.from, byteTo: byteBase + this.end };
  }

  private plainSegment(number: number): Segment {
    const { text, within, from, to } = this;
    const { element, component } = within;
    let tagTo = from;
    while (tagTo < to && text.charCodeAt(tagTo) !== element && text.charCodeAt(tagTo) !== component) tagTo++;
    // Components of a tag count repetitions of nested segments (ISO 9735 §9.3).
    let first = tagTo;
    while (first < to && text.charCodeAt(first) !== element) first++;
    return new UndividedSegment(
      within,
      tagText(text, from, tagTo),
      number,
      this.line + 1,
      from,
      first + 1,
      to,
      this.end,
    );
  }

  units(): string {
    return this.text.slice(this.from, this.to);
  }

  /**
   * Skips the rest of a segment that began earlier.
   *
   * @returns the offset after its terminator, or how far the slice can be skipped if that comes later
   */
  passSegment(at: number): { to: number; isOver: boolean } {
    const end = this.terminatorFrom(at);
    if (end !== -1) return { to: end + 1, isOver: true };
    if (this.atEnd) return { to: this.text.length, isOver: true };
    // What a release character releases may be in the next slice.
    const { text } = this;
    const { release } = this.dividers;
    for (let from = nextOf(text, release, at); from < text.length; ) {
      let released = from + 1;
      while (isLineBreak(text.charAt(released))) released++;
      if (released >= text.length) return { to: from, isOver: false };
      from = nextOf(text, release, released + 1);
    }
    return { to: text.length, isOver: false };
  }

  private skipBlanks(at: number, line: number): void {
    let from = at;
    this.line = line;
    const { text } = this;
    for (; from < text.length && isBlank(text.charCodeAt(from)); from++) {
      if (text.charCodeAt(from) === LINE_FEED) this.line++;
    }
    this.from = from;
  }

  /** @returns offset of the first terminator from `from` on that is not released; -1 when the slice has none. */
  private terminatorFrom(from: number): number {
    const { text } = this;
    const { release, terminator } = this.dividers;
    let to = text.indexOf(terminator, from);
    for (let at = this.release.from(from); at < to; ) {
      let released = at + 1;
      while (isLineBreak(text.charAt(released)) && text[released] !== terminator) released++;
      if (released >= to) to = text.indexOf(terminator, released + 1);
      const next = text.indexOf(release, released + 1);
      at = next === -1 ? NOWHERE : next;
    }
    return to;
  }
}

/** Units that are needed to recognise what begins here: a tag and its separator. */
export const HEAD_UNITS = 4;
/** Units that can hold these, with one line end between any two of them. */
export const HEAD_LOOKED_AT_UNITS = 12;

/** @returns these units from an offset on, fewer at the end of the slice; line wrapping may divide a tag. */
export function headAt(text: string, at: number, hasLines: boolean): string {
  let head = text.slice(at, at + HEAD_UNITS);
  if (hasLines || !(head.includes('\n') || head.includes('\r'))) return head;
  head = '';
  const to = Math.min(text.length, at + HEAD_LOOKED_AT_UNITS);
  for (let from = at; head.length < HEAD_UNITS && from < to; from++) {
    const unit = text.charAt(from);
    if (!isLineBreak(unit)) head += unit;
  }
  return head;
}

/** Whether these are UNA or UNB and a separator. Tags have three letters: `UNBX` is not one of them. */
export const beginsInterchange = (head: string): boolean =>
  (head.startsWith('UNA') || head.startsWith('UNB')) &&
  head.length === HEAD_UNITS &&
  !ALPHANUMERIC.test(head.charAt(3));

function trimmedEnd(text: string, from: number, end: number): number {
  let to = end;
  while (to > from && ' \t\r\n\x1a'.includes(text.charAt(to - 1))) to--;
  return to;
}

/* The segments of an envelope, by tag, and how one is found inside another whose terminator is missing. */

export type ServiceTag = 'UNA' | 'UNB' | 'UNG' | 'UNH' | 'UNT' | 'UNE' | 'UNZ';

const BY_THIRD_LETTER: ReadonlyMap<string, ServiceTag> = new Map([
  ['G', 'UNG'],
  ['H', 'UNH'],
  ['T', 'UNT'],
  ['E', 'UNE'],
  ['Z', 'UNZ'],
]);

/** @returns the tag of the current segment if it belongs to an envelope; else null, also for UNS. */
export function serviceTag({ text, from, to, dividers, hasLines }: SegmentScanner): ServiceTag | null {
  if (text[from] !== 'U') return null;
  const head = headAt(text, from, hasLines);
  if (!head.startsWith('UN')) return null;
  const follows = head[3];
  if (from + 3 < to && follows !== dividers.element && follows !== dividers.component) return null;
  return BY_THIRD_LETTER.get(head.charAt(2)) ?? null;
}

/**
 * Reads one element from its separator on: what must follow a tag, so that text that ends in these letters does not
 * match.
 */
const FOLLOWS: Record<ServiceTag, RegExp> = {
  UNA: /^[^A-Za-z0-9\s]/,
  UNB: /^[A-Za-z]{4}[^A-Za-z0-9]\d/,
  UNG: /^[A-Z]{3,6}[^A-Za-z0-9]/,
  UNH: /^[^\s]{1,14}[^A-Za-z0-9\s][A-Z]{3,6}[^A-Za-z0-9\s]/,
  UNT: /^\d{1,10}[^A-Za-z0-9]/,
  UNE: /^\d{1,6}[^A-Za-z0-9]/,
  UNZ: /^\d{1,6}[^A-Za-z0-9]/,
};

/** What can follow each of these in a well-formed file. */
const NEXT: Record<'UNB' | 'UNG' | 'UNT' | 'UNE' | 'UNZ', readonly ServiceTag[]> = {
  UNB: ['UNG', 'UNH'],
  UNG: ['UNH'],
  UNT: ['UNH', 'UNE', 'UNZ', 'UNB'],
  UNE: ['UNG', 'UNZ', 'UNB'],
  UNZ: ['UNA', 'UNB'],
};

const LOOKED_AT = 40;

/** @returns the tag and offset of the next segment that begins inside this one; null: this one ends as it should. */
export function swallowed(
  { text, from, to, dividers }: SegmentScanner,
  tag: keyof typeof NEXT,
): { tag: ServiceTag; at: number } | null {
  // Cut out first: a search in the whole slice would go through all of it for every segment.
  const units = text.slice(from, to + 1);
  if (units.indexOf('UN', 1) === -1) return null;
  let found: { tag: ServiceTag; at: number } | null = null;
  for (const next of NEXT[tag]) {
    for (let at = units.indexOf(next, 4); at !== -1; at = units.indexOf(next, at + 3)) {
      if (found !== null && from + at > found.at) break;
      if (next !== 'UNA' && units[at + 3] !== dividers.element) continue;
      const before = units[at - 1];
      if (before === dividers.element || before === dividers.component) continue;
      const behind = at + (next === 'UNA' ? 3 : 4);
      if (FOLLOWS[next].test(units.slice(behind, behind + LOOKED_AT))) found = { tag: next, at: from + at };
    }
  }
  return found;
}
