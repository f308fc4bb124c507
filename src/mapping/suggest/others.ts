/** Columns that could be meant instead, where a field is not sure: whoever knows the file chooses. Pure. */
import { calledColumn } from '../values/element-names.ts';
import type { Drafting } from './draft.ts';
import { OTHER_COLUMNS_MAX } from './limits.ts';
import { nameTerms } from './names.ts';
import { type Shape, shareOf } from './shape.ts';
import type { Choice, FieldSuggestion } from './suggestion.ts';

/** Fields of which another column can be named, and the id of that answer. */
const ANSWERED_BY: Readonly<Record<string, string>> = {
  'fields.loadNumber': 'loadNumber',
  'fields.eventCode': 'status',
  'fields.eventCity': 'city',
  'fields.eventState': 'state',
};

export function withOther(field: FieldSuggestion, drafting: Drafting): FieldSuggestion {
  const answerId = ANSWERED_BY[field.field];
  if (answerId === undefined) return field;
  const isOpen = answerId === 'loadNumber' && (field.confidence === 'unsure' || drafting.answers.has(answerId));
  return { ...field, other: { answerId, choices: isOpen ? numbersOf(drafting, field.columns) : [] } };
}

const TIMES = new Set(['fields.time', 'zone']);

/** What names of numbers are made of: before anything else that looks like one. */
const NUMBER_TERMS = new Set(['number', 'id', 'reference', 'code', 'key', 'load', 'shipment', 'order']);

/** Columns that may number loads; of two with the same values, the one that is written first. */
function numbersOf({ shapes, fields }: Drafting, taken: readonly string[]): Choice[] {
  const times = fields.flatMap(({ field, columns }) => (TIMES.has(field) ? columns : []));
  const numbered = shapes.filter(
    (shape) => taken.includes(shape.column.name) || (!times.includes(shape.column.name) && isNumber(shape)),
  );
  const rank = ({ column }: Shape): number =>
    taken.includes(column.name) ? 0 : nameTerms(column.called).some((term) => NUMBER_TERMS.has(term)) ? 1 : 2;
  return numbered
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, OTHER_COLUMNS_MAX)
    .map(({ column, counts }) => ({
      choice: column.name,
      says: `${calledColumn(column.name)}, such as ${[...counts.keys()].slice(0, 2).join(', ')}`,
      isLikely: taken.includes(column.name),
    }));
}

const NUMBER_CHARACTERS_MIN = 4;
const NUMBER_CHARACTERS_MAX = 40;

/** Several of them, nearly all with a digit, nearly always there; no date, no time, no measure. */
function isNumber(shape: Shape): boolean {
  const { kind, counts, emptyShare, lengthMin, lengthMax } = shape;
  if (kind !== 'whole number' && kind !== 'text' && kind !== 'code') return false;
  const isLong = lengthMin >= NUMBER_CHARACTERS_MIN && lengthMax <= NUMBER_CHARACTERS_MAX;
  const isDate = shareOf(shape, (value) => /^(?:19|20)\d{6}$|^\d{1,2}:\d{2}|^[+-]\d{2}:?\d{2}$/.test(value)) > 0.5;
  return isLong && counts.size > 1 && emptyShare < 0.1 && !isDate && shareOf(shape, (value) => /\d/.test(value)) > 0.9;
}
