/**
 * Adds to a text what its target demands: limits of a text, the form of a number or a SCAC, or that there is a value.
 *
 * What passes here has the form the upstream wants, so nothing validates it again.
 */
import type { Problem } from '../kernel/problem.ts';
import { describeFault, type FieldFault, type FieldPlace } from './fault.ts';
import { type IntegerField, longForm, type NumberField, type TextField } from './field-spec.ts';
import {
  compileUnconditionalText,
  type FieldContext,
  onlyWhen,
  placeOf,
  type ReadValue,
  refuse,
} from './text-value.ts';

/** An absent value is an error of its own only where no other one explains it. */
export function asRequired<Value>(read: ReadValue<Value>, place: FieldPlace): ReadValue<Value> {
  return (fields, errors: Problem[]) => {
    const before = errors.length;
    const value = read(fields, errors);
    if (value === undefined && errors.length === before) errors.push(describeFault({ code: 'value_missing' }, place));
    return value;
  };
}

/** Line breaks and other control characters, which no text of the upstream's can mean (C0, DEL, C1). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Adds our limits to a text that is sent: its length, and nothing unprintable in it. */
export function withTextLimits(read: ReadValue<string>, charactersMax: number, place: FieldPlace): ReadValue<string> {
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    if (value.length > charactersMax) return refuse({ code: 'value_too_long', value, charactersMax }, place, errors);
    if (!CONTROL.test(value) && value.isWellFormed()) return value;
    return refuse(controlCharacter(value), place, errors);
  };
}

function controlCharacter(value: string): FieldFault {
  const index = Math.max(0, value.search(/[\p{Cc}\p{Cs}]/u));
  const unit = value.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0');
  return { code: 'control_character', value, character: `the control character U+${unit}`, at: index + 1 };
}

const WHOLE_NUMBER = /^[+-]?\d{1,15}$/;

export function withInteger(read: ReadValue<string>, minimum: number, place: FieldPlace): ReadValue<number> {
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    if (!WHOLE_NUMBER.test(value)) return refuse({ code: 'not_a_whole_number', value }, place, errors);
    const number = Number(value) + 0; // "-0" becomes 0
    return number < minimum ? refuse({ code: 'number_too_small', value, minimum }, place, errors) : number;
  };
}

/** At most 15 digits on each side of the mark: always a finite number. */
const DECIMAL_NUMBER = /^[+-]?\d{1,15}(\.\d{1,15})?$/;

export function withNumber(read: ReadValue<string>, decimal: string, place: FieldPlace): ReadValue<number> {
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    const text = decimal === '.' ? value : value.includes('.') ? '' : value.replace(decimal, '.');
    if (!DECIMAL_NUMBER.test(text)) return refuse({ code: 'not_a_number', value, decimal }, place, errors);
    return Number(text) + 0;
  };
}

/** The integer or number a field with `as` asks for. */
export function compileNumber(
  field: IntegerField | NumberField,
  minimum: number,
  place: FieldPlace,
  context: FieldContext,
): ReadValue<number> {
  const text = compileUnconditionalText(field, place, context);
  const cast =
    field.as === 'integer' ? withInteger(text, minimum, place) : withNumber(text, field.decimal ?? '.', place);
  return onlyWhen(field.when, cast, context);
}

/** A carrier's SCAC becomes a header of the call, so nothing else may pass. */
const SCAC_FORM = /^[A-Z]{2,4}$/;

/**
 * The SCAC a mapping reads from the record. An empty cell is an error: falling back to the upload's SCAC would send the
 * event in another carrier's name. A mapping that wants that says so by `when`.
 */
export function compileScac(field: TextField, context: FieldContext): ReadValue<string> {
  const spec = longForm(field);
  const place = placeOf(spec, 'scac');
  const readText = asRequired(compileUnconditionalText(spec, place, context), place);
  const read: ReadValue<string> = (fields, errors) => {
    const value = readText(fields, errors);
    if (value === undefined || SCAC_FORM.test(value)) return value;
    return refuse({ code: 'scac_invalid', value }, place, errors);
  };
  return onlyWhen(spec.when, read, context);
}
