/**
 * What must hold of orders after any number of kills, checked from outside: one create per order or a visible hold, every
 * row told, every group whole. Pure: lists in, sentences out.
 */
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import type { OrderRow } from './order-file.ts';
import { intentsNameWhatTheyCarry, keyOf, noOrphans, type SeenRequest, type Sending } from './sendings.ts';
import type { StoredAttempt } from './stored.ts';

export interface OrderBatch {
  summary: BatchSummary;
  rows: BatchRow[];
  uploaded: OrderRow[];
}

export interface OrderEvidence {
  /** Creates the receiving system logged. */
  seen: readonly SeenRequest[];
  /** Of the Order objects. */
  sendings: readonly Sending[];
  batches: readonly OrderBatch[];
}

/** @returns one sentence per violation; none means that everything held. */
export function orderViolations({ seen, sendings, batches }: OrderEvidence): string[] {
  return [
    ...noOrphans(seen, sendings),
    ...intentsNameWhatTheyCarry(sendings),
    ...sendings.flatMap(againOnlyWhenProved),
    ...batches.flatMap(everyRowTold),
    ...batches.flatMap(everyRowPointsAtItsLead),
    ...oneCreatePerOrder(seen, batches),
    ...everyGroupWhole(seen, batches),
    ...heldOnlyWhatWasUnsure(sendings, batches),
    ...lookedUpWhatWasUnsure(sendings),
  ];
}

/** What proves that a create was not applied; only behind it may it be sent again. */
const PROOFS: ReadonlySet<string | null> = new Set(['not_applied', 'channel']);

function againOnlyWhenProved({ carries, attempts }: Sending): string[] {
  const [lead] = carries;
  const unproved = attempts.slice(0, -1).filter(({ effect }) => !PROOFS.has(effect));
  if (unproved.length === 0 || !lead) return [];
  return [`the create of ${keyOf(lead)} has ${attempts.length} attempts, and an earlier one may have been applied`];
}

/** I3: record numbers are exactly 1…n, each delivered, or held because its order could not be found. */
function everyRowTold({ summary, rows, uploaded }: OrderBatch): string[] {
  const { batchId } = summary;
  const held = rows.some(({ state }) => state === 'held');
  const ended = held ? 'delivering' : 'settled';
  const orders = new Set(uploaded.map(({ orderRef }) => orderRef)).size;
  const found: string[] = [];
  if (summary.state !== ended) found.push(`batch ${batchId} is ${summary.state}, not ${ended}`);
  if (summary.requests !== orders) found.push(`batch ${batchId} has ${summary.requests} requests for ${orders} orders`);
  if (rows.length !== uploaded.length) {
    found.push(`batch ${batchId} has ${rows.length} rows, ${uploaded.length} were uploaded`);
  }
  rows.forEach(({ record, state, requests }, index) => {
    if (record !== index + 1) found.push(`batch ${batchId}: record ${record} stands where ${index + 1} belongs`);
    const isHeld = state === 'held' && requests.every(({ reason }) => reason === 'not_found');
    const why = requests.map(({ reason, answer }) => `${reason}: ${answer}`).join(', ');
    if (state !== 'delivered' && !isHeld) found.push(`batch ${batchId}: record ${record} is ${state} (${why})`);
  });
  return found;
}

/** The first row of an order carries its create; the others name that row, and all show the same request. */
function everyRowPointsAtItsLead({ summary, rows, uploaded }: OrderBatch): string[] {
  const leads = new Map<string, number>();
  uploaded.forEach(({ orderRef }, index) => {
    if (!leads.has(orderRef)) leads.set(orderRef, index + 1);
  });
  return rows.flatMap(({ record, group, requests }, index) => {
    const { orderRef = '' } = uploaded[index] ?? {};
    const lead = leads.get(orderRef) ?? 0;
    const found: string[] = [];
    const expected = lead === record ? null : lead;
    const where = `batch ${summary.batchId}: record ${record}`;
    if (group !== expected) found.push(`${where} points at ${group}, its order begins at ${lead}`);
    const shown = requests.map(({ kind, subject }) => `${kind} ${subject}`).join(', ');
    if (shown !== `order.create order:${orderRef}`)
      found.push(`${where} of ${orderRef} shows ${shown || 'no request'}`);
    return found;
  });
}

interface CreateBody {
  orderRef: string;
  skus: { sku: string }[];
}

const readCreate = ({ body }: SeenRequest): CreateBody => JSON.parse(body) as CreateBody;

const byOrder = (seen: readonly SeenRequest[]): Map<string, SeenRequest[]> =>
  Map.groupBy(seen, (entry) => readCreate(entry).orderRef);

/** I7: delivered means exactly one create that was applied; held means none, for what was applied is found. */
function oneCreatePerOrder(seen: readonly SeenRequest[], batches: readonly OrderBatch[]): string[] {
  const creates = byOrder(seen);
  const found: string[] = [];
  for (const { rows, uploaded } of batches) {
    uploaded.forEach(({ orderRef }, index) => {
      const arrived = creates.get(orderRef) ?? [];
      const { state } = rows[index] ?? {};
      const applied = arrived.filter((entry) => entry.applied).length;
      if (applied > 1) found.push(`${orderRef} was created ${applied} times`);
      if (state === 'held' && applied !== 0) found.push(`${orderRef} is held, yet its create was applied`);
      if (state === 'delivered' && applied !== 1)
        found.push(`${orderRef} is delivered, ${applied} creates were applied`);
    });
    for (const { orderRef } of uploaded) creates.delete(orderRef);
  }
  return [...new Set(found), ...[...creates.keys()].map((orderRef) => `nobody uploaded the order ${orderRef}`)];
}

/** Each create holds every line of its order once, in the order of the file. */
function everyGroupWhole(seen: readonly SeenRequest[], batches: readonly OrderBatch[]): string[] {
  const lines = Map.groupBy(
    batches.flatMap(({ uploaded }) => uploaded),
    ({ orderRef }) => orderRef,
  );
  return seen.map(readCreate).flatMap(({ orderRef, skus }) => {
    const expected = (lines.get(orderRef) ?? []).map(({ sku }) => sku).join(' ');
    const arrived = skus.map(({ sku }) => sku).join(' ');
    return arrived === expected ? [] : [`${orderRef} was created with ${arrived}, its lines are ${expected}`];
  });
}

/** No answer proved what it did: the process died, or the receiving system failed. */
const isUnsure = ({ effect }: StoredAttempt): boolean => effect === 'unknown';
/** An answer that was taken may have been cut before its id. */
const mayBeUnsure = (attempt: StoredAttempt): boolean => isUnsure(attempt) || attempt.effect === 'applied';

function heldOnlyWhatWasUnsure(sendings: readonly Sending[], batches: readonly OrderBatch[]): string[] {
  const metBy = new Map(sendings.flatMap(({ carries, attempts }) => carries.map((each) => [keyOf(each), attempts])));
  const held = batches.flatMap(({ summary: { batchId }, rows }) =>
    rows
      .filter(({ state, group }) => state === 'held' && group === null)
      .map(({ record }) => keyOf({ batchId, record, request: 1 })),
  );
  return held
    .filter((key) => !(metBy.get(key) ?? []).some(mayBeUnsure))
    .map((key) => `${key} is held, yet nothing was unclear about its create: ${JSON.stringify(metBy.get(key))}`);
}

/** Whatever became of it, the receiving system was asked. */
const lookedUpWhatWasUnsure = (sendings: readonly Sending[]): string[] =>
  sendings
    .filter(({ attempts, lookUps }) => attempts.some(isUnsure) && lookUps.length === 0)
    .flatMap(({ carries }) => carries.map(keyOf))
    .map((key) => `it is unclear what the create of ${key} did, yet nobody looked it up`);
