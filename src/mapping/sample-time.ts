/**
 * Writes times the way a pattern reads them, the other direction of date-time-pattern.ts.
 *
 * Knows no zones: a time is a reading of the clock on the wall, and a pattern with an offset gets a fixed one.
 */
import { cut } from './date-time-grammar.ts';
import type { ParsedDateTime } from './date-time-pattern.ts';
import type { Token } from './date-time-tokens.ts';
import { rotated } from './sample-draft.ts';

/**
 * A text that a field is wanted to come to.
 *
 * @property cuts where it may be cut when it is spread over columns; seam where best.
 */
export interface WantedText {
  text: string;
  cuts?: readonly number[];
  seam?: number;
}

/** @property localMs the reading counted as though it were UTC; turn chooses between the forms a pattern leaves open. */
export interface WrittenTime {
  localMs: number;
  turn: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The first record's time of day, and how much later each further one is. */
const FIRST_MS = 6 * HOUR_MS;
const STEP_MS = 95.5 * MINUTE_MS;
/** How much later each further time of the same record is. */
const LATER_MS = 20 * MINUTE_MS;
/** Minutes east of UTC that are written where a pattern has an offset: Chicago's in summer. Any would do. */
const OFFSET_MINUTES = -300;
const OFFSET = { sign: '-', hours: '05', minutes: '00' };
/** Every third reading of a service day lies behind midnight: that is what the hour beyond 23 is for. */
const SERVICE_DAY_EVERY = 3;
/** What is added to a reading of the day: the first one is at six. */
const NIGHT_HOURS = 18;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** @property number of the record, counted from 1; later how many times of the record come before this one. */
export interface TimePlace {
  number: number;
  later: number;
}

const sinceMidnight = ({ number, later }: TimePlace): number => FIRST_MS + number * STEP_MS + later * LATER_MS;

/** The moment of a record, and the same a day and a week later for zones that change their clocks just then. */
export function momentsNear(dayMs: number, place: TimePlace): number[] {
  const moment = dayMs + sinceMidnight(place);
  return [moment, moment + DAY_MS, moment + 7 * DAY_MS];
}

/** The same time of day, on a day that stands fast. */
export const momentOn = (dayMs: number, place: TimePlace): number => dayMs + (sinceMidnight(place) % DAY_MS);

/** The day, at midnight, that a text was read as. */
export function dayOf(time: ParsedDateTime): number {
  if (time.kind === 'service') return time.dayMs;
  const ms = time.kind === 'local' ? time.localMs : time.instantMs;
  return ms - (((ms % DAY_MS) + DAY_MS) % DAY_MS);
}

/** @returns ways to write this moment, the pattern's open choices taken in turn. */
export function timeTexts(pattern: string, time: WrittenTime): WantedText[] {
  switch (pattern) {
    case 'iso':
      return isoTexts(time);
    case 'epochSeconds':
      return [{ text: String(Math.floor(instantOf(time) / 1_000)) }];
    case 'epochMillis':
      return [{ text: String(instantOf(time)) }];
    default:
      return rotated([true, false], time.turn).map((withSections) => patternText(pattern, time, withSections));
  }
}

const instantOf = ({ localMs }: WrittenTime): number => localMs - OFFSET_MINUTES * MINUTE_MS;

const SECOND_CHARACTERS = 'yyyy-mm-ddThh:mm:ss'.length;
const DAY_CHARACTERS = 'yyyy-mm-dd'.length;

function isoTexts(time: WrittenTime): WantedText[] {
  const local = new Date(time.localMs).toISOString().slice(0, SECOND_CHARACTERS);
  const utc = new Date(instantOf(time)).toISOString();
  const texts = [local, `${local}${OFFSET.sign}${OFFSET.hours}:${OFFSET.minutes}`, utc];
  return rotated(texts, time.turn).map((text) => ({ text, cuts: marksIn(text), seam: DAY_CHARACTERS }));
}

/** Before and behind everything that is no digit. */
const marksIn = (text: string): number[] =>
  [...text].flatMap((letter, index) => (/\d/.test(letter) ? [] : [index, index + 1]));

function patternText(pattern: string, time: WrittenTime, withSections: boolean): WantedText {
  const cuts: number[] = [];
  let text = '';
  let depth = 0;
  let before: 'day' | 'clock' | undefined;
  let beforeEnd = 0;
  let seam: number | undefined;
  for (const piece of cut(pattern, [])) {
    if (piece.kind === 'mark') depth += piece.mark === '[' ? 1 : -1;
    else if (depth === 0 || withSections) {
      text += piece.kind === 'literal' ? piece.text : tokenText(piece.token, time);
      cuts.push(text.length);
      if (piece.kind === 'literal') continue;
      const part = partOf(piece.token);
      if (before !== undefined && part !== before) seam ??= beforeEnd;
      before = part;
      beforeEnd = text.length;
    }
  }
  return { text, cuts, ...(seam === undefined ? {} : { seam }) };
}

const partOf = ({ field }: Token): 'day' | 'clock' =>
  field === 'year' || field === 'month' || field === 'day' ? 'day' : 'clock';

const digits = (value: number, letters: string): string => `${value}`.padStart(letters.length, '0');

function tokenText({ letters, field, clock }: Token, { localMs, turn }: WrittenTime): string {
  const at = new Date(localMs);
  switch (field) {
    case 'year':
      return letters === 'yy' ? digits(at.getUTCFullYear() % 100, letters) : digits(at.getUTCFullYear(), letters);
    case 'month':
      return monthText(letters, at.getUTCMonth());
    case 'day':
      return digits(at.getUTCDate(), letters);
    case 'hour':
      if (clock === 'half_day') return digits(at.getUTCHours() % 12 || 12, letters);
      if (clock === 'service_day') return digits(serviceHour(localMs, turn), 'HH');
      return digits(at.getUTCHours(), letters);
    case 'minute':
      return digits(at.getUTCMinutes(), letters);
    case 'second':
      return digits(at.getUTCSeconds(), letters);
    case 'fraction of a second':
      return '250'.padEnd(letters.length, '0').slice(0, letters.length);
    case 'AM/PM':
      return at.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'offset':
      return offsetText(letters);
  }
}

function monthText(letters: string, month: number): string {
  const name = MONTHS[month] ?? '';
  if (letters === 'MMMM') return name;
  return letters === 'MMM' ? name.slice(0, 3) : digits(month + 1, letters);
}

const serviceHour = (localMs: number, turn: number): number =>
  (Math.floor(localMs / HOUR_MS) % 24) + (turn % SERVICE_DAY_EVERY === SERVICE_DAY_EVERY - 1 ? NIGHT_HOURS : 0);

function offsetText(letters: string): string {
  const { sign, hours, minutes } = OFFSET;
  if (letters === 'X') return sign + hours;
  return letters === 'XXX' ? `${sign}${hours}:${minutes}` : sign + hours + minutes;
}
