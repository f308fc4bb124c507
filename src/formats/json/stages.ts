/** What each stage of reading a document asks for, and what a first character says about a value. Pure. */
import { isDigit, isWordUnit, MINUS, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './characters.ts';
import type { Stage } from './checkpoint.ts';
import type { Wanted } from './problems.ts';
import type { JsonKind } from './record.ts';

/** Stages at which the next character decides; at the others something is being passed over. */
export type AskingStage = Exclude<Stage, 'skipped_name' | 'skipped_value' | 'refused_record'>;

export const WANTED_AT: Record<AskingStage, Wanted> = {
  start: 'value',
  value: 'value',
  name_or_end: 'name_or_end_of_object',
  name: 'name',
  colon_to_path: 'colon',
  colon_to_skip: 'colon',
  after_member: 'comma_or_end_of_object',
  item_or_end: 'item_or_end_of_array',
  item: 'item',
  after_item: 'comma_or_end_of_array',
  end: 'end_of_file',
};

const LETTER_T = 0x74;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;

/** The kind of value that a unit begins; null when it begins none. A word is known by its first letter only. */
export function kindBegunBy(unit: number): JsonKind | null {
  if (unit === OPEN_OBJECT) return 'object';
  if (unit === OPEN_ARRAY) return 'array';
  if (unit === QUOTE) return 'string';
  if (unit === MINUS || isDigit(unit)) return 'number';
  if (unit === LETTER_T || unit === LETTER_F) return 'boolean';
  return unit === LETTER_N ? 'null' : null;
}

/** True also for words that are no values, such as `NaN`: they stand where a record should, and cost that record. */
export const beginsRecord = (unit: number): boolean => isWordUnit(unit) || kindBegunBy(unit) !== null;
