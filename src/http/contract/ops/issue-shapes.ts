/** What is answered to operators about what failed alike. */
import * as z from 'zod';
import { BatchLinks } from '../batch-shapes.ts';
import { list, Time } from '../route.ts';
import { Environment, Next, RowLinks, StateReason } from '../shapes.ts';
import { DeadLetterLine } from './work-shapes.ts';

const NextActor = z.enum(['author', 'operator', 'partner']);

const IssueLine = z.strictObject({
  title: z.string().describe('Short enough for a line of a table.'),
  cause: z.string(),
  fix: z.string(),
  id: z.string(),
  state: z.enum(['acknowledged', 'muted', 'open', 'resolved']),
  rowState: z.enum(['cancelled', 'dead', 'held', 'invalid', 'rejected']).describe('Of its rows.'),
  code: z.string(),
  path: z.string().nullable(),
  value: z.string().nullable(),
  reason: StateReason.nullable(),
  status: z.number().nullable(),
  answer: z.string().nullable(),
  nextActor: NextActor,
  action: z.string(),
  list: z.string().nullable().describe('The code list that lacks the word; null: it is something else.'),
  rows: z.number(),
  requests: z.number(),
  held: z.number(),
  batches: z.number(),
  partners: list(z.string()),
  mappings: list(z.string()),
  firstSeen: z.string(),
  lastSeen: z.string(),
  resolvedAt: Time.nullable(),
  reopened: z.number().describe('How often it came back.'),
  decided: z
    .strictObject({
      by: z.string().nullable(),
      at: Time.nullable(),
      why: z.string().nullable(),
      until: z.string().nullable(),
    })
    .nullable(),
  links: z.strictObject({ self: z.string(), rows: z.string(), rowsCsv: z.string(), console: z.string() }),
});

const IssueChange = z.strictObject({
  at: Time,
  what: z.enum(['acknowledged', 'muted', 'reopened', 'resubmitted']),
  until: z.string().nullable(),
  batches: list(z.strictObject({ from: z.string(), batchId: z.string(), rows: z.int() })).describe(
    'Where its rows were mapped again and sent: the batches made of them.',
  ),
  by: z.string(),
  why: z.string(),
});

export const IssueList = z.strictObject({ environment: Environment, issues: list(IssueLine), next: Next });

export const IssueWhole = IssueLine.extend({
  environment: Environment,
  ofBatches: list(
    z.strictObject({
      batchId: z.string(),
      partner: z.string(),
      mapping: z.string(),
      fileName: z.string().nullable(),
      rows: z.number(),
      requests: z.number(),
      held: z.number(),
      lastSeen: z.string(),
      examples: list(
        z.strictObject({
          record: z.number(),
          request: z.number(),
          line: z.number(),
          subject: z.string().nullable(),
          links: RowLinks,
        }),
      ),
      links: BatchLinks,
    }),
  ),
  changes: list(IssueChange),
});

export const IssueRows = z.strictObject({
  environment: Environment,
  rows: list(DeadLetterLine),
  next: Next,
});
