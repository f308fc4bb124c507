/** `/console/orders`: a partner's orders, looked for by reference, and the page of each. */
import { type Context, Hono } from 'hono';
import { RECENT_ORDERS_MAX } from '../feed/limits.ts';
import type { RecentOrder } from '../feed/order-book.ts';
import { feedName, type OrderPair, type PartnerScope } from '../kernel/names.ts';
import type { HttpBindings } from './bindings.ts';
import { PAGE_POLICY } from './console-policy.ts';
import type { ListedOrder, OrderPageView, OrdersPageView } from './console-views.ts';
import { orderView } from './order-view.ts';
import { orderCalled } from './orders.ts';
import type { AppPorts } from './ports.ts';
import { signIn } from './sign-in.ts';

export function consoleOrderRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory, true));
  routes.get('/', async (context) => {
    const asked = context.req.query('ref')?.trim() ?? '';
    const principal = context.get('principal');
    if (asked !== '' && (await orderCalled(context, principal, asked)?.statuses('milestone')))
      return context.redirect(`/console/orders/${encodeURIComponent(asked)}`, 303);
    return ordersPage(context, ports, await ownOrders(context, asked));
  });
  routes.get('/:ref', async (context) => {
    const orderRef = context.req.param('ref');
    const principal = context.get('principal');
    const shown = await orderPageOf(context, principal, { orderRef, isOps: false });
    if (shown === null) return ordersPage(context, ports, await ownOrders(context, orderRef));
    context.header('Content-Security-Policy', PAGE_POLICY);
    return context.html(ports.pages.order(shown));
  });
  return routes;
}

async function ownOrders(context: Context<HttpBindings>, asked: string): Promise<OrdersPageView> {
  const principal = context.get('principal');
  const recent = await recentOrders(context, principal, principal.orderPair);
  return { environment: principal.environment, asked, recent, ops: null };
}

/** What was looked for in vain is a page that is not there. */
export function ordersPage(context: Context<HttpBindings>, { pages }: AppPorts, view: OrdersPageView): Response {
  context.header('Content-Security-Policy', PAGE_POLICY);
  return context.html(pages.orders(view), view.asked === '' ? 200 : 404) as Response;
}

/** @returns null where there is no such order. */
export async function orderPageOf(
  context: Context<HttpBindings>,
  scope: PartnerScope,
  { orderRef, isOps }: { orderRef: string; isOps: boolean },
): Promise<OrderPageView | null> {
  const found = await orderCalled(context, scope, orderRef)?.shown();
  if (!found) return null;
  return {
    environment: scope.environment,
    partner: isOps ? scope.partner : null,
    order: orderView(orderRef, found, { isOps }),
    isWhole: context.req.query('statuses') === 'all',
  };
}

/** @param pair null: no feed follows the partner's orders. */
export async function recentOrders(
  { env }: Context<HttpBindings>,
  { environment, partner }: PartnerScope,
  pair: OrderPair | null,
): Promise<ListedOrder[] | null> {
  if (pair === null) return null;
  const feed = env.ORDER_FEED.getByName(feedName(environment, pair));
  return (await feed.recentOrders({ environment, partner }, RECENT_ORDERS_MAX)).map(listed);
}

const listed = ({ order_ref, state, heard_at_ms, code }: RecentOrder): ListedOrder => ({
  orderRef: order_ref,
  state,
  heardAt: new Date(heard_at_ms).toISOString(),
  code,
});
