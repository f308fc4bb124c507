/**
 * The form of a mapping document: how one kind of file becomes requests, as pure data.
 *
 * Guide for authors: docs/mappings.md. `check.ts` validates what a form cannot say (columns that exist, known lists,
 * fields the target requires); editors complete keys by the JSON Schema generated from here.
 */
import * as z from 'zod';
import { recordSource } from '../../formats/reader.ts';
import {
  DOCUMENT_TEXT_CHARACTERS_MAX,
  EXAMPLE_CHARACTERS_MAX,
  EXAMPLES_MAX,
  GROUP_COLUMNS_MAX,
  REQUESTS_MAX,
} from '../limits.ts';
import { lookupLists } from '../lookups/lookup.ts';
import { REQUEST_KINDS } from '../request.ts';
import { documentName } from './code-list.ts';
import { condition } from './condition.ts';
import { deliverySpec } from './delivery-spec.ts';
import { clockChangeKeys, columnName, textField } from './field-spec.ts';
import { changeSpec, orderMembers } from './order-spec.ts';
import { eventFields } from './targets.ts';

/* The lookup rules of a whole document, and what it looks up at all. */

const enrichmentSpec = z
  .strictObject({
    whenDown: z
      .enum(['wait', 'miss'])
      .optional()
      .describe('Nobody answers a look-up: the file waits (wait, the default), or it counts as a miss (miss).'),
  })
  .meta({ id: 'Enrichment', description: 'What its look-ups of vehicles and locations do where there is a choice.' });

const text = z.string().min(1).max(DOCUMENT_TEXT_CHARACTERS_MAX);
const kind = z.enum(REQUEST_KINDS);

/** What fills one kind of request; events have `fields`, orders have `order`. */
const filling = {
  fields: eventFields.optional().describe('Fields of this request, laid over the shared ones.'),
  order: orderMembers.optional().describe('The order of this request.'),
  change: changeSpec.optional().describe('How this request changes an order that exists, instead of the shared way.'),
};

const switchCase = z
  .strictObject({ target: kind.describe('What such a record becomes.'), ...filling })
  .meta({ id: 'Case', description: 'One kind of record: what it becomes, and what is its own.' });

const switchTarget = z
  .strictObject({
    switch: columnName.describe('The column that says what a record is.'),
    cases: z
      .record(z.string().max(DOCUMENT_TEXT_CHARACTERS_MAX), z.union([kind, switchCase]))
      .describe('Value of that column: what the record becomes. An empty cell is "".'),
    otherwise: z
      .enum(['reject', 'skip'])
      .optional()
      .describe('A record with any other value: an error (reject, the default), or left out.'),
  })
  .meta({ id: 'Switch', description: 'Several kinds of record in one file, told apart by the value of a column.' });

const target = z.union([kind, switchTarget]);

const requestSpec = z
  .strictObject({
    when: condition.optional().describe('The record becomes this request only when this is so.'),
    target: kind.optional().describe('What it becomes; the target of the document otherwise.'),
    each: columnName
      .optional()
      .describe('One request per element of the array at this path; its own fields are then paths in the element.'),
    required: z
      .literal(true)
      .optional()
      .describe('true: a record without any element is an error. Without it such a record is left out.'),
    ...filling,
  })
  .meta({ id: 'RequestSpec', description: 'One of several requests a record becomes.' });

export const groupSpec = z
  .strictObject({
    by: z.array(columnName).min(1).max(GROUP_COLUMNS_MAX).describe('Rows with equal values here belong together.'),
    order: z
      .enum(['adjacent', 'anywhere'])
      .optional()
      .describe('adjacent (the default): the rows of a group follow each other; anywhere: they may stand apart.'),
    invalidRow: z
      .enum(['group', 'row'])
      .optional()
      .describe('A row in error makes its whole group an error (group, the default), or is left out of it.'),
    whenDifferent: z
      .enum(['reject', 'first'])
      .optional()
      .describe(
        'Rows of a group that differ where they should agree: an error (the default), or the first row counts.',
      ),
  })
  .meta({ id: 'Group', description: 'Several rows become one request, such as the lines of an order.' });

const exampleRequest = z.strictObject({
  kind,
  subject: z.string(),
  scac: z.string().optional(),
  body: z.record(z.string(), z.unknown()),
});

const exampleSpec = z
  .strictObject({
    about: text.optional().describe('What the example shows.'),
    input: z.string().min(1).max(EXAMPLE_CHARACTERS_MAX).describe('A small file as text, with its header.'),
    lookUps: lookupLists.optional().describe('What is known of vehicles and locations, for what the example looks up.'),
    records: z
      .array(
        z.strictObject({
          requests: z.array(exampleRequest).optional().describe('The requests wanted, whole.'),
          errors: z
            .array(z.strictObject({ code: z.string(), path: z.string() }))
            .optional()
            .describe('The errors wanted, by code and path.'),
          skipped: z.boolean().optional().describe('true: the record is left out.'),
          group: z.int().min(1).optional().describe('Number of the record that carries the request of its group.'),
        }),
      )
      .describe('What every record of the input must become, in order.'),
  })
  .meta({ id: 'Example', description: 'An input and what it must become; run by npm test and by every publish.' });

export const skipSpec = z.strictObject({ when: condition });
export const clockChanges = z.strictObject(clockChangeKeys);

export const mappingDocument = z
  .strictObject({
    mapping: documentName.describe(
      'Name of the mapping; the file is called the same. Lower case letters, digits, single hyphens.',
    ),
    description: text.describe('What it maps, in one line for people.'),
    source: recordSource.describe('How the file is written.'),
    target: target.describe('What a record becomes: one kind of request, or a kind by the value of a column.'),
    skip: skipSpec.optional().describe('Records that are left out.'),
    scac: textField
      .optional()
      .describe(
        'Carrier code of each record. Where it is not given, or its `when` does not hold, the one of the upload applies.',
      ),
    zone: textField.optional().describe('Zone of local times: a column, or { const: America/Chicago }.'),
    time: clockChanges.optional().describe('What clock changes do to a time, unless its field says otherwise.'),
    group: groupSpec.optional().describe('Several rows become one request.'),
    isolate: z
      .enum(['event', 'record'])
      .optional()
      .describe(
        'What an event in error withholds: itself (event, the default), or all requests of its record. An order always withholds its record.',
      ),
    delivery: deliverySpec.optional().describe('What delivery does with events where there is a choice.'),
    enrichment: enrichmentSpec
      .optional()
      .describe('What look-ups of vehicles and locations do where there is a choice.'),
    fields: eventFields.optional().describe('Fields of the event, or those that several requests share.'),
    order: orderMembers.optional().describe('Members of the order; orderRef is required.'),
    change: changeSpec.optional().describe('How updates and upserts change an order that exists.'),
    requests: z.array(requestSpec).min(1).max(REQUESTS_MAX).optional().describe('Several requests per record.'),
    examples: z.array(exampleSpec).min(1).max(EXAMPLES_MAX).describe('At least one: every document proves itself.'),
  })
  .meta({ title: 'Transload mapping document' });

/** As an author may write it. The result is then validated by the form of whole documents. */
export const writtenDocument = z
  .union([
    mappingDocument,
    z
      .strictObject({
        ...mappingDocument.shape,
        extends: documentName.describe(
          "A shipped mapping whose dialect this is: what is not said here is the base's. Members of source, fields and order are laid over it by name.",
        ),
        source: z.record(z.string(), z.unknown()).optional().describe('What is written otherwise than in the base.'),
        target: target.optional(),
      })
      .meta({ id: 'Dialect', description: "A partner's dialect of a shipped mapping." }),
  ])
  .meta({ title: 'Transload mapping document' });

export type MappingDocument = z.infer<typeof mappingDocument>;
export type GroupSpec = z.infer<typeof groupSpec>;
export type ExampleSpec = z.infer<typeof exampleSpec>;
export type ClockChanges = z.infer<typeof clockChanges>;
