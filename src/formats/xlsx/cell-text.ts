/** One cell as stored → the text that a person sees. Pure. */
import { type DateSystem, dateText, isoDateText } from './date-text.ts';
import { unescaped } from './escapes.ts';
import type { DateKind } from './number-format.ts';
import { numberText } from './number-text.ts';
import type { SharedStrings } from './shared-strings.ts';
import type { DateStyles } from './styles.ts';

export interface StoredCell {
  /** `t` of the cell (ECMA-376-1 18.18.11). */
  kind: string;
  style: number;
  /** Its stored value: of a formula, the one that was last computed. */
  value: string;
  inline: string;
}

export interface CellContext extends DateSystem {
  strings: SharedStrings;
  styles: DateStyles;
  /** Every date with its time, whatever part of it the style shows. */
  wholeDates: boolean;
}

/** @returns undefined where the cell names a shared string that is not there. An error is its own text: casting it fails visibly. */
export function cellText({ kind, style, value, inline }: StoredCell, context: CellContext): string | undefined {
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

function numberOrDate(value: string, style: number, context: CellContext): string {
  const kind = shownKind(context, style);
  if (kind === undefined || value.trim() === '') return numberText(value);
  return dateText(Number(value), kind, context) ?? numberText(value);
}

function shownKind({ styles, wholeDates }: CellContext, style: number): DateKind | undefined {
  const kind = styles[style];
  return wholeDates && (kind === 'date' || kind === 'time') ? 'date_time' : kind;
}

function booleanText(value: string): string {
  if (value === '1' || value === 'true') return 'TRUE';
  return value === '0' || value === 'false' ? 'FALSE' : value;
}
