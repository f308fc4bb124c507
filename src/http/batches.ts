/** `/v1/batches`: uploads in; list, counts, rows, reports and the exact bytes out; cancelled and retried on request. */
import { type Context, Hono } from 'hono';
import type { BatchSummary } from '../batch/summary.ts';
import { takeUpload } from '../intake/take-upload.ts';
import { BATCHES_PAGE_MAX, ROWS_PAGE_DEFAULT, ROWS_PAGE_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName, registerName } from '../kernel/names.ts';
import { isTransient } from '../kernel/transient.ts';
import { addActions } from './batch-actions.ts';
import { batchLinks, findBatch, unknownBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';
import { addDownloads } from './downloads.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';
import { pageSize, readStates } from './query.ts';
import { refusedUpload } from './refused-upload.ts';
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
  const batches = listed.map(({ ticket, state }) => {
    const { batchId, mapping, fileName, bytes, sha256, receivedAtMs, dryRun } = JSON.parse(ticket);
    const receivedAt = new Date(receivedAtMs).toISOString();
    return { batchId, state, mapping, fileName, bytes, sha256, receivedAt, dryRun, links: batchLinks(batchId) };
  });
  const last = listed.length === limit ? listed.at(-1) : undefined;
  return context.json({ batches, next: last ? `/v1/batches?before=${last.seq}&limit=${limit}` : null });
}

async function rows(context: Context<HttpBindings>): Promise<Response> {
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const states = readStates(context.req.query('state'));
  if (!states.ok) {
    return problem(context, {
      status: 400,
      code: 'state_unknown',
      title: 'Unknown row state',
      detail: `There is no row state "${states.error.value}".`,
      fix: `Use one or several of ${states.error.known.join(', ')}, separated by commas.`,
    });
  }
  const limit = pageSize(context.req.query('limit'), ROWS_PAGE_DEFAULT, ROWS_PAGE_MAX);
  const after = Number(context.req.query('after') ?? '0');
  const page = await batch.stub.rows(Number.isSafeInteger(after) ? after : 0, limit, states.value);
  const last = page.length === limit ? page.at(-1) : undefined;
  const query = new URLSearchParams({ after: String(last?.record ?? 0), limit: String(limit) });
  if (states.value) query.set('state', states.value.join(','));
  return context.json({ rows: page, next: last ? `${batchLinks(batch.summary.batchId).rows}?${query}` : null });
}
