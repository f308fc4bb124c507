/** What X12 and EDIFACT have in common: segments of elements, some of them of components, in sets inside envelopes. */
import type { Problem } from '../../kernel/problem.ts';

/*
 * Elements of a segment in the text of its slice, read in place. A range is given by `from`, the start of its first
 * element (beyond `to` if it has none), and by `to`, the end of its last. Pure: functions, so that reading allocates
 * nothing.
 */

/** The text of a slice, and the codes of its delimiters; `NO_UNIT` if there is none. */
export interface DividedText {
  text: string;
  /**
   * The same units as numbers: a string is asked for its shape with each unit that is read from it, which takes longer
   * than reading.
   */
  bytes: Uint8Array;
  /** Position of the text in the file. */
  byteBase: number;
  element: number;
  component: number;
  /** Of a repeated element the first one counts. */
  repetition: number;
}

/**
 * A text that is read from a segment, and its field. The first component of a simple element is the whole element.
 *
 * @property component from 1; `UNDIVIDED`: the whole of an element that has no components.
 */
export interface WantedText {
  element: number;
  component: number;
  field: number;
}

/**
 * How a segment is chosen. `values`: one of these, exactly, or with `isNot` none of them; `ranked`: of these, the first
 * that any segment has.
 */
export interface Choice {
  element: number;
  component: number | null;
  values: readonly string[];
  isNot: boolean;
  ranked: boolean;
}

/** Equals no unit. An integer: with NaN the engine would compare every unit of a file as a double. */
export const NO_UNIT = -1;

/** Used as a component number: the element itself, not one of its components. */
export const UNDIVIDED = 0;
/** Marks the text of an element that must be undivided and has components. No file contains such a text by accident. */
export const HAS_COMPONENTS = '\u0000components';

const NOWHERE = -1;

/** What `trim` removes, of ASCII. */
const isBlank = (unit = NO_UNIT): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);

/** Text of a component; '' if there is none. */
function textIn(within: DividedText, first: number, to: number, element: number, component: number): string {
  const at = elementFrom(within, first, to, element - 1);
  return at > to ? '' : componentText(within, at, to, component);
}

/** Whether the element has one of these values, or none of them, as the choice says; trimmed. */
export function isChoiceMet(within: DividedText, first: number, to: number, choice: Choice): boolean {
  return holdsOneOf(within, first, to, choice) !== choice.isNot;
}

function holdsOneOf(within: DividedText, first: number, to: number, { element, component, values }: Choice): boolean {
  const { text, bytes } = within;
  const at = elementFrom(within, first, to, element - 1);
  let from = at > to ? NOWHERE : componentFrom(within, at, to, component ?? 1);
  if (from === NOWHERE) return values.includes('');
  let end = componentTo(within, from, to);
  while (from < end && isBlank(bytes[from])) from++;
  while (from < end && isBlank(bytes[end - 1])) end--;
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

/** @returns the start of the element so many after the one at `from`; beyond `to` if it is missing. */
function elementFrom({ bytes, element }: DividedText, from: number, to: number, behind: number): number {
  let at = from;
  for (let left = behind; left > 0 && at <= to; left--) {
    while (at < to && bytes[at] !== element) at++;
    at++;
  }
  return at;
}

function componentText(within: DividedText, from: number, to: number, wanted: number): string {
  if (wanted === UNDIVIDED) {
    const end = componentTo(within, from, to);
    const isCut = end < to && within.bytes[end] === within.component;
    return isCut ? HAS_COMPONENTS : within.text.slice(from, end);
  }
  const at = componentFrom(within, from, to, wanted);
  return at === NOWHERE ? '' : within.text.slice(at, componentTo(within, at, to));
}

/** @returns the start of a component of the element at `from`; `NOWHERE` if it is missing. */
function componentFrom(within: DividedText, from: number, to: number, wanted: number): number {
  let at = from;
  for (let left = wanted - 1; left > 0; left--) {
    at = componentTo(within, at, to);
    if (at >= to || within.bytes[at] !== within.component) return NOWHERE;
    at++;
  }
  return at;
}

function componentTo({ bytes, element, component, repetition }: DividedText, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const unit = bytes[at];
    if (unit === element || unit === component || unit === repetition) break;
  }
  return at;
}

/** All elements. */
function elementsIn(within: DividedText, first: number, to: number): readonly SegmentElement[] {
  const elements: SegmentElement[] = [];
  for (let at = first; at <= to; ) {
    const end = unitFrom(within.bytes, at, within.element, to);
    elements.push(elementIn(within, at, end));
    at = end + 1;
  }
  return elements;
}

/** The element as a whole; undefined if it is missing. */
function wholeElement(within: DividedText, first: number, to: number, element: number): SegmentElement | undefined {
  const at = elementFrom(within, first, to, element - 1);
  return at > to ? undefined : elementIn(within, at, unitFrom(within.bytes, at, within.element, to));
}

function elementIn({ text, bytes, component, repetition }: DividedText, from: number, end: number): SegmentElement {
  const to = unitFrom(bytes, from, repetition, end);
  let componentEnd = unitFrom(bytes, from, component, to);
  if (componentEnd === to) return text.slice(from, to);
  const components: string[] = [];
  for (let at = from; at <= to; at = componentEnd + 1) {
    componentEnd = unitFrom(bytes, at, component, to);
    components.push(text.slice(at, componentEnd));
  }
  return components;
}

function unitFrom(bytes: Uint8Array, from: number, unit: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== unit) at++;
  return at;
}

/*
 * A segment whose elements can be read in place: nothing is released, wrapped or to be decoded. It is divided only on
 * access: most of a file is hardly read, and dividing all of it would cost more than all the rest.
 */

export class UndividedSegment implements Segment {
  readonly tag: string;
  readonly number: number;
  readonly line: number;
  readonly byteFrom: number;
  readonly byteTo: number;
  private readonly within: DividedText;
  private readonly first: number;
  /** The end of its text. */
  readonly to: number;

  /**
   * Offsets in the text: `first` of its first element, beyond `to` if it has none; `to` the end of its last; `end`
   * after its terminator.
   */
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

  /** Its start in the text, and the offset after its terminator. */
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

  /** The element as a whole; undefined if it is missing. */
  elementAt(element: number): SegmentElement | undefined {
    return wholeElement(this.within, this.first, this.to, element);
  }

  /** Whether the element has one of the values, trimmed. */
  holds(choice: Choice): boolean {
    return isChoiceMet(this.within, this.first, this.to, choice);
  }

  /** @param wanted in the order of their elements. */
  readInto(fields: string[], wanted: readonly WantedText[]): void {
    readWanted(this.within, this.first, this.to, fields, wanted);
  }
}

/**
 * Text as a person reads it, without release characters. An array: its components. Of a repeated element, the first.
 */
export type SegmentElement = string | readonly string[];

/**
 * @property elements the first one, 01, at index 0; number index in its set, the segment that opens it (ST, UNH) is 1,
 * in an interchange's own segments 0; line physical, from 1, on which it begins; byteTo after its terminator.
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
 * '' if the standard has none.
 */
export interface EnvelopeProblem extends Problem {
  standard: string;
  /**
   * Where in the file: line from 1, bytes from 0 with `byteTo` exclusive. Instead of `position`, as the record is not
   * known yet.
   */
  at: { line: number; byteFrom: number; byteTo: number };
  /** Of the segment at fault; null: no segment is (one is missing at the end of the file). */
  segment: { tag: string; number: number } | null;
  /** Element at fault, from 1; null: the segment as a whole. */
  element: number | null;
}

/** The segments of a set by index, from 0. */
export interface SegmentList {
  readonly length: number;
  /** As `tags.ts` numbers them: 0 for what is not a tag. */
  tagCodeAt(at: number): number;
  /** @param at below `length`, as everywhere. */
  segmentAt(at: number): Segment;
  /** After its terminator. */
  byteToAt(at: number): number;
  isChosenAt(at: number, choices: readonly Choice[]): boolean;
  /** Writes each wanted text to its field. */
  readAt(at: number, fields: string[], wanted: readonly WantedText[]): void;
}

/**
 * One transaction set or message, from the segment that opens it to the one that closes it.
 *
 * @property header the segments of its envelope, outermost first: ISA, GS, or UNB and UNG if there is one.
 * @property problems not empty: the set is broken and nothing of it may be sent. `segments` then holds the readable
 * part.
 * @property list the same segments, if objects are created for them only on access.
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
   * `counted`: sets or groups found in it, whatever its trailer says. `stated`: how many sets the trailer says there
   * are, as written; '' if it is missing, and the fact is reported all the same.
   */
  | { kind: 'group_end'; ref: SetRef; counted: number; stated: string; problems: readonly EnvelopeProblem[] }
  | { kind: 'interchange_end'; ref: SetRef; counted: number; problems: readonly EnvelopeProblem[] };

/** One slice of an interchange file, as its own reader divides it: sets and envelopes in the order of the file. */
export type SegmentPart = { set: SegmentSet } | { fact: EnvelopeFact };

/** @returns the text of an element or of one of its components; '' if there is none. Both count from 1. */
export function elementText(segment: Pick<Segment, 'elements'>, element: number, component: number | null): string {
  if (segment instanceof UndividedSegment) return segment.textAt(element, component ?? 1);
  const found = segment.elements[element - 1];
  if (found === undefined) return '';
  if (typeof found === 'string') return component === null || component === 1 ? found : '';
  return found[(component ?? 1) - 1] ?? '';
}

/** Called for every segment of a file: a plain loop, so that nothing is allocated. */
export function isChosen(segment: Segment, choices: readonly Choice[]): boolean {
  for (let index = 0; index < choices.length; index++) {
    const choice = choices[index];
    if (choice !== undefined && !holds(segment, choice)) return false;
  }
  return true;
}

function holds(segment: Segment, choice: Choice): boolean {
  if (segment instanceof UndividedSegment) return segment.holds(choice);
  return choice.values.includes(elementText(segment, choice.element, choice.component).trim()) !== choice.isNot;
}

/** Writes each wanted text to its field. @param wanted in the order of their elements. */
export function readInto(fields: string[], segment: Segment, wanted: readonly WantedText[]): void {
  if (segment instanceof UndividedSegment) segment.readInto(fields, wanted);
  else for (const { element, component, field } of wanted) fields[field] = wantedText(segment, element, component);
}

function wantedText(segment: Segment, element: number, component: number): string {
  if (component !== UNDIVIDED) return elementText(segment, element, component);
  const found = segment.elements[element - 1] ?? '';
  if (typeof found === 'string') return found;
  return found.length > 1 ? HAS_COMPONENTS : (found[0] ?? '');
}

/** The same in plain texts and numbers, which can be stored. */
export const dividedSegment = ({ tag, elements, number, line, byteFrom, byteTo }: Segment): Segment => ({
  ...{ tag, elements, number, line, byteFrom, byteTo },
});

/** The element as a whole, from 1; undefined if it is missing. */
export const elementOf = (segment: Segment, element: number): SegmentElement | undefined =>
  segment instanceof UndividedSegment ? segment.elementAt(element) : segment.elements[element - 1];
