/**
 * Rows of this batch that replace rows of earlier ones, until those batches are notified of the delivery. SQL only.
 * A claim names the row directly replaced. In a chain of replacements each batch notifies the one before it.
 */
import { jsonArrays } from '../../kernel/json-arrays.ts';
import type { RowLocation } from '../core/row.ts';
import type { MappedRow } from '../core/run.ts';

/** @property record of the earlier batch; by the row that was delivered; own the row of this batch that replaces it. */
interface DueClaim {
  record: number;
  by: RowLocation;
  own: number;
}

type ClaimRow = { own: number; record: number; byBatchId: string; byRecord: number };

export class ClaimStore {
  readonly #sql: SqlStorage;
  /** Most batches have none. */
  #hasAny: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#hasAny = sql.exec('SELECT 1 FROM claim LIMIT 1').toArray().length > 0;
  }

  add(rows: readonly MappedRow[]): void {
    const claims = rows.flatMap(({ position, standsFor }) =>
      standsFor === undefined ? [] : [JSON.stringify([position.record, standsFor.batchId, standsFor.record])],
    );
    if (claims.length > 0) this.#hasAny = true;
    for (const chunk of jsonArrays(claims)) {
      this.#sql.exec(
        `INSERT OR IGNORE INTO claim (own, batch_id, record)
         SELECT value->>0, value->>1, value->>2 FROM json_each(?)`,
        chunk,
      );
    }
  }

  /** Rows of this batch are delivered: what they replace is resolved. */
  delivered(batchId: string, records: readonly number[]): void {
    if (!this.#hasAny) return;
    this.#sql.exec(
      `UPDATE claim SET by_batch_id = ?1, by_record = own
       WHERE by_batch_id IS NULL AND own IN (SELECT value FROM json_each(?2))`,
      batchId,
      JSON.stringify(records),
    );
  }

  /** Another row was delivered in place of these: what they replace is resolved, too. */
  resolved(records: readonly number[], by: RowLocation): void {
    if (!this.#hasAny) return;
    this.#sql.exec(
      `UPDATE claim SET by_batch_id = ?1, by_record = ?2
       WHERE by_batch_id IS NULL AND own IN (SELECT value FROM json_each(?3))`,
      by.batchId,
      by.record,
      JSON.stringify(records),
    );
  }

  hasDue = (): boolean =>
    this.#hasAny && this.#sql.exec('SELECT 1 FROM claim WHERE by_batch_id IS NOT NULL LIMIT 1').toArray().length > 0;

  /** Batches to notify, in order, after one of them. */
  dueBatches(after: string, limit: number): string[] {
    const sql = `SELECT DISTINCT batch_id AS batchId FROM claim WHERE by_batch_id IS NOT NULL AND batch_id > ?
                 ORDER BY batch_id LIMIT ?`;
    return this.#sql
      .exec<{ batchId: string }>(sql, after, limit)
      .toArray()
      .map(({ batchId }) => batchId);
  }

  due(batchId: string, limit: number): DueClaim[] {
    const sql = `SELECT own, record, by_batch_id AS byBatchId, by_record AS byRecord FROM claim
                 WHERE by_batch_id IS NOT NULL AND batch_id = ? ORDER BY own LIMIT ?`;
    return this.#sql
      .exec<ClaimRow>(sql, batchId, limit)
      .toArray()
      .map(({ own, record, byBatchId, byRecord }) => ({ own, record, by: { batchId: byBatchId, record: byRecord } }));
  }

  /** They were notified, or no longer exist. */
  drop(claims: readonly DueClaim[]): void {
    this.#sql.exec(
      'DELETE FROM claim WHERE own IN (SELECT value FROM json_each(?))',
      JSON.stringify(claims.map(({ own }) => own)),
    );
  }
}
