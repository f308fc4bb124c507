/** The documents that a batch and a replay store as single values, decoded where they are read. */
import * as z from 'zod';
import { type DocumentForm, documentIn } from '../../kernel/forms.ts';
import type { BatchTicket } from '../core/ticket.ts';

const position = z.object({ record: z.number(), request: z.number() });

const documentOf = (of: string, members: z.ZodRawShape): DocumentForm<object> => ({
  of,
  known: 1,
  schema: z.looseObject({ form: z.number().optional(), ...members }),
});

/** Only what no batch can do without is asked for: a member that came later is absent in what was stored before. */
const FORMS: Readonly<Record<string, DocumentForm<object>>> = {
  ticket: documentOf('ticket of a batch', {
    batchId: z.string(),
    environment: z.enum(['test', 'production']),
    partner: z.string(),
    mapping: z.string(),
    mappingSha256: z.string(),
    scac: z.string().nullable(),
    allowedScacs: z.array(z.string()),
    channel: z.string(),
    fileName: z.string().nullable(),
    bytes: z.number(),
    sha256: z.string(),
    receivedAtMs: z.number(),
    dryRun: z.boolean(),
  }),
  progress: documentOf('progress of a batch', {
    state: z.enum(['reading', 'delivering', 'settled', 'unreadable']),
    checkpoint: z.unknown(),
    readingFinished: z.boolean(),
    handedOver: position,
    settledAtMs: z.number().nullable(),
    problems: z.array(z.looseObject({ code: z.string() })),
    reported: z.boolean(),
  }),
  indexed: documentOf('index checkpoint of a batch', { revision: z.number(), written: z.string().nullable() }),
  run: documentOf('replay', {
    actionId: z.string(),
    environment: z.enum(['test', 'production']),
    partner: z.string(),
    perSecond: z.number(),
    state: z.enum(['running', 'cancelling', 'cancelled', 'done']),
    batches: z.array(z.looseObject({ batchId: z.string(), state: z.string(), step: z.number() })),
  }),
  decisions: documentOf('decision about many requests', {
    actionId: z.string(),
    environment: z.enum(['test', 'production']),
    decision: z.string(),
    state: z.enum(['running', 'cancelled', 'done']),
    requests: z.number(),
    decided: z.number(),
    skipped: z.number(),
  }),
  usage: documentOf('usage of a batch', {
    rowsWritten: z.number(),
    objectCalls: z.number(),
    awakeMs: z.number(),
    upstreamCalls: z.number(),
    filesWritten: z.number(),
    filesRead: z.number(),
  }),
  oldRows: documentOf('mark of rows of release 0.1', { after: z.number(), last: z.number() }),
};

/** @param json a ticket, as a register stored it. @throws if this release cannot read it. */
export const ticketIn = (json: string): BatchTicket => storedValue('ticket', JSON.parse(json)) as BatchTicket;

/** @param value as it was stored under the name, parsed. @throws if this release cannot read it. */
export function storedValue(name: string, value: unknown): unknown {
  const form = FORMS[name];
  return form === undefined ? value : documentIn(form, value);
}
