/** `/v1/loads/{loadNumber}`: all that the caller sent for a load, and what became of it, as JSON by pages or whole as CSV. */
import { type Context, Hono } from 'hono';
import { LOAD_PAGE_MAX } from '../kernel/limits.ts';
import type { LoadOrder } from '../tracking/load-page.ts';
import type { HttpBindings } from './bindings.ts';
import { loadHeader, loadLine } from './load-csv.ts';
import { type FoundLoad, findLoad, refusedLoad } from './load-lookup.ts';
import { loadAsked, readLoadQuery } from './load-query.ts';
import { eventView, loadView } from './load-view.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';
import { streamOf } from './reports.ts';
import { signIn } from './sign-in.ts';

export function loadRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/:loadNumber', load);
  return routes;
}

async function load(context: Context<HttpBindings>): Promise<Response> {
  const { loadNumber, form } = loadAsked(context.req.param('loadNumber') ?? '', context.req.header('Accept') ?? null);
  const query = readLoadQuery(context.req.query());
  if (!query.ok) return problem(context, query.error);
  const { scac, ...asked } = query.value;
  const found = await findLoad(context, loadNumber, scac);
  if (!found.ok) return refusedLoad(context, loadNumber, found.error);
  if (form === 'csv') return loadCsv(context, found.value, asked.order);
  const page = await found.value.stub.page(asked);
  if (page === null) return refusedLoad(context, loadNumber, { code: 'load_unknown_here', scacs: [found.value.scac] });
  return context.json(loadView(page, asked.order, asked.limit));
}

/** The whole load, whatever page was asked for. */
export function loadCsv(context: Context<HttpBindings>, found: FoundLoad, order: LoadOrder): Response {
  return context.body(streamOf(csvLines(found, order)), 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="load.csv"',
  });
}

async function* csvLines({ stub }: FoundLoad, order: LoadOrder): AsyncGenerator<string> {
  yield loadHeader();
  let page = await stub.page({ order, after: null, limit: LOAD_PAGE_MAX });
  for (;;) {
    for (const event of page?.events ?? []) yield loadLine(eventView(event));
    if (page?.next == null) return;
    page = await stub.page({ order, after: page.next, limit: LOAD_PAGE_MAX });
  }
}
