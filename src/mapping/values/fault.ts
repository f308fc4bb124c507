/**
 * What can be wrong with one value of a record, and its words for the carrier's IT person.
 *
 * Facts first (`FieldFault`), one exhaustive switch to words. The path of a problem is the column as it stands in the
 * carrier's file; the message also names the upstream's field.
 */
import { NOT_CALCULATED } from '../../formats/xlsx/cell-text.ts';
import { ELSE_ASK, type Problem, quoteValue } from '../../kernel/problem.ts';
import { type LookUpFault, lookUpWords } from '../lookups/look-up-fault.ts';
import { type MeasureFault, measureWords } from './measure-fault.ts';
import type { StateFact } from './state-code.ts';

export type FieldFault =
  | { code: 'value_missing' }
  | { code: 'code_unknown'; value: string; lists: readonly string[]; nearest: readonly string[] }
  | { code: 'scac_invalid'; value: string }
  | { code: 'state_invalid'; value: string; fact: StateFact; city: FieldPlace | undefined }
  | { code: 'value_too_long'; value: string; charactersMax: number }
  | { code: 'control_character'; value: string; character: string; at: number }
  | { code: 'excel_damage'; value: string }
  | { code: 'pattern_not_found'; value: string; pattern: string }
  | { code: 'not_a_boolean'; value: string }
  | { code: 'record_kind_unknown'; value: string; known: readonly string[] }
  /** `of`: the array that has no element. */
  | { code: 'list_empty'; of?: string }
  /** An array that becomes a request per element has none, and the mapping wants one. */
  | { code: 'elements_missing' }
  | { code: 'array_too_long'; elements: number; elementsMax: number }
  | { code: 'order_too_large'; characters: number; charactersMax: number }
  | { code: 'cannot_be_cleared'; value: string }
  | { code: 'change_empty' }
  | { code: 'delta_without_reference' }
  | { code: 'quantity_twice'; value: string }
  | { code: 'quantity_missing'; value: string }
  | { code: 'action_unknown'; value: string; known: readonly string[] }
  | LookUpFault
  | MeasureFault;

/** Where a value comes from and goes to. `columns` is empty for a constant. */
export interface FieldPlace {
  columns: readonly string[];
  target: string;
  /** The first column that is filled counts, and not all of them together. */
  isFirst?: boolean;
  /** Those of the columns that are filled in this record, where that is known. */
  filled?: readonly string[];
}

/** The columns as the file names them, or the upstream's field when the value comes from none. */
export const placePath = (place: FieldPlace): string =>
  place.columns.length === 0 ? place.target : place.columns.join(', ');

const quoted = (columns: readonly string[], word: 'and' | 'or'): string =>
  columns.map((column) => `"${column}"`).join(` ${word} `);

/** The columns that a value comes from. */
function source({ columns, isFirst = false, filled = [] }: FieldPlace): string {
  if (columns.length === 0) return 'its fixed value';
  if (filled.length === 0) return quoted(columns, isFirst ? 'or' : 'and');
  return isFirst ? quoted(filled.slice(0, 1), 'or') : quoted(filled, 'and');
}

/** @returns the problem of one value; its position is added by whoever knows the record's. */
export function describeFault(fault: FieldFault, place: FieldPlace): Problem {
  const { message, fix } = words(fault, place);
  const value = 'value' in fault ? quoteValue(fault.value) : '';
  const isConstant = place.columns.length === 0 && !OF_THE_RECORD.has(fault.code);
  return { code: fault.code, path: placePath(place), value, message, fix: isConstant ? CONSTANT_FIX : fix };
}

/** Of these no column is at fault: what they say is true wherever the value comes from. */
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

function words(fault: FieldFault, place: FieldPlace): { message: string; fix: string } {
  const { target } = place;
  switch (fault.code) {
    case 'value_missing':
      return {
        message: `${target} is required, but ${place.columns.length > 1 ? `${quoted(place.columns, 'and')} are` : `${source(place)} is`} empty.`,
        fix: `Fill in ${source(place)} in this row and send the row again.`,
      };
    case 'code_unknown':
      return {
        message: `${target}: "${quoteValue(fault.value)}"${joinedWords(place)} is not in ${codeLists(fault.lists)}.${nearestWords(fault.nearest)}`,
        fix: `${isJoined(place) ? `Fill in only one of ${source(place)} where one alone belongs there` : `Correct ${source(place)}`}, or ask for the value to be added to ${codeLists(fault.lists.slice(0, 1))}.`,
      };
    case 'scac_invalid':
      return {
        message: 'A SCAC is two to four capital letters.',
        fix: `Correct ${source(place)}: letters A to Z only, no blanks.`,
      };
    case 'state_invalid':
      return stateWords(fault, place);
    case 'value_too_long':
      return {
        message: `${target} may be ${fault.charactersMax} characters long; this value has ${fault.value.length}.`,
        fix: `Shorten ${source(place)}; if the value belongs to another column, look for a missing quote or delimiter.`,
      };
    case 'control_character':
      return {
        message: `${target} holds ${fault.character} at character ${fault.at}, which cannot be sent.`,
        fix: `Remove the line break or unprintable character from ${source(place)}; where it cannot be seen, type the value anew.`,
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
          fix: `Write ${source(place)} without the apostrophe. ${ELSE_ASK}`,
        };
      return {
        message: `${target}: "${fault.value}" is how spreadsheets and programs shorten a long number; what its last digits were cannot be told.`,
        fix: `Make ${source(place)} a column of text before the numbers come into the spreadsheet, or in JSON a text in quotes, and export it again.`,
      };
    case 'pattern_not_found':
      return {
        message: `${target}: nothing in the value fits the pattern ${fault.pattern}.`,
        fix: `Write ${source(place)} the way other rows do, or ask whoever set up your mapping.`,
      };
    case 'not_a_boolean':
      return {
        message: `${target} must be yes or no.`,
        fix: `Write ${source(place)} as yes or no, true or false, Y or N, 1 or 0.`,
      };
    case 'record_kind_unknown':
      return {
        message: `${source(place)} says what kind of record this is; "${quoteValue(fault.value)}" is none of ${fault.known.map((name) => `"${quoteValue(name)}"`).join(', ')}.`,
        fix: `Correct ${source(place)} where it is mistyped; records of another kind are not taken here, so leave them out.`,
      };
    case 'list_empty':
      return {
        message: `${target} needs at least one entry${fault.of === undefined ? '' : `; there is no ${fault.of}`}.`,
        fix: 'Add what is missing and send the record again.',
      };
    case 'elements_missing':
      return {
        message: `There is no ${source(place)} in this record, so nothing can be sent for it. An answer that reports a failure looks like this.`,
        fix: `Look at what the record says instead, and send it again with at least one ${source(place)}.`,
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
        fix: `Write the new value into ${source(place)}, or take the row out.`,
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
          place.columns.length === 0
            ? `Send what the quantity shall be. ${ELSE_ASK}`
            : `Fill in ${source(place)}, a number that no other change of this order has, or send what the quantity shall be.`,
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
        fix: `Correct it where it is mistyped; it must come to one of ${fault.known.join(', ')}. ${ELSE_ASK}`,
      };
    case 'look_up_missing':
    case 'look_up_ambiguous':
    case 'look_up_silent':
    case 'look_up_unavailable':
    case 'look_up_unanswered':
      return lookUpWords(fault, target, source(place));
    default:
      return measureWords(fault, target, source(place), place.isFirst === true ? [] : place.columns);
  }
}

function stateWords(
  { value, fact, city }: Extract<FieldFault, { code: 'state_invalid' }>,
  place: FieldPlace,
): { message: string; fix: string } {
  const message = `${place.target}: "${quoteValue(value)}" is no code of a state or province, such as IL, ON or JAL.`;
  if (fact.isSwapped && city !== undefined)
    return {
      message: `${message} ${source(city)} holds one: the two look swapped.`,
      fix: `Write the city into ${source(city)} and the code of its state into ${source(place)}.`,
    };
  if (fact.named !== undefined) return { message, fix: `Write "${fact.named}" into ${source(place)}.` };
  return { message, fix: `Write the code of the state or province into ${source(place)}, or leave it empty.` };
}

/** Several columns of this record stand in the value. */
const isJoined = ({ isFirst = false, filled = [] }: FieldPlace): boolean => !isFirst && filled.length > 1;

const joinedWords = (place: FieldPlace): string => (isJoined(place) ? `, which is ${source(place)} together,` : '');

function codeLists(names: readonly string[]): string {
  const quotedNames = names.map((name) => `"${name}"`).join(' or ');
  return `the code ${names.length === 1 ? 'list' : 'lists'} ${quotedNames}`;
}

function nearestWords(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` Near it stand: ${names.map((name) => `"${name}"`).join(', ')}.`;
}
