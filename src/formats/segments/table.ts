/**
 * The segments of a slice as numbers: where each stands, on which line, and its tag. A file has millions of them, and an object
 * for each would cost more than finding it.
 */
import { type Choice, type DividedText, isChoiceMet, readWanted, type WantedText } from './divide.ts';
import type { SegmentList } from './list.ts';
import type { Segment } from './segment.ts';
import { tagLength, tagOf } from './tags.ts';
import { UndividedSegment } from './undivided.ts';

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
