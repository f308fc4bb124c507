/** One order as its partner sees it: the document upstream, its versions, every operation and answer, its statuses. SQL only. */

import type { StatusRow } from './order-statuses.ts';
import type { AcceptedOrder, OrderVersion } from './order-store.ts';
import type { TimelineEntry } from './subject-tables.ts';

/** Statuses shown of one order, the latest ones. Ours. */
export const ORDER_STATUSES_SHOWN_MAX = 1_000;

export interface OrderShown {
  accepted: AcceptedOrder | null;
  /** Oldest first; over all incarnations. */
  versions: OrderVersion[];
  operations: TimelineEntry[];
  /** Corrected ones among them, and those of earlier orders of the same reference. */
  statuses: StatusRow[];
  /** The latest one that stands, of the order that does; null: there is none. */
  latestStatus: StatusRow | null;
}

/** Whether anything was ever written for the order: asked without making its tables, so that a made-up name leaves nothing. */
export function isWritten(sql: SqlStorage): boolean {
  const tables = sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'identity'`).toArray();
  return tables.length > 0 && sql.exec('SELECT 1 FROM identity').toArray().length > 0;
}
