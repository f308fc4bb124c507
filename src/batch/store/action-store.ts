/**
 * Stored actions on a Batch: who requested what, which requests a retry has chosen, and the outcomes of their earlier
 * generations. SQL only: nothing here decides.
 */

import type { RequestState } from '../../delivery/states.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import { DISPATCH_REQUESTS_MAX } from '../../kernel/limits.ts';
import type { RequestKind } from '../../mapping/request.ts';
import { type BatchCheckpoint, START } from '../core/progress.ts';
import type { EarlierRow, EndedGroup, StoredBatchRequest } from '../core/row.ts';
import type { BatchStore } from './batch-store.ts';
import { inOneStep } from './row-search.ts';
import { followedIn } from './slice.ts';

/** Of an undelivered request that can be sent again: RETRIABLE_STATES. */
export const ENDED = `state IN ('rejected', 'dead', 'cancelled')`;
/** A corrected row is sent by the later batch. */
export const NOT_REPLACED = 'NOT EXISTS (SELECT 1 FROM replacement WHERE replacement.record = letter.record)';
export const IS_CHOSEN =
  'EXISTS (SELECT 1 FROM chosen WHERE (chosen.record, chosen.request) = (letter.record, letter.request))';

/** @property who id of the calling key; detail what was found and answered at that moment. */
interface Action {
  atMs: number;
  who: string;
  what: 'cancel' | 'retry' | 'replay' | 'erase';
  detail: unknown;
}

const UNSENT: readonly RequestState[] = ['queued', 'sending', 'waiting'];

/** `generation` is the ended one until it is raised to the chosen one. */
export type ChosenRequest = StoredBatchRequest & { chosen_generation: number };

type GroupRow = Omit<EndedGroup, 'mayHaveArrived'> & { mayHaveArrived: number; kind: RequestKind };

type ChosenRow = { record: number; request: number; generation: number };

export class ActionStore {
  readonly #sql: SqlStorage;
  readonly #store: BatchStore;

  constructor(sql: SqlStorage, store: BatchStore) {
    this.#sql = sql;
    this.#store = store;
  }

  /** The audit: rows are never changed or deleted. */
  note({ atMs, who, what, detail }: Action): void {
    const sql = 'INSERT INTO action (at_ms, who, what, detail) VALUES (?, ?, ?, ?)';
    this.#sql.exec(sql, atMs, who, what, JSON.stringify(detail));
  }

  /** Requests after `after` up to `last` that their subject may not have sent yet: a report may be on its way. */
  unsent(after: BatchCheckpoint, last: BatchCheckpoint, limit: number): StoredBatchRequest[] {
    return this.#store.openWithin(after, last, (request) => UNSENT.includes(followedIn(request)), limit);
  }

  /** Undelivered ended requests that are not chosen yet, counted by what a retry needs to know of them. */
  ended(): EndedGroup[] {
    const sql = `SELECT kind, state, reason, may_have_arrived AS mayHaveArrived, count(*) AS requests
                 FROM letter WHERE ${ENDED} AND ${NOT_REPLACED} AND NOT ${IS_CHOSEN} GROUP BY 1, 2, 3, 4`;
    return this.#sql
      .exec<GroupRow & Record<string, SqlStorageValue>>(sql)
      .toArray()
      .map((group) => ({ ...group, mayHaveArrived: group.mayHaveArrived === 1 }));
  }

  choose(groups: readonly EndedGroup[]): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO chosen (record, request, generation)
       SELECT record, request, generation + 1 FROM letter WHERE ${ENDED} AND ${NOT_REPLACED} AND EXISTS (
         SELECT 1 FROM json_each(?) AS wanted WHERE value->>'kind' = kind AND value->>'state' = state
           AND value->>'reason' IS reason AND value->>'mayHaveArrived' = may_have_arrived)`,
      JSON.stringify(groups),
    );
  }

  *#chosenRequests(): Generator<ChosenRequest> {
    for (let after: BatchCheckpoint = START; ; ) {
      const sql = `SELECT record, request, generation FROM chosen WHERE (record, request) > (?, ?)
                   ORDER BY record, request LIMIT ?`;
      const page = this.#sql.exec<ChosenRow>(sql, after.record, after.request, DISPATCH_REQUESTS_MAX).toArray();
      for (const { record, request, generation } of page) {
        const stored = this.#store.request(record, request);
        if (stored !== undefined) yield { ...stored, chosen_generation: generation };
      }
      const last = page.at(-1);
      if (last === undefined || page.length < DISPATCH_REQUESTS_MAX) return;
      after = last;
    }
  }

  /** The next chosen requests, in record order. */
  chosen(limit: number): ChosenRequest[] {
    return inOneStep(this.#chosenRequests(), limit);
  }

  /** Whether the row, or its group, is chosen and on its way to its subject. */
  isChosen(record: number): boolean {
    const sql = 'SELECT 1 FROM chosen WHERE record = ?';
    return this.#sql.exec(sql, this.#store.carrierOf(record)).toArray().length > 0;
  }

  /** Chosen requests whose new generation has begun: their subject may have it. */
  raised(limit: number): StoredBatchRequest[] {
    return inOneStep(begun(this.#chosenRequests()), limit);
  }

  /** Begins the next generation; the outcome of the earlier one is stored. The caller writes the new state. */
  raise(requests: readonly ChosenRequest[], retriedAtMs: number): void {
    const earlier = requests.map(({ record, request, generation, reason, outcome, attempts, status, answer, ...row }) =>
      JSON.stringify([
        ...[record, request, generation, followedIn(row), reason],
        ...[outcome, attempts, status, answer, row.decided_at_ms],
      ]),
    );
    for (const rows of jsonArrays(earlier)) {
      this.#sql.exec(
        `INSERT INTO earlier (record, request, generation, state, reason, outcome, attempts, status, answer, decided_at_ms)
         SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, value->>9
         FROM json_each(?)`,
        rows,
      );
    }
    this.#store.raise(requests, retriedAtMs);
  }

  /** Raised requests up to this one are with their subjects; others may have been chosen meanwhile. */
  dispatched(last: BatchCheckpoint): void {
    const sql = 'SELECT record, request, generation FROM chosen WHERE (record, request) <= (?, ?)';
    const chosen = this.#sql.exec<ChosenRow>(sql, last.record, last.request).toArray();
    const raised = chosen.filter(
      ({ record, request, generation }) => this.#store.request(record, request)?.generation === generation,
    );
    for (const keys of jsonArrays(raised.map(({ record, request }) => JSON.stringify([record, request])))) {
      this.#sql.exec(
        'DELETE FROM chosen WHERE (record, request) IN (SELECT value->>0, value->>1 FROM json_each(?))',
        keys,
      );
    }
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

function* begun(chosen: Iterable<ChosenRequest>): Generator<ChosenRequest> {
  for (const request of chosen) if (request.generation === request.chosen_generation) yield request;
}
