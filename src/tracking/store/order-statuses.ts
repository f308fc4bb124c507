/**
 * What an order knows of its statuses, and what its feed was notified of. SQL only, except the check of its own state.
 */
import type { OrderFeedKey } from '../../kernel/names.ts';
import type { OrderChange } from '../../mapping/request.ts';
import { orderFeedKeyIn } from '../../upstream/contracts/order-pair.ts';
import type { FeedNotification, Followed } from '../order-following.ts';
import type { DispatchedRequest } from '../request.ts';

/**
 * @property seq of the feed's log. @property place JSON. @property corrects the seq of an earlier one that is read
 * again.
 */
export interface NotifiedStatus {
  seq: number;
  hash: string;
  orderId: string | null;
  code: string;
  atMs: number;
  level: 'milestone' | 'detail';
  place: string;
  learnedAtMs: number;
  corrects: number | null;
}

export type StatusRow = {
  seq: number;
  order_id: string | null;
  code: string;
  at_ms: number;
  level: 'milestone' | 'detail';
  place: string;
  learned_at_ms: number;
  corrects: number | null;
  /** Seq of the one that replaces it: it was misread. */
  corrected_by: number | null;
};

const SHOWN = `SELECT seq, order_id, code, at_ms, level, place, learned_at_ms, corrects, (
    SELECT max(seq) FROM order_status AS later WHERE later.corrects = order_status.seq
  ) AS corrected_by FROM order_status`;

type LinkRow = {
  pair: string;
  taken_at_ms: number;
  since_ms: number;
  told: Followed['told'];
  heard_at_ms: number;
};

export class OrderStatuses {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Idempotent: a known status changes nothing. */
  take(statuses: readonly NotifiedStatus[]): void {
    for (const { seq, hash, orderId, code, atMs, level, place, learnedAtMs, corrects } of statuses) {
      const sql = 'INSERT OR IGNORE INTO order_status VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
      this.#sql.exec(sql, seq, hash, orderId, code, atMs, level, place, learnedAtMs, corrects);
    }
  }

  /** The latest ones, in the order in which they happened. */
  list(limit: number): StatusRow[] {
    return this.#sql.exec<StatusRow>(`${SHOWN} ORDER BY at_ms DESC, seq DESC LIMIT ?`, limit).toArray().reverse();
  }

  /**
   * As above, without corrected ones and those of orders that no longer exist. @param gone their ids, in lower case.
   */
  currentOnes(limit: number, level: 'milestone' | null, gone: readonly string[]): StatusRow[] {
    const sql = `${SHOWN} WHERE corrected_by IS NULL AND (?1 IS NULL OR level = ?1)
                   AND (order_id IS NULL OR lower(order_id) NOT IN (SELECT value FROM json_each(?3)))
                 ORDER BY at_ms DESC, seq DESC LIMIT ?2`;
    return this.#sql.exec<StatusRow>(sql, level, limit, JSON.stringify(gone)).toArray().reverse();
  }

  /** The ids under which it was reported. */
  ids(): string[] {
    const sql = 'SELECT DISTINCT order_id AS id FROM order_status WHERE order_id IS NOT NULL';
    return this.#sql
      .exec<{ id: string }>(sql)
      .toArray()
      .map(({ id }) => id);
  }

  /** When the last one came; null: none ever did. */
  lastMs(): number | null {
    return this.#sql.exec<{ ms: number | null }>('SELECT max(learned_at_ms) AS ms FROM order_status').one().ms;
  }

  /** Reads what makes or changes an order until one says whose it is; each create is reported to its feed again. */
  follow(requests: readonly DispatchedRequest[], takenAtMs: number): void {
    for (const { kind, body } of requests) {
      if (kind === 'order.cancel') continue;
      const known = this.followed();
      if (known !== null && kind === 'order.update') continue;
      const pair = known?.pair ?? feedKeyOf(kind, body);
      if (pair === null) continue;
      this.#link(pair, takenAtMs);
    }
  }

  /** Somebody says that it exists: its feed is notified again. @param pair null: it is not known whose it is. */
  followStated(pair: OrderFeedKey | null, nowMs: number): void {
    const whose = this.followed()?.pair ?? pair;
    if (whose !== null) this.#link(whose, nowMs);
  }

  #link(pair: OrderFeedKey, takenAtMs: number): void {
    const sql = `INSERT INTO feed_link (id, pair, taken_at_ms, since_ms) VALUES (1, ?1, ?2, ?2)
                 ON CONFLICT (id) DO UPDATE SET taken_at_ms = ?2, since_ms = CASE WHEN told IS NULL THEN since_ms ELSE ?2 END,
                   told = NULL`;
    this.#sql.exec(sql, JSON.stringify(pair), takenAtMs);
  }

  followed(): Followed | null {
    const [row] = this.#sql.exec<LinkRow>('SELECT * FROM feed_link').toArray();
    if (row === undefined) return null;
    const { pair, taken_at_ms, since_ms, told, heard_at_ms } = row;
    return {
      pair: JSON.parse(pair) as OrderFeedKey,
      takenAtMs: taken_at_ms,
      sinceMs: since_ms,
      told,
      heardAtMs: heard_at_ms,
    };
  }

  /** @returns the time of this notification, as its feed is to know it. */
  beginNotifying(nowMs: number): number {
    const sql = 'UPDATE feed_link SET told_at_ms = max(?, told_at_ms + 1) RETURNING told_at_ms AS ms';
    return this.#sql.exec<{ ms: number }>(sql, nowMs).one().ms;
  }

  /** Unless the state changed meanwhile, or something else was reported. */
  noteNotified(
    state: 'open' | 'none',
    { takenAtMs, toldAtMs }: Pick<FeedNotification, 'takenAtMs' | 'toldAtMs'>,
  ): void {
    const sql = 'UPDATE feed_link SET told = ?1, heard_at_ms = ?3 WHERE taken_at_ms = ?2 AND told_at_ms = ?3';
    this.#sql.exec(sql, state, takenAtMs, toldAtMs);
  }

  /** There is no such feed (any more): it is tried like one that never answered. */
  noteUnheard(): void {
    this.#sql.exec('UPDATE feed_link SET told = NULL');
  }

  /** `none`: every operation has ended, and none made an order or may have made one. */
  current(): 'open' | 'none' {
    const sql = `SELECT EXISTS (SELECT 1 FROM accepted) OR EXISTS (SELECT 1 FROM loaded_base) OR EXISTS (SELECT 1 FROM order_status) OR EXISTS (
        SELECT 1 FROM request WHERE had_unknown = 1 OR state NOT IN ('rejected', 'dead', 'cancelled', 'duplicate')
      ) AS open`;
    return this.#sql.exec<{ open: number }>(sql).one().open === 1 ? 'open' : 'none';
  }

  /** Something that may make the order is still to be sent or found. Nothing is sent after a held operation. */
  isBeingMade(): boolean {
    const sql = `SELECT EXISTS (SELECT 1 FROM request WHERE kind <> 'order.cancel'
                     AND state IN ('queued', 'sending', 'waiting', 'unknown'))
                   AND NOT EXISTS (SELECT 1 FROM request WHERE state = 'held') AS open`;
    return this.#sql.exec<{ open: number }>(sql).one().open === 1;
  }
}

/** A change has the members it sets in `order`, and beside it the key of its feed. */
function feedKeyOf(kind: DispatchedRequest['kind'], body: string): OrderFeedKey | null {
  if (kind === 'order.create') return orderFeedKeyIn(JSON.parse(body));
  const { order, pair } = JSON.parse(body) as OrderChange; // in the form its mapping produced
  return orderFeedKeyIn(order) ?? pair ?? null;
}
