/**
 * `…/batches/{id}/rows/{record}`: one row with what it was made from, what was sent for it, and every attempt with its
 * answer. For partners and operators.
 */
import type { Context } from 'hono';
import { underPolicy } from '../../batch/envelopes/validate.ts';
import { pinnedMapping } from '../../batch/files/pinned.ts';
import { type OriginalRow, originalRow } from '../../batch/report/original.ts';
import type { BatchRow, RowRequest } from '../../batch/report/summary.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { reachable } from '../../kernel/let-go.ts';
import { ROW_HISTORIES_MAX } from '../../kernel/limits.ts';
import { subjectOf } from '../../ops/dead-letters/dead-letters.ts';
import type { RequestHistory } from '../../tracking/decisions.ts';
import type { StoredAttempt } from '../../tracking/request.ts';
import type { Answered } from '../contract/contract.ts';
import type { HttpBindings } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';
import { wholeNumber } from '../edge/query.ts';
import type { BatchView, FoundBatch } from './batch-lookup.ts';
import { linkedRow } from './rows.ts';
import { filesOf, messageFiles, type NamedFile, ownFiles } from './stored-files.ts';

export type RowDetail = Answered<'GET /v1/batches/{id}/rows/{record}'>;

export const rowDetail: BatchView = async (context, batch) => {
  const record = wholeNumber(context.req.param('record')) ?? 0;
  const [row] = record > 0 ? await batch.stub.rowsAt([record]) : [];
  if (row === undefined) return unknownRow(context, batch.summary.batchId);
  const linked = linkedRow(context.get('reader'), row);
  const [original, histories] = await Promise.all([originalOf(context, batch, row), historiesOf(context, batch, row)]);
  const detail: RowDetail = {
    batchId: batch.summary.batchId,
    ...linked,
    original,
    requests: linked.requests.map((request, at) => ({ ...request, generations: histories[at] ?? null })),
  };
  return context.json(detail satisfies Answered<'GET /v1/batches/{id}/rows/{record}'>);
};

const unknownRow = (context: Context<HttpBindings>, batchId: string): Response =>
  problem(context, {
    status: 404,
    code: 'row_unknown',
    title: 'Unknown row',
    detail: `Batch ${batchId} has no such row, or has not read it yet.`,
    fix: 'Rows are numbered from 1, without the header; `…/rows` lists them.',
  });

async function originalOf(
  context: Context<HttpBindings>,
  batch: FoundBatch,
  { position }: BatchRow,
): Promise<OriginalRow | null> {
  const { summary } = batch;
  if (summary.bytesDeletedAt !== null) return null;
  const file = (await filesWith(context, batch, position.file)).find(({ name }) => name === position.file);
  if (file === undefined) return null;
  const mapping = underPolicy(await pinnedMapping(context.env.FILES, summary.mappingSha256), summary.envelopes);
  return originalRow(file.source, mapping, position);
}

const MESSAGE_NAME = /^message (\d+)/;

/** Of a rolling batch, those of the one message alone. */
async function filesWith(
  context: Context<HttpBindings>,
  batch: FoundBatch,
  name: string | undefined,
): Promise<readonly NamedFile[]> {
  if (batch.summary.messages === null) return filesOf(ownFiles(context), batch);
  const message = await batch.stub.message(Number(MESSAGE_NAME.exec(name ?? '')?.[1] ?? 0));
  return message === undefined ? [] : messageFiles(ownFiles(context), message);
}

/** The row of a group that carries its requests has their numbers. */
async function historiesOf(context: Context<HttpBindings>, { summary }: FoundBatch, row: BatchRow) {
  const { env } = context;
  const scope = context.get('reader');
  const subjects = {
    load: (name: string) => reachable(() => env.LOAD.getByName(name)),
    order: (name: string) => reachable(() => env.ORDER.getByName(name)),
  };
  const { batchId } = summary;
  const historyOf = async ({ subject, scac, request }: RowRequest) => {
    const place = { batchId, record: row.group ?? row.record, request };
    const { generations } = await subjectOf(subjects, scope, { subject, scac }).history(place);
    return generations.map((each) => generationView(each, scope.isOps));
  };
  if (summary.dryRun) return [];
  return Promise.all(row.requests.slice(0, ROW_HISTORIES_MAX).map(historyOf));
}

/** @param isOps headers of answers are for those who run the bridge. */
const generationView = ({ request, lead, attempts }: RequestHistory, isOps: boolean) => ({
  generation: request.generation,
  state: request.state,
  reason: request.reason,
  outcome: request.outcome,
  acceptedAt: iso(request.accepted_at_ms),
  deadline: isoOrNull(request.deadline_ms),
  nextAt: isoOrNull(request.at_ms),
  /** The row it travels with, where that is another one. */
  travelsIn: lead && { batchId: lead.batch_id, record: lead.record, request: lead.request },
  attempts: attempts.map((attempt) => ({
    ...tryView(attempt),
    ...(isOps ? { headers: attempt.headers === null ? null : (JSON.parse(attempt.headers) as unknown) } : {}),
  })),
});

const tryView = (attempt: StoredAttempt) => ({
  attempt: attempt.attempt,
  /** A sending or a lookup. */
  purpose: attempt.purpose,
  startedAt: iso(attempt.started_at_ms),
  effect: attempt.effect,
  status: attempt.status,
  answer: attempt.body,
  answerEnd: attempt.body_end,
  /** Why there is no answer. */
  detail: attempt.detail,
  latencyMs: attempt.latency_ms,
});
