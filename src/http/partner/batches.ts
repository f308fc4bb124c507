/** `/v1/batches`: uploads in; list, counts, rows, reports and the exact bytes out; cancel and retry. */

import { type Context, Hono } from 'hono';
import { type CancelPlan, type CancelRefusal, cancelNotes } from '../../batch/actions/cancel.ts';
import { type RetryPlan, type RetryRefusal, retryNotes } from '../../batch/actions/retry.ts';
import type { BatchTicket } from '../../batch/core/ticket.ts';
import type { BatchSummary } from '../../batch/report/summary.ts';
import { RETRIABLE_STATES } from '../../delivery/retry.ts';
import { takeUpload } from '../../intake/take-upload.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { BATCHES_PAGE_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import { messagesFor, type RefusalTable } from '../../kernel/refusals.ts';
import { isTransient } from '../../kernel/result.ts';
import type { ListedBatch } from '../../ops/index/batch-list.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { onlyKnown, pageSize, readChoice, readFlag, wholeNumber } from '../edge/query.ts';
import { batchLinks } from '../edge/reader.ts';
import { findBatch, unknownBatch } from '../views/batch-lookup.ts';
import { addBatchViews } from '../views/batch-views.ts';
import { intakePorts, refusedUpload, uploadRequest } from './upload.ts';

/* Problem messages for refused cancels and retries. */

type ActionRefusal = CancelRefusal | RetryRefusal;

const MESSAGES: RefusalTable<ActionRefusal> = {
  batch_settled: {
    status: 409,
    title: 'Batch settled',
    detail: 'Every row of this batch has its final state: there is nothing left to withdraw.',
    fix: 'What was delivered can only be corrected in the receiving system; the report says what was.',
  },
  batch_unreadable: {
    status: 409,
    title: 'Batch unreadable',
    detail: 'The file could not be read, so nothing of it was sent or will be.',
    fix: 'Correct what the problems of the batch name, and send the file again.',
  },
  nothing_to_cancel: {
    status: 409,
    title: 'Nothing to cancel',
    detail: 'This batch is a dry run: nothing of it is sent.',
    fix: 'Leave it; it ends by itself.',
  },
  nothing_to_retry: {
    status: 409,
    title: 'Nothing to retry',
    detail:
      'No request of this batch that was asked for ended refused, given up or withdrawn and can be sent again. What a retry took is under way already.',
    fix: 'Rows to correct go into a new file. Where leftOut names requests, its notes say what is needed.',
  },
  cancel_under_way: {
    status: 409,
    title: 'Cancel under way',
    detail: 'This batch is being cancelled: what was not sent is still being withdrawn.',
    fix: 'Ask again when no row is queued any more; GET the batch for its counts.',
  },
  file_sent_again: ({ batchId }) => ({
    status: 409,
    title: 'File sent again',
    detail: `Nothing of this batch was ever sent, and the same file has come in again since, as batch ${batchId}.`,
    fix: `See what became of batch ${batchId}, and retry that one if need be.`,
  }),
};

/*
 * `/v1/batches/{id}/cancel` withdraws what was not sent, `…/retry` sends again what was not delivered.
 * With `dryRun=true` it only reports what it would do; nothing in the address is guessed.
 */

type Partner = Context<HttpBindings>;

/** @param path of the batch itself, with `:id`. */
function addActions(routes: Hono<HttpBindings>, path: string): void {
  routes.post(`${path}/cancel`, cancel);
  routes.post(`${path}/retry`, retry);
}

async function cancel(context: Partner): Promise<Response> {
  const parameters = context.req.query();
  const known = onlyKnown(parameters, ['dryRun']);
  if (!known.ok) return problem(context, known.error);
  const dryRun = readFlag(parameters, 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const { batchId } = batch.summary;
  const plan = await batch.stub.cancel({ who: context.get('principal').keyId, dryRun: dryRun.value });
  if (!plan.ok) return refused(context, batchId, plan.error);
  return accepted(context, { batchId, dryRun: dryRun.value }, cancelMembers(plan.value));
}

async function retry(context: Partner): Promise<Response> {
  const parameters = context.req.query();
  const known = onlyKnown(parameters, ['dryRun', 'state', 'includeUnknown']);
  if (!known.ok) return problem(context, known.error);
  const dryRun = readFlag(parameters, 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const states = readChoice(parameters, 'state', RETRIABLE_STATES);
  if (!states.ok) return problem(context, states.error);
  const includeUnknown = readFlag(parameters, 'includeUnknown');
  if (!includeUnknown.ok) return problem(context, includeUnknown.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const { batchId } = batch.summary;
  const wanted = { states: states.value, includeUnknown: includeUnknown.value };
  const plan = await batch.stub.retry({ ...wanted, who: context.get('principal').keyId, dryRun: dryRun.value });
  if (!plan.ok) return refused(context, batchId, plan.error);
  return accepted(context, { batchId, dryRun: dryRun.value }, retryMembers(plan.value));
}

const cancelMembers = (plan: CancelPlan) => ({
  cancelledAt: isoOrNull(plan.cancelledAtMs),
  withdrawn: plan.withdrawn,
  stays: plan.stays,
  restOfFile: plan.restOfFile,
  notes: cancelNotes(plan),
});

const retryMembers = (plan: RetryPlan) => ({
  retriedAt: isoOrNull(plan.retriedAtMs),
  retried: plan.requests,
  states: plan.states,
  mayHaveArrived: plan.mayHaveArrived,
  leftOut: plan.leftOut,
  notes: retryNotes(plan),
});

/** A plan changed nothing; what was accepted is in progress. */
function accepted(
  context: Partner,
  { batchId, dryRun }: { batchId: string; dryRun: boolean },
  members: Record<string, unknown>,
): Response {
  const links = batchLinks(context.get('reader'), batchId);
  if (!dryRun) context.header('Location', links.self);
  return context.json({ batchId, dryRun, ...members, links }, dryRun ? 200 : 202);
}

/** What a retry leaves out is reported even where nothing else is left. */
function refused(context: Partner, batchId: string, refusal: ActionRefusal): Response {
  const words = { ...messagesFor(MESSAGES, refusal), code: refusal.code };
  const links = batchLinks(context.get('reader'), batchId);
  if (refusal.code !== 'nothing_to_retry') return problem(context, words, { links });
  const { leftOut } = refusal;
  return problem(context, words, { leftOut, notes: retryNotes({ mayHaveArrived: 0, leftOut }), links });
}

export function batchRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.on(['POST', 'PUT'], ['/', '/:fileName'], (context) => upload(context, ports));
  routes.get('/', (context) => list(context, ports));
  addBatchViews(routes);
  addActions(routes, '/:id');
  return routes;
}

/** `curl -T FILE URL/` adds the file's name after the slash: it is used for display. */
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
  const receipt = { batchId, sha256, bytes, receivedAt: iso(receivedAtMs), replayed };
  return context.json(replayed ? { ...receipt, ...(await knownBatch(context, batchId)) } : { ...receipt, links }, 202);
}

/** The state of a known file, and where to request what was not delivered: whoever sends it again wants to know. */
async function knownBatch(context: Context<HttpBindings>, batchId: string) {
  const own = batchLinks(context.get('reader'), batchId);
  const links = { ...own, retry: `${own.self}/retry` };
  const summary = await summaryOf(context, batchId);
  if (!summary) return { links };
  const { state, rows, rowStates, requests, requestStates } = summary;
  return { state, rows, rowStates, requests, requestStates, links };
}

/** @returns undefined also while the batch does not answer: the receipt is valid without it. */
async function summaryOf(context: Context<HttpBindings>, batchId: string): Promise<BatchSummary | undefined> {
  try {
    return await context.env.BATCH.getByName(batchName(context.get('principal'), batchId)).summary();
  } catch (thrown) {
    if (!isTransient(thrown)) throw thrown;
    log('warn', 'outcome_not_told', { batchId, detail: messageOf(thrown) });
    return undefined;
  }
}

/** Counts come from the index, which may be some seconds late; null: it does not know them, or does not answer. */
async function list(context: Context<HttpBindings>, ports: AppPorts): Promise<Response> {
  const principal = context.get('principal');
  const limit = pageSize(context.req.query('limit'), 50, BATCHES_PAGE_MAX);
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  const listed = await register.list(wholeNumber(context.req.query('before')), limit);
  const ids = listed.map(({ batch_id }) => batch_id);
  const counted = await ports.batches(context.env).named(principal.environment, ids);
  const batches = listed.map(({ batch_id, ticket, state, messages, bytes: sharedBytes }) => {
    const { batchId, mapping, fileName, bytes, sha256, receivedAtMs, dryRun } = JSON.parse(ticket) as BatchTicket;
    const receivedAt = iso(receivedAtMs);
    const own = messages === null ? { fileName, bytes, sha256 } : { fileName: null, bytes: sharedBytes, sha256: null };
    return {
      batchId,
      state,
      mapping,
      messages,
      ...own,
      receivedAt,
      dryRun,
      ...countsOf(counted.ok ? counted.value.get(batch_id) : undefined),
      links: batchLinks(context.get('reader'), batchId),
    };
  });
  const last = listed.length === limit ? listed.at(-1) : undefined;
  return context.json({ batches, next: last ? `/v1/batches?before=${last.seq}&limit=${limit}` : null });
}

const countsOf = (row: ListedBatch | undefined) => ({
  rows: row?.row_count ?? null,
  rowStates: row === undefined ? null : (JSON.parse(row.row_states) as Record<string, number>),
  held: row?.held ?? null,
  refused: row?.refused ?? null,
  cancelled: row === undefined ? null : row.is_cancelled === 1,
});
