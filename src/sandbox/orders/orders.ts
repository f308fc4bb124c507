/**
 * Creating, updating and cancelling last mile orders (seed 2.8, 4.4), and the status of the most recent action.
 *
 * Pure. Nothing recognises a repeated create: the service documents no idempotency, so the same order sent twice is two
 * orders here. An order belongs to the (partnerId, clientId) its body names, else to the account's own pair.
 */
import { ORDER_ID_FORM, orderBody } from '../../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import {
  isDocument,
  isUpdatable,
  type OrderDocument,
  orderDifferences,
  pathText,
} from '../../upstream/contracts/order-difference.ts';
import { type Answer, json, refuse } from '../answers.ts';
import { objectWith, readBody, valueAt } from '../bodies.ts';
import { type Ask, answerOnly, type Decision, type StoredOrder } from '../decision.ts';
import { isClosed, orderEvents, stepOffsetsMs, writeDateTime } from './life.ts';

interface ReadOrder {
  document: Record<string, unknown>;
  orderRef: string;
  refs: string[];
}

type OrderBody = { ok: true; order: ReadOrder } | { ok: false; answer: Answer };
type FoundOrder = { ok: true; order: StoredOrder } | { ok: false; answer: Answer };

export function decideCreate(ask: Ask): Decision {
  const body = readOrder(ask);
  if (!body.ok) return answerOnly(body.answer);
  const { document, orderRef, refs } = body.order;
  const { account, nowMs, look } = ask;
  const id = ask.newId();
  const order: StoredOrder = {
    id,
    environment: account.environment,
    account: account.name,
    partnerId: textAt(document, NOT_SHOWN.orderPartnerIdPath) ?? account.partnerId,
    clientId: textAt(document, NOT_SHOWN.orderClientIdPath) ?? account.clientId,
    scac: ask.scac,
    orderRef,
    createdAtMs: nowMs,
    cancelledAtMs: null,
    stepOffsetsMs: stepOffsetsMs(look.settings.statusStepSeconds, look.timeScale),
    actions: [{ action: 'create', atMs: nowMs }],
  };
  const answer = json(200, { ...objectWith(NOT_SHOWN.orderIdPath, id), orderRef, code: 'received' });
  return { answer, effects: [{ kind: 'order_created', order, refs, document: JSON.stringify(document) }] };
}

/** seed 4.4: the complete order, its ID in path and body. What the body leaves out is gone, where it may be changed (seed 2.8). */
export function decideUpdate(ask: Ask): Decision {
  const found = findOrder(ask);
  if (!found.ok) return answerOnly(found.answer);
  const body = readOrder(ask);
  if (!body.ok) return answerOnly(body.answer);
  const { document, orderRef, refs } = body.order;
  const id = found.order.id;
  const idInBody = textAt(document, NOT_SHOWN.orderIdPath);
  if (idInBody?.toLowerCase() !== id) {
    const problem = idInBody === undefined ? 'missing' : `must be ${id}, as in the path`;
    const fields = [{ path: NOT_SHOWN.orderIdPath.join('.'), problem }];
    return answerOnly(refuse('order_id_disagrees', 'The order ID must stand in the path and in the body.', fields));
  }
  const closed = isClosed(found.order, ask.nowMs);
  if (closed !== null) return answerOnly(refuse('order_closed', `The order is ${closed} and cannot be updated.`));
  const fixed = orderDifferences(withoutId(ask.look.document(id)), withoutId(document)).filter(
    (difference) => !isUpdatable(difference),
  );
  if (fixed.length > 0) {
    const fields = fixed.map(({ path }) => ({ path: pathText(path), problem: 'cannot be changed by an update' }));
    return answerOnly(refuse('order_member_fixed', 'An update changes what can be updated, and nothing else.', fields));
  }
  const answer = json(200, { ...objectWith(NOT_SHOWN.orderIdPath, id), orderRef, code: 'updated' });
  return { answer, effects: [{ kind: 'order_updated', id, refs, document: JSON.stringify(document) }] };
}

/** An id that stands in the body is no content of the order (seed 4.4). */
function withoutId(document: unknown): OrderDocument {
  const [name] = NOT_SHOWN.orderIdPath;
  return isDocument(document) ? Object.fromEntries(Object.entries(document).filter(([own]) => own !== name)) : {};
}

/** Cancelling what is cancelled is answered like the first time and changes nothing. */
export function decideCancel(ask: Ask): Decision {
  const found = findOrder(ask);
  if (!found.ok) return answerOnly(found.answer);
  if (ask.received.bodyBytes > 0) return answerOnly(refuse('body_not_allowed', 'A cancel carries no body.'));
  const { order } = found;
  const closed = isClosed(order, ask.nowMs);
  if (closed === 'delivered') {
    return answerOnly(refuse('order_closed', 'The order is delivered and cannot be cancelled.'));
  }
  const answer = json(200, {
    ...objectWith(NOT_SHOWN.orderIdPath, order.id),
    orderRef: order.orderRef,
    code: 'cancelled',
  });
  return { answer, effects: closed === null ? [{ kind: 'order_cancelled', id: order.id }] : [] };
}

/** seed 4.4: "status of the most recent action on the order"; the names are ours (NOT_SHOWN.orderActionStatus). */
export function decideActionStatus(ask: Ask): Decision {
  const found = findOrder(ask);
  if (!found.ok) return answerOnly(found.answer);
  const { order } = found;
  const names = NOT_SHOWN.orderActionStatus;
  const last = order.actions.at(-1);
  return answerOnly(
    json(200, {
      [names.orderId]: order.id,
      [names.orderRef]: order.orderRef,
      [names.action]: last?.action ?? 'create',
      [names.code]: orderEvents(order, ask.nowMs).at(-1)?.code ?? 'received',
      [names.time]: writeDateTime(last?.atMs ?? order.createdAtMs),
    }),
  );
}

/** An order of another account or environment does not exist for this caller. */
function findOrder({ params, look, account }: Ask): FoundOrder {
  const id = params.id ?? '';
  if (!ORDER_ID_FORM.test(id)) {
    return { ok: false, answer: refuse('order_id_malformed', 'An order ID has the form of a UUID.') };
  }
  const order = look.order(id.toLowerCase());
  if (order === undefined || order.environment !== account.environment || order.account !== account.name) {
    return { ok: false, answer: refuse('order_unknown', `There is no order ${id}.`) };
  }
  return { ok: true, order };
}

function readOrder(ask: Ask): OrderBody {
  const body = readBody(ask.received, orderBody);
  if (!body.ok) return body;
  const document: Record<string, unknown> = body.value;
  const orderRef = textAt(document, NOT_SHOWN.orderRefPath);
  if (orderRef === undefined) {
    const fields = [{ path: NOT_SHOWN.orderRefPath.join('.'), problem: 'must be a text that is not empty' }];
    return { ok: false, answer: refuse('body_invalid', 'An order carries its client-facing number.', fields) };
  }
  return { ok: true, order: { document, orderRef, refs: [...new Set([orderRef, ...secondaryRefs(document)])] } };
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
