/** An operator states how an order stands upstream: looked at, judged and written in one commit. */

import { judgeBase, type OrderBase } from '../delivery/orders/base.ts';
import { incarnationOfCreate } from '../delivery/orders/incarnations.ts';
import { type ShownDifference, shownDifferences } from '../delivery/orders/merge/shown.ts';
import { isDocument, orderDifferences } from '../upstream/contracts/order-difference.ts';
import type { OrderStore } from './store/order-store.ts';
import type { SubjectStore } from './store/subject-store.ts';

/** Who states it, and why. @property replace also where something is known. A dry run writes nothing. */
export interface StatedBy {
  keyId: string;
  author: string;
  why: string;
  replace: boolean;
  dryRun: boolean;
}

/** @property orderId null: nobody has named it. changes against what was known; null: nothing was. */
export type StatedOutcome =
  | { outcome: 'stated' | 'same'; incarnation: number; orderId: string | null; changes: ShownDifference[] | null }
  | { outcome: 'base_known'; orderId: string | null; since: string }
  | { outcome: 'order_busy' };

/** Nothing is awaited: what is seen here still stands when it is written. */
export function stateBase(
  { store, order }: { store: SubjectStore; order: OrderStore },
  base: OrderBase,
  { keyId, author, why, replace, dryRun }: StatedBy,
  nowMs: number,
): StatedOutcome {
  const live = order.accepted();
  const before: unknown = live === null ? null : JSON.parse(live.document);
  const known = live !== null && isDocument(before) ? { document: before, orderId: live.order_id } : null;
  const verdict = judgeBase({ open: store.open('operations', 1).length, known }, base, replace);
  const incarnation = incarnationOfCreate(order.latest());
  switch (verdict.verdict) {
    case 'base_known':
      return {
        outcome: 'base_known',
        orderId: known?.orderId || null,
        since: new Date(live?.accepted_at_ms ?? nowMs).toISOString(),
      };
    case 'order_busy':
      return { outcome: 'order_busy' };
    case 'same':
      return { outcome: 'same', incarnation, orderId: known?.orderId || null, changes: [] };
    case 'load': {
      const changes = known === null ? null : shownDifferences(orderDifferences(known.document, base.document));
      if (!dryRun) {
        order.state({
          incarnation,
          order_id: verdict.orderId,
          document: JSON.stringify(base.document),
          loaded_at_ms: nowMs,
          key_id: keyId,
          author,
          why,
          diff: changes === null ? null : JSON.stringify(changes),
        });
      }
      return { outcome: 'stated', incarnation, orderId: verdict.orderId || null, changes };
    }
  }
}
