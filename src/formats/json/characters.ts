/** The characters of JSON (RFC 8259) as units of a byte string: blanks, words, escapes. Pure. */
import { CR, LF } from '../text-slice.ts';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const MINUS = 0x2d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
/** The first unit that a string may contain unescaped. */
export const FIRST_PRINTABLE = 0x20;
export const FIRST_NON_ASCII = 0x80;

const SPACE = 0x20;
const TAB = 0x09;
const ZERO = 0x30;
const NINE = 0x39;

const ESCAPABLE = new Set('"\\/bfnrt');
const UNICODE_ESCAPE_LENGTH = 6;
const HEX_DIGIT = /[0-9a-fA-F]/;
const EACH_ESCAPE = /\\(?:u(....)|(.))/g;
const MEANINGS = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const VALUE_WORD = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
const WORD_UNITS = Uint8Array.from({ length: 0x80 }, (_, unit) => (/[\w.+-]/.test(String.fromCharCode(unit)) ? 1 : 0));

export const isBlank = (unit: number): boolean => unit === SPACE || unit === LF || unit === CR || unit === TAB;

export const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;

/** What numbers and literals are made of, and what people write instead of them: `NaN`, `None`, `+1`, `0x1F`. */
export const isWordUnit = (unit: number): boolean => WORD_UNITS[unit] === 1;

/** A literal or a number, exactly as RFC 8259 writes them. */
export const isValueWord = (word: string): boolean => VALUE_WORD.test(word);

/** Offset of the first unit that is not a blank, or `limit`. */
export function skipBlanks(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Offset of the first unit that cannot be part of a word, or `limit`. */
export function skipWord(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isWordUnit(text.charCodeAt(at))) at++;
  return at;
}

/** @returns the length of the escape whose backslash is at `at`; 0 when it is none; -1 when `limit` cuts it off. */
export function escapeLength(text: string, at: number, limit: number): number {
  if (at + 1 >= limit) return -1;
  const letter = text.charAt(at + 1);
  if (ESCAPABLE.has(letter)) return 2;
  if (letter !== 'u') return 0;
  for (let digit = at + 2; digit < at + UNICODE_ESCAPE_LENGTH; digit++) {
    if (digit >= limit) return -1;
    if (!HEX_DIGIT.test(text.charAt(digit))) return 0;
  }
  return UNICODE_ESCAPE_LENGTH;
}

/** The text of a string with its escapes decoded; all of them have been checked. */
export function meaningOf(text: string): string {
  return text.replace(EACH_ESCAPE, (_, hex?: string, letter?: string) =>
    hex === undefined ? (MEANINGS.get(letter ?? '') ?? letter ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/* Finds the end of a number as RFC 8259 writes it, and writes out one that has an exponent. */

const DIGIT_ZERO = 0x30;
const DOT = 0x2e;
const PLUS = 0x2b;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** @returns the offset of its end; or `~offset` (below zero) of what is wrong: `~limit` when the limit cuts it off. */
export function endOfNumber(text: string, from: number, limit: number): number {
  const whole = text.charCodeAt(from) === MINUS ? from + 1 : from;
  let to = endOfDigits(text, whole, limit);
  if (to === whole) return ~to;
  // For error messages, the zero is what is wrong.
  if (to - whole > 1 && text.charCodeAt(whole) === DIGIT_ZERO) return ~whole;
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
/** Most zeros written after a decimal point: any text with more is too long for every field. Ours. */
const ZEROS_MAX = 3_000;
/** For a number whose last digits are unknown: as many as the text that is refused for it may have. */
const SHORTENED_DIGITS_MAX = 17;
const SHORTENED_EXPONENT_MAX = 999;

/**
 * The text of a number: as it is written; one with an exponent is written out (`1.5e1` is 15, `8.5e-05` is 0.000085) if
 * its own digits suffice. `1e3` does not give its last digits: a program that keeps six of them writes 123456789 as
 * 1.23457e+08. It becomes what a spreadsheet writes for such a number (`1E+03`), which neither a text nor a number
 * accepts.
 */
export function numberText(written: string): string {
  if (!written.includes('e') && !written.includes('E')) return written;
  const found = WITH_EXPONENT.exec(written);
  if (found === null) return written;
  const [, sign = '', whole = '', fraction = '', power = '0'] = found;
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first === -1) return `${sign}0`;
  const point = whole.length + Math.max(-ZEROS_MAX, Number(power)); // position of the decimal point among the digits
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
