/** One page of rows, of a batch or of one message in it. */
import type { Context } from 'hono';
import { ROWS_PAGE_DEFAULT, ROWS_PAGE_MAX } from '../../kernel/limits.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import { problem } from '../edge/problem.ts';
import { pageSize, readStates } from '../edge/query.ts';
import { withParameters } from '../edge/reader.ts';
import type { FoundBatch } from './batch-lookup.ts';
import { linkedRow } from './row-links.ts';

/** @property rows the address of the page; its rows stand behind `after` and up to `last`, null: to the end. */
interface RowsAsked {
  stub: FoundBatch['stub'];
  rows: string;
  after: number;
  last: number | null;
}

export async function rowsPage(context: Context<HttpBindings>, asked: RowsAsked): Promise<Response> {
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
  const from = Math.max(asked.after, Number.isSafeInteger(after) ? after : 0);
  const page = await asked.stub.rows(from, limit, states.value, asked.last);
  const end = page.length === limit ? page.at(-1) : undefined;
  const query = new URLSearchParams({ after: String(end?.record ?? 0), limit: String(limit) });
  if (states.value) query.set('state', states.value.join(','));
  const next = end ? withParameters(asked.rows, Object.fromEntries(query)) : null;
  return context.json({ rows: page.map((row) => linkedRow(context.get('reader'), row)), next });
}
