/**
 * What a wholly withdrawn batch has let go of: its file, the keys and control numbers of its uploads. They may come again
 * as new work; until they do, the batch can take them back, so that a retry sends nothing twice.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { CLAIM_RETENTION_MS, INTERCHANGE_RETENTION_MS } from '../kernel/limits.ts';
import { releaseInterchanges, TAKEN_OVER } from './interchanges.ts';

/** By table, what is compared with a repeat, and how long the table keeps it. */
const CLAIM_TABLES = [
  { table: 'idempotency', compared: 'fingerprint', retentionMs: CLAIM_RETENTION_MS },
  { table: 'interchange', compared: 'digest', retentionMs: INTERCHANGE_RETENTION_MS },
] as const;

/** @param uploads of the batch, as JSON; mayReturn: it may be retried. */
export function releaseClaims(sql: SqlStorage, batchId: string, uploads: string, mayReturn: boolean): void {
  sql.exec('DELETE FROM claim WHERE batch_id = ?', batchId);
  for (const { table, compared } of CLAIM_TABLES) {
    if (mayReturn)
      sql.exec(
        `INSERT OR REPLACE INTO released (batch_id, kind, key, compared, upload_id, claimed_at_ms)
         SELECT ?1, '${table}', key, ${compared}, batch_id, claimed_at_ms FROM ${table}
         WHERE batch_id IN (SELECT value FROM json_each(?2))`,
        batchId,
        uploads,
      );
  }
  sql.exec('DELETE FROM idempotency WHERE batch_id IN (SELECT value FROM json_each(?))', uploads);
  releaseInterchanges(sql, uploads);
}

/** Of a holder: a message's ticket is that of its batch. */
const IS_DRY_RUN = `EXISTS (SELECT 1 FROM batch WHERE ticket ->> '$.dryRun' AND batch.batch_id =
  coalesce((SELECT message.batch_id FROM message WHERE message.upload_id = holder.batch_id), holder.batch_id))`;

/** Of a holder: a forced upload had its claim from it, and it has it again. @param upload the forced one, in SQL. */
const hadBefore = (holder: string, upload: string): string =>
  `EXISTS (SELECT 1 FROM released AS own WHERE own.batch_id = ${upload} AND own.kind = '${TAKEN_OVER}'
     AND own.key = ${holder}.key AND own.upload_id = ${holder}.batch_id)`;

/**
 * @returns the upload that came since under a key or control number of the batch, while that would have been refused but
 * for the withdrawal. Not a dry run, which has taken a key and sends nothing.
 */
export function claimedSince(sql: SqlStorage, batchId: string, clock: Clock): string | undefined {
  for (const { table, retentionMs } of CLAIM_TABLES) {
    const query = `SELECT holder.batch_id AS uploadId FROM released JOIN ${table} AS holder USING (key)
                   WHERE released.batch_id = ?1 AND kind = '${table}' AND holder.batch_id <> upload_id
                     AND holder.claimed_at_ms < released.claimed_at_ms + ?2 AND NOT ${IS_DRY_RUN}
                     AND NOT ${hadBefore('holder', 'released.upload_id')} LIMIT 1`;
    const held = sql.exec<{ uploadId: string }>(query, batchId, scaledMs(retentionMs, clock)).toArray()[0];
    if (held !== undefined) return held.uploadId;
  }
  return undefined;
}

/** The batch has them again, but for what somebody else may have by now. */
export function takeBack(sql: SqlStorage, batchId: string): void {
  for (const { table, compared } of CLAIM_TABLES)
    sql.exec(
      `INSERT INTO ${table} (key, ${compared}, batch_id, claimed_at_ms)
       SELECT key, compared, upload_id, claimed_at_ms FROM released WHERE batch_id = ? AND kind = '${table}'
       ON CONFLICT (key) DO UPDATE
       SET ${compared} = excluded.${compared}, batch_id = excluded.batch_id, claimed_at_ms = excluded.claimed_at_ms
       WHERE ${hadBefore(table, 'excluded.batch_id')}`,
      batchId,
    );
  sql.exec(`DELETE FROM released WHERE batch_id = ? AND kind <> '${TAKEN_OVER}'`, batchId);
}
