/**
 * The partner's log of order events, in the order they were learned, and which of them orders and webhooks have still
 * to be notified of. SQL only.
 */
import { jsonArrays } from '../kernel/json-arrays.ts';
import type { OrderStatus } from '../upstream/statuses/read-answer.ts';
import { type EventRow, isCurrent } from './feed-tables.ts';

const SHOWN = 'seq, order_ref, order_id, hash, code, at_ms, level, place, poll_no, learned_at_ms, corrects';

export interface Learned {
  news: number;
  after: number;
  turned: string[];
}

export class EventStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Appends events that are not known yet, in the order given; a known one takes no number, so the log has no holes. An
   * event that was read from the same entry before, under another mapping, names what it corrects; a corrected one no
   * longer counts as known. Whether an event is final is always taken from the newest reading.
   * @returns how many are new, the seq after which they begin, and the orders of which a known event became final, or
   * is final no more.
   */
  learn(statuses: readonly OrderStatus[], pollNo: number | null, nowMs: number): Learned {
    const after = this.last();
    const texts = statuses.map(({ orderRef, orderId, hash, rawHash, code, atMs, level, place, isFinal }) =>
      JSON.stringify([orderRef, orderId, hash, rawHash, code, atMs, level, JSON.stringify(place), Number(isFinal)]),
    );
    const turned = new Set<string>();
    for (const chunk of jsonArrays(texts)) {
      this.#sql.exec(
        `INSERT INTO event (order_ref, order_id, hash, raw_hash, code, at_ms, level, place, is_final, poll_no,
           learned_at_ms, corrects)
         SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, ?2, ?3,
           (SELECT max(seq) FROM event AS before WHERE before.order_ref = value->>0 AND before.raw_hash = value->>3
              AND before.seq <= ?4)
         FROM (SELECT min(key) AS key, value FROM json_each(?1) GROUP BY value->>0, value->>2)
         WHERE NOT EXISTS (SELECT 1 FROM event AS known WHERE known.order_ref = value->>0 AND known.hash = value->>2
           AND ${isCurrent('known')})
         ORDER BY key`,
        chunk,
        pollNo,
        nowMs,
        after,
      );
      const found = this.#sql.exec<{ order_ref: string }>(
        `UPDATE event SET is_final = said.value->>8 FROM json_each(?) AS said
         WHERE event.order_ref = said.value->>0 AND event.hash = said.value->>2 AND event.is_final <> said.value->>8
         RETURNING event.order_ref`,
        chunk,
      );
      for (const { order_ref } of found) turned.add(order_ref);
    }
    const sql = 'SELECT count(*) AS news FROM event WHERE seq > ?';
    return { news: this.#sql.exec<{ news: number }>(sql, after).one().news, after, turned: [...turned] };
  }

  /** Seq of the newest event there ever was; 0: none. */
  last(): number {
    const sql = `SELECT seq FROM sqlite_sequence WHERE name = 'event'`;
    return this.#sql.exec<{ seq: number }>(sql).toArray()[0]?.seq ?? 0;
  }

  /** In log order. */
  after(seq: number, limit: number): EventRow[] {
    return this.#sql
      .exec<EventRow>(`SELECT ${SHOWN} FROM event WHERE seq > ? ORDER BY seq LIMIT ?`, seq, limit)
      .toArray();
  }

  /** Newest first. @param seq those before it; null: from the newest. */
  before(seq: number | null, limit: number): EventRow[] {
    const sql = `SELECT ${SHOWN} FROM event WHERE seq < ? ORDER BY seq DESC LIMIT ?`;
    return this.#sql.exec<EventRow>(sql, seq ?? Number.MAX_SAFE_INTEGER, limit).toArray();
  }

  /** Ids under which polls brought an order; polls ask only for orders of the key. */
  polledIds(orderRef: string): string[] {
    const sql = `SELECT DISTINCT order_id FROM event WHERE order_ref = ? AND poll_no IS NOT NULL AND order_id IS NOT NULL`;
    return this.#sql
      .exec<{ order_id: string }>(sql, orderRef)
      .toArray()
      .map(({ order_id }) => order_id);
  }

  hasAny = (): boolean => this.last() > 0;

  /** Events whose orders may be notified by now, in log order. */
  untold(nowMs: number, limit: number): EventRow[] {
    const sql = `SELECT ${SHOWN} FROM event WHERE told = 0 AND tell_at_ms <= ? ORDER BY tell_at_ms, seq LIMIT ?`;
    return this.#sql.exec<EventRow>(sql, nowMs, limit).toArray();
  }

  /** When the next order may be notified; null: all are. */
  notifyAtMs(): number | null {
    const sql = 'SELECT min(tell_at_ms) AS ms FROM event WHERE told = 0';
    return this.#sql.exec<{ ms: number | null }>(sql).one().ms;
  }

  notified(seqs: readonly number[]): void {
    this.#sql.exec('UPDATE event SET told = 1 WHERE seq IN (SELECT value FROM json_each(?))', JSON.stringify(seqs));
  }

  notifyNotBefore(seqs: readonly number[], atMs: number): void {
    const sql = 'UPDATE event SET tell_at_ms = ? WHERE seq IN (SELECT value FROM json_each(?))';
    this.#sql.exec(sql, atMs, JSON.stringify(seqs));
  }

  /** Events after the checkpoint, in log order. */
  unannounced(limit: number): EventRow[] {
    const sql = `SELECT ${SHOWN} FROM event WHERE seq > (SELECT seq FROM announced) ORDER BY seq LIMIT ?`;
    return this.#sql.exec<EventRow>(sql, limit).toArray();
  }

  /** When webhooks may be notified of more; null: of nothing. */
  publishAtMs(): number | null {
    const sql = 'SELECT not_before_ms AS ms FROM announced WHERE seq < (SELECT max(seq) FROM event)';
    return this.#sql.exec<{ ms: number }>(sql).toArray()[0]?.ms ?? null;
  }

  published(seq: number): void {
    this.#sql.exec('UPDATE announced SET seq = max(seq, ?), not_before_ms = 0', seq);
  }

  publishNotBefore(atMs: number): void {
    this.#sql.exec('UPDATE announced SET not_before_ms = ?', atMs);
  }

  /** Seq after which all events are retained, except those removed with single orders since; 0: nothing was removed. */
  storedFrom(): number {
    const sql = 'SELECT min(seq) - 1 AS seq FROM event';
    return this.#sql.exec<{ seq: number | null }>(sql).one().seq ?? this.last();
  }

  /** Removes all events of these orders. */
  forget(orderRefs: readonly string[]): void {
    const sql = 'DELETE FROM event WHERE order_ref IN (SELECT value FROM json_each(?))';
    this.#sql.exec(sql, JSON.stringify(orderRefs));
  }
}
