/** `/v1/ops/batches`: every batch of an environment with all its views, its rerun without sending, and its lookups. */

import { Hono } from 'hono';
import * as z from 'zod';
import { underPolicy } from '../../batch/envelopes/validate.ts';
import { pinnedMapping } from '../../batch/files/pinned.ts';
import type { MadeUnder } from '../../batch/object/batch-answers.ts';
import { type RerunFile, type RerunPort, type RerunRow, rerun } from '../../batch/report/rerun.ts';
import type { RecordedLookup } from '../../batch/steps/lookup.ts';
import type { PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type CompiledMapping, compileMapping } from '../../mapping/compile/compile.ts';
import { readVersion } from '../../mapping/document/versions.ts';
import { type LookupAnswer, lookupKey } from '../../mapping/lookups/lookup.ts';
import { draftOf } from '../../ops/publishing/try-mapping.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { unreadable, wholeNumber } from '../edge/query.ts';
import { cancel, retry } from '../views/batch-actions.ts';
import { type FoundBatch, findBatch, unknownBatch } from '../views/batch-lookup.ts';
import { addBatchViews } from '../views/batch-views.ts';
import { streamOf } from '../views/downloads.ts';
import { NOT_YET, readDraft } from '../views/mapping-draft.ts';
import { addMessageViews } from '../views/message-views.ts';
import { ROW_PARAMETERS } from '../views/rows.ts';
import { filesOf, type NamedFile, readAhead } from '../views/stored-files.ts';
import { BATCH_LIST_PARAMETERS, listOpsBatches, reindexBatches } from './batch-list.ts';
import { refused } from './changes.ts';
import { readerOfBatch } from './lookup.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute, readJson, readOpsQuery, why } from './request.ts';

/* The rerun of a batch → JSON: a line per row that differs, then the counts of all. */

export interface RerunCounts {
  rows: number;
  same: number;
  different: number;
  apart: number;
}

/** @param limit how many rows that differ are listed; all are counted. */
async function* rerunLines(
  head: Record<string, string>,
  rows: AsyncIterable<RerunRow>,
  limit: number,
): AsyncGenerator<string> {
  const counts: RerunCounts = { rows: 0, same: 0, different: 0, apart: 0 };
  yield `${JSON.stringify(head).slice(0, -1)},"different":[`;
  let between = '\n';
  for await (const row of rows) {
    counts.rows += 1;
    counts[row.compared] += 1;
    if (row.compared !== 'different' || counts.different > limit) continue;
    const { compared: _, differences, ...made } = row;
    const told = differences.map(({ path, wanted: before, received: after }) => ({ path, before, after }));
    yield `${between}${JSON.stringify({ ...made, differences: told })}`;
    between = ',\n';
  }
  yield `\n],"counts":${JSON.stringify(counts)}}\n`;
}

/** Lookups of a batch fetched at once. Ours. */
const LOOKUPS_AT_ONCE = 500;

export function opsBatchRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, BATCH_LIST_PARAMETERS, listOpsBatches));
  routes.post('/reindex', opsRoute(ports, ['cursor'], reindexBatches));
  for (const path of ['/:id', '/:id/*'])
    routes.use(path, async (context, next) => {
      const query = readOpsQuery(context, context.req.method === 'POST' ? ACTION_PARAMETERS : BATCH_PARAMETERS);
      if (!query.ok) return problem(context, query.error);
      const { environment, get } = query.value;
      const asked = {
        environments: [environment],
        partner: get('partner') ?? null,
        batchId: context.req.param('id') ?? '',
      };
      const reader = await readerOfBatch(context, ports, asked);
      if (!reader.ok) return reader.error;
      context.set('reader', reader.value);
      await next();
      return undefined;
    });
  routes.get('/:id/rerun', opsRoute(ports, ['partner', 'to', 'limit'], show));
  routes.post('/:id/rerun', opsRoute(ports, ['partner', 'limit'], showDraft));
  routes.get('/:id/look-ups', opsRoute(ports, ['partner', 'message'], lookUps));
  routes.post('/:id/cancel', acts(cancel));
  routes.post('/:id/retry', acts(retry));
  addBatchViews(routes, ports);
  addMessageViews(routes, '/:id/messages/:message');
  return routes;
}

const actionBody = z.strictObject({ why });

/** The same as a partner can do, on record with the reason. A plan needs none. */
const acts =
  (act: typeof cancel) =>
  async (context: OpsContext): Promise<Response> => {
    const { environment: _, partner: __, ...parameters } = context.req.query();
    const { keyId } = context.get('operator');
    if (parameters.dryRun === 'true') return act(context, parameters, { who: keyId });
    const body = await readJson(context, actionBody);
    return body.ok ? act(context, parameters, { who: keyId, why: body.value.why }) : problem(context, body.error);
  };

const ACTION_PARAMETERS = ['partner', 'dryRun', 'state', 'includeUnknown', 'limit'];
/** Of all views of a batch. */
const BATCH_PARAMETERS = ['partner', 'kind', 'form', 'to', 'message', 'records', ...ROW_PARAMETERS];

type Found = FoundBatch & { scope: PartnerScope; under: MadeUnder };

async function found(context: OpsContext): Promise<Result<Found, Response>> {
  const batch = await findBatch(context);
  const under = await batch?.stub.madeUnder();
  return batch && under ? ok({ ...batch, scope: context.get('reader'), under }) : err(unknownBatch(context));
}

async function show(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const batch = await comparable(context);
  if (!batch.ok) return batch.error;
  const { get } = query;
  const version = await versionOf(context, ports, batch.value, get('to') ?? batch.value.summary.mappingSha256);
  if (!version.ok) return version.error;
  return rerunAnswer(context, query, batch.value, { mapping: version.value.mapping, to: version.value.sha256 });
}

/** Under a document that is being written: it has no version yet. */
async function showDraft(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const facts = await ports.catalog(context.env).authorsFacts({ environment: query.environment, partner: null });
  if (!facts.ok) return refused(context, facts.error);
  const form = await readDraft(context);
  if (!form.ok) return problem(context, form.error);
  const { document, problems, lists } = draftOf(form.value, facts.value);
  if (document === null) return problem(context, NOT_YET, { problems });
  const batch = await comparable(context);
  return batch.ok
    ? rerunAnswer(context, query, batch.value, { mapping: compileMapping(document, lists), to: 'draft' })
    : batch.error;
}

async function comparable(context: OpsContext): Promise<Result<Found, Response>> {
  const batch = await found(context);
  if (!batch.ok) return batch;
  const why = notComparable(batch.value.summary);
  return why === null ? batch : err(refusedByOps(context, { code: 'not_comparable', why }));
}

async function rerunAnswer(
  context: OpsContext,
  { environment, get }: OpsQuery,
  batch: Found,
  under: { mapping: CompiledMapping; to: string },
): Promise<Response> {
  const { summary, stub, scope } = batch;
  const limit = wholeNumber(get('limit')) ?? Number.MAX_SAFE_INTEGER;
  const files = await filesOf({ files: context.env.FILES, scope }, { stub, summary });
  const port: RerunPort = {
    ...batch.under,
    mapping: underPolicy(under.mapping, summary.envelopes),
    files: await withAnswers(batch, summary.messages === null ? files : readAhead(files)),
    rows: (after, limit) => stub.rows(after, Math.max(0, Math.min(limit, summary.rows - after)), null),
  };
  const head = { batchId: summary.batchId, partner: scope.partner, environment, mapping: summary.mapping };
  const versions = { from: summary.mappingSha256, to: under.to };
  return context.body(streamOf(rerunLines({ ...head, ...versions }, rerun(port), limit)), 200, {
    'Content-Type': 'application/json; charset=utf-8',
  });
}

function notComparable({ state, dryRun, bytesDeletedAt, sentAgainFrom }: FoundBatch['summary']): string | null {
  if (state === 'reading') return 'It is still being read.';
  if (state === 'unreadable') return 'It could not be read, so it has no rows.';
  if (dryRun) return 'It is a dry run, of which no requests are kept.';
  if (sentAgainFrom !== null) return `Its rows are some of batch ${sentAgainFrom}: rerun that one.`;
  return bytesDeletedAt === null ? null : 'The life of its bytes has ended.';
}

/** The version the batch is pinned to, or another one of the same mapping. */
async function versionOf(
  context: OpsContext,
  ports: AppPorts,
  { summary, scope }: Found,
  to: string,
): Promise<Result<{ mapping: CompiledMapping; sha256: string }, Response>> {
  if (to === summary.mappingSha256) return ok({ mapping: await pinnedMapping(context.env.FILES, to), sha256: to });
  const version = await ports.publishing(context.env).version(scope.environment, summary.mapping, to);
  if (!version.ok) return err(refused(context, version.error));
  const { sha256, text } = version.value;
  const mapping = readVersion(text);
  if (!mapping.ok) throw new Error(`version ${sha256} does not compile`);
  return ok({ mapping: mapping.value, sha256 });
}

/** Each file with its lookups: every message has its own. */
async function withAnswers({ stub }: Found, files: readonly NamedFile[]): Promise<RerunFile[]> {
  const known = new Map<number, ReadonlyMap<string, LookupAnswer>>();
  const all: RerunFile[] = [];
  for (const { source, problems, message } of files) {
    const answers =
      known.get(message) ?? new Map((await recorded(stub, message)).map(({ key, answer }) => [key, answer]));
    known.set(message, answers);
    all.push({ source, problems, answers: (asked) => answers.get(lookupKey(asked)) });
  }
  return all;
}

async function recorded(stub: FoundBatch['stub'], message: number) {
  const all: (RecordedLookup & { key: string })[] = [];
  for (let after = ''; ; ) {
    const page = await stub.lookUps(message, after, LOOKUPS_AT_ONCE);
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < LOOKUPS_AT_ONCE) return all;
    after = last.key;
  }
}

/** In the form that `--lookups` of the map command reads. */
async function lookUps(context: OpsContext, query: OpsQuery): Promise<Response> {
  const batch = await found(context);
  if (!batch.ok) return batch.error;
  const message = query.get('message') ?? '0';
  if (!/^(?:0|[1-9]\d{0,8})$/.test(message))
    return problem(context, unreadable('message', message, 'the number of a message'));
  const all = await recorded(batch.value.stub, Number(message));
  return context.json({ answers: all.map(({ asked: lookUp, answer }) => ({ asked: lookUp, answer })) });
}
