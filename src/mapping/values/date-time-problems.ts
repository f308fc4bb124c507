/** Words for everything that can be wrong with a time or a date pattern. One exhaustive switch per union of facts. */
import { formatTimeZoneOffset, YEAR_MAX, YEAR_MIN } from '../../kernel/date-time.ts';
import { ELSE_ASK, type Problem, quoteValue } from '../../kernel/problem.ts';
import type { PatternProblem } from './date-time-grammar.ts';
import { NAMED_PATTERNS } from './date-time-pattern.ts';
import type { ClockChange, TimeProblem } from './date-times.ts';

const MINUTE_MS = 60_000;
/** How much of the text is quoted from where it stopped fitting, in characters. */
const FOUND_CHARACTERS_MAX = 12;

const dayOf = (localMs: number): string => new Date(localMs).toISOString().slice(0, 10);

/** @returns `02:30`, with seconds only where there are any. */
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

/** `from 02:00 to 03:00`, with the days where the change does not stay within one. */
function changeOf({ atMs, before, after }: ClockChange): string {
  const fromMs = atMs + before.offsetMinutes * MINUTE_MS;
  const toMs = atMs + after.offsetMinutes * MINUTE_MS;
  if (dayOf(fromMs) === dayOf(toMs)) return `from ${clockOf(fromMs)} to ${clockOf(toMs)}`;
  return `from ${dayOf(fromMs)} ${clockOf(fromMs)} to ${dayOf(toMs)} ${clockOf(toMs)}`;
}

/**
 * @param path the column, element or field the time came from.
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
        `Send the time as ${pattern}. ${ELSE_ASK}`,
      );
    }
    case 'time_zone_missing':
      return say(
        problem.text,
        'The time has no time zone and no offset from UTC, so the moment it means is unknown.',
        `Send the zone of the place (such as America/Chicago) or the offset. ${ELSE_ASK}`,
      );
    case 'time_zone_unknown':
      return say(
        problem.zone,
        `"${quoteValue(problem.zone)}" is not a time zone name. Abbreviations such as CST or IST have several meanings and are not names.`,
        `Send an IANA name (America/Chicago) or an offset within 14 hours of UTC (-06:00). ${ELSE_ASK}`,
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
        `Correct the time, or send it with its offset from UTC. ${ELSE_ASK}`,
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
        `Send the time with its offset from UTC. ${ELSE_ASK}`,
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

/** @param path the place in the mapping document, such as `fields.time.parse`. */
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
