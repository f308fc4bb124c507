/**
 * Elements of a segment in the text of its slice, where they stand as they are. A stretch is given by where its first element
 * begins, beyond `to` where it has none, and by `to` behind its last one. Pure: functions, so that nothing is made to read.
 */
import type { SegmentElement } from './segment.ts';

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

/**
 * A text that is wanted of a segment, and its place among the fields. Of a simple element the first component is the whole.
 *
 * @property component from 1; `UNDIVIDED`: the whole of an element that has no components.
 */
export interface WantedText {
  element: number;
  component: number;
  field: number;
}

/**
 * What a segment is chosen by. `values`: one of these is wanted, exactly, or with `isNot` none of them; `ranked`: one of the first
 * that any segment has.
 */
export interface Choice {
  element: number;
  component: number | null;
  values: readonly string[];
  isNot: boolean;
  ranked: boolean;
}

/** Wanted as a component: none of them, but the element itself. */
export const UNDIVIDED = 0;
/** Stands for the text of an element that was wanted undivided and has components. No file holds such a text by accident. */
export const HAS_COMPONENTS = '\u0000components';

const NOWHERE = -1;

/** What `trim` leaves out of ASCII. */
const isBlank = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);

/** Text of a component; '' where there is none. */
export function textIn(within: DividedText, first: number, to: number, element: number, component: number): string {
  const at = elementFrom(within, first, to, element - 1);
  return at > to ? '' : componentText(within, at, to, component);
}

/** Whether one of these values stands there, or none of them does, as the choice says; blanks around it left out. */
export function isChoiceMet(within: DividedText, first: number, to: number, choice: Choice): boolean {
  return holdsOneOf(within, first, to, choice) !== choice.isNot;
}

function holdsOneOf(within: DividedText, first: number, to: number, { element, component, values }: Choice): boolean {
  const { text } = within;
  const at = elementFrom(within, first, to, element - 1);
  let from = at > to ? NOWHERE : componentFrom(within, at, to, component ?? 1);
  if (from === NOWHERE) return values.includes('');
  let end = componentTo(within, from, to);
  while (from < end && isBlank(text.charCodeAt(from))) from++;
  while (from < end && isBlank(text.charCodeAt(end - 1))) end--;
  for (const value of values) if (value.length === end - from && text.startsWith(value, from)) return true;
  return false;
}

/** @param wanted in the order of their elements. */
export function readWanted(
  within: DividedText,
  first: number,
  to: number,
  fields: string[],
  wanted: readonly WantedText[],
): void {
  let at = first;
  let number = 1;
  for (let index = 0; index < wanted.length; index++) {
    const want = wanted[index];
    if (want === undefined) break;
    at = elementFrom(within, at, to, want.element - number);
    number = want.element;
    fields[want.field] = at > to ? '' : componentText(within, at, to, want.component);
  }
}

/** @returns where the element begins that stands so many behind the one at `from`; beyond `to` where it is not there. */
function elementFrom({ text, element }: DividedText, from: number, to: number, behind: number): number {
  let at = from;
  for (let left = behind; left > 0 && at <= to; left--) {
    while (at < to && text.charCodeAt(at) !== element) at++;
    at++;
  }
  return at;
}

function componentText(within: DividedText, from: number, to: number, wanted: number): string {
  if (wanted === UNDIVIDED) {
    const end = componentTo(within, from, to);
    const isCut = end < to && within.text.charCodeAt(end) === within.component;
    return isCut ? HAS_COMPONENTS : within.text.slice(from, end);
  }
  const at = componentFrom(within, from, to, wanted);
  return at === NOWHERE ? '' : within.text.slice(at, componentTo(within, at, to));
}

/** @returns where a component of the element at `from` begins; `NOWHERE` where it is not there. */
function componentFrom(within: DividedText, from: number, to: number, wanted: number): number {
  let at = from;
  for (let left = wanted - 1; left > 0; left--) {
    at = componentTo(within, at, to);
    if (at >= to || within.text.charCodeAt(at) !== within.component) return NOWHERE;
    at++;
  }
  return at;
}

function componentTo({ text, element, component, repetition }: DividedText, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit === element || unit === component || unit === repetition) break;
  }
  return at;
}

/** All elements. */
export function elementsIn(within: DividedText, first: number, to: number): readonly SegmentElement[] {
  const elements: SegmentElement[] = [];
  for (let at = first; at <= to; ) {
    const end = unitFrom(within.text, at, within.element, to);
    elements.push(elementIn(within, at, end));
    at = end + 1;
  }
  return elements;
}

/** The element as a whole; undefined where it is not there. */
export function wholeElement(
  within: DividedText,
  first: number,
  to: number,
  element: number,
): SegmentElement | undefined {
  const at = elementFrom(within, first, to, element - 1);
  return at > to ? undefined : elementIn(within, at, unitFrom(within.text, at, within.element, to));
}

function elementIn({ text, component, repetition }: DividedText, from: number, end: number): SegmentElement {
  const to = unitFrom(text, from, repetition, end);
  let componentEnd = unitFrom(text, from, component, to);
  if (componentEnd === to) return text.slice(from, to);
  const components: string[] = [];
  for (let at = from; at <= to; at = componentEnd + 1) {
    componentEnd = unitFrom(text, at, component, to);
    components.push(text.slice(at, componentEnd));
  }
  return components;
}

function unitFrom(text: string, from: number, unit: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) !== unit) at++;
  return at;
}
