/** `/v1/batches`: uploads in; list, counts, rows, reports and the exact bytes out; cancelled and retried on request. */
import { type Context, Hono } from 'hono';
import type { BatchTicket } from '../../batch/core/ticket.ts';
import type { BatchSummary } from '../../batch/report/summary.ts';
import { takeUpload } from '../../intake/take-upload.ts';
import { BATCHES_PAGE_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import { isTransient } from '../../kernel/transient.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { pageSize } from '../edge/query.ts';
import { batchLinks } from '../edge/reader.ts';
import { signIn } from '../edge/sign-in.ts';
import { addBatchViews } from '../views/batch-views.ts';
import { addActions } from './batch-actions.ts';
import { refusedUpload } from './refused-upload.ts';
import { intakePorts, uploadRequest } from './upload-request.ts';

export function batchRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.on(['POST', 'PUT'], ['/', '/:fileName'], (context) => upload(context, ports));
  routes.get('/', list);
  addBatchViews(routes);
  addActions(routes, '/:id');
  return routes;
}

/** `curl -T FILE URL/` puts the file's name behind the slash: it is taken for display. */
async function upload(context: Context<HttpBindings>, ports: AppPorts): Promise<Response> {
  const taken = await takeUpload(
    intakePorts(context, ports),
    context.get('principal'),
    uploadRequest(context),
    context.req.raw.body as ReadableStream<Uint8Array> | null,
  );
  if (!taken.ok) return refusedUpload(context, taken.error);
  const { batchId, sha256, bytes, receivedAtMs, replayed } = taken.value;
  const links = batchLinks(context.get('reader'), batchId);
  if (replayed) context.header('Idempotency-Replayed', 'true');
  context.header('Location', links.self);
  const receipt = { batchId, sha256, bytes, receivedAt: new Date(receivedAtMs).toISOString(), replayed };
  return context.json(replayed ? { ...receipt, ...(await knownBatch(context, batchId)) } : { ...receipt, links }, 202);
}

/** What became of the file so far, and where to ask for what was not delivered: whoever sends it again wants to know. */
async function knownBatch(context: Context<HttpBindings>, batchId: string) {
  const own = batchLinks(context.get('reader'), batchId);
  const links = { ...own, retry: `${own.self}/retry` };
  const summary = await summaryOf(context, batchId);
  if (!summary) return { links };
  const { state, rows, rowStates, requests, requestStates } = summary;
  return { state, rows, rowStates, requests, requestStates, links };
}

/** @returns undefined also where the batch does not answer for the moment: the receipt holds without it. */
async function summaryOf(context: Context<HttpBindings>, batchId: string): Promise<BatchSummary | undefined> {
  try {
    return await context.env.BATCH.getByName(batchName(context.get('principal'), batchId)).summary();
  } catch (thrown) {
    if (!isTransient(thrown)) throw thrown;
    log('warn', 'outcome_not_told', { batchId, detail: messageOf(thrown) });
    return undefined;
  }
}

async function list(context: Context<HttpBindings>): Promise<Response> {
  const principal = context.get('principal');
  const limit = pageSize(context.req.query('limit'), 50, BATCHES_PAGE_MAX);
  const before = Number(context.req.query('before') || 'NaN');
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  const listed = await register.list(Number.isSafeInteger(before) ? before : null, limit);
  const batches = listed.map(({ ticket, state, messages, bytes: sharedBytes }) => {
    const { batchId, mapping, fileName, bytes, sha256, receivedAtMs, dryRun } = JSON.parse(ticket) as BatchTicket;
    const receivedAt = new Date(receivedAtMs).toISOString();
    const own = messages === null ? { fileName, bytes, sha256 } : { fileName: null, bytes: sharedBytes, sha256: null };
    return {
      batchId,
      state,
      mapping,
      messages,
      ...own,
      receivedAt,
      dryRun,
      links: batchLinks(context.get('reader'), batchId),
    };
  });
  const last = listed.length === limit ? listed.at(-1) : undefined;
  return context.json({ batches, next: last ? `/v1/batches?before=${last.seq}&limit=${limit}` : null });
}
