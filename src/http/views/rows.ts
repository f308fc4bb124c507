/** One page of rows, of a batch or of one message in it. */

import type { Context } from 'hono';
import type { BatchRow, RowRequest } from '../../batch/report/summary.ts';
import { ROWS_PAGE_DEFAULT, ROWS_PAGE_MAX } from '../../kernel/limits.ts';
import { isOrderKind } from '../../mapping/document/targets.ts';
import { loadNumberOf, orderRefOf } from '../../mapping/request.ts';
import type { HttpBindings } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';
import { pageSize, readStates, wholeNumber } from '../edge/query.ts';
import {
  loadAddress,
  loadPagePath,
  orderAddress,
  orderPagePath,
  type Reader,
  rowLinks,
  withParameters,
} from '../edge/reader.ts';
import type { FoundBatch } from './batch-lookup.ts';
import type { OrderView } from './order.ts';

/* A row's request names its load or order, and maybe another row: adds the address of each. */

const linkedRow = (reader: Reader, row: BatchRow) => ({
  ...row,
  requests: row.requests.map((request) => ({ ...request, links: requestLinks(reader, request) })),
});

function requestLinks(reader: Reader, { kind, subject, scac, into }: RowRequest) {
  const travels = into === null ? {} : { into: rowLinks(reader, into.batchId, into.record).row };
  if (isOrderKind(kind)) {
    const orderRef = orderRefOf(subject);
    return { subject: orderAddress(reader, orderRef), console: orderPagePath(reader, orderRef), ...travels };
  }
  const load = { loadNumber: loadNumberOf(subject), scac };
  return { subject: loadAddress(reader, load), console: loadPagePath(reader, load), ...travels };
}

/** Adds the rows that the operations of an order came from. */
export const linkedOrder = (reader: Reader, order: OrderView) => ({
  ...order,
  versions: order.versions.map((version) => ({
    ...version,
    links:
      version.batchId === null || version.record === null ? null : rowLinks(reader, version.batchId, version.record),
  })),
  operations: order.operations.map((operation) => ({
    ...operation,
    links: rowLinks(reader, operation.batchId, operation.record),
  })),
});

/** @property rows the address of the page; its rows come after `after` and up to `last`, null: to the end. */
interface RowsQuery {
  stub: FoundBatch['stub'];
  rows: string;
  after: number;
  last: number | null;
}

export async function rowsPage(context: Context<HttpBindings>, asked: RowsQuery): Promise<Response> {
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
  const from = Math.max(asked.after, wholeNumber(context.req.query('after')) ?? 0);
  const page = await asked.stub.rows(from, limit, states.value, asked.last);
  const end = page.length === limit ? page.at(-1) : undefined;
  const query = new URLSearchParams({ after: String(end?.record ?? 0), limit: String(limit) });
  if (states.value) query.set('state', states.value.join(','));
  const next = end ? withParameters(asked.rows, Object.fromEntries(query)) : null;
  return context.json({ rows: page.map((row) => linkedRow(context.get('reader'), row)), next });
}
