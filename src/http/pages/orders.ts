/** `/console/orders`: a partner's orders, searched by reference, and the page of each. */

import { type Context, Hono } from 'hono';
import { RECENT_ORDERS_MAX } from '../../feed/limits.ts';
import type { RecentOrder } from '../../feed/order-book.ts';
import { iso } from '../../kernel/clock.ts';
import { ORDER_PAGE_DEFAULT } from '../../kernel/limits.ts';
import { feedName, type OrderFeedKey, type PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { orderPagePath } from '../edge/reader.ts';
import { orderCalled } from '../partner/orders.ts';
import { refusedUpload } from '../partner/upload.ts';
import { type ListedMadeOrder, madeOrders, madeOrdersPorts } from '../views/made-orders.ts';
import { nextPage, orderView, readOrderQuery } from '../views/order.ts';
import { page } from './policy.ts';
import type { ListedOrder, OrderPageView, OrdersPageView } from './views.ts';

export function consoleOrderRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory, true));
  routes.get('/', async (context) => {
    const asked = context.req.query('ref')?.trim() ?? '';
    const principal = context.get('principal');
    if (asked !== '' && (await orderCalled(context, principal, asked)?.statuses('milestone')))
      return context.redirect(`/console/orders/${encodeURIComponent(asked)}`, 303);
    return ownOrdersPage(context, ports, asked);
  });
  routes.get('/:ref', async (context) => {
    const orderRef = context.req.param('ref');
    const principal = context.get('principal');
    const shown = await orderPageOf(context, principal, { orderRef, isOps: false });
    return shown === null ? ownOrdersPage(context, ports, orderRef) : page(context, ports.pages.order(shown));
  });
  return routes;
}

async function ownOrdersPage(context: Context<HttpBindings>, ports: AppPorts, asked: string): Promise<Response> {
  const principal = context.get('principal');
  const found = await recentOrders(context, ports, principal, principal.orderPair);
  if (!found.ok) return found.error;
  return ordersPage(context, ports, { environment: principal.environment, asked, ...found.value, ops: null });
}

/** A search without a result is answered with 404. */
export function ordersPage(context: Context<HttpBindings>, { pages }: AppPorts, view: OrdersPageView): Response {
  return page(context, pages.orders(view), view.asked === '' ? 200 : 404);
}

/** @returns null where there is no such order. */
export async function orderPageOf(
  context: Context<HttpBindings>,
  scope: PartnerScope,
  { orderRef, isOps }: { orderRef: string; isOps: boolean },
): Promise<OrderPageView | null> {
  const read = readOrderQuery(context.req.query());
  const asked = read.ok ? read.value : { before: null, limit: ORDER_PAGE_DEFAULT }; // with a mistyped address, the latest page is shown
  const found = await orderCalled(context, scope, orderRef)?.page(asked);
  if (!found) return null;
  const more = nextPage(found.next, asked);
  return {
    environment: scope.environment,
    partner: isOps ? scope.partner : null,
    order: orderView(orderRef, found, { isOps, next: more && orderPagePath({ ...scope, isOps }, orderRef, more) }),
    isWhole: context.req.query('statuses') === 'all',
    isLatest: asked.before === null,
  };
}

/** @param pair null: no feed follows the partner's orders. */
export async function recentOrders(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { environment, partner }: PartnerScope,
  pair: OrderFeedKey | null,
): Promise<Result<Pick<OrdersPageView, 'recent' | 'isFollowed'>, Response>> {
  if (pair !== null) {
    const feed = context.env.ORDER_FEED.getByName(feedName(environment, pair));
    const recent = await feed.recentOrders({ environment, partner }, RECENT_ORDERS_MAX);
    return ok({ isFollowed: true, recent: recent.map(listed) });
  }
  const from = await madeOrdersPorts(context, ports, { environment, partner });
  if (!from.ok) return err(refusedUpload(context, from.error));
  const { orders } = await madeOrders(from.value, null, RECENT_ORDERS_MAX);
  return ok({ isFollowed: false, recent: orders.map(sent) });
}

const sent = ({ orderRef, state, receivedAtMs }: ListedMadeOrder): ListedOrder => ({
  orderRef,
  state,
  heardAt: iso(receivedAtMs),
  code: null,
});

const listed = ({ order_ref, state, heard_at_ms, code }: RecentOrder): ListedOrder => ({
  orderRef: order_ref,
  state,
  heardAt: iso(heard_at_ms),
  code,
});
