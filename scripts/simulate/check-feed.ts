/** What must hold of a feed at the end: all that became of orders is in the log once, in its order, and orders show it. */
import { orderName } from '../../src/kernel/names.ts';
import type { LoggedStatus, StoredGap } from '../invariants/evidence.ts';
import { asTheyHappened, gapsClosed, numbersWhole, statusesOnce, statusesShown } from '../invariants/statuses.ts';
import { FEED } from './followed.ts';
import type { OrderLives } from './order-lives.ts';
import { SCOPE } from './partner.ts';
import type { Witness } from './witness.ts';
import type { World } from './world.ts';

type LogRow = LoggedStatus & { pollNo: number | null };

const LOG = `SELECT seq, order_ref AS orderRef, order_id AS orderId, code, at_ms AS atMs, poll_no AS pollNo FROM event ORDER BY seq`;
const GAPS = 'SELECT poll_no AS pollNo, why, closed_by AS closedBy FROM gap';
const SHOWN = 'SELECT seq, code, at_ms AS atMs FROM order_status ORDER BY seq';

export function checkFeed(world: World, lives: OrderLives, witness: Witness): void {
  const home = world.homes.get(`OrderFeed ${FEED}`);
  if (home === undefined || home.database.read('SELECT 1 FROM feed').length === 0) {
    witness.breach('I12', `${FEED} was never begun`);
    return;
  }
  const { database } = home;
  const untold = database.read<{ seq: number }>('SELECT seq FROM event WHERE told = 0 LIMIT 1')[0];
  if (untold !== undefined) witness.breach('I12', `event ${untold.seq} was never told`);
  const log = database.read<LogRow>(LOG);
  const gaps = database.read<StoredGap>(GAPS);
  // What was read again came later than its place.
  const reread = new Set(gaps.filter(({ closedBy }) => closedBy === 'reread').map(({ pollNo }) => pollNo));
  const polled = log.filter(({ pollNo }) => pollNo !== null && !reread.has(pollNo));
  const orders = [...world.homes.values()].filter(({ className }) => className === 'Order');
  const shown = orders.map((order) => ({
    orderRef: String((JSON.parse(order.name) as unknown[]).at(-1)),
    statuses: order.database.read<LoggedStatus>(SHOWN),
  }));
  witness.found([
    ...gapsClosed(gaps),
    ...statusesOnce(log, lives.happened, (orderRef) => isUnknown(world, orderRef)),
    ...numbersWhole(log),
    ...asTheyHappened(polled),
    ...statusesShown(shown, log),
  ]);
}

/** Its feed was not told of it, and the alarm that would have told it was lost: nobody looks after what is done. */
function isUnknown(world: World, orderRef: string): boolean {
  const order = world.homes.get(`Order ${orderName(SCOPE, orderRef)}`);
  return order?.isLost === true && order.database.read('SELECT 1 FROM feed_link WHERE told IS NULL').length > 0;
}
