/** `/console/…`: server-rendered pages for people, signed in by their key through the browser's own prompt. */
import { Hono } from 'hono';
import { findBatch, unknownBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';
import { consoleOpsRoutes } from './console-ops.ts';
import { consoleOrderRoutes } from './console-orders.ts';
import { PAGE_POLICY } from './console-policy.ts';
import { addDownloads } from './downloads.ts';
import { findLoad, refusedLoad } from './load-lookup.ts';
import { readLoadQuery } from './load-query.ts';
import { loadView } from './load-view.ts';
import { loadCsv } from './loads.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';
import { readStates } from './query.ts';
import { signIn } from './sign-in.ts';

const ROWS_PER_PAGE = 200;
export function consoleRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const { pages } = ports;
  const asset = (type: string) => ({ 'Content-Type': type, 'Cache-Control': 'public, max-age=300' });
  routes.get('/console.css', (context) => context.body(pages.css, 200, asset('text/css; charset=utf-8')));
  routes.get('/live.js', (context) => context.body(pages.liveJs, 200, asset('text/javascript; charset=utf-8')));
  routes.use('/batches/*', signIn(ports.directory, true));
  routes.get('/batches/:id', async (context) => {
    const batch = await findBatch(context);
    if (!batch) return unknownBatch(context);
    const { stub, summary } = batch;
    const asked = readStates(context.req.query('state') === 'all' ? '' : context.req.query('state'));
    const explicit = context.req.query('state') !== undefined && asked.ok;
    const shown = explicit ? asked.value : pages.defaultStates(summary);
    const after = Number(context.req.query('after') ?? '0');
    const rows = await stub.rows(Number.isSafeInteger(after) ? after : 0, ROWS_PER_PAGE, shown);
    const last = rows.length === ROWS_PER_PAGE ? rows.at(-1) : undefined;
    const query = new URLSearchParams({ state: shown?.join(',') ?? 'all', after: String(last?.record ?? 0) });
    const nextPage = last ? `/console/batches/${summary.batchId}?${query}` : null;
    context.header('Content-Security-Policy', PAGE_POLICY);
    return context.html(pages.batch({ summary, rows, shown, nextPage }));
  });
  routes.get('/batches/:id/progress', async (context) => {
    const batch = await findBatch(context);
    return batch ? context.json(pages.progress(batch.summary)) : unknownBatch(context);
  });
  addDownloads(routes, '/batches/:id');
  routes.route('/orders', consoleOrderRoutes(ports));
  routes.route('/ops', consoleOpsRoutes(ports));
  routes.use('/loads/*', signIn(ports.directory, true));
  routes.get('/loads/:loadNumber/events.csv', async (context) => {
    const loadNumber = context.req.param('loadNumber');
    const query = readLoadQuery(context.req.query());
    if (!query.ok) return problem(context, query.error);
    const found = await findLoad(context, loadNumber, query.value.scac);
    return found.ok ? loadCsv(context, found.value, query.value.order) : refusedLoad(context, loadNumber, found.error);
  });
  routes.get('/loads/:loadNumber', async (context) => {
    const loadNumber = context.req.param('loadNumber');
    const query = readLoadQuery(context.req.query());
    if (!query.ok) return problem(context, query.error);
    const { scac, ...asked } = query.value;
    const found = await findLoad(context, loadNumber, scac);
    context.header('Content-Security-Policy', PAGE_POLICY);
    if (!found.ok && found.error.code === 'load_ambiguous') {
      const { environment } = context.get('principal');
      return context.html(pages.loadChoice({ loadNumber, environment, scacs: found.error.scacs }), 409);
    }
    if (!found.ok) return refusedLoad(context, loadNumber, found.error);
    const page = await found.value.stub.page(asked);
    if (page === null)
      return refusedLoad(context, loadNumber, { code: 'load_unknown_here', scacs: [found.value.scac] });
    return context.html(pages.load(loadView(page, asked.order, asked.limit)));
  });
  return routes;
}
