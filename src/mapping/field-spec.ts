/**
 * The form of one field in a mapping document: where its text comes from, what is done to it, what it becomes.
 *
 * A plain string is the short form of `{ from: <column> }`. What keys exclude each other is checked in `check-field.ts`.
 */
import { z } from 'zod';
import { condition } from './condition.ts';
import { TIME_POLICIES } from './date-times.ts';
import {
  DOCUMENT_TEXT_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  PARTS_MAX,
  PATTERNS_MAX,
  REPLACEMENTS_MAX,
} from './limits.ts';

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

const originKeys = {
  from: z
    .union([columnName, z.array(part).min(1).max(PARTS_MAX)])
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

const textKeys = {
  trim: z.boolean().optional().describe('false keeps blanks around each column; they are removed otherwise.'),
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

const codeKeys = {
  lookup: z.string().min(1).max(NAME_CHARACTERS_MAX).optional().describe('Code list that translates the value.'),
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

export const integerField = z
  .strictObject({ ...originKeys, ...textKeys, ...codeKeys, as: z.literal('integer').describe('A whole number.') })
  .meta({ id: 'IntegerField', description: 'A whole number: { from: column, as: integer }.' });

export const numberField = z
  .strictObject({
    ...originKeys,
    ...textKeys,
    ...codeKeys,
    as: z.literal('number').describe('A number.'),
    decimal: z.enum(['.', ',']).optional().describe('Decimal mark of the file; "." unless said otherwise.'),
  })
  .meta({ id: 'NumberField', description: 'A number: { from: column, as: number, decimal: "," }.' });

export const timeField = z
  .strictObject({
    ...originKeys,
    ...textKeys,
    parse: z
      .union([text.min(1), z.array(text.min(1)).min(1).max(PATTERNS_MAX)])
      .describe('Pattern of the time, or a list of patterns tried in order: "MM/dd/yyyy HH:mm".'),
    zone: textField.optional().describe('Zone of this time; the zone of the document otherwise.'),
    ...clockChangeKeys,
  })
  .meta({ id: 'TimeField', description: 'A time: { from: columns, parse: pattern }.' });

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
export type TimeField = z.infer<typeof timeField>;
export type ReferenceField = z.infer<typeof referenceField>;

/** Keys every field shares, whatever it becomes. */
export type Origin = Pick<TextObject, keyof typeof originKeys>;
export type TextFunctions = Pick<TextObject, keyof typeof textKeys>;

/** The long form of a field that may be written as a plain column name. */
export const longForm = (field: TextField): TextObject => (typeof field === 'string' ? { from: field } : field);
