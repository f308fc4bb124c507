/**
 * A segment whose elements stand in the text of its slice as they are: nothing is released, wrapped or to be decoded. It is
 * divided only where it is asked: most of a file is asked for little, and dividing all of it would cost more than all the rest.
 */
import {
  type Choice,
  type DividedText,
  elementsIn,
  isChoiceMet,
  readWanted,
  textIn,
  type WantedText,
  wholeElement,
} from './divide.ts';
import type { Segment, SegmentElement } from './segment.ts';

export class UndividedSegment implements Segment {
  readonly tag: string;
  readonly number: number;
  readonly line: number;
  readonly byteFrom: number;
  readonly byteTo: number;
  private readonly within: DividedText;
  private readonly first: number;
  /** Behind its text. */
  readonly to: number;

  /** Offsets in the text: `first` of its first element, beyond `to` where it has none; `to` behind its last; `end` behind its terminator. */
  constructor(
    within: DividedText,
    tag: string,
    number: number,
    line: number,
    from: number,
    first: number,
    to: number,
    end: number,
  ) {
    this.tag = tag;
    this.number = number;
    this.line = line;
    this.byteFrom = within.byteBase + from;
    this.byteTo = within.byteBase + end;
    this.within = within;
    this.first = first;
    this.to = to;
  }

  /** Where it begins in the text, and behind its terminator. */
  get from(): number {
    return this.byteFrom - this.within.byteBase;
  }

  get end(): number {
    return this.byteTo - this.within.byteBase;
  }

  get elements(): readonly SegmentElement[] {
    return elementsIn(this.within, this.first, this.to);
  }

  /** As `elementText` reads it. */
  textAt(element: number, component: number): string {
    return textIn(this.within, this.first, this.to, element, component);
  }

  /** The element as a whole; undefined where it is not there. */
  elementAt(element: number): SegmentElement | undefined {
    return wholeElement(this.within, this.first, this.to, element);
  }

  /** Whether one of the values stands there, blanks around it left out. */
  holds(choice: Choice): boolean {
    return isChoiceMet(this.within, this.first, this.to, choice);
  }

  /** @param wanted in the order of their elements. */
  readInto(fields: string[], wanted: readonly WantedText[]): void {
    readWanted(this.within, this.first, this.to, fields, wanted);
  }
}
