/** What is under way in an environment: rows of open batches by partner and state, from the list of batches. */
import type { RecordState } from '../../delivery/outcome.ts';
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';

/** Rows of a partner's open batches in one state. Dry runs are left out. */
export interface BacklogLine {
  partner: string;
  state: RecordState;
  rows: number;
  batches: number;
  /** When the oldest of their batches was received, and which it is. */
  oldestMs: number;
  batchId: string;
  /**
   * When the most silent batch that reads, or has a call under way, last said anything; null: none does. Rows that wait for
   * their time, or for an order that is looked up, are silent for hours and rightly so.
   */
  silentSinceMs: number | null;
}

/** The bridge acts next. A row that is held waits for a person, and has an alert of its own. */
export const MOVING_ROWS: readonly RecordState[] = ['queued', 'sending', 'waiting', 'unknown'];

export type Backlog = ReturnType<typeof backlogIn>;

/** Reads open batches only, by their index: as many lines as they have states. */
export const backlogIn = (database: D1Database) => ({
  read: (environment: Environment): Promise<Result<BacklogLine[], DirectoryUnavailable>> =>
    directoryReached(async () => {
      const found = await database
        .prepare(
          `SELECT partner, each.key AS state, sum(each.value) AS rows, count(*) AS batches, min(received_at_ms) AS oldestMs,
             substr(min(printf('%016d', received_at_ms) || batch_id), 17) AS batchId,
             min(CASE WHEN state = 'reading' OR each.key = 'sending' THEN written_at_ms END) AS silentSinceMs
           FROM batch_index, json_each(row_states) AS each
           WHERE environment = ? AND settled_at_ms IS NULL AND is_dry_run = 0 AND each.value > 0
           GROUP BY partner, each.key ORDER BY partner, each.key`,
        )
        .bind(environment)
        .all<BacklogLine>();
      return ok(found.results);
    }),
});
