/**
 * The form of one field in a mapping document: where its text comes from, what is done to it, what it becomes.
 *
 * A plain string is short for `{ from: <column> }`. Keys that exclude each other are checked in `check/field.ts`.
 */
import * as z from 'zod';
import {
  DOCUMENT_TEXT_CHARACTERS_MAX,
  LOOKUPS_MAX,
  NAME_CHARACTERS_MAX,
  PARTS_MAX,
  PATTERN_CHARACTERS_MAX,
  PATTERNS_MAX,
  REPLACEMENTS_MAX,
  ROUND_DECIMALS_MAX,
} from '../limits.ts';
import { LOCATION_FACTS, VEHICLE_FACTS, VEHICLE_KEYS } from '../lookups/lookup.ts';
import { COORDINATE_FORMS } from '../values/coordinate.ts';
import { TIME_POLICIES } from '../values/date-times.ts';
import type { CodeLists } from './code-list.ts';
import { condition } from './condition.ts';

const text = z.string().max(DOCUMENT_TEXT_CHARACTERS_MAX);
export const columnName = text
  .min(1)
  .meta({ id: 'Column', description: 'Name of a column, as in the header of the file.' });
const part = z.union([columnName, z.strictObject({ const: text.min(1).describe('Fixed text between the columns.') })]);

/** What happens to a local time that the zone's clock change skips (gap) or repeats (overlap). */
export const clockChangeKeys = {
  gap: z.enum(TIME_POLICIES).optional().describe('A local time skipped by the clock change. Default: reject.'),
  overlap: z.enum(TIME_POLICIES).optional().describe('A local time that exists twice. Default: reject.'),
};

/** Where a text comes from: exactly one of these. */
export const ORIGINS = ['from', 'firstOf', 'template', 'const'] as const;

export const originKeys = {
  from: z
    .union([columnName, z.array(part).min(1).max(PARTS_MAX)], 'a column, or a list of columns and { const: text }')
    .optional()
    .describe('A column, or a list of columns and { const: text } that are joined. Empty columns are left out.'),
  join: text.optional().describe('Text between the parts of "from"; one space unless said otherwise.'),
  firstOf: z
    .array(columnName)
    .min(1)
    .max(PARTS_MAX)
    .optional()
    .describe('The first of these columns that is not empty.'),
  template: text
    .min(1)
    .optional()
    .describe('Text with columns in braces: "{Load #}-{Stop}". Empty when all its columns are.'),
  const: text.min(1).optional().describe('Fixed text, the same for every record. Put numbers in quotes: "03".'),
  when: condition.optional().describe('The field is left out of records for which this is not so.'),
  optional: z.boolean().optional().describe('true: the columns may be absent from the file and then count as empty.'),
};

export const textKeys = {
  trim: z.boolean().optional().describe('false keeps blanks around each column; they are removed otherwise.'),
  capture: z
    .strictObject({
      pattern: z.string().min(1).max(PATTERN_CHARACTERS_MAX).describe('Regular expression (RE2): "PRO[ :]*([0-9]+)".'),
      group: z
        .int()
        .min(0)
        .optional()
        .describe('Which parenthesis is kept, 0 for the whole match; the first otherwise.'),
      onMiss: z
        .enum(['reject', 'empty'])
        .optional()
        .describe('A value in which the pattern is not found: an error (reject, the default), or treated as empty.'),
    })
    .optional()
    .describe('Keeps the part of the value that a pattern finds.'),
  substring: z
    .strictObject({
      from: z
        .int()
        .refine((first) => first !== 0, 'a number from 1 on, or from -1 on backwards')
        .describe('First character wanted; 1 is the first, -4 the fourth from the end.'),
      length: z.int().min(1).optional().describe('How many characters; to the end when absent.'),
    })
    .optional(),
  replace: z
    .array(z.strictObject({ find: text.min(1), with: text }))
    .min(1)
    .max(REPLACEMENTS_MAX)
    .optional()
    .describe('Texts replaced wherever they stand, one after the other. No patterns.'),
  upper: z.boolean().optional().describe('true: all letters in upper case.'),
  lower: z.boolean().optional().describe('true: all letters in lower case.'),
  pad: z
    .strictObject({
      to: z.int().min(1).max(DOCUMENT_TEXT_CHARACTERS_MAX).describe('Length wanted, in characters.'),
      with: z.string().length(1).describe('The character added.'),
      side: z.enum(['left', 'right']).describe('Where it is added.'),
    })
    .optional()
    .describe('Fills a shorter value up. An empty value stays empty.'),
};

const onMissOfLookup = z
  .enum(['reject', 'keep', 'empty'])
  .optional()
  .describe(
    'Nothing, or more than one, stands under the value: an error (reject, the default), sent as it is (keep), or treated as empty.',
  );
const enrichSpec = z
  .union([
    z.strictObject({
      vehicle: z.enum(VEHICLE_FACTS).describe('What is wanted of the vehicle.'),
      by: z
        .enum(VEHICLE_KEYS)
        .optional()
        .describe('What the value is: a vehicleNumber (the default), licensePlate or vin.'),
      onMiss: onMissOfLookup,
    }),
    z.strictObject({
      location: z.enum(LOCATION_FACTS).describe('What is wanted of the location whose locationNumber the value is.'),
      onMiss: onMissOfLookup,
    }),
  ])
  .meta({ id: 'Enrich', description: 'Replaces the value by what the operator knows of that vehicle or location.' });
export type Enrich = z.infer<typeof enrichSpec>;
const enrichKeys = {
  enrich: enrichSpec
    .optional()
    .describe('The value is the key of a vehicle or a location; what is known of it is sent. After the code list.'),
};

const listName = z.string().min(1).max(NAME_CHARACTERS_MAX);

export const codeKeys = {
  ...enrichKeys,
  lookup: z
    .union([listName, z.array(listName).min(1).max(LOOKUPS_MAX)])
    .optional()
    .describe("Code list that translates the value, or several: the partner's own first, then the standard."),
  reverse: z.boolean().optional().describe('true: translates codes of the list back to its words.'),
  onMiss: z
    .enum(['reject', 'keep', 'empty'])
    .optional()
    .describe(
      'A value that is not in the list: an error (reject, the default), sent as it is (keep), or treated as empty.',
    ),
  default: text
    .min(1)
    .optional()
    .describe('Used when the value is empty, after the lookup and never translated by it.'),
};

const textObject = z.strictObject({ ...originKeys, ...textKeys, ...codeKeys });
export const textField = z
  .union([columnName, textObject])
  .meta({ id: 'TextField', description: 'A text: a column name, or an object with from and functions.' });

/** How a number is written in the file, and what it is converted to. */
export const numberKeys = {
  decimal: z.enum(['.', ',']).optional().describe('Decimal mark of the file; "." unless said otherwise.'),
  thousands: z
    .enum(['.', ',', ' ', "'"])
    .optional()
    .describe('Mark between thousands; none is allowed unless it is named.'),
  unit: z
    .strictObject({
      from: z
        .union([text.min(1), z.strictObject({ column: columnName })])
        .describe('Unit of the file: mi, lb, F, or { column: Unit }.'),
      to: text.min(1).describe('Unit that is sent: km, kg, C.'),
    })
    .optional()
    .describe('Converts the number from one unit to another.'),
  round: z
    .int()
    .min(0)
    .max(ROUND_DECIMALS_MAX)
    .optional()
    .describe('Decimals kept, rounded half away from zero. With 0 it becomes whole, for as: integer, too.'),
};

const integerObject = z.strictObject({
  ...originKeys,
  ...textKeys,
  ...codeKeys,
  ...numberKeys,
  as: z.literal('integer').describe('A whole number.'),
});
export const integerField = integerObject.meta({
  id: 'IntegerField',
  description: 'A whole number: { from: column, as: integer }.',
});

/** A field that can only be a number may be a plain column name. */
const numberField = z
  .union([
    columnName,
    z.strictObject({
      ...originKeys,
      ...textKeys,
      ...codeKeys,
      ...numberKeys,
      as: z.literal('number').optional().describe('A number.'),
    }),
  ])
  .meta({ id: 'NumberField', description: 'A number: a column name, or { from: column, decimal: "," }.' });

const coordinateField = z
  .union([
    columnName,
    z.strictObject({
      ...originKeys,
      ...textKeys,
      ...enrichKeys,
      form: z
        .enum(COORDINATE_FORMS)
        .optional()
        .describe(
          'Degrees with decimals (the default); degrees, minutes and seconds without marks; or whichever the number of digits shows.',
        ),
      hemisphere: z
        .enum(['N', 'S', 'E', 'W'])
        .optional()
        .describe('Half of the globe that is meant where the file has neither a letter nor a sign.'),
      decimal: numberKeys.decimal,
    }),
  ])
  .meta({
    id: 'CoordinateField',
    description: 'A latitude or longitude: a column name, or { from: [column, N or S] }.',
  });

const namedPattern = z
  .strictObject({
    from: columnName.describe('The column that names the form of the time: EDIFACT element 2379, X12 element 1250.'),
    lookup: codeKeys.lookup.unwrap().describe("Code list from such names to patterns; the partner's own first."),
    default: text.min(1).optional().describe('Pattern of the time where no form is named; an error otherwise.'),
  })
  .meta({ id: 'NamedPattern', description: 'The pattern that the record itself names, by a code list.' });

export const timeKeys = {
  parse: z
    .union([text.min(1), z.array(text.min(1)).min(1).max(PATTERNS_MAX), namedPattern])
    .describe(
      'Pattern of the time, a list of patterns tried in order ("MM/dd/yyyy HH:mm"), or the column that names its form.',
    ),
  zone: textField.optional().describe('Zone of this time; the zone of the document otherwise.'),
  ...clockChangeKeys,
};
export const timeField = z
  .strictObject({ ...originKeys, ...textKeys, ...timeKeys })
  .meta({ id: 'TimeField', description: 'A time: { from: columns, parse: pattern }.' });

export const coordinatePair = z
  .strictObject({
    latitude: coordinateField,
    longitude: coordinateField,
  })
  .meta({ id: 'Coordinate', description: 'Where it was: { latitude: column, longitude: column }.' });

export const temperatureField = z
  .strictObject({
    value: numberField,
    unitOfMeasure: textField.describe('Letter of the scale: { const: C }, { const: F }, or a column.'),
    time: timeField.optional().describe('When it was measured; the time of the point otherwise.'),
  })
  .meta({ id: 'Temperature', description: 'A temperature; left out where its value is empty.' });

export const referenceField = z
  .strictObject({
    name: text.min(1).describe('Name of the reference, fixed text: PRO, BOL.'),
    value: textField,
    omitWhenEmpty: z
      .boolean()
      .optional()
      .describe('true: no reference when the value is empty; it is sent empty otherwise.'),
  })
  .meta({ id: 'ReferenceField', description: 'One reference: a fixed name and a value.' });

export type TextObject = z.infer<typeof textObject>;
export type TextField = z.infer<typeof textField>;
export type IntegerField = z.infer<typeof integerField>;
export type NumberField = z.infer<typeof numberField>;
export type NumberKeys = Partial<Pick<IntegerField, keyof typeof numberKeys>>;
export type CoordinateField = z.infer<typeof coordinateField>;
export type CoordinatePair = z.infer<typeof coordinatePair>;
export type TemperatureField = z.infer<typeof temperatureField>;
export type TimeField = z.infer<typeof timeField>;
export type ReferenceField = z.infer<typeof referenceField>;

/** Keys every field shares, whatever it becomes. */
export type Origin = Pick<TextObject, keyof typeof originKeys>;
export type TextFunctions = Pick<TextObject, keyof typeof textKeys>;

/** The long form of a field that may be written as a plain column name. */
export const longForm = <Field extends Pick<TextObject, 'from'>>(field: string | Field): Field =>
  typeof field === 'string' ? ({ from: field } as Field) : field; // every other key of these forms is optional

/** The code lists in which a field's value is looked up, in order. */
export const lookupNames = (lookup: TextObject['lookup']): readonly string[] =>
  lookup === undefined ? [] : typeof lookup === 'string' ? [lookup] : lookup;

type NamedPattern = z.infer<typeof namedPattern>;

/** The column that names the form of a time, if one does. */
export const namedForm = (parse: TimeField['parse']): NamedPattern | undefined =>
  typeof parse === 'string' || Array.isArray(parse) ? undefined : parse;

/** The patterns in the document itself. */
export function ownPatterns(parse: TimeField['parse']): string[] {
  if (typeof parse === 'string') return [parse];
  if (Array.isArray(parse)) return parse;
  return parse.default === undefined ? [] : [parse.default];
}

/** All patterns for a time, including those of code lists. */
export function patternsOf(parse: TimeField['parse'], lists: CodeLists): string[] {
  const listed = lookupNames(namedForm(parse)?.lookup).flatMap((name) => [...(lists.get(name)?.codesInUse() ?? [])]);
  return [...new Set([...ownPatterns(parse), ...listed])];
}

/** Which group of the pattern a capture uses: the first if none is named. */
export const captureGroup = (capture: NonNullable<TextFunctions['capture']>): number => capture.group ?? 1;
