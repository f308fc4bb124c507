/** What must hold of orders that were made, changed and cancelled: the upstream has each as it was accepted here and asked for. Pure. */
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import { NOT_SHOWN } from '../../src/upstream/contracts/not-shown.ts';
import { isDocument, isEqual, type OrderDocument } from '../../src/upstream/contracts/order-difference.ts';
import type { JournalEntry } from '../local/stack.ts';
import { breaks, type StoredOrder, type StoredPlan, type StoredVersion, type Violation } from './evidence.ts';
import { everyRowDelivered, everyRowThere } from './rows.ts';
import { noOrphans, overtaken, sameBytes } from './sendings.ts';

const [I10, I19, I20, I25] = [breaks('I10'), breaks('I19'), breaks('I20'), breaks('I25')];

/** @param accepted the document that was accepted last, as far as it is known. */
export const sameDocument = (name: string, accepted: unknown, upstream: unknown): Violation[] =>
  isEqual(accepted, upstream)
    ? []
    : [I25(`${name} was accepted as ${JSON.stringify(accepted)}, upstream it is ${JSON.stringify(upstream)}`)];

export const sameEnd = (name: string, isEndedHere: boolean, isCancelledUpstream: boolean): Violation[] =>
  isEndedHere === isCancelledUpstream ? [] : [I25(`${name} is cancelled ${isEndedHere ? 'here' : 'upstream'} alone`)];

/** What stands upstream, without the id that an update carries. */
function contentOf(document: unknown): OrderDocument {
  const [idName] = NOT_SHOWN.orderIdPath;
  return isDocument(document) ? Object.fromEntries(Object.entries(document).filter(([name]) => name !== idName)) : {};
}

/** What there is of one order. */
export interface OrderEnd {
  /** As the partner is shown it. */
  shown: { orderRef: string; orderId: string | null; document: unknown };
  versions: readonly StoredVersion[];
  /** Upstream under its reference. @property version 1 for the create, one more for each update. */
  standing: readonly { id: string; cancelledAtMs: number | null; document: unknown; version: number }[];
}

/** What an order was asked to become. @property document as it must be in the end. */
export interface WantedOrder {
  orderRef: string;
  document: OrderDocument;
  updates: number;
  isCancelled: boolean;
}

/**
 * It stands upstream once, as the bridge has it and as it was asked for: the same order, the same document, ended where that is
 * cancelled.
 * @param mayRepeat an update whose answer a kill met is sent again.
 */
export function orderIsAsWanted(wanted: WantedOrder, end: OrderEnd | undefined, mayRepeat: boolean): Violation[] {
  const { orderRef } = wanted;
  const [order, ...others] = end?.standing ?? [];
  if (!end || !order || others.length > 0)
    return [I25(`${orderRef} stands ${end?.standing.length ?? 0} times upstream`)];
  const { shown, versions } = end;
  const last = versions.at(-1);
  const upstream = contentOf(order.document);
  const isCancelled = order.cancelledAtMs !== null;
  const writes = 1 + wanted.updates;
  const found = sameDocument(orderRef, contentOf(JSON.parse(last?.document ?? 'null')), upstream);
  if (last?.orderId.toLowerCase() !== order.id) {
    found.push(I25(`${orderRef} is ${last?.orderId ?? 'nothing'} here and ${order.id} upstream`));
  }
  if (isCancelled !== (shown.document === null) || isCancelled !== (shown.orderId === null)) {
    const is = isCancelled ? 'is cancelled' : 'is not cancelled';
    found.push(I25(`${orderRef} ${is} upstream, and shows ${JSON.stringify(shown.document)}`));
  } else if (!isCancelled && !isEqual(contentOf(shown.document), upstream)) {
    found.push(I25(`${orderRef} shows ${JSON.stringify(shown.document)}, upstream it is ${JSON.stringify(upstream)}`));
  }
  if (!isEqual(upstream, wanted.document)) {
    found.push(
      I20(`${orderRef} is ${JSON.stringify(order.document)}, asked for was ${JSON.stringify(wanted.document)}`),
    );
  }
  if (order.version < writes || (order.version > writes && !mayRepeat)) {
    found.push(I25(`${orderRef} was written ${order.version} times upstream, not ${writes}`));
  }
  if (wanted.isCancelled !== isCancelled) {
    found.push(I25(`${orderRef} ${isCancelled ? 'is cancelled' : 'is not cancelled'}, which nobody asked for`));
  }
  return found;
}

export function noOneElsesOrders(wanted: readonly WantedOrder[], book: readonly { orderRef: string }[]): Violation[] {
  const known = new Set(wanted.map(({ orderRef }) => orderRef));
  return book
    .filter(({ orderRef }) => !known.has(orderRef))
    .map(({ orderRef }) => I20(`nobody asked for the order ${orderRef}`));
}

/** A file of changes or cancels: the order of each of its rows, in its order. */
interface ChangeBatch {
  summary: BatchSummary;
  rows: readonly BatchRow[];
  orderRefs: readonly string[];
}

type Write = Pick<JournalEntry, 'seq' | 'receivedAtMs' | 'method' | 'path' | 'body' | 'applied' | 'appliedAtMs'>;

export interface ChangeEvidence {
  wanted: readonly WantedOrder[];
  /** By their references. */
  ends: ReadonlyMap<string, OrderEnd>;
  /** The journal. */
  seen: readonly Write[];
  stored: readonly StoredOrder[];
  batches: readonly ChangeBatch[];
}

/**
 * What was planned was sent, and nothing else; nothing older arrives after something newer; the bridge has every order as the
 * upstream has it, or holds it visibly.
 * @returns one per violation; none means that everything held.
 */
export function changeViolations({ wanted, ends, seen, stored, batches }: ChangeEvidence): Violation[] {
  const writes = seen.filter(({ method }) => method === 'PUT' || method === 'DELETE');
  const plans = stored.flatMap((order) => order.plans.map((plan) => ({ ...plan, orderRef: order.orderRef })));
  const held = heldOrders(stored);
  return [
    ...noOrphans(writes, nameOfWrite, begunByName(plans)),
    ...plans.flatMap(({ does, seq, orderRef, body, attempts }) =>
      sameBytes(`${does} ${seq} of ${orderRef}`, body, attempts),
    ),
    ...stored.flatMap((order) => nothingOlderArrives(order, writes)),
    ...batches.flatMap((batch) => everyRowTold(batch, held)),
    ...wanted
      .filter(({ orderRef }) => !held.has(orderRef))
      .flatMap((each) => orderIsAsWanted(each, ends.get(each.orderRef), true)),
  ];
}

/** A person has to decide about one of its operations, and the later ones wait for that. */
const heldOrders = (stored: readonly StoredOrder[]): Set<string> =>
  new Set(
    stored.filter(({ operations }) => operations.some(({ state }) => state === 'held')).map(({ orderRef }) => orderRef),
  );

const METHODS = { create: 'POST', update: 'PUT', cancel: 'DELETE' } as const;
const idOf = ({ path }: Write): string => (path.split('/').at(-1) ?? '').toLowerCase();
const nameOfWrite = (entry: Write): string => `${entry.method} ${idOf(entry)} ${entry.body}`;
const nameOfPlan = ({ does, orderId, body }: StoredPlan): string =>
  `${METHODS[does]} ${orderId?.toLowerCase() ?? ''} ${body}`;

const begunByName = (plans: readonly StoredPlan[]): Map<string, number[]> =>
  new Map(
    [...Map.groupBy(plans, nameOfPlan)].map(([name, same]) => [
      name,
      same.flatMap(({ attempts }) => attempts.map(({ startedAtMs }) => startedAtMs)).sort((one, other) => one - other),
    ]),
  );

/** I10: what a repeat repeats is never older than what was applied before; once it is cancelled, only that cancel may come again. */
function nothingOlderArrives({ orderRef, plans, versions }: StoredOrder, writes: readonly Write[]): Violation[] {
  const ids = new Set(versions.map(({ orderId }) => orderId.toLowerCase()));
  const own = writes.filter((entry) => ids.has(idOf(entry)));
  const applied = own
    .flatMap((entry) => {
      const plan = plans.find((each) => nameOfPlan(each) === nameOfWrite(entry));
      return entry.appliedAtMs === null || plan === undefined ? [] : [{ entry, plan, atMs: entry.appliedAtMs }];
    })
    .sort((one, other) => one.atMs - other.atMs);
  const cancelledAtMs = applied.find(({ plan }) => plan.does === 'cancel')?.atMs ?? Number.POSITIVE_INFINITY;
  const late = own.filter(({ method, receivedAtMs }) => method !== 'DELETE' && receivedAtMs > cancelledAtMs);
  return [
    ...overtaken(applied, ({ plan }) => plan.seq).map(({ entry }) =>
      I10(`journal ${entry.seq} overwrote ${orderRef} with an older document`),
    ),
    ...late.map(({ seq }) => I10(`journal ${seq} was sent after the cancel of ${orderRef}`)),
  ];
}

/** Every row is delivered, or waits where a person decides about its order. */
function everyRowTold({ summary: { batchId }, rows, orderRefs }: ChangeBatch, held: ReadonlySet<string>): Violation[] {
  const refOf = (index: number): string => orderRefs[index] ?? '';
  return [
    ...everyRowThere(`batch ${batchId}`, orderRefs.length, rows),
    ...rows.flatMap(({ record, requests }, index) => {
      const shown = requests.map(({ subject }) => subject).join(', ') || 'no request';
      if (shown === `order:${refOf(index)}`) return [];
      return [I19(`batch ${batchId}: record ${record} shows ${shown} where ${refOf(index)} belongs`)];
    }),
    ...everyRowDelivered(batchId, rows, (_, index) => held.has(refOf(index))),
  ];
}
