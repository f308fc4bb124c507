/** `/v1/ops/orders`: one order of a partner, and the document that an operator states where nothing is known of it. */
import { Hono } from 'hono';
import * as z from 'zod';
import { callEach } from '../../batch/steps/dispatch.ts';
import { orderBase } from '../../delivery/orders/base.ts';
import { OPS_LOAD_LOCATIONS_MAX } from '../../kernel/limits.ts';
import type { OrderFeedKey, PartnerScope } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { partnersRequested } from '../../ops/dead-letters/dead-letters.ts';
import type { FeedRefusal } from '../../ops/feeds/order-feeds.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { orderAddress, orderPagePath, type Reader } from '../edge/reader.ts';
import { orderCalled, tracksAnswer } from '../partner/orders.ts';
import { followedOrderView } from '../views/followed-order.ts';
import { nextPage, ORDER_PARAMETERS, orderView, readOrderQuery } from '../views/order.ts';
import { listOrders, ORDER_LIST_PARAMETERS } from '../views/order-list.ts';
import { linkedOrder } from '../views/rows.ts';
import { forPartner } from './feeds.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute, readJson, why } from './request.ts';

const stated = z.strictObject({
  document: z.looseObject({}),
  orderId: z.string().nullable().default(null),
  replace: z.boolean().default(false),
  why,
});

export function opsOrderRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['partner', ...ORDER_LIST_PARAMETERS], list));
  routes.get('/:ref', opsRoute(ports, ['partner', ...ORDER_PARAMETERS], findOrder));
  routes.get('/:name/:ref', (context) =>
    forPartner(
      context,
      ports,
      (scope) => show(context, { ...scope, isOps: true }, context.req.param('ref')),
      ORDER_PARAMETERS,
    ),
  );
  routes.get('/:name/:ref/feed', (context) =>
    forPartner(context, ports, async (scope) => {
      const orderRef = context.req.param('ref');
      if (!(await orderCalled(context, scope, orderRef)?.isKnown())) return refusedByOps(context, ORDER_UNKNOWN);
      const found = await ports.feeds(context.env).call(scope, (stub) => stub.followed(scope, orderRef));
      if (!found.ok) return refusedByOps(context, found.error);
      return context.json({ ...scope, ...followedOrderView(orderRef, found.value) });
    }),
  );
  routes.get('/:name/:ref/tracks', (context) =>
    forPartner(context, ports, async (scope) => {
      const orderRef = context.req.param('ref');
      const stub = orderCalled(context, scope, orderRef);
      const feed = await ports.feeds(context.env).read(scope);
      if (!feed.ok) return refusedByOps(context, feed.error);
      const { settings } = feed.value;
      const channel = ports.settings(context.env).channels.get(settings.channel) ?? null;
      const whose = { scope, pair: settings, channel };
      return (
        (stub && (await tracksAnswer(context, ports, { orderRef, stub }, whose))) ??
        refusedByOps(context, ORDER_UNKNOWN)
      );
    }),
  );
  routes.put('/:name/:ref/base', async (context) => {
    const body = await readJson(context, stated);
    if (!body.ok) return problem(context, body.error);
    return forPartner(context, ports, (scope, query) => state(context, ports, { scope, ...query }, body.value), [
      'dryRun',
    ]);
  });
  return routes;
}

const ORDER_UNKNOWN = { code: 'order_unknown' } as const;

/** Orders of one partner: each has a feed of its own, or none. */
async function list(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const partner = get('partner') ?? null;
  const partners = await partnersRequested({ partners: ports.partners(context.env) }, { environment, partner });
  if (!partners.ok) return refusedByOps(context, partners.error);
  const [only, ...others] = partners.value;
  if (only === undefined || others.length > 0)
    return refusedByOps(context, { code: 'partner_required', partners: partners.value.length });
  const scope = { environment, partner: only };
  const pair = await feedKeyOf(context, ports, scope);
  if (!pair.ok) return refusedByOps(context, pair.error);
  return listOrders(context, ports, { reader: { ...scope, isOps: true }, pair: pair.value });
}

/** Of whichever partner has it, if none is named; if several have it, all are listed. */
async function findOrder(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const orderRef = context.req.param('ref') ?? '';
  const asked = { environment, partner: get('partner') ?? null };
  const partners = await partnersRequested({ partners: ports.partners(context.env) }, asked);
  if (!partners.ok) return refusedByOps(context, partners.error);
  if (partners.value.length > OPS_LOAD_LOCATIONS_MAX)
    return refusedByOps(context, { code: 'partner_required', partners: partners.value.length });
  const found: Reader[] = [];
  await callEach([...partners.value], async (name) => {
    const reader = { environment, partner: name, isOps: true };
    if (await orderCalled(context, reader, orderRef)?.isKnown()) found.push(reader);
  });
  const [only, ...others] = found;
  if (only === undefined) return refusedByOps(context, { code: 'order_unknown' });
  if (others.length === 0) return show(context, only, orderRef);
  const among = found
    .map((reader) => ({ partner: reader.partner, links: { self: orderAddress(reader, orderRef) } }))
    .sort((one, other) => one.partner.localeCompare(other.partner));
  return refusedByOps(context, { code: 'order_ambiguous', orderRef }, { among });
}

async function show(context: OpsContext, reader: Reader, orderRef: string): Promise<Response> {
  const asked = readOrderQuery(context.req.query());
  if (!asked.ok) return problem(context, asked.error);
  const { environment, partner } = reader;
  const found = await orderCalled(context, reader, orderRef)?.page(asked.value);
  if (!found) return refusedByOps(context, { code: 'order_unknown' });
  const more = nextPage(found.next, asked.value);
  const view = orderView(orderRef, found, { isOps: true, next: more && orderAddress(reader, orderRef, more) });
  const links = { self: orderAddress(reader, orderRef), console: orderPagePath(reader, orderRef) };
  return context.json({ environment, partner, ...linkedOrder(reader, view), links });
}

async function state(
  context: OpsContext,
  ports: AppPorts,
  { scope, dryRun }: OpsQuery & { scope: PartnerScope },
  { document, orderId, replace, why }: z.output<typeof stated>,
): Promise<Response> {
  const orderRef = context.req.param('ref') ?? '';
  const pair = await feedKeyOf(context, ports, scope);
  if (!pair.ok) return refusedByOps(context, pair.error);
  const base = orderBase({ orderRef, document, orderId }, pair.value);
  if (!base.ok) return refusedByOps(context, { code: 'order_base_invalid', why: base.error });
  const order = orderCalled(context, scope, orderRef);
  if (order === null) return refusedByOps(context, { code: 'order_unknown' });
  const { keyId, name: author } = context.get('operator');
  const outcome = await order.state({ ...scope, orderRef }, base.value, { keyId, author, why, replace, dryRun });
  switch (outcome.outcome) {
    case 'base_known': {
      const { orderId: known, since } = outcome;
      return refusedByOps(context, { code: 'base_known', orderId: known, since });
    }
    case 'order_busy':
      return refusedByOps(context, { code: 'order_busy' });
    case 'stated':
    case 'same': {
      const { incarnation, changes } = outcome;
      return context.json({
        ...scope,
        orderRef,
        dryRun,
        changed: outcome.outcome === 'stated',
        incarnation,
        orderId: outcome.orderId,
        changes,
        document: base.value.document,
        links: { order: `/v1/ops/orders/${encodeURIComponent(scope.partner)}/${encodeURIComponent(orderRef)}` },
      });
    }
  }
}

/** The same for every order of the partner; null: its orders are not followed. */
async function feedKeyOf(
  context: OpsContext,
  ports: AppPorts,
  scope: PartnerScope,
): Promise<Result<OrderFeedKey | null, FeedRefusal>> {
  const feed = await ports.feeds(context.env).read(scope);
  if (feed.ok) return ok(feed.value.settings);
  return feed.error.code === 'no_feed' ? ok(null) : feed;
}
