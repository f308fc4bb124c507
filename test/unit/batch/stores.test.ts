/** What a batch stores of its watch, of rows that wait, and of rows that stand for earlier ones, on its tables alone. */
import { describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import type { WatchPass } from '../../../src/batch/core/watch.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import { WatchStore, watchStep } from '../../../src/batch/steps/watching.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { ClaimStore } from '../../../src/batch/store/claim-store.ts';
import { ReplayStore } from '../../../src/batch/store/dead-letter-store.ts';
import { GroupStore } from '../../../src/batch/store/group-store.ts';
import type { ReadRecord } from '../../../src/formats/record-reader.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aMappedRow, aTicket } from './samples.ts';

const aStorage = () => storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
const aSql = (): SqlStorage => aStorage().sql;
const START = { record: 0, request: 0 };

describe('the watch over loads and orders', () => {
  it('goes on where its last look ended, until it is forgotten', () => {
    const storage = aStorage();
    const watch = new WatchStore(storage.sql, new BatchStore(storage));
    expect(watch.pass()).toBeUndefined();
    const pass = { from: START, at: { record: 3, request: 1 }, metOpen: true, dueMs: 7, lookAtMs: 9 } as WatchPass;
    watch.keepPass({ ...pass, at: START });
    watch.keepPass(pass);
    expect(watch.pass()).toEqual(pass);
    watch.forget();
    expect(watch.pass()).toBeUndefined();
  });

  it('knows of each request whether its subject was woken', () => {
    const storage = aStorage();
    const store = new BatchStore(storage);
    const watch = new WatchStore(storage.sql, store);
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
    watch.storeEnsured(first, poked);
    const same = all().filter(({ scac, subject }) => scac === first.scac && subject === first.subject);
    expect(same.map((each) => each.poked)).toEqual(same.map(() => poked));
    expect(watch.requests({ record: 1, request: 1 }, { record: 2, request: 1 }, 10)).toHaveLength(1);
    watch.forget();
    expect(all().map((each) => each.poked)).toEqual([null, null, null]);
  });

  it('begins anew once its batch was retried, and goes on after that', async () => {
    const storage = aStorage();
    const [store, clock] = [new BatchStore(storage), movedClock()];
    const watch = new WatchStore(storage.sql, store);
    const step = (retriedAtMs: number) => {
      const port = { store, created: () => ({ ticket: aTicket(), progress: { retriedAtMs } }), subjects: {} };
      return watchStep(port as unknown as ActionPort, watch, clock);
    };
    const at = { record: 3, request: 1 };
    const pass = { from: at, at, metOpen: false, dueMs: null, lookAtMs: NOW_MS + 1, retriedAtMs: null };
    watch.keepPass(pass);
    await step(NOW_MS);
    expect(watch.pass()).toMatchObject({ from: START, at: START, retriedAtMs: NOW_MS });
    watch.keepPass({ ...pass, retriedAtMs: NOW_MS });
    await step(NOW_MS);
    expect(watch.pass()).toMatchObject({ from: at, at });
  });
});

describe('rows that wait for the end of their file', () => {
  /** Groups of so many rows each, one after the other. */
  function waiting(...sizes: number[]) {
    const sql = aSql();
    const groups = new GroupStore(sql);
    let record = 0;
    const staged = sizes.flatMap((size, group) =>
      Array.from({ length: size }, () => {
        record += 1;
        return { key: `K${group + 1}`, record: { position: { record }, fields: ['x'] } as unknown as ReadRecord };
      }),
    );
    groups.keepFile({ file: 0, columns: ['a'], cut: false });
    groups.keepSlice(0, { open: null, closedKeys: [], staged, marks: [] });
    const next = (rowsMax: number) => groups.nextPending(rowsMax)?.groups ?? [];
    return { sql, groups, next };
  }

  it('are taken by whole groups, as many as have so many rows together; the first one always is', () => {
    const { next } = waiting(3, 2, 1);
    const taken = (rowsMax: number) => next(rowsMax).map(({ key, rows }) => [key, rows.length]);
    expect(taken(2)).toEqual([['K1', 3]]);
    expect(taken(4)).toEqual([['K1', 3]]);
    expect(taken(5)).toEqual([
      ['K1', 3],
      ['K2', 2],
    ]);
  });

  it('are stored no longer than they wait', () => {
    const { sql, groups, next } = waiting(2, 1);
    groups.dropPending(next(2));
    expect(sql.exec('SELECT first, record FROM staged_row').toArray()).toEqual([{ first: 3, record: 3 }]);
    groups.dropPending(next(2));
    expect([groups.hasPending(), sql.exec('SELECT record FROM staged_row').toArray()]).toEqual([false, []]);
  });
});

describe('groups of a file that is being read', () => {
  const record = (number: number, ...fields: string[]) =>
    ({ position: { record: number }, fields }) as unknown as ReadRecord;
  const SLICE = { open: null, closedKeys: [], staged: [], marks: [] };

  it('are open, closed, or of a size, as it was kept, each in its own file', () => {
    const groups = new GroupStore(aSql());
    expect([groups.open(), groups.wasClosed(0, 'A'), groups.hasPending(), groups.pendingSize(0, 'A')]).toEqual([
      ...[null, false, false, { rows: 0, characters: 0 }],
    ]);
    const open = { key: 'B', rows: [] } as never;
    groups.keepSlice(0, { ...SLICE, open, closedKeys: ['A', 'a "quoted" one'] });
    groups.keepSlice(1, { ...SLICE, open, closedKeys: ['C'] });
    const closed = (file: number) => ['A', 'B', 'C', 'a "quoted" one'].map((key) => groups.wasClosed(file, key));
    expect([groups.open(), closed(0), closed(1)]).toEqual([
      open,
      [true, false, false, true],
      [false, false, true, false],
    ]);
    groups.keepSlice(1, { ...SLICE, staged: [{ key: 'D', record: record(1, 'ab', '', 'c') }] });
    groups.keepSlice(1, { ...SLICE, staged: [{ key: 'D', record: record(2, 'de') }] });
    expect([groups.open(), groups.pendingSize(1, 'D'), groups.pendingSize(0, 'D')]).toEqual([
      ...[null, { rows: 2, characters: 5 }, { rows: 0, characters: 0 }],
    ]);
    groups.forgetFiles(1, 2);
    expect([closed(0)[0], closed(1)[2]]).toEqual([true, false]);
  });

  it('wait with what is wrong with them, and never with those of another file', () => {
    const groups = new GroupStore(aSql());
    groups.keepFile({ file: 1, columns: ['a', 'b'], cut: true });
    groups.keepFile({ file: 2, columns: ['c'], cut: false });
    const staged = (key: string, number: number) => ({ key, record: record(number, key) });
    groups.keepSlice(1, { ...SLICE, staged: [staged('A', 1), staged('B', 2), staged('A', 3)] });
    groups.keepSlice(2, { ...SLICE, staged: [staged('A', 4)] });
    const mark = (key: string, tooLarge: boolean, doubtfulRecord: number | null) => ({ key, tooLarge, doubtfulRecord });
    groups.keepSlice(1, { ...SLICE, marks: [mark('A', true, null), mark('B', false, 7)] });
    groups.keepSlice(1, { ...SLICE, marks: [mark('A', false, 8), mark('B', false, 9)] });
    const pending = groups.nextPending(99);
    expect(pending).toEqual({
      file: { file: 1, columns: ['a', 'b'], cut: true },
      groups: [
        { ...mark('A', true, 8), rows: [record(1, 'A'), record(3, 'A')] },
        { ...mark('B', false, 7), rows: [record(2, 'B')] },
      ],
    });
    groups.dropPending(pending?.groups ?? []);
    expect(groups.nextPending(99)).toEqual({
      ...{
        file: { file: 2, columns: ['c'], cut: false },
        groups: [{ ...mark('A', false, null), rows: [record(4, 'A')] }],
      },
    });
  });
});

describe('what a batch stores', () => {
  it('is under names that every later release looks for', () => {
    const storage = aStorage();
    const store = new BatchStore(storage);
    store.commit(() => {
      store.keepTicket(aTicket());
      store.beginUsage();
      store.storeIndexCheckpoint({ revision: 1, written: null });
      store.messages.add({ message: 1, uploadId: 'u', fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 });
      store.messages.begin(1, 0);
      store.addRows([aMappedRow(1, 1)], () => 'queued', { message: 1, text: 1, sets: '[]' });
      store.keepTally({ records: { queued: 1 }, requests: { queued: 1 } });
      store.keepProgress({ state: 'reading' } as unknown as BatchProgress);
      store.keepTrouble('planned');
    });
    const kept = storage.sql
      .exec<{ name: string; json: string }>('SELECT name, json FROM kept ORDER BY name')
      .toArray();
    expect(kept.map(({ name }) => name)).toEqual(['state', 'ticket']);
    expect(Object.keys(JSON.parse(kept[0]?.json ?? '{}')).sort()).toEqual([
      ...['counts', 'indexed', 'messages', 'openSlice', 'progress', 'setOutcomes', 'trouble', 'usage'],
    ]);
  });
});

describe('loads that got trace points', () => {
  it('are told once that these are all, and loads that got none are not told', () => {
    const store = new BatchStore(aStorage());
    const traced = (record: number, load: string) => {
      const { requests, ...row } = aMappedRow(record, 1);
      const points = requests.map((request) => ({ ...request, kind: 'trace', subject: `load:${load}` }));
      return { ...row, requests: points } as unknown as MappedRow;
    };
    store.addRows([aMappedRow(1, 1), traced(2, 'T1'), traced(3, 'T2'), traced(4, 'T1')], () => 'queued');
    const loads = () => store.tracedLoads(10).map(({ subject }) => subject);
    expect(loads()).toEqual(['load:T1', 'load:T2']);
    store.dropTracedLoads({ scac: 'ABCD', subject: 'load:T1' });
    expect(loads()).toEqual(['load:T2']);
  });
});

describe('a replay', () => {
  it('is found with what is left of it, until that is dropped', () => {
    const replays = new ReplayStore(aSql());
    expect(replays.find('a_1')).toBeUndefined();
    replays.begin('a_1', 7);
    replays.add('a_1', [
      { record: 1, request: 1, generation: 1 },
      { record: 2, request: 1, generation: 1 },
    ]);
    expect(replays.find('a_1')).toMatchObject({ begun_at_ms: 7, requests: 2, chosen: 0, skipped: 0 });
    expect([replays.left('a_1'), replays.left('a_2')]).toEqual([2, 0]);
    replays.drop('a_1');
    expect(replays.left('a_1')).toBe(0);
  });
});

describe('rows that stand for rows of earlier batches', () => {
  const standing = () => ({ ...aMappedRow(1, 1), standsFor: { batchId: 'b_0', record: 7 } });

  it('are told of once, by the row that was delivered, also after the object slept', () => {
    const sql = aSql();
    const claims = new ClaimStore(sql);
    claims.delivered('b_1', [1]);
    claims.add([standing(), aMappedRow(2, 1)]);
    claims.delivered('b_1', [2]);
    const told = () => sql.exec('SELECT own, by_batch_id, by_record FROM claim').toArray();
    expect(told()).toEqual([{ own: 1, by_batch_id: null, by_record: null }]);
    new ClaimStore(sql).delivered('b_1', [1]);
    expect(told()).toEqual([{ own: 1, by_batch_id: 'b_1', by_record: 1 }]);
    claims.delivered('b_9', [1]);
    expect(told()).toEqual([{ own: 1, by_batch_id: 'b_1', by_record: 1 }]);
  });

  it('are told of in the life of the object that learned of them, too', () => {
    const sql = aSql();
    const claims = new ClaimStore(sql);
    claims.add([standing()]);
    claims.delivered('b_1', [1]);
    expect(sql.exec('SELECT by_record FROM claim').toArray()).toEqual([{ by_record: 1 }]);
  });

  it('have something to tell once they were delivered, and not before', () => {
    const claims = new ClaimStore(aSql());
    expect(claims.hasDue()).toBe(false);
    claims.add([standing()]);
    expect(claims.hasDue()).toBe(false);
    claims.delivered('b_1', [1]);
    expect(claims.hasDue()).toBe(true);
    claims.drop(claims.due('b_0', 10));
    expect(claims.hasDue()).toBe(false);
  });

  it('cost a batch that has none no look into its tables, however many rows of it are delivered', () => {
    const sql = aSql();
    const claims = new ClaimStore(sql);
    const looks = vi.spyOn(sql, 'exec');
    claims.delivered('b_1', [1]);
    claims.resolved([1], { batchId: 'b_2', record: 1 });
    expect([claims.hasDue(), looks.mock.calls]).toEqual([false, []]);
  });
});
