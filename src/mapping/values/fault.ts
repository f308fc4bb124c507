/**
 * What can be wrong with one value of a record, and its messages for the carrier's IT person.
 *
 * Facts first (`FieldFault`), one exhaustive switch to messages. A problem's path is the column as in the carrier's
 * file; the message also names the upstream's field.
 */

import { NOT_CALCULATED } from '../../formats/xlsx/cell-text.ts';
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import type { Fact, Lookup } from '../lookups/lookup.ts';
import type { CoordinateForm } from './coordinate.ts';
import type { StateFact } from './state-code.ts';
import type { Unit } from './units.ts';

/* Faults of a value that is looked up among vehicles or locations, and their messages. */

type Of = { value: string; of: Lookup['of'] };

type LookupFault =
  | (Of & { code: 'look_up_missing'; by: Lookup['by'] })
  | (Of & { code: 'look_up_ambiguous'; by: Lookup['by']; count: number })
  | (Of & { code: 'look_up_silent'; by: Lookup['by']; fact: Fact })
  | (Of & { code: 'look_up_unavailable'; why: string })
  | (Of & { code: 'look_up_unanswered' });

const NAMES: Record<Lookup['by'], string> = {
  vehicleNumber: 'number',
  licensePlate: 'license plate',
  vin: 'VIN',
  locationNumber: 'number',
};

function lookupMessage(fault: LookupFault, target: string, source: string): { message: string; fix: string } {
  const value = quoteValue(fault.value);
  switch (fault.code) {
    case 'look_up_missing':
      return {
        message: `${target}: there is no ${fault.of} with the ${NAMES[fault.by]} "${value}".`,
        fix: `Correct ${source}, or ask the operator to add the ${fault.of}, and send the row again.`,
      };
    case 'look_up_ambiguous':
      return {
        message: `${target}: ${fault.count} ${fault.of}s have the ${NAMES[fault.by]} "${value}", so that none of them is meant.`,
        fix: `Write into ${source} what only one ${fault.of} has, and send the row again.`,
      };
    case 'look_up_silent':
      return {
        message: `${target}: the ${fault.of} with the ${NAMES[fault.by]} "${value}" is known, but not its ${fault.fact}.`,
        fix: `Ask the operator to complete the ${fault.of}, and send the row again.`,
      };
    case 'look_up_unavailable':
      return {
        message: `${target}: the ${fault.of} "${value}" could not be looked up: ${fault.why}.`,
        fix: 'Nothing is known to be wrong in this row: send it again later.',
      };
    case 'look_up_unanswered':
      return {
        message: `${target}: the ${fault.of} "${value}" would be looked up, and no answer was given.`,
        fix: 'Give the answers with --lookups FILE.',
      };
  }
}

/* Faults of a number, a unit or a coordinate, and their messages. */

type MeasureFault =
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

/** @param target the upstream's field; source the columns it comes from, quoted; joined those that are joined in it. */
function measureMessage(
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
        fix: `Write ${source} with "${fault.decimal}" (12${fault.decimal}5). ${ELSE_CONTACT}`,
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

/** X12 has the letter in an element of its own: a value joined of two columns is corrected in both. */
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

export type FieldFault =
  | { code: 'value_missing' }
  | { code: 'code_unknown'; value: string; lists: readonly string[]; nearest: readonly string[] }
  | { code: 'scac_invalid'; value: string }
  | { code: 'state_invalid'; value: string; fact: StateFact; city: FieldLocation | undefined }
  | { code: 'value_too_long'; value: string; charactersMax: number }
  | { code: 'control_character'; value: string; character: string; at: number }
  | { code: 'excel_damage'; value: string }
  | { code: 'pattern_not_found'; value: string; pattern: string }
  | { code: 'not_a_boolean'; value: string }
  | { code: 'record_kind_unknown'; value: string; known: readonly string[] }
  /** `of`: the array without elements. */
  | { code: 'list_empty'; of?: string }
  /** An array that becomes a request per element is empty, and the mapping requires one. */
  | { code: 'elements_missing' }
  | { code: 'array_too_long'; elements: number; elementsMax: number }
  | { code: 'order_too_large'; characters: number; charactersMax: number }
  | { code: 'cannot_be_cleared'; value: string }
  | { code: 'change_empty' }
  | { code: 'delta_without_reference' }
  | { code: 'quantity_twice'; value: string }
  | { code: 'quantity_missing'; value: string }
  | { code: 'action_unknown'; value: string; known: readonly string[] }
  | LookupFault
  | MeasureFault;

/** Where a value comes from and goes to. `columns` is empty for a constant. */
export interface FieldLocation {
  columns: readonly string[];
  target: string;
  /** Only the first filled column counts, not all of them together. */
  isFirst?: boolean;
  /** Those of the columns that are filled in this record, if known. */
  filled?: readonly string[];
}

/** The columns as the file names them, or the upstream's field if the value comes from none. */
export const locationPath = (locate: FieldLocation): string =>
  locate.columns.length === 0 ? locate.target : locate.columns.join(', ');

const quoted = (columns: readonly string[], word: 'and' | 'or'): string =>
  columns.map((column) => `"${column}"`).join(` ${word} `);

/** The columns that a value comes from. */
function source({ columns, isFirst = false, filled = [] }: FieldLocation): string {
  if (columns.length === 0) return 'its fixed value';
  if (filled.length === 0) return quoted(columns, isFirst ? 'or' : 'and');
  return isFirst ? quoted(filled.slice(0, 1), 'or') : quoted(filled, 'and');
}

/** @returns the problem of one value; the caller, which knows the record, adds its position. */
export function describeFault(fault: FieldFault, locate: FieldLocation): Problem {
  const { message, fix } = describe(fault, locate);
  const value = 'value' in fault ? quoteValue(fault.value) : '';
  const isConstant = locate.columns.length === 0 && !OF_THE_RECORD.has(fault.code);
  return { code: fault.code, path: locationPath(locate), value, message, fix: isConstant ? CONSTANT_FIX : fix };
}

/** No column is at fault for these: they hold wherever the value comes from. */
const OF_THE_RECORD: ReadonlySet<FieldFault['code']> = new Set([
  'list_empty',
  'order_too_large',
  'change_empty',
  'delta_without_reference',
  'quantity_twice',
  'quantity_missing',
  'action_unknown',
]);

const CONSTANT_FIX =
  'Nothing in the file can correct this, for the value does not come from it: ask whoever set up your mapping.';

function describe(fault: FieldFault, locate: FieldLocation): { message: string; fix: string } {
  const { target } = locate;
  switch (fault.code) {
    case 'value_missing':
      return {
        message: `${target} is required, but ${locate.columns.length > 1 ? `${quoted(locate.columns, 'and')} are` : `${source(locate)} is`} empty.`,
        fix: `Fill in ${source(locate)} in this row and send the row again.`,
      };
    case 'code_unknown':
      return {
        message: `${target}: "${quoteValue(fault.value)}"${joinedMessage(locate)} is not in ${codeLists(fault.lists)}.${nearestMessage(fault.nearest)}`,
        fix: `${isJoined(locate) ? `Fill in only one of ${source(locate)} where one alone belongs there` : `Correct ${source(locate)}`}, or ask for the value to be added to ${codeLists(fault.lists.slice(0, 1))}.`,
      };
    case 'scac_invalid':
      return {
        message: 'A SCAC is two to four capital letters.',
        fix: `Correct ${source(locate)}: letters A to Z only, no blanks.`,
      };
    case 'state_invalid':
      return stateMessage(fault, locate);
    case 'value_too_long':
      return {
        message: `${target} may be ${fault.charactersMax} characters long; this value has ${fault.value.length}.`,
        fix: `Shorten ${source(locate)}; if the value belongs to another column, look for a missing quote or delimiter.`,
      };
    case 'control_character':
      return {
        message: `${target} holds ${fault.character} at character ${fault.at}, which cannot be sent.`,
        fix: `Remove the line break or unprintable character from ${source(locate)}; where it cannot be seen, type the value anew.`,
      };
    case 'excel_damage':
      if (fault.value === NOT_CALCULATED)
        return {
          message: `${target}: the cell holds a formula, and the workbook does not hold what it comes to.`,
          fix: 'Open the workbook in a spreadsheet program, save it and send it again; or have the program that wrote it store values.',
        };
      if (fault.value.startsWith("'"))
        return {
          message: `${target}: "${quoteValue(fault.value)}" begins with an apostrophe, by which spreadsheets mark a text; whether it belongs to the value cannot be told.`,
          fix: `Write ${source(locate)} without the apostrophe. ${ELSE_CONTACT}`,
        };
      return {
        message: `${target}: "${fault.value}" is how spreadsheets and programs shorten a long number; what its last digits were cannot be told.`,
        fix: `Make ${source(locate)} a column of text before the numbers come into the spreadsheet, or in JSON a text in quotes, and export it again.`,
      };
    case 'pattern_not_found':
      return {
        message: `${target}: nothing in the value fits the pattern ${fault.pattern}.`,
        fix: `Write ${source(locate)} the way other rows do, or ask whoever set up your mapping.`,
      };
    case 'not_a_boolean':
      return {
        message: `${target} must be yes or no.`,
        fix: `Write ${source(locate)} as yes or no, true or false, Y or N, 1 or 0.`,
      };
    case 'record_kind_unknown':
      return {
        message: `${source(locate)} says what kind of record this is; "${quoteValue(fault.value)}" is none of ${fault.known.map((name) => `"${quoteValue(name)}"`).join(', ')}.`,
        fix: `Correct ${source(locate)} where it is mistyped; records of another kind are not taken here, so leave them out.`,
      };
    case 'list_empty':
      return {
        message: `${target} needs at least one entry${fault.of === undefined ? '' : `; there is no ${fault.of}`}.`,
        fix: 'Add what is missing and send the record again.',
      };
    case 'elements_missing':
      return {
        message: `There is no ${source(locate)} in this record, so nothing can be sent for it. An answer that reports a failure looks like this.`,
        fix: `Look at what the record says instead, and send it again with at least one ${source(locate)}.`,
      };
    case 'array_too_long':
      return {
        message: `The array has ${fault.elements} elements; at most ${fault.elementsMax} can become requests of one record.`,
        fix: 'Spread them over several records.',
      };
    case 'order_too_large':
      return {
        message: `The order would have ${fault.characters} characters; at most ${fault.charactersMax} can be sent.`,
        fix: 'Split the order, or leave out what the receiving system does not need.',
      };
    case 'cannot_be_cleared':
      return {
        message: `${target} is required, so it cannot be emptied.`,
        fix: `Write the new value into ${source(locate)}, or take the row out.`,
      };
    case 'change_empty':
      return {
        message: 'The change names an order and says nothing about it: there is nothing to change.',
        fix: 'Write what shall be different, or leave it out. If something is written, ask whoever set up your mapping to read it.',
      };
    case 'delta_without_reference':
      return {
        message: 'A quantity is told as more or less, and nothing names this change: sent twice, it would count twice.',
        fix:
          locate.columns.length === 0
            ? `Send what the quantity shall be. ${ELSE_CONTACT}`
            : `Fill in ${source(locate)}, a number that no other change of this order has, or send what the quantity shall be.`,
      };
    case 'quantity_twice':
      return {
        message: `${target}: the entry "${quoteValue(fault.value)}" says what the quantity shall be, and by how much it changes.`,
        fix: 'Write one of the two.',
      };
    case 'quantity_missing':
      return {
        message: `${target}: the entry "${quoteValue(fault.value)}" says more or less, and not how much.`,
        fix: 'Write the quantity, or take the entry out.',
      };
    case 'action_unknown':
      return {
        message: `${target}: "${quoteValue(fault.value)}" says nothing about what is done with an entry.`,
        fix: `Correct it where it is mistyped; it must come to one of ${fault.known.join(', ')}. ${ELSE_CONTACT}`,
      };
    case 'look_up_missing':
    case 'look_up_ambiguous':
    case 'look_up_silent':
    case 'look_up_unavailable':
    case 'look_up_unanswered':
      return lookupMessage(fault, target, source(locate));
    default:
      return measureMessage(fault, target, source(locate), locate.isFirst === true ? [] : locate.columns);
  }
}

function stateMessage(
  { value, fact, city }: Extract<FieldFault, { code: 'state_invalid' }>,
  locate: FieldLocation,
): { message: string; fix: string } {
  const message = `${locate.target}: "${quoteValue(value)}" is no code of a state or province, such as IL, ON or JAL.`;
  if (fact.isSwapped && city !== undefined)
    return {
      message: `${message} ${source(city)} holds one: the two look swapped.`,
      fix: `Write the city into ${source(city)} and the code of its state into ${source(locate)}.`,
    };
  if (fact.named !== undefined) return { message, fix: `Write "${fact.named}" into ${source(locate)}.` };
  return { message, fix: `Write the code of the state or province into ${source(locate)}, or leave it empty.` };
}

/** The value is joined of several columns of this record. */
const isJoined = ({ isFirst = false, filled = [] }: FieldLocation): boolean => !isFirst && filled.length > 1;

const joinedMessage = (locate: FieldLocation): string =>
  isJoined(locate) ? `, which is ${source(locate)} together,` : '';

function codeLists(names: readonly string[]): string {
  const quotedNames = names.map((name) => `"${name}"`).join(' or ');
  return `the code ${names.length === 1 ? 'list' : 'lists'} ${quotedNames}`;
}

function nearestMessage(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` Near it stand: ${names.map((name) => `"${name}"`).join(', ')}.`;
}
