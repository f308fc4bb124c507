/**
 * What must hold of changes and cancels of orders after any number of kills, checked from outside: what was planned was sent, and
 * nothing else; nothing older arrives behind something newer; the bridge has every order as the receiving system has it, or
 * holds it visibly. Pure: lists in, sentences out.
 */
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import type { OrderDocument } from '../../src/upstream/contracts/order-difference.ts';
import { lifeViolations } from '../lives/check-lives.ts';
import type { OrderEnd } from '../lives/order-ends.ts';
import type { OrderLife } from '../lives/order-lives.ts';
import type { StoredOrder, StoredPlan } from '../lives/stored-orders.ts';
import type { JournalEntry } from '../local/stack.ts';
import { sha256 } from './sendings.ts';

/** A file of changes or cancels: the order of each of its rows, in its order. */
export interface ChangeBatch {
  summary: BatchSummary;
  rows: readonly BatchRow[];
  orderRefs: readonly string[];
}

type Seen = Pick<JournalEntry, 'seq' | 'receivedAtMs' | 'method' | 'path' | 'body' | 'applied' | 'appliedAtMs'>;

export interface ChangeEvidence {
  lives: readonly OrderLife[];
  /** By their references. */
  ends: ReadonlyMap<string, OrderEnd>;
  /** What was written under the order service. */
  seen: readonly Seen[];
  stored: readonly StoredOrder[];
  batches: readonly ChangeBatch[];
  pair: OrderDocument;
}

/** @returns one sentence per violation; none means that everything held. */
export function changeViolations({ lives, ends, seen, stored, batches, pair }: ChangeEvidence): string[] {
  const writes = seen.filter(({ method }) => method === 'PUT' || method === 'DELETE');
  const plans = stored.flatMap((order) => order.plans.map((plan) => ({ ...plan, orderRef: order.orderRef })));
  const held = heldOrders(stored);
  return [
    ...onlyWhatWasPlanned(writes, plans),
    ...plans.flatMap(sameBytes),
    ...stored.flatMap((order) => nothingOlderBehind(order, writes)),
    ...stored.flatMap((order) => nothingBehindACancel(order, writes)),
    ...batches.flatMap((batch) => everyRowTold(batch, held)),
    ...lives
      .filter(({ orderRef }) => !held.has(orderRef))
      .flatMap((life) => lifeViolations(life, ends.get(life.orderRef), { pair, mayRepeat: true })),
  ];
}

/** A person has to decide about one of its operations, and the later ones wait for that. */
export const heldOrders = (stored: readonly StoredOrder[]): Set<string> =>
  new Set(
    stored.filter(({ operations }) => operations.some(({ state }) => state === 'held')).map(({ orderRef }) => orderRef),
  );

const idOf = ({ path }: Seen): string => (path.split('/').at(-1) ?? '').toLowerCase();
const isSendingOf = (plan: StoredPlan, entry: Seen): boolean =>
  plan.orderId?.toLowerCase() === idOf(entry) &&
  plan.does === (entry.method === 'PUT' ? 'update' : 'cancel') &&
  plan.body === entry.body;

/** I5: each write has an attempt of its plan that was committed before it. */
function onlyWhatWasPlanned(writes: readonly Seen[], plans: readonly StoredPlan[]): string[] {
  const plansOf = Map.groupBy(plans, ({ orderId }) => orderId?.toLowerCase() ?? '');
  const sent = Map.groupBy(writes, (entry) => `${entry.method} ${idOf(entry)} ${entry.body}`);
  return [...sent].flatMap(([name, entries]) => {
    const [first] = entries;
    if (first === undefined) return [];
    const planned = (plansOf.get(idOf(first)) ?? []).filter((plan) => isSendingOf(plan, first));
    const startedAtMs = planned
      .flatMap(({ attempts }) => attempts.map((attempt) => attempt.startedAtMs))
      .sort((one, other) => one - other);
    if (planned.length === 0) return [`nobody planned ${name.slice(0, 300)}`];
    if (startedAtMs.length < entries.length) {
      return [`${entries.length} writes, ${startedAtMs.length} intents: ${name.slice(0, 300)}`];
    }
    return entries
      .filter((entry, index) => (startedAtMs[index] ?? Number.POSITIVE_INFINITY) > entry.receivedAtMs)
      .map(({ seq }) => `journal ${seq} was received before its intent was stored`);
  });
}

const sameBytes = ({ seq, body, does, attempts, orderRef }: StoredPlan & { orderRef: string }): string[] =>
  attempts.some(({ requestSha256 }) => requestSha256 !== sha256(body))
    ? [`${does} ${seq} of ${orderRef} was attempted with other bytes than were planned`]
    : [];

/** The plans of what took effect, in the order in which it did. */
function appliedPlans(
  { plans, versions }: StoredOrder,
  writes: readonly Seen[],
): { seq: number; entry: Seen; does: string }[] {
  const ids = new Set(versions.map(({ orderId }) => orderId.toLowerCase()));
  return writes
    .filter((entry) => entry.appliedAtMs !== null && ids.has(idOf(entry)))
    .sort((one, other) => (one.appliedAtMs ?? 0) - (other.appliedAtMs ?? 0))
    .flatMap((entry) => {
      const plan = plans.find((each) => isSendingOf(each, entry));
      return plan === undefined ? [] : [{ seq: plan.seq, entry, does: plan.does }];
    });
}

/** Repeats arrive again; what they repeat is never older than what was applied before. */
function nothingOlderBehind(order: StoredOrder, writes: readonly Seen[]): string[] {
  let newest = 0;
  return appliedPlans(order, writes).flatMap(({ seq, entry }) => {
    const isOlder = seq < newest;
    newest = Math.max(newest, seq);
    return isOlder ? [`journal ${entry.seq} overwrote ${order.orderRef} with an older document`] : [];
  });
}

/** Once it is cancelled, only that cancel may come again. */
function nothingBehindACancel(order: StoredOrder, writes: readonly Seen[]): string[] {
  const cancel = appliedPlans(order, writes).find(({ does }) => does === 'cancel');
  if (cancel === undefined) return [];
  const ids = new Set(order.versions.map(({ orderId }) => orderId.toLowerCase()));
  return writes
    .filter((entry) => ids.has(idOf(entry)) && entry.receivedAtMs > (cancel.entry.appliedAtMs ?? 0))
    .filter(({ method }) => method !== 'DELETE')
    .map(({ seq }) => `journal ${seq} was sent behind the cancel of ${order.orderRef}`);
}

/** I3: every row is delivered, or waits where a person decides about its order. */
function everyRowTold({ summary: { batchId }, rows, orderRefs }: ChangeBatch, held: ReadonlySet<string>): string[] {
  const found: string[] = [];
  if (rows.length !== orderRefs.length) {
    found.push(`batch ${batchId} has ${rows.length} rows, ${orderRefs.length} were uploaded`);
  }
  rows.forEach(({ record, state, requests }, index) => {
    const orderRef = orderRefs[index] ?? '';
    const shown = requests.map(({ subject }) => subject).join(', ');
    if (record !== index + 1 || shown !== `order:${orderRef}`) {
      found.push(`batch ${batchId}: record ${record} shows ${shown || 'no request'} where ${orderRef} belongs`);
    }
    if (state === 'delivered' || held.has(orderRef)) return;
    const why = requests.map(({ reason, answer }) => `${reason}: ${answer}`).join(', ');
    found.push(`batch ${batchId}: record ${record} of ${orderRef} is ${state} (${why})`);
  });
  return found;
}
