/** Which decimal mark a column uses, decided over the whole column; `1,234` alone does not decide it. Pure. */
import { firstOf, type SampleColumn } from './shape.ts';
import type { Confidence, Evidence } from './suggestion.ts';

type NumberForm =
  | {
      kind: 'decided';
      decimal: '.' | ',';
      thousands: '.' | ',' | ' ' | "'" | null;
      isWhole: boolean;
      confidence: Confidence;
      reason: string;
      evidence: Evidence | null;
    }
  | { kind: 'undecided'; evidence: Evidence; why: string }
  | { kind: 'none' };

const DIGITS = /^[+-]?\d+$/;
/** Both marks: the last one is the decimal mark. */
const BOTH = /^[+-]?\d{1,3}(?:([.,' \u00a0\u202f])\d{3})+([.,])\d+$/;
/** One kind of mark more than once can only divide thousands. */
const GROUPED = /^[+-]?\d{1,3}(?:([.,' \u00a0\u202f])\d{3}){2,}$/;
/** One mark whose digits are no group of three, or with a leading zero: a decimal mark. */
const DECIMAL = /^[+-]?(?:\d+([.,])(?:\d{1,2}|\d{4,})|0([.,])\d+|\d{4,}([.,])\d+)$/;
/** One mark and three digits: 1,234 and 1.234 can be either. */
const EITHER = /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/;
const BLANK_GROUPS = /^[+-]?\d{1,3}(?:([' \u00a0\u202f])\d{3})+$/;

const thousandsSeparator = (mark: string): '.' | ',' | ' ' | "'" =>
  mark === '.' || mark === ',' || mark === "'" ? mark : ' ';

export function decideNumbers(column: SampleColumn, chosen?: string): NumberForm {
  const values = column.values.filter((value) => value !== '');
  const isNumber = (value: string): boolean =>
    [DIGITS, BOTH, GROUPED, DECIMAL, EITHER, BLANK_GROUPS].some((form) => form.test(value));
  if (values.length === 0 || values.filter(isNumber).length * 10 < values.length * 9) return { kind: 'none' };
  const isWhole = values.every((value) => DIGITS.test(value) || GROUPED.test(value) || BLANK_GROUPS.test(value));
  const decided = (decimal: '.' | ',', thousands: string | null, evidence: Evidence | null, reason: string) =>
    ({
      kind: 'decided',
      decimal,
      thousands: thousands === null ? null : thousandsSeparator(thousands),
      isWhole,
      confidence: 'sure',
      reason,
      evidence,
    }) as const;
  const both = firstOf(column, (value) => BOTH.test(value));
  const [, bothThousands = '', bothDecimal = ''] = BOTH.exec(both?.value ?? '') ?? [];
  if (both !== null && bothThousands !== bothDecimal) {
    const decimal = bothDecimal === ',' ? ',' : '.';
    return decided(decimal, bothThousands, both, `Row ${both.row} has both marks: ${both.value}.`);
  }
  const grouped = firstOf(column, (value) => GROUPED.test(value));
  const groupMark = GROUPED.exec(grouped?.value ?? '')?.[1] ?? null;
  const marked = firstOf(column, (value) => DECIMAL.test(value));
  const decimalMark = (DECIMAL.exec(marked?.value ?? '') ?? []).slice(1).find(Boolean);
  if (marked !== null && decimalMark !== undefined) {
    const decimal = decimalMark === ',' ? ',' : '.';
    const other = decimal === ',' ? '.' : ',';
    const hasOther = groupMark === other || column.values.some((value) => EITHER.exec(value)?.[1] === other);
    return decided(
      decimal,
      hasOther ? other : blankGroups(column),
      marked,
      `Row ${marked.row} decides it: ${marked.value} cannot be thousands.`,
    );
  }
  if (grouped !== null && groupMark !== null) {
    const decimal = groupMark === ',' ? '.' : groupMark === '.' ? ',' : '.';
    return decided(decimal, groupMark, grouped, `Row ${grouped.row} has a mark between thousands: ${grouped.value}.`);
  }
  const either = firstOf(column, (value) => EITHER.test(value));
  const mark = EITHER.exec(either?.value ?? '')?.[1];
  if (either === null || mark === undefined) {
    return decided('.', blankGroups(column), null, isWhole ? 'Whole numbers only.' : 'Numbers with a point.');
  }
  if (chosen === '.' || chosen === ',') {
    return decided(chosen, chosen === mark ? null : mark, either, 'As you answered.');
  }
  const why = `Row ${either.row} has ${either.value}: the mark can divide thousands or decimals, and no row decides it.`;
  return { kind: 'undecided', evidence: either, why };
}

const blankGroups = ({ values }: SampleColumn): string | null =>
  values.map((value) => BLANK_GROUPS.exec(value)?.[1]).find((mark) => mark !== undefined) ?? null;
