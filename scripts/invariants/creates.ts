/** What must hold of orders that are made, whatever becomes of the answers: one create each or a visible hold, every group whole. Pure. */
import type { BatchRow } from '../../src/batch/report/summary.ts';
import {
  type Arrival,
  type BatchEvidence,
  breaks,
  counted,
  keyOf,
  type Sending,
  type StoredAttempt,
  type Violation,
} from './evidence.ts';
import { everyRowDelivered, everyRowThere, isState } from './rows.ts';
import { intentsNameWhatTheyCarry, noOrphanBodies } from './sendings.ts';

export interface OrderRow {
  orderRef: string;
  sku: string;
}

export interface OrderBatch extends Omit<BatchEvidence, 'rowsUploaded'> {
  uploaded: readonly OrderRow[];
}

export interface OrderEvidence {
  /** Creates. */
  seen: readonly Arrival[];
  /** Of the Order objects. */
  sendings: readonly Sending[];
  batches: readonly OrderBatch[];
}

const [I3, I7, I8, I19, I20] = [breaks('I3'), breaks('I7'), breaks('I8'), breaks('I19'), breaks('I20')];

/** @returns one per violation; none means that everything held. */
export function orderViolations({ seen, sendings, batches }: OrderEvidence): Violation[] {
  return [
    ...noOrphanBodies(seen, sendings),
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

/** What proves that a create was not applied; only then may it be sent again. */
const PROOFS: ReadonlySet<string | null> = new Set(['not_applied', 'channel']);

function againOnlyWhenProved({ carries: [lead], attempts }: Sending): Violation[] {
  const unproved = attempts.slice(0, -1).filter(({ effect }) => !PROOFS.has(effect));
  if (unproved.length === 0 || lead === undefined) return [];
  return [I7(`the create of ${keyOf(lead)} has ${attempts.length} attempts, and an earlier one may have been applied`)];
}

/** Delivered, or held because its order could not be found. */
function everyRowTold({ summary, rows, uploaded }: OrderBatch): Violation[] {
  const { batchId, requests } = summary;
  const orders = new Set(uploaded.map(({ orderRef }) => orderRef)).size;
  const isNotFound = ({ state, requests }: BatchRow): boolean =>
    state === 'held' && requests.every(({ reason }) => reason === 'not_found');
  return [
    ...isState(summary, rows.some(({ state }) => state === 'held') ? 'delivering' : 'settled'),
    ...(requests === orders ? [] : [I3(`batch ${batchId} has ${requests} requests for ${orders} orders`)]),
    ...everyRowThere(`batch ${batchId}`, uploaded.length, rows),
    ...everyRowDelivered(batchId, rows, isNotFound),
  ];
}

/** The first row of an order carries its create; the others name that row, and all show the same request. */
function everyRowPointsAtItsLead({ summary, rows, uploaded }: OrderBatch): Violation[] {
  const leads = new Map<string, number>();
  uploaded.forEach(({ orderRef }, index) => {
    if (!leads.has(orderRef)) leads.set(orderRef, index + 1);
  });
  return rows.flatMap(({ record, group, requests }, index) => {
    const { orderRef = '' } = uploaded[index] ?? {};
    const lead = leads.get(orderRef) ?? 0;
    const where = `batch ${summary.batchId}: record ${record}`;
    const shown = requests.map(({ kind, subject }) => `${kind} ${subject}`).join(', ');
    return [
      ...(group === (lead === record ? null : lead)
        ? []
        : [I19(`${where} points at ${group}, its order begins at ${lead}`)]),
      ...(shown === `order.create order:${orderRef}`
        ? []
        : [I19(`${where} of ${orderRef} shows ${shown || 'no request'}`)]),
    ];
  });
}

interface CreateBody {
  orderRef: string;
  skus: { sku: string }[];
}

const readCreate = ({ body }: Arrival): CreateBody => JSON.parse(body) as CreateBody;
const refOf = (entry: Arrival): string => readCreate(entry).orderRef;

/** Delivered means exactly one create that was applied; held means none, for what was applied is found. */
function oneCreatePerOrder(seen: readonly Arrival[], batches: readonly OrderBatch[]): Violation[] {
  const refs = batches.flatMap(({ uploaded }) => uploaded.map(({ orderRef }) => orderRef));
  const states = batches.flatMap(({ uploaded, rows }) => uploaded.map((_, index) => rows[index]?.state));
  const statesOf = new Map(
    [...Map.groupBy(refs.keys(), (index) => refs[index] ?? '')].map(([ref, rows]) => [
      ref,
      rows.map((index) => states[index]),
    ]),
  );
  const arrived = counted(refs, seen.map(refOf));
  const applied = counted(refs, seen.filter((entry) => entry.applied).map(refOf));
  return [
    ...[...statesOf].flatMap(([orderRef, own]) => {
      const times = applied.times(orderRef);
      return [
        ...(times > 1 ? [I7(`${orderRef} was created ${times} times`)] : []),
        ...(own.includes('held') && times > 0 ? [I8(`${orderRef} is held, yet its create was applied`)] : []),
        ...(own.includes('delivered') && times === 0 ? [I8(`${orderRef} is delivered, 0 creates were applied`)] : []),
      ];
    }),
    ...arrived.strangers.map((orderRef) => I20(`nobody uploaded the order ${orderRef}`)),
  ];
}

/** Each create holds every line of its order once, in the order of the file. */
function everyGroupWhole(seen: readonly Arrival[], batches: readonly OrderBatch[]): Violation[] {
  const lines = Map.groupBy(
    batches.flatMap(({ uploaded }) => uploaded),
    ({ orderRef }) => orderRef,
  );
  const skusOf = (rows: readonly { sku: string }[]): string => rows.map(({ sku }) => sku).join(' ');
  return seen.map(readCreate).flatMap(({ orderRef, skus }) => {
    const [expected, arrived] = [skusOf(lines.get(orderRef) ?? []), skusOf(skus)];
    return arrived === expected ? [] : [I20(`${orderRef} was created with ${arrived}, its lines are ${expected}`)];
  });
}

/** No answer proved what it did: the process died, or the upstream failed. */
const isUnsure = ({ effect }: StoredAttempt): boolean => effect === 'unknown';
/** An answer that was taken may have been cut before its id. */
const mayBeUnsure = (attempt: StoredAttempt): boolean => isUnsure(attempt) || attempt.effect === 'applied';

function heldOnlyWhatWasUnsure(sendings: readonly Sending[], batches: readonly OrderBatch[]): Violation[] {
  const metBy = new Map(sendings.flatMap(({ carries, attempts }) => carries.map((each) => [keyOf(each), attempts])));
  return heldLeads(batches)
    .filter((key) => !(metBy.get(key) ?? []).some(mayBeUnsure))
    .map((key) => I7(`${key} is held, yet nothing was unclear about its create: ${JSON.stringify(metBy.get(key))}`));
}

/** The rows that carry the creates of orders that are held. */
export const heldLeads = (batches: readonly Pick<OrderBatch, 'summary' | 'rows'>[]): string[] =>
  batches.flatMap(({ summary: { batchId }, rows }) =>
    rows
      .filter(({ state, group }) => state === 'held' && group === null)
      .map(({ record }) => keyOf({ batchId, record, request: 1 })),
  );

/** Whatever became of it, the upstream was asked. */
const lookedUpWhatWasUnsure = (sendings: readonly Sending[]): Violation[] =>
  sendings
    .filter(({ attempts, lookUps }) => attempts.some(isUnsure) && lookUps.length === 0)
    .flatMap(({ carries }) => carries.map(keyOf))
    .map((key) => I7(`it is unclear what the create of ${key} did, yet nobody looked it up`));

/** Orders whose creates meet the same faults, and how they must end. */
export interface CreateCase {
  /** Goes into every order reference of the case. */
  name: string;
  row: { state: 'delivered' | 'held'; reason: string | null; evidence: string | null };
  /** Creates in the journal, per order. */
  posts: number;
  /** Orders upstream under each reference in the end. */
  upstream: number;
}

export interface CreateEvidence<Case extends CreateCase = CreateCase> {
  /** @property orderRefs every reference of the case. */
  cases: readonly { plan: Case; orderRefs: readonly string[]; rows: readonly BatchRow[] }[];
  /** Creates in the journal. */
  creates: readonly Arrival[];
  /** How often the upstream was asked for orders under a reference. */
  asked: number;
  /** Of each order upstream. */
  upstreamRefs: readonly string[];
  sendings: readonly Sending[];
}

/** @returns one per violation; none means that everything held. */
export function createViolations({ cases, creates, asked, upstreamRefs, sendings }: CreateEvidence): Violation[] {
  const byRef = Map.groupBy(creates, refOf);
  const lookUps = sendings.flatMap((sending) => sending.lookUps).length;
  return [
    ...cases.flatMap((each) => [...createsAsPlanned(each, byRef, upstreamRefs), ...rowsAsPlanned(each)]),
    ...[...byRef].flatMap(([orderRef, sent]) => againOnlyWhenRefused(orderRef, sent)),
    ...(asked > lookUps ? [breaks('I5')(`${asked} look-ups arrived, ${lookUps} intents of them are stored`)] : []),
  ];
}

/** The orders of a case share its faults: where there are two, one order may meet both, and another none. */
function createsAsPlanned(
  { plan: { name, posts, upstream }, orderRefs }: CreateEvidence['cases'][number],
  byRef: ReadonlyMap<string, readonly Arrival[]>,
  upstreamRefs: readonly string[],
): Violation[] {
  const sent = orderRefs.map((orderRef) => byRef.get(orderRef)?.length ?? 0);
  const [all, planned] = [sent.reduce((sum, count) => sum + count, 0), posts * orderRefs.length];
  const there = counted(orderRefs, upstreamRefs);
  return [
    ...orderRefs.flatMap((orderRef, index) => {
      const [count = 0, orders] = [sent[index], there.times(orderRef)];
      return [
        ...((posts > 1 ? count > 0 : count === posts)
          ? []
          : [I7(`${orderRef}: ${count} creates arrived, not ${posts}`)]),
        ...(orders === upstream ? [] : [I7(`${orderRef}: ${orders} orders stand upstream, not ${upstream}`)]),
      ];
    }),
    ...(posts === 1 || all === planned ? [] : [I7(`${name}: ${all} creates arrived, not ${planned}`)]),
  ];
}

/** Every row is told; all rows of an order end alike. */
function rowsAsPlanned({ plan: { name, row: wanted }, orderRefs, rows }: CreateEvidence['cases'][number]): Violation[] {
  const told = new Set(rows.flatMap(({ requests }) => requests.map(({ subject }) => subject)));
  const untold = orderRefs.filter((orderRef) => !told.has(`order:${orderRef}`));
  // Of an older order beside the new one: which is seen first is the upstream's doing.
  const mayBe = (wanted.reason?.split(' or ') ?? [null]).map((reason) =>
    [wanted.state, reason, wanted.evidence].join(' '),
  );
  return [
    ...untold.map((orderRef) => I3(`${orderRef}: no row tells of it`)),
    ...rows.flatMap(({ record, state, requests }) => {
      const is = requests.map(({ reason, evidence }) => [state, reason, evidence].join(' ')).join(', ');
      if (requests.length === 1 && mayBe.includes(is)) return [];
      return [I8(`${name}, record ${record} is ${is || state}, not ${Object.values(wanted).join(' ')}`)];
    }),
  ];
}

/** A second create only where the first was proved not to be applied. */
const againOnlyWhenRefused = (orderRef: string, sent: readonly Arrival[]): Violation[] =>
  sent
    .slice(0, -1)
    .filter(({ status, applied }) => applied || status !== 429)
    .map(({ seq, status }) => I7(`${orderRef} was sent again after journal ${seq}, answered ${status}`));
