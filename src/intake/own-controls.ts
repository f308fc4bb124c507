/**
 * Control numbers of interchanges that this partner gets from us: counted from 1, each used once, the same for the same
 * interchange however often its acknowledgment is asked for.
 */

export const OWN_CONTROL_SCHEMA = `
CREATE TABLE IF NOT EXISTS own_control (
  number INTEGER PRIMARY KEY AUTOINCREMENT, batch_id TEXT NOT NULL, interchange INTEGER NOT NULL,
  UNIQUE (batch_id, interchange)
);
`;

/** @param interchange of the batch's file, from 1. Idempotent. */
export function ownControl(sql: SqlStorage, batchId: string, interchange: number): number {
  // AUTOINCREMENT: a number is not given again once its batch has been forgotten.
  sql.exec('INSERT OR IGNORE INTO own_control (batch_id, interchange) VALUES (?, ?)', batchId, interchange);
  const query = 'SELECT number FROM own_control WHERE batch_id = ? AND interchange = ?';
  return sql.exec<{ number: number }>(query, batchId, interchange).one().number;
}
