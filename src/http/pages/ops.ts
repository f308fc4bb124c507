/** `/console/ops`: pages for operators, signed in by their key through the browser's own prompt. */
import { Hono } from 'hono';
import { BODY_FORM_BYTES_MAX, NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import type { PartnerScope } from '../../kernel/names.ts';
import { ok } from '../../kernel/result.ts';
import { mayActAs } from '../../ops/directory/directory.ts';
import { readBody } from '../edge/body.ts';
import { type HttpBindings, type OpsContext, opsSignIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { orderPagePath } from '../edge/reader.ts';
import { forPartner } from '../ops/feeds.ts';
import { inSomeEnvironment } from '../ops/lookup.ts';
import { refusedByOps } from '../ops/refusals.ts';
import { type OpsQuery, opsRoute } from '../ops/request.ts';
import { feedView } from '../ops/views/feed.ts';
import { ORDER_PARAMETERS } from '../views/order.ts';
import { orderPageOf, ordersPage, recentOrders } from './orders.ts';
import { isFromOwnPage, page } from './policy.ts';
import { FEED_ACTIONS } from './views.ts';

export function consoleOpsRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(opsSignIn(ports.opsDirectory, undefined, true));
  routes.use(inSomeEnvironment);
  routes.get('/feeds', opsRoute(ports, ['done', 'partner'], feeds));
  routes.post('/feeds/:name/:action', (context) => act(context, ports));
  routes.get('/orders', opsRoute(ports, ['partner', 'ref'], orders));
  routes.get('/orders/:name/:ref', (context) =>
    forPartner(context, ports, (scope) => order(context, ports, scope), ['statuses', ...ORDER_PARAMETERS]),
  );
  return routes;
}

async function feeds(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const { role, environments } = context.get('operator');
  const found = await ports.feeds(context.env).list(environment);
  if (!found.ok) return refusedByOps(context, found.error);
  const shown = found.value.map((line) => feedView(line, Date.now()));
  const action = FEED_ACTIONS.find((name) => name === get('done'));
  const partner = shown.find((feed) => feed.partner === get('partner'))?.partner;
  const done = action === undefined || partner === undefined ? null : { action, partner };
  const mayAct = mayActAs(role, 'operator');
  return page(context, ports.pages.feeds({ environment, environments, mayAct, feeds: shown, done }));
}

/** Acts as the API does; the answer is the page again. */
async function act(context: OpsContext, ports: AppPorts): Promise<Response> {
  if (!isFromOwnPage(context)) return crossSite(context);
  const asked = context.req.param('action');
  const action = FEED_ACTIONS.find((name) => name === asked);
  if (action === undefined) return context.notFound() as Response;
  const why = await reasonIn(context);
  if (why === null) return reasonMissing(context);
  return forPartner(context, ports, async (scope) => {
    const { environment, partner } = scope;
    const { keyId, name: author } = context.get('operator');
    const by = { keyId, author, why };
    const done = await ports
      .feeds(context.env)
      .call(scope, async (stub) => (action === 'poll' ? (await stub.pollNow(by)) || null : stub.repairNow(by)));
    if (!done.ok) return refusedByOps(context, done.error);
    return context.redirect(`/console/ops/feeds?${new URLSearchParams({ environment, done: action, partner })}`, 303);
  });
}

async function reasonIn(context: OpsContext): Promise<string | null> {
  const read = await readBody(context.req.raw.body as ReadableStream<Uint8Array> | null, BODY_FORM_BYTES_MAX);
  if (!read.ok) return null;
  const why = new URLSearchParams(new TextDecoder().decode(read.value)).get('why')?.trim() ?? '';
  return why === '' || why.length > NOTE_CHARACTERS_MAX ? null : why;
}

async function orders(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const names = await ports.partners(context.env).names(environment);
  if (!names.ok) return refusedByOps(context, names.error);
  const { environments } = context.get('operator');
  const partner = names.value.find((name) => name === get('partner')) ?? '';
  const asked = partner === '' ? '' : (get('ref')?.trim() ?? '');
  if (asked !== '') {
    const found = await orderPageOf(context, { environment, partner }, { orderRef: asked, isOps: true });
    if (found !== null) return context.redirect(orderPagePath({ environment, partner, isOps: true }, asked), 303);
  }
  const found = partner === '' ? NONE : await recentOf(context, ports, { environment, partner });
  if (!found.ok) return found.error;
  const ops = { partner, partners: names.value, environments };
  return ordersPage(context, ports, { environment, asked, ...found.value, ops });
}

const NONE = ok({ recent: [], isFollowed: false });

async function recentOf(context: OpsContext, ports: AppPorts, scope: PartnerScope) {
  const feed = await ports.feeds(context.env).read(scope);
  return recentOrders(context, ports, scope, feed.ok ? feed.value.settings : null);
}

async function order(context: OpsContext, ports: AppPorts, scope: PartnerScope): Promise<Response> {
  const orderRef = context.req.param('ref') ?? '';
  const shown = await orderPageOf(context, scope, { orderRef, isOps: true });
  if (shown === null) return refusedByOps(context, { code: 'order_unknown' });
  return page(context, ports.pages.order(shown));
}

const crossSite = (context: OpsContext): Response =>
  problem(context, {
    status: 403,
    code: 'cross_site_refused',
    title: 'Not from this page',
    detail: 'The request does not come from a page of the console. Nothing was done.',
    fix: 'Use the button on the page, or the API.',
  });

const reasonMissing = (context: OpsContext): Response =>
  problem(context, {
    status: 400,
    code: 'body_invalid',
    title: 'Reason missing',
    detail: `Say why in 1 to ${NOTE_CHARACTERS_MAX} characters. Nothing was done.`,
    fix: 'Go back and fill in "Why".',
  });
