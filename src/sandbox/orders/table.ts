/** Stores and loads orders in the object's SQL: one row per order, one per reference it answers to. */
import type { OrderAction, PollFeedKey, StoredOrder } from '../decision.ts';

type HeadRow = { head: string };
export interface SandboxOrder {
  number: number;
  order: StoredOrder;
  document: unknown;
  /** 1 after the create, one more with every update. */
  version: number;
}

export function insertOrder(sql: SqlStorage, order: StoredOrder, refs: string[], document: string): void {
  const { number } = sql
    .exec<{ number: number }>(
      'INSERT INTO orders (id, pair, head, document, version) VALUES (?, ?, ?, ?, 1) RETURNING number',
      order.id,
      feedKeyText(order),
      JSON.stringify(order),
      document,
    )
    .one();
  insertRefs(sql, order, number, refs);
}

/** The new document replaces the old one; references of older versions keep finding the order. */
export function updateOrder(
  sql: SqlStorage,
  id: string,
  nowMs: number,
  changed: { refs: string[]; document: string },
): void {
  const order = selectOrder(sql, id);
  if (order === undefined) return; // a late update of an order whose create never took effect
  const { number } = sql
    .exec<{ number: number }>(
      'UPDATE orders SET head = ?, document = ?, version = version + 1 WHERE id = ? RETURNING number',
      JSON.stringify(withAction(order, 'update', nowMs)),
      changed.document,
      id,
    )
    .one();
  insertRefs(sql, order, number, changed.refs);
}

export function cancelOrder(sql: SqlStorage, id: string, nowMs: number): void {
  const order = selectOrder(sql, id);
  if (order === undefined || order.cancelledAtMs !== null) return;
  const cancelled = { ...withAction(order, 'cancel', nowMs), cancelledAtMs: nowMs };
  sql.exec('UPDATE orders SET head = ? WHERE id = ?', JSON.stringify(cancelled), id);
}

export function selectOrder(sql: SqlStorage, id: string): StoredOrder | undefined {
  return heads(sql.exec<HeadRow>('SELECT head FROM orders WHERE id = ?', id))[0];
}

export function selectDocument(sql: SqlStorage, id: string): unknown {
  const [row] = sql.exec<{ document: string }>('SELECT document FROM orders WHERE id = ?', id);
  return row === undefined ? undefined : JSON.parse(row.document);
}

export function selectByRef(
  sql: SqlStorage,
  owner: Pick<PollFeedKey, 'environment' | 'account'>,
  ref: string,
): StoredOrder[] {
  return heads(
    sql.exec<HeadRow>(
      'SELECT head FROM order_refs JOIN orders ON number = order_number WHERE owner = ? AND ref = ? ORDER BY number',
      ownerKey(owner),
      ref,
    ),
  );
}

export function selectByFeedKey(sql: SqlStorage, pair: PollFeedKey): StoredOrder[] {
  return heads(sql.exec<HeadRow>('SELECT head FROM orders WHERE pair = ? ORDER BY number', feedKeyText(pair)));
}

/** @param after Number of the last order already seen; 0 for the first page. */
export function selectStored(sql: SqlStorage, after: number, limit: number): SandboxOrder[] {
  type Row = { number: number; head: string; document: string; version: number };
  const rows = sql.exec<Row>(
    'SELECT number, head, document, version FROM orders WHERE number > ? ORDER BY number LIMIT ?',
    after,
    limit,
  );
  return [...rows].map(({ number, head, document, version }) => {
    return { number, order: JSON.parse(head) as StoredOrder, document: JSON.parse(document), version };
  });
}

/** A JSON array, so that no value can inject a separator. */
export function feedKeyText({ environment, account, partnerId, clientId }: PollFeedKey): string {
  return JSON.stringify([environment, account, partnerId, clientId]);
}

function ownerKey({ environment, account }: Pick<PollFeedKey, 'environment' | 'account'>): string {
  return JSON.stringify([environment, account]);
}

function insertRefs(sql: SqlStorage, order: StoredOrder, number: number, refs: string[]): void {
  for (const ref of refs) sql.exec('INSERT OR IGNORE INTO order_refs VALUES (?, ?, ?)', ownerKey(order), ref, number);
}

function withAction(order: StoredOrder, action: OrderAction, atMs: number): StoredOrder {
  return { ...order, actions: [...order.actions, { action, atMs }] };
}

function heads(rows: Iterable<HeadRow>): StoredOrder[] {
  return [...rows].map(({ head }) => JSON.parse(head) as StoredOrder);
}
