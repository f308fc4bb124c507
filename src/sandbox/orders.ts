/**
 * Creating, updating and cancelling last mile orders (seed 2.8, 4.4), and the status of the most recent action.
 *
 * Pure. A repeated create is not recognised: the service documents no idempotency, so the same order sent twice is two
 * orders here. An order belongs to the (partnerId, clientId) its body names, else to the account's own.
 */

import { ORDER_ID_FORM, orderBody } from '../upstream/contracts/bodies.ts';
import { valueAt, withValueAt } from '../upstream/contracts/json.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import {
  isDocument,
  isUpdatable,
  type OrderDocument,
  orderDifferences,
  pathText,
} from '../upstream/contracts/order-difference.ts';
import {
  answerOnly,
  type Checked,
  type Decision,
  type PollFeedKey,
  passed,
  refusal,
  refused,
  type StoredOrder,
  type StoreQuery,
} from './decision.ts';
import { type Answer, json, queryValue } from './http.ts';
import { readBody } from './request.ts';

/*
 * The progress of an order at a moment: its own steps and the actions on it, computed from elapsed time alone.
 *
 * Pure, and without alarms: nothing has to wake up for an order to move. The codes are ours (seed 3: states not shown).
 */

/** `milestone` is fit for an end consumer (seed 4.4, tracks); `detail` is not. */
type EventLevel = 'milestone' | 'detail';

interface OrderEvent {
  orderId: string;
  orderRef: string;
  code: string;
  level: EventLevel;
  atMs: number;
}

const HOUR_SECONDS = 3_600;

/** The steps of an order that nobody cancels, in seconds after its creation at scale 1. */
export const LIFE: readonly { code: string; level: EventLevel; afterSeconds: number }[] = [
  { code: 'received', level: 'milestone', afterSeconds: 0 },
  { code: 'scheduled', level: 'milestone', afterSeconds: 900 },
  { code: 'picked_up', level: 'milestone', afterSeconds: 4 * HOUR_SECONDS },
  { code: 'at_terminal', level: 'detail', afterSeconds: 10 * HOUR_SECONDS },
  { code: 'out_for_delivery', level: 'milestone', afterSeconds: 26 * HOUR_SECONDS },
  { code: 'delivered', level: 'milestone', afterSeconds: 30 * HOUR_SECONDS },
];

/**
 * @param stepSeconds Distance of every step from the one before; null for the hours of `LIFE`.
 * @returns real milliseconds after creation, in the order of `LIFE`. Stored with the order, so that later settings
 * change no order that is already on its way.
 */
export function stepOffsetsMs(stepSeconds: number | null, timeScale: number): number[] {
  return LIFE.map(({ afterSeconds }, index) => {
    const seconds = stepSeconds === null ? afterSeconds : index * stepSeconds;
    return Math.round((seconds * 1_000) / timeScale);
  });
}

/** Everything that has happened to the order until `nowMs`, oldest first. */
export function orderEvents(order: StoredOrder, nowMs: number): OrderEvent[] {
  const event = (code: string, level: EventLevel, atMs: number): OrderEvent => {
    return { orderId: order.id, orderRef: order.orderRef, code, level, atMs };
  };
  const stoppedAtMs = order.cancelledAtMs ?? Number.POSITIVE_INFINITY;
  const steps = LIFE.map(({ code, level }, index) =>
    event(code, level, order.createdAtMs + (order.stepOffsetsMs[index] ?? Number.POSITIVE_INFINITY)),
  ).filter(({ atMs }) => atMs < stoppedAtMs);
  const actions = order.actions.flatMap(({ action, atMs }) => {
    if (action === 'create') return []; // the step `received` says it
    return [action === 'update' ? event('updated', 'detail', atMs) : event('cancelled', 'milestone', atMs)];
  });
  return [...steps, ...actions].filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
}

const FINAL: ReadonlySet<string> = new Set(NOT_SHOWN.orderStatus.finalCodes);

/** Updates and cancels come too late for a cancelled or delivered order. */
function isClosed(order: StoredOrder, nowMs: number): 'cancelled' | 'delivered' | null {
  if (order.cancelledAtMs !== null) return 'cancelled';
  return orderEvents(order, nowMs).some(({ code }) => FINAL.has(code)) ? 'delivered' : null;
}

/** seed 2.3 form; the sandbox writes every time in UTC. The last four of the seven digits are always zero. */
export function writeDateTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '0000+00:00');
}

/** One record of the status endpoints; its names are ours (NOT_SHOWN.orderStatus). */
export function writeEvent(event: OrderEvent): Record<string, string> {
  const names = NOT_SHOWN.orderStatus;
  return {
    [names.orderId]: event.orderId,
    [names.orderRef]: event.orderRef,
    [names.code]: event.code,
    [names.level]: event.level,
    [names.time]: writeDateTime(event.atMs),
  };
}

interface ReadOrder {
  document: Record<string, unknown>;
  orderRef: string;
  refs: string[];
}

export function decideCreate(query: StoreQuery): Decision {
  const body = readOrder(query);
  if (!body.ok) return answerOnly(body.answer);
  const { document, orderRef, refs } = body.value;
  const { account, nowMs, look } = query;
  const id = query.newId();
  const order: StoredOrder = {
    id,
    environment: account.environment,
    account: account.name,
    partnerId: textAt(document, NOT_SHOWN.orderPartnerIdPath) ?? account.partnerId,
    clientId: textAt(document, NOT_SHOWN.orderClientIdPath) ?? account.clientId,
    scac: query.scac,
    orderRef,
    createdAtMs: nowMs,
    cancelledAtMs: null,
    stepOffsetsMs: stepOffsetsMs(look.settings.statusStepSeconds, look.timeScale),
    actions: [{ action: 'create', atMs: nowMs }],
  };
  const answer = json(200, { ...withValueAt({}, NOT_SHOWN.orderIdPath, id), orderRef, code: 'received' });
  return { answer, effects: [{ kind: 'order_created', order, refs, document: JSON.stringify(document) }] };
}

/**
 * seed 4.4: the complete order, its ID in path and body. What the body leaves out is removed, if it may be changed
 * (seed 2.8).
 */
export function decideUpdate(query: StoreQuery): Decision {
  const found = findOrder(query);
  if (!found.ok) return answerOnly(found.answer);
  const body = readOrder(query);
  if (!body.ok) return answerOnly(body.answer);
  const { document, orderRef, refs } = body.value;
  const id = found.value.id;
  const idInBody = textAt(document, NOT_SHOWN.orderIdPath);
  if (idInBody?.toLowerCase() !== id) {
    const problem = idInBody === undefined ? 'missing' : `must be ${id}, as in the path`;
    const fields = [{ path: NOT_SHOWN.orderIdPath.join('.'), problem }];
    return refusal('order_id_disagrees', 'The order ID must stand in the path and in the body.', fields);
  }
  const closed = isClosed(found.value, query.nowMs);
  if (closed !== null) return refusal('order_closed', `The order is ${closed} and cannot be updated.`);
  const fixed = orderDifferences(withoutId(query.look.document(id)), withoutId(document)).filter(
    (difference) => !isUpdatable(difference),
  );
  if (fixed.length > 0) {
    const fields = fixed.map(({ path }) => ({ path: pathText(path), problem: 'cannot be changed by an update' }));
    return refusal('order_member_fixed', 'An update changes what can be updated, and nothing else.', fields);
  }
  const answer = json(200, { ...withValueAt({}, NOT_SHOWN.orderIdPath, id), orderRef, code: 'updated' });
  return { answer, effects: [{ kind: 'order_updated', id, refs, document: JSON.stringify(document) }] };
}

/** An id in the body is not part of the order's content (seed 4.4). */
function withoutId(document: unknown): OrderDocument {
  const [name] = NOT_SHOWN.orderIdPath;
  return isDocument(document) ? Object.fromEntries(Object.entries(document).filter(([own]) => own !== name)) : {};
}

/** Cancelling a cancelled order is answered like the first time and changes nothing. */
export function decideCancel(query: StoreQuery): Decision {
  const found = findOrder(query);
  if (!found.ok) return answerOnly(found.answer);
  if (query.received.bodyBytes > 0) return refusal('body_not_allowed', 'A cancel carries no body.');
  const order = found.value;
  const closed = isClosed(order, query.nowMs);
  if (closed === 'delivered') {
    return refusal('order_closed', 'The order is delivered and cannot be cancelled.');
  }
  const answer = json(200, {
    ...withValueAt({}, NOT_SHOWN.orderIdPath, order.id),
    orderRef: order.orderRef,
    code: 'cancelled',
  });
  return { answer, effects: closed === null ? [{ kind: 'order_cancelled', id: order.id }] : [] };
}

/** seed 4.4: "status of the most recent action on the order"; the names are ours (NOT_SHOWN.orderActionStatus). */
export function decideActionStatus(query: StoreQuery): Decision {
  const found = findOrder(query);
  if (!found.ok) return answerOnly(found.answer);
  const order = found.value;
  const names = NOT_SHOWN.orderActionStatus;
  const last = order.actions.at(-1);
  return answerOnly(
    json(200, {
      [names.orderId]: order.id,
      [names.orderRef]: order.orderRef,
      [names.action]: last?.action ?? 'create',
      [names.code]: orderEvents(order, query.nowMs).at(-1)?.code ?? 'received',
      [names.time]: writeDateTime(last?.atMs ?? order.createdAtMs),
    }),
  );
}

/** An order of another account or environment does not exist for this caller. */
function findOrder({ params, look, account }: StoreQuery): Checked<StoredOrder> {
  const id = params.id ?? '';
  if (!ORDER_ID_FORM.test(id)) {
    return refused('order_id_malformed', 'An order ID has the form of a UUID.');
  }
  const order = look.order(id.toLowerCase());
  if (order === undefined || order.environment !== account.environment || order.account !== account.name) {
    return refused('order_unknown', `There is no order ${id}.`);
  }
  return passed(order);
}

function readOrder(query: StoreQuery): Checked<ReadOrder> {
  const body = readBody(query.received, orderBody);
  if (!body.ok) return body;
  const document: Record<string, unknown> = body.value;
  const orderRef = textAt(document, NOT_SHOWN.orderRefPath);
  if (orderRef === undefined) {
    const fields = [{ path: NOT_SHOWN.orderRefPath.join('.'), problem: 'must be a text that is not empty' }];
    return refused('body_invalid', 'An order carries its client-facing number.', fields);
  }
  return passed({ document, orderRef, refs: [...new Set([orderRef, ...secondaryRefs(document)])] });
}

/** seed 2.8: a secondary reference number also works as orderRef. */
function secondaryRefs(document: Record<string, unknown>): string[] {
  const references = valueAt(document, NOT_SHOWN.orderReferencesPath);
  if (!Array.isArray(references)) return [];
  return references
    .map((one) => valueAt(one, ['value']))
    .filter((value): value is string => typeof value === 'string' && value !== '');
}

function textAt(document: Record<string, unknown>, path: readonly string[]): string | undefined {
  const value = valueAt(document, path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/*
 * The three views of order status (seed 2.9, 4.4): changes since the last poll, history of one order, milestones of
 * one.
 *
 * Pure. The cursor of the batch view is stored on this side and moves with the poll, so an answer that is lost on the
 * way loses its changes. The window is (last poll, now]; instants never repeat, because the object's clock only rises.
 */

const KNOWN_PARAMETERS = ['partnerId', 'clientId', 'orderRef'];

export function decideHistory(query: StoreQuery): Decision {
  const partnerId = queryValue(query.received, 'partnerId');
  const clientId = queryValue(query.received, 'clientId');
  const orderRef = queryValue(query.received, 'orderRef');
  const isBatch = partnerId && clientId && orderRef === undefined;
  const isSingle = orderRef && partnerId === undefined && clientId === undefined;
  if (!(isBatch || isSingle) || hasUnknownParameter(query)) {
    return refusal('query_malformed', 'Ask for partnerId and clientId, or for orderRef alone.');
  }
  if (isSingle) return answerOnly(eventsAnswer(eventsOfRef(query, orderRef)));
  const { environment, name } = query.account;
  return pollBatch(query, { environment, account: name, partnerId: partnerId ?? '', clientId: clientId ?? '' });
}

/** seed 4.4: for display to an end consumer, so milestones only. */
export function decideTracks(query: StoreQuery): Decision {
  const orderRef = queryValue(query.received, 'orderRef');
  if (!orderRef || hasUnknownParameter(query) || query.received.query.length > 1) {
    return refusal('query_malformed', 'Ask for orderRef alone.');
  }
  return answerOnly(eventsAnswer(eventsOfRef(query, orderRef).filter(({ level }) => level === 'milestone')));
}

function pollBatch(query: StoreQuery, pair: PollFeedKey): Decision {
  const sinceMs = query.look.cursorMs(pair);
  const changes = query.look
    .ordersOfFeedKey(pair)
    .flatMap((order) => orderEvents(order, query.nowMs))
    .filter(({ atMs }) => atMs > sinceMs)
    .sort((a, b) => a.atMs - b.atMs);
  return { answer: json(200, listOf(changes)), effects: [{ kind: 'cursor_moved', pair, toMs: query.nowMs }] };
}

/** No match is an empty list, not a 404: a young order may simply not be indexed yet. */
const eventsAnswer = (events: OrderEvent[]): Answer =>
  json(events.length === 0 ? NOT_SHOWN.unknownOrderRefStatus : 200, listOf(events));

function eventsOfRef({ look, account, nowMs }: StoreQuery, orderRef: string): OrderEvent[] {
  const indexDelayMs = (look.settings.orderIndexDelaySeconds * 1_000) / look.timeScale;
  const isIndexed = (order: StoredOrder): boolean => order.createdAtMs + indexDelayMs <= nowMs;
  const owner = { environment: account.environment, account: account.name };
  return look
    .ordersByRef(owner, orderRef)
    .filter(isIndexed)
    .flatMap((order) => orderEvents(order, nowMs))
    .sort((a, b) => a.atMs - b.atMs);
}

function hasUnknownParameter({ received }: StoreQuery): boolean {
  return received.query.some(([name]) => !KNOWN_PARAMETERS.includes(name));
}

function listOf(events: OrderEvent[]): Record<string, unknown> {
  return { [NOT_SHOWN.orderStatus.listKey]: events.map(writeEvent) };
}
