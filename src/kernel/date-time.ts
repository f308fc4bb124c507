/**
 * Instants and UTC offsets in the forms the upstream reads (seed 2.3), and wall-clock arithmetic.
 *
 * A wall-clock reading is one number, `localMs`: the reading counted as though it were UTC. Pure; zones.ts has the
 * zones.
 */
import { MINUTE_MS } from './clock.ts';
import { err, ok, type Result } from './result.ts';

/**
 * Years an event may be in, both inclusive. Ours: software writes 1900, 1970 or 9999 where it has no date, and from
 * 1990 on every zone keeps whole-minute offsets, which is all the upstream's form can say.
 */
export const YEAR_MIN = 1990;
export const YEAR_MAX = 2099;
/** Largest distance from UTC, in minutes, both ways: no zone goes beyond +14:00, and the upstream's form ends there too. */
export const OFFSET_MINUTES_MAX = 14 * 60;

/** The calendar repeats after 400 years. Shifting by them keeps Date.UTC from reading the years 0 to 99 as 1900 to 1999. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * 24 * 60 * MINUTE_MS;
/** First and last instant of the years 0000 to 9999, which the ISO form writes with four digits. */
const ISO_MIN_MS = Date.UTC(2000, 0, 1) - 5 * CYCLE_MS;
const ISO_MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A wall-clock reading; months and days count from 1. */
export interface LocalFields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

/** @returns the reading counted as though it were UTC, in milliseconds since 1970-01-01T00:00:00. */
export function toLocalMs(fields: LocalFields): number {
  const { year, month, day, hour, minute, second, millisecond } = fields;
  return Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second, millisecond) - CYCLE_MS;
}

/** @param month counts from 1. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const isOffset = (offsetMinutes: number): boolean =>
  Number.isInteger(offsetMinutes) && Math.abs(offsetMinutes) <= OFFSET_MINUTES_MAX;

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`);

/**
 * Writes an instant in the upstream's `dateTime` form (seed 2.3): ISO 8601, seven fractional-second digits, numeric
 * offset, e.g. `2026-03-01T06:15:00.0000000-06:00`.
 *
 * @param instantMs Milliseconds since 1970-01-01T00:00:00Z, whole.
 * @param offsetMinutes Minutes east of UTC; negative in the Americas.
 * @param finer Digits four to seven of the source's fraction as text, since milliseconds hold only three; more are cut
 *   off, never rounded: an event must not move into the next second.
 * @returns `offset_out_of_range` unless the offset is whole and within ±840; `instant_out_of_range` unless the local year
 *   has four digits.
 */
export function formatDateTime(
  instantMs: number,
  offsetMinutes: number,
  finer = '',
): Result<string, 'offset_out_of_range' | 'instant_out_of_range'> {
  if (!isOffset(offsetMinutes)) return err('offset_out_of_range');
  const localMs = instantMs + offsetMinutes * MINUTE_MS;
  if (!Number.isInteger(localMs) || localMs < ISO_MIN_MS || localMs > ISO_MAX_MS) return err('instant_out_of_range');
  const reading = new Date(localMs).toISOString().slice(0, 23);
  const size = Math.abs(offsetMinutes);
  const offset = `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.trunc(size / 60))}:${twoDigits(size % 60)}`;
  return ok(`${reading}${finer.slice(0, 4).padEnd(4, '0')}${offset}`);
}

/**
 * How a `timeZoneOffset` off the hour is sent: seed 2.3 shows whole hours alone. null: not at all, such a time is
 * refused. Defined here because mappings write it; explained as `NOT_SHOWN.offsetMinutesForm`.
 */
export const OFFSET_MINUTES_FORM: 'UTC+5:30' | null = null;

/** @param form as `OFFSET_MINUTES_FORM`. */
export const isOffsetSent = (offsetMinutes: number, form: 'UTC+5:30' | null = OFFSET_MINUTES_FORM): boolean =>
  form !== null || offsetMinutes % 60 === 0;

/**
 * Writes an offset in the upstream's `timeZoneOffset` form (seed 2.3): `UTC-6`, `UTC+0`, and `UTC+5:30` off the hour,
 * which is sent only where `isOffsetSent` says so.
 *
 * @returns `offset_out_of_range` unless the offset is whole and within ±840.
 */
export function formatTimeZoneOffset(offsetMinutes: number): Result<string, 'offset_out_of_range'> {
  if (!isOffset(offsetMinutes)) return err('offset_out_of_range');
  const size = Math.abs(offsetMinutes);
  const minutes = size % 60;
  return ok(
    `UTC${offsetMinutes < 0 ? '-' : '+'}${Math.trunc(size / 60)}${minutes === 0 ? '' : `:${twoDigits(minutes)}`}`,
  );
}

/**
 * The clock on which a time is sent that has no abbreviation of its own: its `timeZoneCode` is one (seed 2.3), and what
 * to send for a bare offset is not shown. The instant is the same on either clock. Defined here because mappings write
 * it; explained as `NOT_SHOWN.clockWithoutAbbreviation`.
 */
export const CLOCK_WITHOUT_ABBREVIATION = { timeZoneCode: 'UTC', offsetMinutes: 0 } as const;
