/** What is answered about rows that can be corrected one by one, and about undelivered rows that are looked for. */
import * as z from 'zod';
import { BatchLinks } from './batch-shapes.ts';
import { list } from './route.ts';
import { Environment, FoundProblem, Next, RecordState, RowLinks, StateReason } from './shapes.ts';

const CellProblem = FoundProblem.extend({
  cells: list(z.number()).describe(
    'Places of the cells at fault among those of the row, from 0; none: no single cell is.',
  ),
});

export const CorrectableRows = z.strictObject({
  batchId: z.string(),
  mapping: z.string(),
  why: z.string().nullable().describe('Why none of them can be corrected one by one; null: they can.'),
  hasFile: z.boolean().describe('Whether `…/corrections` gives them as a file.'),
  rows: list(
    z.strictObject({
      record: z.number(),
      group: z
        .number()
        .nullable()
        .describe('Number of the first row of its order; null: it is that, or one of its own.'),
      line: z.number(),
      place: z.string().nullable(),
      file: z.string().nullable(),
      state: RecordState,
      cells: list(
        z.strictObject({
          column: z.string(),
          text: z.string(),
          charactersMax: z.exactOptional(z.number()).describe('Of fixed width: the room of the cell.'),
        }),
      ).nullable(),
      why: z.string().nullable().describe('Of a row without cells: why it cannot be corrected here.'),
      errors: list(CellProblem),
      answer: z.string().nullable().describe('Of a row that was refused.'),
      reason: StateReason.nullable(),
    }),
  ),
  next: Next,
});

const TRIED = {
  mapping: z.string(),
  ready: z.number(),
  left: z.number().describe('Rows that still have something wrong.'),
  rows: list(z.strictObject({ record: z.number(), isReady: z.boolean(), errors: list(CellProblem) })),
} as const;

export const TriedCorrections = z.strictObject({ dryRun: z.literal(true), ...TRIED });
export const SentCorrections = z.strictObject({
  dryRun: z.literal(false),
  batchId: z.string(),
  corrects: z.string().describe('The batch whose rows they replace.'),
  replayed: z.boolean(),
  ...TRIED,
  links: BatchLinks,
});

export const UndeliveredRows = z.strictObject({
  environment: Environment,
  rows: list(
    z.strictObject({
      batchId: z.string(),
      partner: z.string(),
      fileName: z.string().nullable(),
      record: z.number(),
      line: z.number(),
      state: RecordState,
      subject: z.string().nullable(),
      problem: FoundProblem.nullable(),
      replacedBy: z.strictObject({ batchId: z.string(), record: z.number() }).nullable(),
      links: RowLinks,
    }),
  ),
  batches: z.number().describe('So many were looked at.'),
  isCut: z.boolean().describe('There are more rows or batches than were looked at.'),
});
