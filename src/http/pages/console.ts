/** `/console/…`: server-rendered pages for people, signed in by their key through the browser's own prompt. */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { LoadPageQuery } from '../../tracking/load-page.ts';
import { eitherSignIn, type HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readStates, wholeNumber } from '../edge/query.ts';
import { batchLinks, homePath, loadPagePath, withParameters } from '../edge/reader.ts';
import { BATCH_LIST_PARAMETERS, nextCheckpoint, readBatchList, writeBatchCheckpoint } from '../ops/batch-list.ts';
import { foundAlerts } from '../ops/health.ts';
import { opsSeats } from '../ops/loads.ts';
import { inSomeEnvironment, readerOfBatch } from '../ops/lookup.ts';
import { refusedByOps } from '../ops/refusals.ts';
import { readOpsQuery } from '../ops/request.ts';
import { batchLine } from '../ops/views/batch.ts';
import { loadCsv } from '../partner/loads.ts';
import { type FoundBatch, ofBatch } from '../views/batch-lookup.ts';
import { addDownloads } from '../views/downloads.ts';
import { loadView, readLoadQuery } from '../views/load.ts';
import { type FoundLoad, findLoad, type LoadSeats, ownSeats, refusedLoad } from '../views/load-lookup.ts';
import { consoleOpsRoutes } from './ops.ts';
import { consoleOrderRoutes } from './orders.ts';
import { page } from './policy.ts';
import type { HomeOfOps, HomePageView } from './views.ts';

/*
 * `/console`: the first page of both roles. A partner sees its batches; an operator what needs a person, and the
 * batches of all partners.
 */

const BATCHES_PER_PAGE = 50;

async function homePage(context: Context<HttpBindings>, ports: AppPorts): Promise<Response> {
  const parameters = filledIn(context.req.query());
  const whose = readWhose(context);
  if (!whose.ok) return whose.error;
  const { environment, partner } = whose.value;
  const asked = readBatchList(
    partner === null ? parameters : { ...parameters, partner },
    environment,
    BATCHES_PER_PAGE,
  );
  if (!asked.ok) return problem(context, asked.error);
  const { environment: _, cursor, ...filters } = parameters;
  const isFirst = cursor === undefined && Object.keys(filters).length === 0;
  const ops = partner === null ? await homeOfOps(context, ports, environment, isFirst) : ok(null);
  if (!ops.ok) return ops.error;
  const found = await ports.batches(context.env).list(asked.value);
  if (!found.ok) return refusedByOps(context, found.error);
  const mark = nextCheckpoint(found.value, asked.value.limit);
  const whole = partner === null ? { environment, ...filters } : filters;
  const home: HomePageView = {
    environment,
    asked: filters,
    batches: found.value.map(batchLine),
    next: mark === null ? null : homePath({ ...whole, cursor: writeBatchCheckpoint(mark) }),
    ops: ops.value,
  };
  return page(context, ports.pages.home(home));
}

/** A form also sends fields left empty. */
const filledIn = (parameters: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value.trim() !== ''));

/** @property partner null: all, for an operator. */
function readWhose(
  context: Context<HttpBindings>,
): Result<{ environment: Environment; partner: string | null }, Response> {
  if (context.get('operator') === undefined) return ok(context.get('principal'));
  const query = readOpsQuery(context, BATCH_LIST_PARAMETERS);
  return query.ok ? ok({ environment: query.value.environment, partner: null }) : err(problem(context, query.error));
}

async function homeOfOps(
  context: Context<HttpBindings>,
  ports: AppPorts,
  environment: Environment,
  isFirst: boolean,
): Promise<Result<HomeOfOps, Response>> {
  const partners = await ports.partners(context.env).names(environment);
  if (!partners.ok) return err(refusedByOps(context, partners.error));
  const alerts = isFirst ? await foundAlerts(context, ports, environment) : ok(null);
  if (!alerts.ok) return alerts;
  const { environments } = context.get('operator');
  return ok({ environments, partners: partners.value, alerts: alerts.value });
}

const ROWS_PER_PAGE = 200;

export function consoleRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const { pages } = ports;
  const asset = (type: string) => ({ 'Content-Type': type, 'Cache-Control': 'public, max-age=300' });
  routes.get('/console.css', (context) => context.body(pages.css, 200, asset('text/css; charset=utf-8')));
  routes.get('/live.js', (context) => context.body(pages.liveJs, 200, asset('text/javascript; charset=utf-8')));
  for (const path of ['/', '/batches/*', '/loads/*'])
    routes.use(path, eitherSignIn(ports.directory, ports.opsDirectory));
  for (const path of ['/batches/:id', '/batches/:id/*']) routes.use(path, ofWhoeverHasIt(ports));
  routes.get('/', ofOperators(inSomeEnvironment), (context) => homePage(context, ports));
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

/** For operators only; a partner's request continues unchanged. */
const ofOperators =
  (handler: MiddlewareHandler<HttpBindings>): MiddlewareHandler<HttpBindings> =>
  (context, next) =>
    context.get('operator') === undefined ? next() : handler(context, next);

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
