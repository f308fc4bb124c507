/** The segments of a set by their place in it, from 0. Objects are made of those alone that are asked for: most are not. */
import type { EnvelopeProblem, Segment, SegmentSet, SetRef } from './segment.ts';
import { tagCode } from './tags.ts';

export interface SegmentList {
  readonly length: number;
  /** As `tags.ts` numbers them: 0 for what is no tag. */
  tagCodeAt(at: number): number;
  /** @param at below `length` */
  segmentAt(at: number): Segment;
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
}

export const listOf = (segments: readonly Segment[]): SegmentList => new ListedSegments(segments);

export const listOfSet = (set: SegmentSet): SegmentList => set.list ?? listOf(set.segments);

/** The segment that opens a set. */
export const openingOf = (set: SegmentSet): Segment | undefined =>
  set.list === undefined ? set.segments[0] : set.list.segmentAt(0);

const NO_PROBLEMS: readonly EnvelopeProblem[] = [];

/** A set without a fault, of which only a list was made. */
export class SoundSet implements SegmentSet {
  readonly ref: SetRef;
  readonly id: string;
  readonly header: readonly Segment[];
  readonly list: SegmentList;
  readonly problems: readonly EnvelopeProblem[] = NO_PROBLEMS;
  private made: readonly Segment[] | null = null;

  constructor(ref: SetRef, id: string, header: readonly Segment[], list: SegmentList) {
    this.ref = ref;
    this.id = id;
    this.header = header;
    this.list = list;
  }

  get segments(): readonly Segment[] {
    this.made ??= Array.from({ length: this.list.length }, (_, at) => this.list.segmentAt(at));
    return this.made;
  }
}
