/** `/v1/ops/batches`: the batches of all partners of an environment, newest first. */
import type { BatchState } from '../../batch/core/ticket.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { BATCHES_PAGE_MAX } from '../../kernel/limits.ts';
import { batchName, type Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type BatchListCursor, type BatchListQuery, type ListedBatch, NEEDS } from '../../ops/index/batch-list.ts';
import { type RebuildCheckpoint, rebuildIndex } from '../../ops/index/rebuild.ts';
import type { OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { type Parameters, pageSize, readChoice, readTime, unreadable } from '../edge/query.ts';
import { withParameters } from '../edge/reader.ts';
import { readBatchCursor, writeBatchCursor } from '../views/seen-batches.ts';
import { stopsListed } from '../views/stops.ts';
import { deadLetterPorts } from './lookup.ts';
import { refusedByOps } from './refusals.ts';
import type { OpsQuery } from './request.ts';
import { batchLine } from './views/batch.ts';

export const BATCH_LIST_PARAMETERS = [
  'partner',
  'state',
  'mapping',
  'fileName',
  'from',
  'to',
  'needs',
  'limit',
  'cursor',
] as const;

const BATCH_STATES: readonly BatchState[] = ['reading', 'delivering', 'settled', 'unreadable'];
const PAGE_DEFAULT = 50;

export async function listOpsBatches(
  context: OpsContext,
  { environment }: OpsQuery,
  ports: AppPorts,
): Promise<Response> {
  const asked = readBatchList(context.req.query(), environment, PAGE_DEFAULT);
  if (!asked.ok) return problem(context, asked.error);
  const found = await ports.batches(context.env).list(asked.value);
  if (!found.ok) return refusedByOps(context, found.error);
  const next = nextCheckpoint(found.value, asked.value.limit);
  const listed = found.value.map(({ batch_id, partner, state, is_dry_run, scac }) => ({
    ...{ batchId: batch_id, partner, state, scac },
    dryRun: is_dry_run === 1,
  }));
  const stops = await stopsListed(context, ports, { environment, channels: null }, listed);
  const { cursor: _, ...filters } = context.req.query();
  return context.json({
    environment,
    batches: found.value.map((row) => batchLine(row, stops.get(row.batch_id) ?? [])),
    next:
      next === null
        ? null
        : withParameters('/v1/ops/batches', { ...filters, environment, cursor: writeBatchCursor(next) }),
  });
}

/** The query for the list. Nothing is guessed. @param limit the default. */
function readBatchList(
  parameters: Parameters,
  environment: Environment,
  limit: number,
): Result<BatchListQuery, ProblemMessages> {
  const states = readChoice(parameters, 'state', BATCH_STATES);
  if (!states.ok) return states;
  const needs = readChoice(parameters, 'needs', NEEDS);
  if (!needs.ok) return needs;
  const { partner = null, mapping = null, fileName = null, cursor } = parameters;
  const from = readTime(parameters, 'from');
  if (!from.ok) return from;
  const to = readTime(parameters, 'to');
  if (!to.ok) return to;
  const after = cursor === undefined ? null : readBatchCursor(cursor);
  if (after === undefined) return err(unreadable('cursor', cursor ?? '', 'what "next" of the page before says'));
  return ok({
    ...{ environment, partner, mapping, fileName, after },
    states: parameters.state === undefined ? null : states.value,
    needs: parameters.needs === undefined ? null : needs.value,
    fromMs: from.value,
    toMs: to.value,
    limit: pageSize(parameters.limit, limit, BATCHES_PAGE_MAX),
  });
}

/** @returns null where the page was not full. */
export function nextCheckpoint(page: readonly ListedBatch[], limit: number): BatchListCursor | null {
  const last = page.length === limit ? page.at(-1) : undefined;
  return last === undefined ? null : { receivedAtMs: last.received_at_ms, batchId: last.batch_id };
}

/* `POST /v1/ops/batches/reindex`: builds the list of batches again from the batches themselves, one page per call. */

export async function reindexBatches(
  context: OpsContext,
  { environment, get }: OpsQuery,
  ports: AppPorts,
): Promise<Response> {
  const cursor = get('cursor');
  const mark = cursor === undefined ? null : readCheckpoint(cursor);
  if (mark === undefined) return problem(context, unreadable('cursor', cursor ?? '', NEXT));
  const { env } = context;
  const { partners, register } = deadLetterPorts(context, ports);
  const rebuilt = await rebuildIndex(
    {
      partners,
      register,
      batch: (scope, batchId) => env.BATCH.getByName(batchName(scope, batchId)),
      batches: ports.batches(env),
    },
    { environment, mark },
    Date.now(),
  );
  if (!rebuilt.ok) return refusedByOps(context, rebuilt.error);
  const { next, ...counts } = rebuilt.value;
  const nextPage = next && withParameters('/v1/ops/batches/reindex', { environment, cursor: writeCheckpoint(next) });
  return context.json({ environment, ...counts, next: nextPage });
}

const NEXT = 'what "next" of the page before says';

/** `1772460000000~17~acme` after a batch of a register, `1772460000000~b_…` after a row. */
function writeCheckpoint({ beganMs, after }: RebuildCheckpoint): string {
  return 'batchId' in after ? `${beganMs}~${after.batchId}` : `${beganMs}~${after.seq}~${after.partner}`;
}

function readCheckpoint(text: string): RebuildCheckpoint | undefined {
  const [, atMs, rest = ''] = /^(\d{1,16})~(.*)$/.exec(text) ?? [];
  if (atMs === undefined) return undefined;
  const beganMs = Number(atMs);
  if (rest === '' || BATCH_ID_FORM.test(rest)) return { beganMs, after: { batchId: rest } };
  const [, seq, partner] = /^(\d{1,15})~(.+)$/.exec(rest) ?? [];
  return seq === undefined || partner === undefined ? undefined : { beganMs, after: { partner, seq: Number(seq) } };
}
