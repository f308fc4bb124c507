/** What a batch's steps do beside its tables: decide about many requests, report to the register, look after what is over. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { type DecisionItem, type DecisionRun, newDecisionRun } from '../../../src/batch/core/decision-run.ts';
import { SubjectPace } from '../../../src/batch/core/pacing.ts';
import { type BatchProgress, START } from '../../../src/batch/core/progress.ts';
import type { Tally } from '../../../src/batch/core/row.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { NEW_SUBJECTS_FREE, NEW_SUBJECTS_REQUESTED, ROWS_REPORTED_EVERY } from '../../../src/batch/limits.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import { decideStep } from '../../../src/batch/steps/decide-many.ts';
import { notifyRegister, retentionStep } from '../../../src/batch/steps/ending.ts';
import { appendMessage, createdWith } from '../../../src/batch/steps/messages.ts';
import { hasNotifications } from '../../../src/batch/steps/notify.ts';
import { UnderWay } from '../../../src/batch/steps/under-way.ts';
import { WatchStore, watchStep } from '../../../src/batch/steps/watching.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import type { DecisionStore } from '../../../src/batch/store/decision-store.ts';
import {
  BATCH_RETENTION_MS,
  BYTES_RETENTION_MS,
  DECISIONS_PER_SECOND,
  INDEX_RETRY_MS,
  LOAD_RETENTION_MS,
  LOADS_ENDED_AT_ONCE,
  ROLLING_BATCH_ROWS_MAX,
  WATCH_BATCH_MS,
  WATCH_PAUSE_MS_MAX,
} from '../../../src/kernel/limits.ts';
import { contentKey, loadName, orderName, sourceKey } from '../../../src/kernel/names.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aMappedRow, aTicket, BATCH_ID, SETTLED } from './samples.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const logged = () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  return () =>
    warned.mock.calls.map(([line]) => JSON.parse(line) as { event: string; batchId: string; detail: string });
};

const rowOf = (record: number, subject: string): MappedRow => {
  const row = aMappedRow(record, 1);
  return { ...row, requests: row.requests.map((request) => ({ ...request, subject })) } as unknown as MappedRow;
};

function aBatch(progress: Partial<BatchProgress>, subjects: readonly string[], ticket = aTicket()) {
  const store = new BatchStore(storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS));
  store.keepTicket(ticket);
  store.keepProgress({ ...SETTLED, ...progress });
  store.addRows(
    subjects.map((subject, index) => rowOf(index + 1, subject)),
    () => 'queued',
  );
  const now = () => store.progress() ?? SETTLED;
  const keep = (more: Partial<BatchProgress>) => store.keepProgress({ ...now(), ...more });
  return { store, messages: store.messages, now, keep, created: () => ({ ticket, progress: now() }) };
}

describe('a decision about many requests', () => {
  const item = (record: number, subject: string, state: DecisionItem['state'] = 'waiting'): DecisionItem => ({
    ...{
      partner: 'acme',
      batchId: 'b_1',
      record,
      request: 2,
      subject,
      scac: 'ABCD',
      version: `v${record}`,
      state,
      why: null,
    },
  });
  const RUN: DecisionRun = newDecisionRun(
    {
      ...{ actionId: 'a_1', fingerprint: 'f', environment: 'test', partner: null, who: 'k1', name: 'Kim', why: 'seen' },
      ...{ decision: 'retry', outcome: 'unknown', perSecond: 20 },
    } as unknown as DecisionRun,
    3,
    NOW_MS,
  );

  function deciding(run: DecisionRun | undefined, items: DecisionItem[]) {
    const stored = { run, items };
    const asked: [string, unknown][] = [];
    const limits: number[] = [];
    const store = {
      run: () => stored.run,
      putRun: (next: DecisionRun) => void Object.assign(stored, { run: next }),
      items: (from: number, limit: number) => {
        limits.push(limit);
        return stored.items.slice(from, from + limit);
      },
      putItems: (from: number, next: DecisionItem[]) => void stored.items.splice(from, next.length, ...next),
    } as unknown as DecisionStore;
    const getByName = (name: string) => ({
      decide: async (wanted: { place: { record: number } }) => {
        asked.push([name, wanted]);
        return wanted.place.record === 2 ? { ok: false, error: { code: 'moved' } } : { ok: true, value: {} };
      },
    });
    const env = { LOAD: { getByName }, ORDER: { getByName } } as unknown as Env;
    return { stored, asked, limits, step: () => decideStep(store, env) };
  }

  it('asks each load and order under a name of its own, and stores what became of each', async () => {
    const items = [item(1, 'load:L1'), item(2, 'order:O1'), item(3, 'load:L3')];
    const { stored, asked, limits, step } = deciding(RUN, items);
    expect([await step(), limits]).toEqual([false, [DECISIONS_PER_SECOND]]);
    const scope = { environment: 'test', partner: 'acme' } as const;
    expect(asked.map(([name]) => name)).toEqual([
      ...[loadName(scope, 'ABCD', 'L1'), orderName(scope, 'O1'), loadName(scope, 'ABCD', 'L3')],
    ]);
    expect(asked[0]?.[1]).toEqual({
      ...{
        id: '["a_1","b_1/1/2"]',
        place: { batchId: 'b_1', record: 1, request: 2 },
        who: 'k1',
        name: 'Kim',
        why: 'seen',
      },
      ...{ decision: 'retry', orderId: null, outcome: 'unknown', seen: 'v1', dryRun: false },
    });
    expect(stored.items.map(({ state, why }) => [state, why])).toEqual([
      ['decided', null],
      ['skipped', 'moved'],
      ['decided', null],
    ]);
    expect(stored.run).toMatchObject({ decided: 2, skipped: 1, state: 'done' });
    expect([await step(), asked.length]).toEqual([false, 3]);
  });

  it('goes on behind what it has ended, and has more to do until all are', async () => {
    const items = Array.from({ length: 30 }, (_, index) => item(index + 3, 'load:L1'));
    const { asked, step } = deciding({ ...RUN, requests: 30, decided: 2, skipped: 1 }, items);
    expect([await step(), asked.length]).toEqual([true, DECISIONS_PER_SECOND]);
    expect([await step(), asked.length]).toEqual([false, 27]);
  });

  it('does nothing where none was begun, or it was cancelled', async () => {
    expect([
      await deciding(undefined, []).step(),
      await deciding({ ...RUN, state: 'cancelled' }, [item(1, 'load:L')]).step(),
    ]).toEqual([...[false, false]]);
  });
});

describe('a batch under way', () => {
  const filed = (rows: number, records: Tally['records']) => ({ lastRecord: () => rows, tally: () => ({ records }) });
  function reporting(rows: number, ticket = aTicket(), isDown = false) {
    const told: unknown[] = [];
    const registered = { isDown };
    const pace = new SubjectPace(1e9);
    for (let met = 0; met < NEW_SUBJECTS_FREE; met += 1) pace.meet(`${met}`, 0);
    const port = {
      created: () => ({ ticket, progress: SETTLED }),
      store: filed(rows, { queued: rows }),
      register: () => ({
        underWay: async (batchId: string, report: unknown) => {
          if (registered.isDown) throw new Error('planned: down');
          told.push([batchId, report]);
          return { subjects: 2, waitMs: 0 };
        },
      }),
    };
    const set = (now: number, records: Tally['records'] = { queued: now }) =>
      Object.assign(port, { store: filed(now, records) });
    return { told, pace, set, registered, underWay: new UnderWay(() => port as unknown as ActionPort, pace) };
  }

  it('says how many rows wait whenever these are ten thousand more', async () => {
    const { told, set, underWay } = reporting(ROWS_REPORTED_EVERY - 1);
    await underWay.rows();
    expect(told).toEqual([]);
    set(ROWS_REPORTED_EVERY);
    await underWay.rows();
    await underWay.rows();
    expect(told).toEqual([[BATCH_ID, { rows: ROWS_REPORTED_EVERY, subjects: 0 }]]);
    set(2 * ROWS_REPORTED_EVERY);
    await underWay.rows();
    expect(told).toHaveLength(2);
  });

  it.each([
    ['told of them', true],
    ['began anew since', false],
  ])('says that few are left where one waits for a person, and it has %s', async (_, hasTold) => {
    const { told, set, underWay } = reporting(5 * ROWS_REPORTED_EVERY);
    if (hasTold) await underWay.rows();
    const rest = { invalid: 1, skipped: 2, dead: 3, delivered: 5 * ROWS_REPORTED_EVERY - 10 };
    set(5 * ROWS_REPORTED_EVERY, { ...rest, waiting: 1, unknown: 2, held: 1 });
    await underWay.rows();
    expect(told.at(-1)).toEqual([BATCH_ID, { rows: 4, subjects: 0 }]);
    const { length } = told;
    set(5 * ROWS_REPORTED_EVERY, { ...rest, held: 4 });
    await underWay.rows();
    expect(told).toHaveLength(length);
  });

  it('counts as a file, not by its rows, where it has few', async () => {
    const { told, underWay } = reporting(ROWS_REPORTED_EVERY - 1);
    await underWay.requestMore();
    expect(told).toEqual([[BATCH_ID, { rows: null, subjects: NEW_SUBJECTS_REQUESTED }]]);
  });

  it('asks for more new loads, and counts no rows where they are few, or messages', async () => {
    const { told, pace, underWay } = reporting(7);
    expect(pace.isSpent).toBe(true);
    await underWay.requestMore();
    expect([told, pace.isSpent]).toEqual([[[BATCH_ID, { rows: null, subjects: NEW_SUBJECTS_REQUESTED }]], false]);
    const messages = reporting(99_999, aTicket({ message: true }));
    await messages.underWay.rows();
    await messages.underWay.requestMore();
    expect(messages.told).toEqual([[BATCH_ID, { rows: null, subjects: NEW_SUBJECTS_REQUESTED }]]);
  });

  it('goes on where its register cannot be called, which is logged', async () => {
    const lines = logged();
    const { pace, underWay } = reporting(7, aTicket(), true);
    await underWay.requestMore();
    expect([pace.isSpent, pace.heldMs(Date.now())]).toEqual([false, 0]);
    expect(lines()).toMatchObject([{ event: 'under_way_not_reported', batchId: BATCH_ID, detail: 'planned: down' }]);
  });

  it('is held up by nothing where its rows cannot be reported', async () => {
    logged();
    vi.spyOn(Date, 'now').mockReturnValue(NOW_MS);
    const { told, pace, registered, underWay } = reporting(ROWS_REPORTED_EVERY, aTicket(), true);
    await underWay.rows();
    expect([pace.isSpent, pace.heldMs(NOW_MS)]).toEqual([true, 0]);
    registered.isDown = false;
    await underWay.rows();
    expect(told).toHaveLength(1);
  });
});

describe('what is over of a batch', () => {
  const handedOver = { record: 99_999, request: 1 };
  function anEnding(batch: ReturnType<typeof aBatch>, afterMs: number) {
    const clock = movedClock();
    clock.pass(afterMs);
    const seen = {
      called: [] as string[],
      down: new Set<string>(),
      busy: new Set<string>(),
      gone: [] as string[],
      deleted: [] as string[],
    };
    const called = (name: string, of: string) => {
      seen.called.push(`${of} ${JSON.parse(name).at(-1)}`);
      if (seen.down.has(name)) throw new Error('planned: away');
    };
    const subject = (name: string) => ({
      endIfOver: async () => called(name, 'end'),
      erase: async () => {
        called(name, 'erase');
        return !seen.busy.has(name);
      },
    });
    const ending = {
      files: {
        list: async () => ({ objects: [] }),
        delete: async (keys: string[]) => void seen.deleted.push(...[keys].flat()),
      },
      ...{ clock, load: subject, order: subject, isListed: false },
      unlist: async (issues: readonly string[]) => {
        seen.gone.push(`unlisted ${issues}`);
        return !ending.isListed;
      },
      empty: async () => void seen.gone.push('emptied'),
    };
    const register = () => ({ forgetBatch: async (batchId: string) => void seen.gone.push(`forgotten ${batchId}`) });
    const step = () =>
      retentionStep(
        { ...batch, register } as unknown as ActionPort,
        ending as unknown as Parameters<typeof retentionStep>[1],
      );
    return { ...seen, seen, clock, ending, step };
  }
  const name = (load: string) => loadName(aTicket(), 'ABCD', load);

  it('is nothing while it lives, and is waited for exactly', async () => {
    const open = aBatch({ state: 'delivering', settledAtMs: null }, []);
    expect(await anEnding(open, 0).step()).toBe(0);
    const { clock, step } = anEnding(aBatch({}, []), 0);
    expect(await step()).toBe(BYTES_RETENTION_MS);
    clock.pass(5);
    expect(await step()).toBe(BYTES_RETENTION_MS - 5);
  });

  it('are its loads, each called once, and later those that were not reached', async () => {
    const lines = logged();
    const batch = aBatch({ endsLoads: true, handedOver }, ['load:A', 'order:O', 'load:B', 'load:A']);
    const { seen, step, clock } = anEnding(batch, LOAD_RETENTION_MS);
    seen.down.add(name('A'));
    const restMs = (await step()) ?? 0;
    expect(seen.called).toEqual(['end A', 'end B']);
    expect(batch.now().loadsEnd).toMatchObject({ of: NOW_MS, pass: 1, missed: 0, isDone: false });
    expect(lines()).toMatchObject([{ event: 'load_not_ended', batchId: BATCH_ID, detail: 'planned: away' }]);
    expect(restMs).toBeGreaterThan(0);
    seen.down.clear();
    clock.pass(restMs);
    await step();
    expect([seen.called.length, batch.now().loadsEnd?.isDone]).toEqual([4, true]);
  });

  it('are so many loads in one step, behind which the next one begins', async () => {
    const subjects = Array.from({ length: LOADS_ENDED_AT_ONCE + 1 }, (_, at) => `load:L${at}`);
    const batch = aBatch({ endsLoads: true, handedOver }, subjects);
    const { seen, step } = anEnding(batch, LOAD_RETENTION_MS);
    expect([await step(), seen.called.length]).toEqual([0, LOADS_ENDED_AT_ONCE]);
    expect(batch.now().loadsEnd).toMatchObject({ pass: 0, after: { record: LOADS_ENDED_AT_ONCE, request: 1 } });
    await step();
    expect([seen.called.length, batch.now().loadsEnd?.isDone]).toEqual([LOADS_ENDED_AT_ONCE + 1, true]);
  });

  it('are its bytes, all of them, before which it takes no more messages', async () => {
    const content = { bytes: 1, files: [{ name: 'a' }, { name: 'b' }] } as unknown as NonNullable<
      BatchProgress['content']
    >;
    const batch = aBatch({ content }, [], aTicket({ message: true }));
    const part = { fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 };
    batch.messages.add({ ...part, message: 2, uploadId: 'b_2' });
    const { seen, step, clock } = anEnding(batch, BYTES_RETENTION_MS);
    expect(await step()).toBe(0);
    const ticket = aTicket();
    expect(seen.deleted).toEqual([
      ...[
        sourceKey(ticket, BATCH_ID),
        contentKey(ticket, BATCH_ID),
        contentKey(ticket, BATCH_ID, 1),
        contentKey(ticket, BATCH_ID, 2),
      ],
      ...[sourceKey(ticket, 'b_2'), contentKey(ticket, 'b_2')],
    ]);
    expect(batch.now()).toMatchObject({ isClosed: true, bytesDeletedAtMs: clock.nowMs() });
    expect(await step()).toBe(BATCH_RETENTION_MS - BYTES_RETENTION_MS);
  });

  it('goes whole where it is erased: its loads and orders first, and nothing before they are gone', async () => {
    const lines = logged();
    const erasing = { after: START, issues: ['i1', 'i2'] };
    const batch = aBatch({ erasing }, ['load:A', 'order:O', 'load:A']);
    const { seen, step, ending } = anEnding(batch, 0);
    seen.busy.add(name('A'));
    expect([await step(), seen.called, batch.now().erasing]).toEqual([INDEX_RETRY_MS, ['erase A', 'erase O'], erasing]);
    seen.busy.clear();
    seen.down.add(orderName(aTicket(), 'O'));
    expect(await step()).toBe(INDEX_RETRY_MS);
    expect(lines()).toMatchObject([{ event: 'subject_not_erased', batchId: BATCH_ID, detail: 'planned: away' }]);
    seen.down.clear();
    expect([await step(), batch.now().erasing]).toEqual([0, { ...erasing, after: null }]);
    ending.isListed = true;
    expect([await step(), seen.gone]).toEqual([INDEX_RETRY_MS, ['unlisted i1,i2']]);
    ending.isListed = false;
    expect([await step(), seen.gone.slice(1)]).toEqual([null, ['unlisted i1,i2', 'emptied', `forgotten ${BATCH_ID}`]]);
    expect(batch.now().isClosed).toBe(true);
  });

  it('goes on behind the last load of a step where it is erased', async () => {
    const subjects = Array.from({ length: LOADS_ENDED_AT_ONCE }, (_, at) => `load:L${at}`);
    const batch = aBatch({ erasing: { after: START, issues: [] } }, subjects);
    const { step } = anEnding(batch, 0);
    await step();
    expect(batch.now().erasing?.after).toEqual({ record: LOADS_ENDED_AT_ONCE, request: 1 });
    await step();
    expect(batch.now().erasing?.after).toBeNull();
  });

  it('stays where a retry came while it was taken off the list', async () => {
    const batch = aBatch({}, []);
    const { seen, step, ending } = anEnding(batch, BATCH_RETENTION_MS);
    ending.unlist = async () => {
      batch.keep({ state: 'delivering', settledAtMs: null });
      return true;
    };
    expect([await step(), seen.gone]).toEqual([0, []]);
  });
});

describe('a message for a batch', () => {
  const part = { message: 2, uploadId: 'b_2', fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 };
  function taking(progress: Partial<BatchProgress> = {}, ticket = aTicket({ message: true })) {
    const batch = aBatch(progress, [], ticket);
    const reopened: unknown[] = [];
    const reopenBatch = async (...told: unknown[]) => void reopened.push(told);
    const port = { ...batch, register: () => ({ reopenBatch }) } as unknown as ActionPort;
    return { ...batch, reopened, append: () => appendMessage(port, batch.messages, part) };
  }

  it('opens one that has settled, once, and is read next', async () => {
    const { append, now, messages, reopened } = taking({ opening: 3 });
    expect([await append(), reopened]).toEqual([{ outcome: 'taken', isFull: false }, [[BATCH_ID, 4]]]);
    const opened = {
      state: 'reading',
      settledAtMs: null,
      reported: false,
      opening: 4,
      message: 2,
      readingFinished: false,
    };
    expect([now(), messages.message(2)?.state]).toMatchObject([opened, 'reading']);
    expect([await append(), now().opening, messages.counts().messages]).toEqual([
      { outcome: 'taken', isFull: false },
      4,
      1,
    ]);
  });

  it('opens nothing of one that is open', async () => {
    const { append, now } = taking({ state: 'delivering', settledAtMs: null });
    await append();
    expect(now().opening).toBeUndefined();
  });

  it('fills it with so many rows', async () => {
    const { append, store } = taking();
    store.keepTally({ records: { delivered: ROLLING_BATCH_ROWS_MAX - 1 }, requests: {} });
    expect(await append()).toMatchObject({ isFull: false });
    store.keepTally({ records: { delivered: ROLLING_BATCH_ROWS_MAX - 1, invalid: 1 }, requests: {} });
    expect(await append()).toMatchObject({ isFull: true });
  });

  it.each<[string, Partial<BatchProgress>, boolean]>([
    ['is closed', { isClosed: true }, true],
    ['is withdrawn', { cancelledAtMs: NOW_MS }, true],
    ['is of a file', {}, false],
  ])('is refused for good by one that %s', async (_, progress, message) => {
    const { append, now, messages } = taking(progress, aTicket(message ? { message: true } : {}));
    expect([await append(), now().isClosed, messages.counts().messages]).toEqual([{ outcome: 'refused' }, true, 0]);
  });
});

describe('a batch beside what moves', () => {
  const watching = (progress: Partial<BatchProgress>, tally = {}) => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const { sql } = storage;
    const store = new BatchStore(storage);
    store.keepTally({ records: {}, requests: tally });
    const watch = new WatchStore(sql, store);
    const clock = movedClock();
    const port = {
      store,
      created: () => ({ ticket: aTicket(), progress: { ...SETTLED, ...progress } }),
      subjects: {},
    };
    return { clock, watch, step: () => watchStep(port as unknown as ActionPort, watch, clock) };
  };

  it('looks after its loads at the time of its next look, and seldom where nothing moves', async () => {
    const { clock, step } = watching({});
    expect(await step()).toBe(WATCH_BATCH_MS);
    clock.pass(7);
    expect(await step()).toBe(WATCH_BATCH_MS - 7);
    clock.pass(WATCH_BATCH_MS - 7);
    expect(await step()).toBe(WATCH_PAUSE_MS_MAX);
    const moving = watching({}, { queued: 1 });
    moving.clock.pass((await moving.step()) ?? 0);
    expect(await moving.step()).toBeGreaterThan(0);
  });

  it('has nothing to tell as long as only its ticket is stored', () => {
    const store = new BatchStore(storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS));
    store.keepTicket(aTicket());
    expect(hasNotifications({ store, keep: () => undefined }, NOW_MS)).toBe(false);
  });

  it('of messages looks after the retention of its loads from its first message on', () => {
    const { messages } = aBatch({}, []);
    const part = { message: 1, uploadId: BATCH_ID, fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 };
    expect(createdWith(messages, part)).toMatchObject({ endsLoads: true, message: 1, state: 'reading' });
  });

  it('that was withdrawn whole claims nothing any more', async () => {
    const batch = aBatch({ reported: false, cancelledAtMs: NOW_MS }, []);
    batch.store.keepTally({ records: { cancelled: 1 }, requests: { cancelled: 1 } });
    const closed: unknown[] = [];
    const register = () => ({ closeBatch: async (...told: unknown[]) => void closed.push(told) });
    await notifyRegister({ ...batch, register } as unknown as ActionPort);
    expect(closed).toEqual([[BATCH_ID, { state: 'settled', claimsNothing: true, tookNothing: false, opening: 0 }]]);
    expect(batch.now()).toMatchObject({ claimsNothing: true, reported: true });
  });
});
