/** What a batch stores of its watch and of rows that stand for earlier ones, on its tables alone. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { WatchPass } from '../../../src/batch/core/watch.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { ClaimStore } from '../../../src/batch/store/claim-store.ts';
import { WatchStore } from '../../../src/batch/store/watch-store.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow } from './samples.ts';

const aSql = (): SqlStorage => storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS).sql;
const START = { record: 0, request: 0 };

describe('the watch over loads and orders', () => {
  it('goes on where its last look ended, until it is forgotten', () => {
    const watch = new WatchStore(aSql());
    expect(watch.pass()).toBeUndefined();
    const pass = { from: START, at: { record: 3, request: 1 }, metOpen: true, dueMs: 7, lookAtMs: 9 } as WatchPass;
    watch.keepPass({ ...pass, at: START });
    watch.keepPass(pass);
    expect(watch.pass()).toEqual(pass);
    watch.forget();
    expect(watch.pass()).toBeUndefined();
  });

  it('knows of each request whether its subject was woken', () => {
    const sql = aSql();
    const [watch, store] = [new WatchStore(sql), new BatchStore(sql)];
    store.addRows([aMappedRow(1, 1), aMappedRow(2, 2)], () => 'queued');
    const all = () => watch.requests(START, { record: 2, request: 2 }, 10);
    expect(all().map(({ record, request, poked }) => [record, request, poked])).toEqual([
      [1, 1, null],
      [2, 1, null],
      [2, 2, null],
    ]);
    const poked = { pokes: 2, atMs: 5, quietUntilMs: 8 };
    const [first] = all();
    if (first === undefined) throw new Error('no request is stored');
    watch.keepPoked(first, poked);
    const same = all().filter(({ scac, subject }) => scac === first.scac && subject === first.subject);
    expect(same.map((each) => each.poked)).toEqual(same.map(() => poked));
    expect(watch.requests({ record: 1, request: 1 }, { record: 2, request: 1 }, 10)).toHaveLength(1);
  });
});

describe('rows that stand for rows of earlier batches', () => {
  const standing = () => ({ ...aMappedRow(1, 1), standsFor: { batchId: 'b_0', record: 7 } });

  it('are told of once, by the row that was delivered, also after the object slept', () => {
    const sql = aSql();
    const claims = new ClaimStore(sql);
    claims.delivered('b_1', 1);
    claims.add([standing(), aMappedRow(2, 1)]);
    claims.delivered('b_1', 2);
    const told = () => sql.exec('SELECT own, by_batch_id, by_record FROM claim').toArray();
    expect(told()).toEqual([{ own: 1, by_batch_id: null, by_record: null }]);
    new ClaimStore(sql).delivered('b_1', 1);
    expect(told()).toEqual([{ own: 1, by_batch_id: 'b_1', by_record: 1 }]);
    claims.delivered('b_9', 1);
    expect(told()).toEqual([{ own: 1, by_batch_id: 'b_1', by_record: 1 }]);
  });

  it('are told of in the life of the object that learned of them, too', () => {
    const sql = aSql();
    const claims = new ClaimStore(sql);
    claims.add([standing()]);
    claims.delivered('b_1', 1);
    expect(sql.exec('SELECT by_record FROM claim').toArray()).toEqual([{ by_record: 1 }]);
  });
});
