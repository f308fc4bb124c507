/** Requests of a batch that are chosen to be sent again, on its tables: which those are, and what is kept of how they ended. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { ActionStore } from '../../../src/batch/store/action-store.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { DISPATCH_REQUESTS_MAX } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, anOutcome } from './samples.ts';

const START = { record: 0, request: 0 };

function aBatch(rows: number) {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const { sql } = storage;
  const store = new BatchStore(storage);
  store.addRows(
    Array.from({ length: rows }, (_, index) => aMappedRow(index + 1, 1)),
    () => 'queued',
  );
  store.keepTally({ records: { queued: rows }, requests: { queued: rows } });
  return { sql, store, actions: new ActionStore(sql, store) };
}

const records = (found: readonly { record: number }[]): number[] => found.map(({ record }) => record);
const group = (state: string, mayHaveArrived: boolean, requests: number, reason: string | null = null) => ({
  ...{ kind: 'milestone', state, reason, mayHaveArrived, requests },
});

describe('requests that ended undelivered', () => {
  function ended() {
    const batch = aBatch(9);
    const dead = { state: 'dead', reason: 'deadline' } as const;
    batch.store.move([
      ...[1, 2].map((record) => anOutcome(record, { state: 'rejected' })),
      anOutcome(3, dead),
      ...[4, 5].map((record) => anOutcome(record, { ...dead, outcome: 'unknown' })),
      anOutcome(6, { state: 'cancelled' }),
      anOutcome(7, { state: 'held', reason: 'deadline' }),
      anOutcome(8, { state: 'delivered' }),
      anOutcome(9, { state: 'rejected' }),
    ]);
    batch.store.writeReplacedBy(9, { batchId: 'b_2', record: 1 });
    return batch;
  }

  it('are counted by what a retry asks of them, without those that are chosen or replaced', () => {
    const { actions } = ended();
    const groups = [
      ...[group('cancelled', false, 1), group('dead', false, 1, 'deadline'), group('dead', true, 2, 'deadline')],
      group('rejected', false, 2),
    ];
    expect(actions.ended()).toEqual(groups);
    actions.choose([groups[2], groups[3]] as Parameters<typeof actions.choose>[0]);
    expect([actions.ended(), records(actions.chosen(9))]).toEqual([groups.slice(0, 2), [1, 2, 4, 5]]);
    expect(records(actions.chosen(3))).toEqual([1, 2, 4]);
    actions.chooseNothing();
    expect([actions.ended(), actions.chosen(9)]).toEqual([groups, []]);
  });

  it('begin anew one by one, and how they ended before is kept', () => {
    const { store, actions } = ended();
    actions.choose(actions.ended());
    const [first, second] = actions.chosen(2);
    if (first === undefined || second === undefined) throw new Error('none is chosen');
    expect([first.generation, first.chosen_generation, actions.raised(9)]).toEqual([1, 2, []]);
    actions.raise([first], 77);
    expect(store.request(1, 1)).toMatchObject({ generation: 2, retried_at_ms: 77 });
    expect(records(actions.raised(9))).toEqual([1]);
    actions.raise([second], 78);
    expect(records(actions.raised(1))).toEqual([1]);
    expect([records(actions.chosen(9)), actions.isChosen(2), actions.isChosen(7)]).toEqual([
      ...[[1, 2, 3, 4, 5, 6], true, false],
    ]);
    actions.dispatched({ record: 5, request: 1 });
    expect([records(actions.chosen(9)), actions.isChosen(2)]).toEqual([[3, 4, 5, 6], false]);
    const [third] = actions.chosen(1);
    if (third === undefined) throw new Error('none is chosen');
    actions.raise([third], 79);
    actions.dispatched({ record: 2, request: 1 });
    expect(records(actions.chosen(9))).toEqual([3, 4, 5, 6]);
    expect(actions.earlier([3, 1])).toEqual([
      {
        ...{ record: 1, request: 1, generation: 1, state: 'rejected', reason: null, outcome: null, attempts: 0 },
        ...{ status: null, answer: '', decided_at_ms: third.decided_at_ms },
      },
      {
        ...{ record: 3, request: 1, generation: 1, state: 'dead', reason: 'deadline', outcome: null, attempts: 0 },
        ...{ status: null, answer: '', decided_at_ms: third.decided_at_ms },
      },
    ]);
    expect([records(actions.earlier([2])), actions.earlier([4])]).toEqual([[2], []]);
  });

  it('that travelled in another request end as that one did', () => {
    const { store, actions } = aBatch(1);
    store.move([
      anOutcome(1, { state: 'coalesced', intoState: 'rejected', into: { batchId: 'b_2', record: 1, request: 1 } }),
    ]);
    actions.choose(actions.ended());
    actions.raise(actions.chosen(1), 77);
    expect(actions.earlier([1])).toMatchObject([{ state: 'rejected' }]);
  });

  it('are chosen by the row that has the requests of their group', () => {
    const { sql, store, actions } = aBatch(1);
    store.addRows([aMappedRow(2, 0, { group: 1 })], () => 'queued');
    sql.exec('INSERT INTO chosen (record, request, generation) VALUES (1, 1, 2)');
    expect([actions.isChosen(2), actions.isChosen(3)]).toEqual([true, false]);
  });

  it('are all taken where they are more than one step takes', () => {
    const count = 2 * DISPATCH_REQUESTS_MAX + 1;
    const { sql, actions } = aBatch(count);
    for (let record = 1; record <= count; record += 1)
      sql.exec('INSERT INTO chosen (record, request, generation) VALUES (?, 1, 2)', record);
    sql.exec('INSERT INTO chosen (record, request, generation) VALUES (?, 1, 2)', count + 1); // of which nothing is stored
    expect(records(actions.chosen(9_999))).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });
});

it('requests that nobody may have sent yet are those in line, being sent or to be tried again', () => {
  const { store, actions } = aBatch(8);
  const states = ['queued', 'sending', 'waiting', 'unknown', 'held', 'delivered', 'coalesced', 'queued'] as const;
  store.move(
    states.map((state, index) => anOutcome(index + 1, { state, intoState: state === 'coalesced' ? 'waiting' : null })),
  );
  expect(records(actions.unsent(START, { record: 7, request: 1 }, 9))).toEqual([1, 2, 3, 7]);
  expect(records(actions.unsent({ record: 1, request: 1 }, { record: 9, request: 1 }, 2))).toEqual([2, 3]);
});
