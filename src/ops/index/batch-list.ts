/**
 * Batches of an environment across partners, from the index in D1: lists, the owner of a batch, what was refused
 * lately.
 * Only a list: the index may be some seconds late; the batch itself is right.
 */
import type { IndexedBatch } from '../../batch/steps/batch-index.ts';
import { RETRIABLE_STATES } from '../../delivery/retry.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';

export type ListedBatch = IndexedBatch & { written_at_ms: number };

/**
 * What needs a person: rows that wait for a decision, rows that were refused, files that could not be read, batches
 * that cannot continue.
 */
export const NEEDS = ['held', 'refused', 'unreadable', 'trouble'] as const;
type Need = (typeof NEEDS)[number];

/** The position after one batch of the list, newest first. */
export interface BatchListCursor {
  receivedAtMs: number;
  batchId: string;
}

/**
 * null: any. @property fileName a part of it, in any case. fromMs, toMs: received from this time on, before that time.
 */
export interface BatchListQuery {
  environment: Environment;
  partner: string | null;
  states: readonly string[] | null;
  mapping: string | null;
  fileName: string | null;
  fromMs: number | null;
  toMs: number | null;
  needs: readonly Need[] | null;
  after: BatchListCursor | null;
  limit: number;
}

/** One kind of need of one partner. */
export interface NeedOfPartner {
  partner: string;
  need: Need;
  /** Rows that wait or were refused; for the other kinds, batches. */
  count: number;
  batches: number;
  /** When the oldest of them was received. */
  oldestMs: number;
  /** The newest of them. */
  batchId: string;
}

type Answer<T> = Promise<Result<T, DirectoryUnavailable>>;

export type BatchList = ReturnType<typeof batchList>;

const NEED_CLAUSES: Record<Need, string> = {
  held: 'held > 0',
  refused: '(refused > 0 AND is_dry_run = 0)',
  unreadable: `(state = 'unreadable' AND is_dry_run = 0)`,
  trouble: 'trouble IS NOT NULL',
};

export function batchList(database: D1Database) {
  const read = (sql: string, values: readonly unknown[]): Answer<ListedBatch[]> =>
    directoryReached(async () =>
      ok(
        (
          await database
            .prepare(sql)
            .bind(...values)
            .all<ListedBatch>()
        ).results,
      ),
    );
  return {
    /** Newest first. */
    list: (asked: BatchListQuery): Answer<ListedBatch[]> => {
      const { clauses, values } = clausesOf(asked);
      const sql = `SELECT * FROM batch_index WHERE ${clauses.join(' AND ')} ORDER BY received_at_ms DESC, batch_id DESC LIMIT ?`;
      return read(sql, [...values, asked.limit]);
    },
    /** Whose batch it is. @returns undefined where the index does not say. */
    async owner(environments: readonly Environment[], batchId: string): Answer<ListedBatch | undefined> {
      const sql = 'SELECT * FROM batch_index WHERE environment IN (SELECT value FROM json_each(?)) AND batch_id = ?';
      const found = await read(sql, [JSON.stringify(environments), batchId]);
      return found.ok ? ok(found.value[0]) : found;
    },
    /** By id, those that the index knows. */
    async named(environment: Environment, batchIds: readonly string[]): Answer<Map<string, ListedBatch>> {
      const sql = 'SELECT * FROM batch_index WHERE environment = ? AND batch_id IN (SELECT value FROM json_each(?))';
      const found = await read(sql, [environment, JSON.stringify(batchIds)]);
      return found.ok ? ok(new Map(found.value.map((row) => [row.batch_id, row]))) : found;
    },
    /**
     * Of a partner, oldest first, without dry runs: those with requests that may be sent again, those that are open, and
     * maybe others. A row counts under the worst of its requests, so that an ended one shows what it has.
     */
    replayable: (
      { environment, partner }: PartnerScope,
      after: BatchListCursor | null,
      limit: number,
    ): Answer<ListedBatch[]> =>
      read(
        `SELECT * FROM batch_index WHERE environment = ?1 AND partner = ?2 AND (received_at_ms, batch_id) > (?3, ?4)
           AND is_dry_run = 0 AND (settled_at_ms IS NULL OR EXISTS (SELECT 1 FROM json_each(row_states)
             WHERE key IN (SELECT value FROM json_each(?5)) AND value > 0))
         ORDER BY received_at_ms, batch_id LIMIT ?6`,
        [
          environment,
          partner,
          after?.receivedAtMs ?? -1,
          after?.batchId ?? '',
          JSON.stringify(RETRIABLE_STATES),
          limit,
        ],
      ),
    /** What needs a person, per partner. Ended and undelivered work counts only in batches received since then. */
    needs: (environment: Environment, sinceMs: number): Answer<NeedOfPartner[]> =>
      directoryReached(async () => ok(await needsOf(database, environment, sinceMs))),
    /** Rows that were not written since then, by id. */
    writtenBefore: (environment: Environment, beforeMs: number, after: string, limit: number): Answer<ListedBatch[]> =>
      read(
        'SELECT * FROM batch_index WHERE environment = ? AND written_at_ms < ? AND batch_id > ? ORDER BY batch_id LIMIT ?',
        [environment, beforeMs, after, limit],
      ),
    remove: (environment: Environment, batchId: string): Answer<null> =>
      directoryReached(async () => {
        const sql = 'DELETE FROM batch_index WHERE environment = ? AND batch_id = ?';
        await database.prepare(sql).bind(environment, batchId).run();
        return ok(null);
      }),
  };
}

function clausesOf(asked: BatchListQuery): { clauses: string[]; values: unknown[] } {
  const { partner, states, mapping, fileName, fromMs, toMs, needs, after } = asked;
  const clauses = ['environment = ?'];
  const values: unknown[] = [asked.environment];
  const only = (clause: string, ...bound: unknown[]): void => {
    clauses.push(clause);
    values.push(...bound);
  };
  if (partner !== null) only('partner = ?', partner);
  if (states !== null) only('state IN (SELECT value FROM json_each(?))', JSON.stringify(states));
  if (mapping !== null) only('mapping = ?', mapping);
  if (fileName !== null) only('instr(lower(file_name), lower(?)) > 0', fileName);
  if (fromMs !== null) only('received_at_ms >= ?', fromMs);
  if (toMs !== null) only('received_at_ms < ?', toMs);
  if (needs !== null) only(`needs_somebody = 1 AND (${needs.map((need) => NEED_CLAUSES[need]).join(' OR ')})`);
  if (after !== null) only('(received_at_ms, batch_id) < (?, ?)', after.receivedAtMs, after.batchId);
  return { clauses, values };
}

const NEED_COUNTS: Record<Need, string> = {
  held: 'sum(held)',
  refused: 'sum(refused)',
  unreadable: 'count(*)',
  trouble: 'count(*)',
};
/** These last until somebody acts. */
const LASTING: ReadonlySet<Need> = new Set(['held', 'trouble']);

async function needsOf(database: D1Database, environment: Environment, sinceMs: number): Promise<NeedOfPartner[]> {
  const newest = `substr(max(printf('%016d', received_at_ms) || batch_id), 17)`;
  const statements = NEEDS.map((need) =>
    database
      .prepare(
        `SELECT partner, '${need}' AS need, ${NEED_COUNTS[need]} AS count, count(*) AS batches,
           min(received_at_ms) AS oldestMs, ${newest} AS batchId
         FROM batch_index WHERE environment = ? AND needs_somebody = 1 AND received_at_ms >= ? AND ${NEED_CLAUSES[need]}
         GROUP BY partner ORDER BY partner`,
      )
      .bind(environment, LASTING.has(need) ? 0 : sinceMs),
  );
  return (await database.batch<NeedOfPartner>(statements)).flatMap(({ results }) => results);
}
