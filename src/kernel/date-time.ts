/**
 * Instants and UTC offsets in the forms the upstream reads (seed 2.3), and wall-clock arithmetic.
 *
 * A wall-clock reading is one number, `localMs`: the reading counted as though it were UTC. Pure; zones.ts has the
 * zones.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.ts';
import { err, ok, type Result } from './result.ts';

/**
 * Years an event may be in, both inclusive. Ours: software writes 1900, 1970 or 9999 where it has no date, and from
 * 1990 on every zone keeps whole-minute offsets, which is all the upstream's form can say.
 */
export const YEAR_MIN = 1990;
export const YEAR_MAX = 2099;
/** Largest distance from UTC, in minutes, both ways: no zone goes beyond +14:00, and the upstream's form ends there too. */
export const OFFSET_MINUTES_MAX = 14 * 60;

/** The calendar repeats after 400 years. */
const CYCLE_YEARS = 400;
const CYCLE_DAYS = 146_097;
/** From 1 March of the year 0 to 1 January 1970. */
const EPOCH_DAYS = 719_468;
/** First and last instant of the years 0000 to 9999, which the ISO form writes with four digits. */
const ISO_MIN_MS = Date.UTC(2000, 0, 1) - 5 * CYCLE_DAYS * DAY_MS;
const ISO_MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A wall-clock reading; months and days count from 1. */
interface LocalFields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

/** @returns the reading counted as though it were UTC, in milliseconds since 1970-01-01T00:00:00. */
export function toLocalMs({ year, month, day, hour, minute, second, millisecond }: LocalFields): number {
  return daysTo(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + millisecond;
}

/**
 * Days from 1970 to a day, whatever its year: `Date.UTC` takes ten times as long, and reads the years 0 to 99 as 1900
 * to 1999. Years begin in March here, so that the leap day is their last and months have lengths that five of them
 * repeat (Hinnant, "chrono-compatible low-level date algorithms").
 */
function daysTo(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const cycle = Math.floor(marchYear / CYCLE_YEARS);
  const ofCycle = marchYear - cycle * CYCLE_YEARS;
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(ofCycle / 4) - Math.floor(ofCycle / 100);
  return cycle * CYCLE_DAYS + ofCycle * 365 + leapDays + ofYear - EPOCH_DAYS;
}

/** @param month counts from 1. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/*
 * The days and offsets of a file are few, and each of them is written and looked up for every row: a `Date` of its own
 * for each row, and its text, took a tenth of the time of mapping.
 */

/** A day of the calendar, `2026-03-01`. */
interface Day {
  number: number;
  year: number;
  day: string;
}

/** Ours: nearly three years, each day in a slot of its own. */
const DAY_SLOTS = 1_024;
const days = new Array<Day | undefined>(DAY_SLOTS);

function dayOf(localMs: number): Day {
  const number = Math.floor(localMs / DAY_MS);
  const slot = number & (DAY_SLOTS - 1);
  const known = days[slot];
  if (known !== undefined && known.number === number) return known;
  const date = new Date(number * DAY_MS);
  const made = { number, year: date.getUTCFullYear(), day: date.toISOString().slice(0, 10) };
  days[slot] = made;
  return made;
}

/** @returns the year of a reading, or of an instant in UTC; NaN beyond what a date can say. */
export const yearOf = (localMs: number): number =>
  localMs >= ISO_MIN_MS && localMs <= ISO_MAX_MS ? dayOf(localMs).year : new Date(localMs).getUTCFullYear();

const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, value) => `${value}`.padStart(2, '0'));
const twoDigits = (value: number): string => TWO_DIGITS[value] ?? `${value}`;

/** `06:15:00.000` */
function clockText(localMs: number): string {
  const ofDay = localMs - Math.floor(localMs / DAY_MS) * DAY_MS;
  const ofMinute = ofDay % MINUTE_MS;
  const minutes = (ofDay - ofMinute) / MINUTE_MS;
  const seconds = ofMinute === 0 ? '00.000' : secondsText(ofMinute);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${seconds}`;
}

const secondsText = (ms: number): string => `${twoDigits(Math.floor(ms / 1_000))}.${`${ms % 1_000}`.padStart(3, '0')}`;

/** `-06:00` and `UTC-6`. */
interface OffsetTexts {
  iso: string;
  zone: string;
}

/** At most one for each minute within ±14:00. */
const offsets = new Map<number, OffsetTexts>();

function offsetTexts(offsetMinutes: number): OffsetTexts {
  const known = offsets.get(offsetMinutes);
  if (known !== undefined) return known;
  const size = Math.abs(offsetMinutes);
  const [sign, hours, minutes] = [offsetMinutes < 0 ? '-' : '+', Math.trunc(size / 60), size % 60];
  const made = {
    iso: `${sign}${twoDigits(hours)}:${twoDigits(minutes)}`,
    zone: `UTC${sign}${hours}${minutes === 0 ? '' : `:${twoDigits(minutes)}`}`,
  };
  offsets.set(offsetMinutes, made);
  return made;
}

const isOffset = (offsetMinutes: number): boolean =>
  Number.isInteger(offsetMinutes) && Math.abs(offsetMinutes) <= OFFSET_MINUTES_MAX;

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
  const fraction = finer === '' ? '0000' : finer.slice(0, 4).padEnd(4, '0');
  return ok(`${dayOf(localMs).day}T${clockText(localMs)}${fraction}${offsetTexts(offsetMinutes).iso}`);
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
  return ok(offsetTexts(offsetMinutes).zone);
}

/**
 * The clock on which a time is sent that has no abbreviation of its own: its `timeZoneCode` is one (seed 2.3), and what
 * to send for a bare offset is not shown. The instant is the same on either clock. Defined here because mappings write
 * it; explained as `NOT_SHOWN.clockWithoutAbbreviation`.
 */
export const CLOCK_WITHOUT_ABBREVIATION = { timeZoneCode: 'UTC', offsetMinutes: 0 } as const;
