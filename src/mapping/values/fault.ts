/**
 * What can be wrong with one value of a record, and its messages for the carrier's IT person.
 *
 * One table by code: the facts of a fault, and what is said about them. A problem's path is the column as in the
 * carrier's file; the message says in plain words what the value is for, never the upstream's name of it.
 */

import { NOT_CALCULATED } from '../../formats/xlsx/cell-text.ts';
import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { capital } from '../../kernel/text.ts';
import type { Fact, Lookup } from '../lookups/lookup.ts';
import type { CoordinateForm } from './coordinate.ts';
import { spokenColumn, withSpokenColumns } from './element-names.ts';
import { isKnownName, plainName, separated } from './plain-name.ts';
import type { StateFact } from './state-code.ts';
import type { Unit } from './units.ts';

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
export const locationPath = ({ columns, target }: FieldLocation): string =>
  columns.length === 0 ? target : columns.join(', ');

const quoted = (columns: readonly string[], word: 'and' | 'or'): string =>
  columns.map((column) => `"${column}"`).join(` ${word} `);

/** The columns that a value comes from. */
function sourceOf({ columns, isFirst = false, filled = [] }: FieldLocation): string {
  if (columns.length === 0) return 'its fixed value';
  if (filled.length === 0) return quoted(columns, isFirst ? 'or' : 'and');
  return isFirst ? quoted(filled.slice(0, 1), 'or') : quoted(filled, 'and');
}

/** @property target what it is for, in plain words with the article; source the columns it comes from, quoted. */
interface Place {
  target: string;
  source: string;
  locate: FieldLocation;
}
interface Texts {
  message: string;
  fix: string;
}
interface Valued {
  value: string;
}
interface Misstated extends Valued {
  fact: StateFact;
  city: FieldLocation | undefined;
}
interface LookedFor extends Valued {
  of: Lookup['of'];
}
interface LookedForBy extends LookedFor {
  by: Lookup['by'];
}

const KEY_NAMES: Record<Lookup['by'], string> = {
  vehicleNumber: 'number',
  licensePlate: 'license plate',
  vin: 'VIN',
  locationNumber: 'number',
};

const FAULTS = {
  value_missing: (_: object, { target, source, locate }) => ({
    message:
      locate.columns.length === 0
        ? `${capital(target)} is needed, but its fixed value is empty.`
        : `${quoted(locate.columns, 'and')} ${locate.columns.length > 1 ? 'are' : 'is'} empty, but ${target} is needed.`,
    fix: `Fill in ${source} in this row, and send the row again.`,
  }),
  code_unknown: (
    {
      value,
      lists,
      nearest,
      known = [],
    }: Valued & {
      lists: readonly string[];
      nearest: readonly string[];
      known?: readonly string[];
    },
    { target, source, locate },
  ) => ({
    message: `"${quoteValue(value)}"${isJoined(locate) ? `, which is ${source} together,` : ''} is none of the values known for ${target}. ${knownMessage(nearest, known)}(${codeLists(lists)})`,
    fix: `${isJoined(locate) ? `Fill in only one of ${source} where one alone belongs there` : `Correct ${source}${nearest[0] === undefined ? '' : `, for example to "${nearest[0]}"`}`}. If it is right as it is, ask the operator to accept this value; the row waits until then.`,
  }),
  scac_invalid: (_: Valued, { source }) => ({
    message: 'A SCAC is two to four capital letters.',
    fix: `Correct ${source}: letters A to Z only, no blanks.`,
  }),
  state_invalid: (fault: Misstated, place) => stateMessage(fault, place),
  value_too_long: ({ value, charactersMax }: Valued & { charactersMax: number }, { target, source }) => ({
    message: `${capital(target)} may be ${charactersMax} characters long; this value has ${value.length}.`,
    fix: `Shorten ${source}; if the value belongs to another column, look for a missing quote or delimiter.`,
  }),
  control_character: ({ character, at }: Valued & { character: string; at: number }, { target, source }) => ({
    message: `${capital(target)} holds ${character} at character ${at}, which cannot be sent.`,
    fix: `Remove the line break or unprintable character from ${source}; where it cannot be seen, type the value anew.`,
  }),
  excel_damage: (fault: Valued, place) => excelMessage(fault, place),
  pattern_not_found: ({ pattern }: Valued & { pattern: string }, { target, source }) => ({
    message: `${capital(target)} is not written in the agreed way: nothing in it fits the pattern ${pattern}.`,
    fix: `Write ${source} the way the other rows do. ${ELSE_CONTACT}`,
  }),
  not_a_boolean: (_: Valued, { target, source }) => ({
    message: `${capital(target)} must be yes or no.`,
    fix: `Write ${source} as yes or no, true or false, Y or N, 1 or 0.`,
  }),
  record_kind_unknown: ({ value, known }: Valued & { known: readonly string[] }, { source }) => ({
    message: `${source} says what kind of record this is; "${quoteValue(value)}" is none of ${known.map((name) => `"${quoteValue(name)}"`).join(', ')}.`,
    fix: `Correct ${source} where it is mistyped; records of another kind are not taken here, so leave them out.`,
  }),
  /** `of`: the array without elements. */
  list_empty: ({ of }: { of?: string }, { target }) => ({
    message: `There must be at least one entry in ${target}${of === undefined ? '' : `; there is no ${of}`}.`,
    fix: 'Add what is missing and send the record again.',
  }),
  /** An array that becomes a request per element is empty, and the mapping requires one. */
  elements_missing: (_: object, { source }) => ({
    message: `There is no ${source} in this record, so nothing can be sent for it. An answer that reports a failure looks like this.`,
    fix: `Look at what the record says instead, and send it again with at least one ${source}.`,
  }),
  array_too_long: ({ elements, elementsMax }: { elements: number; elementsMax: number }) => ({
    message: `The array has ${elements} elements; at most ${elementsMax} can become requests of one record.`,
    fix: 'Spread them over several records.',
  }),
  order_too_large: ({ characters, charactersMax }: { characters: number; charactersMax: number }) => ({
    message: `The order would have ${characters} characters; at most ${charactersMax} can be sent.`,
    fix: 'Split the order, or leave out what the receiving system does not need.',
  }),
  cannot_be_cleared: (_: Valued, { target, source }) => ({
    message: `${capital(target)} is always needed, so it cannot be emptied.`,
    fix: `Write the new value into ${source}, or take the row out.`,
  }),
  change_empty: () => ({
    message: 'The change names an order and says nothing about it: there is nothing to change.',
    fix: 'Write what shall be different, or leave it out. If something is written, ask the operator how to send it.',
  }),
  delta_without_reference: (_: object, { source, locate }) => ({
    message: 'A quantity is told as more or less, and nothing names this change: sent twice, it would count twice.',
    fix:
      locate.columns.length === 0
        ? `Send what the quantity shall be. ${ELSE_CONTACT}`
        : `Fill in ${source}, a number that no other change of this order has, or send what the quantity shall be.`,
  }),
  quantity_twice: ({ value }: Valued, { target }) => ({
    message: `The entry "${quoteValue(value)}" of ${target} says what the quantity shall be, and by how much it changes.`,
    fix: 'Write one of the two.',
  }),
  quantity_missing: ({ value }: Valued, { target }) => ({
    message: `The entry "${quoteValue(value)}" of ${target} says more or less, and not how much.`,
    fix: 'Write the quantity, or take the entry out.',
  }),
  action_unknown: ({ value, known }: Valued & { known: readonly string[] }, { target }) => ({
    message: `"${quoteValue(value)}" says nothing about what is done with an entry of ${target}.`,
    fix: `Correct it where it is mistyped; it must come to one of ${known.join(', ')}. ${ELSE_CONTACT}`,
  }),

  look_up_missing: ({ value, of, by }: LookedForBy, { target, source }) => ({
    message: `There is no ${of} with the ${KEY_NAMES[by]} "${quoteValue(value)}" for ${target}.`,
    fix: `Correct ${source}, or ask the operator to add the ${of}, and send the row again.`,
  }),
  look_up_ambiguous: ({ value, of, by, count }: LookedForBy & { count: number }, { target, source }) => ({
    message: `${count} ${of}s have the ${KEY_NAMES[by]} "${quoteValue(value)}", so which of them ${target} means is not known.`,
    fix: `Write into ${source} what only one ${of} has, and send the row again.`,
  }),
  look_up_silent: ({ value, of, by, fact }: LookedForBy & { fact: Fact }, { target }) => ({
    message: `The ${of} with the ${KEY_NAMES[by]} "${quoteValue(value)}" is known, but not its ${separated(fact)}, which ${target} needs.`,
    fix: `Ask the operator to complete the ${of}, and send the row again.`,
  }),
  look_up_unavailable: ({ value, of, why }: LookedFor & { why: string }, { target }) => ({
    message: `The ${of} "${quoteValue(value)}" for ${target} could not be looked up: ${why}.`,
    fix: 'Nothing is known to be wrong in this row: send it again later.',
  }),
  look_up_unanswered: ({ value, of }: LookedFor, { target }) => ({
    message: `The ${of} "${quoteValue(value)}" for ${target} would be looked up, and no answer was given.`,
    fix: 'Give the answers with --lookups FILE.',
  }),

  not_a_whole_number: (_: Valued, { target, source }) => ({
    message: `${capital(target)} must be a whole number such as 2.`,
    fix: `Write ${source} with digits only, without a decimal mark, blanks or letters.`,
  }),
  not_a_number: ({ decimal }: Valued & { decimal: string }, { target, source }) => ({
    message: `${capital(target)} must be a number such as 12${decimal}5.`,
    fix: `Write ${source} with digits and "${decimal}" as decimal mark, without thousands marks or units.`,
  }),
  decimal_mark_wrong: ({ decimal }: Valued & { decimal: string }, { target, source }) => ({
    message: `${capital(target)} is written with another decimal mark than "${decimal}", the one agreed for this file.`,
    fix: `Write ${source} with "${decimal}" (12${decimal}5). ${ELSE_CONTACT}`,
  }),
  thousands_mark_wrong: ({ thousands }: Valued & { thousands: string | undefined }, { target, source }) => ({
    message: `${capital(target)} has other marks between its digits than ${thousands === undefined ? 'a decimal mark; no others are agreed' : `"${thousands}" at every third one`}.`,
    fix: `Write ${source} ${thousands === undefined ? 'without marks between thousands' : `with "${thousands}" at every third digit or without marks`}.`,
  }),
  number_too_long: ({ digitsMax }: Valued & { digitsMax: number }, { target, source }) => ({
    message: `${capital(target)} has more than ${digitsMax} digits and could not be sent exactly.`,
    fix: `Correct ${source}; if the value belongs to another column, look for a missing delimiter.`,
  }),
  number_too_small: ({ minimum }: Valued & { minimum: number }, { target, source }) => ({
    message: `${capital(target)} must be ${minimum} or more.`,
    fix: `Correct ${source} in this row.`,
  }),
  unit_unknown: ({ value, to, column }: Valued & { to: Unit; column: string }, { target }) => ({
    message: `${capital(target)} must be turned into ${to}, but ${value === '' ? 'its unit is empty' : `"${quoteValue(value)}" is no unit that can be`}.`,
    fix: `Write a unit such as ${to} into "${column}".`,
  }),
  coordinate_invalid: (fault: Valued & { form: CoordinateForm; decimal: string; why: string }, place) => ({
    message: `${capital(place.target)} cannot be read: ${fault.why}.`,
    fix: coordinateFix(fault, place),
  }),
  coordinate_out_of_range: ({ degreesMax }: Valued & { degreesMax: number }, { target, source }) => ({
    message: `${capital(target)} must lie between -${degreesMax} and ${degreesMax} degrees.`,
    fix: `Correct ${source} in this row.`,
  }),
  coordinates_swapped: (_: Valued, { source }) => ({
    message: 'Latitude and longitude seem to be swapped: the pair is only on the globe the other way round.',
    fix: `Exchange ${source}; if all rows look like this, ask the operator.`,
  }),
  coordinate_no_fix: (_: Valued) => ({
    message: 'The position is 0, 0: a device reports this when it has no GPS signal.',
    fix: 'Leave such positions out of the file.',
  }),
} satisfies Record<string, (fault: never, place: Place) => Texts>;

type Faults = typeof FAULTS;
type FactsOf<Said> = Said extends (fault: infer Facts, place: Place) => Texts ? Facts : never;
export type FieldFault = { [Code in keyof Faults]: { code: Code } & FactsOf<Faults[Code]> }[keyof Faults];

/** @returns the problem of one value; the caller, which knows the record, adds its position. */
export function describeFault(fault: FieldFault, locate: FieldLocation): Problem {
  const say = FAULTS[fault.code] as (fault: FieldFault, place: Place) => Texts; // the one for this code's facts
  const { message, fix } = say(fault, { target: plainName(locate.target), source: sourceOf(locate), locate });
  const value = 'value' in fault ? quoteValue(fault.value) : '';
  const isConstant = locate.columns.length === 0 && !OF_THE_RECORD.has(fault.code);
  return { code: fault.code, path: locationPath(locate), value, message, fix: isConstant ? CONSTANT_FIX : fix };
}

/** No column is at fault for these: they hold wherever the value comes from. */
const OF_THE_RECORD: ReadonlySet<string> = new Set<FieldFault['code']>([
  'list_empty',
  'order_too_large',
  'change_empty',
  'delta_without_reference',
  'quantity_twice',
  'quantity_missing',
  'action_unknown',
]);

const CONSTANT_FIX =
  'Nothing in the file can correct this, for the value does not come from it: ask the operator. The row waits until then.';

/**
 * Where a problem is, for people: the column as in their file; in plain words what a value is that comes from no column;
 * '' for the whole row.
 */
export function shownPath({ code, path, fix }: Pick<Problem, 'code' | 'path' | 'fix'>): string {
  if (fix.startsWith(CONSTANT_FIX.slice(0, 'Nothing in the file'.length))) return `${nameOf(path)} (not from the file)`;
  return OF_THE_RECORD.has(code) && isKnownName(path) ? nameOf(path) : path;
}

/** The same for a page: where a column is named by a code, plain words stand before it. */
export function spokenPath(problem: Pick<Problem, 'code' | 'path' | 'fix'>): string {
  const path = shownPath(problem);
  return path === problem.path ? path.split(', ').map(spokenColumn).join(', ') : path;
}

/** What is wrong and what to do, for a page: where they name a column by a code, plain words stand there. */
export const spokenTexts = ({ message, fix, path }: Pick<Problem, 'message' | 'fix' | 'path'>) => ({
  message: withSpokenColumns(withoutList(message), path),
  fix: withSpokenColumns(fix, path),
});

/** A problem in one line, with where it is in front, unless it begins with that itself. */
export function shownProblem(problem: Pick<Problem, 'code' | 'path' | 'fix' | 'message'>): string {
  const { message } = spokenTexts(problem);
  if (problem.path === '' || problem.message.startsWith(`"${problem.path.split(', ')[0]}"`)) return message;
  const path = spokenPath(problem);
  return `${path === problem.path ? path : capital(path)}: ${message}`;
}

const nameOf = (target: string): string => plainName(target).replace(/^the /, '');

/** X12 has the letter in an element of its own: a value joined of two columns is corrected in both. */
function coordinateFix(
  { form, decimal }: { form: CoordinateForm; decimal: string },
  { source, locate: { target, columns, isFirst } }: Place,
): string {
  const [digits, letter] = isFirst === true ? [] : columns;
  const written = (degrees: string): string => degrees.replace('.', decimal);
  if (digits !== undefined && letter !== undefined && columns.length === 2) {
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

function excelMessage({ value }: Valued, { target, source }: Place): Texts {
  if (value === NOT_CALCULATED)
    return {
      message: `The cell for ${target} holds a formula, and the workbook does not hold what it comes to.`,
      fix: 'Open the workbook in a spreadsheet program, save it and send it again; or have the program that wrote it store values.',
    };
  if (value.startsWith("'"))
    return {
      message: `"${quoteValue(value)}" begins with an apostrophe, by which spreadsheets mark a text; whether it belongs to ${target} cannot be told.`,
      fix: `Write ${source} without the apostrophe. ${ELSE_CONTACT}`,
    };
  return {
    message: `"${value}" is how spreadsheets and programs shorten a long number; what the last digits of ${target} were cannot be told.`,
    fix: `Make ${source} a column of text before the numbers come into the spreadsheet, or in JSON a text in quotes, and export it again.`,
  };
}

function stateMessage({ value, fact, city }: Misstated, { target, source }: Place): Texts {
  const message = `"${quoteValue(value)}" is no code of a state or province, such as IL, ON or JAL, for ${target}.`;
  if (fact.isSwapped && city !== undefined)
    return {
      message: `${message} ${sourceOf(city)} holds one: the two look swapped.`,
      fix: `Write the city into ${sourceOf(city)} and the code of its state into ${source}.`,
    };
  if (fact.named !== undefined) return { message, fix: `Write "${fact.named}" into ${source}.` };
  return { message, fix: `Write the code of the state or province into ${source}, or leave it empty.` };
}

/** The value is joined of several columns of this record. */
const isJoined = ({ isFirst = false, filled = [] }: FieldLocation): boolean => !isFirst && filled.length > 1;

/** A message without the code list that it names at its end: its sender can do nothing with that. */
export const withoutList = (message: string): string => message.replace(/ \(code lists? "[^()]*\)$/, '');

/** For authors and operators; it ends the message, where `listNamedIn` finds it. */
const codeLists = (names: readonly string[]): string =>
  `code ${names.length === 1 ? 'list' : 'lists'} ${quoted(names, 'and')}`;

function knownMessage(nearest: readonly string[], known: readonly string[]): string {
  const listed = (names: readonly string[]): string => names.map((name) => `"${quoteValue(name)}"`).join(', ');
  if (nearest.length > 0) return `Near it stand: ${listed(nearest)}. `;
  return known.length === 0 ? '' : `Known are, for example, ${listed(known)}. `;
}
