/** Rows of release 0.1 on their way into slices: what is known of rows with another in their place comes along. */
import { expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { asRelease01 } from '../../old-batch.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow } from './samples.ts';

const BY = JSON.stringify({ batchId: 'b_2', record: 1 });

it('rows with another in their place are still known as such, and only these', () => {
  const database = new ObjectDatabase(() => '');
  const { sql } = storageOf(database, BATCH_MIGRATIONS);
  const before = new BatchStore(sql);
  const rows = [aMappedRow(1, 1), aMappedRow(2, 1), aMappedRow(3, 0, { group: 2 }), aMappedRow(4, 1)];
  before.addRows(rows, () => 'queued');
  before.keepTally({ records: { queued: 4 }, requests: { queued: 3 } });
  asRelease01(sql);
  storageOf(database, BATCH_MIGRATIONS);
  sql.exec('UPDATE record SET replaced_by = ? WHERE record IN (1, 2)', BY);
  sql.exec('UPDATE record SET resolved_by = ? WHERE record IN (2, 3)', BY);
  const store = new BatchStore(sql);
  while (store.oldRows.areLeft) store.oldRows.step();
  expect(database.read('SELECT record, replaced_by, resolved_by FROM replacement ORDER BY record')).toEqual([
    { record: 1, replaced_by: BY, resolved_by: null },
    { record: 2, replaced_by: BY, resolved_by: BY },
    { record: 3, replaced_by: null, resolved_by: BY },
  ]);
});
