/** How orders and their feed stand once everything is told: what the partner is shown, what the upstream has, what is stored. */
import { orderEvents } from '../../src/sandbox/orders.ts';
import type { LoggedStatus, Status, StoredFeed, Violation } from '../invariants/evidence.ts';
import type { OrderEnd } from '../invariants/orders.ts';
import { numbersWhole, statusesOnce, statusesShown } from '../invariants/statuses.ts';
import { pause } from '../local/client.ts';
import type { JournalEntry, SandboxOrder, Stack } from '../local/stack.ts';
import { storedFeeds, storedOrders } from '../local/stored-objects.ts';
import type { FollowedOrders, LoggedEvent, ShownOrder } from './followed-orders.ts';

export interface OrderEnds {
  /** By their references. */
  orders: ReadonlyMap<string, OrderEnd & { shown: ShownOrder; standing: readonly SandboxOrder[] }>;
  book: readonly SandboxOrder[];
  log: readonly LoggedEvent[];
  feed: StoredFeed;
  journal: readonly JournalEntry[];
  /** What happened to the orders of the book until then. */
  happened: readonly Status[];
  /** Everything that happened until then is looked for in the log. */
  untilMs: number;
}

interface EndsAsked {
  orderRefs: readonly string[];
  /** What the partner has read so far. */
  log: readonly LoggedEvent[];
  /** Steps of a life, in real ms behind the create. */
  offsetsMs: readonly number[];
  /** null: all lives have ended by then, or will. */
  untilMs: number | null;
}

const LOOK_EVERY_MS = 1_000;
const WHOLE_MS_MAX = 300_000;
const ORDERS_ASKED_AT_ONCE = 8;

/** Waits until the log is whole, gaps are closed and orders have heard, then stops the bridge and reads its files. */
export async function orderEnds(stack: Stack, followed: FollowedOrders, asked: EndsAsked): Promise<OrderEnds> {
  const untilMs = asked.untilMs ?? Number.POSITIVE_INFINITY;
  const log = [...asked.log];
  const isWhole = async (): Promise<boolean> => {
    log.push(...(await followed.eventsAfter(String(log.at(-1)?.seq ?? 0))).events);
    const happened = eventsOf(await stack.orders(), asked.offsetsMs, untilMs);
    const told = log.filter(({ at }) => Date.parse(at) <= untilMs).length;
    return told >= happened.length && ((await followed.feed())?.gaps.open ?? 1) === 0;
  };
  for (const giveUpMs = Date.now() + WHOLE_MS_MAX; Date.now() < giveUpMs && !(await isWhole()); ) {
    await pause(LOOK_EVERY_MS);
  }
  const shown = await shownOrders(followed, asked.orderRefs, log);
  await stack.bridge.stop(); // its files are read next
  const book = await stack.orders();
  const versions = new Map(storedOrders(stack.persistTo).map((order) => [order.orderRef, order.versions]));
  const standing = Map.groupBy(book, ({ orderRef }) => orderRef);
  const [feed = { beganAtMs: 0, polls: [], gaps: [] }] = storedFeeds(stack.persistTo);
  const orders = shown.map((order) => {
    const { orderRef } = order;
    const end = { shown: order, versions: versions.get(orderRef) ?? [], standing: standing.get(orderRef) ?? [] };
    return [orderRef, end] as const;
  });
  const happened = eventsOf(book, asked.offsetsMs, untilMs);
  return { orders: new Map(orders), book, log, feed, journal: await stack.journal(), happened, untilMs };
}

/** Asked again while orders have still to hear of what the log has. */
async function shownOrders(
  followed: FollowedOrders,
  orderRefs: readonly string[],
  log: readonly LoggedEvent[],
): Promise<ShownOrder[]> {
  const logged = Map.groupBy(log, ({ orderRef }) => orderRef);
  const shown: ShownOrder[] = [];
  const hasHeard = ({ orderRef, statuses }: ShownOrder): boolean =>
    statuses.length >= (logged.get(orderRef)?.length ?? 0);
  const giveUpMs = Date.now() + WHOLE_MS_MAX;
  const waiting = [...orderRefs];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      let order = await followed.order(next);
      for (; !hasHeard(order) && Date.now() < giveUpMs; order = await followed.order(next)) await pause(LOOK_EVERY_MS);
      shown.push(order);
    }
  };
  await Promise.all(Array.from({ length: ORDERS_ASKED_AT_ONCE }, lane));
  return shown;
}

/** Everything that has happened to the orders of the book until then. @param offsetsMs of the steps of a life. */
export const eventsOf = (book: readonly SandboxOrder[], offsetsMs: readonly number[], untilMs: number): Status[] =>
  book.flatMap((order) => orderEvents({ ...order, stepOffsetsMs: [...offsetsMs] }, untilMs));

const statusOf = <Event extends Omit<LoggedEvent, 'orderRef'>>(event: Event): Event & { atMs: number } => ({
  ...event,
  atMs: Date.parse(event.at),
});

/** Every status once, in the log and with its order; what happened while the log was read is left out. */
export function statusViolations({ orders, log, happened, untilMs }: OrderEnds): Violation[] {
  const logged: LoggedStatus[] = log.map(statusOf);
  const shown = [...orders.values()].map(({ shown: { orderRef, statuses } }) => ({
    orderRef,
    statuses: statuses.map(statusOf),
  }));
  return [
    ...statusesOnce(
      logged.filter(({ atMs }) => atMs <= untilMs),
      happened,
    ),
    ...numbersWhole(logged),
    ...statusesShown(shown, logged, logged.at(-1)?.seq ?? 0),
  ];
}
