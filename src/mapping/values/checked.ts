/**
 * Adds the target's requirements to a text: length, the form of a SCAC, or that there is a value.
 *
 * The result has the form the upstream wants, so nothing validates it again.
 */
import { NOT_CALCULATED } from '../../formats/xlsx/cell-text.ts';
import type { Problem } from '../../kernel/problem.ts';
import { isPlain, trimmed, unseenAt } from '../../kernel/text.ts';
import {
  type IntegerField,
  longForm,
  type NumberField,
  type NumberKeys,
  type TextField,
} from '../document/field-spec.ts';
import { describeFault, type FieldFault, type FieldLocation } from './fault.ts';
import {
  DIGITS_MAX,
  decimalTextOf,
  type LocalNumberFault,
  readLocalNumber,
  roundHalfAwayFromZero,
} from './local-number.ts';
import {
  compileUnconditionalText,
  type FieldContext,
  locationOf,
  onlyWhen,
  pathWithin,
  type ReadValue,
  refuse,
} from './text.ts';
import { convert, dimensionOf, readUnit, type Unit } from './units.ts';

/** A missing value is an error only if no other error explains it. */
export function asRequired<Value>(read: ReadValue<Value>, locate: FieldLocation): ReadValue<Value> {
  return (fields, errors: Problem[]) => {
    const before = errors.length;
    const value = read(fields, errors);
    if (value === undefined && errors.length === before) errors.push(describeFault({ code: 'value_missing' }, locate));
    return value;
  };
}

/** Line breaks and other control characters, which no upstream text can mean (C0, DEL, C1). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The same, but without the line breaks and tabs of a text of several lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

const PLUS = 0x2b;
/** How spreadsheets and programs shorten a long number; no load or order is named so. */
const SHORTENED_NUMBER = /^-?[1-9](?:[.,]\d{1,16})?E\+\d{2,3}$/i;

/**
 * Adds our limits to a text that is sent: its length, nothing unprintable or invisible, no number that lost its digits,
 * and no formula without its value.
 * @param kind `lines` allows line breaks and tabs, as in comments; `name` names or codes something and never begins
 * with an apostrophe.
 */
export function withTextLimits(
  read: ReadValue<string>,
  charactersMax: number,
  locate: FieldLocation,
  kind: 'line' | 'lines' | 'name' = 'line',
): ReadValue<string> {
  const control = kind === 'lines' ? CONTROL_IN_LINES : CONTROL;
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    if (value.length > charactersMax) return refuse({ code: 'value_too_long', value, charactersMax }, locate, errors);
    const unprinted = isPlain(value) ? undefined : unprintedCharacter(value, control);
    if (unprinted !== undefined) return refuse(unprinted, locate, errors);
    const isDamaged =
      (kind === 'name' && value.startsWith("'")) || isShortenedNumber(value) || value === NOT_CALCULATED;
    return isDamaged ? refuse({ code: 'excel_damage', value }, locate, errors) : value;
  };
}

/** `1E+10` */
const SHORTENED_CHARACTERS_MIN = 5;

/** Only a text with a plus before its last two or three digits can be one. */
function isShortenedNumber(value: string): boolean {
  if (value.length < SHORTENED_CHARACTERS_MIN) return false;
  const hasPlus = value.charCodeAt(value.length - 3) === PLUS || value.charCodeAt(value.length - 4) === PLUS;
  return hasPlus && SHORTENED_NUMBER.test(value);
}

function unprintedCharacter(value: string, control: RegExp): FieldFault | undefined {
  if (control.test(value) || !value.isWellFormed()) return controlCharacter(value, control);
  const unseen = unseenAt(value);
  if (unseen === -1) return undefined;
  return characterFault(value, unseen, `the character ${numberOf(value, unseen)}, which is not seen everywhere,`);
}

function controlCharacter(value: string, control: RegExp): FieldFault {
  const found = value.search(control);
  const index = found === -1 ? Math.max(0, value.search(/\p{Cs}/u)) : found; // else an unpaired surrogate
  return characterFault(value, index, `the control character ${numberOf(value, index)}`);
}

const characterFault = (value: string, index: number, character: string): FieldFault => ({
  code: 'control_character',
  value,
  character,
  at: index + 1,
});

const numberOf = (value: string, index: number): string =>
  `U+${value.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`;

/** A carrier's SCAC becomes a header of the call, so nothing else is accepted. */
const SCAC_FORM = /^[A-Z]{2,4}$/;

/**
 * The SCAC a mapping reads from the record. An empty cell is an error: using the upload's SCAC instead would send the
 * event in another carrier's name. A mapping that wants that says so with `when`.
 */
export function compileScac(field: TextField, context: FieldContext): ReadValue<string> {
  const spec = longForm(field);
  const locate = locationOf(spec, 'scac', context);
  const readText = asRequired(compileUnconditionalText(spec, locate, context), locate);
  const read: ReadValue<string> = (fields, errors) => {
    const value = readText(fields, errors);
    if (value === undefined || SCAC_FORM.test(value)) return value;
    return refuse({ code: 'scac_invalid', value }, locate, errors);
  };
  return onlyWhen(spec.when, read, context);
}

/*
 * Reads a text as a number: local marks, unit conversion, rounding, and the minimum.
 *
 * The result is finite and exact to the digits that were written.
 */

const PLAIN_WHOLE_NUMBER = /^[+-]?\d{1,15}$/;

type NumberForm = { whole: boolean; minimum: number | undefined };

/** The number of a field, ignoring its `when`. */
export function compileNumber(
  field: IntegerField | NumberField,
  form: NumberForm,
  locate: FieldLocation,
  context: FieldContext,
): ReadValue<number> {
  const spec = longForm(field);
  const text = compileUnconditionalText(spec, locate, context);
  return onlyWhen(spec.when, withNumber(text, spec, form, locate, context), context);
}

export function withNumber(
  read: ReadValue<string>,
  keys: NumberKeys,
  form: NumberForm,
  locate: FieldLocation,
  context: Pick<FieldContext, 'indexOf' | 'within'>,
): ReadValue<number> {
  const cast = isPlainWhole(keys, form) ? readWhole : castOf(keys, form);
  const toUnit = keys.unit === undefined ? undefined : compileUnit(keys.unit, context);
  const { minimum } = form;
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    const unit = toUnit?.(fields);
    if (unit !== undefined && 'code' in unit) return refuse(unit, { ...locate, columns: [unit.column] }, errors);
    const number = cast(value, unit);
    if (typeof number !== 'number') return refuse(number, locate, errors);
    if (minimum === undefined || number >= minimum) return number;
    return refuse({ code: 'number_too_small', value, minimum }, locate, errors);
  };
}

const isPlainWhole = ({ thousands, unit, round }: NumberKeys, { whole }: NumberForm): boolean =>
  whole && thousands === undefined && unit === undefined && round === undefined;

const readWhole = (value: string): number | FieldFault =>
  PLAIN_WHOLE_NUMBER.test(value) ? Number(value) + 0 : { code: 'not_a_whole_number', value }; // "-0" becomes 0

type Cast = (value: string, unit: { from: Unit; to: Unit } | undefined) => number | FieldFault;

function castOf({ decimal = '.', thousands, round }: NumberKeys, { whole }: NumberForm): Cast {
  const marks = thousands === undefined ? { decimal } : { decimal, thousands };
  return (value, unit) => {
    const local = readLocalNumber(value, marks);
    if (!local.ok) return { code: FAULT_CODES[local.fault], value, decimal, thousands, digitsMax: DIGITS_MAX };
    const converted = unit === undefined ? local.value : convert(local.value, unit.from, unit.to);
    const text = unit === undefined ? local.text : decimalTextOf(converted);
    const number = round === undefined ? converted : roundHalfAwayFromZero(text, round);
    return !whole || Number.isSafeInteger(number) ? number : { code: 'not_a_whole_number', value };
  };
}

const FAULT_CODES = {
  empty: 'not_a_number',
  not_a_number: 'not_a_number',
  decimal_mark: 'decimal_mark_wrong',
  thousands_mark: 'thousands_mark_wrong',
  too_long: 'number_too_long',
} as const satisfies Record<LocalNumberFault, FieldFault['code']>;

type ReadUnitPair = (
  fields: readonly string[],
) => { from: Unit; to: Unit } | Extract<FieldFault, { code: 'unit_unknown' }>;

function compileUnit(
  unit: NonNullable<NumberKeys['unit']>,
  { indexOf, within }: Pick<FieldContext, 'indexOf' | 'within'>,
): ReadUnitPair {
  const to = readUnit(unit.to);
  if (to === undefined) throw new Error(`unit "${unit.to}": the document was not checked`);
  if (typeof unit.from === 'string') {
    const from = readUnit(unit.from);
    if (from === undefined) throw new Error(`unit "${unit.from}": the document was not checked`);
    return () => ({ from, to });
  }
  const { column } = unit.from;
  const index = indexOf(column);
  return (fields) => {
    const written = index === undefined ? '' : trimmed(fields[index] ?? '');
    const from = readUnit(written);
    if (from !== undefined && dimensionOf(from) === dimensionOf(to)) return { from, to };
    return { code: 'unit_unknown', value: written, to, column: pathWithin(within, column) };
  };
}
