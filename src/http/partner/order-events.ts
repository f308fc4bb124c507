/** `/v1/order-events`: the caller's log of its orders' statuses, in the order in which they were learned. */

import { type Context, Hono } from 'hono';
import { csvLine } from '../../batch/report/report-csv.ts';
import type { EventRow } from '../../feed/feed-tables.ts';
import { ORDER_EVENTS_PAGE_DEFAULT, ORDER_EVENTS_PAGE_MAX } from '../../feed/limits.ts';
import { eventView } from '../../feed/order-events.ts';
import { eventSets, setsAsX12 } from '../../feed/x12-214.ts';
import type { Principal } from '../../intake/ports.ts';
import { iso } from '../../kernel/clock.ts';
import { feedName, type OrderFeedKey, registerName } from '../../kernel/names.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { StatusPlace } from '../../upstream/statuses/read-answer.ts';
import type { Answered } from '../contract/contract.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { acceptedTypes, onlyKnown, pageSize, readFlag } from '../edge/query.ts';
import { CSV, fileHeaders } from '../views/downloads.ts';
import { mappingsMake } from './key-limits.ts';

/* A page of the log of order events as an X12 interchange, with a control number of its content. */

interface WrittenPage {
  events: readonly EventRow[];
  pair: OrderFeedKey;
  scac: string;
  /** The cursor after it. */
  next: string;
}

/**
 * The control number depends on the content: codes, SCAC and parties can change what is written for a page, and other
 * content under a known number would be dropped as a repeat. A page without transaction sets uses no number.
 */
async function eventsAsX12(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { events, pair, scac, next }: WrittenPage,
): Promise<Response> {
  const principal = context.get('principal');
  if (events.length === 0) return nothingWritten(context, 0);
  const mapping = await ports.answerMappings(context.env).read(principal.environment);
  if (!mapping.ok) return unavailable(context);
  const sets = eventSets(events, { scac, codes: mapping.value.value.x12 });
  const { length: written } = sets.sets;
  const { length: leftOut } = sets.leftOut;
  if (written === 0) return nothingWritten(context, leftOut);
  const envelope = { environment: principal.environment, parties: partiesOf(principal) };
  const content = setsAsX12(sets, { ...envelope, control: 0 });
  const digest = sha256Hex(content);
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  const control = await register.ownControl(`order-events ${JSON.stringify(pair)} ${digest}`, 1);
  return context.body(setsAsX12(sets, { ...envelope, control }), 200, {
    ...fileHeaders('application/EDI-X12', `order-events-${next}.edi`),
    ...countsOf(written, leftOut),
  });
}

/** The cursor is in the headers here, too, so that the reader continues after what was left out. */
const nothingWritten = (context: Context<HttpBindings>, leftOut: number): Response =>
  context.body(null, 204, countsOf(0, leftOut));

const countsOf = (written: number, leftOut: number) => ({
  'X-Events-Written': String(written),
  'X-Events-Left-Out': String(leftOut),
});

/** As agreed for the partner's own interchanges, with sender and receiver swapped. */
const partiesOf = ({ envelopes, partner }: Principal) => ({
  sender: envelopes.receivers?.[0] ?? 'ZZ:TRANSLOAD',
  receiver: envelopes.senders?.[0] ?? `ZZ:${partner.toUpperCase()}`,
});

function unavailable(context: Context<HttpBindings>): Response {
  return problem(context, {
    status: 503,
    code: 'directory_unavailable',
    title: 'Codes unavailable',
    detail: 'Which X12 code stands for which event cannot be read at the moment.',
    fix: 'Send the request again.',
  });
}

type EventsForm = 'json' | 'csv' | 'edi';

const FORMS: Readonly<Record<string, EventsForm>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'text/csv': 'csv',
  'text/*': 'csv',
  'application/edi-x12': 'edi',
  'application/edi-consent': 'edi', // RFC 1767 has it for EDI of any kind
};

export function orderEventRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory), mappingsMake('orders', ports));
  routes.get('/', (context) => {
    const types = acceptedTypes(context.req.header('Accept') ?? null);
    const form = types.map((type) => FORMS[type]).find((known) => known !== undefined) ?? 'json';
    return orderEvents(context, ports, form);
  });
  return routes;
}

/** The same under an address that names the form, for systems that cannot send a header. */
export function orderEventFiles(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const asPartner = [signIn(ports.directory), mappingsMake('orders', ports)] as const;
  routes.get('/order-events.csv', ...asPartner, (context) => orderEvents(context, ports, 'csv'));
  routes.get('/order-events.edi', ...asPartner, (context) => orderEvents(context, ports, 'edi'));
  return routes;
}

async function orderEvents(context: Context<HttpBindings>, ports: AppPorts, form: EventsForm): Promise<Response> {
  const principal = context.get('principal');
  // A misspelt cursor would read the log from its beginning.
  const known = onlyKnown(context.req.query(), ['after', 'limit', ...(form === 'edi' ? [] : ['newest', 'before'])]);
  if (!known.ok) return problem(context, known.error);
  const isNewest = readFlag(context.req.query(), 'newest');
  if (!isNewest.ok) return problem(context, isNewest.error);
  if (isNewest.value) return newestEvents(context, form);
  const after = cursorIn(context.req.query('after'));
  if (after === undefined) return cursorUnreadable(context);
  const { orderPair: pair } = principal;
  if (pair === null) return notFollowed(context);
  const limit = pageSize(context.req.query('limit'), ORDER_EVENTS_PAGE_DEFAULT, ORDER_EVENTS_PAGE_MAX);
  const feed = context.env.ORDER_FEED.getByName(feedName(principal.environment, pair));
  const page = await feed.eventsAfter(principal, after, limit);
  if (page.outcome === 'no_feed') return notFollowed(context);
  if (page.outcome === 'expired') return cursorExpired(context, page.oldest);
  if (page.outcome === 'ahead') return cursorAhead(context, page.last);
  const { events, hasMore } = page;
  const next = String(page.next);
  const link = `${context.req.path}?${new URLSearchParams({ after: next, limit: String(limit) })}`;
  context.header('Link', `<${link}>; rel="next"`); // in the same form
  context.header('X-Next-Cursor', next);
  context.header('X-More-Events', String(hasMore));
  switch (form) {
    case 'json':
      return context.json({
        events: events.map(eventView),
        next,
        more: hasMore,
      } satisfies Answered<'GET /v1/order-events'>);
    case 'csv':
      return context.body(csvOf(events), 200, fileHeaders(CSV, `order-events-${next}.csv`));
    case 'edi':
      return eventsAsX12(context, ports, { events, pair, scac: page.scac, next });
  }
}

/** For people: the newest first, and back from there. */
async function newestEvents(context: Context<HttpBindings>, form: EventsForm): Promise<Response> {
  const { environment, partner, orderPair: pair } = context.get('principal');
  const before = cursorIn(context.req.query('before'));
  if (before === undefined) return cursorUnreadable(context);
  if (pair === null) return notFollowed(context);
  const limit = pageSize(context.req.query('limit'), ORDER_EVENTS_PAGE_DEFAULT, ORDER_EVENTS_PAGE_MAX);
  const feed = context.env.ORDER_FEED.getByName(feedName(environment, pair));
  const found = await feed.newestEvents({ environment, partner }, before, limit + 1);
  if (found === null) return notFollowed(context);
  const events = found.slice(0, limit);
  const next = String(events.at(-1)?.seq ?? before ?? 0);
  context.header('X-Next-Cursor', next);
  context.header('X-More-Events', String(found.length > limit));
  if (form === 'csv') return context.body(csvOf(events), 200, fileHeaders(CSV, `order-events-before-${next}.csv`));
  return context.json({
    events: events.map(eventView),
    next,
    more: found.length > limit,
  } satisfies Answered<'GET /v1/order-events'>);
}

/** @returns null for the beginning; undefined for what is no cursor. */
function cursorIn(text: string | undefined): number | null | undefined {
  if (text === undefined || text === '') return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const COLUMNS = [
  'seq',
  'orderRef',
  'orderId',
  'code',
  'at',
  'level',
  'city',
  'state',
  'postalCode',
  'country',
  'learnedAt',
  'corrects',
];

const csvOf = (events: readonly EventRow[]): string => [csvLine(COLUMNS), ...events.map(csvEvent)].join('');

function csvEvent({ seq, order_ref, order_id, code, at_ms, level, place, learned_at_ms, corrects }: EventRow): string {
  const { city = '', state = '', postalCode = '', country = '' } = JSON.parse(place) as StatusPlace;
  const cells = [String(seq), order_ref, order_id ?? '', code, iso(at_ms), level];
  const correction = corrects === null ? '' : String(corrects);
  return csvLine([...cells, city, state, postalCode, country, iso(learned_at_ms), correction]);
}

export const notFollowed = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'no_feed',
    title: 'No order feed',
    detail: 'No feed follows your orders in the environment of this key.',
    fix: 'Ask the operator to set one.',
  });

const cursorUnreadable = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 400,
    code: 'parameter_invalid',
    title: 'Parameter not readable',
    detail: 'The parameter after is no cursor of this log.',
    fix: 'Use the "next" of an earlier answer, or leave it out to begin with the oldest event.',
  });

/** A cursor of the other environment's log, or made up: reading from there would silently skip the next events. */
const cursorAhead = (context: Context<HttpBindings>, last: number): Response =>
  problem(
    context,
    {
      status: 400,
      code: 'cursor_unknown',
      title: 'No cursor of this log',
      detail: `This log has not come so far: its newest event has the number ${last}. Each environment has a log of its own.`,
      fix: 'Use the "next" of an earlier answer to this key, or leave after out to begin with the oldest event.',
    },
    { last },
  );

const cursorExpired = (context: Context<HttpBindings>, oldest: number): Response =>
  problem(
    context,
    {
      status: 410,
      code: 'cursor_expired',
      title: 'Events are kept no longer',
      detail:
        'Events between this cursor and the oldest that is kept were deleted: they are kept for 90 days after the last one of their order.',
      fix: `Go on with after=${oldest}; GET /v1/orders/{orderRef} shows how an order stands.`,
    },
    { oldest: String(oldest) },
  );
