/** Lists of segments that create objects only for those that are accessed: most are not. */

import {
  type Choice,
  type DividedText,
  type EnvelopeProblem,
  isChoiceMet,
  isChosen,
  readInto,
  readWanted,
  type Segment,
  type SegmentList,
  type SegmentSet,
  type SetRef,
  UndividedSegment,
  type WantedText,
} from './segment.ts';
import { tagCode, tagLength, tagOf } from './tags.ts';

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

/** A well-formed set, stored only as a list. */
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

  /** Called several times. */
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
 * The segments of a slice as numbers: the offsets, line and tag of each. A file has millions of them, and an object for
 * each would cost more than finding it.
 */

/** Numbers per segment: its start, the end of its text, its line, its tag. */
const COLUMNS = 4;
const TO = 1;
const LINE = 2;
const TAG = 3;

/**
 * Initial room: one segment per so many bytes, as in files of short segments; doubled whenever it is full. Ours: a table
 * that had to grow twice in every slice took a twentieth of the time, and room that is not used is no memory yet.
 */
const BYTES_PER_SEGMENT = 16;
const SEGMENTS_MIN = 16;
const NO_NUMBERS = new Int32Array(0);

/** Those that end with one character and can be divided as they are. */
export class SegmentTable {
  /** How many segments it holds: setting it lower drops the last ones. */
  count = 0;
  /** None before a segment is found. */
  private numbers: Int32Array = NO_NUMBERS;
  private readonly expected: number;

  /** @param bytes of the slice */
  constructor(bytes: number) {
    this.expected = Math.max(SEGMENTS_MIN, Math.ceil(bytes / BYTES_PER_SEGMENT));
  }

  /** @param from offset of its tag, `to` of its terminator; @param line from 1; @param tag its number. */
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

  /** @param within its envelope segments; @param number of it in its set */
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

/** Consecutive segments of a table: those of a set. */
export class TableSpan implements SegmentList {
  readonly length: number;
  private readonly table: SegmentTable;
  private readonly first: number;
  private readonly within: DividedText;

  /** All segments of the table from one on. */
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

/* Where a unit occurs next in a slice; cached, so that a lookup at every segment searches the slice once. */

/**
 * Beyond every offset: it does not occur again. A small integer, like the offsets: with Infinity the engine would store
 * all of them as doubles.
 */
export const NOWHERE = 0x3fff_ffff;

export class ForwardSearch {
  private readonly text: string;
  private readonly unit: string;
  /** The unit does not occur from `start` up to `next`. */
  private start = 0;
  private next = -1;

  /** @param unit '' never occurs */
  constructor(text: string, unit: string) {
    this.text = text;
    this.unit = unit;
  }

  /** Offset of the first one from `at` on. */
  from(at: number): number {
    if (at > this.next) this.next = nextOf(this.text, this.unit, at);
    // Searched again from an earlier offset: only up to the known part.
    else if (at < this.start) {
      const found = nextOf(this.text.slice(at, this.start), this.unit, 0);
      if (found !== NOWHERE) this.next = at + found;
    } else return this.next;
    this.start = at;
    return this.next;
  }
}

/**
 * One for each unit, shared by all that read a slice: it can hold many interchanges, and none of them searches it
 * again.
 */
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

/** How often a unit occurs from `from` up to `to`: nothing beyond is searched. */
export function countOf(text: string, unit: string, from: number, to: number): number {
  const code = unit.charCodeAt(0);
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === code) count++;
  return count;
}
