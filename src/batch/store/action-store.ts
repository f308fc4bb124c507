/**
 * Stored actions on a Batch: who requested what, which requests a retry has chosen, and the outcomes of their earlier
 * generations. SQL only: nothing here decides.
 */

import { jsonArrays } from '../../kernel/json-arrays.ts';
import type { RequestKind } from '../../mapping/request.ts';
import type { BatchCheckpoint } from '../core/progress.ts';
import type { EarlierRow, EndedGroup, StoredBatchRequest } from '../core/row.ts';
import { inOneStep } from './batch-store.ts';

/** The state that counts for the row, as in `followedState`. */
export const FOLLOWED = `CASE state WHEN 'coalesced' THEN into_state ELSE state END`;
/** Written as in the index, so that SQLite uses it: RETRIABLE_STATES. */
export const ENDED = `${FOLLOWED} IN ('rejected', 'dead', 'cancelled')`;
/** A corrected row is sent by the later batch. */
export const NOT_REPLACED =
  'NOT EXISTS (SELECT 1 FROM record WHERE record.record = request.record AND coalesce(record.replaced_by, record.resolved_by) IS NOT NULL)';
export const MAY_HAVE_ARRIVED = `(outcome IS 'unknown' OR possible_duplicate = 1)`;
/** CROSS JOIN: few are chosen, so they are read first. */
const CHOSEN = 'chosen CROSS JOIN request USING (record, request)';

/** @property who id of the calling key; detail what was found and answered at that moment. */
export interface Action {
  atMs: number;
  who: string;
  what: 'cancel' | 'retry' | 'replay';
  detail: unknown;
}

/** `generation` is the ended one until it is raised to the chosen one. */
export type ChosenRequest = StoredBatchRequest & { chosen_generation: number };

type GroupRow = Omit<EndedGroup, 'mayHaveArrived'> & { mayHaveArrived: number; kind: RequestKind };

export class ActionStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The audit: rows are never changed or deleted. */
  note({ atMs, who, what, detail }: Action): void {
    const sql = 'INSERT INTO action (at_ms, who, what, detail) VALUES (?, ?, ?, ?)';
    this.#sql.exec(sql, atMs, who, what, JSON.stringify(detail));
  }

  /** Requests after `after` up to `last` that their subject may not have sent yet: a report may be on its way. */
  unsent(after: BatchCheckpoint, last: BatchCheckpoint, limit: number): StoredBatchRequest[] {
    const sql = `SELECT * FROM request WHERE (record, request) > (?, ?) AND (record, request) <= (?, ?)
                   AND ${FOLLOWED} IN ('queued', 'sending', 'waiting') ORDER BY record, request LIMIT ?`;
    return inOneStep(
      this.#sql.exec<StoredBatchRequest>(sql, after.record, after.request, last.record, last.request, limit),
    );
  }

  /** Undelivered ended requests that are not chosen yet, counted by what a retry needs to know of them. */
  ended(): EndedGroup[] {
    const sql = `SELECT kind, ${FOLLOWED} AS state, reason, ${MAY_HAVE_ARRIVED} AS mayHaveArrived, count(*) AS requests
                 FROM request WHERE ${ENDED} AND ${NOT_REPLACED}
                   AND NOT EXISTS (SELECT 1 FROM chosen WHERE (chosen.record, chosen.request) = (request.record, request.request))
                 GROUP BY 1, 2, 3, 4`;
    return this.#sql
      .exec<GroupRow & Record<string, SqlStorageValue>>(sql)
      .toArray()
      .map((group) => ({ ...group, mayHaveArrived: group.mayHaveArrived === 1 }));
  }

  choose(groups: readonly EndedGroup[]): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO chosen (record, request, generation)
       SELECT record, request, generation + 1 FROM request WHERE ${ENDED} AND ${NOT_REPLACED} AND EXISTS (
         SELECT 1 FROM json_each(?) AS wanted WHERE value->>'kind' = kind AND value->>'state' = ${FOLLOWED}
           AND value->>'reason' IS reason AND value->>'mayHaveArrived' = ${MAY_HAVE_ARRIVED})`,
      JSON.stringify(groups),
    );
  }

  /** The next chosen requests, in record order. */
  chosen(limit: number): ChosenRequest[] {
    const sql = `SELECT request.*, chosen.generation AS chosen_generation FROM ${CHOSEN}
                 ORDER BY chosen.record, chosen.request LIMIT ?`;
    return inOneStep(this.#sql.exec<ChosenRequest>(sql, limit));
  }

  /** Whether the row, or its group, is chosen and on its way to its subject. */
  isChosen(record: number): boolean {
    const sql =
      'SELECT 1 FROM chosen WHERE record = (SELECT COALESCE(group_record, record) FROM record WHERE record = ?)';
    return this.#sql.exec(sql, record).toArray().length > 0;
  }

  /** Chosen requests whose new generation has begun: their subject may have it. */
  raised(limit: number): StoredBatchRequest[] {
    const sql = `SELECT request.* FROM ${CHOSEN} WHERE request.generation = chosen.generation
                 ORDER BY chosen.record, chosen.request LIMIT ?`;
    return inOneStep(this.#sql.exec<StoredBatchRequest>(sql, limit));
  }

  /** Begins the next generation; the outcome of the earlier one is stored. The caller writes the new state. */
  raise(requests: readonly ChosenRequest[], retriedAtMs: number): void {
    for (const keys of jsonArrays(requests.map(({ record, request }) => JSON.stringify([record, request])))) {
      this.#sql.exec(
        `INSERT INTO earlier (record, request, generation, state, reason, outcome, attempts, status, answer, decided_at_ms)
         SELECT record, request, generation, ${FOLLOWED}, reason, outcome, attempts, status, answer, decided_at_ms
         FROM request WHERE (record, request) IN (SELECT value->>0, value->>1 FROM json_each(?))`,
        keys,
      );
      this.#sql.exec(
        `UPDATE request SET generation = generation + 1, revision = -1, retried_at_ms = ?2
         WHERE (record, request) IN (SELECT value->>0, value->>1 FROM json_each(?1))`,
        keys,
        retriedAtMs,
      );
    }
  }

  /** Raised requests up to this one are with their subjects; others may have been chosen meanwhile. */
  dispatched({ record, request }: BatchCheckpoint): void {
    const sql = `DELETE FROM chosen WHERE (record, request) <= (?, ?) AND generation =
                   (SELECT generation FROM request WHERE (record, request) = (chosen.record, chosen.request))`;
    this.#sql.exec(sql, record, request);
  }

  /** Drops the choice. Requests already raised stay so. */
  chooseNothing(): void {
    this.#sql.exec('DELETE FROM chosen');
  }

  /** Outcomes of earlier generations of these records' requests, oldest first. */
  earlier(records: readonly number[]): EarlierRow[] {
    const sql = `SELECT earlier.* FROM json_each(?) AS asked JOIN earlier ON earlier.record = asked.value
                 ORDER BY record, request, generation`;
    return this.#sql.exec<EarlierRow>(sql, JSON.stringify(records)).toArray();
  }
}
