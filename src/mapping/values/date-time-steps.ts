/**
 * The steps of a compiled date pattern: each reads one field at the cursor, or says what it wanted there.
 *
 * A step looks at a fixed, small number of characters and never goes back, so reading a text is linear in the pattern.
 */

/** What has been read so far. `hour` is 1 to 12 until `afternoon` is applied. */
interface Fields {
  year: number;
  month: number;
  day: number;
  /** Where the day was, for a day its month does not have. */
  dayAt: number;
  hour: number;
  minute: number;
  second: number;
  /** The fraction's digits as written. */
  fraction: string;
  afternoon: boolean | undefined;
  offsetMinutes: number | undefined;
}

/** `failedAt` and `wanted` store the farthest character at which a step failed (counted from 0). */
export interface Cursor {
  readonly text: string;
  at: number;
  fields: Fields;
  failedAt: number;
  wanted: string;
}

/** @returns false if the text does not match; notes why, and does not move the cursor. */
export type Step = (cursor: Cursor) => boolean;

export const newCursor = (text: string): Cursor => ({
  text,
  at: 0,
  fields: {
    year: 0,
    month: 1,
    day: 1,
    dayAt: 0,
    hour: 0,
    minute: 0,
    second: 0,
    fraction: '',
    afternoon: undefined,
    offsetMinutes: undefined,
  },
  failedAt: -1,
  wanted: '',
});

export function fail(cursor: Cursor, at: number, wanted: string): false {
  if (at >= cursor.failedAt) {
    cursor.failedAt = at;
    cursor.wanted = wanted;
  }
  return false;
}

/** @returns how many ASCII digits there are from `at` on, at most `digitsMax`; digits of other scripts do not count. */
function countDigits(text: string, at: number, digitsMax: number): number {
  const most = Math.min(digitsMax, text.length - at);
  let count = 0;
  while (count < most) {
    const code = text.charCodeAt(at + count);
    if (code < 48 || code > 57) break;
    count++;
  }
  return count;
}

type NumberField = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

/** @property wanted `month 01 to 12`, shown to the person who sent something else. */
interface NumberStep {
  field: NumberField;
  digitsMin: number;
  digitsMax: number;
  low: number;
  high: number;
  wanted: string;
}

function numberStep({ field, digitsMin, digitsMax, low, high, wanted }: NumberStep): Step {
  return (cursor) => {
    const { text, at, fields } = cursor;
    const count = countDigits(text, at, digitsMax);
    if (count < digitsMin) return fail(cursor, at, wanted);
    let value = 0;
    for (let digit = at; digit < at + count; digit++) value = 10 * value + text.charCodeAt(digit) - 48;
    if (value < low || value > high) return fail(cursor, at, wanted);
    fields[field] = value;
    if (field === 'day') fields.dayAt = at;
    cursor.at = at + count;
    return true;
  };
}

/** Two-digit years below this are in the 2000s, the others in the 1900s. Ours: the text itself does not say. */
const TWO_DIGIT_YEAR_PIVOT = 70;

const readTwoDigitYear = numberStep({
  field: 'year',
  digitsMin: 2,
  digitsMax: 2,
  low: 0,
  high: 99,
  wanted: 'year of two digits',
});

const twoDigitYear: Step = (cursor) => {
  if (!readTwoDigitYear(cursor)) return false;
  cursor.fields.year += cursor.fields.year < TWO_DIGIT_YEAR_PIVOT ? 2_000 : 1_900;
  return true;
};

/** The fraction of a second as text: a number would lose the digits after the milliseconds. */
export function fractionStep(digitsMin: number, digitsMax: number): Step {
  const wanted =
    digitsMin === digitsMax ? `${digitsMin} digits of a second's fraction` : "digits of a second's fraction";
  return (cursor) => {
    const count = countDigits(cursor.text, cursor.at, digitsMax);
    if (count < digitsMin) return fail(cursor, cursor.at, wanted);
    cursor.fields.fraction = cursor.text.slice(cursor.at, cursor.at + count);
    cursor.at += count;
    return true;
  };
}

export const MONTH_NAMES: readonly string[] =
  'january february march april may june july august september october november december'.split(' ');
const MONTH_CHARACTERS_MAX = 'september'.length;

/** English month names in any case: `Jan` (`short`) or `January`. */
function monthNameStep(short: boolean): Step {
  const names = MONTH_NAMES.map((name) => (short ? name.slice(0, 3) : name));
  const wanted = short ? 'month as Jan, Feb, … Dec' : 'month as January, February, … December';
  return (cursor) => {
    const ahead = cursor.text.slice(cursor.at, cursor.at + MONTH_CHARACTERS_MAX).toLowerCase();
    const index = names.findIndex((name) => ahead.startsWith(name));
    if (index < 0) return fail(cursor, cursor.at, wanted);
    cursor.fields.month = index + 1;
    cursor.at += names[index]?.length ?? 0;
    return true;
  };
}

const halfDayStep: Step = (cursor) => {
  const mark = cursor.text.slice(cursor.at, cursor.at + 2).toUpperCase();
  if (mark !== 'AM' && mark !== 'PM') return fail(cursor, cursor.at, 'AM or PM');
  cursor.fields.afternoon = mark === 'PM';
  cursor.at += 2;
  return true;
};

/** @property minutes how the offset's minutes may be written; several ways are tried in this order. */
interface OffsetForms {
  zulu: boolean;
  minutes: readonly ('colon' | 'plain' | 'none')[];
  wanted: string;
}

/**
 * An offset from UTC in the text. Two digits of hours are read whatever their size: the range is checked with the zone.
 */
export function offsetStep({ zulu, minutes, wanted }: OffsetForms): Step {
  return (cursor) => {
    const { text, at, fields } = cursor;
    const sign = text[at];
    if (zulu && (sign === 'Z' || sign === 'z')) {
      fields.offsetMinutes = 0;
      cursor.at = at + 1;
      return true;
    }
    if ((sign !== '+' && sign !== '-') || countDigits(text, at + 1, 2) < 2) return fail(cursor, at, wanted);
    const hours = Number(text.slice(at + 1, at + 3));
    for (const form of minutes) {
      const from = form === 'colon' ? at + 4 : at + 3;
      if (form === 'colon' && text[at + 3] !== ':') continue;
      if (form !== 'none' && countDigits(text, from, 2) < 2) continue;
      const past = form === 'none' ? 0 : Number(text.slice(from, from + 2));
      if (past > 59) return fail(cursor, from, 'minutes 00 to 59');
      fields.offsetMinutes = (sign === '-' ? -1 : 1) * (hours * 60 + past) || 0; // never minus zero
      cursor.at = form === 'none' ? from : from + 2;
      return true;
    }
    return fail(cursor, at, wanted);
  };
}

export function literalStep(literal: string): Step {
  const wanted = `"${literal}"`;
  return (cursor) => {
    if (!cursor.text.startsWith(literal, cursor.at)) return fail(cursor, cursor.at, wanted);
    cursor.at += literal.length;
    return true;
  };
}

/** One of several characters. */
export function anyOfStep(characters: string, wanted: string): Step {
  return (cursor) => {
    const character = cursor.text[cursor.at];
    if (character === undefined || !characters.includes(character)) return fail(cursor, cursor.at, wanted);
    cursor.at++;
    return true;
  };
}

/** An optional section: it matches whole or counts as absent, and is never tried again. */
export function optionalStep(steps: readonly Step[]): Step {
  const [only, ...more] = steps;
  // A step that fails has changed nothing.
  if (only !== undefined && more.length === 0)
    return (cursor) => {
      only(cursor);
      return true;
    };
  return (cursor) => {
    const { at } = cursor;
    const fields = { ...cursor.fields };
    if (steps.every((step) => step(cursor))) return true;
    cursor.at = at;
    cursor.fields = fields;
    return true;
  };
}

/* The letters of a date pattern, each with the step that reads it. Unicode's date letters, as in Java. */

export type PatternField =
  | 'year'
  | 'month'
  | 'day'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fraction of a second'
  | 'AM/PM'
  | 'offset';

/**
 * @property reads digits from its first character on, or not.
 * @property open reads as many digits as there are, so that a digit right after it would be ambiguous.
 * @property clock which hours it counts: 1 to 12 (needs AM/PM), or of a service day (beyond 23).
 */
export interface Token {
  letters: string;
  field: PatternField;
  step: Step;
  digitsFirst: boolean;
  open: boolean;
  clock?: 'half_day' | 'service_day';
}

function numeric(
  letters: string,
  digits: [number, number],
  range: [number, number],
  field: NumberStep['field'],
): Token {
  const [digitsMin, digitsMax] = digits;
  const [low, high] = range;
  const shown = (value: number): string => `${value}`.padStart(digitsMin, '0');
  const wanted = field === 'year' ? 'year of four digits' : `${field} ${shown(low)} to ${shown(high)}`;
  const step = numberStep({ field, digitsMin, digitsMax, low, high, wanted });
  return { letters, field, step, digitsFirst: true, open: digitsMin !== digitsMax };
}

function other(letters: string, field: PatternField, step: Step): Token {
  return { letters, field, step, digitsFirst: false, open: false };
}

const LIST: readonly Token[] = [
  numeric('yyyy', [4, 4], [0, 9_999], 'year'),
  { letters: 'yy', field: 'year', step: twoDigitYear, digitsFirst: true, open: false },
  numeric('M', [1, 2], [1, 12], 'month'),
  numeric('MM', [2, 2], [1, 12], 'month'),
  other('MMM', 'month', monthNameStep(true)),
  other('MMMM', 'month', monthNameStep(false)),
  numeric('d', [1, 2], [1, 31], 'day'),
  numeric('dd', [2, 2], [1, 31], 'day'),
  numeric('H', [1, 2], [0, 23], 'hour'),
  numeric('HH', [2, 2], [0, 23], 'hour'),
  { ...numeric('HHH', [1, 2], [0, 99], 'hour'), clock: 'service_day' },
  { ...numeric('h', [1, 2], [1, 12], 'hour'), clock: 'half_day' },
  { ...numeric('hh', [2, 2], [1, 12], 'hour'), clock: 'half_day' },
  numeric('m', [1, 2], [0, 59], 'minute'),
  numeric('mm', [2, 2], [0, 59], 'minute'),
  numeric('s', [1, 2], [0, 59], 'second'),
  numeric('ss', [2, 2], [0, 59], 'second'),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) => ({
    ...other('S'.repeat(digits), 'fraction of a second', fractionStep(digits, digits)),
    digitsFirst: true,
  })),
  other('a', 'AM/PM', halfDayStep),
  {
    ...other(
      'X',
      'offset',
      offsetStep({ zulu: true, minutes: ['plain', 'none'], wanted: 'offset as Z, -06 or -0600' }),
    ),
    open: true,
  },
  other('XX', 'offset', offsetStep({ zulu: true, minutes: ['plain'], wanted: 'offset as Z or -0600' })),
  other('XXX', 'offset', offsetStep({ zulu: true, minutes: ['colon'], wanted: 'offset as Z or -06:00' })),
  other('Z', 'offset', offsetStep({ zulu: false, minutes: ['plain'], wanted: 'offset as -0600' })),
];

export const TOKENS: ReadonlyMap<string, Token> = new Map(LIST.map((token) => [token.letters, token]));

/** 25 March 2026, 14:05:09 in Chicago, by letters: no day or hour that could be taken for another part. */
const WRITTEN: Readonly<Record<string, string>> = {
  ...{ yyyy: '2026', yy: '26', M: '3', MM: '03', MMM: 'Mar', MMMM: 'March', d: '25', dd: '25' },
  ...{ H: '14', HH: '14', HHH: '14', h: '2', hh: '02', a: 'PM', m: '5', mm: '05', s: '9', ss: '09' },
  ...{ X: '-05', XX: '-0500', XXX: '-05:00', Z: '-0500' },
};

export const writtenAs = (letters: string): string => WRITTEN[letters] ?? '0'.repeat(letters.length);

/** @returns the allowed lengths of a letter (`MM`, `MMM`), none for an unknown letter. */
export function formsOf(letter: string): string[] {
  return LIST.filter(({ letters }) => letters[0] === letter).map(({ letters }) => letters);
}
