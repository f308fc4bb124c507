/**
 * X12 whose text is written as it is: the delimiters of the ISA are chosen so that no value holds one (X12.5 leaves them to the
 * sender), and letters beyond ASCII are UTF-8. Pure.
 */
import { ISA_WIDTHS } from './isa.ts';

export interface ChosenDelimiters {
  element: string;
  component: string;
  repetition: string;
  terminator: string;
}

/** In the order they are tried. The last of each is a control character, which X12.5 allows and no text that can be written holds. */
const CANDIDATES = {
  element: ['*', '|', '\x1d'],
  component: ['>', ':', '\x1f'],
  repetition: ['^', '!', '\x1e'],
  terminator: ['~', "'", '\x1c'],
} as const;

const CONTROLS = /\p{Cc}/u;

/** Control characters are in no character set of X12. */
export const isExact = (text: string): boolean => text.isWellFormed() && !CONTROLS.test(text);

/** @param texts all that is to be written between these delimiters; none of it holds a control character. */
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

/** @returns the segment with its terminator and a line end; empty elements at its end are left out, as the standard asks. */
export function exactSegment(tag: string, elements: readonly string[], delimiters: ChosenDelimiters): string {
  const last = elements.findLastIndex((element) => element !== '');
  return `${[tag, ...elements.slice(0, last + 1)].join(delimiters.element)}${delimiters.terminator}\n`;
}

/** @param elements ISA01 to ISA15 without ISA11; too short ones are filled up, too long ones cut. */
export function exactIsa(elements: readonly string[], delimiters: ChosenDelimiters): string {
  const { element, component, repetition, terminator } = delimiters;
  const all = elements.toSpliced(10, 0, repetition);
  const texts = ISA_WIDTHS.map((width, index) => (all[index] ?? '').slice(0, width).padEnd(width));
  return `ISA${element}${texts.join(element)}${element}${component}${terminator}\n`;
}
