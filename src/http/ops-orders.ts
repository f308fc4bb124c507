/** `/v1/ops/orders`: one order of a partner, and the whole document that an operator states where nothing is known of it. */
import { Hono } from 'hono';
import { z } from 'zod';
import { orderBase } from '../delivery/order-base.ts';
import { NOTE_CHARACTERS_MAX } from '../kernel/limits.ts';
import type { OrderPair } from '../kernel/names.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { FeedRefusal } from '../ops/order-feeds.ts';
import type { HttpBindings } from './bindings.ts';
import { readJson } from './ops-body.ts';
import { nameIn, type OpsContext } from './ops-changes.ts';
import { forPartner } from './ops-feeds.ts';
import type { OpsQuery } from './ops-query.ts';
import { refusedByOps } from './ops-refusals.ts';
import { orderView } from './order-view.ts';
import { orderCalled } from './orders.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';

const stated = z.strictObject({
  document: z.looseObject({}),
  orderId: z.string().nullable().default(null),
  replace: z.boolean().default(false),
  why: z.string().trim().min(1, 'must say why').max(NOTE_CHARACTERS_MAX),
});

export function opsOrderRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:name/:ref', (context) =>
    forPartner(context, ports, async ({ environment }) => {
      const [partner, orderRef] = [nameIn(context), context.req.param('ref')];
      const found = await orderCalled(context, { environment, partner }, orderRef)?.shown();
      if (!found) return refusedByOps(context, { code: 'order_unknown' });
      return context.json({ environment, partner, ...orderView(orderRef, found, { isOps: true }) });
    }),
  );
  routes.put('/:name/:ref/base', async (context) => {
    const body = await readJson(context, stated);
    if (!body.ok) return problem(context, body.error);
    return forPartner(context, ports, (query) => state(context, ports, query, body.value), ['dryRun']);
  });
  return routes;
}

async function state(
  context: OpsContext,
  ports: AppPorts,
  { environment, dryRun }: OpsQuery,
  { document, orderId, replace, why }: z.output<typeof stated>,
): Promise<Response> {
  const scope = { environment, partner: nameIn(context) };
  const orderRef = context.req.param('ref') ?? '';
  const pair = await pairOf(context, ports, scope);
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

/** As every order of the partner carries it; null: its orders are not followed. */
async function pairOf(
  context: OpsContext,
  ports: AppPorts,
  { environment, partner }: { environment: OpsQuery['environment']; partner: string },
): Promise<Result<OrderPair | null, FeedRefusal>> {
  const feed = await ports.feeds(context.env).read(environment, partner);
  if (feed.ok) return ok(feed.value.settings);
  return feed.error.code === 'no_feed' ? ok(null) : feed;
}
