/** The segments of a set by their place in it, from 0. Objects are made of those alone that are asked for: most are not. */

import { isChosen } from './path.ts';
import {
  type Choice,
  type DividedText,
  type EnvelopeProblem,
  isChoiceMet,
  readInto,
  readWanted,
  type Segment,
  type SegmentSet,
  type SetRef,
  UndividedSegment,
  type WantedText,
} from './segment.ts';
import { tagCode, tagLength, tagOf } from './tags.ts';

export interface SegmentList {
  readonly length: number;
  /** As `tags.ts` numbers them: 0 for what is no tag. */
  tagCodeAt(at: number): number;
  /** @param at below `length`, as everywhere. */
  segmentAt(at: number): Segment;
  /** Behind its terminator. */
  byteToAt(at: number): number;
  isChosenAt(at: number, choices: readonly Choice[]): boolean;
  /** Writes each wanted text where it goes. */
  readAt(at: number, fields: string[], wanted: readonly WantedText[]): void;
}

class ListedSegments implements SegmentList {
  readonly length: number;
  private readonly segments: readonly Segment[];

  constructor(segments: readonly Segment[]) {
    this.length = segments.length;
    this.segments = segments;
  }

  tagCodeAt(at: number): number {
    return tagCode(this.segmentAt(at).tag);
  }

  segmentAt(at: number): Segment {
    const segment = this.segments[at];
    if (segment === undefined) throw new Error('a segment is asked for where one stands');
    return segment;
  }

  byteToAt(at: number): number {
    return this.segmentAt(at).byteTo;
  }

  isChosenAt(at: number, choices: readonly Choice[]): boolean {
    return isChosen(this.segmentAt(at), choices);
  }

  readAt(at: number, fields: string[], wanted: readonly WantedText[]): void {
    readInto(fields, this.segmentAt(at), wanted);
  }
}

export const listOf = (segments: readonly Segment[]): SegmentList => new ListedSegments(segments);

export const listOfSet = (set: SegmentSet): SegmentList => set.list ?? listOf(set.segments);

/** The segment that opens a set. */
export const openingOf = (set: SegmentSet): Segment | undefined =>
  set instanceof WellFormedSet ? set.opening : set.segments[0];

const NO_PROBLEMS: readonly EnvelopeProblem[] = [];

/** A set without a fault, of which only a list was made. */
export class WellFormedSet implements SegmentSet {
  readonly ref: SetRef;
  readonly id: string;
  readonly header: readonly Segment[];
  readonly list: SegmentList;
  readonly problems: readonly EnvelopeProblem[] = NO_PROBLEMS;
  private first: Segment | null = null;
  private made: readonly Segment[] | null = null;

  constructor(ref: SetRef, id: string, header: readonly Segment[], list: SegmentList) {
    this.ref = ref;
    this.id = id;
    this.header = header;
    this.list = list;
  }

  /** Asked for several times. */
  get opening(): Segment {
    this.first ??= this.list.segmentAt(0);
    return this.first;
  }

  get segments(): readonly Segment[] {
    this.made ??= Array.from({ length: this.list.length }, (_, at) => this.list.segmentAt(at));
    return this.made;
  }
}

/*
 * The segments of a slice as numbers: where each stands, on which line, and its tag. A file has millions of them, and an object
 * for each would cost more than finding it.
 */

/** Numbers of a segment: where it begins, behind its text, its line, its tag. */
const COLUMNS = 4;
const TO = 1;
const LINE = 2;
const TAG = 3;

/** There is room at first for a segment in so many bytes, and for twice as many whenever it is full. Ours: a table lasts as long as its sets. */
const BYTES_PER_SEGMENT = 64;
const SEGMENTS_MIN = 16;
const NO_NUMBERS = new Int32Array(0);

/** Those that are ended by one character and can be divided as they stand. */
export class SegmentTable {
  /** How many segments it holds: made less again, it forgets the last ones. */
  count = 0;
  /** None before a segment is found. */
  private numbers: Int32Array = NO_NUMBERS;
  private readonly expected: number;

  /** @param bytes of the slice */
  constructor(bytes: number) {
    this.expected = Math.max(SEGMENTS_MIN, Math.ceil(bytes / BYTES_PER_SEGMENT));
  }

  /** @param from offsets in the text: of its tag, `to` of its terminator; @param line from 1; @param tag its number. */
  add(from: number, to: number, line: number, tag: number): void {
    const at = COLUMNS * this.count;
    if (at === this.numbers.length) this.grow();
    const { numbers } = this;
    numbers[at] = from;
    numbers[at + TO] = to;
    numbers[at + LINE] = line;
    numbers[at + TAG] = tag;
    this.count++;
  }

  tagCodeAt(index: number): number {
    return this.numbers[COLUMNS * index + TAG] ?? 0;
  }

  /** @param within what it stands in; @param number of it in its set */
  segmentAt(index: number, within: DividedText, number: number): UndividedSegment {
    const { numbers } = this;
    const at = COLUMNS * index;
    const from = numbers[at] ?? 0;
    const to = numbers[at + TO] ?? 0;
    const tag = numbers[at + TAG] ?? 0;
    const first = firstElement(from, tag);
    return new UndividedSegment(within, tagOf(tag), number, numbers[at + LINE] ?? 1, from, first, to, to + 1);
  }

  byteToAt(index: number, { byteBase }: DividedText): number {
    return byteBase + (this.numbers[COLUMNS * index + TO] ?? 0) + 1;
  }

  isChosenAt(index: number, within: DividedText, choices: readonly Choice[]): boolean {
    const { numbers } = this;
    const at = COLUMNS * index;
    const first = firstElement(numbers[at] ?? 0, numbers[at + TAG] ?? 0);
    for (let each = 0; each < choices.length; each++) {
      const choice = choices[each];
      if (choice !== undefined && !isChoiceMet(within, first, numbers[at + TO] ?? 0, choice)) return false;
    }
    return true;
  }

  readAt(index: number, within: DividedText, fields: string[], wanted: readonly WantedText[]): void {
    const { numbers } = this;
    const at = COLUMNS * index;
    readWanted(within, firstElement(numbers[at] ?? 0, numbers[at + TAG] ?? 0), numbers[at + TO] ?? 0, fields, wanted);
  }

  private grow(): void {
    const numbers = new Int32Array(Math.max(COLUMNS * this.expected, 2 * this.numbers.length));
    numbers.set(this.numbers);
    this.numbers = numbers;
  }
}

const firstElement = (from: number, tag: number): number => from + tagLength(tag) + 1;

/** Segments of a table that follow each other: those of a set. */
export class TableSpan implements SegmentList {
  readonly length: number;
  private readonly table: SegmentTable;
  private readonly first: number;
  private readonly within: DividedText;

  /** All that the table holds from one on. */
  constructor(table: SegmentTable, first: number, within: DividedText) {
    this.length = table.count - first;
    this.within = within;
    this.table = table;
    this.first = first;
  }

  tagCodeAt(at: number): number {
    return this.table.tagCodeAt(this.first + at);
  }

  segmentAt(at: number): Segment {
    return this.table.segmentAt(this.first + at, this.within, at + 1);
  }

  byteToAt(at: number): number {
    return this.table.byteToAt(this.first + at, this.within);
  }

  isChosenAt(at: number, choices: readonly Choice[]): boolean {
    return choices.length === 0 || this.table.isChosenAt(this.first + at, this.within, choices);
  }

  readAt(at: number, fields: string[], wanted: readonly WantedText[]): void {
    this.table.readAt(this.first + at, this.within, fields, wanted);
  }
}

/* Where a unit stands next in a slice, remembered, so that asking at every segment passes the slice once. */

/** Beyond every offset: it stands nowhere further on. A small integer, as offsets are: an infinite one makes fractions of all of them. */
export const NOWHERE = 0x3fff_ffff;

export class ForwardSearch {
  private readonly text: string;
  private readonly unit: string;
  /** Nothing is found from `start` up to `next`. */
  private start = 0;
  private next = -1;

  /** @param unit '' stands nowhere */
  constructor(text: string, unit: string) {
    this.text = text;
    this.unit = unit;
  }

  /** Offset of the first one from `at` on. */
  from(at: number): number {
    if (at > this.next) this.next = nextOf(this.text, this.unit, at);
    // What was passed is read again: only up to where it is known already.
    else if (at < this.start) {
      const found = nextOf(this.text.slice(at, this.start), this.unit, 0);
      if (found !== NOWHERE) this.next = at + found;
    } else return this.next;
    this.start = at;
    return this.next;
  }
}

/** One for each unit, for all that read a slice: it can hold many interchanges, and none of them passes it anew. */
export class SliceSearches {
  private readonly text: string;
  private readonly searches = new Map<string, ForwardSearch>();

  constructor(text: string) {
    this.text = text;
  }

  of(unit: string): ForwardSearch {
    const known = this.searches.get(unit);
    if (known !== undefined) return known;
    const search = new ForwardSearch(this.text, unit);
    this.searches.set(unit, search);
    return search;
  }
}

export function nextOf(text: string, unit: string, from: number): number {
  const at = unit === '' ? -1 : text.indexOf(unit, from);
  return at === -1 ? NOWHERE : at;
}
