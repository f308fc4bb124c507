/** What a subject's end reads of its tables. SQL only: nothing here decides. */
import type { SubjectFacts } from '../lifetime.ts';
import { OPEN_STATES, type StoredAttempt, type StoredRequest, type TimelineEntry } from './subject-tables.ts';

/** What is moved by time or by an answer; `held` waits for a person. */
const MOVING_STATES = `('queued', 'sending', 'waiting', 'unknown')`;

export class LifeStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  facts(): SubjectFacts {
    const sql = `SELECT count(*) AS requests, coalesce(sum(state IN ${OPEN_STATES}), 0) AS open,
                   (SELECT count(*) FROM outbox) AS untold, coalesce(sum(revision), 0) AS revisions,
                   max(max(taken_at_ms, decided_at_ms)) AS lastEventMs FROM request`;
    return this.#sql.exec<{ [Key in keyof SubjectFacts]: SubjectFacts[Key] }>(sql).one();
  }

  /** Whether a wake-up would find something to do, now or later. */
  hasWork(): boolean {
    const sql = `SELECT EXISTS (SELECT 1 FROM request WHERE state IN ${MOVING_STATES}) OR EXISTS (SELECT 1 FROM outbox) AS found`;
    return this.#sql.exec<{ found: number }>(sql).one().found === 1;
  }

  batches(): string[] {
    return this.#sql
      .exec<{ id: string }>('SELECT DISTINCT batch_id AS id FROM request ORDER BY batch_id')
      .toArray()
      .map(({ id }) => id);
  }

  seqsOf(batchId: string): number[] {
    return this.#sql
      .exec<{ seq: number }>('SELECT seq FROM request WHERE batch_id = ? ORDER BY seq', batchId)
      .toArray()
      .map(({ seq }) => seq);
  }

  /** undefined: it is there no more. */
  entry(seq: number): TimelineEntry | undefined {
    const request = this.#sql.exec<StoredRequest>('SELECT * FROM request WHERE seq = ?', seq).toArray()[0];
    const attempts = 'SELECT * FROM attempt WHERE seq = ? ORDER BY attempt';
    return request && { request, attempts: this.#sql.exec<StoredAttempt>(attempts, seq).toArray() };
  }
}
