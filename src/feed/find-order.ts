/**
 * An order by its secondary reference (seed 2.8): the upstream knows which order bears it and answers by either number (4.4), so it is
 * asked, and what it names counts only where the order is the caller's own, by its id.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { orderHistory } from '../upstream/endpoints.ts';
import { type AnswerMapping, DEFAULT_ANSWER_MAPPING } from '../upstream/statuses/answer-mapping.ts';
import { type OrderStatus, readAnswer } from '../upstream/statuses/read-answer.ts';
import { TRACKS_FRESH_MS } from './limits.ts';
import { askOnce, briefly, type TracksPort } from './tracks.ts';

export interface FindPort extends TracksPort {
  /** As the partner's feed reads; null: it has none, or that could not be asked for. */
  mapping: AnswerMapping | null;
  /** Ids, in small letters, under which the caller has an order of this number; none where it has none. */
  idsOf(orderRef: string): Promise<readonly string[]>;
}

type Found = { askedAtMs: number; orderRef: string | null };

/** @returns the number of the caller's order that bears the reference; null: none is known to, or nobody can say. */
export async function findOrder(port: FindPort, reference: string): Promise<string | null> {
  const { clock } = port;
  const kept = await briefly<Found>(port, ['order-ref', reference]);
  const known = kept.value !== null && isFresh(kept.value, clock) ? kept.value : null;
  if (known !== null) return known.orderRef;
  const scac = port.channel.scacs[0] ?? '';
  const asked = await askOnce(port, { reference, scac, endpoint: orderHistory });
  if (asked.outcome !== 'observed' || asked.observed.outcome !== 'answered' || asked.observed.status !== 200)
    return null;
  const read = readAnswer(asked.observed.body, port.mapping ?? DEFAULT_ANSWER_MAPPING);
  if (!read.ok || asked.observed.bodyEnd !== 'whole') return null;
  const orderRef = await ownAmong(read.value.statuses, port);
  await kept.put({ askedAtMs: clock.nowMs(), orderRef });
  return orderRef;
}

const isFresh = ({ askedAtMs }: Found, clock: Clock): boolean =>
  clock.nowMs() - askedAtMs < scaledMs(TRACKS_FRESH_MS, clock);

/** The latest one first: a reference may have passed from one order to another. */
async function ownAmong(statuses: readonly OrderStatus[], { idsOf }: FindPort): Promise<string | null> {
  const named = [...statuses].sort((one, other) => other.atMs - one.atMs);
  const seen = new Set<string>();
  for (const { orderRef, orderId } of named) {
    const id = orderId?.toLowerCase();
    if (id === undefined || seen.has(`${id} ${orderRef}`)) continue;
    seen.add(`${id} ${orderRef}`);
    if (seen.size > ORDERS_LOOKED_AT_MAX) return null;
    if ((await idsOf(orderRef)).includes(id)) return orderRef;
  }
  return null;
}

/** Orders of one answer that are looked at. Ours: a reference names one, or its few successors. */
const ORDERS_LOOKED_AT_MAX = 10;
