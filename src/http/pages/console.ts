/** `/console/…`: server-rendered pages for people, signed in by their key through the browser's own prompt. */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { eitherSignIn, type HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { readStates, wholeNumber } from '../edge/query.ts';
import { batchLinks, withParameters } from '../edge/reader.ts';
import { readerOfBatch } from '../ops/lookup.ts';
import { type FoundBatch, ofBatch } from '../views/batch-lookup.ts';
import { addDownloads } from '../views/downloads.ts';
import { page } from './policy.ts';

const ROWS_PER_PAGE = 200;

export function consoleRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const { pages } = ports;
  const asset = (type: string) => ({ 'Content-Type': type, 'Cache-Control': 'public, max-age=300' });
  routes.get('/console.css', (context) => context.body(pages.css, 200, asset('text/css; charset=utf-8')));
  routes.get('/live.js', (context) => context.body(pages.liveJs, 200, asset('text/javascript; charset=utf-8')));
  routes.use('/batches/*', eitherSignIn(ports.directory, ports.opsDirectory));
  for (const path of ['/batches/:id', '/batches/:id/*']) routes.use(path, ofWhoeverHasIt(ports));
  routes.get(
    '/batches/:id',
    ofBatch((context, batch) => batchPage(context, batch, ports)),
  );
  routes.get(
    '/batches/:id/progress',
    ofBatch((context, { summary }) => context.json(pages.progress(summary))),
  );
  addDownloads(routes, '/batches/:id');
  return routes;
}

/** A partner reads its own batches; an operator those of any partner, in any environment of its key. */
const ofWhoeverHasIt =
  (ports: AppPorts): MiddlewareHandler<HttpBindings> =>
  async (context, next) => {
    const operator = context.get('operator');
    if (operator !== undefined) {
      const { environments } = operator;
      const asked = { environments, partner: null, batchId: context.req.param('id') ?? '' };
      const reader = await readerOfBatch(context, ports, asked);
      if (!reader.ok) return reader.error;
      context.set('reader', reader.value);
    }
    await next();
    return undefined;
  };

async function batchPage(
  context: Context<HttpBindings>,
  { stub, summary }: FoundBatch,
  { pages }: AppPorts,
): Promise<Response> {
  const asked = readStates(context.req.query('state') === 'all' ? '' : context.req.query('state'));
  const explicit = context.req.query('state') !== undefined && asked.ok;
  const shown = explicit ? asked.value : pages.defaultStates(summary);
  const rows = await stub.rows(wholeNumber(context.req.query('after')) ?? 0, ROWS_PER_PAGE, shown);
  const last = rows.length === ROWS_PER_PAGE ? rows.at(-1) : undefined;
  const reader = context.get('reader');
  const query = { state: shown?.join(',') ?? 'all', after: String(last?.record ?? 0) };
  const nextPage = last ? withParameters(batchLinks(reader, summary.batchId).console, query) : null;
  return page(context, pages.batch({ reader, summary, rows, shown, nextPage }));
}
