/**
 * `/v1/loads/{loadNumber}`: all that the caller sent for a load, and what became of it, as JSON in pages or as one CSV.
 */
import { type Context, Hono } from 'hono';
import { LOAD_PAGE_MAX } from '../../kernel/limits.ts';
import type { LoadOrder } from '../../tracking/load-page.ts';
import type { Answered } from '../contract/contract.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { namedForm, type Parameters } from '../edge/query.ts';
import { CSV, fileHeaders, streamOf } from '../views/downloads.ts';
import { eventView, loadHeader, loadLine, loadView, readLoadQuery } from '../views/load.ts';
import { type FoundLoad, findLoad, type LoadSeats, ownSeats, refusedLoad } from '../views/load-lookup.ts';
import { mappingsMake } from './key-limits.ts';

export function loadRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory), mappingsMake('loads', ports));
  routes.get('/:loadNumber', (context) => loadAnswer(context, ownSeats(context), context.req.query()));
  return routes;
}

/** @param parameters of the address, except those that said where to look. */
export async function loadAnswer(
  context: Context<HttpBindings>,
  seats: LoadSeats,
  parameters: Parameters,
): Promise<Response> {
  const { name: loadNumber, form } = namedForm(
    context.req.param('loadNumber') ?? '',
    context.req.header('Accept') ?? null,
  );
  const query = readLoadQuery(parameters);
  if (!query.ok) return problem(context, query.error);
  const { scac, ...asked } = query.value;
  const found = await findLoad(context, seats, { loadNumber, scac });
  if (!found.ok) return refusedLoad(context, loadNumber, found.error);
  if (form === 'csv') return loadCsv(context, found.value, asked.order);
  const page = await found.value.stub.page(asked);
  if (page === null) return refusedLoad(context, loadNumber, { code: 'load_unknown_here', scacs: [found.value.scac] });
  const view = loadView(found.value.reader, page, asked);
  return context.json(view satisfies Answered<'GET /v1/loads/{loadNumber}'>);
}

/** The whole load, whatever page was requested. */
function loadCsv(context: Context<HttpBindings>, found: FoundLoad, order: LoadOrder): Response {
  return context.body(streamOf(csvLines(found, order)), 200, fileHeaders(CSV, 'load.csv'));
}

async function* csvLines({ stub, reader }: FoundLoad, order: LoadOrder): AsyncGenerator<string> {
  yield loadHeader();
  let page = await stub.page({ order, after: null, limit: LOAD_PAGE_MAX });
  for (;;) {
    for (const event of page?.events ?? []) yield loadLine(eventView(reader, event));
    if (page?.next == null) return;
    page = await stub.page({ order, after: page.next, limit: LOAD_PAGE_MAX });
  }
}
