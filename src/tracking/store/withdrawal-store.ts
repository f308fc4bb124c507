/** Takes a batch's requests back at their subject. SQL only: which states can be taken back is `delivery/withdraw.ts`. */
import { WITHDRAWABLE_STATES } from '../../delivery/withdraw.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';

export class WithdrawalStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Idempotent. What was last answered stays with the request. A set of trace points is taken back when all of it is of this
   * batch; with points of another it follows its course.
   */
  withdraw(batchId: string, nowMs: number): void {
    const withdrawn = this.#sql
      .exec<{ seq: number }>(
        `UPDATE request SET state = 'cancelled', reason = NULL, outcome = NULL, at_ms = NULL, revision = revision + 1,
           decided_at_ms = ?2
         WHERE batch_id = ?1 AND state IN (SELECT value FROM json_each(?3))
           AND NOT EXISTS (SELECT 1 FROM request AS other WHERE other.into_seq = request.seq AND other.batch_id <> ?1)
         RETURNING seq`,
        batchId,
        nowMs,
        JSON.stringify(WITHDRAWABLE_STATES),
      )
      .toArray();
    for (const seqs of jsonArrays(withdrawn.map(({ seq }) => String(seq)))) this.#tell(seqs, nowMs);
  }

  /** Queues the news for the batch, also of the points that travelled with what was taken back. */
  #tell(seqs: string, nowMs: number): void {
    this.#sql.exec(
      `UPDATE request SET revision = revision + 1, decided_at_ms = ?2
       WHERE into_seq IN (SELECT value FROM json_each(?1)) AND seq <> into_seq`,
      seqs,
      nowMs,
    );
    this.#sql.exec(
      `INSERT INTO outbox (seq, revision) SELECT seq, revision FROM request
       WHERE seq IN (SELECT value FROM json_each(?1)) OR into_seq IN (SELECT value FROM json_each(?1))
       ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision`,
      seqs,
    );
  }
}
