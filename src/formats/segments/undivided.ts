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

const NOWHERE = -1;

/** What `trim` leaves out of ASCII. */
const isBlank = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);

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
    return at > this.to ? '' : this.componentText(at, component);
  }

  /** The element as a whole; undefined where it is not there. */
  elementAt(element: number): SegmentElement | undefined {
    const at = this.elementFrom(1, this.first, element);
    if (at > this.to) return undefined;
    const end = this.unitFrom(at, this.within.element, this.to);
    return this.elementIn(at, this.unitFrom(at, this.within.repetition, end));
  }

  /** Whether one of these values stands there, blanks around it left out. */
  holdsOneOf(element: number, component: number, values: readonly string[]): boolean {
    const { text } = this.within;
    const at = this.elementFrom(1, this.first, element);
    let from = at > this.to ? NOWHERE : this.componentFrom(at, component);
    if (from === NOWHERE) return values.includes('');
    let to = this.componentTo(from);
    while (from < to && isBlank(text.charCodeAt(from))) from++;
    while (from < to && isBlank(text.charCodeAt(to - 1))) to--;
    for (const value of values) if (value.length === to - from && text.startsWith(value, from)) return true;
    return false;
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
      fields[want.field] = at > this.to ? '' : this.componentText(at, want.component);
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

  private componentText(from: number, wanted: number): string {
    const at = this.componentFrom(from, wanted);
    return at === NOWHERE ? '' : this.within.text.slice(at, this.componentTo(at));
  }

  /** @returns where a component of the element at `from` begins; `NOWHERE` where it is not there. */
  private componentFrom(from: number, wanted: number): number {
    let at = from;
    for (let left = wanted - 1; left > 0; left--) {
      at = this.componentTo(at);
      if (at >= this.to || this.within.text.charCodeAt(at) !== this.within.component) return NOWHERE;
      at++;
    }
    return at;
  }

  private componentTo(from: number): number {
    const { text, element, component, repetition } = this.within;
    let at = from;
    for (; at < this.to; at++) {
      const unit = text.charCodeAt(at);
      if (unit === element || unit === component || unit === repetition) break;
    }
    return at;
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
