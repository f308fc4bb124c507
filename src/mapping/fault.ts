/**
 * What can be wrong with one value of a record, and its words for the carrier's IT person.
 *
 * Facts first (`FieldFault`), one exhaustive switch to words. The path of a problem is the column as it stands in the
 * carrier's file; the message also names the upstream's field.
 */
import { type Problem, quoteValue } from '../kernel/problem.ts';

export type FieldFault =
  | { code: 'value_missing' }
  | { code: 'not_a_whole_number'; value: string }
  | { code: 'not_a_number'; value: string; decimal: string }
  | { code: 'number_too_small'; value: string; minimum: number }
  | { code: 'code_unknown'; value: string; list: string; nearest: readonly string[] }
  | { code: 'scac_invalid'; value: string }
  | { code: 'value_too_long'; value: string; charactersMax: number }
  | { code: 'control_character'; value: string; character: string; at: number };

/** Where a value comes from and goes to. `columns` is empty for a constant. */
export interface FieldPlace {
  columns: readonly string[];
  target: string;
}

/** The columns as the file names them, or the upstream's field when the value comes from none. */
export const placePath = (place: FieldPlace): string =>
  place.columns.length === 0 ? place.target : place.columns.join(', ');

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(' and ');
const source = (place: FieldPlace): string => (place.columns.length === 0 ? 'the mapping' : quoted(place.columns));

/** @returns the problem of one value; its position is added by whoever knows the record's. */
export function describeFault(fault: FieldFault, place: FieldPlace): Problem {
  const { message, fix } = words(fault, place);
  const value = 'value' in fault ? quoteValue(fault.value) : '';
  return { code: fault.code, path: placePath(place), value, message, fix };
}

function words(fault: FieldFault, place: FieldPlace): { message: string; fix: string } {
  const { target } = place;
  switch (fault.code) {
    case 'value_missing':
      return {
        message: `${target} is required, but ${place.columns.length > 1 ? `${source(place)} are` : `${source(place)} is`} empty.`,
        fix: `Fill in ${source(place)} in this row and send the row again.`,
      };
    case 'not_a_whole_number':
      return {
        message: `${target} must be a whole number such as 2.`,
        fix: `Write ${source(place)} with digits only, without a decimal mark, blanks or letters.`,
      };
    case 'not_a_number':
      return {
        message: `${target} must be a number such as 12${fault.decimal}5.`,
        fix: `Write ${source(place)} with digits and "${fault.decimal}" as decimal mark, without thousands marks or units.`,
      };
    case 'number_too_small':
      return {
        message: `${target} must be ${fault.minimum} or more.`,
        fix: `Correct ${source(place)} in this row.`,
      };
    case 'code_unknown':
      return {
        message: `${target}: "${quoteValue(fault.value)}" is not in the code list "${fault.list}".${nearestWords(fault.nearest)}`,
        fix: `Correct ${source(place)}, or ask for the value to be added to the code list "${fault.list}".`,
      };
    case 'scac_invalid':
      return {
        message: 'A SCAC is two to four capital letters.',
        fix: `Correct ${source(place)}: letters A to Z only, no blanks.`,
      };
    case 'value_too_long':
      return {
        message: `${target} may be ${fault.charactersMax} characters long; this value has ${fault.value.length}.`,
        fix: `Shorten ${source(place)}; if the value belongs to another column, look for a missing quote or delimiter.`,
      };
    case 'control_character':
      return {
        message: `${target} holds ${fault.character} at character ${fault.at}, which cannot be sent.`,
        fix: `Remove the line break or unprintable character from ${source(place)}.`,
      };
  }
}

function nearestWords(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` Near it stand: ${names.map((name) => `"${name}"`).join(', ')}.`;
}
