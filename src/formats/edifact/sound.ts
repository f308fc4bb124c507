/**
 * Takes a message off a slice that has nothing uncommon about it, as nearly all are: its segments stand as they are, whole and
 * with tags, and UNH and UNT agree. Of any other it says nothing: who looks closer can tell what is wrong, or only unusual.
 */
import { closes } from '../segments/sound.ts';
import { type SegmentTable, TableSpan } from '../segments/table.ts';
import { tagBefore, tagCode } from '../segments/tags.ts';
import type { EdifactLimits } from './limits.ts';
import { isBlank, LINE_FEED, type SegmentScanner } from './scan.ts';

/** @property at where reading goes on, and `line` how many line feeds stand before that. */
export interface FoundMessage {
  id: string;
  segments: TableSpan;
  at: number;
  line: number;
}

const UNH = tagCode('UNH');
const UNT = tagCode('UNT');
const UNS = tagCode('UNS');
/** Behind a tag of three letters and its separator. */
const ELEMENT_FROM = 4;
const SHORTEST_TAG = 1 << 14;
const BLANK = 0x20;

/** UNA, UNB and the others; `UNS` divides the sections of a message and is one of its own. */
const isService = (tag: number): boolean => tag >> 7 === UNH >> 7 && tag !== UNS;

/** One for all messages between which delimiters do not change. */
export class SoundMessages {
  readonly scanner: SegmentScanner;
  private readonly limits: EdifactLimits;
  private readonly table: SegmentTable;
  /** Of the last message: most are of one kind. */
  private id = '';

  constructor(scanner: SegmentScanner, table: SegmentTable, limits: EdifactLimits) {
    this.scanner = scanner;
    this.limits = limits;
    this.table = table;
  }

  /** @param line feeds before `start`; @returns null where no whole message begins there, or one that wants a closer look. */
  from(start: number, line: number): FoundMessage | null {
    const { table } = this;
    const first = table.count;
    const found = this.read(start, line, first);
    if (found === null) table.count = first;
    return found;
  }

  private read(start: number, lines: number, first: number): FoundMessage | null {
    const { table, limits } = this;
    const { text, within, dividers, release, lineFeed, carriageReturn } = this.scanner;
    const { terminator } = dividers;
    let line = lines;
    let opening = -1;
    let openingTo = -1;
    for (let at = start; ; ) {
      while (at < text.length) {
        const unit = text.charCodeAt(at);
        if (!isBlank(unit)) break;
        if (unit === LINE_FEED) line++;
        at++;
      }
      const tag = tagBefore(text, at, within.element);
      if (opening === -1 ? tag !== UNH : tag < SHORTEST_TAG || (isService(tag) && tag !== UNT)) return null;
      const to = text.indexOf(terminator, at);
      if (to === -1 || to - at > limits.segmentBytesMax || release.from(at) <= to) return null;
      if (lineFeed.from(at) < to || carriageReturn.from(at) < to) return null;
      if (opening === -1) {
        opening = at;
        openingTo = to;
      }
      if (to + 1 - opening > limits.messageBytesMax || table.count - first >= limits.messageSegmentsMax) return null;
      table.add(at, to, line + 1, tag);
      if (tag === UNT) return this.closed(first, opening, openingTo, at, to) ? this.found(first, to + 1, line) : null;
      at = to + 1;
    }
  }

  private found(first: number, at: number, line: number): FoundMessage {
    return { id: this.id, segments: new TableSpan(this.table, first, this.scanner.within), at, line };
  }

  /** Whether UNH and UNT, which begin at `opening` and `closing`, are as they should be. */
  private closed(first: number, opening: number, openingTo: number, closing: number, to: number): boolean {
    const { text, within } = this.scanner;
    const reference = opening + ELEMENT_FROM;
    if (!closes(within, closing + ELEMENT_FROM, to, this.table.count - first, reference)) return false;
    let idFrom = reference;
    while (idFrom < openingTo && text.charCodeAt(idFrom) !== within.element) idFrom++;
    return this.hasId(idFrom + 1, openingTo);
  }

  /** Whether the kind of the message stands there, which is kept then. */
  private hasId(from: number, end: number): boolean {
    const { text, within } = this.scanner;
    const { element, component, repetition } = within;
    const { id } = this;
    if (id !== '' && text.startsWith(id, from) && text.charCodeAt(from + id.length) === component) return true;
    let to = from;
    for (; to < end; to++) {
      const unit = text.charCodeAt(to);
      if (unit === element || unit === component || unit === repetition) break;
      if (unit <= BLANK) return false;
    }
    this.id = text.slice(from, to);
    return to > from;
  }
}
