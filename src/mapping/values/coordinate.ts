/**
 * Reads one coordinate, in decimal degrees or as the digits DDDMMSS of X12 (MS1), into signed degrees.
 *
 * The hemisphere comes from a letter, a sign, or both if they agree; it is never guessed. Pure and total.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { DecimalMark } from './local-number.ts';

export type Axis = 'latitude' | 'longitude';
/** `byDigits`: more than three digits before any mark are DDDMMSS, else degrees; X12 partners write both. */
export const COORDINATE_FORMS = ['decimal', 'DDDMMSS', 'byDigits'] as const;
export type CoordinateForm = (typeof COORDINATE_FORMS)[number];
type Hemisphere = 'N' | 'S' | 'E' | 'W';

export type CoordinateFault =
  | { code: 'empty' }
  | { code: 'not_a_coordinate' }
  | { code: 'wrong_hemisphere'; letter: string } // E or W on a latitude, N or S on a longitude: swapped?
  | { code: 'sign_contradicts_letter'; sign: '+' | '-'; letter: string } // -95.2E: one of the two is wrong
  | { code: 'hemisphere_missing' } // the digits of DDDMMSS, and of X12 in any form, do not say which hemisphere
  | { code: 'minutes_out_of_range'; minutes: number; seconds: number } // either is 60 or more
  | { code: 'out_of_range'; value: number; degreesMax: number };

interface Written {
  sign: string;
  letter: string;
  whole: string;
  decimals: string;
}

/** One ten-millionth of a degree is 11 mm on the ground: finer digits are device noise. */
const DECIMALS = 7;
/** Digits read after the mark, of degrees or of seconds. Devices write up to 15. */
const READ_DECIMALS_MAX = 20;
/** Of a whole number of degrees. */
const DEGREE_DIGITS = 3;
const DEGREES_MAX: Record<Axis, number> = { latitude: 90, longitude: 180 };
const LETTERS: Record<Axis, string> = { latitude: 'NS', longitude: 'EW' };

/** @param hemisphere used if the text has neither a letter nor a sign. */
export function readCoordinate(
  text: string,
  axis: Axis,
  form: CoordinateForm,
  decimal: DecimalMark,
  hemisphere?: Hemisphere,
): Result<number, CoordinateFault> {
  const trimmed = text.trim();
  if (trimmed === '') return err({ code: 'empty' });
  const written = takeApart(trimmed, decimal);
  if (written === undefined) return err({ code: 'not_a_coordinate' });
  const isBare = written.letter === '' && written.sign === '';
  const sided = isBare && hemisphere !== undefined ? { ...written, letter: hemisphere } : written;
  const isNegative = readHemisphere(sided, axis, form);
  if (!isNegative.ok) return isNegative;
  const isDecimal = form === 'decimal' || (form === 'byDigits' && written.whole.length <= DEGREE_DIGITS);
  const magnitude = isDecimal ? decimalDegrees(written) : digitDegrees(written, axis);
  if (!magnitude.ok) return magnitude;
  const value = Number((isNegative.value ? -magnitude.value : magnitude.value).toFixed(DECIMALS)) + 0; // no "-0"
  // Checked before rounding: 90.00000001 is not 90.
  if (magnitude.value > DEGREES_MAX[axis]) return err({ code: 'out_of_range', value, degreesMax: DEGREES_MAX[axis] });
  return ok(value);
}

const BLANK = '[ \\u00a0\\u202f]';
/** A letter before or after, a sign before the digits, a degree sign after them; blanks between all of these. */
const formOf = (mark: string): RegExp =>
  new RegExp(
    `^([NSEW]?)${BLANK}?([+\\-\\u2212]?)(\\d{1,7})(?:${mark}(\\d{1,${READ_DECIMALS_MAX}}))?${BLANK}?[°º]?${BLANK}?([NSEW]?)$`,
    'i',
  );
const FORMS: Record<DecimalMark, RegExp> = { '.': formOf('\\.'), ',': formOf(',') };

function takeApart(text: string, decimal: DecimalMark): Written | undefined {
  const match = FORMS[decimal].exec(text);
  if (match === null) return undefined;
  const [, before = '', sign = '', whole = '', decimals = '', behind = ''] = match;
  if (before !== '' && behind !== '') return undefined;
  return { sign: sign === '\u2212' ? '-' : sign, letter: (before + behind).toUpperCase(), whole, decimals };
}

/** @returns whether the value is south or west. */
function readHemisphere({ sign, letter }: Written, axis: Axis, form: CoordinateForm): Result<boolean, CoordinateFault> {
  if (letter === '') return form !== 'decimal' && sign === '' ? err({ code: 'hemisphere_missing' }) : ok(sign === '-');
  if (!LETTERS[axis].includes(letter)) return err({ code: 'wrong_hemisphere', letter });
  const isNegative = letter === 'S' || letter === 'W';
  if ((sign === '-' && !isNegative) || (sign === '+' && isNegative)) {
    return err({ code: 'sign_contradicts_letter', sign, letter });
  }
  return ok(isNegative);
}

/** Up to three digits of degrees: more, without a mark, are DDDMMSS and not 951,330 degrees. */
function decimalDegrees({ whole, decimals }: Written): Result<number, CoordinateFault> {
  return whole.length > DEGREE_DIGITS ? err({ code: 'not_a_coordinate' }) : ok(Number(`${whole}.${decimals}`));
}

/** X12 writes three digits of degrees for a latitude too; some omit the first one there. */
function digitDegrees({ whole, decimals }: Written, axis: Axis): Result<number, CoordinateFault> {
  if (whole.length !== 7 && !(axis === 'latitude' && whole.length === 6)) return err({ code: 'not_a_coordinate' });
  const minutes = Number(whole.slice(-4, -2));
  const seconds = Number(`${whole.slice(-2)}.${decimals}`);
  if (minutes >= 60 || seconds >= 60) return err({ code: 'minutes_out_of_range', minutes, seconds });
  return ok((Number(whole.slice(0, -4)) * 3_600 + minutes * 60 + seconds) / 3_600);
}

/** A device without a fix reports latitude and longitude 0; no load has ever been there. */
export function pairFault(latitude: number, longitude: number): 'no_fix' | undefined {
  return latitude === 0 && longitude === 0 ? 'no_fix' : undefined;
}

/** Whether a position that is out of range would be in range with latitude and longitude swapped. */
export function looksSwapped(latitude: number, longitude: number): boolean {
  const fits = (lat: number, long: number): boolean =>
    Math.abs(lat) <= DEGREES_MAX.latitude && Math.abs(long) <= DEGREES_MAX.longitude;
  return !fits(latitude, longitude) && fits(longitude, latitude);
}
