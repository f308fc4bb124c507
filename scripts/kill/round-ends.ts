/** How a round ended: everything drained, read from outside, and held against what must hold. */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { heldLeads, orderViolations } from '../invariants/creates.ts';
import { eventViolations } from '../invariants/events.ts';
import { type BatchEvidence, breaks, seenAt, sendingsOf, type Violation } from '../invariants/evidence.ts';
import { changeViolations } from '../invariants/orders.ts';
import { askedOf, oneAtATime, receivedOnce } from '../invariants/polls.ts';
import { gapsClosed } from '../invariants/statuses.ts';
import type { FollowedOrders } from '../lives/followed-orders.ts';
import { orderEnds, statusViolations } from '../lives/order-ends.ts';
import { wantedOrder } from '../lives/order-lives.ts';
import { type HarnessClient, isSettledOrHeld, pause } from '../local/client.ts';
import type { Stack } from '../local/stack.ts';
import { objectFiles, storedOrders, storedSubjects } from '../local/stored-objects.ts';
import { nextStep, type OrderChain } from './order-chains.ts';
import { ordersUpload, sendIfCut, sent, type Upload } from './uploads.ts';

/**
 * @property requestsSeen milestones and sets of positions. @property held orders that nobody found.
 * @property changes and cancels: writes, repeats among them.
 */
export const NOTHING_COUNTED = {
  batches: 0,
  requestsSeen: 0,
  repeats: 0,
  creates: 0,
  held: 0,
  changes: 0,
  cancels: 0,
  polls: 0,
  gaps: 0,
  statuses: 0,
};

export type RoundEnd = typeof NOTHING_COUNTED & { violations: Violation[] };

export interface Round {
  stack: Stack;
  client: HarnessClient;
  followed: FollowedOrders;
  uploads: Upload[];
  chains: readonly OrderChain[];
  /** Steps of an order's life, in real ms behind its create. */
  offsetsMs: readonly number[];
  pair: Record<string, string>;
  /** Other partners, with files of events alone. */
  neighbours?: readonly Pick<Round, 'client' | 'uploads'>[];
}

/** Ended early when nothing is open. A busy machine needs several times what a quiet one does. */
const DRAIN_MS_MAX = 900_000;
const LOOK_EVERY_MS = 300;

export async function roundEnd(round: Round): Promise<RoundEnd> {
  await sendTheRest(round);
  const batches = await drained(round);
  for (const neighbour of round.neighbours ?? []) batches.push(...(await drained(neighbour)));
  await round.stack.putFaults([]); // the last gaps are closed
  const { stack, followed, chains, offsetsMs, pair } = round;
  const lives = chains.flatMap((chain) => chain.lives);
  const orderRefs = lives.map(({ orderRef }) => orderRef);
  const ends = await orderEnds(stack, followed, { orderRefs, log: [], offsetsMs, untilMs: Date.now() });
  const { journal, log, feed } = ends;
  const seen = [...seenAt(journal, 'milestone'), ...seenAt(journal, 'trace')];
  const creates = seenAt(journal, 'orderCreate').filter(({ method }) => method === 'POST');
  const files = objectFiles(stack.persistTo, 'Batch').length;
  const sendings = storedSubjects(stack.persistTo, 'Order').flatMap(sendingsOf);
  const orderBatches = batches.flatMap(({ orders, ...batch }) =>
    orders?.creates ? [{ ...batch, uploaded: orders.creates }] : [],
  );
  const changeBatches = batches.flatMap(({ orders, ...batch }) =>
    orders && orders.creates === null ? [{ ...batch, orderRefs: orders.orderRefs }] : [],
  );
  const polls = askedOf(journal).polls.map(({ receivedAtMs }) => receivedAtMs);
  return {
    batches: files,
    requestsSeen: seen.length,
    repeats: seen.length - new Set(seen.map(({ body }) => body)).size,
    creates: creates.length,
    held: heldLeads(orderBatches).length,
    changes: journal.filter(({ method }) => method === 'PUT').length,
    cancels: journal.filter(({ method }) => method === 'DELETE').length,
    polls: polls.length,
    gaps: feed.gaps.length,
    statuses: log.length,
    violations: [
      ...(files === batches.length ? [] : [I16(`${batches.length} batches were told, ${files} are there`)]),
      ...batches.flatMap(oneUploadOrMessages),
      ...eventViolations({
        seen,
        loads: storedSubjects(stack.persistTo, 'Load').map(sendingsOf),
        batches: batches.filter(({ orders }) => orders === null),
      }),
      ...orderViolations({
        seen: creates,
        sendings: sendings.filter(({ carries }) => carries.every(({ kind }) => kind === 'order.create')),
        batches: orderBatches,
      }),
      ...changeViolations({
        wanted: lives.map((life) => wantedOrder(life, pair)),
        ends: ends.orders,
        seen: journal,
        stored: storedOrders(stack.persistTo),
        batches: changeBatches,
      }),
      ...statusViolations(ends),
      ...oneAtATime(feed.polls),
      ...gapsClosed(feed.gaps),
      ...receivedOnce(feed.polls, polls),
    ],
  };
}

/** What the kills left no time for. */
async function sendTheRest({ client, followed, uploads, chains }: Round): Promise<void> {
  for (const untilMs = Date.now() + DRAIN_MS_MAX; Date.now() < untilMs; await pause(LOOK_EVERY_MS)) {
    for (const upload of uploads) await sendIfCut(upload, client);
    for (const chain of chains) {
      uploads.push(...(await nextStep(chain, followed)).map(ordersUpload));
    }
    if (chains.every((chain) => chain.sent >= chain.steps.length)) return;
  }
}

interface EndedBatch extends BatchEvidence {
  orders: Upload['orders'];
  sent: number;
}

async function drained({ client, uploads }: Pick<Round, 'client' | 'uploads'>): Promise<EndedBatch[]> {
  const byBatch = new Map<string, Upload[]>();
  for (const upload of uploads) {
    const batchId = (await upload.answered) ?? (await sent(upload, client));
    byBatch.set(batchId, [...(byBatch.get(batchId) ?? []), upload]);
  }
  const isChange = (batchId: string): boolean => byBatch.get(batchId)?.[0]?.orders?.creates === null;
  const [changes, others] = [[...byBatch.keys()].filter(isChange), [...byBatch.keys()].filter((id) => !isChange(id))];
  await client.drain(others, isSettledOrHeld, DRAIN_MS_MAX);
  const held = await heldOrders(others, client);
  const waitsForAPerson = (summary: BatchSummary): boolean => {
    const { orderRefs = [] } = byBatch.get(summary.batchId)?.[0]?.orders ?? {};
    const { queued = 0, ...states } = summary.requestStates;
    const ofHeld = orderRefs.filter((orderRef) => held.has(orderRef)).length;
    const requestStates = { ...states, held: (states.held ?? 0) + ofHeld };
    return isSettledOrHeld(queued === ofHeld ? { ...summary, requestStates } : summary);
  };
  await client.drain(changes, waitsForAPerson, DRAIN_MS_MAX);
  const ended: EndedBatch[] = [];
  for (const [batchId, own] of byBatch) {
    const rowsUploaded = own.reduce((sum, { records }) => sum + records, 0);
    const summary = await client.summary(batchId);
    const rows = await client.rows(batchId);
    ended.push({ summary, rows, rowsUploaded, orders: own[0]?.orders ?? null, sent: own.length });
  }
  return ended;
}

/** Orders whose create nobody found: what comes behind it waits for a person. */
async function heldOrders(batchIds: readonly string[], client: HarnessClient): Promise<Set<string>> {
  const held = new Set<string>();
  for (const batchId of batchIds) {
    if (((await client.summary(batchId)).requestStates.held ?? 0) === 0) continue;
    for (const { state, requests } of await client.rows(batchId)) {
      if (state === 'held') for (const { subject } of requests) held.add(subject.replace(/^order:/, ''));
    }
  }
  return held;
}

const I16 = breaks('I16');

function oneUploadOrMessages({ summary: { batchId, messages }, sent: all }: EndedBatch): Violation[] {
  if (messages === null) return all > 1 ? [I16(`several files became batch ${batchId}`)] : [];
  return messages === all ? [] : [breaks('I1')(`${all} messages became ${messages} of batch ${batchId}`)];
}
