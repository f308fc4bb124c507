/** Which rows of a batch are replaced by rows of a later one, and which of those were delivered. SQL only. */
import type { RowLocation } from '../core/row.ts';

/** @property replaced_by the row that is in its place; resolved_by the one that was delivered there. As JSON; null: none. */
interface Replacement {
  replaced_by: string | null;
  resolved_by: string | null;
}

export function replacementOf(sql: SqlStorage, record: number): Replacement | undefined {
  const query = 'SELECT replaced_by, resolved_by FROM replacement WHERE record = ?';
  return sql.exec<Replacement & Record<string, string | null>>(query, record).toArray()[0];
}

/** `resolved_by` of the rows after `after` up to `last` that have it. */
export function resolvedWithin(sql: SqlStorage, after: number, last: number): Map<number, string> {
  const query =
    'SELECT record, resolved_by FROM replacement WHERE record > ? AND record <= ? AND resolved_by IS NOT NULL';
  const rows = sql.exec<{ record: number; resolved_by: string }>(query, after, last).toArray();
  return new Map(rows.map(({ record, resolved_by }) => [record, resolved_by]));
}

export function writeReplacement(sql: SqlStorage, record: number, by: RowLocation): void {
  const query = `INSERT INTO replacement (record, replaced_by) VALUES (?1, ?2)
                 ON CONFLICT (record) DO UPDATE SET replaced_by = ?2`;
  sql.exec(query, record, JSON.stringify(by));
}
