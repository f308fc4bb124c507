/**
 * How the dates of a column are written, decided over the whole column: a day above 12 in row 217 decides for all rows.
 * What no row decides stays undecided, with the choices; nothing is guessed. Pure.
 */
import { daysInMonth } from '../../kernel/date-time.ts';
import { headOf } from '../../kernel/text.ts';
import { compileDateTimePattern } from '../values/date-time-pattern.ts';
import { VALUE_CHARACTERS_MAX } from './limits.ts';
import type { Confidence, Evidence } from './suggestion.ts';

/** Which part comes first. */
export type DateOrder = 'ymd' | 'mdy' | 'dmy';

export interface DecidedDates {
  kind: 'decided';
  patterns: string[];
  confidence: Confidence;
  reason: string;
  evidence: Evidence | null;
  /** How many of the values say their offset from UTC. */
  offsets: 'all' | 'some' | 'none';
  /** Seconds or milliseconds since 1970. */
  isEpoch: boolean;
  /** How many say a time of day. */
  times: 'all' | 'some' | 'none';
  /** Values that none of the patterns reads, and the first of them. */
  misses: number;
  firstMiss: Evidence | null;
}
interface UndecidedDates {
  kind: 'undecided';
  why: string;
  evidence: Evidence;
  choices: { order: DateOrder; says: string; decided: DecidedDates }[];
}
export type DateDecision = DecidedDates | UndecidedDates | { kind: 'none' };

/** One value for each record: the cells of its columns, joined by a blank. */
interface DateTexts {
  name: string;
  values: readonly string[];
}

/* A value is taken apart into its date and what follows it. */

interface Taken {
  /** Values of one form have one key: separators and kinds of parts, not their widths. */
  key: string;
  /** Digits of the three parts of the date, as written; a month's name stays a name. */
  parts: readonly [string, string, string];
  separators: readonly [string, string];
  /** The orders that this form allows at all. */
  orders: readonly DateOrder[];
  tail: Tail;
}

interface Tail {
  /** Between the date and the time. */
  glue: string;
  hour: string;
  minute: string;
  mark: string;
  seconds: string;
  fraction: string;
  half: string;
  offset: string;
}

const NO_TAIL: Tail = { glue: '', hour: '', minute: '', mark: '', seconds: '', fraction: '', half: '', offset: '' };
const NUMERIC: readonly DateOrder[] = ['mdy', 'dmy'];
const ALL_ORDERS: readonly DateOrder[] = ['ymd', 'mdy', 'dmy'];

const ISO = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|z|[+-]\d\d(?::?\d\d)?)?$/;
const ISO_OFFSET = /(?:Z|z|[+-]\d\d(?::?\d\d)?)$/;
const DIVIDED = /^(\d{1,4})([-./ ])(\d{1,2}|\p{L}{3,9})\.?([-./ ])(\d{1,4})(?=$|[^\d])(.*)$/su;
const COMPACT_DIVIDED = /^(\d{1,2})(\p{L}{3})(\d{4}|\d{2})(?=$|[^\d])(.*)$/su;
const NAME_FIRST = /^(\p{L}{3,9})(\.? )(\d{1,2})(,? )(\d{4})(.*)$/su;
const COMPACT = /^(\d{8}|\d{6})(?=$|[^\d])(.*)$/s;
const RUN_ON = /^(\d{8})(\d{2})(\d{2})(\d{2})?$/;
const TAIL =
  /^(, | - |T| +)(\d{1,2})([:.h]?)(\d{2})(?:\3(\d{2})(?:[.,](\d{1,9}))?)?( ?[AaPp]\.?[Mm]\.?)?( ?(?:Z|[+-]\d{2}(?::?\d{2})?))?$/;

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const monthNamed = (name: string): number =>
  MONTHS.findIndex((month) => month === name.toLowerCase() || month.slice(0, 3) === name.toLowerCase()) + 1;

function tailOf(text: string): Tail | null {
  if (text === '') return NO_TAIL;
  const match = TAIL.exec(text);
  if (match === null) return null;
  const [, glue = '', hour = '', mark = '', minute = '', seconds = '', fraction = '', half = '', offset = ''] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || (mark === '' && hour.length < 2)) return null;
  return { glue, hour, minute, mark, seconds, fraction, half, offset };
}

const tailKey = ({ glue, mark, fraction, half, offset, hour }: Tail): string =>
  hour === ''
    ? ''
    : [
        glue,
        mark,
        fraction.length,
        half === '' ? '' : half.startsWith(' ') ? ' a' : 'a',
        offset.replace(/\d/g, '9'),
      ].join('|');

function taken(value: string): Taken | null {
  const runOn = RUN_ON.exec(value);
  if (runOn) {
    const [, date = '', hour = '', minute = '', seconds = ''] = runOn;
    return compact(date, { ...NO_TAIL, hour, minute, seconds }, 'run');
  }
  const together = COMPACT.exec(value);
  if (together) {
    const tail = tailOf(together[2] ?? '');
    return tail === null ? null : compact(together[1] ?? '', tail, 'compact');
  }
  const named = NAME_FIRST.exec(value);
  if (named) {
    const [, name = '', first = '', day = '', second = '', year = '', rest = ''] = named;
    const tail = tailOf(rest);
    if (tail === null || monthNamed(name) === 0) return null;
    return form('named', [name, day, year], [first, second], ['mdy'], tail);
  }
  const divided = DIVIDED.exec(value);
  if (divided) return dividedDate(divided);
  const short = COMPACT_DIVIDED.exec(value);
  if (short === null) return null;
  const [, day = '', name = '', year = '', rest = ''] = short;
  const tail = tailOf(rest);
  return tail === null || monthNamed(name) === 0 ? null : form('short', [day, name, year], ['', ''], ['dmy'], tail);
}

function dividedDate([
  ,
  first = '',
  separator = '',
  second = '',
  other = '',
  third = '',
  rest = '',
]: string[]): Taken | null {
  const tail = tailOf(rest);
  if (tail === null || separator !== other) return null;
  const parts = [first, second, third] as const;
  if (/\p{L}/u.test(second)) {
    if (monthNamed(second) === 0 || third.length === 3 || first.length > 2) return null;
    return form('divided', parts, [separator, other], ['dmy'], tail);
  }
  if (first.length === 4) return third.length > 2 ? null : form('divided', parts, [separator, other], ['ymd'], tail);
  if (first.length > 2 || third.length === 3) return null;
  return form('divided', parts, [separator, other], third.length === 4 ? NUMERIC : ALL_ORDERS, tail);
}

function compact(digits: string, tail: Tail, kind: string): Taken {
  const key = `${kind}${digits.length}|${tailKey(tail)}|${kind === 'run' ? tail.seconds.length : ''}`;
  // Where a year of four digits is depends on the order; `partsIn` cuts it.
  return { key, parts: [digits, '', ''], separators: ['', ''], orders: ALL_ORDERS, tail };
}

function form(
  kind: string,
  parts: Taken['parts'],
  separators: Taken['separators'],
  orders: readonly DateOrder[],
  tail: Tail,
): Taken {
  const yearDigits = parts.map(({ length }) => (length === 4 ? 4 : 2)).join('');
  const isName = parts.map((part) => (/\p{L}/u.test(part) ? (part.length > 3 ? 'N' : 'n') : '9')).join('');
  return { key: [kind, ...separators, isName, yearDigits, tailKey(tail)].join('|'), parts, separators, orders, tail };
}

/* What a date is in one order, and whether there is such a day. */

/** Years that events and orders of today can have: a misread order shows by a year outside. */
const YEARS = { from: 1995, to: 2060 };

interface Parts {
  year: string;
  month: string;
  day: string;
}

function partsIn({ parts }: Taken, order: DateOrder): Parts {
  const [first, second, third] = cutParts(parts, order);
  if (order === 'ymd') return { year: first, month: second, day: third };
  return order === 'mdy' ? { year: third, month: first, day: second } : { year: third, month: second, day: first };
}

/** Cuts digits that run on. */
function cutParts([first, second, third]: Taken['parts'], order: DateOrder): readonly [string, string, string] {
  if (second !== '') return [first, second, third];
  const year = first.length === 8 ? 4 : 2;
  const cuts = order === 'ymd' ? [0, year, year + 2] : [0, 2, 4];
  return [first.slice(cuts[0], cuts[1]), first.slice(cuts[1], cuts[2]), first.slice(cuts[2])];
}

function isDay(value: Taken, order: DateOrder): boolean {
  if (!value.orders.includes(order)) return false;
  const { year, month, day } = partsIn(value, order);
  const monthNumber = /^\d+$/.test(month) ? Number(month) : monthNamed(month);
  const yearNumber = year.length === 4 ? Number(year) : 2000 + Number(year);
  if (!/^\d+$/.test(year) || !/^\d+$/.test(day) || monthNumber < 1 || monthNumber > 12) return false;
  if (yearNumber < YEARS.from || yearNumber > YEARS.to) return false;
  return Number(day) >= 1 && Number(day) <= daysInMonth(yearNumber, monthNumber);
}

/* All values of a column → one decision. */

interface Read {
  row: number;
  value: string;
  taken: Taken;
}

/** @param chosen by a person. @param known of the format, where no value decides. */
export function decideDates(texts: DateTexts, chosen?: string, known?: DateOrder): DateDecision {
  const filled = texts.values.flatMap((value, index) => (value === '' ? [] : [{ row: index + 1, value }]));
  if (filled.length === 0) return { kind: 'none' };
  const epoch = epochOf(texts, filled);
  if (epoch !== null) return epoch;
  const iso = filled.filter(({ value }) => ISO.test(value) && isDay(taken(value.slice(0, 10)) ?? NEVER, 'ymd'));
  const others = filled.filter(({ value }) => !ISO.test(value));
  const read = others.flatMap(({ row, value }): Read[] => {
    const found = taken(value);
    return found !== null && ALL_ORDERS.some((order) => isDay(found, order)) ? [{ row, value, taken: found }] : [];
  });
  if ((read.length + iso.length) * 2 < filled.length) return { kind: 'none' };
  if (read.length === 0) return decidedOf(texts, 'ymd', [], iso.length > 0, null);
  return decideOrder(texts, read, iso.length > 0, { chosen, known });
}

const NEVER: Taken = { key: '', parts: ['', '', ''], separators: ['', ''], orders: [], tail: NO_TAIL };

function decideOrder(
  texts: DateTexts,
  read: readonly Read[],
  hasIso: boolean,
  { chosen, known }: { chosen: string | undefined; known: DateOrder | undefined },
): DateDecision {
  const reading = ALL_ORDERS.map((order) => ({ order, reads: read.filter((each) => isDay(each.taken, order)).length }));
  // A form of its own for each order, such as 2026-03-02 beside 3/2/2026: each is decided for itself.
  const fixed = read.filter(({ taken: { orders } }) => orders.length === 1);
  const open = read.filter(({ taken: { orders } }) => orders.length > 1);
  if (open.length === 0) return decidedOf(texts, fixed[0]?.taken.orders[0] ?? 'ymd', read, hasIso, null);
  const possible = ALL_ORDERS.filter((order) => open.every((each) => isDay(each.taken, order)));
  const [only, ...others] = possible;
  if (only !== undefined && others.length === 0)
    return decidedOf(texts, only, read, hasIso, decider(texts, open, only));
  const left = possible.length > 0 ? possible : reading.filter(({ reads }) => reads > 0).map(({ order }) => order);
  const answer = left.find((order) => order === chosen);
  if (answer !== undefined) {
    return { ...decidedOf(texts, answer, read, hasIso, null), reason: 'As you answered.', confidence: 'sure' };
  }
  if (known !== undefined && possible.includes(known)) {
    const reason = 'No value decides it; the format writes its dates in this order.';
    return { ...decidedOf(texts, known, read, hasIso, null), reason, confidence: 'likely' };
  }
  return undecided(texts, open, left, possible.length > 0, (order) => decidedOf(texts, order, read, hasIso, null));
}

/** The first value that no other order can read. */
function decider(texts: DateTexts, open: readonly Read[], order: DateOrder): Evidence | null {
  const others = ALL_ORDERS.filter(
    (other) => other !== order && open.some((each) => each.taken.orders.includes(other)),
  );
  const found = others
    .map((other) => open.find((each) => !isDay(each.taken, other)))
    .filter((each) => each !== undefined);
  const last = found.reduce<Read | undefined>(
    (latest, each) => (latest === undefined || each.row > latest.row ? each : latest),
    undefined,
  );
  return last === undefined ? null : evidenceOf(texts, last);
}

const evidenceOf = ({ name }: DateTexts, { row, value }: { row: number; value: string }): Evidence => ({
  row,
  column: name,
  value: headOf(value, VALUE_CHARACTERS_MAX),
});

function undecided(
  texts: DateTexts,
  open: readonly Read[],
  left: readonly DateOrder[],
  isOpen: boolean,
  decided: (order: DateOrder) => DecidedDates,
): DateDecision {
  const shown = open.find((each) => left.every((order) => isDay(each.taken, order))) ?? open[0];
  if (shown === undefined) return { kind: 'none' };
  const why = isOpen
    ? `No row of ${open.length} decides it: every date can be read in more than one way.`
    : 'Rows disagree: no order reads all of them.';
  const choices = left.map((order) => ({ order, says: orderSays(shown, order), decided: decided(order) }));
  return { kind: 'undecided', why, evidence: evidenceOf(texts, shown), choices };
}

const ORDER_SAYS: Record<DateOrder, string> = { ymd: 'Year first', mdy: 'Month first', dmy: 'Day first' };

function orderSays({ value, taken: found }: Read, order: DateOrder): string {
  const { year, month, day } = partsIn(found, order);
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return `${ORDER_SAYS[order]}.`;
  const whole = year.length === 2 ? `20${year}` : year;
  return `${ORDER_SAYS[order]}: ${value} is ${Number(day)} ${name[0]?.toUpperCase()}${name.slice(1)} ${whole}.`;
}

/* Patterns for the forms that are met. */

function decidedOf(
  texts: DateTexts,
  order: DateOrder,
  read: readonly Read[],
  hasIso: boolean,
  evidence: Evidence | null,
): DecidedDates {
  const groups = Map.groupBy(read, (each) => each.taken.key);
  const forms = [...groups.values()].map((each) => patternFor(each, order));
  const patterns = [...(hasIso ? ['iso'] : []), ...new Set(forms)].slice(0, PATTERNS_SUGGESTED_MAX);
  const missed = missesOf(texts, patterns);
  const filled = texts.values.filter((value) => value !== '');
  const withTime = filled.filter((value) => ISO.test(value) || taken(value)?.tail.hour).length;
  const withOffset = filled.filter((value) =>
    ISO.test(value) ? ISO_OFFSET.test(value.slice(10)) : taken(value)?.tail.offset,
  ).length;
  const share = missed.length / Math.max(1, filled.length);
  const reason =
    evidence === null
      ? patterns.length > 1
        ? `${patterns.length} forms occur; each can be read in one way only.`
        : 'Its form can be read in one way only.'
      : `Row ${evidence.row} decides it: ${evidence.value} can be read in one way only.`;
  return {
    kind: 'decided',
    patterns,
    confidence: share === 0 ? 'sure' : share < MISSES_LIKELY ? 'likely' : 'unsure',
    reason: missed.length === 0 ? reason : `${reason} ${missed.length} of ${filled.length} values are no such date.`,
    evidence,
    offsets: countWord(withOffset, filled.length),
    isEpoch: false,
    times: countWord(withTime, filled.length),
    misses: missed.length,
    firstMiss: missed[0] === undefined ? null : evidenceOf(texts, missed[0]),
  };
}

/** Patterns that are proposed at most: more forms in one column are not one kind of date. */
const PATTERNS_SUGGESTED_MAX = 6;
/** Share of values that cannot be read, up to which the form is still likely. */
const MISSES_LIKELY = 0.1;

const countWord = (count: number, all: number): 'all' | 'some' | 'none' =>
  count === 0 ? 'none' : count === all ? 'all' : 'some';

function missesOf({ values }: DateTexts, patterns: readonly string[]): { row: number; value: string }[] {
  const readers = patterns.flatMap((pattern) => {
    const compiled = compileDateTimePattern(pattern);
    return compiled.ok ? [compiled.value] : [];
  });
  return values.flatMap((value, index) =>
    value === '' || readers.some((reader) => reader.parse(value).ok) ? [] : [{ row: index + 1, value }],
  );
}

function patternFor(group: readonly Read[], order: DateOrder): string {
  const [first] = group;
  if (first === undefined) return '';
  const own = first.taken.orders.includes(order) ? order : (first.taken.orders[0] ?? order);
  const all = group.map((each) => partsIn(each.taken, own));
  const width = (texts: readonly string[], letter: string): string =>
    texts.some((text) => text.length === 1) ? letter : letter + letter;
  const isNamed = /\p{L}/u.test(all[0]?.month ?? '');
  const letters: Record<'y' | 'm' | 'd', string> = {
    y: (all[0]?.year.length ?? 4) === 4 ? 'yyyy' : 'yy',
    m: isNamed
      ? (all[0]?.month.length ?? 3) > 3
        ? 'MMMM'
        : 'MMM'
      : width(
          all.map(({ month }) => month),
          'M',
        ),
    d: width(
      all.map(({ day }) => day),
      'd',
    ),
  };
  const [one = 'y', two = 'm', three = 'd'] = own.split('') as ('y' | 'm' | 'd')[];
  const [left, right] = first.taken.separators;
  return `${letters[one]}${left}${letters[two]}${right}${letters[three]}${tailPattern(group.map((each) => each.taken.tail))}`;
}

function tailPattern(tails: readonly Tail[]): string {
  const [first] = tails;
  if (first === undefined || first.hour === '') return '';
  const isNarrow = tails.some(({ hour }) => hour.length === 1);
  const hour = first.half === '' ? (isNarrow ? 'H' : 'HH') : isNarrow ? 'h' : 'hh';
  const mark = first.mark === 'h' ? "'h'" : first.mark;
  const withSeconds = tails.filter(({ seconds }) => seconds !== '').length;
  const fraction = first.fraction === '' ? '' : `.${'S'.repeat(first.fraction.length)}`;
  const seconds = withSeconds === 0 ? '' : withSeconds === tails.length ? `${mark}ss${fraction}` : `[${mark}ss]`;
  const glue = first.glue === 'T' ? "'T'" : first.glue;
  return `${glue}${hour}${mark}mm${seconds}${halfPattern(first)}${offsetPattern(first)}`;
}

const halfPattern = ({ half }: Tail): string => (half === '' ? '' : half.startsWith(' ') ? ' a' : 'a');

function offsetPattern({ offset }: Tail): string {
  if (offset === '') return '';
  const glue = offset.startsWith(' ') ? ' ' : '';
  const bare = offset.trim();
  if (bare === 'Z' || bare.includes(':')) return `${glue}XXX`;
  return bare.length === 3 ? `${glue}X` : `${glue}XX`;
}

/* Seconds and milliseconds since 1970. */

const EPOCH_SECONDS = /^1\d{9}(?:\.\d{1,9})?$/;
const EPOCH_MILLIS = /^1\d{12}$/;

function epochOf(texts: DateTexts, filled: readonly { row: number; value: string }[]): DecidedDates | null {
  for (const [pattern, form, unit] of [
    ['epochSeconds', EPOCH_SECONDS, 'seconds'],
    ['epochMillis', EPOCH_MILLIS, 'milliseconds'],
  ] as const) {
    if (!filled.every(({ value }) => form.test(value))) continue;
    const [first] = filled;
    return {
      kind: 'decided',
      patterns: [pattern],
      confidence: 'likely',
      reason: `The numbers are dates of 2001 or later when counted in ${unit} since 1970.`,
      evidence: first === undefined ? null : evidenceOf(texts, first),
      offsets: 'all',
      isEpoch: true,
      times: 'all',
      misses: 0,
      firstMiss: null,
    };
  }
  return null;
}
