/** A day of orders: files that make, change and cancel them come in at their hours, while their partner reads the log of what became of them. */
import type { FollowedOrders, LoggedEvent } from '../lives/followed-orders.ts';
import {
  cancelsCsv,
  cancelsX12,
  changesCsv,
  changesX12,
  createsFile,
  livesOf,
  type OrderLife,
} from '../lives/order-lives.ts';
import { type HarnessClient, isSettledOrHeld, pause } from '../local/client.ts';
import type { Stack } from '../local/stack.ts';

/**
 * @property stepShare of a day: how far the five steps of an order's life are apart. @property lostShare of the answers of polls.
 * @property kills the bridge once in the middle of the day.
 */
export interface OrdersPlan {
  timeScale: number;
  stepShare: number;
  orders: number;
  changed: number;
  cancelled: number;
  lostShare: number;
  kills: boolean;
  seed: number;
}

/** Files of one kind, and how many of their rows were delivered. */
export interface EndedUpload {
  what: string;
  files: number;
  rows: number;
  delivered: number;
}

export interface OrderDay {
  lives: OrderLife[];
  log: LoggedEvent[];
  uploads: EndedUpload[];
}

/** Shares of a day. */
const CREATED_UNTIL_SHARE = 0.25;
const CHANGED_AT_SHARE = 0.28;
const CHANGED_FOR_SHARE = 0.1;
const KILLED_AT_SHARE = 0.4;
const CANCELLED_AT_SHARE = 0.44;
/** How often the partner reads its log, in ms. */
const READ_EVERY_MS = 1_000;
const SETTLE_MS_MAX = 300_000;
/**
 * Orders of one file. While a batch calls its orders, the one thread of this machine's runtime reads no answer from the network:
 * with a thousand in one file, whatever was on its way would run into its timeout.
 */
const FILE_ORDERS = 25;
/** Control numbers of interchanges, from here on. */
const FIRST_CONTROL = { change: 1, cancel: 100_001 };

export async function runDay(
  stack: Stack,
  client: HarnessClient,
  followed: FollowedOrders,
  { plan, dayMs }: { plan: OrdersPlan; dayMs: number },
): Promise<OrderDay> {
  const beganMs = Date.now();
  const lives = livesOf({ name: 'LIFE', ...plan });
  const reader = readLog(followed);
  const sent: { what: string; batchId: string }[] = [];
  const put = async (what: string, text: string, mapping: string): Promise<void> => {
    sent.push({ what, batchId: await client.put(text, mapping) });
  };
  const until = (share: number): Promise<void> => pause(beganMs + dayMs * share - Date.now());
  const parts = partsOf(lives);
  for (const [index, part] of parts.entries()) {
    await until((index / parts.length) * CREATED_UNTIL_SHARE);
    await put('creates', createsFile(part), 'orders-csv');
  }
  const changed = parts.filter((part) => part.some(({ changedBy }) => changedBy.length > 0));
  for (const [index, part] of changed.entries()) {
    await until(CHANGED_AT_SHARE + (index / changed.length) * CHANGED_FOR_SHARE);
    if (part.some(({ changedBy }) => changedBy.includes('csv')))
      await put('changes by CSV', changesCsv(part), 'order-changes-csv');
    if (part.some(({ changedBy }) => changedBy.includes('x12')))
      await put('changes by X12 860', changesX12(part, index + FIRST_CONTROL.change), 'x12-860');
  }
  if (plan.kills) {
    await until(KILLED_AT_SHARE);
    await stack.bridge.kill();
    await stack.startBridge();
  }
  await until(CANCELLED_AT_SHARE);
  await put('cancels by CSV', cancelsCsv(lives), 'order-changes-csv');
  await put('cancels by X12 860', cancelsX12(lives, FIRST_CONTROL.cancel), 'x12-860');
  await until(1);
  await stack.putFaults([]);
  return { lives, log: await reader.stop(), uploads: await settled(client, sent) };
}

async function settled(
  client: HarnessClient,
  sent: readonly { what: string; batchId: string }[],
): Promise<EndedUpload[]> {
  const batchIds = sent.map(({ batchId }) => batchId);
  const summaries = await client.drain(batchIds, isSettledOrHeld, SETTLE_MS_MAX);
  const ended = summaries.map(({ rows, rowStates }, index) => ({
    what: sent[index]?.what ?? '',
    rows,
    delivered: rowStates.delivered ?? 0,
  }));
  return [...Map.groupBy(ended, ({ what }) => what)].map(([what, files]) => ({
    what,
    files: files.length,
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    delivered: files.reduce((sum, { delivered }) => sum + delivered, 0),
  }));
}

const partsOf = (lives: readonly OrderLife[]): OrderLife[][] =>
  Array.from({ length: Math.ceil(lives.length / FILE_ORDERS) }, (_, index) =>
    lives.slice(index * FILE_ORDERS, (index + 1) * FILE_ORDERS),
  );

/** Reads on behind its cursor, as a partner does, also while the bridge is away. */
function readLog(followed: FollowedOrders): { stop(): Promise<LoggedEvent[]> } {
  const log: LoggedEvent[] = [];
  let isStopped = false;
  let cursor = '0';
  const reading = (async () => {
    while (!isStopped) {
      const page = await followed.eventsAfter(cursor).catch(() => undefined);
      if (page !== undefined) {
        log.push(...page.events);
        cursor = page.next;
      }
      await pause(READ_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await reading;
      return log;
    },
  };
}
