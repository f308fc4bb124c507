/**
 * Date patterns of mapping documents: `MM/dd/yyyy HH:mm` becomes a strict reader of texts, or a list of what is wrong
 * with it. Knows no zones: what a text yields is a reading, with the offset it carried, if any.
 *
 * Letters: `yyyy yy`, `M MM MMM MMMM`, `d dd`, `H HH`, `h hh` with `a`, `m mm`, `s ss`, `S` to `SSSSSSSSS`, offsets
 * `X XX XXX Z`. `HHH` is the hour of a service day, 0 to 99, as transit timetables count it (GTFS): elapsed since noon
 * minus twelve hours, so that `25:10` is 01:10 of the next day. `[…]` may be missing, `'…'` is literal; what a pattern
 * does not read counts as zero. By name: `iso`, `epochSeconds`, `epochMillis`.
 */
import { daysInMonth, toLocalMs } from '../../kernel/date-time.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type CompiledSteps, compileSteps, type PatternProblem } from './date-time-grammar.ts';
import {
  anyOfStep,
  type Cursor,
  fail,
  fractionStep,
  literalStep,
  newCursor,
  offsetStep,
  optionalStep,
  type Step,
} from './date-time-steps.ts';
import { TOKENS } from './date-time-tokens.ts';

/**
 * What a text says before any zone is known.
 *
 * `local`: a wall-clock reading; `service`: time elapsed since noon minus twelve hours of a day; `instant`: a count since
 * 1970 in UTC. `finer`: digits four to seven of the fraction. `offsetMinutes`: as the text has it, in any size.
 */
export type ParsedDateTime =
  | { kind: 'local'; localMs: number; finer: string; offsetMinutes: number | undefined }
  | { kind: 'service'; dayMs: number; elapsedMs: number; finer: string; offsetMinutes: number | undefined }
  | { kind: 'instant'; instantMs: number; finer: string };

/**
 * @property at the character at which the text stopped fitting, counted from 0.
 * @property noSuchDay the text has the pattern's form to its end, but the month has fewer days.
 */
export interface ParseFailure {
  at: number;
  wanted: string;
  noSuchDay?: true;
}

export interface DateTimePattern {
  readonly source: string;
  parse(text: string): Result<ParsedDateTime, ParseFailure>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Digits kept of a fraction beyond the milliseconds: the upstream's form has seven in all (seed 2.3). */
const FRACTION_DIGITS_MAX = 7;

const failure = ({ failedAt, wanted }: Cursor) => err({ at: failedAt, wanted });

const millisecondOf = (fraction: string): number => Number(fraction.slice(0, 3).padEnd(3, '0'));
const finerOf = (fraction: string): string => fraction.slice(3, FRACTION_DIGITS_MAX);

/** Runs the steps over the whole text. */
function fits(cursor: Cursor, steps: readonly Step[]): boolean {
  for (const step of steps) if (!step(cursor)) return false;
  if (cursor.at === cursor.text.length) return true;
  // An optional section that did not begin here could also have stood here.
  const instead = cursor.failedAt === cursor.at ? `${cursor.wanted} or ` : '';
  return fail(cursor, cursor.at, `${instead}the end of the text`);
}

function parseFields(text: string, { steps, serviceDay }: CompiledSteps): Result<ParsedDateTime, ParseFailure> {
  const cursor = newCursor(text);
  if (!fits(cursor, steps)) return failure(cursor);
  const { year, month, day, dayAt, hour, minute, second, fraction, afternoon, offsetMinutes } = cursor.fields;
  const days = daysInMonth(year, month);
  if (day > days) {
    return err({ at: dayAt, wanted: `day 1 to ${days} in month ${month} of ${year}`, noSuchDay: true });
  }

  const finer = finerOf(fraction);
  const millisecond = millisecondOf(fraction);
  if (serviceDay) {
    const dayMs = toLocalMs({ year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 });
    const elapsedMs = hour * HOUR_MS + minute * MINUTE_MS + second * 1_000 + millisecond;
    return ok({ kind: 'service', dayMs, elapsedMs, finer, offsetMinutes });
  }
  const hourOfDay = afternoon === undefined ? hour : (hour % 12) + (afternoon ? 12 : 0);
  const localMs = toLocalMs({ year, month, day, hour: hourOfDay, minute, second, millisecond });
  return ok({ kind: 'local', localMs, finer, offsetMinutes });
}

/** A step of the pattern letters, for the patterns that are built by hand below. */
function letters(run: string): Step {
  const token = TOKENS.get(run);
  if (token === undefined) throw new Error(`no such letters: ${run}`);
  return token.step;
}

/** ISO 8601 extended form as systems write it: `T` or a space, seconds and fraction (point or comma) and offset may be missing. */
const ISO: CompiledSteps = {
  serviceDay: false,
  steps: [
    letters('yyyy'),
    literalStep('-'),
    letters('MM'),
    literalStep('-'),
    letters('dd'),
    anyOfStep('Tt ', '"T"'),
    letters('HH'),
    literalStep(':'),
    letters('mm'),
    optionalStep([literalStep(':'), letters('ss'), optionalStep([anyOfStep('.,', 'a fraction'), fractionStep(1, 9)])]),
    optionalStep([offsetStep({ zulu: true, minutes: ['colon', 'plain', 'none'], wanted: 'offset as Z or -06:00' })]),
  ],
};

/** More digits than a year below 5000 needs, so that milliseconds given as seconds are refused, not taken for the far future. */
const EPOCH_SECONDS_DIGITS_MAX = 11;
const EPOCH_MILLIS_DIGITS_MAX = 14;

/** @param unit 1,000 for seconds (a fraction may follow), 1 for milliseconds. */
function parseEpoch(text: string, unit: 1_000 | 1): Result<ParsedDateTime, ParseFailure> {
  const [whole = '', fraction = '', ...more] = text.split('.', 3);
  const digitsMax = unit === 1 ? EPOCH_MILLIS_DIGITS_MAX : EPOCH_SECONDS_DIGITS_MAX;
  const name = unit === 1 ? 'milliseconds' : 'seconds';
  if (!/^\d+$/.test(whole)) return err({ at: 0, wanted: `whole ${name} since 1970 in digits` });
  if (whole.length > digitsMax)
    return err({ at: digitsMax, wanted: `${name} since 1970 in at most ${digitsMax} digits` });
  if (text.length === whole.length) return ok({ kind: 'instant', instantMs: Number(whole) * unit, finer: '' });
  if (unit === 1 || more.length > 0 || !/^\d{1,9}$/.test(fraction)) {
    return err({ at: whole.length, wanted: unit === 1 ? 'the end of the text' : "a fraction's one to nine digits" });
  }
  return ok({ kind: 'instant', instantMs: Number(whole) * unit + millisecondOf(fraction), finer: finerOf(fraction) });
}

const NAMED: ReadonlyMap<string, DateTimePattern['parse']> = new Map([
  ['iso', (text: string) => parseFields(text, ISO)],
  ['epochSeconds', (text: string) => parseEpoch(text, 1_000)],
  ['epochMillis', (text: string) => parseEpoch(text, 1)],
]);
export const NAMED_PATTERNS: readonly string[] = [...NAMED.keys()];
/** Whether what a pattern reads is a moment, so that only a zone tells its day. */
export const readsMoment = (source: string): boolean => source === 'epochSeconds' || source === 'epochMillis';

/** @returns a reader that fits whole texts alone, or every problem of the pattern. */
export function compileDateTimePattern(source: string): Result<DateTimePattern, PatternProblem[]> {
  const named = NAMED.get(source);
  if (named !== undefined) return ok({ source, parse: named });
  const compiled = compileSteps(source);
  if (!compiled.ok) return compiled;
  return ok({ source, parse: (text) => parseFields(text, compiled.value) });
}
