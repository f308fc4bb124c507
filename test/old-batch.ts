/** A batch as release 0.1 had stored it: a row per record and per request, and no version. */
import { BATCH_MIGRATIONS } from '../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../src/batch/store/batch-store.ts';
import type { BatchStorage } from '../src/batch/store/stored-values.ts';

/** Made since, or with more columns since. */
const NEW_TABLES = [
  'message_page',
  'slice',
  'slice_outcomes',
  'outcome_log',
  'long_body',
  'letter',
  'replacement',
  'claim',
  'replay_item',
];

const RECORD = 'record line byte_from byte_to place state problems group_record replaces looked_up'.split(' ');
const REQUEST = (
  'record request kind subject scac body state reason outcome revision attempts status answer possible_duplicate late ' +
  'into_batch_id into_record into_request into_state next_at_ms decided_at_ms evidence generation retried_at_ms diff action surprises'
).split(' ');

export function asRelease01(storage: BatchStorage): void {
  const { sql } = storage;
  const store = new BatchStore(storage);
  const records = store.records(0, Number.POSITIVE_INFINITY, null);
  const requests = store.requestsOf(records.map(({ record }) => record));
  const replaced = sql.exec('SELECT record, replaced_by FROM replacement').toArray();
  const tally = JSON.stringify(store.tally());
  for (const table of NEW_TABLES) sql.exec(`DROP TABLE ${table}`);
  sql.exec('DROP TABLE schema_version');
  BATCH_MIGRATIONS.steps[0]?.run(sql, {} as SyncKvStorage);
  const insert = (table: string, columns: readonly string[], row: object): void => {
    const values = columns.map((name) => (row as Record<string, SqlStorageValue>)[name] ?? null);
    sql.exec(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`, ...values);
  };
  for (const record of records) insert('record', RECORD, record);
  for (const request of requests) insert('request', REQUEST, request);
  for (const { record, replaced_by } of replaced)
    sql.exec('UPDATE record SET replaced_by = ? WHERE record = ?', replaced_by, record);
  sql.exec(`INSERT INTO kept (name, json) SELECT each.key, each.value FROM kept, json_each(kept.json) AS each
            WHERE name = 'state' AND key NOT IN ('counts', 'tally', 'openSlice', 'messages')`);
  sql.exec(`DELETE FROM kept WHERE name = 'state'`);
  sql.exec(`INSERT OR REPLACE INTO kept (name, json) VALUES ('tally', ?)`, tally);
}
