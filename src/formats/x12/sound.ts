/**
 * Takes a set off a slice that has nothing uncommon about it, as nearly all are: its segments stand as they are, whole and with
 * tags, and ST and SE agree. Of any other it says nothing: who looks closer can tell what is wrong, or only unusual.
 */
import type { ForwardSearch } from '../segments/search.ts';
import { closes, isDigit } from '../segments/sound.ts';
import { type SegmentTable, TableSpan } from '../segments/table.ts';
import { tagBefore, tagCode } from '../segments/tags.ts';
import { isBlank, type X12Delimiters } from './delimiters.ts';
import type { X12Limits } from './limits.ts';
import type { SegmentScanner } from './scan.ts';

/** @property at where reading goes on, and `line` how many lines ended before that. */
export interface FoundSet {
  id: string;
  segments: TableSpan;
  at: number;
  line: number;
}

const ST = tagCode('ST');
const SE = tagCode('SE');
const GS = tagCode('GS');
const GE = tagCode('GE');
const ISA = tagCode('ISA');
const IEA = tagCode('IEA');
const ID_CHARACTERS = 3;
/** Behind a tag of two letters and its separator. */
const ELEMENT_FROM = 3;

/** One for all sets between which delimiters do not change. */
export class SoundSets {
  private readonly scanner: SegmentScanner;
  private readonly limits: X12Limits;
  private readonly table: SegmentTable;
  private readonly delimiters: X12Delimiters;
  private readonly lineBreakCode: number;
  private readonly repetition: ForwardSearch;
  /** Of the last set: most are of one kind. */
  private id = '';

  constructor(scanner: SegmentScanner, table: SegmentTable, delimiters: X12Delimiters, limits: X12Limits) {
    this.scanner = scanner;
    this.limits = limits;
    this.table = table;
    this.delimiters = delimiters;
    this.lineBreakCode = delimiters.lineBreak.charCodeAt(0);
    this.repetition = scanner.searches.of(delimiters.repetition ?? '');
  }

  /** @param line how many ended before `start`; @returns null where no whole set begins there, or one that wants a closer look. */
  from(start: number, line: number): FoundSet | null {
    const { table } = this;
    const first = table.count;
    const found = this.read(start, line, first);
    if (found === null) table.count = first;
    return found;
  }

  private read(start: number, lines: number, first: number): FoundSet | null {
    const { table, limits, lineBreakCode } = this;
    const { text, within, lineFeed, carriageReturn } = this.scanner;
    const { terminator, lineBreak } = this.delimiters;
    let line = lines;
    let opening = -1;
    for (let at = start; ; ) {
      while (at < text.length) {
        const unit = text.charCodeAt(at);
        if (!isBlank(unit)) break;
        if (unit === lineBreakCode) line++;
        at++;
      }
      const tag = tagBefore(text, at, within.element);
      if (opening === -1 ? tag !== ST : tag === 0 || isEnvelope(tag)) return null;
      const to = text.indexOf(terminator, at);
      if (to === -1 || to - at > limits.segmentBytesMax || isBlank(text.charCodeAt(to - 1))) return null;
      if (lineFeed.from(at) < to || carriageReturn.from(at) < to) return null;
      if (opening === -1) opening = at;
      if (to + 1 - opening > limits.setBytesMax || table.count - first >= limits.setSegmentsMax) return null;
      table.add(at, to, line + 1, tag);
      if (terminator === lineBreak) line++;
      if (tag === SE) return this.closed(first, opening, at, to) ? this.found(first, opening, to + 1, line) : null;
      at = to + 1;
    }
  }

  private found(first: number, opening: number, at: number, line: number): FoundSet {
    const { text, within } = this.scanner;
    const idFrom = opening + ELEMENT_FROM;
    if (this.id === '' || !text.startsWith(this.id, idFrom)) this.id = text.slice(idFrom, idFrom + ID_CHARACTERS);
    return { id: this.id, segments: new TableSpan(this.table, first, within), at, line };
  }

  /** Whether ST and SE, which begin at `opening` and `closing`, are as they should be, and nothing between them is to be left out. */
  private closed(first: number, opening: number, closing: number, to: number): boolean {
    const { scanner, table } = this;
    const { text, within } = scanner;
    if (this.repetition.from(opening) < to || !scanner.hasNoIsa(opening, to + 1)) return false;
    const idFrom = opening + ELEMENT_FROM;
    const idTo = idFrom + ID_CHARACTERS;
    for (let at = idFrom; at < idTo; at++) if (!isDigit(text.charCodeAt(at))) return false;
    if (text.charCodeAt(idTo) !== within.element) return false;
    return closes(within, closing + ELEMENT_FROM, to, table.count - first, idTo + 1);
  }
}

const isEnvelope = (tag: number): boolean => tag === ST || tag === GS || tag === GE || tag === ISA || tag === IEA;
