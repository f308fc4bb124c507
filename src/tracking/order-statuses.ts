/** What an order was told of its statuses, and what its feed was told of it. SQL only but for the look at its own state. */
import type { OrderPair, PartnerScope } from '../kernel/names.ts';
import { orderPairIn } from '../upstream/contracts/order-pair.ts';
import type { HandedRequest } from './subject-tables.ts';

/** @property seq of the feed's log. @property place JSON. @property corrects the seq of an earlier one that is read anew. */
export interface ToldStatus {
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
};

/** What a feed needs to hear of an order: a port of the caller. */
export interface FeedRegister {
  /** Idempotent. @param takenAtMs when its first operation came in. @returns false where there is no such feed of this partner (yet). */
  register(scope: PartnerScope, orderRef: string, state: 'open' | 'none', takenAtMs: number): Promise<boolean>;
}

/** `feed_link`: whose the order is, as its first document that says so says; `told`: what its feed knows of it. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS order_status (
  seq INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, order_id TEXT, code TEXT NOT NULL, at_ms INTEGER NOT NULL,
  level TEXT NOT NULL, place TEXT NOT NULL, learned_at_ms INTEGER NOT NULL, corrects INTEGER
);
CREATE TABLE IF NOT EXISTS feed_link (
  id INTEGER PRIMARY KEY CHECK (id = 1), pair TEXT NOT NULL, taken_at_ms INTEGER NOT NULL, told TEXT
);
`;

export interface Followed {
  pair: OrderPair;
  takenAtMs: number;
  told: 'open' | 'none' | null;
}

export class OrderStatuses {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  /** Idempotent: a status that is known changes nothing. */
  take(statuses: readonly ToldStatus[]): void {
    for (const { seq, hash, orderId, code, atMs, level, place, learnedAtMs, corrects } of statuses) {
      const sql = 'INSERT OR IGNORE INTO order_status VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
      this.#sql.exec(sql, seq, hash, orderId, code, atMs, level, place, learnedAtMs, corrects);
    }
  }

  /** The latest ones, in the order in which they happened. */
  list(limit: number, level: 'milestone' | null = null): StatusRow[] {
    const sql = `SELECT seq, order_id, code, at_ms, level, place, learned_at_ms, corrects FROM order_status
                 WHERE (?1 IS NULL OR level = ?1) ORDER BY at_ms DESC, seq DESC LIMIT ?2`;
    return this.#sql.exec<StatusRow>(sql, level, limit).toArray().reverse();
  }

  /** When the last one came; null: none ever did. */
  lastMs(): number | null {
    return this.#sql.exec<{ ms: number | null }>('SELECT max(learned_at_ms) AS ms FROM order_status').one().ms;
  }

  /** Looks into what makes or changes an order until one says whose it is; each create is told to its feed anew. */
  follow(requests: readonly HandedRequest[], takenAtMs: number): void {
    for (const { kind, body } of requests) {
      if (kind === 'order.cancel') continue;
      const known = this.followed();
      if (known !== null && kind === 'order.update') continue;
      const pair = known?.pair ?? pairOf(kind, body);
      if (pair === null) continue;
      this.#link(pair, takenAtMs);
    }
  }

  /** Somebody says that it stands: its feed is told anew. @param pair null: nobody says whose it is. */
  followStated(pair: OrderPair | null, nowMs: number): void {
    const whose = this.followed()?.pair ?? pair;
    if (whose !== null) this.#link(whose, nowMs);
  }

  #link(pair: OrderPair, takenAtMs: number): void {
    const sql = `INSERT INTO feed_link (id, pair, taken_at_ms) VALUES (1, ?, ?)
                 ON CONFLICT (id) DO UPDATE SET taken_at_ms = excluded.taken_at_ms, told = NULL`;
    this.#sql.exec(sql, JSON.stringify(pair), takenAtMs);
  }

  followed(): Followed | null {
    const sql = 'SELECT pair, taken_at_ms, told FROM feed_link';
    const row = this.#sql.exec<{ pair: string; taken_at_ms: number; told: Followed['told'] }>(sql).toArray()[0];
    return row === undefined
      ? null
      : { pair: JSON.parse(row.pair) as OrderPair, takenAtMs: row.taken_at_ms, told: row.told };
  }

  noteTold(state: 'open' | 'none'): void {
    this.#sql.exec('UPDATE feed_link SET told = ?', state);
  }

  /** `none`: every operation has ended, none of them made an order, and none may have. */
  standing(): 'open' | 'none' {
    const sql = `SELECT EXISTS (SELECT 1 FROM accepted) OR EXISTS (SELECT 1 FROM loaded_base) OR EXISTS (SELECT 1 FROM order_status) OR EXISTS (
        SELECT 1 FROM request WHERE had_unknown = 1 OR state NOT IN ('rejected', 'dead', 'cancelled', 'duplicate')
      ) AS open`;
    return this.#sql.exec<{ open: number }>(sql).one().open === 1 ? 'open' : 'none';
  }
}

/** A change holds the members it sets in a tree of their own. */
function pairOf(kind: HandedRequest['kind'], body: string): OrderPair | null {
  const document: unknown = JSON.parse(body);
  if (kind === 'order.create') return orderPairIn(document);
  return typeof document === 'object' && document !== null && 'order' in document ? orderPairIn(document.order) : null;
}
