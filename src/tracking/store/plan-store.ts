/** What each operation of an order does, decided once at its first turn; and the differences that were counted. SQL only: nothing here decides. */
import type { CountedDelta, DeltaLine } from '../../delivery/orders/merge/counting.ts';
import type { OrderPlan } from '../../delivery/orders/plan.ts';

/** An operation that is sent. */
export type SentPlan = Extract<OrderPlan, { does: 'create' | 'update' | 'cancel' }>;

export type StoredOperation = {
  seq: number;
  does: SentPlan['does'];
  /** NULL for a create: which one that is shows when it is accepted. */
  incarnation: number | null;
  order_id: string | null;
  /** Sent byte for byte on every try; '' for a cancel. */
  body: string;
  /** What the order is when it was accepted; NULL for a cancel. */
  document: string | null;
  /** JSON: the differences it counts. */
  lines: string | null;
};

export class PlanStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  of(seq: number): StoredOperation | null {
    return this.#sql.exec<StoredOperation>('SELECT * FROM operation WHERE seq = ?', seq).toArray()[0] ?? null;
  }

  /** The first decision stands. */
  keep(seq: number, plan: SentPlan): void {
    const row = {
      incarnation: 'incarnation' in plan ? plan.incarnation : null,
      orderId: 'orderId' in plan ? plan.orderId : null,
      body: 'body' in plan ? plan.body : '',
      document: 'document' in plan ? plan.document : null,
      lines: 'lines' in plan ? JSON.stringify(plan.lines) : null,
    };
    this.#sql.exec(
      'INSERT OR IGNORE INTO operation (seq, does, incarnation, order_id, body, document, lines) VALUES (?, ?, ?, ?, ?, ?, ?)',
      seq,
      plan.does,
      row.incarnation,
      row.orderId,
      row.body,
      row.document,
      row.lines,
    );
    if (plan.does === 'update') {
      this.#sql.exec('UPDATE request SET diff = ? WHERE seq = ?', JSON.stringify(plan.shown), seq);
    }
  }

  counted(incarnation: number, line: string): CountedDelta | undefined {
    const sql = 'SELECT amount, seq FROM counted_delta WHERE incarnation = ? AND line = ?';
    return this.#sql.exec<{ amount: number; seq: number }>(sql, incarnation, line).toArray()[0];
  }

  /** The operation was accepted, and made or changed this incarnation of the order. Idempotent. */
  count({ seq, lines }: StoredOperation, incarnation: number): void {
    const sql = 'INSERT OR IGNORE INTO counted_delta (incarnation, line, amount, seq) VALUES (?, ?, ?, ?)';
    for (const { line, amount } of JSON.parse(lines ?? '[]') as DeltaLine[]) {
      this.#sql.exec(sql, incarnation, line, amount, seq);
    }
  }

  /** It was not done after all. */
  uncount(seq: number): void {
    this.#sql.exec('DELETE FROM counted_delta WHERE seq = ?', seq);
  }

  /** Operations behind this one of which nothing has left are decided anew: they were with what it was to make of the order. */
  forgetBehind(seq: number): void {
    const sql = `DELETE FROM operation WHERE seq > ? AND seq NOT IN (SELECT seq FROM attempt WHERE purpose = 'send') RETURNING seq`;
    for (const { seq: behind } of this.#sql.exec<{ seq: number }>(sql, seq).toArray()) {
      this.#sql.exec('UPDATE request SET diff = NULL WHERE seq = ?', behind);
    }
  }

  /** When the last update of an incarnation that had no clear answer may have left last; null where all were clear. */
  lastUnclearMs(incarnation: number): number | null {
    const sql = `SELECT max(started_at_ms + coalesce(latency_ms, 0)) AS at FROM operation JOIN attempt USING (seq)
                 WHERE operation.incarnation = ? AND operation.does = 'update' AND attempt.purpose = 'send' AND attempt.effect = 'unknown'`;
    return this.#sql.exec<{ at: number | null }>(sql, incarnation).one().at;
  }
}
