/** The characters of JSON (RFC 8259) as units of a byte string: blanks, words, escapes. Pure. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const MINUS = 0x2d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const LF = 0x0a;
export const CR = 0x0d;
/** The first unit that a string may hold unescaped. */
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

/** What numbers and literals are made of, and what people write in their place: `NaN`, `None`, `+1`, `0x1F`. */
export const isWordUnit = (unit: number): boolean => WORD_UNITS[unit] === 1;

/** A literal or a number, exactly as RFC 8259 writes them. */
export const isValueWord = (word: string): boolean => VALUE_WORD.test(word);

/** Offset of the first unit that is no blank, or `limit`. */
export function skipBlanks(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Offset of the first unit that belongs to no word, or `limit`. */
export function skipWord(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isWordUnit(text.charCodeAt(at))) at++;
  return at;
}

/** @returns the length of the escape whose backslash stands at `at`; 0 when it is none; -1 when `limit` cuts it. */
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

/** What the escapes of a string stand for; all of them have been checked. */
export function meaningOf(text: string): string {
  return text.replace(EACH_ESCAPE, (_, hex?: string, letter?: string) =>
    hex === undefined ? (MEANINGS.get(letter ?? '') ?? letter ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
