/**
 * What must hold of orders that were made, changed, cancelled and followed, checked from outside: the receiving system's book
 * against what the partner is shown, its statuses against the partner's log. Pure: lists in, sentences out.
 */

import { type OrderEvent, orderEvents } from '../../src/sandbox/orders.ts';
import { NOT_SHOWN } from '../../src/upstream/contracts/not-shown.ts';
import { isDocument, isEqual, type OrderDocument } from '../../src/upstream/contracts/order-difference.ts';
import type { LoggedEvent, ShownOrder } from './followed-orders.ts';
import type { OrderEnd } from './order-ends.ts';
import { documentOf, type OrderLife } from './order-lives.ts';
import type { SandboxOrder } from './sandbox-orders.ts';

/** Everything that has happened to the orders of the book until then. @param offsetsMs of the steps of a life. */
export const eventsOf = (book: readonly SandboxOrder[], offsetsMs: readonly number[], untilMs: number): OrderEvent[] =>
  book.flatMap((order) => orderEvents({ ...order, stepOffsetsMs: [...offsetsMs] }, untilMs));

const nameOf = (orderRef: string, orderId: string | null, code: string, atMs: number): string =>
  `${orderRef} ${code} at ${new Date(atMs).toISOString()} (${orderId})`;

/** Every status exactly once, and no other: whatever was lost, killed or asked for again. */
export function statusesOnce(log: readonly LoggedEvent[], events: readonly OrderEvent[]): string[] {
  const times = new Map<string, number>();
  for (const { orderRef, orderId, code, at } of log) {
    const name = nameOf(orderRef, orderId, code, Date.parse(at));
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  const happened = Map.groupBy(events, ({ orderRef, orderId, code, atMs }) => nameOf(orderRef, orderId, code, atMs));
  const found = [...happened].flatMap(([name, { length }]) => {
    const arrived = times.get(name) ?? 0;
    times.delete(name);
    if (length > 1) return [`the status ${name} happened ${length} times upstream: two of one instant are no two`];
    return arrived === 1 ? [] : [`the status ${name} stands ${arrived} times in the log`];
  });
  return [...found, ...[...times.keys()].map((name) => `the log has the status ${name}, which never was`)];
}

/** Numbers of a log that was read behind its cursors: none is missing, none comes twice. */
export const numbersWhole = (log: readonly LoggedEvent[]): string[] =>
  log.flatMap(({ seq }, index) => {
    const before = log[index - 1]?.seq ?? 0;
    return seq === before + 1 ? [] : [`entry ${seq} of the log stands behind ${before}`];
  });

/** Each order shows the statuses that the log has of it; what it has heard since the log was read is left out. */
export function statusesShown(shown: readonly ShownOrder[], log: readonly LoggedEvent[]): string[] {
  const logged = Map.groupBy(log, ({ orderRef }) => orderRef);
  const lastSeq = log.at(-1)?.seq ?? 0;
  return shown.flatMap(({ orderRef, statuses }) => {
    const wanted = (logged.get(orderRef) ?? []).map(({ seq }) => seq);
    const seqs = statuses.map(({ seq }) => seq).filter((seq) => seq <= lastSeq);
    const is = seqs.sort((one, other) => one - other);
    return isEqual(is, wanted)
      ? []
      : [`${orderRef} shows the statuses ${is.join(' ')}, its log has ${wanted.join(' ')}`];
  });
}

/** What stands upstream, without the id that an update carries. */
export function contentOf(document: unknown): OrderDocument {
  const [idName] = NOT_SHOWN.orderIdPath;
  return isDocument(document) ? Object.fromEntries(Object.entries(document).filter(([name]) => name !== idName)) : {};
}

/** An order as the bridge has it: its page, and every document that it knows to be accepted. */
type KnownOrder = Pick<OrderEnd, 'shown' | 'versions'>;

/** The bridge has exactly what the receiving system has: the same order, the same document, ended where that is cancelled. */
export function sameOrder({ shown, versions }: KnownOrder, standing: SandboxOrder): string[] {
  const { orderRef, orderId, document } = shown;
  const found: string[] = [];
  const last = versions.at(-1);
  const upstream = JSON.stringify(standing.document);
  const isCancelled = standing.cancelledAtMs !== null;
  if (last?.orderId.toLowerCase() !== standing.id) {
    found.push(`${orderRef} is ${last?.orderId ?? 'nothing'} here and ${standing.id} upstream`);
  }
  if (!isEqual(contentOf(JSON.parse(last?.document ?? 'null')), contentOf(standing.document))) {
    found.push(`${orderRef} was accepted as ${last?.document}, upstream it is ${upstream}`);
  }
  if (isCancelled !== (document === null) || isCancelled !== (orderId === null)) {
    found.push(`${orderRef} is ${isCancelled ? '' : 'not '}cancelled upstream, and shows ${JSON.stringify(document)}`);
  } else if (!isCancelled && !isEqual(contentOf(document), contentOf(standing.document))) {
    found.push(`${orderRef} shows ${JSON.stringify(document)}, upstream it is ${upstream}`);
  }
  return found;
}

/**
 * It stands upstream once, as the bridge has it and as it was asked for.
 * @param pair whose it is. @param mayRepeat an update whose answer a kill met is sent again.
 */
export function lifeViolations(
  life: OrderLife,
  end: OrderEnd | undefined,
  { pair, mayRepeat }: { pair: OrderDocument; mayRepeat: boolean },
): string[] {
  const { orderRef, changedBy, cancelledBy } = life;
  const [order, ...others] = end?.standing ?? [];
  if (!end || !order || others.length > 0) return [`${orderRef} stands ${end?.standing.length ?? 0} times upstream`];
  const found = sameOrder(end, order);
  const wanted = { ...documentOf(life), ...pair };
  if (!isEqual(contentOf(order.document), wanted)) {
    found.push(`${orderRef} is ${JSON.stringify(order.document)}, asked for was ${JSON.stringify(wanted)}`);
  }
  const writes = 1 + changedBy.length;
  if (order.version < writes || (order.version > writes && !mayRepeat)) {
    found.push(`${orderRef} was written ${order.version} times upstream, not ${writes}`);
  }
  if ((cancelledBy === null) !== (order.cancelledAtMs === null)) {
    found.push(`${orderRef} ${cancelledBy === null ? 'is cancelled' : 'is not cancelled'}, which nobody asked for`);
  }
  return found;
}

export function noOneElsesOrders(lives: readonly OrderLife[], book: readonly SandboxOrder[]): string[] {
  const known = new Set(lives.map(({ orderRef }) => orderRef));
  return book.flatMap(({ orderRef }) => (known.has(orderRef) ? [] : [`nobody asked for the order ${orderRef}`]));
}
