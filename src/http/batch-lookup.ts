/** From an id in the address to a batch of the caller's own. Another partner's batch is simply not there: 404, never 403. */
import type { Context } from 'hono';
import type { Batch } from '../batch/batch.ts';
import type { BatchSummary } from '../batch/summary.ts';
import { BATCH_ID_FORM } from '../kernel/ids.ts';
import { batchName, registerName } from '../kernel/names.ts';
import type { HttpBindings } from './bindings.ts';
import { problem } from './problem.ts';

export interface FoundBatch {
  stub: DurableObjectStub<Batch>;
  summary: BatchSummary;
}

/** Asks the register first, so that a made-up id never creates an object. */
export async function findBatch(context: Context<HttpBindings>): Promise<FoundBatch | undefined> {
  const principal = context.get('principal');
  const batchId = context.req.param('id') ?? '';
  if (!BATCH_ID_FORM.test(batchId)) return undefined;
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  if (!(await register.knows(batchId))) return undefined;
  const stub = context.env.BATCH.getByName(batchName(principal, batchId));
  const summary = await stub.summary();
  return summary ? { stub, summary } : undefined;
}

export const unknownBatch = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'batch_unknown',
    title: 'Unknown batch',
    detail: 'There is no such batch among yours in the environment of this key.',
    fix: 'Check the id; GET /v1/batches lists your batches.',
  });

/** @property acknowledgment of a message in a format that has one. */
export function messageLinks(batchId: string, message: number) {
  const self = `/v1/messages/${batchId}/${message}`;
  const batch = `/v1/batches/${batchId}`;
  return {
    ...{ self, rows: `${self}/rows`, acknowledgment: `${self}/acknowledgment`, source: `${self}/source`, batch },
    console: `/console/batches/${batchId}`,
  };
}

export function batchLinks(batchId: string) {
  const self = `/v1/batches/${batchId}`;
  return {
    self,
    rows: `${self}/rows`,
    reportCsv: `${self}/report.csv`,
    reportJson: `${self}/report.json`,
    corrections: `${self}/corrections`,
    source: `${self}/source`,
    console: `/console/batches/${batchId}`,
  };
}
