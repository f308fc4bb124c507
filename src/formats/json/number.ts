/** Finds the end of a number as RFC 8259 writes it, and writes out one that has an exponent. Pure. */
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

const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;
/** Zeros written behind a decimal point, at most: any text with more is too long for every field. Ours. */
const ZEROS_MAX = 3_000;
/** Of a number whose last digits are not told: as many as the text that is refused for it may have. */
const SHORTENED_DIGITS_MAX = 17;
const SHORTENED_EXPONENT_MAX = 999;

/**
 * The text of a number: as it is written, and one with an exponent written out (`1.5e1` is 15, `8.5e-05` is 0.000085) where
 * its own digits suffice. `1e3` says nothing of its last digits: a program that keeps six of them writes 123456789 as
 * 1.23457e+08. It becomes what a spreadsheet writes for such a number (`1E+03`), which neither a text nor a number takes.
 */
export function numberText(written: string): string {
  const found = WITH_EXPONENT.exec(written);
  if (found === null) return written;
  const [, sign = '', whole = '', fraction = '', power = '0'] = found;
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first === -1) return `${sign}0`;
  const point = whole.length + Math.max(-ZEROS_MAX, Number(power)); // where the decimal point stands among the digits
  const told = digits.replace(/0+$/, '');
  if (point > digits.length) return shortened(sign, told.slice(first), point - first - 1);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${told}`;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const behind = told.slice(point);
  return `${sign}${before}${behind === '' ? '' : `.${behind}`}`;
}

function shortened(sign: string, digits: string, power: number): string {
  const behind = digits.slice(1, SHORTENED_DIGITS_MAX);
  const exponent = String(Math.min(power, SHORTENED_EXPONENT_MAX)).padStart(2, '0');
  return `${sign}${digits.charAt(0)}${behind === '' ? '' : `.${behind}`}E+${exponent}`;
}
