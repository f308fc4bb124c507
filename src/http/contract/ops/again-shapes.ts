/** What is answered about rows that are mapped again: compared with what they were, or sent. */
import * as z from 'zod';
import { BatchLinks } from '../batch-shapes.ts';
import { COMPARED, ComparedRow, MappedRequest } from '../mappings.ts';
import { countsBy, list } from '../route.ts';
import { Environment, FoundProblem, RequestKind, RowLinks } from '../shapes.ts';

const RowMade = z.strictObject({
  requests: list(MappedRequest.extend({ scac: z.string() })),
  errors: list(z.strictObject({ code: z.string(), path: z.string(), value: z.string() })),
});

export const Rerun = z.strictObject({
  batchId: z.string(),
  partner: z.string(),
  environment: Environment,
  mapping: z.string(),
  from: z.string(),
  to: z.string(),
  different: list(ComparedRow.extend({ before: RowMade.nullable(), after: RowMade.nullable() })),
  counts: z.strictObject({ ...COMPARED, apart: z.number().describe('Rows that replace a row of another batch.') }),
});

const LEFT_OF_ISSUE = {
  environment: Environment,
  issue: z.string(),
  rows: z.number().describe('That would be sent, of the rows that were looked at.'),
  stillWrong: z.number().describe('Rows that are wrong still under the version of now.'),
  leftOut: z.number().describe('Rows that may have arrived, or are on their way again.'),
  isCut: z.boolean().describe('There are more than are sent at once.'),
  left: list(
    z.strictObject({
      batchId: z.string(),
      partner: z.string(),
      fileName: z.string().nullable(),
      problem: z.strictObject({ why: z.string(), detail: z.string() }),
      links: BatchLinks,
    }),
  ).describe('Batches of which nothing is sent.'),
} as const;

const ROW_OF_BATCH = {
  ...{ batchId: z.string(), record: z.number(), line: z.number() },
  place: z
    .string()
    .nullable()
    .describe('Where it is in the words of its format, such as `ST 0003, segment 7`; null: its line says it.'),
  links: RowLinks,
} as const;

export const ResubmitPlan = z.strictObject({
  dryRun: z.literal(true),
  ...LEFT_OF_ISSUE,
  requests: countsBy(RequestKind),
  batches: list(
    z.strictObject({
      batchId: z.string(),
      partner: z.string(),
      fileName: z.string().nullable(),
      mapping: z.string(),
      fromVersion: z.string(),
      toVersion: z.string(),
      isChanged: z.boolean(),
      rows: z.number(),
      stillWrong: z.number(),
      leftOut: z.number(),
      links: BatchLinks,
    }),
  ),
  examples: list(z.strictObject({ ...ROW_OF_BATCH, requests: list(MappedRequest.omit({ scac: true })) })),
  wrong: list(
    z.strictObject({
      ...ROW_OF_BATCH,
      problem: FoundProblem.nullable().describe('null: the mapping passes such rows over.'),
    }),
  ),
  confirm: z.string().describe('Identifies exactly this plan.'),
});

export const Resubmitted = z.strictObject({
  ...LEFT_OF_ISSUE,
  batches: list(
    z.strictObject({
      from: z.string(),
      partner: z.string(),
      rows: z.number(),
      batchId: z.string().nullable().describe('null: it was refused, and `problem` says why.'),
      replayed: z.boolean(),
      problem: z.strictObject({ title: z.string(), detail: z.string(), fix: z.string() }).nullable(),
      links: BatchLinks.nullable(),
    }),
  ),
  links: z.strictObject({ issue: z.string(), console: z.string() }),
});
