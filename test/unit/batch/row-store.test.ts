/** Rows in slices and outcomes in a log: read back as they were written, by this instance and by the next one, at few rows written. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { StoredBatchRequest } from '../../../src/batch/core/row.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import {
  firstSliceOf,
  isUntried,
  packOutcomes,
  rangeOf,
  type StoredOutcome,
  unpackOutcomes,
} from '../../../src/batch/store/slice.ts';
import type { BatchStorage } from '../../../src/batch/store/stored-values.ts';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import { draws } from '../../draws.ts';
import { asRelease01 } from '../../old-batch.ts';
import { storageOf, storageOn } from '../object-storage.ts';
import { aBody, aMappedRow, anOutcome, aProblem } from './samples.ts';

let database: ObjectDatabase;
let storage: BatchStorage;
let written: number;

beforeEach(() => {
  database = new ObjectDatabase(() => '');
  storageOf(database, BATCH_MIGRATIONS);
  written = 0;
  const exec = (text: string, ...values: never[]) => {
    const cursor = database.exec(text, values);
    written += cursor.rowsWritten;
    return cursor;
  };
  const sql = { exec } as unknown as SqlStorage;
  storage = { sql, transactionSync: (work) => database.transaction(work) };
});

const FIRST = { record: 0, request: 0 };
const LAST = { record: Number.POSITIVE_INFINITY, request: 0 };
const rowsOf = (store: BatchStore) => store.records(0, Number.POSITIVE_INFINITY, null);
const requestsOf = (store: BatchStore) => store.requestsOf(rowsOf(store).map(({ record }) => record));
const numbers = (rows: readonly { record: number }[]) => rows.map(({ record }) => record);
const queued = (): 'queued' => 'queued';
const filled = (rows: readonly MappedRow[]): BatchStore => {
  const store = new BatchStore(storage);
  store.addRows(rows, ({ state }) => state ?? 'queued');
  const tally = { records: { queued: rows.length }, requests: { queued: rows.flatMap((row) => row.requests).length } };
  store.keepTally(tally);
  return store;
};
const many = (count: number): MappedRow[] => Array.from({ length: count }, (_, index) => aMappedRow(index + 1, 1));
/** All that a batch says of its rows. */
const shown = (store: BatchStore) => ({
  records: rowsOf(store),
  requests: requestsOf(store),
  tally: store.tally(),
  undelivered: database.read('SELECT * FROM letter'),
  within: store.tallyWithin(0, Number.POSITIVE_INFINITY),
});

describe('rows', () => {
  it('come back in order with all they were read with, also to the next instance', () => {
    const rows = [
      aMappedRow(1, 2, { problems: [aProblem()], replaces: { batch: 'b_0', record: '7' } }),
      aMappedRow(2, 0, { state: 'invalid', problems: [aProblem()] }),
      aMappedRow(3, 1, { position: { record: 3, line: 4, byteFrom: 1, byteTo: 2, place: 'ST 0001' } }),
    ];
    const store = filled(rows);
    expect(store.records(0, 9, null)).toMatchObject(
      [
        {
          record: 1,
          line: 2,
          byte_from: 10,
          byte_to: 19,
          state: 'queued',
          replaces: 'b_0/7',
          problems: /value_missing/,
        },
        { record: 2, state: 'invalid', group_record: null, place: null },
        { record: 3, place: 'ST 0001' },
      ].map((row) =>
        row.problems instanceof RegExp ? { ...row, problems: expect.stringMatching(row.problems) } : row,
      ),
    );
    expect(requestsOf(store).map(({ record, request, body }) => [record, request, body])).toEqual([
      [1, 1, JSON.stringify(aBody())],
      [1, 2, JSON.stringify(aBody())],
      [3, 1, JSON.stringify(aBody())],
    ]);
    expect(shown(new BatchStore(storage))).toEqual(shown(store));
    expect([store.lastRecord(), store.recordState(2), store.recordState(4)]).toEqual([3, 'invalid', undefined]);
  });

  it('are one stored row for hundreds of them, and of a slice that is read in steps not many more', () => {
    filled(many(500));
    expect(database.read('SELECT id, first, last, rows FROM slice')).toEqual([
      { id: 0, first: 1, last: 500, rows: 500 },
    ]);
    const store = new BatchStore(storage);
    for (let from = 501; from <= 540; from += 1) store.addRows([aMappedRow(from, 1)], queued);
    expect(database.read('SELECT count(*) AS slices FROM slice WHERE id >= 512')).toEqual([{ slices: 1 }]); // and the last one, which is still small
    expect(numbers(rowsOf(new BatchStore(storage)))).toHaveLength(540);
  });

  it('that are few are among the values of the batch until others come, and stay what they are', () => {
    const slices = () => database.read<{ id: number }>('SELECT id FROM slice ORDER BY id').map(({ id }) => id);
    const store = filled([aMappedRow(1, 1)]);
    store.addRows([aMappedRow(2, 1)], queued);
    expect(slices()).toEqual([]);
    store.move([anOutcome(2, { state: 'delivered' })]);
    const next = new BatchStore(storage);
    expect(shown(next)).toEqual(shown(store));
    next.addRows([aMappedRow(3, 1), aMappedRow(600, 1)], queued);
    expect(slices()).toEqual([0]);
    next.addRows([aMappedRow(4, 1)], queued); // to a slice that has its row
    expect(slices()).toEqual([0]);
    expect(numbers(rowsOf(new BatchStore(storage)))).toEqual([1, 2, 3, 4, 600]);
    expect(new BatchStore(storage).request(2, 1)?.state).toBe('delivered');
  });

  it('that come late, and again, are found in their order and stored once', () => {
    const store = filled([aMappedRow(1, 1), aMappedRow(4, 1), aMappedRow(900, 1)]);
    store.addRows([aMappedRow(3, 2), aMappedRow(2, 1), aMappedRow(4, 2), aMappedRow(700, 1)], queued);
    for (const each of [store, new BatchStore(storage)]) {
      expect(numbers(rowsOf(each))).toEqual([1, 2, 3, 4, 700, 900]);
      expect(numbers(requestsOf(each))).toEqual([1, 2, 3, 3, 4, 700, 900]);
      expect(numbers(each.records(2, 2, null))).toEqual([3, 4]);
      expect(numbers(each.records(2, 9, null, 700))).toEqual([3, 4, 700]);
      expect(numbers(each.requestsAfter({ record: 3, request: 1 }, 3))).toEqual([3, 4, 700]);
    }
  });

  it('with long bodies have them beside their slice, and no value becomes longer than one may be', () => {
    const long = (record: number, characters: number): MappedRow => {
      const row = aMappedRow(record, 3);
      const body = { ...aBody(), note: '"'.repeat(characters) };
      return { ...row, requests: row.requests.map((request) => ({ ...request, body })) } as MappedRow;
    };
    const store = filled([long(1, 200_000), ...Array.from({ length: 20 }, (_, index) => long(index + 2, 20_000))]);
    expect(database.read('SELECT record, request FROM long_body')).not.toEqual([]);
    const read = new BatchStore(storage);
    expect(requestsOf(read)).toEqual(requestsOf(store));
    expect(requestsOf(read).every(({ body }) => body.includes('note'))).toBe(true);
    const longest = 'SELECT max(max(length(read_requests)), max(length(read_records))) AS characters FROM slice';
    expect(database.read<{ characters: number }>(longest)[0]?.characters).toBeLessThan(1_500_000);
  });

  it('are shown by state without a look at slices that have none of it', () => {
    const store = filled([...many(500), aMappedRow(501, 0, { state: 'skipped' }), aMappedRow(1001, 1)]);
    store.keepTally({ records: { queued: 501, skipped: 1 }, requests: { queued: 501 } });
    const next = new BatchStore(storage);
    const looked: string[] = [];
    const { sql } = storage;
    const { exec } = sql;
    sql.exec = ((text: string, ...values: never[]) => {
      if (text.includes('read_records')) looked.push(String(values[0]));
      return exec(text, ...values);
    }) as typeof sql.exec;
    expect(numbers(next.records(0, 10, ['skipped', 'valid']))).toEqual([501]);
    expect(next.records(0, 10, ['valid'])).toEqual([]);
    expect(looked).toEqual(['512']);
  });
});

describe('rows of a group', () => {
  const grouped = (): MappedRow[] => [
    aMappedRow(499, 1),
    aMappedRow(500, 0, { group: 499 }),
    aMappedRow(501, 0, { group: 499 }),
    aMappedRow(502, 1),
  ];

  it('have the state of the row that has their requests, also where they are in another slice', () => {
    const store = filled(grouped());
    const delivered = store.move([anOutcome(499, { state: 'delivered', evidence: 'answer' })]);
    expect(delivered).toEqual([499, 500, 501]);
    for (const each of [store, new BatchStore(storage)]) {
      expect(rowsOf(each).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered', 'queued']);
      expect(each.tally().records).toEqual({ delivered: 3, queued: 1 });
      expect(numbers(each.records(500, 9, ['delivered']))).toEqual([501]);
      expect([each.carrierOf(501), each.carrierOf(502)]).toEqual([499, 502]);
    }
  });

  it('are all invalid if something in the one that has the requests is, once those have ended', () => {
    const [first, ...others] = grouped();
    const store = filled([{ ...(first as MappedRow), problems: [aProblem()] }, ...others]);
    store.move([anOutcome(499, { state: 'delivered' })]);
    const found = () => database.read('SELECT record, request, state, codes FROM letter');
    const invalid = { request: 0, state: 'invalid', codes: '["value_missing"]' };
    expect(found()).toEqual([499, 500, 501].map((record) => ({ record, ...invalid })));
    expect(store.tally().records).toEqual({ invalid: 3, queued: 1 });
  });
});

describe('outcomes', () => {
  it('are one stored row per report, and few more once their slices are whole', () => {
    const store = filled(many(20_000));
    const rowsBefore = written;
    expect(rowsBefore / 20_000).toBeLessThan(0.01);
    for (let from = 1; from <= 20_000; from += 20)
      store.move(
        Array.from({ length: 20 }, (_, index) => anOutcome(from + index, { state: 'delivered', status: 201 })),
      );
    expect((written - rowsBefore) / 20_000).toBeLessThan(0.06);
    expect(store.tally()).toEqual({ records: { delivered: 20_000 }, requests: { delivered: 20_000 } });
    const next = new BatchStore(storage);
    expect(next.tally()).toEqual(store.tally());
    expect(next.tallyWithin(0, 20_000)).toEqual(store.tally());
    expect(next.requestsWithin({ record: 19_999, request: 1 }, LAST, 5)).toMatchObject([
      { state: 'delivered', status: 201 },
    ]);
    expect(database.read('SELECT count(*) AS entries FROM outcome_log')).toEqual([{ entries: 128 }]);
  });

  it('say the same to the next instance at any moment, in whatever order and how often they come', () => {
    const states = ['queued', 'waiting', 'unknown', 'held', 'delivered', 'rejected', 'dead', 'coalesced'] as const;
    const report = fc.record({
      record: fc.integer({ min: 1, max: 700 }),
      revision: fc.integer({ min: 0, max: 4 }),
      state: fc.constantFrom(...states),
      intoState: fc.constantFrom(null, 'delivered' as const, 'held' as const),
    });
    const reports = fc.array(fc.array(report, { maxLength: 6 }), { minLength: 150, maxLength: 300 });
    fc.assert(
      fc.property(reports, (all) => {
        database = new ObjectDatabase(() => '');
        storage = storageOf(database, BATCH_MIGRATIONS);
        const store = filled(many(700));
        const known = new Map<number, { revision: number; state: string }>();
        for (const told of all) {
          store.move(told.map(({ record, ...more }) => anOutcome(record, more)));
          for (const { record, revision, state } of told)
            if (revision > (known.get(record)?.revision ?? 0)) known.set(record, { revision, state });
        }
        expect(shown(new BatchStore(storage))).toEqual(shown(store));
        expect(store.tally()).toEqual(store.tallyWithin(0, 700));
        for (const [record, { state }] of known) expect(store.request(record, 1)?.state).toBe(state);
      }),
      { numRuns: draws(15) },
    );
  });

  it('that are no news change nothing, and nothing is written', () => {
    const store = filled(many(2));
    store.move([anOutcome(1, { state: 'delivered', revision: 2 })]);
    const before = shown(store);
    const rowsBefore = written;
    for (const revision of [0, 1, 2]) expect(store.move([anOutcome(1, { state: 'rejected', revision })])).toEqual([]);
    expect(store.move([anOutcome(1, { generation: 2 }), anOutcome(9), { ...anOutcome(1), request: 7 }])).toEqual([]);
    expect([shown(store), written]).toEqual([before, rowsBefore]);
  });

  it('leave what was read before as it was', () => {
    const store = filled(many(1));
    const [before] = store.requestsAfter(FIRST, 1);
    store.move([anOutcome(1, { state: 'delivered' })]);
    expect(before?.state).toBe('queued');
    expect(store.request(1, 1)?.state).toBe('delivered');
  });

  it('with long texts take as many stored values as they need, and no more afterwards', () => {
    const store = filled(many(500));
    const diff = (characters: number) => [{ path: 'note', before: null, after: 'x'.repeat(characters) }] as never;
    const report = (revision: number, characters: number): RequestOutcome[] =>
      numbers(rowsOf(store)).map((record) => anOutcome(record, { revision, state: 'held', diff: diff(characters) }));
    store.move(report(1, 5_000));
    const pieces = () => database.read<{ pieces: number }>('SELECT count(*) AS pieces FROM slice_outcomes')[0]?.pieces;
    for (let revision = 2; revision < 140; revision += 1) store.move(report(revision, 5_000).slice(0, 1));
    expect(pieces()).toBeGreaterThan(5);
    expect(requestsOf(new BatchStore(storage))).toEqual(requestsOf(store));
    store.move(report(140, 1));
    for (let revision = 141; revision < 280; revision += 1) store.move(report(revision, 1).slice(0, 1));
    expect(pieces()).toBe(1);
    expect(requestsOf(new BatchStore(storage))).toEqual(requestsOf(store));
  });

  it('are packed in the order of their requests, into as many texts as one value each can hold', () => {
    const places = [
      [2, 1],
      [1, 2],
      [10, 1],
      [1, 1],
      [3, 1],
      [4, 1],
    ] as const;
    const known = requestsOf(filled(many(1)))[0];
    const outcomes = (characters: number) =>
      places.map(
        ([record, request]) => ({ ...known, record, request, answer: 'x'.repeat(characters) }) as StoredOutcome,
      );
    const texts = (characters: number) =>
      packOutcomes(outcomes(characters)).map((text) =>
        unpackOutcomes(text).map(({ record, request }) => `${record}/${request}`),
      );
    expect(texts(10)).toEqual([['1/1', '1/2', '2/1', '3/1', '4/1', '10/1']]);
    expect(texts(100_000)).toEqual([
      ['1/1', '1/2'],
      ['2/1', '3/1'],
      ['4/1', '10/1'],
    ]);
    expect(texts(128 * 1024 - 250)).toEqual(texts(100_000));
    expect(texts(128 * 1024 - 249)).toHaveLength(6);
    expect(packOutcomes([])).toHaveLength(1);
  });

  it('are none of a request as it was read: its first generation and revision, queued', () => {
    const known = requestsOf(filled(many(1)))[0] as unknown as StoredOutcome;
    const others = [{ generation: 2 }, { revision: 1 }, { state: 'sending' as const }];
    expect([known, ...others.map((each) => ({ ...known, ...each }))].map(isUntried)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('of requests that are sent again begin anew, and what ended before is no dead letter any more', () => {
    const store = filled(many(2));
    store.move([anOutcome(1, { state: 'rejected', status: 422 })]);
    store.raise([{ record: 1, request: 1 }], 77);
    expect(store.request(1, 1)).toMatchObject({ generation: 2, revision: -1, retried_at_ms: 77, state: 'rejected' });
    store.move([anOutcome(1, { generation: 2, revision: 0, state: 'queued' })]);
    expect(database.read('SELECT * FROM letter')).toEqual([]);
    store.move([anOutcome(1, { generation: 1, revision: 9, state: 'delivered' })]);
    for (const each of [store, new BatchStore(storage)])
      expect(each.request(1, 1)).toMatchObject({ generation: 2, revision: 0, retried_at_ms: 77, state: 'queued' });
  });

  it('that could not be stored are not known either', () => {
    const store = filled(many(1));
    const { sql } = storage;
    const { exec } = sql;
    sql.exec = ((text: string, ...values: never[]) => {
      if (text.includes('INTO outcome_log')) throw new Error('planned: full');
      return exec(text, ...values);
    }) as typeof sql.exec;
    expect(() => store.move([anOutcome(1, { state: 'delivered' })])).toThrow('planned');
    sql.exec = exec;
    expect(store.request(1, 1)?.state).toBe('queued');
    expect(store.tally()).toEqual({ records: { queued: 1 }, requests: { queued: 1 } });
  });
});

describe('requests that may be withdrawn', () => {
  it('are looked for only where some have not ended', () => {
    const store = filled(many(1_200));
    const isOpen = ({ state }: Pick<StoredBatchRequest, 'state'>): boolean => state === 'queued';
    const ended = [...many(1_000).map(({ position }) => position.record), 1_002];
    store.move(ended.map((record) => anOutcome(record, { state: 'delivered' })));
    const next = new BatchStore(storage);
    expect(numbers(next.openWithin(FIRST, { record: 1_005, request: 1 }, isOpen, 9))).toEqual([
      1_001, 1_003, 1_004, 1_005,
    ]);
    expect(numbers(next.openWithin(FIRST, LAST, isOpen, 2))).toEqual([1_001, 1_003]);
  });
});

describe('rows of release 0.1', () => {
  const old = (): BatchStore => {
    const store = filled([
      ...many(4_500),
      aMappedRow(4_501, 2, { problems: [aProblem()] }),
      aMappedRow(4_502, 0, { group: 4_501 }),
      aMappedRow(4_503, 0, { state: 'duplicate' }),
      aMappedRow(4_504, 0, { state: 'duplicate', group: 4_503 }),
    ]);
    store.move([
      anOutcome(1, { state: 'delivered', attempts: 2 }),
      anOutcome(3, { state: 'rejected', status: 422, answer: 'no' }),
      anOutcome(4_000, { state: 'held', reason: 'unknown_then_refused' }),
      anOutcome(4_501, { state: 'delivered' }),
    ]);
    store.writeReplacedBy(3, { batchId: 'b_2', record: 1 });
    return store;
  };

  it('come into slices as they were, part by part, also if the object dies in between', () => {
    const before = shown(old());
    asRelease01(storage);
    storageOf(database, BATCH_MIGRATIONS);
    let steps = 0;
    for (let store = new BatchStore(storage); store.oldRows.areLeft; store = new BatchStore(storage)) {
      store.oldRows.step();
      steps += 1;
    }
    expect(steps).toBe(3);
    const touched = [
      ...new Set(database.read<{ slice: number }>('SELECT slice FROM slice_outcomes').map(({ slice }) => slice)),
    ];
    expect(touched).toEqual([1, 4_000, 4_501].map((record) => firstSliceOf(rangeOf(record)))); // of others nothing is known
    const store = new BatchStore(storage);
    expect(shown(store)).toEqual(before);
    expect(store.replacedBy(3)).toEqual({ batchId: 'b_2', record: 1 });
    store.oldRows.step();
    expect(shown(new BatchStore(storage))).toEqual(before);
    store.move([anOutcome(4_501, { request: 2, state: 'delivered' })]);
    expect([store.recordState(4_501), store.recordState(4_502), store.recordState(4_504)]).toEqual([
      ...['invalid', 'invalid', 'duplicate'],
    ]);
  });

  it('come with all of their requests, where the bodies of a few are as many as one part may have', async () => {
    vi.stubGlobal('scheduler', { wait: async () => undefined });
    const note = 'x'.repeat(1_400_000);
    const long = (record: number): MappedRow => {
      const row = aMappedRow(record, 2);
      return { ...row, requests: row.requests.map((each) => ({ ...each, body: { ...aBody(), note } })) } as MappedRow;
    };
    filled([long(1), long(2), aMappedRow(3, 2), aMappedRow(4, 0)]);
    asRelease01(storage);
    storageOf(database, BATCH_MIGRATIONS);
    const store = new BatchStore(storage);
    expect([await store.oldRows.move(0), store.oldRows.areLeft]).toEqual([false, true]);
    expect([await store.oldRows.move(), store.oldRows.areLeft, await store.oldRows.move(0)]).toEqual([
      true,
      false,
      true,
    ]);
    vi.unstubAllGlobals();
    const found = requestsOf(new BatchStore(storage)).map(({ record, request, body }) => [
      record,
      request,
      body.length > 1_400_000,
    ]);
    expect(found).toEqual([
      ...[
        [1, 1, true],
        [1, 2, true],
        [2, 1, true],
        [2, 2, true],
      ],
      ...[
        [3, 1, false],
        [3, 2, false],
      ],
    ]);
    expect(numbers(rowsOf(store))).toEqual([1, 2, 3, 4]);
  });

  it('are none in a new batch, nor in an old one without rows', () => {
    expect(new BatchStore(storage).oldRows.areLeft).toBe(false);
    expect(database.tables).not.toContain('request');
    asRelease01(storage);
    storageOf(database, BATCH_MIGRATIONS);
    expect(new BatchStore(storageOn(database)).oldRows.areLeft).toBe(false);
  });
});
