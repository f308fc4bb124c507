/**
 * The form of a mapping document: how one kind of file becomes requests, as data and nothing else.
 *
 * Guide for authors: docs/mappings.md. What a form cannot say (columns that exist, lists that are known, fields the target
 * requires) is checked in `check.ts`; editors complete keys by the JSON Schema generated from here.
 */
import { z } from 'zod';
import { recordSource } from '../formats/reader.ts';
import { documentName } from './code-list.ts';
import { condition } from './condition.ts';
import { clockChangeKeys, integerField, referenceField, textField, timeField } from './field-spec.ts';
import {
  DOCUMENT_TEXT_CHARACTERS_MAX,
  EXAMPLE_CHARACTERS_MAX,
  EXAMPLES_MAX,
  REFERENCES_MAX,
  REQUESTS_MAX,
} from './limits.ts';
import type { RequestKind } from './request.ts';
import { targetFields } from './targets.ts';

const about = (kind: RequestKind, name: string): string =>
  targetFields(kind).find((field) => field.name === name)?.about ?? '';

/** All optional: what a request lacks it takes from the shared fields, and `check.ts` asks for what is then still missing. */
export const milestoneFields = z
  .strictObject({
    eventCode: textField.optional().describe(about('milestone', 'eventCode')),
    reasonCode: textField.optional().describe(about('milestone', 'reasonCode')),
    loadNumber: textField.optional().describe(about('milestone', 'loadNumber')),
    eventCity: textField.optional().describe(about('milestone', 'eventCity')),
    eventState: textField.optional().describe(about('milestone', 'eventState')),
    time: timeField.optional().describe(about('milestone', 'time')),
    stopsequenceNumber: integerField.optional().describe(about('milestone', 'stopsequenceNumber')),
    references: z
      .array(referenceField)
      .min(1)
      .max(REFERENCES_MAX)
      .optional()
      .describe(about('milestone', 'references')),
  })
  .meta({ id: 'MilestoneFields', description: 'Fields of a milestone request, each filled from the record.' });

export const requestSpec = z
  .strictObject({
    when: condition.optional().describe('The record becomes this request only when this is so.'),
    fields: milestoneFields.describe('Fields of this request, laid over the shared ones.'),
  })
  .meta({ id: 'RequestSpec', description: 'One of several requests a record becomes.' });

const exampleRequest = z.strictObject({
  kind: z.enum(['milestone']),
  subject: z.string(),
  scac: z.string().optional(),
  body: z.record(z.string(), z.unknown()),
});

export const exampleSpec = z
  .strictObject({
    about: z.string().min(1).max(DOCUMENT_TEXT_CHARACTERS_MAX).optional().describe('What the example shows.'),
    input: z.string().min(1).max(EXAMPLE_CHARACTERS_MAX).describe('A small file as text, with its header.'),
    records: z
      .array(
        z.strictObject({
          requests: z.array(exampleRequest).optional().describe('The requests wanted, whole.'),
          errors: z
            .array(z.strictObject({ code: z.string(), path: z.string() }))
            .optional()
            .describe('The errors wanted, by code and path.'),
          skipped: z.boolean().optional().describe('true: the record is left out.'),
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
    description: z.string().min(1).max(DOCUMENT_TEXT_CHARACTERS_MAX).describe('What it maps, in one line for people.'),
    source: recordSource.describe('How the file is written.'),
    target: z.enum(['milestone']).describe('What a record becomes.'),
    skip: skipSpec.optional().describe('Records that are left out.'),
    scac: textField
      .optional()
      .describe(
        'Carrier code of each record. Where it is not given, or its `when` does not hold, the one of the upload applies.',
      ),
    zone: textField.optional().describe('Zone of local times: a column, or { const: America/Chicago }.'),
    time: clockChanges.optional().describe('What clock changes do to a time, unless its field says otherwise.'),
    fields: milestoneFields,
    requests: z.array(requestSpec).min(1).max(REQUESTS_MAX).optional().describe('Several requests per record.'),
    examples: z.array(exampleSpec).min(1).max(EXAMPLES_MAX).describe('At least one: every document proves itself.'),
  })
  .meta({ title: 'Transload mapping document' });

export type MappingDocument = z.infer<typeof mappingDocument>;
export type MilestoneFieldSpecs = z.infer<typeof milestoneFields>;
export type RequestSpec = z.infer<typeof requestSpec>;
export type ExampleSpec = z.infer<typeof exampleSpec>;
export type ClockChanges = z.infer<typeof clockChanges>;

/** The fields of each request a record becomes: the shared ones, with the request's own laid over them, by name. */
export function requestsOf(document: Pick<MappingDocument, 'fields' | 'requests'>): RequestSpec[] {
  if (document.requests === undefined) return [{ fields: document.fields }];
  return document.requests.map((request) => ({ ...request, fields: { ...document.fields, ...request.fields } }));
}
