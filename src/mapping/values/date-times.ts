/**
 * Reads a record's time: text, pattern and zone become the upstream's time object (seed 2.3), or the fact that prevents
 * it. Never guesses: a time without zone or offset is refused, and by default one that clocks skip or show twice. Pure
 * and exact.
 */
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
import { type DateTimePattern, NAMED_PATTERNS, type ParsedDateTime, type PatternProblem } from './date-time-pattern.ts';

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
export type TimeProblem =
  | { code: 'bad_date'; text: string; pattern: string; at: number; wanted: string }
  | { code: 'time_zone_missing'; text: string }
  | { code: 'time_zone_unknown'; text: string; zone: string }
  | { code: 'time_zone_minutes'; text: string; offsetMinutes: number; instantMs: number }
  | ({ code: 'time_nonexistent' } & ClockChange)
  | ({ code: 'time_ambiguous' } & ClockChange)
  | { code: 'offset_out_of_range'; text: string; offsetMinutes: number }
  | { code: 'year_out_of_range'; text: string; year: number };

interface ClockChange {
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

/* Messages for everything that can be wrong with a time or a date pattern. One exhaustive switch per union of facts. */

const MS_PER_MINUTE = 60_000;
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
  const fromMs = atMs + before.offsetMinutes * MS_PER_MINUTE;
  const toMs = atMs + after.offsetMinutes * MS_PER_MINUTE;
  if (dayOf(fromMs) === dayOf(toMs)) return `from ${clockOf(fromMs)} to ${clockOf(toMs)}`;
  return `from ${dayOf(fromMs)} ${clockOf(fromMs)} to ${dayOf(toMs)} ${clockOf(toMs)}`;
}

/**
 * @param path the column, element or field of the time.
 * @param form what the record itself names as the form of its time, and where.
 */
export function describeTimeProblem(
  problem: TimeProblem,
  path: string,
  form?: { code: string; path: string },
): Problem {
  const { code } = problem;
  const say = (value: string, message: string, fix: string): Problem => ({
    code,
    path,
    value: quoteValue(value),
    message,
    fix,
  });
  switch (problem.code) {
    case 'bad_date': {
      const { text, pattern, at, wanted } = problem;
      const rest = text.slice(at, at + FOUND_CHARACTERS_MAX);
      const found = rest === '' ? 'the text ends' : `stands "${rest}"`;
      if (form !== undefined) {
        return say(
          text,
          `The time does not have the form ${pattern}, which "${quoteValue(form.code)}" in "${form.path}" stands for: at character ${at + 1} ${found}, wanted: ${wanted}.`,
          `Send the time as ${pattern}, or write the code of the form you send into "${form.path}".`,
        );
      }
      return say(
        text,
        `The time does not have the form ${pattern}: at character ${at + 1} ${found}, wanted: ${wanted}.`,
        `Send the time as ${pattern}. ${ELSE_CONTACT}`,
      );
    }
    case 'time_zone_missing':
      return say(
        problem.text,
        'The time has no time zone and no offset from UTC, so the moment it means is unknown.',
        `Send the zone of the place (such as America/Chicago) or the offset. ${ELSE_CONTACT}`,
      );
    case 'time_zone_unknown':
      return say(
        problem.zone,
        `"${quoteValue(problem.zone)}" is not a time zone name. Abbreviations such as CST or IST have several meanings and are not names.`,
        `Send an IANA name (America/Chicago) or an offset within 14 hours of UTC (-06:00). ${ELSE_CONTACT}`,
      );
    case 'time_zone_minutes': {
      const inUtc = new Date(problem.instantMs).toISOString().slice(0, 16).replace('T', ' ');
      return say(
        problem.text,
        `The time is ${offsetOf(problem.offsetMinutes)}; the receiving system takes offsets of whole hours alone.`,
        `Send the same moment in a zone of whole hours: in UTC it is ${inUtc}.`,
      );
    }
    case 'time_nonexistent': {
      const at = `${clockOf(problem.localMs)} on ${dayOf(problem.localMs)}`;
      return say(
        problem.text,
        `${at} does not exist in ${problem.zone}: clocks go ${changeOf(problem)}.`,
        `Correct the time, or send it with its offset from UTC. ${ELSE_CONTACT}`,
      );
    }
    case 'time_ambiguous': {
      const clock = clockOf(problem.localMs);
      const [first, second] = [problem.before, problem.after].map(({ abbreviation, offsetMinutes }) =>
        abbreviation === null
          ? `${clock} ${offsetOf(offsetMinutes)}`
          : `${clock} ${abbreviation} (${offsetOf(offsetMinutes)})`,
      );
      return say(
        problem.text,
        `${clock} on ${dayOf(problem.localMs)} happens twice in ${problem.zone}: clocks go back ${changeOf(problem)}. It is ${first} or ${second}.`,
        `Send the time with its offset from UTC. ${ELSE_CONTACT}`,
      );
    }
    case 'offset_out_of_range':
      return say(
        problem.text,
        `The time says it is ${hoursOf(problem.offsetMinutes)} hours from UTC; no place is more than 14:00 away.`,
        'Correct the offset; it lies between -14:00 and +14:00.',
      );
    case 'year_out_of_range':
      return say(
        problem.text,
        `The year ${problem.year} lies outside ${YEAR_MIN} to ${YEAR_MAX}; it is likely a placeholder, or the date's parts are in another order.`,
        'Send the real date, or leave the row out until there is one.',
      );
  }
}

/** @param path in the mapping document, such as `fields.time.parse`. */
export function describePatternProblem(problem: PatternProblem, pattern: string, path: string): Problem {
  const say = (message: string, fix: string): Problem => ({
    code: problem.code,
    path,
    value: quoteValue(pattern),
    message,
    fix,
  });
  switch (problem.code) {
    case 'pattern_length':
      return problem.characters === 0
        ? say('The date pattern is empty.', 'Write one, such as MM/dd/yyyy HH:mm.')
        : say(`The date pattern has ${problem.characters} characters.`, `Use at most ${problem.charactersMax}.`);
    case 'pattern_letter':
      return say(
        `"${problem.letter}" at character ${problem.at + 1} means nothing in a date pattern.`,
        `Put literal letters in quotes ('${problem.letter}'), or use a pattern by name: ${NAMED_PATTERNS.join(', ')}.`,
      );
    case 'pattern_letter_count':
      return say(
        `"${problem.letters}" at character ${problem.at + 1} has the wrong number of letters.`,
        `Write ${problem.forms.join(', ')}.`,
      );
    case 'pattern_quote':
      return say(`The quote at character ${problem.at + 1} is never closed.`, "Close it; two quotes ('') mean one.");
    case 'pattern_section':
      return say(
        `The "${problem.mark}" at character ${problem.at + 1} has no partner.`,
        "Write optional sections as […], and a literal bracket as '['.",
      );
    case 'pattern_field_twice':
      return say(
        `"${problem.letters}" at character ${problem.at + 1} gives the ${problem.field} a second time.`,
        'Name each part once; for other forms list several patterns.',
      );
    case 'pattern_field_missing':
      return say(
        problem.neededBy === 'every pattern'
          ? `The date pattern does not read the ${problem.field}.`
          : `The date pattern reads the ${problem.neededBy} without the ${problem.field}.`,
        `Add the ${problem.field}, outside of optional sections that do not hold both.`,
      );
    case 'pattern_ambiguous':
      return say(
        `"${problem.letters}" at character ${problem.at + 1} takes as many digits as it finds, and digits follow.`,
        'Use the form with a fixed number of digits (MM, dd, HH), or put a separator after it.',
      );
  }
}
