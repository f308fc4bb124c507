/** `/v1/orders`: one order of the caller's, and what an end consumer may see of it. */
import { type Context, Hono } from 'hono';
import { STATUS_TEXT_CHARACTERS_MAX } from '../kernel/limits.ts';
import { orderName, type PartnerScope } from '../kernel/names.ts';
import type { HttpBindings } from './bindings.ts';
import { orderCsv, tracksCsv } from './order-csv.ts';
import { orderView, trackView } from './order-view.ts';
import type { AppPorts } from './ports.ts';
import { formAccepted, namedForm } from './prefer.ts';
import { problem } from './problem.ts';
import { signIn } from './sign-in.ts';

export function orderRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/:ref', async (context) => {
    const { name: orderRef, form } = namedForm(refIn(context), acceptOf(context));
    const found = await orderCalled(context, context.get('principal'), orderRef)?.shown();
    if (!found) return unknownOrder(context);
    const view = orderView(orderRef, found, { isOps: false });
    return form === 'json' ? context.json(view) : csvFile(context, 'order.csv', orderCsv(view));
  });
  routes.get('/:ref/tracks', async (context) => {
    const found = await orderOf(context)?.statuses('milestone');
    if (!found) return unknownOrder(context);
    const [orderRef, tracks] = [refIn(context), found.map(trackView)];
    if (formAccepted(acceptOf(context)) !== 'csv') return context.json({ orderRef, tracks });
    return csvFile(context, 'tracks.csv', tracksCsv(orderRef, tracks));
  });
  return routes;
}

const csvFile = (context: Context, name: string, text: string): Response =>
  context.body(text, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  });

const acceptOf = (context: Context): string | null => context.req.header('Accept') ?? null;
const refIn = (context: Context<HttpBindings>): string => context.req.param('ref') ?? '';

/** The caller's own by name: another partner's has another. @returns null where no order can be called that. */
const orderOf = (context: Context<HttpBindings>) => orderCalled(context, context.get('principal'), refIn(context));

export function orderCalled({ env }: Context<HttpBindings>, scope: PartnerScope, orderRef: string) {
  if (orderRef === '' || orderRef.length > STATUS_TEXT_CHARACTERS_MAX || !orderRef.isWellFormed()) return null;
  return env.ORDER.getByName(orderName(scope, orderRef));
}

const unknownOrder = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'order_unknown',
    title: 'Unknown order',
    detail: 'There is no such order among yours in the environment of this key, or it is kept no more.',
    fix: 'Check the reference; the rows of a batch name the orders they became.',
  });
