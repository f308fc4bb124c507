/** Rows of release 0.1 on their way into slices: as many at a time as fit, and with what is known of rows in their place. */
import { expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { DISPATCH_CHARACTERS_MAX } from '../../../src/batch/limits.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { asRelease01 } from '../../old-batch.ts';
import { storageOf } from '../object-storage.ts';
import { aBody, aMappedRow } from './samples.ts';

const BY = JSON.stringify({ batchId: 'b_2', record: 1 });

/** @param change of what release 0.1 had stored, before any of it comes over. */
function comesOver(rows: readonly MappedRow[], change: (sql: SqlStorage) => void = () => undefined) {
  const database = new ObjectDatabase(() => '');
  const storage = storageOf(database, BATCH_MIGRATIONS);
  const { sql } = storage;
  const before = new BatchStore(storage);
  before.addRows(rows, () => 'queued');
  before.keepTally({ records: { queued: rows.length }, requests: { queued: rows.length } });
  asRelease01(storage);
  storageOf(database, BATCH_MIGRATIONS);
  change(sql);
  const store = new BatchStore(storage);
  let steps = 0;
  for (; store.oldRows.areLeft; steps += 1) store.oldRows.step();
  return { database, store, steps };
}

it('rows with long bodies come over in as few parts as they fit into', () => {
  const note = 'x'.repeat(DISPATCH_CHARACTERS_MAX / 3);
  const rows = [1, 2, 3, 4, 5, 6].map((record) => {
    const row = aMappedRow(record, 1);
    return { ...row, requests: row.requests.map((each) => ({ ...each, body: { ...aBody(), note } })) } as MappedRow;
  });
  const { store, steps } = comesOver(rows);
  expect([store.lastRecord(), steps]).toEqual([6, 2]);
});

it('rows with another in their place are still known as such, and only these', () => {
  const rows = [aMappedRow(1, 1), aMappedRow(2, 1), aMappedRow(3, 0, { group: 2 }), aMappedRow(4, 1)];
  const { database } = comesOver(rows, (sql) => {
    sql.exec('UPDATE record SET replaced_by = ? WHERE record IN (1, 2)', BY);
    sql.exec('UPDATE record SET resolved_by = ? WHERE record IN (2, 3)', BY);
  });
  expect(database.read('SELECT record, replaced_by, resolved_by FROM replacement ORDER BY record')).toEqual([
    { record: 1, replaced_by: BY, resolved_by: null },
    { record: 2, replaced_by: BY, resolved_by: BY },
    { record: 3, replaced_by: null, resolved_by: BY },
  ]);
});
