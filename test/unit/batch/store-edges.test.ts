/** What the stores of a batch do at the edges: after a failed commit, with the longest text, with every state there is. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { ActionStore } from '../../../src/batch/store/action-store.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { storedValue, ticketIn } from '../../../src/batch/store/documents.ts';
import {
  addLater,
  longBodies,
  rowIn,
  type SliceRequest,
  type SliceRow,
  type StoredOutcome,
  slicedRows,
} from '../../../src/batch/store/slice.ts';
import { type BatchStorage, StoredValues } from '../../../src/batch/store/stored-values.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, anOutcome, aStoredRequest, aTicket } from './samples.ts';

const PROGRESS: BatchProgress = {
  ...{ state: 'reading', checkpoint: null, readingFinished: true, handedOver: { record: 0, request: 0 } },
  ...{ settledAtMs: null, problems: [], reported: false },
};

/** Tables that count what is written to them, and fail when they are told to. */
function tables() {
  const database = new ObjectDatabase(() => '');
  const { sql } = storageOf(database, BATCH_MIGRATIONS);
  const seen = { written: 0, fails: '' };
  const exec = (text: string, ...values: never[]) => {
    if (seen.fails !== '' && text.includes(seen.fails)) throw new Error('planned: full');
    const cursor = sql.exec(text, ...values);
    seen.written += cursor.rowsWritten;
    return cursor;
  };
  const storage: BatchStorage = {
    sql: { exec } as unknown as SqlStorage,
    transactionSync: (work) => database.transaction(work),
  };
  return { database, seen, storage };
}

describe('a commit that failed', () => {
  it('leaves nothing known that is not stored: no row, no message, no value', () => {
    const { storage } = tables();
    const store = new BatchStore(storage);
    store.keepProgress(PROGRESS);
    store.messages.add({ message: 1, uploadId: 'u', fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 });
    const failed = () =>
      store.commit(() => {
        store.messages.begin(1, 0);
        store.keepTrouble('unknown');
        throw new Error('planned');
      });
    expect(failed).toThrow('planned');
    expect([store.messages.message(1)?.state, store.messages.nextUnread(), store.trouble()]).toEqual([
      'unread',
      1,
      null,
    ]);
  });
});

describe('a commit that failed on the way', () => {
  it.each(['INTO letter', 'INTO outcome_log', 'INTO kept'])(
    'leaves nothing of it stored, whichever statement it was: %s',
    (fails) => {
      const { storage, seen, database } = tables();
      const store = new BatchStore(storage);
      store.commit(() => {
        store.keepProgress(PROGRESS);
        store.addRows([aMappedRow(1, 1), aMappedRow(2, 1)], () => 'queued');
        store.keepTally({ records: { queued: 2 }, requests: { queued: 2 } });
      });
      const all = (): unknown[] =>
        ['kept', 'letter', 'outcome_log', 'slice', 'action'].map((name) => database.read(`SELECT * FROM ${name}`));
      const before = all();
      const refuse = (): void =>
        store.commit(() => {
          new ActionStore(storage.sql, store).note({ atMs: 1, who: 'k1', what: 'retry', detail: null });
          store.move([anOutcome(1, { state: 'rejected' }), anOutcome(2, { state: 'delivered' })]);
          store.keepTrouble('planned');
        });
      seen.fails = fails;
      expect(refuse).toThrow('planned: full');
      expect(all()).toEqual(before);
      seen.fails = '';
      refuse();
      expect(store.tally().requests).toEqual({ rejected: 1, delivered: 1 });
      expect(database.read('SELECT record FROM letter')).toEqual([{ record: 1 }]);
      expect(new BatchStore(storage).tally()).toEqual(store.tally());
    },
  );
});

describe('a statement that failed by itself', () => {
  const part = (message: number) => ({
    ...{ message, uploadId: `u${message}`, fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 },
  });

  it('leaves no message known as begun that was begun in memory alone, and what is put later does not say so', () => {
    const { seen, storage } = tables();
    const store = new BatchStore(storage);
    store.keepProgress(PROGRESS);
    store.messages.add(part(1));
    store.messages.begin(1, 0);
    seen.fails = 'INTO kept';
    expect(() => store.keepTrouble('unknown')).toThrow('planned');
    seen.fails = '';
    expect([store.messages.message(1)?.state, store.messages.nextUnread()]).toEqual(['unread', 1]);
    store.keepTrouble(null);
    expect(new BatchStore(storage).messages.nextUnread()).toBe(1);
  });

  it('leaves a message unread whose beginning is to be written with a page of others, and was not', () => {
    const { seen, storage } = tables();
    const store = new BatchStore(storage);
    const end = { records: 0, content: null, notes: [], isTold: true, isAnnounced: true };
    for (let message = 1; message <= 33; message += 1) store.messages.add(part(message));
    for (let message = 1; message <= 32; message += 1) store.messages.end(message, { state: 'read', ...end });
    seen.fails = 'INTO message_page';
    expect(() => store.messages.begin(33, 0)).toThrow('planned');
    seen.fails = '';
    expect([store.messages.message(33)?.state, store.messages.nextUnread()]).toEqual(['unread', 33]);
  });
});

describe('a small batch of which nothing was sent', () => {
  it('has all of its requests open, to the next instance, too', () => {
    const { storage } = tables();
    new BatchStore(storage).addRows([aMappedRow(1, 1), aMappedRow(2, 1)], () => 'queued');
    const last = { record: Number.POSITIVE_INFINITY, request: 0 };
    const open = new BatchStore(storage).openWithin({ record: 0, request: 0 }, last, () => true, 9);
    expect(open.map(({ record }) => record)).toEqual([1, 2]);
  });
});

describe('the values of a batch', () => {
  it('are written once by each commit that changed some, however often it did, and by no other', () => {
    const { seen, storage } = tables();
    const values = new StoredValues(storage);
    const writes = (work: () => void): number => {
      const before = seen.written;
      work();
      return seen.written - before;
    };
    const put = (name: string) => () => values.put(name, { a: 1 });
    const twice = () => [put('a'), put('b')].forEach((each) => void each());
    expect([
      writes(put('a')),
      writes(() => values.commit(twice)),
      writes(() => values.commit(() => undefined)),
    ]).toEqual([...[1, 1, 0]]);
    const nested = () => values.commit(() => values.commit(twice));
    expect([writes(nested), writes(() => values.note('c', 1)), writes(() => values.commit(() => undefined))]).toEqual([
      1, 0, 0,
    ]);
    expect(writes(() => values.commit(() => values.put('ticket', aTicket())))).toBe(1);
    const next = new StoredValues(storage);
    expect([next.get('b'), next.get('c'), next.get<BatchTicket>('ticket')?.batchId]).toEqual([
      { a: 1 },
      undefined,
      aTicket().batchId,
    ]);
    values.put('d', 1);
    expect(new StoredValues(storage).get('c')).toBe(1); // what was noted goes with what is put
  });

  it('are as they were stored where they could not be, in a commit and outside of one', () => {
    const { seen, storage } = tables();
    const values = new StoredValues(storage);
    values.put('a', 1);
    seen.fails = 'INTO kept';
    expect(() => values.put('a', 2)).toThrow('planned');
    expect(() => values.commit(() => values.put('a', 3))).toThrow('planned');
    seen.fails = '';
    expect(values.get('a')).toBe(1);
    values.commit(() => undefined);
    expect(new StoredValues(storage).get('a')).toBe(1);
  });

  it('cannot be changed by whoever reads them', () => {
    const values = new StoredValues(tables().storage);
    values.put('a', { b: 1 });
    expect(Object.isFrozen(values.get('a'))).toBe(true);
  });
});

describe('a stored document', () => {
  const run = { actionId: 'a', environment: 'test', partner: 'p', perSecond: 1, batches: [] };
  const decisions = { actionId: 'a', environment: 'test', decision: 'send', requests: 1, decided: 0, skipped: 0 };

  it.each<[string, object, string, readonly string[]]>([
    ['ticket', aTicket(), 'environment', ['test', 'production']],
    ['progress', PROGRESS, 'state', ['reading', 'delivering', 'settled', 'unreadable']],
    ['run', run, 'state', ['running', 'cancelling', 'cancelled', 'done']],
    ['run', { ...run, state: 'done' }, 'environment', ['test', 'production']],
    ['decisions', decisions, 'state', ['running', 'cancelled', 'done']],
    ['decisions', { ...decisions, state: 'done' }, 'environment', ['test', 'production']],
  ])('%s %j is read with every %s there is, and with no other', (name, document, member, states) => {
    for (const state of states)
      expect(storedValue(name, { ...document, [member]: state })).toMatchObject({ [member]: state });
    expect(() => storedValue(name, { ...document, [member]: 'another' })).toThrow();
  });

  it('is refused where it lacks what no batch can do without, or is of a later form', () => {
    expect(ticketIn(JSON.stringify(aTicket()))).toEqual(aTicket());
    for (const [name, document] of [
      ...[
        ['ticket', aTicket()],
        ['progress', PROGRESS],
        ['indexed', { revision: 1, written: null }],
      ],
      ...[
        ['run', { ...run, state: 'done' }],
        ['decisions', { ...decisions, state: 'done' }],
        ['oldRows', { after: 0, last: 1 }],
      ],
    ] as [string, object][]) {
      expect(storedValue(name, { ...document, more: 1 })).toMatchObject({ more: 1 });
      expect(() => storedValue(name, { ...document, form: 2 })).toThrow('2');
      expect(() => storedValue(name, {})).toThrow();
    }
    expect(storedValue('another', 7)).toBe(7);
  });
});

describe('the texts of what became of sets', () => {
  it('have 128 kB at most', () => {
    const longest = 128 * 1024 - '0/1 '.length;
    const keep = (characters: number): boolean => {
      const store = new BatchStore(tables().storage);
      const rows = Array.from({ length: 100 }, (_, index) => aMappedRow(index + 1, 1));
      return store.commit(() =>
        store.addRows(rows, () => 'queued', { message: 0, text: 1, sets: 'x'.repeat(characters) }),
      );
    };
    expect([keep(longest), keep(longest + 1)]).toEqual([true, false]);
  });
});

describe('requests of a slice', () => {
  it('are as they were read until something becomes of them', () => {
    const store = new BatchStore(tables().storage);
    store.addRows([aMappedRow(1, 1)], () => 'queued');
    expect(store.request(1, 1)).toEqual(aStoredRequest(1, 1));
  });

  it('keep the first of two outcomes of one revision, and the later of two generations', () => {
    const outcome = (generation: number, revision: number, answer: string) =>
      ({ record: 1, request: 1, generation, revision, answer }) as unknown as StoredOutcome;
    const known = new Map<string, StoredOutcome>();
    const later = (...more: StoredOutcome[]) => {
      addLater(known, more);
      return [...known.values()].map(({ answer }) => answer);
    };
    expect([
      later(outcome(1, 2, 'a'), outcome(1, 2, 'b')),
      later(outcome(1, 3, 'c')),
      later(outcome(1, 2, 'd')),
    ]).toEqual([...[['a'], ['c'], ['c']]]);
    expect([later(outcome(2, 0, 'e')), later(outcome(1, 9, 'f'))]).toEqual([['e'], ['e']]);
  });

  it('have the longest of their bodies beside the slice, as few as make the others fit', () => {
    const requests = [50, 80, 10, 60].map((thousands, at) =>
      aStoredRequest(1, at + 1, { body: 'x'.repeat(thousands * 1_024) }),
    );
    const taken = longBodies(requests as unknown as SliceRequest[]).map(({ request }) => request);
    expect([taken, requests.map(({ body }) => body === null)]).toEqual([[2], [false, true, false, false]]);
    const fitting = [aStoredRequest(1, 1, { body: 'x'.repeat(128 * 1_024) })] as unknown as SliceRequest[];
    expect(longBodies(fitting)).toEqual([]);
    const none = [aStoredRequest(1, 1, { body: 'x'.repeat(128 * 1_024 + 1) })] as unknown as SliceRequest[];
    expect([longBodies(none).length, longBodies(none)]).toEqual([1, []]);
  });

  it('are found by their row wherever it stands, and nowhere where it does not', () => {
    const rows = [1, 4, 5, 9].map((record) => ({ record }) as unknown as SliceRow);
    expect([0, 1, 2, 4, 5, 6, 9, 10].map((record) => rowIn(rows, record)?.record)).toEqual([
      ...[undefined, 1, undefined, 4, 5, undefined, 9, undefined],
    ]);
    expect(rowIn([], 1)).toBeUndefined();
  });

  it('go into slices of one range each, of half a million characters at most', () => {
    const row = (record: number, characters: number) =>
      ({
        record,
        requests: [aStoredRequest(record, 1, { body: 'x'.repeat(characters) })],
        members: [],
        problems: null,
        looked_up: null,
      }) as unknown as SliceRow;
    const sizes = (...rows: SliceRow[]) => slicedRows(rows).map((slice) => slice.map(({ record }) => record));
    expect(sizes(row(501, 1), row(2, 1), row(500, 1), row(1, 1))).toEqual([[1, 2, 500], [501]]);
    const half = 256 * 1024 - 550; // with what is counted for each row and request
    expect(sizes(row(1, half), row(2, half), row(3, half))).toEqual([[1, 2], [3]]);
    expect(sizes(row(1, half), row(2, half + 1), row(3, half))).toEqual(
      [[1], [2], [3]].slice(0, 1).concat([[2]], [[3]]),
    );
    expect(sizes()).toEqual([]);
  });
});

it('requests after one of a row begin behind that row, also where the row before has more of them', () => {
  const store = new BatchStore(tables().storage);
  store.addRows([aMappedRow(1, 3), aMappedRow(2, 2), aMappedRow(3, 1)], () => 'queued');
  store.keepTally({ records: { queued: 3 }, requests: { queued: 6 } });
  const later = (record: number, request: number) =>
    store.requestsAfter({ record, request }, 9).map((each) => `${each.record}/${each.request}`);
  expect([later(2, 1), later(1, 2), later(2, 0)]).toEqual([
    ['2/2', '3/1'],
    ['1/3', '2/1', '2/2', '3/1'],
    ['2/1', '2/2', '3/1'],
  ]);
  store.move([anOutcome(2, { request: 2, state: 'delivered' })]);
  expect(store.requestsWithin({ record: 2, request: 1 }, { record: 2, request: 2 }, 9)).toMatchObject([
    { state: 'delivered' },
  ]);
});
