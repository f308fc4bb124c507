/**
 * Date patterns of mapping documents: `MM/dd/yyyy HH:mm` becomes a strict reader of texts, or a list of its problems.
 * Knows no zones: the result is a reading, with the offset in the text, if any.
 *
 * Letters: `yyyy yy`, `M MM MMM MMMM`, `d dd`, `H HH`, `h hh` with `a`, `m mm`, `s ss`, `S` to `SSSSSSSSS`, offsets `X
 * XX XXX Z`. `HHH` is the hour of a service day, 0 to 99, as transit timetables count it (GTFS): elapsed since noon
 * minus twelve hours, so that `25:10` is 01:10 of the next day. `[…]` is optional, `'…'` is literal; fields that a
 * pattern does not read are zero. By name: `iso`, `epochSeconds`, `epochMillis`.
 */

import { HOUR_MS, MINUTE_MS } from '../../kernel/clock.ts';
import { daysInMonth, toLocalMs } from '../../kernel/date-time.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import {
  anyOfStep,
  type Cursor,
  fail,
  formsOf,
  fractionStep,
  literalStep,
  newCursor,
  offsetStep,
  optionalStep,
  type PatternField,
  type Step,
  TOKENS,
  type Token,
  writtenAs,
} from './date-time-steps.ts';

/*
 * Turns a date pattern's text into steps, or into all its problems.
 *
 * The text is cut into literals, tokens and section marks, which are then checked together and joined. A pattern that
 * could read one text in two ways is refused here, so that reading never has to choose.
 */

interface Texts {
  message: string;
  fix: string;
}
interface Run {
  at: number;
  letters: string;
}

/** Letters that have a meaning in patterns of other programs, mostly where another one is meant. */
const ELSEWHERE: ReadonlyMap<string, { means: string; fix: string }> = new Map([
  ['D', { means: '; elsewhere it is the day of the year', fix: 'Write dd, or d, for the day of the month.' }],
  ['Y', { means: '; elsewhere it is the year of a week', fix: 'Write yyyy, or yy, for the year.' }],
  ['A', { means: '; elsewhere it is AM or PM', fix: 'Write a for AM or PM.' }],
]);

/** `at` is the character in the pattern, counted from 0. */
const FAULTS = {
  pattern_length: ({ characters, charactersMax }: { characters: number; charactersMax: number }) =>
    characters === 0
      ? { message: 'The date pattern is empty.', fix: 'Write one, such as MM/dd/yyyy HH:mm.' }
      : { message: `The date pattern has ${characters} characters.`, fix: `Use at most ${charactersMax}.` },
  pattern_letter: ({ at, letter }: { at: number; letter: string }) => ({
    message: `"${letter}" at character ${at + 1} means nothing in a date pattern${ELSEWHERE.get(letter)?.means ?? ''}.`,
    fix:
      ELSEWHERE.get(letter)?.fix ??
      `Put literal letters in quotes ('${letter}'), or use a pattern by name: ${NAMED_PATTERNS.join(', ')}.`,
  }),
  pattern_letter_count: ({ at, letters, forms }: Run & { forms: string[] }) => ({
    message: `"${letters}" at character ${at + 1} has the wrong number of letters.`,
    fix: `Write ${forms.join(', ')}.`,
  }),
  pattern_quote: ({ at }: { at: number }) => ({
    message: `The quote at character ${at + 1} is never closed.`,
    fix: "Close it; two quotes ('') mean one.",
  }),
  pattern_section: ({ at, mark }: { at: number; mark: '[' | ']' }) => ({
    message: `The "${mark}" at character ${at + 1} has no partner.`,
    fix: "Write optional sections as […], and a literal bracket as '['.",
  }),
  pattern_field_twice: ({ at, letters, field }: Run & { field: PatternField }) => ({
    message: `"${letters}" at character ${at + 1} gives the ${field} a second time.`,
    fix: 'Name each part once; for other forms list several patterns.',
  }),
  pattern_field_missing: ({ field, neededBy }: { field: PatternField; neededBy: PatternField | 'every pattern' }) => ({
    message:
      neededBy === 'every pattern'
        ? `The date pattern does not read the ${field}.`
        : `The date pattern reads the ${neededBy} without the ${field}.`,
    fix: `Add the ${field}, outside of optional sections that do not hold both.`,
  }),
  pattern_ambiguous: ({ at, letters }: Run) => ({
    message: `"${letters}" at character ${at + 1} takes as many digits as it finds, and digits follow.`,
    fix: 'Use the form with a fixed number of digits (MM, dd, HH), or put a separator after it.',
  }),
} satisfies Record<string, (problem: never) => Texts>;

type Faults = typeof FAULTS;
export type PatternProblem = { [Code in keyof Faults]: { code: Code } & Parameters<Faults[Code]>[0] }[keyof Faults];

export const describePatternProblem = (problem: PatternProblem): Texts =>
  (FAULTS[problem.code] as (problem: PatternProblem) => Texts)(problem); // the one for this code's facts

/** @property serviceDay the hour is counted from the start of a service day and may exceed 23. */
interface CompiledSteps {
  steps: readonly Step[];
  serviceDay: boolean;
}

/** Longest pattern, in characters. Ours: four times the longest form seen. */
const PATTERN_CHARACTERS_MAX = 160;

type Piece =
  | { kind: 'literal'; at: number; text: string }
  | { kind: 'token'; at: number; token: Token }
  | { kind: 'mark'; at: number; mark: '[' | ']' };

const isLetter = (character: string): boolean => /^[A-Za-z]$/.test(character);

/** @returns the end (exclusive) of the quote that opens at `at`, and its text; two quotes in a row are one quote. */
function readQuoted(source: string, at: number): { end: number; text: string } | undefined {
  let text = '';
  for (let index = at + 1; index < source.length; index++) {
    if (source[index] !== "'") text += source[index];
    else if (source[index + 1] !== "'") return { end: index + 1, text: text === '' ? "'" : text };
    else {
      text += "'";
      index++;
    }
  }
  return undefined;
}

/** @returns the pattern in pieces, as far as it can be cut; their problems are added to `problems`. */
function cut(source: string, problems: PatternProblem[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < source.length) {
    const character = source[at] ?? '';
    let end = at + 1;
    if (character === "'") {
      const quoted = source[at + 1] === "'" ? { end: at + 2, text: "'" } : readQuoted(source, at);
      if (quoted === undefined) {
        problems.push({ code: 'pattern_quote', at });
        return pieces;
      }
      end = quoted.end;
      pieces.push({ kind: 'literal', at, text: quoted.text });
    } else if (character === '[' || character === ']') {
      pieces.push({ kind: 'mark', at, mark: character });
    } else if (isLetter(character)) {
      while (source[end] === character) end++;
      const letters = source.slice(at, end);
      const token = TOKENS.get(letters);
      const forms = formsOf(character);
      if (token !== undefined) pieces.push({ kind: 'token', at, token });
      else if (forms.length > 0) problems.push({ code: 'pattern_letter_count', at, letters, forms });
      else problems.push({ code: 'pattern_letter', at, letter: character });
    } else {
      pieces.push({ kind: 'literal', at, text: character });
    }
    at = end;
  }
  return pieces;
}

/** Refuses `Md` and `M[/]d`: how many digits belong to the month would be ambiguous. */
function checkAdjacent(pieces: readonly Piece[], problems: PatternProblem[]): void {
  /** Tokens that may come right before the next piece and read as many digits as they find. */
  let open: Run[] = [];
  const skipped: Run[][] = [];
  for (const piece of pieces) {
    if (piece.kind === 'mark') {
      if (piece.mark === '[') skipped.push(open);
      else open = [...open, ...(skipped.pop() ?? []).filter((token) => !open.includes(token))];
      continue;
    }
    const digitsFirst = piece.kind === 'token' ? piece.token.digitsFirst : /^\d/.test(piece.text);
    if (digitsFirst) for (const { at, letters } of open) problems.push({ code: 'pattern_ambiguous', at, letters });
    open = piece.kind === 'token' && piece.token.open ? [{ at: piece.at, letters: piece.token.letters }] : [];
  }
}

/** Which field needs which other. */
const NEEDS: readonly [PatternField, PatternField][] = [
  ['minute', 'hour'],
  ['second', 'minute'],
  ['fraction of a second', 'second'],
  ['AM/PM', 'hour'],
];

/** @param places the open sections (by number) around each field; an empty list is the pattern itself. */
function checkFields(places: ReadonlyMap<PatternField, Place>, problems: PatternProblem[]): void {
  const missing = (field: PatternField, neededBy: PatternField | 'every pattern') =>
    problems.push({ code: 'pattern_field_missing', field, neededBy });
  for (const field of ['year', 'month', 'day'] as const) {
    if (places.get(field)?.sections.length !== 0) missing(field, 'every pattern');
  }
  for (const [field, needed] of NEEDS) {
    const place = places.get(field);
    if (place !== undefined && !isAround(places.get(needed), place)) missing(needed, field);
  }
  const hour = places.get('hour');
  const half = places.get('AM/PM');
  if (hour?.token.clock === 'half_day' && !isAround(half, hour)) missing('AM/PM', 'hour');
  if (half !== undefined && hour !== undefined && hour.token.clock !== 'half_day') {
    problems.push({ code: 'pattern_field_twice', at: half.at, letters: half.token.letters, field: 'AM/PM' });
  }
}

interface Place {
  at: number;
  token: Token;
  sections: readonly number[];
}

/** Whether a field is present whenever the other is: it is in the same section or in one around it. */
function isAround(outer: Place | undefined, inner: Place): boolean {
  return outer?.sections.every((section, depth) => inner.sections[depth] === section) ?? false;
}

function join(pieces: readonly Piece[], problems: PatternProblem[]): CompiledSteps {
  const places = new Map<PatternField, Place>();
  const open: { at: number; steps: Step[] }[] = [];
  const root: Step[] = [];
  let steps = root;
  for (const piece of pieces) {
    if (piece.kind === 'literal') steps.push(literalStep(piece.text));
    else if (piece.kind === 'token') {
      const { at, token } = piece;
      if (places.has(token.field)) {
        problems.push({ code: 'pattern_field_twice', at, letters: token.letters, field: token.field });
      } else places.set(token.field, { at, token, sections: open.map((section) => section.at) });
      steps.push(token.step);
    } else if (piece.mark === '[') {
      steps = [];
      open.push({ at: piece.at, steps });
    } else {
      const closed = open.pop();
      steps = open.at(-1)?.steps ?? root;
      if (closed === undefined) problems.push({ code: 'pattern_section', at: piece.at, mark: ']' });
      else steps.push(optionalStep(closed.steps));
    }
  }
  for (const { at } of open) problems.push({ code: 'pattern_section', at, mark: '[' });
  checkFields(places, problems);
  return { steps: root, serviceDay: places.get('hour')?.token.clock === 'service_day' };
}

/** @returns the steps in order, or every problem found (at least one). */
function compileSteps(source: string): Result<CompiledSteps, PatternProblem[]> {
  if (source.length === 0 || source.length > PATTERN_CHARACTERS_MAX) {
    return err([{ code: 'pattern_length', characters: source.length, charactersMax: PATTERN_CHARACTERS_MAX }]);
  }
  const problems: PatternProblem[] = [];
  const pieces = cut(source, problems);
  if (problems.length > 0) return err(problems); // the meaning of a misspelt letter is unknown: missing fields are not reported
  checkAdjacent(pieces, problems);
  const compiled = join(pieces, problems);
  return problems.length === 0 ? ok(compiled) : err(problems);
}

/**
 * What a text says before any zone is known.
 *
 * `local`: a wall-clock reading; `service`: time elapsed since noon minus twelve hours of a day; `instant`: a count
 * since 1970 in UTC. `finer`: digits four to seven of the fraction. `offsetMinutes`: as in the text, of any size.
 */
export type ParsedDateTime =
  | { kind: 'local'; localMs: number; finer: string; offsetMinutes: number | undefined }
  | { kind: 'service'; dayMs: number; elapsedMs: number; finer: string; offsetMinutes: number | undefined }
  | { kind: 'instant'; instantMs: number; finer: string };

/**
 * @property at the character at which the text stopped matching, counted from 0.
 * @property noSuchDay the text matches the pattern to its end, but the month has fewer days.
 */
interface ParseFailure {
  at: number;
  wanted: string;
  noSuchDay?: true;
}

export interface DateTimePattern {
  readonly source: string;
  parse(text: string): Result<ParsedDateTime, ParseFailure>;
}

/** Digits kept of a fraction, milliseconds included: the upstream has seven (seed 2.3). */
const FRACTION_DIGITS_MAX = 7;

const failure = ({ failedAt, wanted }: Cursor) => err({ at: failedAt, wanted });

const millisecondOf = (fraction: string): number => Number(fraction.slice(0, 3).padEnd(3, '0'));
const finerOf = (fraction: string): string => fraction.slice(3, FRACTION_DIGITS_MAX);

/** Runs the steps over the whole text. */
function fits(cursor: Cursor, steps: readonly Step[]): boolean {
  for (const step of steps) if (!step(cursor)) return false;
  if (cursor.at === cursor.text.length) return true;
  // An optional section that did not begin here could also have been here.
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

/** A step of the pattern letters, for the patterns composed below. */
function letters(run: string): Step {
  const token = TOKENS.get(run);
  if (token === undefined) throw new Error(`no such letters: ${run}`);
  return token.step;
}

/**
 * ISO 8601 extended form as systems write it: `T` or a space; seconds, fraction (point or comma) and offset are
 * optional.
 */
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

/**
 * More digits than a year below 5000 needs, so that milliseconds given as seconds are refused, not read as the far
 * future.
 */
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
const NAMED_PATTERNS: readonly string[] = [...NAMED.keys()];
/** Whether a pattern reads a moment, so that its day depends on a zone. */
export const readsMoment = (source: string): boolean => source === 'epochSeconds' || source === 'epochMillis';

/** Whether a pattern can read an offset from UTC: then not every record needs a zone. */
export const readsOffset = (source: string): boolean => source === 'iso' || /[XZ]/.test(source.replace(/'[^']*'/g, ''));

const NAMED_EXAMPLES: Readonly<Record<string, string>> = {
  iso: '2026-03-25T14:05:09-05:00',
  epochSeconds: '1774465509',
  epochMillis: '1774465509000',
};

/** A time as a pattern wants it, with its optional parts: `MM/dd/yyyy` → `03/25/2026`. */
export const exampleOf = (source: string): string =>
  NAMED_EXAMPLES[source] ??
  cut(source, [])
    .map((piece) =>
      piece.kind === 'token' ? writtenAs(piece.token.letters) : piece.kind === 'literal' ? piece.text : '',
    )
    .join('');

const NAMED_FORMS: Readonly<Record<string, string>> = {
  iso: 'ISO 8601 says',
  epochSeconds: 'seconds since 1970',
  epochMillis: 'milliseconds since 1970',
};

/** A pattern for people: `MM/dd/yyyy` → `month/day/year`, `yyyyMMdd` → `year, month, day without marks`. */
export function spokenPattern(source: string): string {
  const named = NAMED_FORMS[source];
  if (named !== undefined) return named;
  const pieces = cut(source, []);
  const isJoined = pieces.some(({ kind }, index) => kind === 'token' && pieces[index - 1]?.kind === 'token');
  const words = pieces.map((piece, index) => {
    if (piece.kind === 'mark') return piece.mark === '[' ? ' (' : ')';
    if (piece.kind === 'literal') return piece.text;
    return pieces[index - 1]?.kind === 'token' ? `, ${piece.token.field}` : piece.token.field;
  });
  return `${words.join('')}${isJoined ? ' without marks' : ''}`;
}

/** @returns a reader that matches only whole texts, or every problem of the pattern. */
export function compileDateTimePattern(source: string): Result<DateTimePattern, PatternProblem[]> {
  const named = NAMED.get(source);
  if (named !== undefined) return ok({ source, parse: named });
  const compiled = compileSteps(source);
  if (!compiled.ok) return compiled;
  return ok({ source, parse: (text) => parseFields(text, compiled.value) });
}
