/** Interchanges that came in within their life, by what makes them one: who sent it to whom under which number. */
import type { ClaimedInterchange } from '../batch/envelopes/judged.ts';
import type { ControlRefusal } from '../batch/envelopes/words.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { INTERCHANGE_LIFE_MS } from '../kernel/limits.ts';
import { PLACED_IN } from './rolls.ts';

export const INTERCHANGE_SCHEMA = `
CREATE TABLE IF NOT EXISTS interchange (
  key TEXT PRIMARY KEY, digest TEXT NOT NULL, batch_id TEXT NOT NULL, claimed_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
`;

/** An interchange that has come before; `batchId`: the batch of its file, or the upload of its message; `isSame`: with the same content. */
export interface RepeatedInterchange {
  control: string;
  batchId: string;
  isSame: boolean;
}

/** @param place of the message in which it came. */
export const controlRefusal = (
  { control, batchId, isSame }: RepeatedInterchange,
  place?: { batchId: string; message: number },
): ControlRefusal => ({
  code: isSame ? 'control_duplicate' : 'control_conflict',
  control,
  ...(place ?? { batchId }),
});

/** @returns the first that is known, in the order of the file, also where one file holds it twice. */
export function repeatedInterchange(
  sql: SqlStorage,
  interchanges: readonly ClaimedInterchange[],
  batchId: string,
): RepeatedInterchange | undefined {
  const own = new Map<string, string>();
  for (const { key, control, digest } of interchanges) {
    const twice = own.get(key);
    if (twice !== undefined) return { control, batchId, isSame: twice === digest };
    own.set(key, digest);
    const known = sql
      .exec<{ digest: string; batch_id: string }>('SELECT digest, batch_id FROM interchange WHERE key = ?', key)
      .toArray()[0];
    if (known !== undefined && known.batch_id !== batchId)
      return { control, batchId: known.batch_id, isSame: known.digest === digest };
  }
  return undefined;
}

export function claimInterchanges(
  sql: SqlStorage,
  interchanges: readonly ClaimedInterchange[],
  batchId: string,
  nowMs: number,
): void {
  for (const { key, digest } of interchanges) {
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
  sql.exec('DELETE FROM interchange WHERE claimed_at_ms < ?', nowMs - scaledMs(INTERCHANGE_LIFE_MS, clock));
};

/** Nothing of the batch, or of the message, was taken: its interchanges may come again under the same numbers. */
export const releaseInterchanges = (sql: SqlStorage, batchId: string): void => {
  sql.exec(`DELETE FROM interchange WHERE batch_id = ?1 OR batch_id IN ${PLACED_IN}`, batchId);
};
