/** `/v1/loads`, `/v1/orders`, `/v1/order-events`: what became of each load and order. */
import { ORDER_EVENTS_PAGE_DEFAULT, ORDER_EVENTS_PAGE_MAX, RECENT_ORDERS_MAX } from '../../feed/limits.ts';
import { LOAD_PAGE_DEFAULT, LOAD_PAGE_MAX, ORDER_PAGE_DEFAULT, ORDER_PAGE_MAX } from '../../kernel/limits.ts';
import { choice, flag, pageOf, text } from './parameters.ts';
import { CSV_TYPE, file, json, jsonOr, nothing, type Routes } from './route.ts';
import { FeedOfOrder, Load, Order, OrderEvents, OrderList, Tracks } from './tracking-shapes.ts';

export const LOAD_QUERY = {
  scac: text('The carrier; needed where the number stands under several.'),
  order: choice(['event', 'sent'], 'By the time of the event, or by when it was sent.'),
  limit: pageOf(LOAD_PAGE_MAX, LOAD_PAGE_DEFAULT),
  cursor: text('As `next` says.'),
} as const;

export const ORDER_QUERY = {
  limit: pageOf(ORDER_PAGE_MAX, ORDER_PAGE_DEFAULT),
  cursor: text('As `next` says.'),
} as const;

export const ORDER_LIST_QUERY = {
  sort: choice(
    ['number', 'recent'],
    `\`recent\` lists the ${RECENT_ORDERS_MAX} heard of last, on one page, where a feed follows the orders.`,
  ),
  limit: pageOf(ORDER_EVENTS_PAGE_MAX, ORDER_EVENTS_PAGE_DEFAULT),
  cursor: text('As `next` says.'),
} as const;

const ORDER_EVENTS_QUERY = {
  after: text('The `next` of an earlier answer; left out: from the oldest event.'),
  limit: pageOf(ORDER_EVENTS_PAGE_MAX, ORDER_EVENTS_PAGE_DEFAULT),
} as const;

/** For people. */
const BACKWARDS = {
  newest: flag('The newest first; `next` is then the `before` of the next call.'),
  before: text('With `newest`: events before this one.'),
} as const;

const NEXT_EVENTS = {
  'X-Next-Cursor': 'The `after` of the next call.',
  'X-More-Events': 'Whether there are more already.',
};

const LEFT_OUT = {
  'X-Events-Written': 'How many events became interchanges.',
  'X-Events-Left-Out': 'How many say nothing that X12 could say.',
} as const;

export const TRACKS_HEADERS = {
  Age: 'How old the answer is, in seconds.',
  'Tracks-Source': 'Who says it: the receiving system, or what was polled of it.',
} as const;

/** An order is found by the id of the receiving system, too. */
const UNDER_REF = {
  'Content-Location': 'Its address under its reference, if it was asked for by another id.',
} as const;

const orderEvents = (does: string) =>
  ({ who: 'partner', does, query: ORDER_EVENTS_QUERY, refuses: [400, 403, 404, 410], isPolled: true }) as const;

export const TRACKING_ROUTES = {
  'GET /v1/loads/{loadNumber}': {
    who: 'partner',
    does: 'every event you sent for a load, with its attempts; as CSV with `.csv` after the number',
    query: LOAD_QUERY,
    answers: { 200: jsonOr('The load.', Load, [CSV_TYPE]) },
    refuses: [400, 403, 404, 409],
    isPolled: true,
    page: '/console/loads/{loadNumber}',
  },
  'GET /v1/orders': {
    who: 'partner',
    does: 'your orders, page by page',
    query: ORDER_LIST_QUERY,
    answers: { 200: json('A page of orders.', OrderList) },
    refuses: [400, 403],
  },
  'GET /v1/orders/{ref}': {
    who: 'partner',
    does: 'one order: document, operations, versions, statuses; statuses as CSV with `.csv` after the reference',
    query: ORDER_QUERY,
    answers: { 200: { ...jsonOr('The order.', Order, [CSV_TYPE]), headers: UNDER_REF } },
    refuses: [400, 403, 404],
    isPolled: true,
    page: '/console/orders/{ref}',
  },
  'GET /v1/orders/{ref}/tracks': {
    who: 'partner',
    does: 'what an end consumer may see of an order',
    answers: {
      200: { ...jsonOr('Its milestones.', Tracks, [CSV_TYPE]), headers: { ...TRACKS_HEADERS, ...UNDER_REF } },
    },
    refuses: [403, 404, 502],
  },
  'GET /v1/orders/{ref}/feed': {
    who: 'partner',
    does: 'how far its statuses are known: last poll, gaps, repair',
    answers: { 200: json('What the feed knows.', FeedOfOrder) },
    refuses: [403, 404],
  },
  'GET /v1/order-events': {
    ...orderEvents('what happened to your orders, in the order in which it was learned'),
    query: { ...ORDER_EVENTS_QUERY, ...BACKWARDS },
    answers: {
      200: {
        ...jsonOr('The next events.', OrderEvents, [CSV_TYPE, 'application/EDI-X12']),
        headers: { ...NEXT_EVENTS, ...LEFT_OUT },
      },
      204: { ...nothing('Nothing that X12 could say has happened.'), headers: { ...NEXT_EVENTS, ...LEFT_OUT } },
    },
  },
  'GET /v1/order-events.csv': {
    ...orderEvents('the same as CSV'),
    query: { ...ORDER_EVENTS_QUERY, ...BACKWARDS },
    answers: { 200: { ...file('The next events.', CSV_TYPE), headers: NEXT_EVENTS } },
  },
  'GET /v1/order-events.edi': {
    ...orderEvents('the same as X12 214s'),
    answers: {
      200: { ...file('The next events.', 'application/EDI-X12'), headers: { ...NEXT_EVENTS, ...LEFT_OUT } },
      204: { ...nothing('Nothing that X12 could say has happened.'), headers: { ...NEXT_EVENTS, ...LEFT_OUT } },
    },
  },
} as const satisfies Routes;
