/** `/console/…`: server-rendered pages for people, signed in by their key through the browser's own prompt. */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { LoadPageQuery } from '../../tracking/load-page.ts';
import { eitherSignIn, type HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readStates, wholeNumber } from '../edge/query.ts';
import { batchLinks, loadPagePath, withParameters } from '../edge/reader.ts';
import { opsSeats } from '../ops/loads.ts';
import { readerOfBatch } from '../ops/lookup.ts';
import { loadCsv } from '../partner/loads.ts';
import { type FoundBatch, ofBatch } from '../views/batch-lookup.ts';
import { addDownloads } from '../views/downloads.ts';
import { loadView, readLoadQuery } from '../views/load.ts';
import { type FoundLoad, findLoad, type LoadSeats, ownSeats, refusedLoad } from '../views/load-lookup.ts';
import { consoleOpsRoutes } from './ops.ts';
import { consoleOrderRoutes } from './orders.ts';
import { page } from './policy.ts';

const ROWS_PER_PAGE = 200;

export function consoleRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const { pages } = ports;
  const asset = (type: string) => ({ 'Content-Type': type, 'Cache-Control': 'public, max-age=300' });
  routes.get('/console.css', (context) => context.body(pages.css, 200, asset('text/css; charset=utf-8')));
  routes.get('/live.js', (context) => context.body(pages.liveJs, 200, asset('text/javascript; charset=utf-8')));
  for (const path of ['/batches/*', '/loads/*']) routes.use(path, eitherSignIn(ports.directory, ports.opsDirectory));
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
  routes.route('/orders', consoleOrderRoutes(ports));
  routes.route('/ops', consoleOpsRoutes(ports));
  routes.get('/loads/:loadNumber/events.csv', (context) =>
    withLoad(context, ports, (found, { order }) => loadCsv(context, found, order)),
  );
  routes.get('/loads/:loadNumber', (context) =>
    withLoad(context, ports, async (found, asked) => {
      const events = await found.stub.page(asked);
      const unknown = { code: 'load_unknown_here', scacs: [found.scac] } as const;
      if (events === null) return refusedLoad(context, context.req.param('loadNumber'), unknown);
      return page(context, pages.load({ ...loadView(found.reader, events, asked), reader: found.reader }));
    }),
  );
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

type LoadQuery = LoadPageQuery & { scac: string | null };

async function withLoad(
  context: Context<HttpBindings>,
  ports: AppPorts,
  show: (found: FoundLoad, asked: LoadQuery) => Response | Promise<Response>,
): Promise<Response> {
  const loadNumber = context.req.param('loadNumber') ?? '';
  const { environment: _, partner, ...parameters } = context.req.query();
  const query = readLoadQuery(context.get('operator') === undefined ? context.req.query() : parameters);
  if (!query.ok) return problem(context, query.error);
  const { scac } = query.value;
  const seats = await seatsOf(context, ports, partner ?? null);
  if (!seats.ok) return seats.error;
  const found = await findLoad(context, seats.value, { loadNumber, scac });
  if (found.ok) return show(found.value, query.value);
  if (found.error.code !== 'load_ambiguous') return refusedLoad(context, loadNumber, found.error);
  const reader = context.get('reader');
  const { environment, isOps } = reader;
  const choices = found.error.places.map((place) => {
    const own = { environment, partner: place.partner, isOps };
    const label = isOps ? `${place.partner} (${place.scac})` : place.scac;
    return { label, href: loadPagePath(own, { loadNumber, scac: place.scac }) };
  });
  return page(context, ports.pages.loadChoice({ loadNumber, reader, choices }), 409);
}

async function seatsOf(
  context: Context<HttpBindings>,
  ports: AppPorts,
  partner: string | null,
): Promise<Result<LoadSeats, Response>> {
  const operator = context.get('operator');
  if (operator === undefined) return ok(ownSeats(context));
  const [first] = operator.environments;
  const asked = operator.environments.find((name) => name === context.req.query('environment')) ?? first;
  if (asked === undefined) return err(context.notFound() as Response);
  return opsSeats(context, ports, { environment: asked, partner });
}
