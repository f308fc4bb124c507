/** What a round uploads: files and messages of events, and the files of orders; each sent again until it has an answer. */

import { type HarnessClient, isSettledOrHeld } from '../local/client.ts';
import { mixedFile } from './generate.ts';
import type { ChainFile } from './order-chains.ts';

export interface Upload {
  /** Of a message; null: a file, which is known by its bytes. */
  idempotencyKey: string | null;
  records: number;
  mapping: string;
  text: string;
  /** Orders that it makes, changes or cancels; null: events. */
  orders: ChainFile | null;
  /** The batch's id; null: the upload was cut and must be repeated. */
  answered: Promise<string | null>;
}

const LOADS = 30;
const ROWS_PER_LOAD = 15;
/** Messages in each life of the bridge, smaller than files. */
const MESSAGES = 4;
const MESSAGE_LOADS = 6;
const MESSAGE_ROWS_PER_LOAD = 6;
const CUT = Promise.resolve(null);

/** @param name no two files of a run share a load or an order. */
export const eventFile = (name: string, random: () => number): Upload => ({
  idempotencyKey: null,
  records: LOADS * ROWS_PER_LOAD,
  mapping: 'carrier-mixed-csv',
  text: mixedFile(name, LOADS, ROWS_PER_LOAD, random),
  orders: null,
  answered: CUT,
});

export const messagesOf = (name: string, random: () => number): Upload[] =>
  Array.from({ length: MESSAGES }, (_, index) => ({
    idempotencyKey: `${name}M${index}`,
    records: MESSAGE_LOADS * MESSAGE_ROWS_PER_LOAD,
    mapping: 'carrier-mixed-csv',
    text: mixedFile(`${name}M${index}`, MESSAGE_LOADS, MESSAGE_ROWS_PER_LOAD, random),
    orders: null,
    answered: CUT,
  }));

export const ordersUpload = (orders: ChainFile): Upload => ({
  idempotencyKey: null,
  records: orders.orderRefs.length,
  mapping: orders.mapping,
  text: orders.text,
  orders,
  answered: CUT,
});

/** A partner without an answer sends the same again. Not waited for: a kill may meet the upload itself. */
export async function sendIfCut(upload: Upload, client: HarnessClient): Promise<void> {
  if ((await settledNow(upload.answered)) !== null) return;
  upload.answered = sent(upload, client).catch(() => null);
}

export const sent = ({ text, mapping, idempotencyKey }: Upload, client: HarnessClient): Promise<string> =>
  idempotencyKey === null ? client.put(text, mapping) : client.post(text, mapping, idempotencyKey);

const UNDER_WAY = Symbol();
const settledNow = <T>(promise: Promise<T>): Promise<T | typeof UNDER_WAY> =>
  Promise.race([promise, Promise.resolve<typeof UNDER_WAY>(UNDER_WAY)]);

/**
 * Settled, or nothing is open but what a person decides. An upload under way is not waited for: it may stand at the named point
 * at which the bridge is about to be killed.
 */
export async function allDone(uploads: readonly Upload[], client: HarnessClient): Promise<boolean> {
  for (const { answered } of uploads) {
    const batchId = await settledNow(answered);
    if (typeof batchId !== 'string' || !isSettledOrHeld(await client.summary(batchId))) return false;
  }
  return true;
}
