/**
 * Control numbers of interchanges that this partner gets from us: counted from 1, each used once, the same for the same
 * interchange however often its acknowledgment is asked for.
 */

/** @param interchange of the batch's file, from 1. Idempotent. */
export function ownControl(sql: SqlStorage, batchId: string, interchange: number): number {
  const query = 'SELECT number FROM own_control WHERE batch_id = ? AND interchange = ?';
  const known = sql.exec<{ number: number }>(query, batchId, interchange).toArray()[0];
  if (known) return known.number;
  // AUTOINCREMENT: a number is not given again once its batch has been forgotten. An INSERT that is ignored would use one up.
  const insert = 'INSERT INTO own_control (batch_id, interchange) VALUES (?, ?) RETURNING number';
  return sql.exec<{ number: number }>(insert, batchId, interchange).one().number;
}

/** As many numbers, none of which is kept: they are used up all the same. */
export function ownControlsOnce(sql: SqlStorage, requestId: string, interchanges: number): number[] {
  const askedBy = `refused ${requestId}`;
  const numbers = Array.from({ length: interchanges }, (_, index) => ownControl(sql, askedBy, index + 1));
  sql.exec('DELETE FROM own_control WHERE batch_id = ?', askedBy);
  return numbers;
}
