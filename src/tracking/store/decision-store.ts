/** What a subject stores of decisions that people made about its held requests: the audit, append-only. SQL only: nothing here decides. */
import type { Decision } from '../../delivery/decisions.ts';

export type StoredDecision = {
  id: string;
  seq: number;
  at_ms: number;
  /** Id of the operator's key; `name` is that of its holder. */
  who: string;
  name: string;
  why: string;
  decision: Decision;
  order_id: string | null;
  outcome: 'not_applied' | 'unknown' | null;
  before: string;
  after: string;
};

export class DecisionStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(id: string): StoredDecision | undefined {
    return this.#sql.exec<StoredDecision>('SELECT * FROM decision WHERE id = ?', id).toArray()[0];
  }

  note(made: StoredDecision): void {
    this.#sql.exec(
      `INSERT INTO decision (id, seq, at_ms, who, name, why, decision, order_id, outcome, before, after)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      made.id,
      made.seq,
      made.at_ms,
      made.who,
      made.name,
      made.why,
      made.decision,
      made.order_id,
      made.outcome,
      made.before,
      made.after,
    );
  }

  /** About these requests, oldest first. */
  of(seqs: readonly number[]): StoredDecision[] {
    const sql = `SELECT id, seq, at_ms, who, name, why, decision, order_id, outcome, before, after FROM decision
                 WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY number`;
    return this.#sql.exec<StoredDecision>(sql, JSON.stringify(seqs)).toArray();
  }

  /** It goes out again on a person's word: it has this long, and may arrive twice. */
  approveResend(seq: number, deadlineMs: number): void {
    this.#sql.exec('UPDATE request SET deadline_ms = ?, possible_duplicate = 1 WHERE seq = ?', deadlineMs, seq);
  }
}
