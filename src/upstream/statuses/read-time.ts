/** The time of a status, as its answer mapping says it is written → an instant. Pure. */
import { daysInMonth, toLocalMs, YEAR_MAX, YEAR_MIN } from '../../kernel/date-time.ts';
import { findZone, resolveLocal } from '../../kernel/zones.ts';
import { compileDateTimePattern, type DateTimePattern, readsMoment } from '../../mapping/values/date-time-pattern.ts';
import { readTime as readMappedTime } from '../../mapping/values/date-times.ts';
import type { AnswerMapping } from './answer-mapping.ts';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:(Z)|([+-])(\d{2}):?(\d{2})?)?$/i;
const MINUTE_MS = 60_000;
/** Milliseconds of the years an event may lie in. */
const EARLIEST_MS = Date.UTC(YEAR_MIN, 0, 1);
const LATEST_MS = Date.UTC(YEAR_MAX + 1, 0, 1) - 1;

type TimeReading = AnswerMapping['time'];

/** @returns null where it is no time in that form, or names no instant. */
export function readTime(value: string | number, reading: TimeReading): number | null {
  const { form, parse, zone } = reading;
  const atMs =
    parse !== undefined
      ? readPattern(String(value).trim(), reading)
      : form === 'iso'
        ? readIso(String(value), zone)
        : readEpoch(value, form === 'epochMs' ? 1 : 1_000);
  return atMs !== null && atMs >= EARLIEST_MS && atMs <= LATEST_MS ? atMs : null;
}

/** Thousands of entries are read under one mapping. */
const compiledOf = new WeakMap<TimeReading, DateTimePattern[]>();

/** As a file's mapping reads it: the first pattern counts that fits the whole text. */
function readPattern(text: string, reading: TimeReading): number | null {
  const patterns = compiledOf.get(reading) ?? compile(reading);
  const pattern = patterns.find((each) => each.parse(text).ok);
  if (pattern === undefined) return null;
  const defaultZone = reading.zone ?? (readsMoment(pattern.source) ? 'UTC' : undefined);
  const read = readMappedTime({ text }, { patterns: [pattern], ...(defaultZone === undefined ? {} : { defaultZone }) });
  return read.ok ? read.value.instantMs : null;
}

function compile(reading: TimeReading): DateTimePattern[] {
  const compiled = [reading.parse ?? []].flat().flatMap((source) => {
    const pattern = compileDateTimePattern(source);
    return pattern.ok ? [pattern.value] : []; // checked when it was set
  });
  compiledOf.set(reading, compiled);
  return compiled;
}

function readEpoch(value: string | number, factor: number): number | null {
  if (typeof value === 'string' && !/^\d{1,16}(\.\d{1,9})?$/.test(value)) return null;
  const atMs = Math.trunc(Number(value) * factor);
  return Number.isSafeInteger(atMs) ? atMs : null;
}

function readIso(text: string, zone: string | undefined): number | null {
  const found = ISO.exec(text.trim());
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const millisecond = Number((found[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const localMs = toLocalMs({ year, month, day, hour, minute, second, millisecond });
  if (found[8] !== undefined) return localMs;
  if (found[9] === undefined) return zone === undefined ? null : inZone(localMs, zone);
  const offset = Number(found[10]) * 60 + Number(found[11] ?? 0);
  return localMs - (found[9] === '-' ? -offset : offset) * MINUTE_MS;
}

/** A time that does not exist there, or exists twice, names no instant. */
function inZone(localMs: number, name: string): number | null {
  const zone = findZone(name);
  if (zone === undefined) return null;
  const found = resolveLocal(zone, localMs);
  return found.kind === 'exact' ? localMs - found.span.offsetMinutes * MINUTE_MS : null;
}
