/**
 * Orders of a round as they go on: a file that makes them, then one after the other the files that change and cancel them. Each
 * goes out once the one before is handed over, so that what comes first is also asked for first.
 */

import type { OrderRow } from '../invariants/creates.ts';
import type { FollowedOrders } from '../lives/followed-orders.ts';
import {
  cancelsCsv,
  cancelsX12,
  changesCsv,
  changesX12,
  createsFile,
  linesOf,
  livesOf,
  type OrderLife,
} from '../lives/order-lives.ts';

/** A file of a chain. @property creates its lines; null: it changes or cancels. */
export interface ChainFile {
  mapping: string;
  text: string;
  creates: OrderRow[] | null;
  /** Of each of its rows. */
  orderRefs: string[];
}

export interface OrderChain {
  lives: OrderLife[];
  /** Files of one step may go out together: they are about different orders. */
  steps: ChainFile[][];
  /** How many have gone out. */
  sent: number;
}

const ORDERS = 10;
const CHANGED = 6;
const CANCELLED = 4;

/** @param number no two chains of a round have the same: it makes the numbers of orders and interchanges. */
export function orderChain(name: string, number: number): OrderChain {
  const lives = livesOf({ name, orders: ORDERS, changed: CHANGED, cancelled: CANCELLED });
  const creates = linesOf(lives);
  const refsOf = (of: readonly { orderRef: string }[]): string[] => of.map(({ orderRef }) => orderRef);
  const changes = (mapping: string, text: string, isAbout: (life: OrderLife) => boolean): ChainFile => ({
    mapping,
    text,
    creates: null,
    orderRefs: refsOf(lives.filter(isAbout)),
  });
  const [csv, x12] = ['order-changes-csv', 'x12-860'] as const;
  const control = number * 2 + 1;
  return {
    lives,
    sent: 0,
    steps: [
      [{ mapping: 'orders-csv', text: createsFile(lives), creates, orderRefs: refsOf(creates) }],
      [changes(csv, changesCsv(lives), ({ changedBy }) => changedBy.includes('csv'))],
      [changes(x12, changesX12(lives, control), ({ changedBy }) => changedBy.includes('x12'))],
      [
        changes(csv, cancelsCsv(lives), ({ cancelledBy }) => cancelledBy === 'csv'),
        changes(x12, cancelsX12(lives, control + 1), ({ cancelledBy }) => cancelledBy === 'x12'),
      ],
    ],
  };
}

/** @returns the files that go out next; none when all have, or when orders have not yet got what was sent before. */
export async function nextStep(chain: OrderChain, followed: Pick<FollowedOrders, 'order'>): Promise<ChainFile[]> {
  if (chain.sent >= chain.steps.length || !(await isHandedOver(chain, followed))) return [];
  chain.sent += 1;
  return chain.steps[chain.sent - 1] ?? [];
}

/** Of each order that the last step was about: whether it has an operation of every file about it. */
async function isHandedOver({ steps, sent }: OrderChain, followed: Pick<FollowedOrders, 'order'>): Promise<boolean> {
  const files = steps.slice(0, sent).flat();
  const lastRefs = new Set((steps[sent - 1] ?? []).flatMap(({ orderRefs }) => orderRefs));
  const has = await Promise.all(
    [...lastRefs].map(async (orderRef) => {
      const asked = files.filter(({ orderRefs }) => orderRefs.includes(orderRef)).length;
      const shown = await followed.order(orderRef).catch(() => null); // there is none yet, or the bridge does not answer
      return (shown?.operations.length ?? 0) >= asked;
    }),
  );
  return has.every(Boolean);
}
