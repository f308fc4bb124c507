/**
 * The orders of a partner, as its feed knows them: by number, page by page, or those heard of last; without a feed,
 * those that its uploads were to create, newest upload first.
 */
import type { Context } from 'hono';
import { ORDER_EVENTS_PAGE_DEFAULT, ORDER_EVENTS_PAGE_MAX, RECENT_ORDERS_MAX } from '../../feed/limits.ts';
import { feedName, type OrderFeedKey } from '../../kernel/names.ts';
import type { Answered } from '../contract/contract.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { pageSize, unreadable } from '../edge/query.ts';
import { type Reader, withParameters } from '../edge/reader.ts';
import { refusedUpload } from '../partner/upload.ts';
import { madeOrders, madeOrdersPorts, readMadeCheckpoint, writeMadeCheckpoint } from './made-orders.ts';
import { type ListedOrderView, listedOrderView, madeOrderView } from './order.ts';

export const ORDER_LIST_PARAMETERS = ['cursor', 'limit', 'sort'] as const;

/** @property pair null: no feed follows the orders. */
interface Whose {
  reader: Reader;
  pair: OrderFeedKey | null;
}

export async function listOrders(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { reader, pair }: Whose,
): Promise<Response> {
  const { cursor, sort = 'number', limit: size } = context.req.query();
  if (sort !== 'number' && sort !== 'recent') return problem(context, unreadable('sort', sort, 'number or recent'));
  const limit = pageSize(size, ORDER_EVENTS_PAGE_DEFAULT, ORDER_EVENTS_PAGE_MAX);
  const feed = pair === null ? null : context.env.ORDER_FEED.getByName(feedName(reader.environment, pair));
  if (feed !== null && sort === 'recent') {
    const recent = await feed.recentOrders(reader, Math.min(limit, RECENT_ORDERS_MAX));
    return answered(
      context,
      true,
      recent.map((order) => listedOrderView(reader, order)),
      null,
    );
  }
  const page = await feed?.ordersAfter(reader, cursor ?? '', limit + 1);
  if (!page) return listMadeOrders(context, ports, reader, limit);
  const orders = page.slice(0, limit).map((order) => listedOrderView(reader, order));
  const last = orders.at(-1);
  return answered(
    context,
    true,
    orders,
    page.length > limit && last !== undefined ? { cursor: last.orderRef, limit } : null,
  );
}

async function listMadeOrders(
  context: Context<HttpBindings>,
  ports: AppPorts,
  reader: Reader,
  limit: number,
): Promise<Response> {
  const cursor = context.req.query('cursor');
  const mark = cursor === undefined ? null : readMadeCheckpoint(cursor);
  if (mark === undefined) return problem(context, CURSOR_UNREADABLE);
  const from = await madeOrdersPorts(context, ports, reader);
  if (!from.ok) return refusedUpload(context, from.error);
  const page = await madeOrders(from.value, mark, limit);
  const next = page.next === null ? null : { cursor: writeMadeCheckpoint(page.next), limit };
  return answered(
    context,
    false,
    page.orders.map((order) => madeOrderView(reader, order)),
    next,
  );
}

/** @param isFollowed a feed learns what becomes of them. */
function answered(
  context: Context<HttpBindings>,
  isFollowed: boolean,
  orders: readonly ListedOrderView[],
  more: { cursor: string; limit: number } | null,
): Response {
  const { cursor: _, limit: __, ...kept } = context.req.query();
  const next =
    more === null
      ? null
      : withParameters(context.req.path, { ...kept, cursor: more.cursor, limit: String(more.limit) });
  if (next !== null) context.header('Link', `<${next}>; rel="next"`);
  return context.json({ followed: isFollowed, orders, next } satisfies Answered<'GET /v1/orders'>);
}

const CURSOR_UNREADABLE: ProblemMessages = {
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: 'The parameter cursor is none of this list.',
  fix: 'Use the "next" of an earlier answer, or leave it out to begin with the newest upload.',
};
