/** The segments of a set by their place in it, from 0. Objects are made of those alone that are asked for: most are not. */
import type { Choice, WantedText } from './divide.ts';
import { isChosen } from './path.ts';
import { type EnvelopeProblem, readInto, type Segment, type SegmentSet, type SetRef } from './segment.ts';
import { tagCode } from './tags.ts';

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
  set instanceof SoundSet ? set.opening : set.segments[0];

const NO_PROBLEMS: readonly EnvelopeProblem[] = [];

/** A set without a fault, of which only a list was made. */
export class SoundSet implements SegmentSet {
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
