/** What goes with the end of a batch, in which order, how much of it in one step; and what is noted of rows that end. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { type BatchProgress, type Contents, START } from '../../../src/batch/core/progress.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import {
  deleteBytes,
  deleteFiles,
  moveOutcomes,
  notifyRegister,
  retentionStep,
  settleIfDone,
} from '../../../src/batch/steps/ending.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { ClaimStore } from '../../../src/batch/store/claim-store.ts';
import {
  BATCH_RETENTION_MS,
  FILES_DELETED_AT_ONCE,
  INDEX_RETRY_MS,
  LOAD_RETENTION_MS,
  MESSAGES_AT_ONCE,
} from '../../../src/kernel/limits.ts';
import { batchPrefix, loadName, orderName, sourceKey } from '../../../src/kernel/names.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aMappedRow, anOutcome, aTicket, BATCH_ID, SETTLED } from './samples.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const rowFor = (record: number, subject: string): MappedRow => {
  const row = aMappedRow(record, 1);
  return { ...row, requests: row.requests.map((request) => ({ ...request, subject })) } as unknown as MappedRow;
};

/** A batch with a row for each of these, and what the ends of retentions call. @param afterMs its end so long ago. */
function aBatch(
  progress: Partial<BatchProgress>,
  subjects: readonly string[] = [],
  { afterMs = 0, ticket = aTicket() }: { afterMs?: number; ticket?: BatchTicket } = {},
) {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const { sql } = storage;
  const store = new BatchStore(storage);
  store.keepTicket(ticket);
  store.keepProgress({ ...SETTLED, ...progress });
  store.addRows(
    subjects.map((subject, index) => rowFor(index + 1, subject)),
    () => 'queued',
  );
  const clock = movedClock();
  clock.pass(afterMs);
  const stored = new Set<string>();
  const seen = { called: [] as string[], down: new Set<string>(), busy: new Set<string>(), deletes: [] as number[] };
  const call = (what: string) => {
    seen.called.push(what);
    if (seen.down.has(what)) throw new Error('planned: away');
  };
  const load = (name: string) => ({
    endIfOver: async () => call(`end ${name}`),
    erase: async () => {
      call(`erase load ${name}`);
      return !seen.busy.has(name);
    },
  });
  const order = (name: string) => ({
    erase: async () => {
      call(`erase order ${name}`);
      return !seen.busy.has(name);
    },
  });
  const files = {
    list: async ({ prefix, limit }: { prefix: string; limit: number }) => ({
      objects: [...stored]
        .filter((key) => key.startsWith(prefix))
        .slice(0, limit)
        .map((key) => ({ key })),
    }),
    delete: async (keys: string[]) => {
      seen.deletes.push(keys.length);
      for (const key of keys) stored.delete(key);
    },
  } as unknown as R2Bucket;
  const now = () => store.progress() ?? SETTLED;
  const keep = (more: Partial<BatchProgress>) => store.keepProgress({ ...now(), ...more });
  const register = () => ({ forgetBatch: async () => undefined });
  const claims = new ClaimStore(sql);
  const port = {
    store,
    messages: store.messages,
    claims,
    keep,
    register,
    created: () => ({ ticket, progress: now() }),
  };
  const ending = { files, clock, load, order, unlist: async () => true, empty: async () => undefined };
  const step = () => retentionStep(port as unknown as ActionPort, ending);
  return {
    store,
    claims,
    ticket,
    stored,
    seen,
    files,
    clock,
    ending,
    now,
    keep,
    port: port as unknown as ActionPort,
    step,
  };
}

/** Messages of a batch, from number 2 on: the first one is stored as the batch is. */
function addMessages({ store, ticket, stored }: ReturnType<typeof aBatch>, count: number): void {
  stored.add(sourceKey(ticket, BATCH_ID));
  for (let message = 1; message <= count; message += 1) {
    const uploadId = message === 1 ? BATCH_ID : `b_${message}`;
    stored.add(sourceKey(ticket, uploadId));
    store.messages.add({ message, uploadId, fileName: null, bytes: 1, sha256: '', receivedAtMs: 1 });
  }
}

describe('the loads of a batch that are over', () => {
  it('are called again in a later pass as many as were not reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const subjects = Array.from({ length: 502 }, (_, at) => `load:L${at}`);
    const batch = aBatch({ endsLoads: true, handedOver: { record: 502, request: 1 } }, subjects, {
      afterMs: LOAD_RETENTION_MS,
    });
    const nameOf = (number: number) => `end ${loadName(batch.ticket, 'ABCD', `L${number}`)}`;
    batch.seen.down = new Set([nameOf(0), nameOf(1), nameOf(2)]);
    expect(await batch.step()).toBe(0);
    expect(batch.now().loadsEnd).toMatchObject({ pass: 0, missed: 3, isDone: false });
  });
});

describe('what is not over yet', () => {
  it('is waited for, and not at all where its time came meanwhile', async () => {
    const { port, ending, clock } = aBatch({});
    let asked = 0;
    const late = {
      ...{ timeScale: 1, pass: clock.pass },
      nowMs: () => {
        asked += 1;
        return asked === 1 ? NOW_MS : NOW_MS + BATCH_RETENTION_MS;
      },
    };
    expect(await retentionStep(port, { ...ending, clock: late })).toBe(0);
  });
});

describe('a batch that is erased', () => {
  it('has its loads erased as loads, and its orders as orders', async () => {
    const batch = aBatch({ erasing: { after: START, issues: [] } }, ['load:A', 'order:O']);
    await batch.step();
    expect(batch.seen.called).toEqual([
      `erase load ${loadName(batch.ticket, 'ABCD', 'A')}`,
      `erase order ${orderName(batch.ticket, 'O')}`,
    ]);
  });

  it('waits where one of them has something under way, and one could not be reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const erasing = { after: START, issues: [] };
    const batch = aBatch({ erasing }, ['load:A', 'load:B', 'load:C']);
    batch.seen.busy.add(loadName(batch.ticket, 'ABCD', 'A'));
    batch.seen.down.add(`erase load ${loadName(batch.ticket, 'ABCD', 'B')}`);
    expect([await batch.step(), batch.now().erasing, batch.seen.called.length]).toEqual([INDEX_RETRY_MS, erasing, 3]);
  });

  it('has no loads any more where it has no ticket', async () => {
    const batch = aBatch({ erasing: { after: START, issues: [] } }, ['load:A']);
    vi.spyOn(batch.store, 'ticket').mockReturnValue(undefined);
    expect([await batch.step(), batch.now().erasing?.after, batch.seen.called]).toEqual([0, null, []]);
  });
});

describe('the files of a batch', () => {
  it('go whole with it, whatever they are, and those of others stay', async () => {
    const { ticket, stored, step } = aBatch({}, [], { afterMs: BATCH_RETENTION_MS });
    const own = Array.from({ length: 3 }, (_, at) => `${batchPrefix(ticket, BATCH_ID)}part-${at}`);
    for (const key of [...own, 'another']) stored.add(key);
    expect([await step(), ...stored]).toEqual([null, 'another']);
  });

  it('go so many at a time', async () => {
    const { files, stored, seen } = aBatch({});
    for (let at = 0; at <= FILES_DELETED_AT_ONCE; at += 1) stored.add(`p/${at}`);
    await deleteFiles(files, 'p/');
    expect([stored.size, seen.deletes]).toEqual([0, [FILES_DELETED_AT_ONCE, 1]]);
  });

  it('of many messages go, each of them, and no more at a time than may', async () => {
    const batch = aBatch({}, [], { ticket: aTicket({ message: true }) });
    addMessages(batch, MESSAGES_AT_ONCE + 1);
    await deleteBytes(batch.port, batch.files);
    expect([...batch.stored]).toEqual([]);
    // Of the batch itself; of a page, two for each message; of the last one.
    expect(batch.seen.deletes).toEqual([2, FILES_DELETED_AT_ONCE, 2]);
  });

  it('of a message that was an archive go in several calls where these are more than one may name', async () => {
    const batch = aBatch({}, [], { ticket: aTicket({ message: true }) });
    addMessages(batch, 1);
    const files = Array.from({ length: FILES_DELETED_AT_ONCE - 1 }, (_, at) => ({ name: `${at}` }));
    batch.store.messages.begin(1, 0);
    batch.store.messages.end(1, {
      ...{ state: 'read', records: 0, notes: [], isTold: true, isAnnounced: true },
      content: { bytes: 1, files } as unknown as Contents,
    });
    await deleteBytes(batch.port, batch.files);
    expect(batch.seen.deletes).toEqual([2, FILES_DELETED_AT_ONCE, 1]);
  });
});

describe('what became of requests', () => {
  it('is counted, and what the rows replace is due once they are delivered', () => {
    const { store, claims, port } = aBatch({ state: 'delivering', settledAtMs: null }, ['load:A', 'load:B']);
    store.keepTally({ records: { queued: 2 }, requests: { queued: 2 } });
    claims.add([1, 2].map((record) => aMappedRow(record, 1, { standsFor: { batchId: 'b_0', record: 6 + record } })));
    moveOutcomes(port, [anOutcome(1, { state: 'rejected' })]);
    expect(claims.hasDue()).toBe(false);
    moveOutcomes(port, [anOutcome(2, { state: 'delivered' })]);
    expect(claims.due('b_0', 9)).toEqual([{ own: 2, record: 8, by: { batchId: BATCH_ID, record: 2 } }]);
    expect(store.tally().requests).toEqual({ rejected: 1, delivered: 1 });
  });

  it('is told to no claims where no row was delivered', () => {
    const { claims, port } = aBatch({ state: 'delivering', settledAtMs: null }, ['load:A']);
    const delivered = vi.spyOn(claims, 'delivered');
    moveOutcomes(port, [anOutcome(1, { state: 'waiting' })]);
    expect(delivered).not.toHaveBeenCalled();
    moveOutcomes(port, [anOutcome(1, { state: 'delivered', revision: 2 })]);
    expect(delivered).toHaveBeenCalledWith(BATCH_ID, [1]);
  });
});

describe('a batch settles', () => {
  const open = { state: 'delivering', settledAtMs: null } as const;

  it('not while a visit has something of it, though nothing of that is open any more', () => {
    const { store, keep, now } = aBatch(open, ['load:A']);
    expect([settleIfDone(store, NOW_MS), now().state]).toEqual([false, 'delivering']);
    keep({ handedOver: { record: 1, request: 1 } });
    expect([settleIfDone(store, NOW_MS), now().state, now().settledAtMs]).toEqual([true, 'settled', NOW_MS]);
  });

  it('not when it has just been read: it delivers, whatever waits for its visit', () => {
    const { store, now } = aBatch({ ...open, state: 'reading' }, ['load:A']);
    store.keepTally({ records: { queued: 1 }, requests: { queued: 1 } });
    expect([settleIfDone(store, NOW_MS), now().state, now().settledAtMs]).toEqual([false, 'delivering', null]);
  });

  it('never where it is gone', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    expect(settleIfDone(new BatchStore(storage), NOW_MS)).toBe(false);
  });

  it('and is told with what it took: messages are told one by one', async () => {
    const told = async (ticket: BatchTicket) => {
      const { port } = aBatch({ reported: false }, [], { ticket });
      const closed: unknown[] = [];
      const register = () => ({ closeBatch: async (...end: unknown[]) => void closed.push(end) });
      await notifyRegister({ ...port, register } as unknown as ActionPort);
      return closed;
    };
    const end = { state: 'settled', claimsNothing: false, opening: 0 };
    expect(await told(aTicket())).toEqual([[BATCH_ID, { ...end, tookNothing: true }]]);
    expect(await told(aTicket({ message: true }))).toEqual([[BATCH_ID, { ...end, tookNothing: false }]]);
  });
});
