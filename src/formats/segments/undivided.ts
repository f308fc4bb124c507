/**
 * A segment whose elements stand in the text of its slice as they are: nothing is released, wrapped or to be decoded. It is
 * divided only where it is asked: most of a file is asked for little, and dividing all of it would cost more than all the rest.
 */
import type { Segment, SegmentElement } from './segment.ts';

/** The text of a slice, and the codes of the units that divide it; NaN, which no unit equals, where there is none. */
export interface DividedText {
  text: string;
  /** Position of the text in the file. */
  byteBase: number;
  element: number;
  component: number;
  /** Of a repeated element the first one counts. */
  repetition: number;
}

/** A text that is wanted of a segment, and its place among the fields. Of a simple element the first component is the whole. */
export interface WantedText {
  element: number;
  component: number;
  field: number;
}

export class UndividedSegment implements Segment {
  readonly tag: string;
  readonly number: number;
  readonly line: number;
  readonly byteFrom: number;
  readonly byteTo: number;
  private readonly within: DividedText;
  private readonly first: number;
  private readonly to: number;

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

  get elements(): readonly SegmentElement[] {
    const { element, repetition } = this.within;
    const elements: SegmentElement[] = [];
    for (let at = this.first; at <= this.to; ) {
      const end = this.unitFrom(at, element, this.to);
      elements.push(this.elementIn(at, this.unitFrom(at, repetition, end)));
      at = end + 1;
    }
    return elements;
  }

  /** As `elementText` reads it. */
  textAt(element: number, component: number): string {
    const at = this.elementFrom(1, this.first, element);
    return at > this.to ? '' : this.componentFrom(at, component);
  }

  /** @param wanted in the order of their elements. */
  readInto(fields: string[], wanted: readonly WantedText[]): void {
    let at = this.first;
    let number = 1;
    for (let index = 0; index < wanted.length; index++) {
      const want = wanted[index];
      if (want === undefined) break;
      at = this.elementFrom(number, at, want.element);
      number = want.element;
      fields[want.field] = at > this.to ? '' : this.componentFrom(at, want.component);
    }
  }

  /** @returns where an element begins, from where an earlier one does; beyond the end where it is not there. */
  private elementFrom(number: number, from: number, wanted: number): number {
    const { text, element } = this.within;
    const { to } = this;
    let at = from;
    for (let left = wanted - number; left > 0 && at <= to; left--) {
      while (at < to && text.charCodeAt(at) !== element) at++;
      at++;
    }
    return at;
  }

  private componentFrom(from: number, wanted: number): string {
    const { text, element, component, repetition } = this.within;
    let left = wanted - 1;
    let start = from;
    for (let at = from; ; at++) {
      const unit = at < this.to ? text.charCodeAt(at) : element;
      if (unit === element || unit === repetition) return left === 0 ? text.slice(start, at) : '';
      if (unit !== component) continue;
      if (left === 0) return text.slice(start, at);
      left--;
      start = at + 1;
    }
  }

  private elementIn(from: number, to: number): SegmentElement {
    const { text, component } = this.within;
    let end = this.unitFrom(from, component, to);
    if (end === to) return text.slice(from, to);
    const components: string[] = [];
    for (let at = from; at <= to; at = end + 1) {
      end = this.unitFrom(at, component, to);
      components.push(text.slice(at, end));
    }
    return components;
  }

  private unitFrom(from: number, unit: number, to: number): number {
    const { text } = this.within;
    let at = from;
    while (at < to && text.charCodeAt(at) !== unit) at++;
    return at;
  }
}
