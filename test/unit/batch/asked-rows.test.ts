/** What is asked of a batch's rows and requests, beside a plain list of them: by place, by state, page by page, both ways. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import { ANY_ROW, type RowFilter } from '../../../src/batch/core/row-filter.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { ROWS_LOOKED_AT_MAX } from '../../../src/batch/limits.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { inOneStep, searchRows } from '../../../src/batch/store/row-search.ts';
import type { RowStore } from '../../../src/batch/store/row-store.ts';
import type { Slice, SliceRow } from '../../../src/batch/store/slice.ts';
import { countedState, foldRow, followedState, type RecordState } from '../../../src/delivery/outcome.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, anOutcome, aProblem, aTicket, RECEIVED_MS } from './samples.ts';

const END = { record: Number.POSITIVE_INFINITY, request: 0 };
const START = { record: 0, request: 0 };

interface ListedRequest {
  record: number;
  request: number;
  kind: string;
  state: RequestState;
  into: RequestState | null;
}
interface ListedRow {
  record: number;
  first: RecordState;
  lead: number;
  isWrong: boolean;
  requests: ListedRequest[];
}

const STATES = ['delivered', 'rejected', 'queued', 'held', 'coalesced', 'dead', 'duplicate'] as const;
const KINDS = ['milestone', 'order.create', 'order.update', 'order.upsert'] as const;
/** Of the third range only a few rows, of the fourth none, so that most is looked for where there is nothing. */
const NUMBERS = [...Array.from({ length: 1_003 }, (_, index) => index + 1), ...[2_001, 2_002, 2_003]];

/** Some rows are wrong, some belong to the row before them, some have several requests or none. */
function listed(): ListedRow[] {
  return NUMBERS.map((record): ListedRow => {
    const isMember = record % 20 === 0 || record === 1_001;
    const first = record % 11 === 3 ? 'invalid' : record % 100 === 7 ? 'skipped' : 'queued';
    const count = isMember || first !== 'queued' ? 0 : 1 + Number(record % 9 === 0);
    const requests = Array.from({ length: count }, (_, at): ListedRequest => {
      const kind = record > 500 && record <= 1_000 ? 'milestone' : (KINDS[(record + at) % KINDS.length] ?? 'milestone');
      return { record, request: at + 1, kind, state: 'queued', into: null };
    });
    return {
      ...{ record, first: isMember ? 'queued' : first, lead: isMember ? record - 1 - Number(record > 1_000) : record },
      ...{ isWrong: first === 'invalid' || record % 50 === 4, requests },
    };
  });
}

const mapped = ({ record, first, lead, isWrong, requests }: ListedRow): MappedRow => {
  const row = aMappedRow(record, requests.length, { group: lead === record ? null : lead });
  return {
    ...{
      ...row,
      state: first === 'queued' ? null : first,
      problems: isWrong ? [aProblem({ value: `${record}` })] : [],
    },
    requests: row.requests.map((request, at) => {
      const { kind = 'milestone' } = requests[at] ?? {};
      return { ...request, kind, subject: kind === 'milestone' ? `load:L${record % 7}` : `order:O${record}` };
    }),
  } as unknown as MappedRow;
};

function aBatch() {
  const database = new ObjectDatabase(() => '');
  const storage = storageOf(database, BATCH_MIGRATIONS);
  const store = new BatchStore(storage);
  const rows = listed();
  const leads = new Map(rows.map((row) => [row.record, row]));
  store.addRows(rows.map(mapped), ({ state }) => state ?? 'queued');
  const requests = rows.flatMap((row) => row.requests);
  const stateOf = ({ first, lead }: ListedRow): RecordState => {
    const carrier = leads.get(lead);
    if (first !== 'queued' || carrier === undefined || carrier.requests.length === 0) return first;
    const states = carrier.requests.map(({ state, into }) => followedState(state, into));
    return foldRow([...states, ...(carrier.isWrong ? (['invalid'] as const) : [])]);
  };
  const count = (states: readonly string[]) =>
    Object.fromEntries([...Map.groupBy(states, (state) => state)].map(([state, all]) => [state, all.length]));
  const tally = (of: readonly ListedRow[] = rows) => ({
    records: count(of.map(stateOf)),
    requests: count(of.flatMap((row) => row.requests).map(({ state, into }) => countedState(state, into))),
  });
  store.keepTally(tally());
  for (const request of requests) {
    const state = STATES[(request.record * 3 + request.request) % STATES.length] ?? 'queued';
    if (request.record <= 500 && request.record > 400) continue; // so that some slices are open
    const intoState = state === 'coalesced' ? (request.record % 2 === 0 ? 'delivered' : 'held') : null;
    Object.assign(request, { state, into: intoState });
    store.move([anOutcome(request.record, { request: request.request, state, intoState })]);
  }
  return { database, storage, store, rows, requests, stateOf, tally };
}

const batch = aBatch();
const numbers = (found: Iterable<{ record: number }>): number[] => [...found].map(({ record }) => record);
const places = (found: Iterable<{ record: number; request: number }>) =>
  [...found].map(({ record, request }) => `${record}/${request}`);
const isAfter = (one: { record: number; request: number }, other: { record: number; request: number }): boolean =>
  one.record > other.record || (one.record === other.record && one.request > other.request);
const both = (): BatchStore[] => [batch.store, new BatchStore(batch.storage)];

describe('rows', () => {
  it('are counted as they are, all of them and those of any part', () => {
    const { rows, tally } = batch;
    for (const store of both()) {
      expect(store.tally()).toEqual(tally());
      for (const [after, last] of [
        [0, 5_000],
        [0, 1],
        [499, 501],
        [1_003, 2_001],
        [3, 3],
      ] as const) {
        const within = rows.filter(({ record }) => record > after && record <= last);
        expect(store.tallyWithin(after, last)).toEqual(tally(within));
      }
    }
  });

  it('are found by their number with the row that has their requests, and those of their group', () => {
    const { store, rows, stateOf } = batch;
    for (const row of rows.filter(({ record }) => record % 17 === 0 || record > 995)) {
      const group = rows.filter(({ lead }) => lead === row.lead).map(({ record }) => record);
      expect([store.recordState(row.record), store.carrierOf(row.record), store.groupOf(row.record)]).toEqual([
        ...[stateOf(row), row.lead, group],
      ]);
    }
    expect([store.recordState(1_500), store.carrierOf(1_500), store.groupOf(1_500), store.lastRecord()]).toEqual([
      ...[undefined, 1_500, [], 2_003],
    ]);
    expect(numbers(store.recordsAt([2_002, 1_500, 3, 700]))).toEqual([3, 700, 2_002]);
  });

  it.each<[string, readonly string[] | null]>([
    ['of any state', null],
    ['invalid', ['invalid']],
    ['delivered or a repeat', ['delivered', 'duplicate']],
    ['of a state that none has', ['valid']],
  ])('%s come in order from any of them on', (_, states) => {
    const { rows, stateOf } = batch;
    const wanted = rows.filter((row) => states === null || states.includes(stateOf(row)));
    for (const store of both())
      for (const [after, limit, last] of [
        [0, 9_999, null],
        [499, 3, null],
        [990, 40, 2_001],
        [2_002, 9, 2_002],
        [0, 0, 9],
      ] as const) {
        const found = store.records(after, limit, states, last);
        const own = wanted.filter(({ record }) => record > after && record <= (last ?? 9_999)).slice(0, limit);
        expect(found.map(({ record, state }) => [record, state])).toEqual(own.map((row) => [row.record, stateOf(row)]));
      }
  });

  it('are looked for forward and back, by state and by what they say', () => {
    const { rows, stateOf } = batch;
    const filters: [Partial<RowFilter>, (row: ListedRow) => boolean][] = [
      [{}, () => true],
      [{ states: ['held'] }, (row) => stateOf(row) === 'held'],
      [{ states: ['valid'] }, () => false],
      [{ value: '404' }, ({ record }) => record === 404],
      [
        { text: 'load:l3' }, // what a group says is said of each of its rows
        ({ lead }) =>
          rows.some(
            ({ record, requests }) =>
              record === lead && record % 7 === 3 && requests.some(({ kind }) => kind === 'milestone'),
          ),
      ],
    ];
    for (const store of both())
      for (const [more, is] of filters)
        for (const [after, before, last, limit] of [
          ...[
            [0, null, null, 9_999],
            [498, null, 505, 4],
            [0, 9_999, null, 5],
            [3, 502, null, 9_999],
          ],
          ...[
            [0, 1, null, 9],
            [0, 1_001, null, 1],
            [1_002, 2_003, null, 9],
            [0, 2_004, 1_002, 3],
          ],
        ] as [number, number | null, number | null, number][]) {
          const own = rows.filter((row) => row.record > after && row.record < (before ?? 9_999) && is(row));
          const wanted =
            before === null ? own.filter(({ record }) => record <= (last ?? 9_999)).slice(0, limit) : own.slice(-limit);
          const found = store.find({
            after,
            before,
            last: before === null ? last : null,
            limit,
            filter: { ...ANY_ROW, ...more },
          });
          expect([found.lookedTo, numbers(found.records)]).toEqual([null, numbers(wanted)]);
        }
  });
});

describe('requests', () => {
  it('come in order after any of them, up to any of them, with what becomes of them', () => {
    const { requests } = batch;
    for (const store of both())
      for (const [after, last, limit] of [
        [START, END, 9_999],
        [{ record: 9, request: 1 }, { record: 18, request: 1 }, 9_999],
        [{ record: 9, request: 2 }, { record: 500, request: 1 }, 7],
        [{ record: 1_003, request: 9 }, { record: 2_002, request: 9 }, 9],
      ] as const) {
        const within = requests.filter((each) => isAfter(each, after) && !isAfter(each, last));
        const found = store.requestsWithin(after, last, limit);
        const shown = (each: { record: number; request: number; state: string }) =>
          `${each.record}/${each.request} ${each.state}`;
        expect(found.map(shown)).toEqual(within.slice(0, limit).map(shown));
        const open = within.filter(({ state }) => state === 'queued' || state === 'held');
        const isOpen = ({ state }: { state: string }) => state === 'queued' || state === 'held';
        expect(places(store.openWithin(after, last, isOpen, limit))).toEqual(places(open.slice(0, limit)));
      }
  });

  it('that make an order are listed with their order and its state', () => {
    const { store, requests } = batch;
    const orders = requests.filter(({ kind }) => kind === 'order.create' || kind === 'order.upsert');
    const made = orders.map(({ record, request, state, into }) => ({
      ...{ record, request, orderRef: `O${record}`, state: countedState(state, into) },
    }));
    expect(store.madeOrders(START, 9_999)).toEqual(made);
    const [, , third] = made;
    expect(store.madeOrders(third ?? START, 4)).toEqual(made.slice(3, 7));
  });

  it('are there, or not, of any part of the rows', () => {
    const { store } = batch;
    const asked = [
      [0, 1],
      [2, 3],
      [6, 7],
      [1_003, 2_000],
      [2_000, 2_001],
      [2_003, 9_999],
    ] as const;
    expect(asked.map(([after, last]) => store.hasRequests(after, last))).toEqual([
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(places(store.requestsOf([9, 1, 3]))).toEqual(['1/1', '9/1', '9/2']);
    expect([store.request(9, 2)?.request, store.request(9, 3), store.request(3, 1)]).toEqual([2, undefined, undefined]);
  });

  it('have the time and key of their message, and none where there are no messages', () => {
    const { store } = batch;
    expect(store.requestsAfter(START, 1)[0]).not.toHaveProperty('accepted_at_ms');
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const shared = new BatchStore(storage);
    shared.addRows(
      [1, 2, 3, 4].map((record) => aMappedRow(record, 1)),
      () => 'queued',
    );
    [2, 1, 1].reduce((before, records, index) => {
      const message = index + 1;
      shared.messages.add({
        ...{ message, uploadId: `u${message}`, fileName: null, bytes: 1, sha256: '', receivedAtMs: message },
        uploadedBy: message === 2 ? null : `k${message}`,
      });
      shared.messages.begin(message, before);
      shared.messages.end(message, {
        state: 'read',
        records,
        content: null,
        notes: [],
        isTold: true,
        isAnnounced: true,
      });
      return before + records;
    }, 0);
    const came = (after: number) =>
      shared
        .requestsAfter({ record: after, request: 1 }, 9)
        .map((each) => [each.record, each.accepted_at_ms, each.uploaded_by]);
    expect(came(0)).toEqual([
      [1, 1, 'k1'],
      [2, 1, 'k1'],
      [3, 2, null],
      [4, 3, 'k3'],
    ]);
    expect(came(2)).toEqual([
      [3, 2, null],
      [4, 3, 'k3'],
    ]);
    expect(shared.requestsAfter(END, 9)).toEqual([]);
  });

  it('fill one step by their number or their characters, and the first one always fits', () => {
    const long = (body: number) => ({ body: 'x'.repeat(body) });
    const MEGA = 1024 * 1024;
    const taken = (...of: number[]) => inOneStep(of.map(long), 3).length;
    expect([
      taken(),
      taken(1, 1, 1, 1),
      taken(5 * MEGA, 1),
      taken(2 * MEGA, 2 * MEGA, 1),
      taken(MEGA, 4 * MEGA),
    ]).toEqual([...[0, 3, 1, 2, 1]]);
  });
});

describe('a search', () => {
  /** Stands for a batch of so many rows in slices of 500, without storing them. */
  function aStore(count: number) {
    const row = (record: number) => ({ record, state: 'queued', group_record: null, requests: [], problems: null });
    const store = {
      lastRecord: () => count,
      *rows(after: number, wanted: (slice: Slice) => boolean, last = Number.POSITIVE_INFINITY) {
        if (!wanted({ states: null } as unknown as Slice)) return;
        const to = Math.min(count, (last + 1) * 500);
        for (let record = after + 1; record <= to; record += 1) yield row(record);
      },
      stateOf: ({ state }: SliceRow) => state,
      carrierOf: (each: SliceRow) => each,
    };
    return store as unknown as RowStore;
  }
  const asked = { after: 0, before: null, last: null, limit: 9, filter: { ...ANY_ROW, code: 'none_has_it' } };

  it('looks through fifty thousand rows at a time, and says where it goes on', () => {
    const [max, store] = [ROWS_LOOKED_AT_MAX, aStore(ROWS_LOOKED_AT_MAX + 3)];
    expect(searchRows(aStore(max), asked)).toEqual({ records: [], lookedTo: null });
    expect(searchRows(store, asked).lookedTo).toBe(max);
    expect(searchRows(store, { ...asked, after: 3 }).lookedTo).toBeNull();
    expect(searchRows(store, { ...asked, after: 2 }).lookedTo).toBe(max + 2);
    expect(searchRows(store, { ...asked, before: max + 4 }).lookedTo).toBe(4);
    expect(searchRows(store, { ...asked, before: max + 1 }).lookedTo).toBeNull();
  });
});

describe('rows in whose place others came', () => {
  const BY = { batchId: 'b_2', record: 1 };
  const OTHER = { batchId: 'b_3', record: 2 };
  function aGroup() {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const store = new BatchStore(storage);
    const rows = [
      aMappedRow(1, 1),
      aMappedRow(2, 0, { group: 1 }),
      aMappedRow(3, 0, { state: 'invalid' }),
      aMappedRow(4, 1),
    ];
    store.addRows(rows, ({ state }) => state ?? 'queued');
    store.keepTally({ records: { queued: 3, invalid: 1 }, requests: { queued: 2 } });
    store.move([anOutcome(1, { state: 'rejected' })]);
    return store;
  }

  it('are marked once with all of their group, if they could be corrected', () => {
    const store = aGroup();
    store.writeReplacedBy(2, OTHER);
    expect(store.resolve(2, BY)).toEqual([1, 2].map((record) => ({ record, state: 'rejected' })));
    expect([store.resolve(1, OTHER), store.resolve(4, BY), store.resolve(9, BY)]).toEqual([[], [], []]);
    expect([1, 2, 3].map(store.replacedBy)).toEqual([OTHER, OTHER, null]); // nothing of the group is sent again
    expect(store.resolve(3, BY)).toEqual([{ record: 3, state: 'invalid' }]);
    expect(store.replacedBy(3)).toEqual(BY);
    store.writeReplacedBy(3, OTHER);
    expect(store.replacedBy(3)).toEqual(OTHER);
    const by = JSON.stringify(BY);
    expect(store.records(0, 9, null).map(({ resolved_by }) => resolved_by)).toEqual([by, by, by, null]);
    expect(store.recordsAt([4]).map(({ resolved_by }) => resolved_by)).toEqual([null]);
    const found = store.find({ after: 2, before: null, last: null, limit: 9, filter: ANY_ROW });
    expect(found.records.map(({ resolved_by }) => resolved_by)).toEqual([by, null]);
    expect(store.tallyWithin(0, 9)).toMatchObject({ resolved: { rejected: 2, invalid: 1 } });
    expect([store.tallyWithin(2, 9).resolved, store.tallyWithin(3, 9)]).toMatchObject([
      { invalid: 1 },
      { records: { queued: 1 } },
    ]);
    expect(store.tallyWithin(3, 9)).not.toHaveProperty('resolved');
  });
});

describe('what a batch keeps of itself', () => {
  it('is there for the next instance, and what is only noted once something is put', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const store = new BatchStore(storage);
    const next = () => new BatchStore(storage);
    expect([store.ticket(), store.progress(), store.trouble(), store.usage(), store.indexCheckpoint()]).toEqual([
      ...[undefined, undefined, null, null, { revision: 0, written: null }],
    ]);
    store.storeIndexCheckpoint({ revision: 2, written: 'x' });
    store.keepTrouble('planned');
    expect([next().indexCheckpoint(), next().trouble()]).toEqual([{ revision: 2, written: 'x' }, 'planned']);
    store.keepTrouble(null);
    expect(next().trouble()).toBeNull();
  });

  it('counts what it used from when that is begun', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const none = { rowsWritten: 0, objectCalls: 0, awakeMs: 0, upstreamCalls: 0, filesWritten: 0, filesRead: 0 };
    const store = new BatchStore(storage, { take: () => ({ ...none, rowsWritten: 1 }) });
    store.uses({ ...none, upstreamCalls: 1 });
    expect(store.usage()).toBeNull();
    store.beginUsage();
    store.uses({ ...none, upstreamCalls: 2 });
    expect(store.usage()).toEqual({ ...none, rowsWritten: 2, upstreamCalls: 2 });
    const silent = new BatchStore(storage);
    silent.beginUsage();
    silent.uses({ ...none, upstreamCalls: 2 });
    expect(silent.usage()).toEqual(none);
  });

  it('counts by the minute how long its rows took, from when they came or began anew', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const store = new BatchStore(storage);
    const wrong = aMappedRow(3, 0, { state: 'invalid' });
    store.addRows([aMappedRow(1, 1), aMappedRow(2, 1), wrong], ({ state }) => state ?? 'queued', null, RECEIVED_MS);
    store.keepTally({ records: { queued: 2, invalid: 1 }, requests: { queued: 2 } });
    const minute = Math.floor(RECEIVED_MS / 60_000);
    const moved = (record: number, state: RequestState, afterMs: number, more = {}) => {
      store.move([anOutcome(record, { state, decidedAtMs: RECEIVED_MS + afterMs, ...more })]);
      return store.minutes().points;
    };
    expect(moved(1, 'rejected', 5)).toEqual([[minute, 0, 1, 1]]);
    store.raise(
      [
        { record: 1, request: 1 },
        { record: 9, request: 1 },
      ],
      RECEIVED_MS + 1_000,
    );
    store.keepTicket(aTicket());
    expect(moved(1, 'delivered', 1_700, { generation: 2 })).toEqual([[minute, 1, 1, 1, [0, 0, 0, 1]]]);
    store.keepProgress({ state: 'delivering', message: 1 } as unknown as BatchProgress);
    store.messages.add({
      ...{ message: 1, uploadId: 'u', fileName: null, bytes: 1, sha256: '' },
      receivedAtMs: RECEIVED_MS + 2_000,
    });
    store.messages.begin(1, 0);
    expect(moved(2, 'delivered', 2_300)).toEqual([[minute, 2, 1, 1, [0, 0, 1, 1]]]);
  });
});
