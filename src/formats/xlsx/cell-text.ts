/** Converts one stored cell to the text that a person sees. Pure. */
import { DAY_MS } from '../../kernel/clock.ts';
import type { MomentText } from './declaration.ts';
import { SMALL_PART_BYTES_MAX, STYLES_MAX } from './limits.ts';
import { type SharedStrings, unescaped } from './shared-strings.ts';
import { bounded, readXml, type WorkbookParts, wholeNumber } from './workbook.ts';

/* Classifies a number format: shows a date, a time of day, both, or a length of time. */

/** `elapsed`: hours that count beyond 24, such as `[h]:mm`. */
type DateKind = 'date' | 'time' | 'date_time' | 'elapsed';

/**
 * Formats that are defined by number alone (ECMA-376-1 18.8.30); those of East Asian languages are 27 to 36 and 50 to
 * 58.
 */
export function builtInKind(id: number): DateKind | undefined {
  if (id >= 14 && id <= 17) return 'date';
  if ((id >= 18 && id <= 21) || id === 45 || id === 47) return 'time';
  if (id === 22) return 'date_time';
  if (id === 46) return 'elapsed';
  if (id === 32 || id === 33 || id === 55 || id === 56) return 'time';
  return (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'date' : undefined;
}

/** Ours: more digits than a number keeps. A longer run of zeros is not a number format. */
const ZEROS_MAX = 30;

/**
 * @returns how many digits a format of zeros alone shows at least, such as `000000`: for numbers that are really names.
 */
function zerosOf(code: string): number | undefined {
  const [positive = ''] = code.split(';', 1);
  return positive.length > 1 && positive.length <= ZEROS_MAX && /^0+$/.test(positive) ? positive.length : undefined;
}

/** Letters by which a format shows parts of a date or time, each run of them one part. */
const PART_LETTERS = new Set(['y', 'm', 'd', 'h', 's', 'e', 'b']);
const ELAPSED = /^\[(?:h+|m+|s+)\]/i;
const HALF_DAY = /^(?:am\/pm|a\/p)/i;

/**
 * @param code as the workbook has it. Only its first section is read: that of positive numbers (ECMA-376-1 18.8.31).
 */
export function formatKind(code: string): DateKind | undefined {
  const parts = partsOf(code);
  const isMinute = (at: number): boolean =>
    parts[at] === 'm' && (parts[at - 1] === 'h' || parts[at - 1] === '[' || parts[at + 1] === 's');
  const isTime = parts.some((part, at) => 'hs['.includes(part) || isMinute(at));
  const isDate = parts.some((part, at) => 'ydeb'.includes(part) || part === 'M' || (part === 'm' && !isMinute(at)));
  if (isDate) return isTime ? 'date_time' : 'date';
  if (!isTime) return undefined;
  return parts.includes('[') ? 'elapsed' : 'time';
}

/** First letters of the runs, in order; `[` means elapsed time, `M` a month written as a word. */
function partsOf(code: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < code.length; ) {
    const character = code.charAt(at);
    const letter = character.toLowerCase();
    if (character === ';') break;
    if (character === '"') at = after(code, '"', at + 1);
    else if (character === '\\' || character === '_' || character === '*') at += 2;
    else if (character === '[') {
      if (ELAPSED.test(code.slice(at, at + 12))) parts.push('[');
      at = after(code, ']', at + 1);
    } else if (letter === 'a' && HALF_DAY.test(code.slice(at, at + 5))) {
      at += code.charAt(at + 1) === '/' ? 3 : 5;
    } else if (letter === 'g' && /^general/i.test(code.slice(at, at + 7))) {
      at += 7;
    } else if (PART_LETTERS.has(letter)) {
      let end = at + 1;
      while (code.charAt(end).toLowerCase() === letter) end++;
      // E+ and E- are exponents.
      const isExponent = letter === 'e' && (code.charAt(end) === '+' || code.charAt(end) === '-');
      if (!isExponent) parts.push(letter === 'm' && end - at > 2 ? 'M' : letter);
      at = end;
    } else at += 1;
  }
  return parts;
}

function after(code: string, mark: string, from: number): number {
  const at = code.indexOf(mark, from);
  return at === -1 ? code.length : at + 1;
}

/*
 * Day numbers and ISO dates of cells → one form of text: `2026-03-02`, `2026-03-02 08:15:00`, `08:15:00`.
 *
 * A workbook does not say its zone; the mapping does.
 */

/** How the workbook counts days: system 1904 is that of old Macs. */
interface DateSystem {
  is1904: boolean;
}

const DAY_SECONDS = 86_400;
/** Day 0 of each system. 1900 was not a leap year, but system 1900 has a 29 February, day 60 (ECMA-376-1 18.17.4.1). */
const DAY_0_BEFORE_FALSE_DAY_MS = Date.UTC(1899, 11, 31);
const DAY_0_MS = Date.UTC(1899, 11, 30);
const DAY_0_OF_1904_MS = Date.UTC(1904, 0, 1);
const FALSE_DAY = 60;
const FIRST_DAY_AFTER_9999_MS = Date.UTC(10_000, 0, 1);

/**
 * @param days with the time as fraction, rounded to the second. @param moment as `cellText` has it. @returns undefined if there is no such date: Excel
 * shows none either.
 */
export function dateText(days: number, kind: DateKind, system: DateSystem, moment?: MomentText): string | undefined {
  const seconds = Math.round(days * DAY_SECONDS);
  if (!(seconds >= 0)) return undefined;
  if (kind === 'elapsed') return clockText(seconds);
  const day = Math.floor(seconds / DAY_SECONDS);
  const date = dayText(day, system);
  if (date === undefined) return undefined;
  const ofDay = seconds - day * DAY_SECONDS;
  const inForm = moment?.(momentOf(date, ofDay, kind));
  if (inForm !== undefined) return inForm;
  const time = clockText(ofDay);
  switch (kind) {
    case 'date':
      return date;
    case 'time':
      return time;
    case 'date_time':
      return `${date} ${time}`;
  }
}

/** Of a day that no calendar has, the time alone. */
function momentOf(date: string, ofDay: number, kind: DateKind): Parameters<MomentText>[0] {
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(date);
  return { localMs: (isDay ? dayMs : 0) + ofDay * 1_000, hasDate: isDay && kind !== 'time', hasTime: kind !== 'date' };
}

function dayText(day: number, { is1904 }: DateSystem): string | undefined {
  if (!is1904 && day === 0) return '1900-01-00'; // as Excel shows a time without a date
  if (!is1904 && day === FALSE_DAY) return '1900-02-29';
  const day0Ms = is1904 ? DAY_0_OF_1904_MS : day < FALSE_DAY ? DAY_0_BEFORE_FALSE_DAY_MS : DAY_0_MS;
  const ms = day0Ms + day * DAY_MS;
  return ms < FIRST_DAY_AFTER_9999_MS ? new Date(ms).toISOString().slice(0, 10) : undefined;
}

function clockText(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** ISO 8601 as cells of kind `d` have it: a date, a time, or both, never with an offset (ECMA-376-1 18.17.4.2). */
const ISO = /^(?:(\d{4}-\d\d-\d\d)(?:T(?=\d)|$))?(?:(\d\d):(\d\d)(?::(\d\d(?:\.\d{1,12})?))?Z?)?$/;

/**
 * @param kind of the cell's style; undefined: as much as is written. @returns undefined if it is not an ISO date, or there
 * is no such day or time: it stays as written, so that casting it fails visibly.
 */
export function isoDateText(written: string, kind: DateKind | undefined, moment?: MomentText): string | undefined {
  const [, date, hours, minutes, seconds = '0'] = ISO.exec(written.trim()) ?? [];
  const dayMs = date === undefined ? 0 : Date.parse(`${date}T00:00:00Z`);
  if ((date === undefined && hours === undefined) || Number.isNaN(dayMs)) return undefined;
  if (date !== undefined && !new Date(dayMs).toISOString().startsWith(date)) return undefined;
  const exact = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds);
  if (exact > DAY_SECONDS || Number(minutes ?? 0) >= 60 || Number(seconds) >= 60) return undefined;
  const time = Math.round(exact);
  const shown = date === undefined ? 'time' : (kind ?? (hours === undefined ? 'date' : 'date_time'));
  const inForm = moment?.({ localMs: dayMs + time * 1_000, hasDate: shown !== 'time', hasTime: shown !== 'date' });
  if (inForm !== undefined) return inForm;
  if (date === undefined) return clockText(time);
  const at = new Date(dayMs + time * 1_000).toISOString();
  if (shown === 'date') return at.slice(0, 10);
  return shown === 'date_time' ? `${at.slice(0, 10)} ${at.slice(11, 19)}` : at.slice(11, 19);
}

/* A stored number → the plain decimal text that a person sees: no exponent, no binary noise. */

/** Excel shows and keeps 15 significant digits (Excel specifications and limits). */
const SIGNIFICANT_DIGITS = 15;
const INTEGER = /^-?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/;

/**
 * @returns an integer with all its digits: a program other than Excel may have written more than 15 of them, and none
 * is noise. What is not a number is returned unchanged, so that casting it fails visibly.
 */
export function numberText(written: string): string {
  const text = written.trim();
  if (INTEGER.test(text)) return text;
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? plainDecimal(value) : written;
}

function plainDecimal(value: number): string {
  const [mantissa = '', exponentText = '0'] = Math.abs(value)
    .toExponential(SIGNIFICANT_DIGITS - 1)
    .split('e');
  const digits = mantissa.replace('.', '').replace(/0+$/, '');
  if (digits === '') return '0';
  const point = Number(exponentText) + 1;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  return `${value < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/*
 * Cell styles: which of them show a number as a date or time, or with leading zeros. A cell refers to a style by
 * number.
 */

/** `zeros`: a whole number is shown with at least this many digits. */
type CellStyle = { kind: DateKind } | { zeros: number };

/** By number of the style, from 0; undefined: a plain number. */
type CellStyles = readonly (CellStyle | undefined)[];

/** Throws a refusal. */
export async function readCellStyles(parts: WorkbookParts, part: string | undefined): Promise<CellStyles> {
  if (part === undefined || !parts.has(part)) return [];
  const formats = new Map<number, CellStyle | undefined>();
  const formatOf: number[] = [];
  let within = '';
  await readXml(part, parts.bytesOf(part, SMALL_PART_BYTES_MAX), {
    open(name, attribute) {
      if (name === 'numFmts' || name === 'cellXfs') within = name;
      else if (name === 'numFmt' && within === 'numFmts') {
        bounded(part, 'number formats', formats.size, STYLES_MAX);
        formats.set(wholeNumber(attribute, 'numFmtId') ?? -1, styleOf(attribute('formatCode') ?? ''));
      } else if (name === 'xf' && within === 'cellXfs') {
        bounded(part, 'cell styles', formatOf.length, STYLES_MAX);
        formatOf.push(wholeNumber(attribute, 'numFmtId') ?? 0);
      }
    },
    text: () => undefined,
    close(name) {
      if (name === within) within = '';
    },
  });
  return formatOf.map((id) => (formats.has(id) ? formats.get(id) : dateStyle(builtInKind(id))));
}

const dateStyle = (kind: DateKind | undefined): CellStyle | undefined => kind && { kind };

function styleOf(code: string): CellStyle | undefined {
  const zeros = zerosOf(code);
  return zeros === undefined ? dateStyle(formatKind(code)) : { zeros };
}

export interface StoredCell {
  /** `t` of the cell (ECMA-376-1 18.18.11). */
  kind: string;
  style: number;
  /** Its stored value; of a formula, the last computed result. A program that computes nothing stores none. */
  value: string;
  hasValue: boolean;
  isFormula: boolean;
  inline: string;
}

export interface CellContext extends DateSystem {
  strings: SharedStrings;
  styles: CellStyles;
  /** Every date with its time, whatever part of it the style shows. */
  wholeDates: boolean;
}

/** Marks a formula that was never computed: no cast, no code list and no text that is sent accepts it. */
export const NOT_CALCULATED = '#NOT_CALCULATED!';

/**
 * @param moment the form of its column's dates and times; undefined: ours.
 * @returns undefined if the cell refers to a shared string that does not exist. An error is its own text: casting it
 * fails visibly.
 */
export function cellText(cell: StoredCell, context: CellContext, moment?: MomentText): string | undefined {
  if (cell.isFormula && !isCalculated(cell)) return NOT_CALCULATED;
  const { kind, style, value, inline } = cell;
  switch (kind) {
    case 's':
      return value.trim() === '' ? '' : context.strings.get(Number(value));
    case 'inlineStr':
      return inline;
    case 'str':
      return unescaped(value);
    case 'b':
      return booleanText(value.trim());
    case 'e':
      return value;
    case 'd':
      return isoDateText(value, shownKind(context, style), moment) ?? value;
    default:
      return numberOrDate(value, style, context, moment);
  }
}

/** The result of a formula may be an empty text, which is then stored as one. */
function isCalculated({ kind, value, hasValue }: StoredCell): boolean {
  if (kind === 'inlineStr') return true;
  return kind === 'str' ? hasValue : value.trim() !== '';
}

function numberOrDate(value: string, style: number, context: CellContext, moment?: MomentText): string {
  const kind = shownKind(context, style);
  if (kind === undefined || value.trim() === '') return withZeros(numberText(value), context.styles[style]);
  return dateText(Number(value), kind, context, moment) ?? numberText(value);
}

const WHOLE = /^-?\d+$/;

/** As the cell shows it: in a column of `000000`, a six-digit part number keeps its leading zeros. */
function withZeros(text: string, style: CellStyles[number]): string {
  if (style === undefined || !('zeros' in style) || !WHOLE.test(text)) return text;
  return text.startsWith('-') ? `-${text.slice(1).padStart(style.zeros, '0')}` : text.padStart(style.zeros, '0');
}

function shownKind({ styles, wholeDates }: CellContext, style: number): DateKind | undefined {
  const found = styles[style];
  const kind = found !== undefined && 'kind' in found ? found.kind : undefined;
  return wholeDates && (kind === 'date' || kind === 'time') ? 'date_time' : kind;
}

function booleanText(value: string): string {
  if (value === '1' || value === 'true') return 'TRUE';
  return value === '0' || value === 'false' ? 'FALSE' : value;
}
