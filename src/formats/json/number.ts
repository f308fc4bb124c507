/** Finds the end of a number as RFC 8259 writes it. Pure. */
import { isDigit, isWordUnit, MINUS } from './characters.ts';

const ZERO = 0x30;
const DOT = 0x2e;
const PLUS = 0x2b;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** @returns the offset of its end, or, below zero, `~` of the offset where it is none: `~limit` when that cuts it. */
export function endOfNumber(text: string, from: number, limit: number): number {
  const whole = text.charCodeAt(from) === MINUS ? from + 1 : from;
  let to = endOfDigits(text, whole, limit);
  if (to === whole) return ~to;
  // To whoever looks for the fault, the zero is what is wrong.
  if (to - whole > 1 && text.charCodeAt(whole) === ZERO) return ~whole;
  if (to < limit && text.charCodeAt(to) === DOT) {
    const fraction = to + 1;
    to = endOfDigits(text, fraction, limit);
    if (to === fraction) return ~to;
  }
  if (to < limit && isExponent(text.charCodeAt(to))) {
    const exponent = to + 1 < limit && isSign(text.charCodeAt(to + 1)) ? to + 2 : to + 1;
    to = endOfDigits(text, exponent, limit);
    if (to === exponent) return ~to;
  }
  return to < limit && isWordUnit(text.charCodeAt(to)) ? ~to : to;
}

function endOfDigits(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isDigit(text.charCodeAt(at))) at++;
  return at;
}

const isExponent = (unit: number): boolean => unit === LOWER_E || unit === UPPER_E;
const isSign = (unit: number): boolean => unit === PLUS || unit === MINUS;
