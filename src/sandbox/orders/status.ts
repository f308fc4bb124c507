/**
 * The three views of order status (seed 2.9, 4.4): changes since the last poll, history of one order, milestones of one.
 *
 * Pure. The cursor of the batch view is kept on this side and moves with the poll, so an answer that is lost on the way
 * takes its changes with it. The window is (last poll, now]; instants never repeat, because the object's clock only rises.
 */
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import { type Answer, json, refuse } from '../answers.ts';
import { type Ask, answerOnly, type Decision, type PollPair, type StoredOrder } from '../decision.ts';
import { queryValue } from '../received.ts';
import { type OrderEvent, orderEvents, writeEvent } from './life.ts';

const KNOWN_PARAMETERS = ['partnerId', 'clientId', 'orderRef'];

export function decideHistory(ask: Ask): Decision {
  const partnerId = queryValue(ask.received, 'partnerId');
  const clientId = queryValue(ask.received, 'clientId');
  const orderRef = queryValue(ask.received, 'orderRef');
  const isBatch = partnerId && clientId && orderRef === undefined;
  const isSingle = orderRef && partnerId === undefined && clientId === undefined;
  if (!(isBatch || isSingle) || hasUnknownParameter(ask)) {
    return answerOnly(refuse('query_malformed', 'Ask for partnerId and clientId, or for orderRef alone.'));
  }
  if (isSingle) return answerOnly(eventsAnswer(eventsOfRef(ask, orderRef)));
  const { environment, name } = ask.account;
  return pollBatch(ask, { environment, account: name, partnerId: partnerId ?? '', clientId: clientId ?? '' });
}

/** seed 4.4: for display to an end consumer, so milestones only. */
export function decideTracks(ask: Ask): Decision {
  const orderRef = queryValue(ask.received, 'orderRef');
  if (!orderRef || hasUnknownParameter(ask) || ask.received.query.length > 1) {
    return answerOnly(refuse('query_malformed', 'Ask for orderRef alone.'));
  }
  return answerOnly(eventsAnswer(eventsOfRef(ask, orderRef).filter(({ level }) => level === 'milestone')));
}

function pollBatch(ask: Ask, pair: PollPair): Decision {
  const sinceMs = ask.look.cursorMs(pair);
  const changes = ask.look
    .ordersOfPair(pair)
    .flatMap((order) => orderEvents(order, ask.nowMs))
    .filter(({ atMs }) => atMs > sinceMs)
    .sort((a, b) => a.atMs - b.atMs);
  return { answer: json(200, listOf(changes)), effects: [{ kind: 'cursor_moved', pair, toMs: ask.nowMs }] };
}

/** Nothing found is an empty list, not a 404: a young order may simply not be indexed yet. */
const eventsAnswer = (events: OrderEvent[]): Answer =>
  json(events.length === 0 ? NOT_SHOWN.unknownOrderRefStatus : 200, listOf(events));

function eventsOfRef({ look, account, nowMs }: Ask, orderRef: string): OrderEvent[] {
  const indexDelayMs = (look.settings.orderIndexDelaySeconds * 1_000) / look.timeScale;
  const isIndexed = (order: StoredOrder): boolean => order.createdAtMs + indexDelayMs <= nowMs;
  const owner = { environment: account.environment, account: account.name };
  return look
    .ordersByRef(owner, orderRef)
    .filter(isIndexed)
    .flatMap((order) => orderEvents(order, nowMs))
    .sort((a, b) => a.atMs - b.atMs);
}

function hasUnknownParameter({ received }: Ask): boolean {
  return received.query.some(([name]) => !KNOWN_PARAMETERS.includes(name));
}

function listOf(events: OrderEvent[]): Record<string, unknown> {
  return { [NOT_SHOWN.orderStatus.listKey]: events.map(writeEvent) };
}
