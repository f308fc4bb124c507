/** `/v1/batches`: uploads in; list, counts, rows, reports and the exact bytes out; cancelled and retried on request. */
import { type Context, Hono } from 'hono';
import type { BatchSummary } from '../batch/summary.ts';
import type { BatchTicket } from '../batch/ticket.ts';
import { takeUpload } from '../intake/take-upload.ts';
import { BATCHES_PAGE_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName, registerName } from '../kernel/names.ts';
import { isTransient } from '../kernel/transient.ts';
import { addActions } from './batch-actions.ts';
import { batchLinks, findBatch, unknownBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';
import { addDownloads } from './downloads.ts';
import type { AppPorts } from './ports.ts';
import { pageSize } from './query.ts';
import { refusedUpload } from './refused-upload.ts';
import { rowsPage } from './rows-page.ts';
import { signIn } from './sign-in.ts';
import { intakePorts, uploadRequest } from './upload-request.ts';

export function batchRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.on(['POST', 'PUT'], ['/', '/:fileName'], (context) => upload(context, ports));
  routes.get('/', list);
  routes.get('/:id', async (context) => {
    const batch = await findBatch(context);
    return batch ? context.json({ ...batch.summary, links: batchLinks(batch.summary.batchId) }) : unknownBatch(context);
  });
  routes.get('/:id/rows', rows);
  addDownloads(routes, '/:id');
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
  const links = batchLinks(batchId);
  if (replayed) context.header('Idempotency-Replayed', 'true');
  context.header('Location', links.self);
  const receipt = { batchId, sha256, bytes, receivedAt: new Date(receivedAtMs).toISOString(), replayed };
  return context.json(replayed ? { ...receipt, ...(await knownBatch(context, batchId)) } : { ...receipt, links }, 202);
}

/** What became of the file so far, and where to ask for what was not delivered: whoever sends it again wants to know. */
async function knownBatch(context: Context<HttpBindings>, batchId: string) {
  const links = { ...batchLinks(batchId), retry: `${batchLinks(batchId).self}/retry` };
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
    return { batchId, state, mapping, messages, ...own, receivedAt, dryRun, links: batchLinks(batchId) };
  });
  const last = listed.length === limit ? listed.at(-1) : undefined;
  return context.json({ batches, next: last ? `/v1/batches?before=${last.seq}&limit=${limit}` : null });
}

async function rows(context: Context<HttpBindings>): Promise<Response> {
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const { stub, summary } = batch;
  return rowsPage(context, { stub, rows: batchLinks(summary.batchId).rows, after: 0, last: null });
}
