/**
 * Undelivered rows that have a text in what they became, or in what is wrong with them: a reference, a load, a word. What
 * was delivered is found by its load or order. Looked for in the newest batches with such rows.
 */
import type { Context } from 'hono';
import { TROUBLED_STATES } from '../../batch/core/dead-letters.ts';
import { ANY_ROW } from '../../batch/core/row-filter.ts';
import { ROW_SEARCH_BATCHES_MAX, ROW_SEARCH_CHARACTERS_MIN, ROW_SEARCH_ROWS_MAX } from '../../kernel/limits.ts';
import { batchName, type Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { DirectoryUnavailable } from '../../ops/directory/directory.ts';
import type { ListedBatch } from '../../ops/index/batch-list.ts';
import type { Answered } from '../contract/contract.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import type { ProblemMessages } from '../edge/problem.ts';
import { unreadable } from '../edge/query.ts';
import { rowLinks } from '../edge/reader.ts';
import { type SeenBatches, seenBatches } from './seen-batches.ts';

/** Batches called at once: an invocation has 6 slots for calls awaiting an answer (Workers limits). */
const BATCHES_CALLED_AT_ONCE = 6;

interface RowSearch {
  environment: Environment;
  /** null: of any partner. */
  partner: string | null;
  isOps: boolean;
  text: string;
}

export type UndeliveredRowsAnswer = Answered<'GET /v1/rows'>;

export function readSearchedText(text: string | undefined): Result<string, ProblemMessages> {
  const wanted = (text ?? '').trim();
  return wanted.length < ROW_SEARCH_CHARACTERS_MIN
    ? err(unreadable('text', wanted, `at least ${ROW_SEARCH_CHARACTERS_MIN} characters`))
    : ok(wanted);
}

export async function undeliveredRows(
  context: Context<HttpBindings>,
  ports: AppPorts,
  search: RowSearch,
): Promise<Result<UndeliveredRowsAnswer, DirectoryUnavailable>> {
  const { environment, partner } = search;
  const seen = await seenBatches(context, ports, {
    ...{ environment, partner, states: null, mapping: null, fileName: null, fromMs: null, toMs: null, after: null },
    needs: ['held', 'refused'],
    limit: ROW_SEARCH_BATCHES_MAX,
  });
  return seen.ok ? ok(await searched(context, search, seen.value)) : seen;
}

async function searched(context: Context<HttpBindings>, search: RowSearch, { batches, next }: SeenBatches) {
  const found: Awaited<ReturnType<typeof rowsOf>>[] = [];
  for (let from = 0; from < batches.length; from += BATCHES_CALLED_AT_ONCE) {
    if (found.reduce((sum, { rows }) => sum + rows.length, 0) >= ROW_SEARCH_ROWS_MAX) break;
    const part = batches.slice(from, from + BATCHES_CALLED_AT_ONCE).map((batch) => rowsOf(context, search, batch));
    found.push(...(await Promise.all(part)));
  }
  const rows = found.flatMap((each) => each.rows);
  return {
    environment: search.environment,
    rows: rows.slice(0, ROW_SEARCH_ROWS_MAX),
    batches: found.length,
    /** There are more rows or batches than were looked at. */
    isCut:
      next !== null ||
      found.length < batches.length ||
      rows.length > ROW_SEARCH_ROWS_MAX ||
      found.some(({ isCut }) => isCut),
  };
}

async function rowsOf(
  { env }: Context<HttpBindings>,
  { environment, text, isOps }: RowSearch,
  { partner, batch_id: batchId, file_name: fileName }: ListedBatch,
) {
  const reader = { environment, partner, isOps };
  const stub = env.BATCH.getByName(batchName(reader, batchId));
  const { rows, lookedTo } = await stub.findRows({
    ...{ after: 0, before: null, last: null, limit: ROW_SEARCH_ROWS_MAX },
    filter: { ...ANY_ROW, states: TROUBLED_STATES, text },
  });
  return {
    isCut: lookedTo !== null || rows.length >= ROW_SEARCH_ROWS_MAX,
    rows: rows.map(({ record, position, state, requests, errors, replacedBy }) => ({
      ...{ batchId, partner, fileName, record, line: position.line, state },
      subject: requests[0]?.subject ?? null,
      problem: errors[0] ?? null,
      replacedBy,
      links: rowLinks(reader, batchId, record),
    })),
  };
}
