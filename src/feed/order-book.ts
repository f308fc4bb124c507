/** Which orders a feed knows: from its events, and from the orders themselves before they are sent. SQL only. */
import type { FeedNotification } from '../tracking/order-following.ts';
import type { Learned } from './event-store.ts';
import { type BookedOrder, type BookedState, isCurrent } from './feed-tables.ts';

/**
 * How many orders are in which state; `due`: to be requested by a repair, `failing`: requested without success so far.
 */
export interface BookCounts {
  open: number;
  due: number;
  failing: number;
}

/** @property code of the latest status; null: none was learned. */
export type RecentOrder = { order_ref: string; state: BookedState; heard_at_ms: number; code: string | null };

/** An order as the book has it. @property due it is to be requested alone; tries: in vain so far. */
export interface KnownOrder {
  state: BookedState;
  registeredAtMs: number;
  learnedAtMs: number | null;
  due: boolean;
  tries: number;
  retryAtMs: number | null;
  failure: string | null;
}

type KnownRow = {
  state: BookedState;
  registered_at_ms: number;
  learned_at_ms: number | null;
  due: number;
  tries: number;
  retry_at_ms: number;
  failure: string | null;
};

/** SQL: the state that the latest event of an order shows. */
const currentOf = (order: string): string =>
  `CASE WHEN (SELECT is_final FROM event AS latest WHERE latest.order_ref = ${order}.order_ref AND ${isCurrent('latest')}
     ORDER BY at_ms DESC, seq DESC LIMIT 1) = 1 THEN 'final' ELSE 'open' END`;

/** SQL: when something was last learned of an order; spelled as in the index, so that SQLite uses it. */
const BOOKED = 'SELECT order_ref, state, registered_at_ms, learned_at_ms, tries, creates FROM order_book';
const HEARD_AT = 'max(coalesce(learned_at_ms, 0), registered_at_ms)';

export class OrderBook {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * An order's own report. What its events say is kept; a report older than its last one changes nothing. Idempotent.
   * @param lateMs the order may have changed in a lost poll before it was known: it is requested alone, from then on;
   * null: it cannot have.
   */
  register(orderRef: string, telling: FeedNotification, nowMs: number, lateMs: number | null): void {
    const { state, takenAtMs, toldAtMs } = telling;
    const isLate = lateMs !== null && state === 'open';
    // If it reported what makes it now before, the gap has already marked it.
    const isReportable = `?4 = 1 AND (state <> 'open' OR told_at_ms = 0 OR taken_at_ms <> ?6)`;
    this.#sql.exec(
      `INSERT INTO order_book (order_ref, state, registered_at_ms, due, retry_at_ms, taken_at_ms, told_at_ms, creates)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?2 = 'open')
       ON CONFLICT (order_ref) DO UPDATE SET state = CASE
         WHEN ?2 = 'none' AND learned_at_ms IS NOT NULL THEN state ELSE ?2 END,
         registered_at_ms = CASE WHEN ?2 = 'open' THEN ?3 ELSE registered_at_ms END,
         retry_at_ms = CASE WHEN ${isReportable} THEN ?5 ELSE retry_at_ms END,
         due = CASE WHEN ?2 = 'none' AND learned_at_ms IS NULL THEN 0 WHEN ${isReportable} THEN 1 ELSE due END,
         creates = CASE WHEN ?2 = 'none' THEN creates WHEN state = 'none' THEN 1 ELSE creates + (taken_at_ms <> ?6) END,
         taken_at_ms = ?6, told_at_ms = ?7
       WHERE told_at_ms < ?7`,
      orderRef,
      state,
      nowMs,
      Number(isLate),
      isLate ? lateMs : 0,
      takenAtMs,
      toldAtMs,
    );
  }

  /** Events were learned: their orders get the state of the latest one. */
  noteEvents({ after, turned }: Pick<Learned, 'after' | 'turned'>, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO order_book (order_ref, state, registered_at_ms, learned_at_ms)
       SELECT fresh.order_ref, ${currentOf('fresh')}, ?2, ?2
       FROM (SELECT DISTINCT order_ref FROM event WHERE seq > ?1) AS fresh WHERE true
       ON CONFLICT (order_ref) DO UPDATE SET state = excluded.state, learned_at_ms = excluded.learned_at_ms`,
      after,
      nowMs,
    );
    // An order that has since reported a new create stays open: these events are of the earlier one.
    const sql = `UPDATE order_book SET state = ${currentOf('order_book')}
                 WHERE order_ref IN (SELECT value FROM json_each(?)) AND registered_at_ms <= learned_at_ms`;
    this.#sql.exec(sql, JSON.stringify(turned));
  }

  /**
   * A gap: orders that are open are requested, and those of which anything was learned since then. @param fromMs not
   * before.
   */
  markDue(sinceMs: number, fromMs: number): void {
    this.#sql.exec(
      `UPDATE order_book SET due = 1, tries = 0, retry_at_ms = ?2, failure = NULL
       WHERE state = 'open' OR learned_at_ms >= ?1`,
      sinceMs,
      fromMs,
    );
  }

  /** An operator has it requested, even if the feed does not know it. */
  request(orderRef: string, nowMs: number, fromMs: number): void {
    this.#sql.exec(
      `INSERT INTO order_book (order_ref, state, registered_at_ms, due, retry_at_ms) VALUES (?1, 'open', ?2, 1, ?3)
       ON CONFLICT (order_ref) DO UPDATE SET due = 1, tries = 0, retry_at_ms = ?3, failure = NULL`,
      orderRef,
      nowMs,
      fromMs,
    );
  }

  isDue = (orderRef: string): boolean =>
    this.#sql.exec('SELECT 1 FROM order_book WHERE order_ref = ? AND due = 1', orderRef).toArray().length > 0;

  nextDue(nowMs: number): BookedOrder | undefined {
    const sql = `${BOOKED} WHERE due = 1 AND retry_at_ms <= ? ORDER BY retry_at_ms, order_ref LIMIT 1`;
    return this.#sql.exec<BookedOrder>(sql, nowMs).toArray()[0];
  }

  booked(orderRef: string): BookedOrder | undefined {
    return this.#sql.exec<BookedOrder>(`${BOOKED} WHERE order_ref = ?`, orderRef).toArray()[0];
  }

  /** null: it is not known here. */
  one(orderRef: string): KnownOrder | null {
    const sql = `SELECT state, registered_at_ms, learned_at_ms, due, tries, retry_at_ms, failure FROM order_book WHERE order_ref = ?`;
    const [row] = this.#sql.exec<KnownRow>(sql, orderRef).toArray();
    if (row === undefined) return null;
    const { state, tries, failure } = row;
    const isDue = row.due === 1;
    return {
      ...{ state, tries, failure, due: isDue },
      registeredAtMs: row.registered_at_ms,
      learnedAtMs: row.learned_at_ms,
      retryAtMs: isDue ? row.retry_at_ms : null,
    };
  }

  /** When the next may be requested; null: none is due. */
  dueAtMs(): number | null {
    const sql = 'SELECT min(retry_at_ms) AS ms FROM order_book WHERE due = 1';
    return this.#sql.exec<{ ms: number | null }>(sql).one().ms;
  }

  repaired(orderRef: string): void {
    const sql = 'UPDATE order_book SET due = 0, tries = 0, retry_at_ms = 0, failure = NULL WHERE order_ref = ?';
    this.#sql.exec(sql, orderRef);
  }

  failed(orderRef: string, failure: string, retryAtMs: number): void {
    const sql = 'UPDATE order_book SET tries = tries + 1, failure = ?2, retry_at_ms = ?3 WHERE order_ref = ?1';
    this.#sql.exec(sql, orderRef, failure, retryAtMs);
  }

  counts(): BookCounts {
    const sql = `SELECT (SELECT count(*) FROM order_book WHERE state = 'open') AS open,
                   (SELECT count(*) FROM order_book WHERE due = 1) AS due,
                   (SELECT count(*) FROM order_book WHERE due = 1 AND tries > 0) AS failing`;
    return this.#sql.exec<{ open: number; due: number; failing: number }>(sql).one();
  }

  /** The latest reason among orders that were requested without success. */
  failures(limit: number): { order_ref: string; failure: string; tries: number }[] {
    const sql = `SELECT order_ref, failure, tries FROM order_book WHERE due = 1 AND failure IS NOT NULL
                 ORDER BY retry_at_ms DESC LIMIT ?`;
    return this.#sql.exec<{ order_ref: string; failure: string; tries: number }>(sql, limit).toArray();
  }

  /** The orders that were learned of, or registered, last; newest first. */
  recent(limit: number): RecentOrder[] {
    const sql = `SELECT order_ref, state, ${HEARD_AT} AS heard_at_ms, (
                   SELECT code FROM event WHERE event.order_ref = order_book.order_ref AND ${isCurrent('event')} ORDER BY at_ms DESC, seq DESC LIMIT 1
                 ) AS code FROM order_book ORDER BY ${HEARD_AT} DESC LIMIT ?`;
    return this.#sql.exec<RecentOrder>(sql, limit).toArray();
  }

  /** By order number. @param after the last one of the page before; '' for the first. */
  page(after: string, limit: number): RecentOrder[] {
    const sql = `SELECT order_ref, state, coalesce(learned_at_ms, registered_at_ms) AS heard_at_ms, (
                   SELECT code FROM event WHERE event.order_ref = order_book.order_ref AND ${isCurrent('event')} ORDER BY at_ms DESC, seq DESC LIMIT 1
                 ) AS code FROM order_book WHERE order_ref > ? ORDER BY order_ref LIMIT ?`;
    return this.#sql.exec<RecentOrder>(sql, after, limit).toArray();
  }

  /** Orders of which nothing was learned since then, and that wait for no repair. */
  old(beforeMs: number, limit: number): string[] {
    const sql = `SELECT order_ref FROM order_book WHERE ${HEARD_AT} < ? AND due = 0 LIMIT ?`;
    return this.#sql
      .exec<{ order_ref: string }>(sql, beforeMs, limit)
      .toArray()
      .map(({ order_ref }) => order_ref);
  }

  forget(orderRefs: readonly string[]): void {
    const sql = 'DELETE FROM order_book WHERE order_ref IN (SELECT value FROM json_each(?))';
    this.#sql.exec(sql, JSON.stringify(orderRefs));
  }
}
