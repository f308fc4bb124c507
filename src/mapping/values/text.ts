/**
 * Compiles a field into a function that reads its text from a record.
 *
 * Order: when, origin, text functions, lookup, enrich, default (docs/mappings.md); what the text then becomes is checked.ts.
 * The compiled function never throws; what is wrong is added to the record's errors, and the value is then absent.
 */
import type { Problem } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import { pathWithin } from '../compile/element-path.ts';
import type { CodeList, CodeLists } from '../document/code-list.ts';
import { type Condition, compileCondition } from '../document/condition.ts';
import {
  captureGroup,
  longForm,
  lookupNames,
  type Origin,
  type TextField,
  type TextFunctions,
  type TextObject,
} from '../document/field-spec.ts';
import { compileOrigin, type IndexOf, originColumns, type ReadText } from '../document/origin.ts';
import { WORKING_CHARACTERS_MAX } from '../limits.ts';
import type { LookUps } from '../lookups/look-up.ts';
import { compileCapture } from './capture.ts';
import { withEnrichment } from './enrich.ts';
import { describeFault, type FieldFault, type FieldPlace } from './fault.ts';
import { textFunctions } from './functions.ts';

/** Near words named in a message. */
const NEAREST_LISTED_MAX = 3;

/** Undefined: there is no value, because the cells are empty, the field's `when` does not hold, or an error was added. */
export type ReadValue<Value> = (fields: readonly string[], errors: Problem[]) => Value | undefined;

export interface FieldContext {
  indexOf: IndexOf;
  lists: CodeLists;
  /** The array whose elements are read, as `elementsOf` writes it; '' for the record itself. */
  within: string;
  /** Absent: nothing is looked up, so that a field that wants it is in error. */
  lookUps?: LookUps | undefined;
}

/** The columns of a field as seen from the record. */
export function placeOf(field: Origin | string, target: string, { within }: Pick<FieldContext, 'within'>): FieldPlace {
  const columns = typeof field === 'string' ? [field] : originColumns(field);
  const isFirst = typeof field !== 'string' && field.firstOf !== undefined;
  return { columns: columns.map((column) => pathWithin(within, column)), target, ...(isFirst ? { isFirst } : {}) };
}

/** @returns the place with those of its columns that are filled: what is wrong with the value stands in one of them. */
export function filledPlaces(
  field: Origin,
  place: FieldPlace,
  { indexOf }: FieldContext,
): (fields: readonly string[]) => FieldPlace {
  const indexes = originColumns(field).map(indexOf);
  return (fields) => ({
    ...place,
    filled: place.columns.filter((_, at) => trimmed(fields[indexes[at] ?? -1] ?? '') !== ''),
  });
}

export function compileText(field: TextField, place: FieldPlace, context: FieldContext): ReadValue<string> {
  const spec = longForm(field);
  return onlyWhen(spec.when, compileUnconditionalText(spec, place, context), context);
}

/** The text of a field that is read whether its `when` holds or not. */
export function compileUnconditionalText(
  field: CodedText,
  place: FieldPlace,
  context: FieldContext,
): ReadValue<string> {
  const working = compileWorkingText(field, place, context);
  const coded = compileLookup(field, working, filledPlaces(field, place, context), context.lists);
  return withDefault(field.default, withEnrichment(field.enrich, coded, place, context.lookUps));
}

export type CodedText = Origin &
  TextFunctions &
  Pick<TextObject, 'lookup' | 'reverse' | 'onMiss' | 'enrich' | 'default'>;

/** The text of a field before any lookup, default, cast or condition. */
export function compileWorkingText(
  field: Origin & TextFunctions,
  place: FieldPlace,
  context: FieldContext,
): ReadValue<string> {
  const read = withCapture(field.capture, compileOrigin(field, field.trim ?? true, context.indexOf), place);
  const steps = textFunctions(field);
  return (fields, errors) => {
    let text = read(fields, errors);
    if (text === undefined) return undefined;
    if (text.length > WORKING_CHARACTERS_MAX) return refuse(tooLong(text), place, errors);
    for (const step of steps) {
      text = step(text);
      if (text.length > WORKING_CHARACTERS_MAX) return refuse(tooLong(text), place, errors);
    }
    return text === '' ? undefined : text;
  };
}

/** The part of the text that a pattern finds; an empty text has no part. */
function withCapture(capture: TextFunctions['capture'], read: ReadText, place: FieldPlace): ReadValue<string> {
  if (capture === undefined) return read;
  const { pattern, onMiss = 'reject' } = capture;
  const compiled = compileCapture(pattern, captureGroup(capture));
  if (!compiled.ok) throw new Error(`bad pattern "${pattern}": the document was not checked`);
  const find = compiled.value;
  return (fields, errors) => {
    const text = read(fields);
    if (text === '') return undefined;
    if (text.length > WORKING_CHARACTERS_MAX) return refuse(tooLong(text), place, errors);
    const found = find(text);
    if (found !== undefined) return found.trim();
    return onMiss === 'empty' ? undefined : refuse({ code: 'pattern_not_found', value: text, pattern }, place, errors);
  };
}

const tooLong = (value: string): FieldFault => ({
  code: 'value_too_long',
  value,
  charactersMax: WORKING_CHARACTERS_MAX,
});

export function refuse(fault: FieldFault, place: FieldPlace, errors: Problem[]): undefined {
  errors.push(describeFault(fault, place));
  return undefined;
}

function compileLookup(
  { lookup, reverse = false, onMiss = 'reject' }: CodedText,
  read: ReadValue<string>,
  placeIn: (fields: readonly string[]) => FieldPlace,
  known: CodeLists,
): ReadValue<string> {
  if (lookup === undefined) return read;
  const lists = lookupNames(lookup).map((name) => {
    const list = known.get(name);
    if (list === undefined) throw new Error(`code list "${name}" was not given: the document was not checked`);
    return list;
  });
  return (fields, errors) => {
    const word = read(fields, errors);
    if (word === undefined) return undefined;
    for (const list of lists) {
      const code = reverse ? list.findWord(word) : list.find(word);
      if (code !== undefined) return code;
    }
    if (onMiss === 'keep') return word;
    if (onMiss === 'empty') return undefined;
    return refuse(unknownCode(word, lists, reverse), placeIn(fields), errors);
  };
}

function unknownCode(value: string, lists: readonly CodeList[], reverse: boolean): FieldFault {
  const near = lists.flatMap((list) => (reverse ? list.nearestCodes(value) : list.nearest(value)));
  return {
    code: 'code_unknown',
    value,
    lists: lists.map(({ name }) => name),
    nearest: near.slice(0, NEAREST_LISTED_MAX),
  };
}

/** An absent value may also be one in error: the default then changes nothing, as the error withholds the request. */
function withDefault(text: string | undefined, read: ReadValue<string>): ReadValue<string> {
  if (text === undefined) return read;
  return (fields, errors) => read(fields, errors) ?? text;
}

/** Outermost: a field whose condition does not hold is not read at all, so it has no errors and no default either. */
export function onlyWhen<Value>(
  when: Condition | undefined,
  read: ReadValue<Value>,
  context: FieldContext,
): ReadValue<Value> {
  if (when === undefined) return read;
  const applies = compileCondition(when, context.indexOf);
  return (fields, errors) => (applies(fields) ? read(fields, errors) : undefined);
}
