/**
 * One leaf of a document as a question to the cells of a record: is what they hold a value, nothing, or wrong?
 *
 * The answer is the mapping's own: the leaf is compiled as it is for records, only its condition is left out.
 */
import type { Problem } from '../kernel/problem.ts';
import { isZone } from '../kernel/zones.ts';
import { SCAC_FORM } from './checked-value.ts';
import type { CodeLists } from './code-list.ts';
import { readCoordinate } from './coordinate.ts';
import type { DocumentParts } from './document-parts.ts';
import { withEnrichment } from './enrich.ts';
import type { CoordinateField, IntegerField, NumberField, Origin, TextField, TimeField } from './field-spec.ts';
import { longForm, type TextFunctions } from './field-spec.ts';
import type { Leaf } from './leaves.ts';
import { ORDER_REF_CHARACTERS_MAX, ORDER_TEXT_CHARACTERS_MAX, TEXT_CHARACTERS_MAX } from './limits.ts';
import type { Answers } from './look-up.ts';
import { compileNumber } from './number-value.ts';
import { BOOLEANS } from './order.ts';
import { ORDER_REF_MEMBER, type OrderNode } from './order-spec.ts';
import { orderSubject, type RequestKind } from './request.ts';
import { isOrderKind, targetField } from './targets.ts';
import { compileText, compileWorkingText, type FieldContext, placeOf, type ReadValue } from './text-value.ts';
import { compileTime } from './time-value.ts';
import { indexIn, shiftedBy } from './tree-scope.ts';

/** @property request what it is a part of; undefined: of every request, as the zone and the SCAC are. */
export type AskedLeaf = Exclude<Leaf, { kind: 'condition' }> & { request: RequestKind | undefined };

/** The columns of the record or element a leaf is read in, and around an element those of the record. */
export interface LeafScope {
  columns: readonly string[];
  around: readonly string[];
}

export interface JudgeContext {
  parts: DocumentParts;
  lists: CodeLists;
  answers: Answers;
  /** Those that may be used; none: any. */
  scacs: readonly string[];
  /** Subjects that the file has already: an order of the same number would be another one's. */
  taken: ReadonlySet<string>;
}

/** Texts by column. */
export type CellTexts = ReadonlyMap<string, string>;
export type Verdict = 'value' | 'empty' | 'wrong';
export type Judge = (cells: CellTexts, around: CellTexts) => Verdict;

export function judgeOf(leaf: AskedLeaf, scope: LeafScope, context: JudgeContext): Judge {
  const read = compileLeaf(leaf, scope, context);
  return (cells, around) => {
    const fields = [
      ...scope.columns.map((column) => cells.get(column) ?? ''),
      ...scope.around.map((column) => around.get(column) ?? ''),
    ];
    const errors: Problem[] = [];
    const value = read(fields, errors);
    if (errors.length > 0 || value === false) return 'wrong';
    return value === undefined ? 'empty' : 'value';
  };
}

/** What the leaf reads; `false` where that is a text its target does not take. */
type ReadLeaf = ReadValue<unknown>;

function compileLeaf(leaf: AskedLeaf, { columns, around }: LeafScope, context: JudgeContext): ReadLeaf {
  const { parts, lists, answers } = context;
  const own: FieldContext = { indexOf: indexIn(columns), lists, within: '', lookUps: { answers } };
  const place = placeOf(leaf.field as Origin | string, leaf.target, own);
  switch (leaf.kind) {
    case 'text':
    case 'zone': {
      const takes = textTest(leaf, context);
      const read = compileText(unconditional<TextField>(leaf.field), place, own);
      return (fields, errors) => {
        const text = read(fields, errors);
        return text === undefined ? undefined : takes(text);
      };
    }
    case 'number': {
      const form = { whole: longForm(leaf.field).as === 'integer', minimum: minimumOf(leaf) };
      return compileNumber(unconditional<IntegerField | NumberField>(leaf.field), form, place, own);
    }
    case 'coordinate':
      return compileHalf(leaf, own);
    case 'time': {
      const zoneContext = around.length === 0 ? own : { ...own, indexOf: shiftedBy(columns.length, indexIn(around)) };
      const zone = leaf.isDay ? (parts.zone ?? { const: 'UTC' }) : parts.zone;
      const times = { zone, zoneContext, clockChanges: parts.clockChanges };
      return compileTime(unconditional<TimeField>(leaf.field), place, times, own);
    }
  }
}

/** Whether a condition holds is decided before the cells are filled, not by them. */
function unconditional<Field extends string | (Origin & TextFunctions)>(field: Field): Field {
  if (typeof field === 'string') return field;
  const { when: _, ...others } = field as Origin & TextFunctions;
  return others as Field;
}

function compileHalf(leaf: AskedLeaf & { kind: 'coordinate' }, own: FieldContext): ReadLeaf {
  const spec = longForm<Exclude<CoordinateField, string>>(leaf.field);
  const { form = 'decimal', decimal = '.' } = spec;
  const axis = leaf.target === 'latitude' ? 'latitude' : 'longitude';
  const place = placeOf(spec, axis, own);
  const read = withEnrichment(spec.enrich, compileWorkingText(spec, place, own), place, own.lookUps);
  return (fields, errors) => {
    const text = read(fields, errors);
    return text === undefined ? undefined : readCoordinate(text, axis, form, decimal).ok;
  };
}

export const isBoolean = (leaf: AskedLeaf): boolean =>
  leaf.kind === 'text' && typeof leaf.field === 'object' && (leaf.field as OrderNode).as === 'boolean';

export const isScac = ({ at }: AskedLeaf): boolean => at.length === 1 && at[0] === 'scac';

function textTest(leaf: AskedLeaf, { scacs, taken }: JudgeContext): (text: string) => boolean {
  if (leaf.kind === 'zone') return isZone;
  if (isScac(leaf)) return (text) => SCAC_FORM.test(text) && (scacs.length === 0 || scacs.includes(text));
  if (isBoolean(leaf)) return (text) => BOOLEANS.has(text.toLowerCase());
  const charactersMax = charactersMaxOf(leaf);
  if (isOrderRef(leaf)) return (text) => text.length <= charactersMax && !taken.has(orderSubject(text));
  return (text) => text.length <= charactersMax;
}

const isOrderRef = ({ request, target }: AskedLeaf): boolean =>
  request !== undefined && isOrderKind(request) && target === ORDER_REF_MEMBER;

function charactersMaxOf(leaf: AskedLeaf): number {
  const { request, target } = leaf;
  if (request === undefined) return TEXT_CHARACTERS_MAX;
  if (isOrderKind(request)) return isOrderRef(leaf) ? ORDER_REF_CHARACTERS_MAX : ORDER_TEXT_CHARACTERS_MAX;
  const field = targetField(request, target);
  return field?.holds === 'text' ? field.charactersMax : TEXT_CHARACTERS_MAX;
}

function minimumOf({ request, target }: AskedLeaf): number | undefined {
  const field = request === undefined ? undefined : targetField(request, target);
  return field?.holds === 'integer' ? field.minimum : undefined;
}

/** Whether a record without it would be wrong. A temperature given at all needs its scale. */
export function isRequired(leaf: AskedLeaf): boolean {
  const { request, target } = leaf;
  if (leaf.kind === 'coordinate' || isScac(leaf) || target === 'temperature unitOfMeasure') return true;
  if (request === undefined) return false;
  if (!isOrderKind(request)) return targetField(request, target)?.required ?? false;
  if (isOrderRef(leaf)) return true;
  const { required = false } = typeof leaf.field === 'object' ? (leaf.field as OrderNode) : {};
  return required !== false; // where a condition decides, the leaf is read while it holds
}
