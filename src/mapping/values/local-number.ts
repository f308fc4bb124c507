/**
 * Reads a number as people and programs write it locally, and rounds decimal text without binary error.
 *
 * Strict: the marks are declared, never guessed from the digits. Pure and total: errors are facts, not sentences.
 */
import { ROUND_DECIMALS_MAX } from '../limits.ts';

export type DecimalMark = '.' | ',';
export type ThousandsMark = '.' | ',' | ' ' | "'";

/** `thousands` absent: no grouping. Equal marks would be ambiguous: then grouping is not read. */
export interface NumberMarks {
  decimal: DecimalMark;
  thousands?: ThousandsMark;
}

export type LocalNumberFault =
  | 'empty'
  | 'not_a_number'
  | 'decimal_mark' // a number, if the other decimal mark were declared
  | 'thousands_mark' // grouped by an undeclared mark, or by the declared one but not at every third digit
  | 'too_long'; // more digits than a number holds exactly

/** `text` is the canonical form of the value: "-1234.5"; no plus, no grouping, no redundant zeros. */
type LocalNumber = { ok: true; value: number; text: string } | { ok: false; fault: LocalNumberFault };

/** Digits that any binary double returns as written (IEEE 754: 15), overall and after the decimal mark. */
export const DIGITS_MAX = 15;

/** A blank may be an ordinary, no-break or narrow no-break one; an apostrophe may be curled. */
const SPELLINGS = new Map<string, string>([
  ['.', '\\.'],
  [',', ','],
  [' ', '[ \\u00a0\\u202f]'],
  ["'", "['\\u2019]"],
]);

interface Forms {
  /** Whole digits, then decimals. */
  plain: RegExp;
  /** As `plain`, with the declared mark at every third digit. */
  grouped: RegExp | undefined;
  thousands: RegExp | undefined;
}

function formsOf(decimal: string, thousands: string | undefined): Forms {
  const mark = SPELLINGS.get(decimal);
  const group = thousands === decimal ? undefined : SPELLINGS.get(thousands ?? '');
  return {
    plain: new RegExp(`^(\\d+)(?:${mark}(\\d+))?$`),
    grouped: group === undefined ? undefined : new RegExp(`^(\\d{1,3}(?:${group}\\d{3})+)(?:${mark}(\\d+))?$`),
    thousands: group === undefined ? undefined : new RegExp(group, 'g'),
  };
}

const THOUSANDS_MARKS = ['.', ',', ' ', "'"] as const;
/** Each pair of marks once: millions of rows share eight at most. */
const FORMS = new Map<string, Forms>();

function formsFor(decimal: string, thousands: string | undefined): Forms {
  const key = decimal + (thousands ?? '');
  const known = FORMS.get(key);
  if (known !== undefined) return known;
  const forms = formsOf(decimal, thousands);
  FORMS.set(key, forms);
  return forms;
}

/** Sign before or after, or parentheses as in ledgers; one of them. U+2212 is the typographic minus. */
const SIGNED = /^(?:([+\-\u2212]?)([^+\-\u2212()]+)|([^+\-\u2212()]+)([+\-\u2212])|\(([^+\-\u2212()]+)\))$/;

export function readLocalNumber(text: string, marks: NumberMarks): LocalNumber {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, fault: 'empty' };
  const signed = SIGNED.exec(trimmed);
  if (signed === null) return { ok: false, fault: 'not_a_number' };
  const [, before = '', leading, trailing, behind = '', enclosed] = signed;
  const body = leading ?? trailing ?? enclosed ?? '';
  const digits = digitsOf(body, formsFor(marks.decimal, marks.thousands));
  if (digits === undefined) return { ok: false, fault: faultOf(body, marks) };
  const whole = digits.whole.replace(/^0+(?=\d)/, '');
  const decimals = digits.decimals.replace(/0+$/, '');
  if (significantDigits(whole, decimals) > DIGITS_MAX || decimals.length > DIGITS_MAX) {
    return { ok: false, fault: 'too_long' };
  }
  const magnitude = decimals === '' ? whole : `${whole}.${decimals}`;
  const isNegative = (enclosed !== undefined || /[-\u2212]/.test(before + behind)) && magnitude !== '0';
  const canonical = isNegative ? `-${magnitude}` : magnitude;
  return { ok: true, value: Number(canonical), text: canonical };
}

function digitsOf(body: string, forms: Forms): { whole: string; decimals: string } | undefined {
  const match = forms.plain.exec(body) ?? forms.grouped?.exec(body);
  if (match === null || match === undefined) return undefined;
  const [, whole = '', decimals = ''] = match;
  return { whole: forms.thousands === undefined ? whole : whole.replace(forms.thousands, ''), decimals };
}

const significantDigits = (whole: string, decimals: string): number =>
  whole === '0' ? decimals.replace(/^0+/, '').length : whole.length + decimals.length;

/** Why a text is no number under the declared marks. The other decimal mark is checked first: "12,5" and "1.234,5". */
function faultOf(body: string, { decimal, thousands }: NumberMarks): LocalNumberFault {
  const readings = (mark: DecimalMark) =>
    THOUSANDS_MARKS.flatMap((group) => digitsOf(body, formsFor(mark, group)) ?? []);
  if (readings(decimal === '.' ? ',' : '.').some(({ decimals }) => decimals !== '')) return 'decimal_mark';
  if (readings(decimal).length > 0) return 'thousands_mark';
  const group = formsFor(decimal, thousands).thousands;
  if (group === undefined || !/^\d.*\d$/.test(body)) return 'not_a_number';
  return formsFor(decimal, undefined).plain.test(body.replace(group, '')) ? 'thousands_mark' : 'not_a_number';
}

const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Rounds decimal text, half away from zero: 1.005 to two decimals is 1.01, where arithmetic on doubles gives 1.
 *
 * @param text as `readLocalNumber` or `decimalTextOf` writes it; NaN for anything else.
 * @param decimals 0 to 9; clamped to these.
 */
export function roundHalfAwayFromZero(text: string, decimals: number): number {
  const match = DECIMAL_TEXT.exec(text);
  if (match === null) return Number.NaN;
  const [, sign = '', whole = '', fraction = ''] = match;
  const kept = Math.min(ROUND_DECIMALS_MAX, Math.max(0, Math.trunc(decimals) || 0));
  const roundsUp = (fraction[kept] ?? '0') >= '5';
  const scaled = BigInt(whole + fraction.slice(0, kept).padEnd(kept, '0')) + (roundsUp ? 1n : 0n);
  const digits = String(scaled).padStart(kept + 1, '0');
  const point = digits.length - kept;
  return Number(`${sign}${digits.slice(0, point)}.${digits.slice(point)}`) + 0; // "-0" becomes 0
}

const EXPONENT_TEXT = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/;

/**
 * @returns the shortest decimal text of a finite number, without the exponent that String() writes for 1e-7 or 1e21.
 */
export function decimalTextOf(value: number): string {
  const match = EXPONENT_TEXT.exec(String(value));
  if (match === null) return String(value);
  const [, sign = '', first = '', rest = '', power = '0'] = match;
  const digits = first + rest;
  const exponent = Number(power);
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, '0'); // exponents start at 21 and a double has 17 digits: no decimals left
}
