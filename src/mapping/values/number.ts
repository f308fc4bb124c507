/**
 * Adds to a text the reading of a number: local marks, a unit that is converted, rounding, and the least it may be.
 *
 * What passes is finite and exact to the digits that were written.
 */

import { trimmed } from '../../kernel/text.ts';
import { pathWithin } from '../compile/element-path.ts';
import { type IntegerField, longForm, type NumberField, type NumberKeys } from '../document/field-spec.ts';
import type { FieldFault, FieldPlace } from './fault.ts';
import { decimalTextOf, type LocalNumberFault, readLocalNumber, roundHalfAwayFromZero } from './local-number.ts';
import { compileUnconditionalText, type FieldContext, onlyWhen, type ReadValue, refuse } from './text.ts';
import { convert, dimensionOf, readUnit, type Unit } from './units.ts';

/** Digits a number keeps exactly. */
const DIGITS_MAX = 15;
const PLAIN_WHOLE_NUMBER = /^[+-]?\d{1,15}$/;

export type NumberForm = { whole: boolean; minimum: number | undefined };

/** The number of a field, whatever its `when` says. */
export function compileNumber(
  field: IntegerField | NumberField,
  form: NumberForm,
  place: FieldPlace,
  context: FieldContext,
): ReadValue<number> {
  const spec = longForm(field);
  const text = compileUnconditionalText(spec, place, context);
  return onlyWhen(spec.when, withNumber(text, spec, form, place, context), context);
}

export function withNumber(
  read: ReadValue<string>,
  keys: NumberKeys,
  form: NumberForm,
  place: FieldPlace,
  context: Pick<FieldContext, 'indexOf' | 'within'>,
): ReadValue<number> {
  const cast = isPlainWhole(keys, form) ? readWhole : castOf(keys, form);
  const toUnit = keys.unit === undefined ? undefined : compileUnit(keys.unit, context);
  const { minimum } = form;
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    const unit = toUnit?.(fields);
    if (unit !== undefined && 'code' in unit) return refuse(unit, { ...place, columns: [unit.column] }, errors);
    const number = cast(value, unit);
    if (typeof number !== 'number') return refuse(number, place, errors);
    if (minimum === undefined || number >= minimum) return number;
    return refuse({ code: 'number_too_small', value, minimum }, place, errors);
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
    if (!local.ok) return describe(local.fault, value, { decimal, thousands });
    const converted = unit === undefined ? local.value : converting(local.value, unit);
    const text = unit === undefined ? local.text : decimalTextOf(converted);
    const number = round === undefined ? converted : roundHalfAwayFromZero(text, round);
    return !whole || Number.isSafeInteger(number) ? number : { code: 'not_a_whole_number', value };
  };
}

function describe(
  fault: LocalNumberFault,
  value: string,
  { decimal, thousands }: { decimal: string; thousands: string | undefined },
): FieldFault {
  switch (fault) {
    case 'decimal_mark':
      return { code: 'decimal_mark_wrong', value, decimal };
    case 'thousands_mark':
      return { code: 'thousands_mark_wrong', value, thousands };
    case 'too_long':
      return { code: 'number_too_long', value, digitsMax: DIGITS_MAX };
    case 'empty':
    case 'not_a_number':
      return { code: 'not_a_number', value, decimal };
  }
}

/** The units measure the same, which was checked; a number of 15 digits stays finite. */
function converting(value: number, { from, to }: { from: Unit; to: Unit }): number {
  const converted = convert(value, from, to);
  return converted.ok ? converted.value : value;
}

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
