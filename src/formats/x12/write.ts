/**
 * Writes X12: elements, segments and the ISA with its fixed widths (X12.5).
 *
 * A delimiter inside a text becomes a blank, since X12 has no release character.
 */
import { type WrittenElement, withoutEmptyEnd } from '../segments/write.ts';
import { ISA_WIDTHS } from './isa.ts';

/** Ours. The component separator is the one of most senders; a repetition separator is needed from 00402 on. */
export const OUR_DELIMITERS = { element: '*', component: '>', repetition: '^', terminator: '~' } as const;

/** Control characters, and what lies beyond the printable part of ASCII, are in no character set of X12. */
const UNWRITABLE = /[^\x20-\x7d]|[*>^]/g;
const UNPRINTABLE = /[^\x20-\x7d]/g;
/** ISA11, from 0: the repetition separator. */
const REPETITION_AT = 10;

/** @returns the segment with its terminator and a line end. */
export function segmentText(tag: string, elements: readonly WrittenElement[]): string {
  const texts = elements.map((each) =>
    typeof each === 'string' ? written(each) : withoutEmptyEnd(each.map(written)).join(OUR_DELIMITERS.component),
  );
  return exactSegment(tag, texts, OUR_DELIMITERS);
}

const written = (text: string): string => text.replaceAll(UNWRITABLE, ' ').trim();

/** @param elements ISA01 to ISA15; too short ones are padded with blanks; the caller pads numbers (ISA13). */
export function isaText(elements: readonly string[]): string {
  const texts = elements.map((text, at) => text.replaceAll(at === REPETITION_AT ? UNPRINTABLE : UNWRITABLE, ' '));
  return isaOf(texts, OUR_DELIMITERS);
}

function isaOf(elements: readonly string[], { element, component, terminator }: ChosenDelimiters): string {
  const texts = ISA_WIDTHS.map((width, index) => (elements[index] ?? '').slice(0, width).padEnd(width));
  return `ISA${element}${texts.join(element)}${element}${component}${terminator}\n`;
}

export const controlNumber = (number: number): string => String(number).padStart(9, '0').slice(-9);

/*
 * X12 whose text is written unchanged: the delimiters of the ISA are chosen so that no value contains one (X12.5 leaves
 * them to the sender), and letters beyond ASCII are UTF-8. Pure.
 */

interface ChosenDelimiters {
  element: string;
  component: string;
  repetition: string;
  terminator: string;
}

/**
 * In the order they are tried. The last of each is a control character, which X12.5 allows and no text that can be
 * written contains.
 */
const CANDIDATES = {
  element: ['*', '|', '\x1d'],
  component: ['>', ':', '\x1f'],
  repetition: ['^', '!', '\x1e'],
  terminator: ['~', "'", '\x1c'],
} as const;

const CONTROLS = /\p{Cc}/u;

/** Control characters are in no character set of X12. */
export const isExact = (text: string): boolean => text.isWellFormed() && !CONTROLS.test(text);

/** @param texts all that is to be written between these delimiters; none of it contains a control character. */
export function chooseDelimiters(texts: readonly string[]): ChosenDelimiters {
  const isFree = (candidate: string): boolean => !texts.some((text) => text.includes(candidate));
  const first = (candidates: readonly string[]): string => {
    const found = candidates.find(isFree);
    if (found === undefined) throw new Error('a text to be written holds control characters');
    return found;
  };
  const { element, component, repetition, terminator } = CANDIDATES;
  return {
    element: first(element),
    component: first(component),
    repetition: first(repetition),
    terminator: first(terminator),
  };
}

/** @returns the segment with its terminator and a line end. */
export const exactSegment = (tag: string, elements: readonly string[], delimiters: ChosenDelimiters): string =>
  `${[tag, ...withoutEmptyEnd(elements)].join(delimiters.element)}${delimiters.terminator}\n`;

/** @param elements ISA01 to ISA15 without ISA11; too short ones are padded, too long ones cut. */
export const exactIsa = (elements: readonly string[], delimiters: ChosenDelimiters): string =>
  isaOf(elements.toSpliced(REPETITION_AT, 0, delimiters.repetition), delimiters);
