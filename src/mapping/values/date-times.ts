/**
 * Reads a record's time: text, pattern and zone become the upstream's time object (seed 2.3), or the fact that forbids it.
 *
 * Pure and exact. It never guesses: a time without zone or offset is refused, and one that clocks skip or show twice
 * follows the policy the mapping declares, which is to refuse it unless it says otherwise.
 */
import {
  CLOCK_WITHOUT_ABBREVIATION,
  formatDateTime,
  formatTimeZoneOffset,
  OFFSET_MINUTES_MAX,
  YEAR_MAX,
  YEAR_MIN,
} from '../../kernel/date-time.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { isAbbreviationAt } from '../../kernel/zone-abbreviations.ts';
import type { ZoneSpan } from '../../kernel/zone-spans.ts';
import { findZone, resolveLocal, spanAt, type Zone } from '../../kernel/zones.ts';
import type { TimeObject } from '../request.ts';
import type { DateTimePattern, ParsedDateTime } from './date-time-pattern.ts';

/** What to do with a reading that clocks jumped over, or showed twice: refuse it, or take the earlier or later instant. */
export type TimePolicy = 'reject' | 'earlier' | 'later';
export const TIME_POLICIES: readonly TimePolicy[] = ['reject', 'earlier', 'later'];

/**
 * How a mapping reads one time. Patterns are tried in order; the first that fits the whole text counts.
 *
 * `gap: later` reads 02:30 as 03:30 when clocks go from 02:00 to 03:00, `earlier` as 01:30. Both policies are `reject`
 * when absent.
 */
export interface TimeSpec {
  patterns: readonly [DateTimePattern, ...DateTimePattern[]];
  /** Used where the record names no zone. Checked with `isZone` when the mapping is loaded. */
  defaultZone?: string;
  gap?: TimePolicy;
  overlap?: TimePolicy;
}

/**
 * What a time says, on the clock it was written by.
 *
 * @property abbreviation of that clock, null where it has none; finer: digits four to seven of the fraction.
 */
export interface TimeValue {
  dateTime: string;
  abbreviation: string | null;
  offsetMinutes: number;
  instantMs: number;
  finer: string;
}

/** `localMs` is a wall-clock reading counted as though it were UTC; `atMs` the instant at which the clocks changed. */
export type TimeProblem =
  | { code: 'bad_date'; text: string; pattern: string; at: number; wanted: string }
  | { code: 'time_zone_missing'; text: string }
  | { code: 'time_zone_unknown'; text: string; zone: string }
  | { code: 'time_zone_minutes'; text: string; offsetMinutes: number; instantMs: number }
  | ({ code: 'time_nonexistent' } & ClockChange)
  | ({ code: 'time_ambiguous' } & ClockChange)
  | { code: 'offset_out_of_range'; text: string; offsetMinutes: number }
  | { code: 'year_out_of_range'; text: string; year: number };

export interface ClockChange {
  text: string;
  zone: string;
  localMs: number;
  atMs: number;
  before: Pick<ZoneSpan, 'offsetMinutes' | 'abbreviation'>;
  after: Pick<ZoneSpan, 'offsetMinutes' | 'abbreviation'>;
}

const MINUTE_MS = 60_000;
const HALF_DAY_MS = 12 * 60 * MINUTE_MS;
const DAY_MS = 2 * HALF_DAY_MS;
const LOCAL_MIN_MS = Date.UTC(YEAR_MIN, 0, 1);
const LOCAL_END_MS = Date.UTC(YEAR_MAX + 1, 0, 1);

const isInYears = (localMs: number): boolean => localMs >= LOCAL_MIN_MS && localMs < LOCAL_END_MS;

/**
 * @param input `zoneText`: the record's own zone, blank when it names none. Where the text carries an offset, that
 *   decides the instant; the zone then only lends its abbreviation, if its offset is the same at that instant.
 */
export function readTime(input: { text: string; zoneText?: string }, spec: TimeSpec): Result<TimeValue, TimeProblem> {
  const { text } = input;
  const parsed = parseFirst(text, spec.patterns);
  if (!parsed.ok) return parsed;
  const zoneText = input.zoneText?.trim() || spec.defaultZone || '';
  const zone = zoneText === '' ? undefined : findZone(zoneText);

  const time = parsed.value;
  if (time.kind !== 'instant' && time.offsetMinutes !== undefined) return readWithOffset(text, time, zone ?? zoneText);
  if (zoneText === '') return err({ code: 'time_zone_missing', text });
  if (zone === undefined) return err({ code: 'time_zone_unknown', text, zone: zoneText });

  if (time.kind === 'instant') return atInstant(text, zone, time.instantMs, time.finer);
  const localMs = time.kind === 'local' ? time.localMs : time.dayMs + HALF_DAY_MS;
  if (!isInYears(localMs)) return err(yearProblem(text, localMs));
  const resolved = resolve(text, zone, localMs, spec);
  if (!resolved.ok) return resolved;
  if (time.kind === 'service') {
    return atInstant(text, zone, resolved.value.instantMs - HALF_DAY_MS + time.elapsedMs, time.finer);
  }
  return ok(timeValue(resolved.value.instantMs, resolved.value.span, time.finer));
}

/** @returns what the first fitting pattern read, else the failure of the pattern that came farthest. */
function parseFirst(text: string, patterns: TimeSpec['patterns']): Result<ParsedDateTime, TimeProblem> {
  let closest: Extract<TimeProblem, { code: 'bad_date' }> | undefined;
  let farthest = -1;
  for (const pattern of patterns) {
    const parsed = pattern.parse(text);
    if (parsed.ok) return parsed;
    const { at, wanted, noSuchDay } = parsed.error;
    const reach = noSuchDay ? Number.POSITIVE_INFINITY : at; // it fits to its end
    if (reach > farthest) {
      farthest = reach;
      closest = { code: 'bad_date', text, pattern: pattern.source, at, wanted };
    }
  }
  return err(closest ?? { code: 'bad_date', text, pattern: '', at: 0, wanted: '' });
}

/** @param zone a text that is no zone may still be the abbreviation of this offset: `CST` beside `-06:00`. */
function readWithOffset(
  text: string,
  time: Exclude<ParsedDateTime, { kind: 'instant' }>,
  zone: Zone | string,
): Result<TimeValue, TimeProblem> {
  const offsetMinutes = time.offsetMinutes ?? 0;
  if (Math.abs(offsetMinutes) > OFFSET_MINUTES_MAX) return err({ code: 'offset_out_of_range', text, offsetMinutes });
  const localMs = time.kind === 'local' ? time.localMs : time.dayMs + time.elapsedMs;
  if (!isInYears(localMs)) return err(yearProblem(text, localMs));
  const instantMs = localMs - offsetMinutes * MINUTE_MS;
  return ok(
    timeValue(instantMs, { offsetMinutes, abbreviation: abbreviationOf(zone, offsetMinutes, instantMs) }, time.finer),
  );
}

function abbreviationOf(zone: Zone | string, offsetMinutes: number, instantMs: number): string | null {
  if (typeof zone === 'string') return isAbbreviationAt(zone, offsetMinutes) ? zone : null;
  const span = spanAt(zone, instantMs);
  return span.offsetMinutes === offsetMinutes ? span.abbreviation : null;
}

function atInstant(text: string, zone: Zone, instantMs: number, finer: string): Result<TimeValue, TimeProblem> {
  // The zone is asked only for years it has tables for; its local reading may still lie a day off the instant's.
  if (!isInYears(instantMs - DAY_MS) && !isInYears(instantMs + DAY_MS)) return err(yearProblem(text, instantMs));
  const span = spanAt(zone, instantMs);
  const localMs = instantMs + span.offsetMinutes * MINUTE_MS;
  return isInYears(localMs) ? ok(timeValue(instantMs, span, finer)) : err(yearProblem(text, localMs));
}

function resolve(
  text: string,
  zone: Zone,
  localMs: number,
  { gap = 'reject', overlap = 'reject' }: TimeSpec,
): Result<{ instantMs: number; span: ZoneSpan }, TimeProblem> {
  const resolved = resolveLocal(zone, localMs);
  const instantIn = (span: ZoneSpan): number => localMs - span.offsetMinutes * MINUTE_MS;
  switch (resolved.kind) {
    case 'exact':
      return ok({ instantMs: instantIn(resolved.span), span: resolved.span });
    case 'gap': {
      const { before, after } = resolved;
      if (gap === 'reject') {
        return err({ code: 'time_nonexistent', text, zone: zone.name, localMs, atMs: after.fromMs, before, after });
      }
      // Read by the clock of before the change, the reading lies behind it, and the other way round.
      if (gap === 'later') return ok({ instantMs: instantIn(before), span: after });
      return ok({ instantMs: instantIn(after), span: before });
    }
    case 'overlap': {
      const { earlier, later } = resolved;
      if (overlap === 'reject') {
        const change = { atMs: later.fromMs, before: earlier, after: later };
        return err({ code: 'time_ambiguous', text, zone: zone.name, localMs, ...change });
      }
      const span = overlap === 'earlier' ? earlier : later;
      return ok({ instantMs: instantIn(span), span });
    }
  }
}

const yearProblem = (text: string, localMs: number): TimeProblem => ({
  code: 'year_out_of_range',
  text,
  year: new Date(localMs).getUTCFullYear(),
});

function timeValue(
  instantMs: number,
  { offsetMinutes, abbreviation }: Pick<ZoneSpan, 'offsetMinutes' | 'abbreviation'>,
  finer: string,
): TimeValue {
  return {
    dateTime: written(formatDateTime(instantMs, offsetMinutes, finer)),
    abbreviation,
    offsetMinutes,
    instantMs,
    finer,
  };
}

/** The upstream's time object (seed 2.3). What has no abbreviation is the same moment on the clock that we chose for it. */
export function timeObjectOf({ dateTime, abbreviation, offsetMinutes, instantMs, finer }: TimeValue): TimeObject {
  if (abbreviation !== null) {
    return { dateTime, timeZoneCode: abbreviation, timeZoneOffset: written(formatTimeZoneOffset(offsetMinutes)) };
  }
  const chosen = CLOCK_WITHOUT_ABBREVIATION;
  return {
    dateTime: written(formatDateTime(instantMs, chosen.offsetMinutes, finer)),
    timeZoneCode: chosen.timeZoneCode,
    timeZoneOffset: written(formatTimeZoneOffset(chosen.offsetMinutes)),
  };
}

/** Years and offset were checked before, so a refusal here is a bug. */
function written(text: Result<string, string>): string {
  if (!text.ok) throw new RangeError(`cannot write a time: ${text.error}`);
  return text.value;
}
