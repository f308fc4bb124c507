/** Undelivered rows of a batch on its tables: found by every filter, told of by issue, mapped again, and replayed. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { DeadLetterFilter } from '../../../src/batch/core/dead-letters.ts';
import { DEAD_LETTER_STATES } from '../../../src/batch/core/dead-letters.ts';
import { issueIdOf } from '../../../src/batch/core/issue.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { ActionStore } from '../../../src/batch/store/action-store.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { DeadLetterStore, ReplayStore } from '../../../src/batch/store/dead-letter-store.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, anOutcome, aProblem, RECEIVED_MS } from './samples.ts';

const OF = { batchId: 'b_1', fileName: 'a.csv' };
const START = { record: 0, request: 0 };
const BY = { batchId: 'b_2', record: 1 };

const ANY: DeadLetterFilter = {
  ...{ states: DEAD_LETTER_STATES, reasons: null, statuses: null, kinds: null, subject: null, places: null },
};

const unknownWord = (value: string) => aProblem({ code: 'code_unknown', path: 'Stop[3].Code', value });

const anOrder = (record: number, kind: 'order.create' | 'order.upsert'): MappedRow => {
  const row = aMappedRow(record, 1);
  const requests = row.requests.map((request) => ({ ...request, kind, subject: 'order:O1' }));
  return { ...row, requests } as unknown as MappedRow;
};

/** Of each kind of trouble a row, and two rows without any. */
function aBatch() {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const { sql } = storage;
  const store = new BatchStore(storage);
  store.addRows(
    [
      aMappedRow(1, 1),
      aMappedRow(2, 1),
      aMappedRow(3, 0, { state: 'invalid', problems: [unknownWord('ZZ'), aProblem()] }),
      aMappedRow(4, 2),
      aMappedRow(5, 1),
      aMappedRow(6, 1),
      aMappedRow(7, 0, { state: 'invalid', problems: [aProblem()] }),
      anOrder(8, 'order.create'),
      aMappedRow(9, 0, { state: 'invalid', problems: [unknownWord('ZZ')] }),
      aMappedRow(10, 0, { state: 'invalid' }),
    ],
    ({ state }) => state ?? 'queued',
  );
  store.keepTally({ records: { queued: 6, invalid: 4 }, requests: { queued: 7 } });
  store.move([
    anOutcome(1, { state: 'rejected', status: 422, answer: 'no L1', attempts: 1, decidedAtMs: 11 }),
    anOutcome(2, { state: 'dead', reason: 'deadline', outcome: 'unknown', attempts: 9, decidedAtMs: 12 }),
    anOutcome(4, { state: 'held', reason: 'unknown_then_refused', status: 409, possibleDuplicate: true }),
    anOutcome(4, { request: 2, state: 'delivered' }),
    anOutcome(5, { state: 'cancelled' }),
    anOutcome(6, { state: 'delivered' }),
    anOutcome(8, { state: 'coalesced', intoState: 'rejected', into: { ...BY, request: 1 }, status: 422 }),
  ]);
  store.resolve(7, BY);
  store.writeReplacedBy(1, BY);
  const letters = new DeadLetterStore(sql, store);
  const page = (more: Partial<DeadLetterFilter> = {}, after = START, limit = 99) =>
    letters.page(OF, { ...ANY, ...more }, after, limit);
  return { sql, store, letters, page, replays: new ReplayStore(sql), actions: new ActionStore(sql, store) };
}

const placesOf = (found: readonly { record: number; request: number }[]) =>
  found.map(({ record, request }) => [record, request]);

describe('undelivered rows', () => {
  it('are told with all that is known of them, in their order', () => {
    const { page } = aBatch();
    const nothing = {
      ...{ ...OF, reason: null, outcome: null, kind: null, subject: null, scac: null, generation: 1, attempts: 0 },
      ...{ status: null, answer: null, possibleDuplicate: false, problems: [], decidedAtMs: null, replacedBy: null },
    };
    const sent = {
      ...nothing,
      kind: 'milestone',
      subject: 'load:L1',
      scac: 'ABCD',
      answer: '',
      decidedAtMs: RECEIVED_MS,
    };
    const letter = (record: number, request: number, of: object) => ({ ...of, record, request, line: record + 1 });
    expect(page()).toEqual([
      letter(1, 1, {
        ...{ ...sent, state: 'rejected', status: 422, answer: 'no L1', attempts: 1, decidedAtMs: 11, replacedBy: BY },
      }),
      letter(2, 1, { ...sent, state: 'dead', reason: 'deadline', outcome: 'unknown', attempts: 9, decidedAtMs: 12 }),
      letter(3, 0, { ...nothing, state: 'invalid', problems: [unknownWord('ZZ'), aProblem()] }),
      letter(4, 1, { ...sent, state: 'held', reason: 'unknown_then_refused', status: 409, possibleDuplicate: true }),
      letter(5, 1, { ...sent, state: 'cancelled' }),
      letter(8, 1, { ...sent, state: 'rejected', kind: 'order.create', subject: 'order:O1', status: 422 }),
      letter(9, 0, { ...nothing, state: 'invalid', problems: [unknownWord('ZZ')] }),
      letter(10, 0, { ...nothing, state: 'invalid' }),
    ]);
  });

  it('of a row with something wrong and requests that ended are one for each request, and one of the row', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const { sql } = storage;
    const store = new BatchStore(storage);
    store.addRows([aMappedRow(1, 2, { problems: [aProblem()] })], () => 'queued');
    store.keepTally({ records: { queued: 1 }, requests: { queued: 2 } });
    store.move([anOutcome(1, { state: 'delivered' }), anOutcome(1, { request: 2, state: 'delivered' })]);
    expect(new DeadLetterStore(sql, store).page(OF, ANY, START, 9)).toMatchObject([
      { record: 1, request: 0, kind: null, attempts: 0, problems: [aProblem()] },
    ]);
  });

  it('are found by all that a filter may name', () => {
    const { page } = aBatch();
    const wanted: [string, Partial<DeadLetterFilter>, number[]][] = [
      ['one state', { states: ['held'] }, [4]],
      ['several states', { states: ['cancelled', 'dead'] }, [2, 5]],
      ['no state', { states: [] }, []],
      ['a reason', { reasons: ['deadline'] }, [2]],
      ['a code of any of the problems', { reasons: ['value_missing'] }, [3]],
      ['a code or a reason', { reasons: ['code_unknown', 'unknown_then_refused'] }, [3, 4, 9]],
      ['a status', { statuses: [422, 500] }, [1, 8]],
      ['a kind', { kinds: ['order.create'] }, [8]],
      ['a load', { subject: 'L1' }, [1, 2, 4, 5]],
      ['an order', { subject: 'O1' }, [8]],
      [
        'places',
        {
          places: [
            { record: 3, request: 0 },
            { record: 4, request: 1 },
            { record: 4, request: 2 },
          ],
        },
        [3, 4],
      ],
      ['the place of a row in whose place another was delivered', { places: [{ record: 7, request: 0 }] }, [7]],
      ['an issue', { issues: ['["code_unknown","Stop[].Code","ZZ"]'] }, [3, 9]],
      ['two things at once', { states: ['rejected'], kinds: ['milestone'] }, [1]],
    ];
    const found = wanted.map(([by, filter]) => [by, page(filter).map(({ record }) => record)]);
    expect(found).toEqual(wanted.map(([by, , records]) => [by, records]));
  });

  it('come page by page', () => {
    const { page } = aBatch();
    expect(placesOf(page({}, START, 3))).toEqual([
      [1, 1],
      [2, 1],
      [3, 0],
    ]);
    expect(placesOf(page({}, { record: 4, request: 0 }, 2))).toEqual([
      [4, 1],
      [5, 1],
    ]);
    expect(placesOf(page({}, { record: 4, request: 1 }, 1))).toEqual([[5, 1]]);
  });

  it('are shown with actions on their batch, the newest first', () => {
    const { actions, letters } = aBatch();
    actions.note({ atMs: 1, who: 'k1', what: 'cancel', detail: { n: 1 } });
    actions.note({ atMs: 2, who: 'k2', what: 'retry', detail: {} });
    expect(letters.actions(9)).toEqual([
      { atMs: 2, who: 'k2', what: 'retry', detail: '{}' },
      { atMs: 1, who: 'k1', what: 'cancel', detail: '{"n":1}' },
    ]);
    expect(letters.actions(1)).toHaveLength(1);
  });
});

describe('issues', () => {
  it('are told with their cause and first rows, most rows first', () => {
    const { letters } = aBatch();
    const word = unknownWord('ZZ');
    const issues = letters.issues(9);
    const none = { path: null, value: null, message: null, fix: null };
    const key = '["code_unknown","Stop[].Code","ZZ"]';
    expect(issues[0]).toEqual({
      ...{ id: issueIdOf(key), key, rows: 2, requests: 0, held: 0, code: 'code_unknown', state: 'invalid' },
      ...{ path: 'Stop[3].Code', value: 'ZZ', message: word.message, fix: word.fix },
      ...{ reason: null, status: null, answer: null },
      examples: [3, 9].map((record) => ({ record, request: 0, line: record + 1, subject: null })),
    });
    expect(issues.slice(1)).toMatchObject([
      { ...none, code: 'rejected', rows: 1, requests: 1, held: 0, state: 'rejected', status: 422, answer: 'no L1' },
      { ...none, code: 'deadline', state: 'dead', reason: 'deadline', examples: [{ record: 2, subject: 'load:L1' }] },
      { ...none, code: 'unknown_then_refused', state: 'held', held: 1, examples: [{ record: 4, request: 1 }] },
      { ...none, code: 'rejected', state: 'rejected', status: 422, answer: '', examples: [{ subject: 'order:O1' }] },
      { code: 'row_left_out', key: '', path: '', value: null, examples: [{ record: 10 }] },
    ]);
    expect([issues.length, letters.issues(2)]).toEqual([6, issues.slice(0, 2)]);
    expect(letters.issuesOf([3, 9, 5, 6])).toEqual(expect.arrayContaining([key]));
    expect([letters.issuesOf([3, 9]), letters.issuesOf([6])]).toEqual([[key], []]);
  });

  it('name three of their rows', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const { sql } = storage;
    const store = new BatchStore(storage);
    const wrong = [1, 2, 3, 4].map((record) => aMappedRow(record, 0, { state: 'invalid', problems: [aProblem()] }));
    store.addRows(wrong, () => 'invalid');
    const [issue] = new DeadLetterStore(sql, store).issues(9);
    expect([issue?.rows, issue?.examples.map(({ record }) => record)]).toEqual([4, [1, 2, 3]]);
  });

  it('of a group have the problem of the row that has its requests', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const { sql } = storage;
    const store = new BatchStore(storage);
    const rows = [aMappedRow(1, 1, { problems: [aProblem()] }), aMappedRow(2, 0, { group: 1 })];
    store.addRows(rows, () => 'queued');
    store.keepTally({ records: { queued: 2 }, requests: { queued: 1 } });
    store.move([anOutcome(1, { state: 'delivered' })]);
    const letters = new DeadLetterStore(sql, store);
    expect(letters.issues(9)).toMatchObject([{ code: 'value_missing', rows: 2, requests: 0 }]);
    sql.exec('DELETE FROM letter WHERE record = 1');
    expect(letters.issues(9)).toMatchObject([
      { code: 'value_missing', path: 'Load #', rows: 1, examples: [{ record: 2 }] },
    ]);
  });
});

describe('rows that failed alike', () => {
  const KEY = '["value_missing","Load #",null]';
  /** Rows 1 and 2, 3 and 4 are groups; 5 to 8 are alone. */
  function groups() {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const { sql } = storage;
    const store = new BatchStore(storage);
    const wrong = { problems: [aProblem()] };
    const alone = [5, 6, 7, 8].map((record) => aMappedRow(record, 0, { state: 'invalid', ...wrong }));
    const rows = [1, 3].flatMap((record) => [
      aMappedRow(record, 1, wrong),
      aMappedRow(record + 1, 0, { group: record }),
    ]);
    store.addRows([...rows, ...alone], ({ state }) => state ?? 'queued');
    store.keepTally({ records: { queued: 4, invalid: 4 }, requests: { queued: 2 } });
    store.move([1, 3].map((record) => anOutcome(record, { state: 'delivered' })));
    const letters = new DeadLetterStore(sql, store);
    return { sql, store, alike: (limit = 99) => letters.alikeRows(KEY, limit) };
  }
  const rows = (...records: number[]) => records.map((record) => ({ record, replacedBy: null }));

  it('may be mapped again with all rows of their groups, and know what came in their place', () => {
    const { store, alike } = groups();
    expect(alike()).toEqual({ rows: rows(1, 2, 3, 4, 5, 6, 7, 8), leftOut: 0, isCut: false });
    store.writeReplacedBy(4, BY);
    store.writeReplacedBy(6, BY);
    const by = alike().rows.flatMap(({ record, replacedBy }) => (replacedBy === null ? [] : [[record, replacedBy]]));
    expect(by).toEqual([
      [3, BY],
      [4, BY],
      [6, BY],
    ]);
    store.resolve(5, BY);
    expect(alike().rows.map(({ record }) => record)).toEqual([1, 2, 3, 4, 6, 7, 8]);
  });

  it('are looked at up to a limit', () => {
    const { alike } = groups();
    expect(alike(8).isCut).toBe(false);
    expect(alike(7)).toEqual({ rows: rows(1, 2, 3, 4, 5, 6, 7), leftOut: 0, isCut: true });
    expect(alike(3)).toEqual({ rows: rows(1, 2, 3, 4), leftOut: 0, isCut: true }); // a group is never cut
  });

  it('are left out where they may have arrived, are on their way again, or are in no state to be corrected', () => {
    const { sql, store, alike } = groups();
    sql.exec('UPDATE letter SET may_have_arrived = 1 WHERE record = 1');
    sql.exec('INSERT INTO chosen (record, request, generation) VALUES (5, 1, 2)');
    expect(alike()).toEqual({ rows: rows(3, 4, 6, 7, 8), leftOut: 3, isCut: false });
    store.move([anOutcome(3, { state: 'held', revision: 2 })]);
    sql.exec(
      'INSERT INTO letter SELECT 3, 0, state, generation, kind, subject, reason, status, 0, codes, ? FROM letter WHERE record = 6',
      KEY,
    );
    expect(alike()).toEqual({ rows: rows(6, 7, 8), leftOut: 4, isCut: false });
  });
});

describe('a replay', () => {
  const held = { record: 4, request: 1, kind: 'milestone', state: 'held', reason: 'unknown_then_refused' };

  it('is planned of requests alone, each with what decides on it', () => {
    const { sql, replays } = aBatch();
    sql.exec('INSERT INTO chosen (record, request, generation) VALUES (2, 1, 2)');
    const none = { generation: 1, mayHaveArrived: 0, isReplaced: 0, isChosen: 0 };
    const all = replays.candidates(ANY, START, 99);
    expect(all).toEqual([
      { ...none, record: 1, request: 1, kind: 'milestone', state: 'rejected', reason: null, isReplaced: 1 },
      {
        ...none,
        record: 2,
        request: 1,
        kind: 'milestone',
        state: 'dead',
        reason: 'deadline',
        mayHaveArrived: 1,
        isChosen: 1,
      },
      { ...none, ...held, mayHaveArrived: 1 },
      { ...none, record: 5, request: 1, kind: 'milestone', state: 'cancelled', reason: null },
      { ...none, record: 8, request: 1, kind: 'order.create', state: 'rejected', reason: null },
    ]);
    expect(replays.candidates({ ...ANY, states: ['held'] }, START, 99)).toEqual([all[2]]);
    expect(replays.candidates({ ...ANY, subject: 'O1' }, START, 99)).toEqual([all[4]]);
    expect(replays.candidates(ANY, { record: 2, request: 1 }, 2)).toEqual(all.slice(2, 4));
  });

  it('chooses what is still as it was planned, and counts what is not', () => {
    const { sql, replays, store } = aBatch();
    const item = (record: number, generation = 1) => ({ record, request: 1, generation });
    replays.begin('a_1', 7);
    replays.begin('a_2', 8);
    replays.add('a_1', [item(1), item(2), item(4), item(5), item(8, 2)]);
    replays.add('a_1', [item(6)]);
    replays.add('a_2', [item(2)]);
    const items = replays.items('a_1', 9);
    expect(items).toEqual([
      ...[
        { ...item(1), isDue: 0 },
        { ...item(2), isDue: 1 },
        { ...item(4), isDue: 0 },
        { ...item(5), isDue: 1 },
      ],
      ...[
        { ...item(6), isDue: 0 },
        { ...item(8, 2), isDue: 0 },
      ],
    ]);
    const step = replays.items('a_1', 4);
    expect(step).toEqual(items.slice(0, 4));
    replays.choose(step.filter(({ isDue }) => isDue === 1));
    expect(sql.exec('SELECT * FROM chosen').toArray()).toEqual([item(2, 2), item(5, 2)]);
    replays.stepped('a_1', 1, step);
    expect(replays.find('a_1')).toEqual({
      action_id: 'a_1',
      begun_at_ms: 7,
      requests: 6,
      chosen: 2,
      skipped: 2,
      step: 1,
    });
    expect(replays.find('a_2')).toMatchObject({ requests: 1, chosen: 0, skipped: 0, step: 0 });
    expect([replays.left('a_1'), replays.left('a_2'), replays.items('a_2', 9)]).toEqual([
      2,
      1,
      [{ ...item(2), isDue: 0 }],
    ]);
    replays.stepped('a_1', 2, replays.items('a_1', 9));
    expect(replays.find('a_1')).toMatchObject({ chosen: 2, skipped: 4, step: 2 });
    expect([replays.chosen('a_1', 9), replays.chosen('a_1', 1), replays.chosen('a_2', 9)]).toEqual([
      ...[[item(2), item(5)], [item(2)], []],
    ]);
    replays.drop('a_2');
    expect([replays.left('a_2'), replays.chosen('a_1', 9).length, store.request(2, 1)?.generation]).toEqual([0, 2, 1]);
  });
});
