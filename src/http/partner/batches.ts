/** `/v1/batches`: uploads in; list, counts, rows, reports and the exact bytes out; cancel and retry. */

import { type Context, Hono } from 'hono';
import type { BatchTicket } from '../../batch/core/ticket.ts';
import type { BatchSummary } from '../../batch/report/summary.ts';
import { takeUpload } from '../../intake/take-upload.ts';
import { iso } from '../../kernel/clock.ts';
import { BATCHES_PAGE_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import type { ListedBatch } from '../../ops/index/batch-list.ts';
import type { Answered } from '../contract/contract.ts';
import { type HttpBindings, scopeOf, signIn } from '../edge/context.ts';
import { isForLater } from '../edge/later.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { pageSize, unreadable, wholeNumber } from '../edge/query.ts';
import { dryRunAsTrial } from '../edge/rates.ts';
import { batchLinks, withParameters } from '../edge/reader.ts';
import { cancel, retry } from '../views/batch-actions.ts';
import { addBatchViews } from '../views/batch-views.ts';
import { readBatchCursor, seenBatches, writeBatchCursor } from '../views/seen-batches.ts';
import { type ListedForStops, type SendingStop, stopsListed } from '../views/stops.ts';
import { addCorrectedRows } from './corrected-rows.ts';
import { intakePorts, isOfOther, refusedUpload, uploadRequest } from './upload.ts';

export function batchRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.on(['POST', 'PUT'], ['/', '/:fileName'], dryRunAsTrial, (context) => upload(context, ports));
  routes.get('/', (context) => list(context, ports));
  addBatchViews(routes, ports);
  addCorrectedRows(routes, ports);
  for (const [action, act] of [
    ['cancel', cancel],
    ['retry', retry],
  ] as const)
    routes.post(`/:id/${action}`, (context) => act(context, context.req.query(), byPartner(context)));
  return routes;
}

const byPartner = (context: Context<HttpBindings>) => ({ who: context.get('principal').keyId });

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
  if (await isOfOther(context, taken.value)) return takenElsewhere(context);
  const links = batchLinks(context.get('reader'), batchId);
  if (replayed) context.header('Idempotency-Replayed', 'true');
  context.header('Location', links.self);
  const receipt = { batchId, sha256, bytes, receivedAt: iso(receivedAtMs), replayed };
  const told = replayed ? { ...receipt, ...(await knownBatch(context, batchId)) } : { ...receipt, links };
  return context.json(told satisfies Answered<'POST /v1/batches'>, 202);
}

const takenElsewhere = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 409,
    code: 'file_taken_elsewhere',
    title: 'Taken in before',
    detail: 'This file was taken in before: it came with another key or link of yours. Nothing of it is sent twice.',
    fix: 'Ask whoever sent it, or the operator, what became of it. To send all of it again, add force=true and an Idempotency-Key.',
  });

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
    if (!isForLater(thrown)) throw thrown;
    log('warn', 'outcome_not_told', { batchId, detail: messageOf(thrown) });
    return undefined;
  }
}

/** Counts come from the index, which may be some seconds late; null: it does not know them, or does not answer. */
async function list(context: Context<HttpBindings>, ports: AppPorts): Promise<Response> {
  const principal = context.get('principal');
  const limit = pageSize(context.req.query('limit'), 50, BATCHES_PAGE_MAX);
  const fileName = context.req.query('fileName') ?? '';
  if (fileName !== '') return listNamed(context, ports, { fileName, limit });
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  const listed = await register.list(wholeNumber(context.req.query('before')), limit, scopeOf(context));
  const ids = listed.map(({ batch_id }) => batch_id);
  const counted = await ports.batches(context.env).named(principal.environment, ids);
  const batches = listed.map(({ batch_id, ticket, state, messages, bytes: sharedBytes }) => {
    const { batchId, mapping, fileName, bytes, sha256, receivedAtMs, dryRun, scac } = JSON.parse(ticket) as BatchTicket;
    const receivedAt = iso(receivedAtMs);
    const indexed = counted.ok ? counted.value.get(batch_id) : undefined;
    const own = messages === null ? { fileName, bytes, sha256 } : { fileName: null, bytes: sharedBytes, sha256: null };
    return {
      batchId,
      state: state === 'open' ? openState(indexed?.state) : state,
      mapping,
      messages,
      ...own,
      receivedAt,
      dryRun,
      scac,
      ...countsOf(indexed),
      links: batchLinks(context.get('reader'), batchId),
    };
  });
  const last = listed.length === limit ? listed.at(-1) : undefined;
  const next = last ? `/v1/batches?before=${last.seq}&limit=${limit}` : null;
  const answer = { batches: await withStops(context, ports, batches), next };
  return context.json(answer satisfies Answered<'GET /v1/batches'>);
}

/** The register knows at once that a batch is open; how far it is, the index knows, which may be late. */
const openState = (indexed: string | undefined): string =>
  indexed === undefined || indexed === 'reading' ? 'reading' : 'delivering';

async function withStops<Line extends Omit<ListedForStops, 'partner'>>(
  context: Context<HttpBindings>,
  ports: AppPorts,
  lines: readonly Line[],
): Promise<(Omit<Line, 'scac'> & { stops: SendingStop[] })[]> {
  const { environment, partner, channel } = context.get('principal');
  const listed = lines.map(({ batchId, state, dryRun, scac }) => ({ batchId, partner, state, dryRun, scac }));
  const stops = await stopsListed(context, ports, { environment, channels: [channel] }, listed);
  return lines.map(({ scac: _, ...line }) => ({ ...line, stops: stops.get(line.batchId) ?? [] }));
}

/** The newest whose file's name has a text in it: as the index has them, so that the very last one may be missing. */
async function listNamed(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { fileName, limit }: { fileName: string; limit: number },
): Promise<Response> {
  const { environment, partner } = context.get('principal');
  const before = context.req.query('before');
  const after = before === undefined ? null : readBatchCursor(before);
  if (after === undefined)
    return problem(context, unreadable('before', before ?? '', 'what "next" of the page before says'));
  const found = await seenBatches(context, ports, {
    ...{ environment, partner, fileName, limit, after },
    ...{ states: null, mapping: null, fromMs: null, toMs: null, needs: null },
  });
  if (!found.ok) return refusedUpload(context, { code: 'catalog_unavailable' });
  const batches = found.value.batches.map((row) => ({
    batchId: row.batch_id,
    state: row.state,
    mapping: row.mapping,
    messages: row.messages,
    ...{ fileName: row.file_name, bytes: row.bytes, sha256: null },
    receivedAt: iso(row.received_at_ms),
    dryRun: row.is_dry_run === 1,
    scac: row.scac,
    ...countsOf(row),
    links: batchLinks(context.get('reader'), row.batch_id),
  }));
  const cursor = found.value.next;
  const next =
    cursor && withParameters('/v1/batches', { fileName, before: writeBatchCursor(cursor), limit: `${limit}` });
  const answer = { batches: await withStops(context, ports, batches), next };
  return context.json(answer satisfies Answered<'GET /v1/batches'>);
}

const countsOf = (row: ListedBatch | undefined) => ({
  rows: row?.row_count ?? null,
  rowStates: row === undefined ? null : (JSON.parse(row.row_states) as Record<string, number>),
  held: row?.held ?? null,
  refused: row?.refused ?? null,
  cancelled: row === undefined ? null : row.is_cancelled === 1,
});
