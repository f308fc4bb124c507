/** `/v1/mappings`: what reads a partner's files. */
import * as z from 'zod';
import type { DocumentProblem as Found } from '../../mapping/document/problems.ts';
import type { RequestKind as Kind, RequestBodies } from '../../mapping/request.ts';
import type { Suggestion } from '../../mapping/suggest/suggestion.ts';
import { Format } from './batch-shapes.ts';
import { flag, several, text } from './parameters.ts';
import { ANY_TYPE, file, json, jsonOr, list, open, type Routes, YAML_TYPE } from './route.ts';
import { FoundProblem, Position, RequestKind } from './shapes.ts';

/** In use before RFC 9512 named one. */
export const OTHER_YAML_TYPES = ['application/x-yaml', 'text/yaml', 'text/x-yaml', 'text/vnd.yaml'];

const MAPPING_LINE = {
  name: z.string(),
  description: z.string(),
  format: Format,
  kinds: list(RequestKind).describe('What its rows become.'),
  sha256: z.string().describe('Names the version.'),
} as const;

export const MAPPING_WHOLE = {
  ...MAPPING_LINE,
  document: open<object>('The mapping as it was written; its keys are in the reference.'),
  codeLists: list(open<object>('A code list that it uses.')),
} as const;

const MappingLinks = z.strictObject({ self: z.string(), sample: z.string(), preview: z.string(), upload: z.string() });

const MappingList = z.strictObject({ mappings: list(z.strictObject({ ...MAPPING_LINE, links: MappingLinks })) });
const Mapping = z.strictObject({ ...MAPPING_WHOLE, links: MappingLinks }).meta({ id: 'Mapping' });

export const MappedRequest = z.strictObject({
  kind: RequestKind,
  subject: z.string(),
  scac: z.exactOptional(z.string()),
  body: open<RequestBodies[Kind]>('In the spelling of the receiving system.'),
});

const PREVIEW = {
  counts: z.strictObject({
    records: z.number(),
    mapped: z.number().describe('Records that become requests.'),
    requests: z.number(),
    skipped: z.number(),
    invalid: z.number(),
  }),
  stopped: z.exactOptional(z.literal(true)).describe('Time ran out: later records were not mapped.'),
  fileProblems: list(FoundProblem).describe('What is wrong with the file as a whole.'),
  authorFixes: list(z.strictObject({ code: z.string(), fix: z.string() })).describe(
    "What the mapping's author can change, for each kind of problem found.",
  ),
  causes: list(
    z.strictObject({
      problem: FoundProblem,
      position: Position.describe('Of the first such record.'),
      records: z.number().describe('How many records have it.'),
    }),
  ).describe(
    'What is wrong, over all records: also over those that are not shown. Of very many values one stands for the others of its place.',
  ),
  records: list(
    z.strictObject({
      record: z.number(),
      position: Position.omit({ record: true }),
      columns: list(z.tuple([z.string(), z.string()]).readonly())
        .nullable()
        .describe('Columns with their cells; null: the record could not be read.'),
      requests: list(MappedRequest),
      errors: list(FoundProblem),
      skipped: z.boolean(),
      group: z.exactOptional(z.number()).describe("The record with the request of this one's group."),
      lookedUp: z.exactOptional(list(open<object>('A lookup.'))),
    }),
  ),
} as const;

const DocumentProblem = z
  .strictObject({
    path: z.string().describe('Such as `requests[0].fields.time`.'),
    code: z.string() as unknown as z.ZodType<Found['code']>,
    value: z.exactOptional(z.string()),
    message: z.string(),
    wanted: z.string(),
    line: z.exactOptional(z.number()),
    column: z.exactOptional(z.number()),
  })
  .meta({ id: 'DocumentProblem' });

const Tried = z
  .strictObject({
    mapping: z
      .strictObject({
        name: z.string(),
        description: z.string(),
        format: Format,
        encoding: z.string(),
        kinds: list(RequestKind),
        uses: list(z.string()).describe('Code lists.'),
      })
      .nullable()
      .describe('null: it cannot be tried as it is.'),
    problems: list(DocumentProblem),
    codeLists: list(z.strictObject({ list: z.string().nullable(), problems: list(DocumentProblem) })).describe(
      'Of the code lists that were sent along, in their order.',
    ),
    examples: z
      .strictObject({
        count: z.number(),
        failed: list(
          z.strictObject({
            path: z.string(),
            about: z.string().nullable().describe('What its example shows.'),
            wanted: z.string(),
            received: z.string(),
          }),
        ),
      })
      .nullable()
      .describe('null: not run.'),
    origins: list(
      z.strictObject({
        kinds: list(RequestKind),
        member: list(z.string()),
        at: z.string().describe('Its path in the document.'),
        line: z.exactOptional(z.number()).describe('Absent: inherited.'),
        column: z.exactOptional(z.number()),
        columns: list(z.string()).describe('Columns that are read for it.'),
      }),
    ).describe('Where in the document each value of a request comes from.'),
    preview: z.strictObject(PREVIEW).nullable().describe('null: no sample, or a document that cannot be tried.'),
  })
  .meta({ id: 'TriedMapping' });

/** How two versions map the same rows. */
export const COMPARED = { rows: z.number(), same: z.number(), different: z.number() } as const;
export const ComparedRow = z.strictObject({
  record: z.number(),
  line: z.number(),
  differences: list(z.strictObject({ path: z.string(), before: z.string(), after: z.string() })),
});

export const MappingDifference = z.strictObject({
  path: z.string(),
  from: z.exactOptional(z.unknown()),
  to: z.exactOptional(z.unknown()),
});

const DraftCompared = z.union([
  z.strictObject({ name: z.string(), sha256: z.null().describe('Nothing is published under the name.') }),
  z.strictObject({
    name: z.string(),
    sha256: z.string(),
    differences: list(MappingDifference),
    differencesOmitted: z.number(),
    sample: z
      .strictObject({
        counts: z.strictObject(COMPARED),
        different: list(ComparedRow),
        stopped: z.exactOptional(z.literal(true)).describe('Time ran out: later records were not compared.'),
      })
      .nullable()
      .describe('null: there is no sample.'),
  }),
]);

const Preview = z.strictObject({ mapping: z.string(), sha256: z.string(), ...PREVIEW }).meta({ id: 'Preview' });

const PART = flag('The body is only the beginning of a file.');

const MatchedMappings = z
  .strictObject({
    mappings: list(
      z.strictObject({
        mapping: z.string(),
        description: z.string(),
        format: Format,
        fit: z.enum(['certain', 'likely', 'unlikely']),
        reason: z.string(),
      }),
    ),
  })
  .meta({ id: 'MatchedMappings' });

/** A document that is being written, with a sample: a form. */
export const DRAFT = {
  body: {
    media: { 'multipart/form-data': null },
    does: '`mapping` (the YAML), `file` (the sample) and, where wanted, `codeList` (YAML), several times.',
  },
  refuses: [400, 404, 413, 415, 422, 503],
} as const;

export const DRAFT_PREVIEW = {
  ...DRAFT,
  does: 'what is wrong with a document that is being written, line by line, and what it makes of each record of a sample. Nothing is stored',
  answers: { 200: json('Problems, and the preview.', Tried) },
} as const;

export const SUGGEST = {
  does: 'a mapping suggested for the sample in the body: its format, columns, fields with reasons, what is to be asked, and YAML. Nothing is stored',
  query: {
    fileName: text('The name of the sample.'),
    answer: several('`QUESTION:CHOICE`, any number of times.'),
    isPart: flag('It is the first part of a larger file.'),
  },
  body: { media: { [ANY_TYPE]: null }, does: 'The sample.' },
  answers: { 200: json('What was found, and what is to be asked.', open<Suggestion>('The workbench shows it.')) },
  refuses: [400, 404, 413, 415, 422, 503],
} as const;

export const DRAFT_EXAMPLE = {
  ...DRAFT,
  does: 'the same form, with `record`: the document with that record as one example more. Nothing is stored',
  answers: {
    200: json('The document.', z.strictObject({ mapping: z.string(), example: open<object>('The example.') })),
  },
} as const;

export const DRAFT_COMPARE = {
  ...DRAFT,
  does: 'the same form: how the document differs from the version that its name points at, and what would become otherwise of each record of the sample. Nothing is stored',
  answers: { 200: json('What differs.', DraftCompared) },
} as const;

export const MAPPING_ROUTES = {
  'GET /v1/mappings': {
    who: 'partner',
    does: 'the mappings your key may use',
    answers: { 200: json('By name.', MappingList) },
    isPolled: true,
  },
  'GET /v1/mappings/{name}': {
    who: 'partner',
    does: 'one mapping with its code lists; as YAML with `Accept: application/yaml`',
    answers: {
      200: jsonOr('The mapping.', Mapping, [YAML_TYPE, ...OTHER_YAML_TYPES]),
    },
    refuses: [403, 404],
    isPolled: true,
  },
  'GET /v1/mappings/{name}/sample': {
    who: 'partner',
    does: 'a valid sample file',
    answers: { 200: file('A file that this mapping takes as it is.', ANY_TYPE) },
    refuses: [403, 404],
  },
  'POST /v1/mappings/{name}/preview': {
    who: 'partner',
    does: 'what each row of a small file would send. Nothing is stored or sent',
    query: { part: PART },
    body: { media: { [ANY_TYPE]: null }, does: 'The file, as for an upload.' },
    answers: { 200: json('Each record with its requests and problems.', Preview) },
    refuses: [400, 403, 404, 413, 415, 422],
  },
  'POST /v1/mappings/match': {
    who: 'partner',
    does: 'which of your mappings a file fits, the best first, each with why. Nothing is stored',
    query: { part: PART },
    body: { media: { [ANY_TYPE]: null }, does: 'The file, or its beginning.' },
    answers: { 200: json('Mappings of a fitting format.', MatchedMappings) },
    refuses: [400, 413, 422],
  },
  'POST /v1/mappings/preview': { who: 'partner', ...DRAFT_PREVIEW },
  'POST /v1/mappings/suggest': { who: 'partner', ...SUGGEST },
  'POST /v1/mappings/example': { who: 'partner', ...DRAFT_EXAMPLE },
  'POST /v1/mappings/compare': { who: 'partner', ...DRAFT_COMPARE },
} as const satisfies Routes;
