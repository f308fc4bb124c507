/** How orders and their feed stand once everything is told: what the partner is shown, what the receiving system has, what is stored. */
import { pause } from '../kill/client.ts';
import type { JournalEntry, Stack } from '../local/stack.ts';
import { eventsOf } from './check-lives.ts';
import type { FollowedOrders, LoggedEvent, ShownOrder } from './followed-orders.ts';
import { type SandboxOrder, sandboxOrders } from './sandbox-orders.ts';
import { type StoredFeed, type StoredVersion, storedFeeds, storedOrders } from './stored-orders.ts';

/** What there is of one order. */
export interface OrderEnd {
  shown: ShownOrder;
  versions: readonly StoredVersion[];
  /** Upstream under its reference. */
  standing: readonly SandboxOrder[];
}

export interface OrderEnds {
  /** By their references. */
  orders: ReadonlyMap<string, OrderEnd>;
  book: readonly SandboxOrder[];
  log: readonly LoggedEvent[];
  feed: StoredFeed;
  journal: readonly JournalEntry[];
  /** Everything that happened until then is looked for in the log. */
  untilMs: number;
}

export interface EndsAsked {
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
    const events = eventsOf(await sandboxOrders(stack.sandbox.baseUrl), asked.offsetsMs, untilMs);
    const told = log.filter(({ at }) => Date.parse(at) <= untilMs).length;
    return told >= events.length && ((await followed.feed())?.gaps.open ?? 1) === 0;
  };
  for (const giveUpMs = Date.now() + WHOLE_MS_MAX; Date.now() < giveUpMs && !(await isWhole()); ) {
    await pause(LOOK_EVERY_MS);
  }
  const shown = await shownOrders(followed, asked.orderRefs, log);
  await stack.bridge.stop(); // its files are read next
  const book = await sandboxOrders(stack.sandbox.baseUrl);
  const versions = new Map(storedOrders(stack.persistTo).map((order) => [order.orderRef, order.versions]));
  const standing = Map.groupBy(book, ({ orderRef }) => orderRef);
  const [feed = { beganAtMs: 0, polls: [], gaps: [] }] = storedFeeds(stack.persistTo);
  const orders = shown.map((order): [string, OrderEnd] => {
    const { orderRef } = order;
    return [orderRef, { shown: order, versions: versions.get(orderRef) ?? [], standing: standing.get(orderRef) ?? [] }];
  });
  return { orders: new Map(orders), book, log, feed, journal: await stack.journal(), untilMs };
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
