/** One page of rows, of a batch or of one message in it. */

import type { Context } from 'hono';
import type { RowFilter } from '../../batch/core/row-filter.ts';
import type { BatchRow, RowRequest } from '../../batch/report/summary.ts';
import { ROWS_PAGE_DEFAULT, ROWS_PAGE_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { isOrderKind } from '../../mapping/document/targets.ts';
import { loadNumberOf, orderRefOf } from '../../mapping/request.ts';
import type { Answered } from '../contract/contract.ts';
import type { HttpBindings } from '../edge/context.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { type Parameters, pageSize, readStates, unreadable, wholeNumber } from '../edge/query.ts';
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

export const linkedRow = (reader: Reader, row: BatchRow) => ({
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

/* Which rows: parameters of the address. */

export const ROW_PARAMETERS = [
  'state',
  'code',
  'column',
  'value',
  'status',
  'text',
  'after',
  'before',
  'limit',
] as const;

const STATUS_FORM = /^[1-5]\d\d$/;

function readRowFilter(parameters: Parameters): Result<RowFilter, ProblemMessages> {
  const states = readStates(parameters.state);
  if (!states.ok) {
    return err({
      status: 400,
      code: 'state_unknown',
      title: 'Unknown row state',
      detail: `There is no row state "${states.error.value}".`,
      fix: `Use one or several of ${states.error.known.join(', ')}, separated by commas.`,
    });
  }
  const { code, column, value, status, text } = parameters;
  if (status && !STATUS_FORM.test(status)) return err(unreadable('status', status, 'an HTTP status, such as 422'));
  return ok({
    states: states.value,
    code: code || null,
    column: column || null,
    value: value ?? null,
    status: status ? Number(status) : null,
    text: text?.trim() || null,
  });
}

/** @property rows the address of the page; its rows come after `after` and up to `last`, null: to the end. */
interface RowsQuery {
  stub: FoundBatch['stub'];
  rows: string;
  after: number;
  last: number | null;
}

export async function rowsPage(context: Context<HttpBindings>, asked: RowsQuery): Promise<Response> {
  const parameters = context.req.query();
  const filter = readRowFilter(parameters);
  if (!filter.ok) return problem(context, filter.error);
  const limit = pageSize(parameters.limit, ROWS_PAGE_DEFAULT, ROWS_PAGE_MAX);
  const { after: floor, last, stub } = asked;
  const before = wholeNumber(parameters.before);
  const from = before === null ? Math.max(floor, wholeNumber(parameters.after) ?? 0) : floor;
  const { rows, lookedTo } = await stub.findRows({ after: from, before, last, limit, filter: filter.value });
  const reader = context.get('reader');
  const address = (place: Record<string, string> | null): string | null => {
    if (place === null) return null;
    const kept = ROW_PARAMETERS.filter((name) => !['after', 'before', 'limit'].includes(name));
    const same = Object.fromEntries(
      kept.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])),
    );
    return withParameters(asked.rows, { ...place, limit: String(limit), ...same });
  };
  const { next, previous } = neighbours({ rows, lookedTo, limit, from, floor, before });
  const page: Answered<'GET /v1/batches/{id}/rows'> = {
    rows: rows.map((row) => linkedRow(reader, row)),
    next: address(next),
    previous: address(previous),
  };
  return context.json(page);
}

interface PageFound {
  rows: readonly BatchRow[];
  lookedTo: number | null;
  limit: number;
  from: number;
  floor: number;
  before: number | null;
}

/** Where the pages before and after begin. There may be nothing on them: that is not looked at beforehand. */
function neighbours({ rows, lookedTo, limit, from, floor, before }: PageFound) {
  const [first, last] = [rows.at(0)?.record, rows.at(-1)?.record];
  const isFull = rows.length === limit;
  const goesOn = isFull ? (before === null ? last : first) : (lookedTo ?? undefined);
  if (before === null) {
    return {
      next: goesOn === undefined ? null : { after: String(goesOn) },
      previous: from > floor ? { before: String(first ?? from + 1) } : null,
    };
  }
  return {
    next: { after: String(last ?? Math.max(floor, before - 1)) },
    previous: goesOn === undefined ? null : { before: String(goesOn) },
  };
}

/** At most as many as one page: rows by their numbers, such as those that somebody is looking at. */
export async function rowsAt(context: Context<HttpBindings>, { stub }: FoundBatch): Promise<Response> {
  const asked = (context.req.query('records') ?? '').split(',').map((text) => wholeNumber(text) ?? 0);
  if (asked.length > ROWS_PAGE_MAX)
    return problem(context, unreadable('records', `${asked.length} numbers`, `${ROWS_PAGE_MAX} numbers at most`));
  const found = await stub.rowsAt(asked.filter((number) => number > 0));
  const reader = context.get('reader');
  const page: Answered<'GET /v1/batches/{id}/rows'> = {
    rows: found.map((row) => linkedRow(reader, row)),
    next: null,
    previous: null,
  };
  return context.json(page);
}
