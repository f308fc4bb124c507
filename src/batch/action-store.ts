/** What a Batch stores of actions on it: who asked for what, and which of its requests they concern. SQL only: nothing here decides. */
import type { BatchMark, StoredBatchRequest } from './batch-store.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS action (
  seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL
);
`;

/** The state a row folds from, as `followedState` says it. */
const FOLLOWED = `CASE state WHEN 'coalesced' THEN into_state ELSE state END`;

/** @property who id of the key that asked; detail what was found and answered at that moment. */
export interface Action {
  atMs: number;
  who: string;
  what: 'cancel' | 'retry';
  detail: unknown;
}

export class ActionStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  /** The audit: never changed, never deleted. */
  note({ atMs, who, what, detail }: Action): void {
    const sql = 'INSERT INTO action (at_ms, who, what, detail) VALUES (?, ?, ?, ?)';
    this.#sql.exec(sql, atMs, who, what, JSON.stringify(detail));
  }

  /** Requests behind `after` up to `last` that may still be unsent at their subject: the news of a sending may be on its way. */
  unsent(after: BatchMark, last: BatchMark, limit: number): StoredBatchRequest[] {
    const sql = `SELECT * FROM request WHERE (record, request) > (?, ?) AND (record, request) <= (?, ?)
                   AND ${FOLLOWED} IN ('queued', 'sending', 'waiting') ORDER BY record, request LIMIT ?`;
    return this.#sql
      .exec<StoredBatchRequest>(sql, after.record, after.request, last.record, last.request, limit)
      .toArray();
  }
}
