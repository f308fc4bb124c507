/** What a sound header and trailer have in common, looked at in the text itself. */
import type { DividedText } from './divide.ts';

/** Digits of a count that is compared here: more than any set has segments. */
const COUNT_DIGITS_MAX = 9;
const BLANK = 0x20;

export const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/**
 * Whether a trailer says no more than a count and a control number, and both are as they should be.
 *
 * @param at offset of its first element; @param to of its terminator; @param control of the same number in the header
 */
export function closes(within: DividedText, at: number, to: number, counted: number, control: number): boolean {
  const { text, element } = within;
  const digitsTo = Math.min(to, at + COUNT_DIGITS_MAX);
  let count = 0;
  let from = at;
  for (; from < digitsTo && isDigit(text.charCodeAt(from)); from++) count = 10 * count + text.charCodeAt(from) - 0x30;
  return count === counted && from > at && text.charCodeAt(from) === element && isAgain(within, from + 1, to, control);
}

/** Whether the element at `known` stands again from `at` up to `to`: a text without blanks, undivided. */
function isAgain(
  { text, element, component, repetition }: DividedText,
  at: number,
  to: number,
  known: number,
): boolean {
  const shift = known - at;
  for (let from = at; from < to; from++) {
    const unit = text.charCodeAt(from);
    if (unit <= BLANK || unit === element || unit === component || unit === repetition) return false;
    if (unit !== text.charCodeAt(from + shift)) return false;
  }
  const behind = text.charCodeAt(to + shift);
  return to > at && (behind === element || behind === text.charCodeAt(to));
}
