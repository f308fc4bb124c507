/**
 * Adds to a text what its target demands: limits of a text, the form of a SCAC, or that there is a value.
 *
 * What passes here has the form the upstream wants, so nothing validates it again.
 */
import { NOT_CALCULATED } from '../../formats/xlsx/cell-text.ts';
import type { Problem } from '../../kernel/problem.ts';
import { unseenAt } from '../../kernel/text.ts';
import { longForm, type TextField } from '../document/field-spec.ts';
import { describeFault, type FieldFault, type FieldPlace } from './fault.ts';
import { compileUnconditionalText, type FieldContext, onlyWhen, placeOf, type ReadValue, refuse } from './text.ts';

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

/** The same, but for the breaks and tabs of a text of several lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** As spreadsheets and programs write a number of too many digits; nobody calls a load or an order so. */
const SHORTENED_NUMBER = /^-?[1-9](?:[.,]\d{1,16})?E\+\d{2,3}$/i;

/**
 * Adds our limits to a text that is sent: its length, nothing unprintable or unseen in it, no number that has lost its
 * digits, and no formula without its value.
 * @param kind `lines` allows line breaks and tabs, as comments have them; `name` is what names or codes something, which no
 * apostrophe begins.
 */
export function withTextLimits(
  read: ReadValue<string>,
  charactersMax: number,
  place: FieldPlace,
  kind: 'line' | 'lines' | 'name' = 'line',
): ReadValue<string> {
  const control = kind === 'lines' ? CONTROL_IN_LINES : CONTROL;
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    if (value.length > charactersMax) return refuse({ code: 'value_too_long', value, charactersMax }, place, errors);
    if (control.test(value) || !value.isWellFormed()) return refuse(controlCharacter(value, control), place, errors);
    const unseen = unseenAt(value);
    if (unseen !== -1) return refuse(unseenCharacter(value, unseen), place, errors);
    if (kind === 'name' && value.startsWith("'")) return refuse({ code: 'excel_damage', value }, place, errors);
    return SHORTENED_NUMBER.test(value) || value === NOT_CALCULATED
      ? refuse({ code: 'excel_damage', value }, place, errors)
      : value;
  };
}

function controlCharacter(value: string, control: RegExp): FieldFault {
  const found = value.search(control);
  const index = found === -1 ? Math.max(0, value.search(/\p{Cs}/u)) : found; // else a surrogate without its other half
  return {
    code: 'control_character',
    value,
    character: `the control character ${numberOf(value, index)}`,
    at: index + 1,
  };
}

const unseenCharacter = (value: string, index: number): FieldFault => ({
  code: 'control_character',
  value,
  character: `the character ${numberOf(value, index)}, which is not seen everywhere,`,
  at: index + 1,
});

const numberOf = (value: string, index: number): string =>
  `U+${value.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`;

/** A carrier's SCAC becomes a header of the call, so nothing else may pass. */
export const SCAC_FORM = /^[A-Z]{2,4}$/;

/**
 * The SCAC a mapping reads from the record. An empty cell is an error: falling back to the upload's SCAC would send the
 * event in another carrier's name. A mapping that wants that says so by `when`.
 */
export function compileScac(field: TextField, context: FieldContext): ReadValue<string> {
  const spec = longForm(field);
  const place = placeOf(spec, 'scac', context);
  const readText = asRequired(compileUnconditionalText(spec, place, context), place);
  const read: ReadValue<string> = (fields, errors) => {
    const value = readText(fields, errors);
    if (value === undefined || SCAC_FORM.test(value)) return value;
    return refuse({ code: 'scac_invalid', value }, place, errors);
  };
  return onlyWhen(spec.when, read, context);
}
