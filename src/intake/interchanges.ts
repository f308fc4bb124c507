/** Claimed interchanges within their retention, identified by sender, receiver and control number. */
import type { ClaimedInterchange } from '../batch/envelopes/interchanges.ts';
import {
  bareControl,
  type ControlRefusal,
  type InterchangeFault,
  inUpload,
  REPEATED,
  type RefusedInterchange,
  type RefusedUpload,
} from '../batch/envelopes/validate.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { INTERCHANGE_RETENTION_MS } from '../kernel/limits.ts';
import { messageAt } from './rolling-batches.ts';

/** An interchange received before; `batchId`: the batch of its file, or the upload of its message. */
type RepeatedInterchange = ControlRefusal & { upload?: RefusedUpload };

/** If it came in a message, the refusal names the message. */
export function refusedAtLocation(sql: SqlStorage, repeated: RepeatedInterchange): RefusedInterchange {
  const at = repeated.batchId === null ? undefined : messageAt(sql, repeated.batchId);
  return at === undefined ? repeated : { ...repeated, batchId: at.batchId, message: at.message };
}

/** @returns the first one known, in file order, also if one file has it twice; and what to report of the others. */
export function repeatedInterchange(
  sql: SqlStorage,
  interchanges: readonly ClaimedInterchange[],
  batchId: string,
): RepeatedInterchange | undefined {
  const own = new Map<string, string>();
  const faults: InterchangeFault[] = [];
  const sound: string[] = [];
  let first: ControlRefusal | undefined;
  for (const [place, { key, control, digest }] of interchanges.entries()) {
    const twice = own.get(key);
    const known = twice === undefined ? claimedBy(sql, key, batchId) : { digest: twice, batchId: null };
    if (twice === undefined) own.set(key, digest);
    if (known === undefined) {
      sound.push(control);
      continue;
    }
    const code = known.digest === digest ? 'control_duplicate' : 'control_conflict';
    first ??= { code, control, batchId: known.batchId };
    faults.push({ place, control, code, standard: REPEATED });
  }
  return first && { ...first, ...inUpload({ faults, sound }) };
}

/** @returns the other upload that claims it. */
function claimedBy(sql: SqlStorage, key: string, batchId: string): { digest: string; batchId: string } | undefined {
  const query = 'SELECT digest, batch_id AS batchId FROM interchange WHERE key = ?';
  const known = sql.exec<{ digest: string; batchId: string }>(query, key).toArray()[0];
  return known === undefined || known.batchId === batchId ? undefined : known;
}

/** Where an interchange came in. @property message of a batch that several share. */
export interface KnownInterchange {
  sender: string;
  receiver: string;
  batchId: string;
  message: number | null;
  claimedAtMs: number;
}

/** Interchanges with a control number, newest first. @param control with or without its leading zeros. */
export function interchangesWith(sql: SqlStorage, control: string, limit: number): KnownInterchange[] {
  const query = `SELECT key, batch_id AS uploadId, claimed_at_ms AS claimedAtMs FROM interchange
                 WHERE key->>2 = ? ORDER BY claimed_at_ms DESC LIMIT ?`;
  const found = sql.exec<{ key: string; uploadId: string; claimedAtMs: number }>(query, bareControl(control), limit);
  return found.toArray().map(({ key, uploadId, claimedAtMs }) => {
    const [sender = '', receiver = ''] = JSON.parse(key) as string[];
    const at = messageAt(sql, uploadId);
    return { sender, receiver, batchId: at?.batchId ?? uploadId, message: at?.message ?? null, claimedAtMs };
  });
}

/** The position after one of the list, newest first. */
export interface InterchangeCursor {
  claimedAtMs: number;
  key: string;
}

/** Newest first. @property control as its sender wrote it, without leading zeros. key: for the cursor. */
export function recentInterchanges(
  sql: SqlStorage,
  before: InterchangeCursor | null,
  limit: number,
): (KnownInterchange & { control: string; key: string })[] {
  const { claimedAtMs: atMs, key: last } = before ?? { claimedAtMs: Number.MAX_SAFE_INTEGER, key: '' };
  const query = `SELECT key, batch_id AS uploadId, claimed_at_ms AS claimedAtMs FROM interchange
                 WHERE claimed_at_ms <= ?1 AND (claimed_at_ms, key) < (?1, ?2)
                 ORDER BY claimed_at_ms DESC, key DESC LIMIT ?3`;
  const found = sql.exec<{ key: string; uploadId: string; claimedAtMs: number }>(query, atMs, last, limit);
  return found.toArray().map(({ key, uploadId, claimedAtMs }) => {
    const [sender = '', receiver = '', control = ''] = JSON.parse(key) as string[];
    const at = messageAt(sql, uploadId);
    const batchId = at?.batchId ?? uploadId;
    return { key, sender, receiver, control, batchId, message: at?.message ?? null, claimedAtMs };
  });
}

/** Kind of what a forced upload has taken over, in `released`: under the forced upload, whose it was before. */
export const TAKEN_OVER = 'interchange taken over';

/** @param batchId a forced upload takes over what another one has, which has it again should nothing come of that. */
export function claimInterchanges(
  sql: SqlStorage,
  interchanges: readonly ClaimedInterchange[],
  batchId: string,
  nowMs: number,
): void {
  for (const { key, digest } of interchanges) {
    sql.exec(
      `INSERT OR IGNORE INTO released (batch_id, kind, key, compared, upload_id, claimed_at_ms)
       SELECT ?2, '${TAKEN_OVER}', key, digest, batch_id, claimed_at_ms FROM interchange WHERE key = ?1 AND batch_id <> ?2`,
      key,
      batchId,
    );
    sql.exec(
      `INSERT INTO interchange (key, digest, batch_id, claimed_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET digest = excluded.digest, batch_id = excluded.batch_id, claimed_at_ms = excluded.claimed_at_ms`,
      key,
      digest,
      batchId,
      nowMs,
    );
  }
}

export const forgetOldInterchanges = (sql: SqlStorage, nowMs: number, clock: Clock): void => {
  sql.exec('DELETE FROM interchange WHERE claimed_at_ms < ?', nowMs - scaledMs(INTERCHANGE_RETENTION_MS, clock));
};

/**
 * Nothing of these was accepted: their interchanges may come again under the same numbers, but for those that a forced
 * one has taken over, which go back. @param uploads JSON.
 */
export function releaseInterchanges(sql: SqlStorage, uploads: string): void {
  const these = 'IN (SELECT value FROM json_each(?))';
  const fromEarlier = `SET compared = earlier.compared, upload_id = earlier.upload_id, claimed_at_ms = earlier.claimed_at_ms
    FROM released AS earlier WHERE earlier.batch_id = later.upload_id AND earlier.kind = later.kind AND earlier.key = later.key`;
  const passOn = `UPDATE released AS later ${fromEarlier} AND later.kind = '${TAKEN_OVER}' AND later.upload_id ${these} RETURNING 1`;
  while (sql.exec(passOn, uploads).toArray().length > 0); // several of these may have taken over from each other
  sql.exec(`DELETE FROM released WHERE kind = '${TAKEN_OVER}' AND upload_id ${these}`, uploads);
  sql.exec(
    `UPDATE interchange SET digest = compared, batch_id = upload_id, claimed_at_ms = released.claimed_at_ms FROM released
     WHERE released.batch_id = interchange.batch_id AND kind = '${TAKEN_OVER}' AND released.key = interchange.key
       AND interchange.batch_id ${these}`,
    uploads,
  );
  sql.exec(`DELETE FROM interchange WHERE batch_id ${these}`, uploads);
}

/*
 * Our own control numbers of interchanges sent to this partner: counted from 1, each used once, the same for the same
 * interchange however often its acknowledgment is requested.
 */

/** @param interchange of the batch's file, from 1. Idempotent. */
export function ownControl(sql: SqlStorage, batchId: string, interchange: number): number {
  const query = 'SELECT number FROM own_control WHERE batch_id = ? AND interchange = ?';
  const known = sql.exec<{ number: number }>(query, batchId, interchange).toArray()[0];
  if (known) return known.number;
  // AUTOINCREMENT: a number is not reused once its batch is deleted. An ignored INSERT would use one up.
  const insert = 'INSERT INTO own_control (batch_id, interchange) VALUES (?, ?) RETURNING number';
  return sql.exec<{ number: number }>(insert, batchId, interchange).one().number;
}

/** That many numbers, none of which is stored: they are used up all the same. */
export function ownControlsOnce(sql: SqlStorage, requestId: string, interchanges: number): number[] {
  const askedBy = `refused ${requestId}`;
  const numbers = Array.from({ length: interchanges }, (_, index) => ownControl(sql, askedBy, index + 1));
  sql.exec('DELETE FROM own_control WHERE batch_id = ?', askedBy);
  return numbers;
}
