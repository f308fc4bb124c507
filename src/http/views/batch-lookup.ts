/**
 * From an id in the address to a batch of the reader's. Another partner's batch, or one that the key does not see, is
 * simply not there: 404, never 403.
 */
import type { Context } from 'hono';
import type { Batch } from '../../batch/object/batch.ts';
import type { MessageSummary } from '../../batch/report/message-summary.ts';
import type { BatchSummary } from '../../batch/report/summary.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import { type HttpBindings, scopeOf } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';

export interface FoundBatch {
  stub: DurableObjectStub<Batch>;
  summary: BatchSummary;
}

/** Checks the register first, so that a made-up id never creates an object. */
export async function findBatch(context: Context<HttpBindings>): Promise<FoundBatch | undefined> {
  const reader = context.get('reader');
  const batchId = context.req.param('id') ?? '';
  if (!BATCH_ID_FORM.test(batchId)) return undefined;
  const register = context.env.INTAKE_REGISTER.getByName(registerName(reader));
  if (!(await register.knows(batchId, scopeOf(context)))) return undefined;
  const stub = context.env.BATCH.getByName(batchName(reader, batchId));
  const summary = await stub.summary();
  return summary ? { stub, summary } : undefined;
}

export type BatchView = (context: Context<HttpBindings>, batch: FoundBatch) => Response | Promise<Response>;

export const ofBatch =
  (view: BatchView) =>
  async (context: Context<HttpBindings>): Promise<Response> => {
    const batch = await findBatch(context);
    return batch ? view(context, batch) : unknownBatch(context);
  };

export const unknownBatch = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'batch_unknown',
    title: 'Unknown batch',
    detail: 'There is no such batch among yours in the environment of this key.',
    fix: 'Check the id; GET /v1/batches lists your batches.',
  });

/* From the address of a message to the message among the reader's. */

export interface FoundMessage {
  stub: DurableObjectStub<Batch>;
  summary: MessageSummary;
}

/** Numbers begin at 1 and have no leading zeros: a message has one address. */
const NUMBER_FORM = /^[1-9]\d{0,6}$/;

/** Checks the register first, so that a made-up id never creates an object. */
export async function findMessage(context: Context<HttpBindings>): Promise<FoundMessage | undefined> {
  const reader = context.get('reader');
  const { id: batchId = '', message = '' } = context.req.param() as Record<string, string | undefined>;
  if (!BATCH_ID_FORM.test(batchId) || !NUMBER_FORM.test(message)) return undefined;
  const register = context.env.INTAKE_REGISTER.getByName(registerName(reader));
  if (!(await register.knows(batchId, scopeOf(context)))) return undefined;
  const stub = context.env.BATCH.getByName(batchName(reader, batchId));
  const summary = await stub.message(Number(message));
  return summary ? { stub, summary } : undefined;
}

export const unknownMessage = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'message_unknown',
    title: 'Unknown message',
    detail: 'There is no such message among yours in the environment of this key.',
    fix: 'Check batch and number; the answer to the message named both.',
  });
