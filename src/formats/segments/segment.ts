/** What X12 and EDIFACT have in common: segments of elements, some of them of components, in sets inside envelopes. */
import type { Problem } from '../../kernel/problem.ts';
import type { WantedText } from './divide.ts';
import type { SegmentList } from './list.ts';
import { UndividedSegment } from './undivided.ts';

/** Text as a person reads it: release characters are gone. An array: its components. Of a repeated element the first stands here. */
export type SegmentElement = string | readonly string[];

/**
 * @property elements the first one, 01, at index 0; number place in its set, the one that opens it (ST, UNH) is 1, in an
 * interchange's own segments 0; line physical, from 1, on which it begins; byteTo behind its terminator.
 */
export interface Segment {
  tag: string;
  elements: readonly SegmentElement[];
  number: number;
  line: number;
  byteFrom: number;
  byteTo: number;
}

/**
 * What is wrong with an envelope, a set or a segment.
 *
 * @property standard the standard's own code for it, with the list it is from, such as `AK501 4`, `TA1 021`, `0085 29`;
 * '' where the standard has none.
 */
export interface EnvelopeProblem extends Problem {
  standard: string;
  /** Where in the file: line from 1, bytes from 0 with `byteTo` exclusive. Instead of `position`: nobody knows the record yet. */
  at: { line: number; byteFrom: number; byteTo: number };
  /** Of the segment at fault; null: no segment is (one is missing at the end of the file). */
  segment: { tag: string; number: number } | null;
  /** Element at fault, from 1; null: the segment as a whole. */
  element: number | null;
}

/**
 * One transaction set or message, from the segment that opens it to the one that closes it.
 *
 * @property header the segments it is wrapped in, outermost first: ISA, GS, or UNB and UNG where there is one.
 * @property problems not empty: the set is broken and nothing of it may be sent. `segments` then holds what could be read.
 * @property list the same segments, where objects are made of them only when they are asked for.
 */
export interface SegmentSet {
  ref: SetRef;
  /** What the sender calls its kind: `214`, `IFTSTA`. */
  id: string;
  header: readonly Segment[];
  segments: readonly Segment[];
  problems: readonly EnvelopeProblem[];
  list?: SegmentList;
}

/** Numbers count from 1: interchanges in the file, groups in their interchange (0: it has none), sets in their group. */
export interface SetRef {
  interchange: number;
  group: number;
  set: number;
}

/** What is known of envelopes, in the order of the file: enough to acknowledge them. */
export type EnvelopeFact =
  | { kind: 'interchange'; ref: SetRef; header: Segment; problems: readonly EnvelopeProblem[] }
  | { kind: 'group'; ref: SetRef; header: Segment; problems: readonly EnvelopeProblem[] }
  /**
   * `counted`: sets or groups found in it, whatever its trailer says. `stated`: how many sets the trailer says there are, as
   * written; '' where it is missing, and the fact comes all the same.
   */
  | { kind: 'group_end'; ref: SetRef; counted: number; stated: string; problems: readonly EnvelopeProblem[] }
  | { kind: 'interchange_end'; ref: SetRef; counted: number; problems: readonly EnvelopeProblem[] };

/** One slice of an interchange file, as its own reader divides it: sets and envelopes in the order of the file. */
export type SegmentPart = { set: SegmentSet } | { fact: EnvelopeFact };

/** @returns the text of an element or of one of its components; '' where there is none. Both count from 1. */
export function elementText(segment: Segment, element: number, component: number | null): string {
  if (segment instanceof UndividedSegment) return segment.textAt(element, component ?? 1);
  const found = segment.elements[element - 1];
  if (found === undefined) return '';
  if (typeof found === 'string') return component === null || component === 1 ? found : '';
  return found[(component ?? 1) - 1] ?? '';
}

/** Writes each wanted text where it goes. @param wanted in the order of their elements. */
export function readInto(fields: string[], segment: Segment, wanted: readonly WantedText[]): void {
  if (segment instanceof UndividedSegment) segment.readInto(fields, wanted);
  else for (const { element, component, field } of wanted) fields[field] = elementText(segment, element, component);
}

/** The same in plain texts and numbers, which can be stored. */
export const dividedSegment = ({ tag, elements, number, line, byteFrom, byteTo }: Segment): Segment => ({
  ...{ tag, elements, number, line, byteFrom, byteTo },
});

/** The element as a whole, from 1; undefined where it is not there. */
export const elementOf = (segment: Segment, element: number): SegmentElement | undefined =>
  segment instanceof UndividedSegment ? segment.elementAt(element) : segment.elements[element - 1];
