/** `/v1/orders`: one order of the caller's, and what an end consumer may see of it. */
import { type Context, Hono } from 'hono';
import { findOrder, readTracks, type TracksRead, type TracksTrouble } from '../../feed/tracks.ts';
import { reachable } from '../../kernel/let-go.ts';
import { STATUS_TEXT_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { feedName, type OrderFeedKey, orderName, type PartnerScope } from '../../kernel/names.ts';
import type { Order } from '../../tracking/order.ts';
import type { Channel } from '../../upstream/channels.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import type { Answered } from '../contract/contract.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { formAccepted, namedForm, onlyKnown } from '../edge/query.ts';
import { orderAddress } from '../edge/reader.ts';
import { CSV, fileHeaders } from '../views/downloads.ts';
import { followedOrderView } from '../views/followed-order.ts';
import {
  feedTracksView,
  nextPage,
  orderCsv,
  orderView,
  readOrderQuery,
  type TracksView,
  tracksCsv,
  upstreamTracksView,
} from '../views/order.ts';
import { listOrders, ORDER_LIST_PARAMETERS } from '../views/order-list.ts';
import { mappingsMake } from './key-limits.ts';
import { notFollowed } from './order-events.ts';

export function orderRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory), mappingsMake('orders', ports));
  routes.get('/', (context) => {
    const known = onlyKnown(context.req.query(), ORDER_LIST_PARAMETERS);
    if (!known.ok) return problem(context, known.error);
    return listOrders(context, ports, { reader: context.get('reader'), pair: context.get('principal').orderPair });
  });
  routes.get('/:ref', async (context) => {
    const { name, form } = namedForm(refIn(context), acceptOf(context));
    const asked = readOrderQuery(context.req.query());
    if (!asked.ok) return problem(context, asked.error);
    const order = await ownOrder(context, ports, name);
    const found = await order?.stub.page(asked.value);
    if (!order || !found) return unknownOrder(context);
    const more = nextPage(found.next, asked.value);
    const next = more && orderAddress({ ...context.get('reader'), isOps: false }, order.orderRef, more);
    if (next !== null) context.header('Link', `<${next}>; rel="next"`);
    const view = orderView(order.orderRef, found, { isOps: false, next });
    return form === 'json'
      ? context.json(view satisfies Answered<'GET /v1/orders/{ref}'>)
      : context.body(orderCsv(view), 200, fileHeaders(CSV, 'order.csv'));
  });
  routes.get('/:ref/tracks', async (context) => {
    const order = await ownOrder(context, ports, refIn(context));
    const principal = context.get('principal');
    const whose = { scope: principal, pair: principal.orderPair, channel: channelOf(context, ports) };
    return (order && (await tracksAnswer(context, ports, order, whose))) ?? unknownOrder(context);
  });
  routes.get('/:ref/feed', async (context) => {
    const order = await ownOrder(context, ports, refIn(context));
    if (order === null) return unknownOrder(context);
    const { orderPair, environment, partner } = context.get('principal');
    const feed = orderPair === null ? null : context.env.ORDER_FEED.getByName(feedName(environment, orderPair));
    const found = await feed?.followed({ environment, partner }, order.orderRef);
    return found ? context.json(followedOrderView(order.orderRef, found)) : notFollowed(context);
  });
  return routes;
}

/**
 * @property pair null: no feed follows the partner's orders. channel null: it is not set any more.
 */
interface TrackedBy {
  scope: PartnerScope;
  pair: OrderFeedKey | null;
  channel: Channel | null;
}

/** What an end consumer may see. @returns null where there is no such order. */
export async function tracksAnswer(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { orderRef, stub }: OwnOrder,
  { scope, pair, channel }: TrackedBy,
): Promise<Response | null> {
  const terms = await stub.trackTerms(pair);
  if (terms === null) return null;
  const { clock } = ports.settings(context.env);
  const read =
    channel === null ? CHANNEL_NOT_SET : await readTracks({ env: context.env, clock, channel, scope }, orderRef, terms);
  if (read.outcome === 'read') return tracksShown(context, orderRef, upstreamTracksView(orderRef, read), read.ageMs);
  if (!terms.isFollowed) return noTracks(context, read.trouble);
  const learned = (await stub.statuses('milestone')) ?? [];
  return tracksShown(context, orderRef, feedTracksView(orderRef, learned, read.trouble), null);
}

const CHANNEL_NOT_SET: TracksRead = {
  outcome: 'trouble',
  trouble: { code: 'upstream_down', status: null, detail: 'the channel is not set' },
};

interface OwnOrder {
  orderRef: string;
  stub: DurableObjectStub<Order>;
}

/**
 * By its number, otherwise by a secondary reference, which the receiving system knows (seed 2.8, 4.4). @returns null
 * where the caller has no such order.
 */
async function ownOrder(context: Context<HttpBindings>, ports: AppPorts, name: string): Promise<OwnOrder | null> {
  const scope = context.get('principal');
  const stub = orderCalled(context, scope, name);
  if (stub === null) return null;
  if (await stub.isKnown()) return { orderRef: name, stub };
  const channel = channelOf(context, ports);
  if (channel === null) return null;
  const orderRef = await findOrder(
    {
      env: context.env,
      clock: ports.settings(context.env).clock,
      channel,
      scope,
      mapping: await answerMappingOf(context),
      idsOf: async (ref) => {
        const terms = await orderCalled(context, scope, ref)?.trackTerms(scope.orderPair);
        return [...(terms?.ours ?? []), ...(terms?.polled ?? [])].map((id) => id.toLowerCase());
      },
    },
    name,
  );
  const found = orderRef === null ? null : orderCalled(context, scope, orderRef);
  if (orderRef === null || found === null) return null;
  const tail = context.req.path.endsWith('/tracks') ? '/tracks' : '';
  context.header('Content-Location', `/v1/orders/${encodeURIComponent(orderRef)}${tail}`);
  return { orderRef, stub: found };
}

/** The mapping of the partner's feed. */
async function answerMappingOf(context: Context<HttpBindings>): Promise<AnswerMapping | null> {
  const { orderPair, environment, partner } = context.get('principal');
  if (orderPair === null) return null;
  return context.env.ORDER_FEED.getByName(feedName(environment, orderPair)).answerMapping({ environment, partner });
}

/** The channel of the key, which the orders' operations use. */
function channelOf(context: Context<HttpBindings>, ports: AppPorts): Channel | null {
  const { channel: name, environment } = context.get('principal');
  const channel = ports.settings(context.env).channels.get(name);
  return channel !== undefined && channel.environment === environment ? channel : null;
}

function tracksShown(context: Context, orderRef: string, view: TracksView, ageMs: number | null): Response {
  if (ageMs !== null) context.header('Age', String(Math.floor(ageMs / 1_000)));
  context.header('Cache-Control', 'private, no-cache');
  context.header('Vary', 'Authorization, Accept');
  context.header('Tracks-Source', view.source);
  if (formAccepted(acceptOf(context)) !== 'csv')
    return context.json(view satisfies Answered<'GET /v1/orders/{ref}/tracks'>);
  return context.body(tracksCsv(orderRef, view.tracks), 200, fileHeaders(CSV, 'tracks.csv'));
}

function noTracks(context: Context<HttpBindings>, { code, status, detail }: TracksTrouble): Response {
  const isDown = code === 'upstream_down';
  return problem(context, {
    status: isDown ? 503 : 502,
    code,
    title: 'No tracks to show',
    detail: `The receiving system ${status === null ? 'could not be asked' : `answered ${status}`}: ${detail}. No order feed is set that could stand in.`,
    fix: isDown ? 'Ask again.' : 'Tell the operator, who has its answers in the log of the channel.',
  });
}

const acceptOf = (context: Context): string | null => context.req.header('Accept') ?? null;
const refIn = (context: Context<HttpBindings>): string => context.req.param('ref') ?? '';

/**
 * The caller's own order: another partner's has another object name. @returns null where no order can have that name.
 */
export function orderCalled({ env }: Context<HttpBindings>, scope: PartnerScope, orderRef: string) {
  if (orderRef === '' || orderRef.length > STATUS_TEXT_CHARACTERS_MAX || !orderRef.isWellFormed()) return null;
  return reachable(() => env.ORDER.getByName(orderName(scope, orderRef)));
}

const unknownOrder = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'order_unknown',
    title: 'Unknown order',
    detail: 'There is no such order among yours in the environment of this key, or it is no longer kept.',
    fix: 'Check the reference; the rows of a batch name the orders they became.',
  });
