/**
 * Reads a record's time: text, pattern and zone become the upstream's time object (seed 2.3), or the fact that prevents
 * it. Never guesses: a time without zone or offset is refused, and by default one that clocks skip or show twice. Pure
 * and exact.
 */
import { DAY_MS, MINUTE_MS } from '../../kernel/clock.ts';
import {
  CLOCK_WITHOUT_ABBREVIATION,
  formatDateTime,
  formatTimeZoneOffset,
  OFFSET_MINUTES_MAX,
  YEAR_MAX,
  YEAR_MIN,
} from '../../kernel/date-time.ts';
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { isAbbreviationAt } from '../../kernel/zone-abbreviations.ts';
import { findZone, resolveLocal, spanAt, type Zone, type ZoneSpan } from '../../kernel/zones.ts';
import type { TimeObject } from '../request.ts';
import { type DateTimePattern, exampleOf, type ParsedDateTime, spokenPattern } from './date-time-pattern.ts';

/** What to do with a reading that clocks skip or show twice: refuse it, or use the earlier or later instant. */
type TimePolicy = 'reject' | 'earlier' | 'later';
export const TIME_POLICIES: readonly TimePolicy[] = ['reject', 'earlier', 'later'];

/**
 * How a mapping reads one time. Patterns are tried in order; the first that matches the whole text counts.
 *
 * `gap: later` reads 02:30 as 03:30 when clocks go from 02:00 to 03:00, `earlier` as 01:30. Both policies are `reject`
 * by default.
 */
export interface TimeSpec {
  patterns: readonly [DateTimePattern, ...DateTimePattern[]];
  /** Used if the record has no zone. Validated with `isZone` when the mapping is loaded. */
  defaultZone?: string;
  gap?: TimePolicy;
  overlap?: TimePolicy;
}

/**
 * A time on the clock it was written by.
 *
 * @property abbreviation of that clock, null if it has none; finer: digits four to seven of the fraction.
 */
export interface TimeValue {
  dateTime: string;
  abbreviation: string | null;
  offsetMinutes: number;
  instantMs: number;
  finer: string;
}

/** `localMs` is a wall-clock reading counted as if it were UTC; `atMs` the instant at which the clocks changed. */
interface ClockChange {
  zone: string;
  localMs: number;
  atMs: number;
  before: Pick<ZoneSpan, 'offsetMinutes' | 'abbreviation'>;
  after: Pick<ZoneSpan, 'offsetMinutes' | 'abbreviation'>;
}

const HALF_DAY_MS = DAY_MS / 2;
const LOCAL_MIN_MS = Date.UTC(YEAR_MIN, 0, 1);
const LOCAL_END_MS = Date.UTC(YEAR_MAX + 1, 0, 1);

const isInYears = (localMs: number): boolean => localMs >= LOCAL_MIN_MS && localMs < LOCAL_END_MS;

/**
 * @param input `zoneText`: the record's own zone, blank if it has none. An offset in the text decides the instant; the
 * zone then only provides its abbreviation, if its offset is the same at that instant.
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

/** @returns the reading of the first matching pattern, else the failure of the pattern that came farthest. */
function parseFirst(text: string, patterns: TimeSpec['patterns']): Result<ParsedDateTime, TimeProblem> {
  let closest: Extract<TimeProblem, { code: 'bad_date' }> | undefined;
  let farthest = -1;
  for (const pattern of patterns) {
    const parsed = pattern.parse(text);
    if (parsed.ok) return parsed;
    const { at, wanted, noSuchDay } = parsed.error;
    const reach = noSuchDay ? Number.POSITIVE_INFINITY : at; // it matches to its end
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
  // The zone is used only for years it has tables for; its local reading may still be a day off the instant's.
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
      // On the clock before the change, the reading is after it, and the other way round.
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

/** The upstream's time object (seed 2.3). Without an abbreviation it is the same moment on the clock that we chose. */
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

/* Everything that can be wrong with a time: its facts, and what is said about them. */

/** How much of the text is quoted from where it stopped matching, in characters. */
const FOUND_CHARACTERS_MAX = 12;

const dayOf = (localMs: number): string => new Date(localMs).toISOString().slice(0, 10);

/** @returns `02:30`, with seconds only if there are any. */
function clockOf(localMs: number): string {
  const time = new Date(localMs).toISOString().slice(11, 19);
  return time.endsWith(':00') ? time.slice(0, 5) : time;
}

const offsetOf = (offsetMinutes: number): string => {
  const offset = formatTimeZoneOffset(offsetMinutes);
  return offset.ok ? offset.value : `${offsetMinutes} minutes`;
};

/** @returns `15:30`, without a sign. */
function hoursOf(offsetMinutes: number): string {
  const size = Math.abs(offsetMinutes);
  return `${Math.trunc(size / 60)}:${`${size % 60}`.padStart(2, '0')}`;
}

/** `from 02:00 to 03:00`, with the days if the change spans two. */
function changeOf({ atMs, before, after }: ClockChange): string {
  const fromMs = atMs + before.offsetMinutes * MINUTE_MS;
  const toMs = atMs + after.offsetMinutes * MINUTE_MS;
  if (dayOf(fromMs) === dayOf(toMs)) return `from ${clockOf(fromMs)} to ${clockOf(toMs)}`;
  return `from ${dayOf(fromMs)} ${clockOf(fromMs)} to ${dayOf(toMs)} ${clockOf(toMs)}`;
}

/** Both readings of a time that clocks show twice. */
function readingsOf({ localMs, before, after }: ClockChange): string {
  const clock = clockOf(localMs);
  const readings = [before, after].map(({ abbreviation, offsetMinutes }) =>
    abbreviation === null
      ? `${clock} ${offsetOf(offsetMinutes)}`
      : `${clock} ${abbreviation} (${offsetOf(offsetMinutes)})`,
  );
  return readings.join(' or ');
}

/** `"Date" and "Time" together`: one column, or several that are read as one text. */
function columnsOf(path: string): string {
  const columns = path.split(', ');
  return columns.length === 1
    ? `"${path}"`
    : `${columns.map((column) => `"${column}"`).join(' and ')} so that together they read`;
}

interface Texts {
  message: string;
  fix: string;
}
interface Read {
  text: string;
}
/** What the record itself names as the form of its time, and where. */
interface NamedForm {
  code: string;
  path: string;
}

const FAULTS = {
  bad_date: (
    { text, pattern, at, wanted }: Read & { pattern: string; at: number; wanted: string },
    form: NamedForm | undefined,
    path: string,
  ) => {
    const rest = text.slice(at, at + FOUND_CHARACTERS_MAX);
    const found = rest === '' ? 'the text ends' : `stands "${rest}"`;
    const why = `at character ${at + 1} ${found}, wanted: ${wanted}`;
    const like = exampleOf(pattern);
    if (form === undefined)
      return {
        message: `The time is not written as ${spokenPattern(pattern)}, such as ${like}: ${why}.`,
        fix: `Write ${columnsOf(path)} like ${like}. ${ELSE_CONTACT}`,
      };
    return {
      message: `The time is not written as ${spokenPattern(pattern)}, such as ${like}, which "${quoteValue(form.code)}" in "${form.path}" stands for: ${why}.`,
      fix: `Write ${columnsOf(path)} like ${like}, or write the code of the form you send into "${form.path}".`,
    };
  },
  time_zone_missing: (_: Read) => ({
    message: 'The time has no time zone and no offset from UTC, so the moment it means is unknown.',
    fix: `Write the zone of the place (such as America/Chicago) or the offset (such as -06:00). ${ELSE_CONTACT}`,
  }),
  time_zone_unknown: ({ zone }: Read & { zone: string }) => ({
    message: `"${quoteValue(zone)}" is not a time zone name. Abbreviations such as CST or IST have several meanings and are not names.`,
    fix: `Write the name of the zone (such as America/Chicago) or the offset from UTC (such as -06:00). ${ELSE_CONTACT}`,
  }),
  time_zone_minutes: ({ offsetMinutes, instantMs }: Read & { offsetMinutes: number; instantMs: number }) => ({
    message: `The time is ${offsetOf(offsetMinutes)}; the receiving system takes offsets of whole hours alone.`,
    fix: `Send the same moment in a zone of whole hours: in UTC it is ${new Date(instantMs).toISOString().slice(0, 16).replace('T', ' ')}.`,
  }),
  time_nonexistent: (change: Read & ClockChange) => ({
    message: `${clockOf(change.localMs)} on ${dayOf(change.localMs)} does not exist in ${change.zone}: clocks go ${changeOf(change)}.`,
    fix: `Correct the time, or send it with its offset from UTC. ${ELSE_CONTACT}`,
  }),
  time_ambiguous: (change: Read & ClockChange) => ({
    message: `${clockOf(change.localMs)} on ${dayOf(change.localMs)} happens twice in ${change.zone}: clocks go back ${changeOf(change)}. It is ${readingsOf(change)}.`,
    fix: `Send the time with its offset from UTC. ${ELSE_CONTACT}`,
  }),
  offset_out_of_range: ({ offsetMinutes }: Read & { offsetMinutes: number }) => ({
    message: `The time says it is ${hoursOf(offsetMinutes)} hours from UTC; no place is more than 14:00 away.`,
    fix: 'Correct the offset; it lies between -14:00 and +14:00.',
  }),
  year_out_of_range: ({ year }: Read & { year: number }) => ({
    message: `The year ${year} lies outside ${YEAR_MIN} to ${YEAR_MAX}; it is likely a placeholder, or the date's parts are in another order.`,
    fix: 'Send the real date, or leave the row out until there is one.',
  }),
} satisfies Record<string, (problem: never, form: NamedForm | undefined, path: string) => Texts>;

type Faults = typeof FAULTS;
export type TimeProblem = { [Code in keyof Faults]: { code: Code } & Parameters<Faults[Code]>[0] }[keyof Faults];

/** @param path the column, element or field of the time. */
export function describeTimeProblem(problem: TimeProblem, path: string, form?: NamedForm): Problem {
  const say = FAULTS[problem.code] as (problem: TimeProblem, form: NamedForm | undefined, path: string) => Texts; // of this code's facts
  const value = problem.code === 'time_zone_unknown' ? problem.zone : problem.text;
  return { code: problem.code, path, value: quoteValue(value), ...say(problem, form, path) };
}
