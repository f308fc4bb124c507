/**
 * Fast path for well-formed sets, as nearly all are: segments are plain and whole, their tags valid, and header and
 * trailer agree. For any other set it returns nothing: the slow path finds what is wrong, or only unusual.
 */
import { isDigit } from './control-numbers.ts';
import { type ForwardSearch, type SegmentTable, TableSpan } from './list.ts';
import type { SliceScanner } from './scan.ts';
import type { DividedText } from './segment.ts';
import { tagBefore } from './tags.ts';

const SPACE = 0x20;

/** @property at where reading continues, and `line` how many lines ended before that. */
interface FoundSet {
  id: string;
  segments: TableSpan;
  at: number;
  line: number;
}

/** @property opening and `closing`, the tags of header and trailer, as `tags.ts` numbers them. `lineBreak`: what ends lines. */
interface WellFormedKind {
  opening: number;
  closing: number;
  terminator: string;
  lineBreak: string;
  /** Finds what makes a segment one that cannot be divided as it is. */
  forbidden: ForwardSearch;
  /** What may come between segments; asked of units up to a space. */
  isBlank: (unit: number) => boolean;
  /** Blanks before a terminator are not text. */
  isTrimmed: boolean;
  segmentBytesMax: number;
  setBytesMax: number;
  setSegmentsMax: number;
}

/** Offsets of header and trailer, and of their terminators; `segments`: how many there are. */
export interface SetEnds {
  opening: number;
  openingTo: number;
  closing: number;
  closingTo: number;
  segments: number;
}

/** One for all sets with the same delimiters. */
export abstract class WellFormedReader {
  private readonly scanned: SliceScanner;
  private readonly table: SegmentTable;
  private readonly kind: WellFormedKind;
  private readonly lineBreakCode: number;

  constructor(scanned: SliceScanner, table: SegmentTable, kind: WellFormedKind) {
    this.scanned = scanned;
    this.table = table;
    this.kind = kind;
    this.lineBreakCode = kind.lineBreak.charCodeAt(0);
  }

  /** Whether a segment with that tag belongs to a set that is open. 0: it has none. */
  protected abstract isInside(tag: number): boolean;
  /** @returns null if header and trailer are not as they should be, or something between them is to be left out. */
  protected abstract idOf(ends: SetEnds): string | null;

  /**
   * @param line how many ended before `start`; @returns null if no whole set begins there, or one for the slow path.
   */
  from(start: number, line: number): FoundSet | null {
    const { table } = this;
    const first = table.count;
    const found = this.read(start, line, first);
    if (found === null) table.count = first;
    return found;
  }

  private read(start: number, lines: number, first: number): FoundSet | null {
    const { table, kind, lineBreakCode } = this;
    const { text, within } = this.scanned;
    const { bytes } = within;
    const { terminator, isBlank, isTrimmed, segmentBytesMax, setBytesMax, setSegmentsMax } = kind;
    const endsLine = terminator === kind.lineBreak;
    let line = lines;
    let opening = -1;
    let openingTo = -1;
    let stop = -1;
    for (let at = start; ; ) {
      for (; at < bytes.length; at++) {
        const unit = bytes[at] ?? 0;
        if (unit === lineBreakCode) line++;
        else if (unit > SPACE || !isBlank(unit)) break;
      }
      const tag = tagBefore(bytes, at, within.element);
      if (opening === -1 ? tag !== kind.opening : !this.isInside(tag)) return null;
      const to = text.indexOf(terminator, at);
      if (to === -1 || to - at > segmentBytesMax) return null;
      if (stop < at) stop = this.stopFrom(at);
      if (stop < to) return null;
      if (isTrimmed && isBlank(bytes[to - 1] ?? 0)) return null;
      if (opening === -1) {
        opening = at;
        openingTo = to;
      }
      if (to + 1 - opening > setBytesMax || table.count - first >= setSegmentsMax) return null;
      table.add(at, to, line + 1, tag);
      if (endsLine) line++;
      if (tag === kind.closing) {
        const id = this.idOf({ opening, openingTo, closing: at, closingTo: to, segments: table.count - first });
        return id === null ? null : { id, segments: new TableSpan(table, first, within), at: to + 1, line };
      }
      at = to + 1;
    }
  }

  /** Offset of the next unit that may not be in a segment: asked again only once that is passed. */
  private stopFrom(at: number): number {
    const { lineFeed, carriageReturn } = this.scanned;
    // Compared as integers: `Math.min` would make all offsets doubles.
    let stop = lineFeed.from(at);
    const returned = carriageReturn.from(at);
    if (returned < stop) stop = returned;
    const forbidden = this.kind.forbidden.from(at);
    if (forbidden < stop) stop = forbidden;
    return stop;
  }
}

/** Most digits of a count that is compared here: more than any set needs. */
const COUNT_DIGITS_MAX = 9;

/**
 * Whether a trailer has only a count and a control number, and both are right.
 *
 * @param at offset of its first element; @param to of its terminator; @param control of the same number in the header
 */
export function closes(within: DividedText, at: number, to: number, counted: number, control: number): boolean {
  const { bytes, element } = within;
  const digitsTo = Math.min(to, at + COUNT_DIGITS_MAX);
  let count = 0;
  let from = at;
  for (; from < digitsTo; from++) {
    const unit = bytes[from] ?? 0;
    if (!isDigit(unit)) break;
    count = 10 * count + unit - 0x30;
  }
  return count === counted && from > at && bytes[from] === element && isAgain(within, from + 1, to, control);
}

/** Whether the text from `at` to `to` equals the element at `known`: without blanks, undivided. */
function isAgain(
  { bytes, element, component, repetition }: DividedText,
  at: number,
  to: number,
  known: number,
): boolean {
  const shift = known - at;
  for (let from = at; from < to; from++) {
    const unit = bytes[from] ?? 0;
    if (unit <= SPACE || unit === element || unit === component || unit === repetition) return false;
    if (unit !== bytes[from + shift]) return false;
  }
  const behind = bytes[to + shift];
  return to > at && (behind === element || behind === bytes[to]);
}
