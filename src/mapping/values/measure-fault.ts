/** What can be wrong with a number, a unit or a coordinate of a record, and its words for the carrier's IT person. */
import { ELSE_ASK, quoteValue } from '../../kernel/problem.ts';
import type { CoordinateForm } from './coordinate.ts';
import type { Unit } from './units.ts';

export type MeasureFault =
  | { code: 'not_a_whole_number'; value: string }
  | { code: 'not_a_number'; value: string; decimal: string }
  | { code: 'decimal_mark_wrong'; value: string; decimal: string }
  | { code: 'thousands_mark_wrong'; value: string; thousands: string | undefined }
  | { code: 'number_too_long'; value: string; digitsMax: number }
  | { code: 'number_too_small'; value: string; minimum: number }
  | { code: 'unit_unknown'; value: string; to: Unit; column: string }
  | { code: 'coordinate_invalid'; value: string; form: CoordinateForm; decimal: string; why: string }
  | { code: 'coordinate_out_of_range'; value: string; degreesMax: number }
  | { code: 'coordinates_swapped'; value: string }
  | { code: 'coordinate_no_fix'; value: string };

/** @param target the upstream's field; source the columns it comes from, quoted; joined those that stand in it together. */
export function measureWords(
  fault: MeasureFault,
  target: string,
  source: string,
  joined: readonly string[] = [],
): { message: string; fix: string } {
  switch (fault.code) {
    case 'not_a_whole_number':
      return {
        message: `${target} must be a whole number such as 2.`,
        fix: `Write ${source} with digits only, without a decimal mark, blanks or letters.`,
      };
    case 'not_a_number':
      return {
        message: `${target} must be a number such as 12${fault.decimal}5.`,
        fix: `Write ${source} with digits and "${fault.decimal}" as decimal mark, without thousands marks or units.`,
      };
    case 'decimal_mark_wrong':
      return {
        message: `${target} is written with another decimal mark than "${fault.decimal}", the one of this mapping.`,
        fix: `Write ${source} with "${fault.decimal}" (12${fault.decimal}5). ${ELSE_ASK}`,
      };
    case 'thousands_mark_wrong':
      return {
        message: `${target} has other marks between its digits than ${fault.thousands === undefined ? 'a decimal mark, and this mapping reads none' : `"${fault.thousands}" at every third one`}.`,
        fix: `Write ${source} ${fault.thousands === undefined ? 'without marks between thousands' : `with "${fault.thousands}" at every third digit or without marks`}.`,
      };
    case 'number_too_long':
      return {
        message: `${target} has more than ${fault.digitsMax} digits and could not be sent exactly.`,
        fix: `Correct ${source}; if the value belongs to another column, look for a missing delimiter.`,
      };
    case 'number_too_small':
      return { message: `${target} must be ${fault.minimum} or more.`, fix: `Correct ${source} in this row.` };
    case 'unit_unknown':
      return {
        message: `${target} must be turned into ${fault.to}, but ${fault.value === '' ? 'its unit is empty' : `"${quoteValue(fault.value)}" is no unit that can be`}.`,
        fix: `Write a unit such as ${fault.to} into "${fault.column}".`,
      };
    case 'coordinate_invalid':
      return {
        message: `${target} cannot be read: ${fault.why}.`,
        fix: coordinateFix(fault, target, source, joined),
      };
    case 'coordinate_out_of_range':
      return {
        message: `${target} must lie between -${fault.degreesMax} and ${fault.degreesMax} degrees.`,
        fix: `Correct ${source} in this row.`,
      };
    case 'coordinates_swapped':
      return {
        message: 'Latitude and longitude seem to be swapped: the pair is only on the globe the other way round.',
        fix: `Exchange ${source}; if all rows look like this, ask whoever set up your mapping.`,
      };
    case 'coordinate_no_fix':
      return {
        message: 'The position is 0, 0: what a device reports that has no fix.',
        fix: 'Leave positions without a fix out of the file.',
      };
  }
}

/** X12 has the letter in an element of its own: what is joined of two columns is written into two. */
function coordinateFix(
  { form, decimal }: Extract<MeasureFault, { code: 'coordinate_invalid' }>,
  target: string,
  source: string,
  joined: readonly string[],
): string {
  const [digits, letter] = joined;
  const written = (degrees: string): string => degrees.replace('.', decimal);
  if (digits !== undefined && letter !== undefined && joined.length === 2) {
    const [degrees, decimals, sides] =
      target === 'latitude' ? ['0413130', '41.525', 'N or S'] : ['0880448', '88.08', 'W or E'];
    const example = { decimal: written(decimals), DDDMMSS: degrees, byDigits: `${degrees} or ${written(decimals)}` }[
      form
    ];
    return `Write the degrees alone into "${digits}", such as ${example}, and the letter, ${sides}, into "${letter}".`;
  }
  if (form === 'decimal')
    return `Write ${source} as degrees with decimals (${written('41.525')} or ${written('-88.08')}) or with its letter (${written('88.08')} W).`;
  const orDecimals = form === 'byDigits' ? `, or as degrees with decimals and its letter (${written('88.08')}W)` : '';
  return `Write ${source} as degrees, minutes and seconds with its letter (0880448W)${orDecimals}.`;
}
