/** One cell as stored → the text that a person sees. Pure. */
import { type DateSystem, dateText, isoDateText } from './date-text.ts';
import { unescaped } from './escapes.ts';
import type { DateKind } from './number-format.ts';
import { numberText } from './number-text.ts';
import type { SharedStrings } from './shared-strings.ts';
import type { CellStyles } from './styles.ts';

export interface StoredCell {
  /** `t` of the cell (ECMA-376-1 18.18.11). */
  kind: string;
  style: number;
  /** Its stored value: of a formula, the one that was last computed; a program that computes nothing stores none. */
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

/** Stands for the value of a formula that was never computed: no cast, no code list and no text that is sent takes it. */
export const NOT_CALCULATED = '#NOT_CALCULATED!';

/** @returns undefined where the cell names a shared string that is not there. An error is its own text: casting it fails visibly. */
export function cellText(cell: StoredCell, context: CellContext): string | undefined {
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
      return isoDateText(value, shownKind(context, style)) ?? value;
    default:
      return numberOrDate(value, style, context);
  }
}

/** A formula may come to an empty text, which is then stored as one. */
function isCalculated({ kind, value, hasValue }: StoredCell): boolean {
  if (kind === 'inlineStr') return true;
  return kind === 'str' ? hasValue : value.trim() !== '';
}

function numberOrDate(value: string, style: number, context: CellContext): string {
  const kind = shownKind(context, style);
  if (kind === undefined || value.trim() === '') return withZeros(numberText(value), context.styles[style]);
  return dateText(Number(value), kind, context) ?? numberText(value);
}

const WHOLE = /^-?\d+$/;

/** As the cell shows it: a part number of six digits in a column of `000000` begins with its zeros. */
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
