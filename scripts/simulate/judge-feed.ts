/** What must hold of a feed at the end: all that became of orders is in the log once, in its order, and orders show it. */
import { orderName } from '../../src/kernel/names.ts';
import { FEED } from './followed.ts';
import type { LifeEvent, OrderLives } from './order-lives.ts';
import { SCOPE } from './partner.ts';
import type { Witness } from './witness.ts';
import type { Home, World } from './world.ts';

interface LogRow {
  seq: number;
  order_ref: string;
  order_id: string | null;
  code: string;
  at_ms: number;
  poll_no: number | null;
}

const LOG = 'SELECT seq, order_ref, order_id, code, at_ms, poll_no FROM event ORDER BY seq';
/** What was read again came later than its place. */
const REREAD = `SELECT poll_no FROM gap WHERE closed_by = 'reread'`;

const keyOfRow = ({ order_ref, order_id, code, at_ms }: LogRow): string => `${order_ref} ${code} ${at_ms} ${order_id}`;
const keyOfEvent = ({ orderRef, orderId, code, atMs }: LifeEvent): string => `${orderRef} ${code} ${atMs} ${orderId}`;

export function judgeFeed(world: World, lives: OrderLives, witness: Witness): void {
  const home = world.homes.get(`OrderFeed ${FEED}`);
  if (home === undefined || home.database.read('SELECT 1 FROM feed').length === 0) {
    witness.breach('I12', `${FEED} was never begun`);
    return;
  }
  judgeRest(home, witness);
  const log = home.database.read<LogRow>(LOG);
  judgeLog(log, lives, { witness, isUnknown: (orderRef) => isUnknown(world, orderRef) });
  judgeSequence(home, log, witness);
  const byOrder = Map.groupBy(log, ({ order_ref }) => order_ref);
  for (const order of world.homes.values()) {
    if (order.className === 'Order') judgeShown(order, byOrder, witness);
  }
}

/** I12 of a feed: nothing is left open. */
function judgeRest({ database }: Home, witness: Witness): void {
  for (const { poll_no, why } of database.read<{ poll_no: number; why: string }>(
    'SELECT poll_no, why FROM gap WHERE closed_at_ms IS NULL',
  )) {
    witness.breach('I12', `the gap of poll ${poll_no} (${why}) is still open`);
  }
  const untold = database.read<{ seq: number }>('SELECT seq FROM event WHERE told = 0 LIMIT 1')[0];
  if (untold !== undefined) witness.breach('I12', `event ${untold.seq} was never told`);
}

/** Its feed was not told of it, and the alarm that would have told it was lost: nobody looks after what is done. */
function isUnknown(world: World, orderRef: string): boolean {
  const order = world.homes.get(`Order ${orderName(SCOPE, orderRef)}`);
  return order?.isLost === true && order.database.read('SELECT 1 FROM feed_link WHERE told IS NULL').length > 0;
}

/** I21: every change is there. I27: once, and nothing that never happened. */
function judgeLog(
  log: readonly LogRow[],
  lives: OrderLives,
  { witness, isUnknown }: { witness: Witness; isUnknown: (orderRef: string) => boolean },
): void {
  const times = new Map<string, number>();
  for (const row of log) times.set(keyOfRow(row), (times.get(keyOfRow(row)) ?? 0) + 1);
  for (const event of lives.happened) {
    const key = keyOfEvent(event);
    const logged = times.get(key) ?? 0;
    if (logged === 0 && !isUnknown(event.orderRef)) witness.breach('I21', `${key} is missing, and no gap is open`);
    if (logged > 1) witness.breach('I27', `${key} is in the log ${logged} times`);
    times.delete(key);
  }
  for (const key of times.keys()) witness.breach('I27', `${key} is in the log and never happened`);
}

/** I27: what polls brought of one order stands as it happened. */
function judgeSequence({ database }: Home, log: readonly LogRow[], witness: Witness): void {
  const reread = new Set(database.read<{ poll_no: number }>(REREAD).map(({ poll_no }) => poll_no));
  const polled = log.filter(({ poll_no }) => poll_no !== null && !reread.has(poll_no));
  for (const [orderRef, rows] of Map.groupBy(polled, ({ order_ref }) => order_ref)) {
    const early = rows.find((row, at) => row.at_ms < (rows[at - 1]?.at_ms ?? 0));
    if (early !== undefined) witness.breach('I27', `${early.code} of ${orderRef} stands behind what came after it`);
  }
}

/** I28: an order shows each event of it in the log, once. */
function judgeShown({ name, database }: Home, byOrder: ReadonlyMap<string, LogRow[]>, witness: Witness): void {
  const orderRef = String((JSON.parse(name) as unknown[]).at(-1));
  const logged = (byOrder.get(orderRef) ?? []).map(({ seq, code, at_ms }) => `${seq} ${code} ${at_ms}`);
  const shown = database
    .read<{ seq: number; code: string; at_ms: number }>('SELECT seq, code, at_ms FROM order_status ORDER BY seq')
    .map(({ seq, code, at_ms }) => `${seq} ${code} ${at_ms}`);
  if (shown.join() !== logged.join()) {
    witness.breach('I28', `${name} shows ${shown.join(', ')}; the log says ${logged.join(', ')}`);
  }
}
