/** What the rows of one load say is taken out of a batch: of these rows alone, and what became of them stays. */
import { expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { isOf } from '../../../src/batch/store/erased.ts';
import { asRelease01 } from '../../old-batch.ts';
import { storageOf } from '../object-storage.ts';
import { aBody, aMappedRow, anOutcome, aProblem } from './samples.ts';

const ERASED = '{"erased":true}';
const LONG = 'x'.repeat(150_000);

const of = (record: number, loads: readonly string[], more: Partial<MappedRow> = {}, scac = 'ABCD'): MappedRow => {
  const row = aMappedRow(record, loads.length, more);
  const requests = row.requests.map((request, at) => ({
    ...{ ...request, scac, subject: `load:${loads[at]}` },
    body: { ...aBody(loads[at]), ...(record === 6 ? { note: LONG } : {}) },
  }));
  return { ...row, requests } as unknown as MappedRow;
};

const lookedUp = [{ asked: 'L1' }] as unknown as NonNullable<MappedRow['lookedUp']>;
const replaces = (record: number) => ({ replaces: { batch: 'b_0', record: `${record}` } });
const DETAILS = {
  ...{ answer: 'about L1', diff: [{ path: 'a', before: null, after: 'L1' }] as never },
  surprises: [{ code: 'event_order', text: 'L1' }] as never,
};

function aBatch() {
  const database = new ObjectDatabase(() => '');
  const storage = storageOf(database, BATCH_MIGRATIONS);
  const store = new BatchStore(storage);
  store.addRows(
    [
      of(1, ['L1', 'L2'], { problems: [aProblem({ value: 'L1' })], lookedUp, ...replaces(11) }),
      of(2, [], { group: 1, problems: [aProblem({ value: 'L1' })], ...replaces(12) }),
      of(3, ['L2'], { problems: [aProblem()], lookedUp, ...replaces(13) }),
      of(4, ['L1'], replaces(14), 'WXYZ'),
      of(5, [], { state: 'invalid', problems: [aProblem({ value: 'L1' })] }),
      of(6, ['L1', 'L1', 'L2']),
      of(7, ['L1']),
      of(8, [], { state: 'invalid', problems: [aProblem()] }),
      of(700, ['L1']),
    ],
    ({ state }) => state ?? 'queued',
  );
  store.keepTally({ records: { queued: 7, invalid: 2 }, requests: { queued: 9 } });
  return { database, storage, store };
}

const SUBJECT = { subject: 'load:L1', scac: 'ABCD', records: [5] };

it('rows are found by their load and carrier, or by their number, with all of their group and what they stand for', () => {
  expect(aBatch().store.erasable(SUBJECT)).toEqual({
    requests: [
      [1, 1],
      [6, 1],
      [6, 2],
      [7, 1],
      [700, 1],
    ],
    carriers: new Set([1, 5, 6, 7, 700]),
    records: new Set([1, 2, 5, 6, 7, 700]),
    replaced: new Set(['b_0/11', 'b_0/12']),
  });
  expect(aBatch().store.erasable({ ...SUBJECT, scac: null, records: [2] }).carriers).toEqual(
    new Set([1, 4, 6, 7, 700]),
  );
  expect([
    isOf(SUBJECT)({ subject: 'load:L2', scac: 'ABCD' }),
    isOf(SUBJECT)({ subject: 'load:L1', scac: 'ABCD' }),
  ]).toEqual([...[false, true]]);
});

it('nothing is left of what they say, and all of what became of them, also for the next instance', () => {
  const { database, storage, store } = aBatch();
  store.move([
    ...[1, 3, 7].map((record) => anOutcome(record, { state: 'rejected', status: 422, attempts: 2, ...DETAILS })),
    anOutcome(6, { state: 'held', ...DETAILS }),
    anOutcome(6, { request: 3, state: 'held', ...DETAILS }),
  ]);
  storage.sql.exec(
    "INSERT INTO earlier VALUES (7, 1, 0, 'dead', NULL, NULL, 1, 500, 'about L1', 1), (3, 1, 0, 'dead', NULL, NULL, 1, 500, 'about L2', 1)",
  );
  storage.sql.exec("INSERT INTO look_up VALUES (0, 'k', 'L1', '{}')");
  const before = store.tally();
  store.erase(SUBJECT);
  const letters = database.read<{ record: number; request: number }>(
    'SELECT record, request FROM letter ORDER BY record',
  );
  expect(letters.map(({ record, request }) => [record, request])).toEqual([
    [3, 1],
    [6, 3],
    [8, 0],
  ]);
  expect(database.read('SELECT record, answer FROM earlier ORDER BY record')).toEqual([
    ...[
      { record: 3, answer: 'about L2' },
      { record: 7, answer: null },
    ],
  ]);
  expect([database.read('SELECT * FROM look_up'), database.read('SELECT * FROM outcome_log')]).toEqual([[], []]);
  for (const each of [store, new BatchStore(storage)]) {
    expect(each.tally()).toEqual(before);
    const gone = {
      code: 'value_missing',
      path: 'Load #',
      value: '',
      message: 'What was wrong was erased on request.',
      fix: '',
    };
    const said = (record: number) => {
      const row = each.row(record);
      return [JSON.parse(row?.problems ?? 'null'), row?.looked_up ?? null];
    };
    expect([1, 2, 5].map(said)).toEqual([
      [[gone], null],
      [[gone], null],
      [[gone], null],
    ]);
    expect([3, 8].map(said)).toEqual([
      [[aProblem()], JSON.stringify(lookedUp)],
      [[aProblem()], null],
    ]);
    const bodies = each
      .requestsOf([700, 1, 3, 4, 6, 7])
      .map(({ record, request, body }) => [record, request, body === ERASED]);
    expect(bodies).toEqual([
      ...[
        [1, 1, true],
        [1, 2, false],
        [3, 1, false],
        [4, 1, false],
        [6, 1, true],
        [6, 2, true],
        [6, 3, false],
      ],
      ...[
        [7, 1, true],
        [700, 1, true],
      ],
    ]);
    const taken = { answer: null, diff: null, surprises: null };
    expect(each.request(7, 1)).toMatchObject({ ...taken, state: 'rejected', status: 422, attempts: 2 });
    expect(each.request(6, 1)).toMatchObject({ ...taken, state: 'held' });
    const kept = {
      answer: 'about L1',
      diff: JSON.stringify(DETAILS.diff),
      surprises: JSON.stringify(DETAILS.surprises),
    };
    expect([each.request(3, 1), each.request(6, 3)]).toMatchObject([kept, kept]);
    expect(each.request(6, 3)?.body).toContain(LONG);
  }
  store.move([anOutcome(7, { revision: 2, state: 'delivered' })]);
  expect(new BatchStore(storage).request(7, 1)).toMatchObject({ state: 'delivered', body: ERASED });
  expect(new BatchStore(storage).row(1)).toEqual(store.row(1));
});

it('a batch that has nothing of a load stays as it is', () => {
  const { storage, store } = aBatch();
  const rows = () => new BatchStore(storage).records(0, 99, null);
  const before = rows();
  store.erase({ subject: 'load:L9', scac: null, records: [] });
  expect(rows()).toEqual(before);
});

it('nothing is left of them in the tables of release 0.1 either, and all else stays there', () => {
  const { database, storage } = aBatch();
  asRelease01(storage);
  storageOf(database, BATCH_MIGRATIONS);
  const store = new BatchStore(storage);
  while (store.oldRows.areLeft) store.oldRows.step();
  store.erase(SUBJECT);
  const records = (table: string) =>
    database.read<{ record: number }>(`SELECT DISTINCT record FROM ${table} ORDER BY record`).map((row) => row.record);
  expect([records('record'), records('request')]).toEqual([
    [3, 4, 8],
    [3, 4],
  ]);
});
