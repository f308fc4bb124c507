/** What a batch stores of its rows beside them, and forgets when they are erased. SQL only. */
import { orNoTable } from '../../kernel/migrate.ts';
import type { ErasedRows } from './erased.ts';

/** Rows of release 0.1 are stored still after they were brought into slices. */
const OLD_TABLES = ['request', 'record'] as const;

export function forgetErased(sql: SqlStorage, { records, requests }: ErasedRows): void {
  const numbers = JSON.stringify([...records]);
  const chosen = 'record IN (SELECT value FROM json_each(?))';
  const named = '(record, request) IN (SELECT value->>0, value->>1 FROM json_each(?))';
  const pairs = JSON.stringify(requests);
  sql.exec(`DELETE FROM letter WHERE (request = 0 AND ${chosen}) OR ${named}`, numbers, pairs);
  sql.exec(`UPDATE earlier SET answer = NULL WHERE ${named}`, pairs);
  sql.exec('DELETE FROM look_up'); // only for reading the bytes again, which go, too
  for (const table of OLD_TABLES)
    orNoTable(() => void sql.exec(`DELETE FROM ${table} WHERE ${chosen}`, numbers), undefined);
}
