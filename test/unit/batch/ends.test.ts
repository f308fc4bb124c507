/** How a batch comes to its end on its own tables, whom it tells, and which words stand for its parts. */
import { describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { Resolving } from '../../../src/batch/actions/replaced-rows.ts';
import { contentInReading, fileInReading } from '../../../src/batch/core/contents.ts';
import type { BatchProgress, Contents, StoredMessage } from '../../../src/batch/core/progress.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import { asSentence, type RowRequest, requestMessage } from '../../../src/batch/report/summary.ts';
import { notifyRegister, retentionStep, settleIfDone } from '../../../src/batch/steps/ending.ts';
import { contentsOf, nameWithin } from '../../../src/batch/steps/messages.ts';
import { hasNotifications, isPatienceOver, sooner } from '../../../src/batch/steps/notify.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { BATCH_RETENTION_MS, NOTIFICATION_PATIENCE_MS, NOTIFICATION_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { sourceKey } from '../../../src/kernel/names.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aRowRequest, aTicket, BATCH_ID, RECEIVED_MS } from './samples.ts';

const PROGRESS: BatchProgress = {
  state: 'delivering',
  checkpoint: null,
  readingFinished: true,
  handedOver: { record: 0, request: 0 },
  settledAtMs: null,
  problems: [],
  reported: false,
};

function aBatch(progress: Partial<BatchProgress> = {}) {
  const store = new BatchStore(storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS));
  store.keepTicket(aTicket());
  store.keepProgress({ ...PROGRESS, ...progress });
  const closed: unknown[] = [];
  const born = () => ({ ticket: store.ticket() ?? aTicket(), progress: store.progress() ?? PROGRESS });
  const keep = (more: Partial<BatchProgress>) => store.keepProgress({ ...born().progress, ...more });
  const register = () => ({ closeBatch: async (...ended: unknown[]) => void closed.push(ended) });
  const port = { store, created: born, keep, register } as unknown as ActionPort;
  return { store, port, closed, keep, now: () => born().progress };
}

describe('a batch', () => {
  it('settles once, when it was read and nothing of it is open', () => {
    const open = aBatch();
    open.store.keepTally({ records: { queued: 1 }, requests: { queued: 1 } });
    expect([settleIfDone(open.store, NOW_MS), open.now().state]).toEqual([false, 'delivering']);
    const done = aBatch();
    expect(settleIfDone(done.store, NOW_MS)).toBe(true);
    expect(done.now()).toMatchObject({ state: 'settled', settledAtMs: NOW_MS });
    expect(settleIfDone(done.store, NOW_MS + 1)).toBe(false);
    expect(done.now().settledAtMs).toBe(NOW_MS);
    expect(settleIfDone(aBatch({ state: 'unreadable' }).store, NOW_MS)).toBe(false);
  });

  it('tells its register of its end, once, under the opening that ended', async () => {
    const open = aBatch();
    await notifyRegister(open.port);
    expect(open.closed).toEqual([]);
    const ended = aBatch({ state: 'settled', settledAtMs: NOW_MS, opening: 2 });
    await notifyRegister(ended.port);
    await notifyRegister(ended.port);
    expect(ended.closed).toEqual([
      [aTicket().batchId, { state: 'settled', claimsNothing: false, tookNothing: true, opening: 2 }],
    ]);
    const unreadable = aBatch({ state: 'unreadable', settledAtMs: NOW_MS });
    await notifyRegister(unreadable.port);
    expect(unreadable.closed).toMatchObject([
      [aTicket().batchId, { state: 'unreadable', claimsNothing: true, opening: 0 }],
    ]);
  });

  it('is not taken for reported where it was opened while its register was told', async () => {
    const ended = aBatch({ state: 'settled', settledAtMs: NOW_MS });
    const told = { ...ended.port, register: () => ({ closeBatch: async () => ended.keep({ opening: 1 }) }) };
    await notifyRegister(told as unknown as ActionPort);
    expect(ended.now().reported).toBe(false);
  });

  it('notes what is news of it, until it was told; one that is gone has none', () => {
    const { store, port, now } = aBatch();
    expect([hasNotifications(port, NOW_MS), now().news]).toEqual([false, undefined]);
    settleIfDone(store, NOW_MS);
    expect([hasNotifications(port, NOW_MS), hasNotifications(port, NOW_MS)]).toEqual([true, true]);
    expect(now().news?.settled).toMatchObject({ atMs: NOW_MS, isTold: false });
    const gone = new BatchStore(storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS));
    expect(hasNotifications({ store: gone, keep: () => undefined }, NOW_MS)).toBe(false);
  });

  it('waits for those whom it tells, and no longer than patience lasts', () => {
    const clock = movedClock();
    expect([isPatienceOver(null, clock), isPatienceOver(NOW_MS, clock)]).toEqual([true, false]);
    clock.pass(NOTIFICATION_PATIENCE_MS - 1);
    expect(isPatienceOver(NOW_MS, clock)).toBe(false);
    clock.pass(1);
    expect(isPatienceOver(NOW_MS, clock)).toBe(true);
    expect([sooner(5, 7), sooner(7, 5), sooner(null, 5), sooner(5, null)]).toEqual([5, 5, null, 5]);
  });
});

describe('a batch of messages both of whose times are over', () => {
  function anEnding() {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const [store, ticket] = [new BatchStore(storage), aTicket({ message: true })];
    const { messages } = store;
    store.keepTicket(ticket);
    store.keepProgress({ ...PROGRESS, state: 'settled', settledAtMs: NOW_MS - BATCH_RETENTION_MS });
    for (const [index, uploadId] of [BATCH_ID, 'b_2'].entries()) {
      messages.add({
        ...{ message: index + 1, uploadId, fileName: null, bytes: 1, sha256: '', receivedAtMs: RECEIVED_MS },
      });
    }
    const stored = new Set([sourceKey(ticket, BATCH_ID), sourceKey(ticket, 'b_2')]);
    const isClosed: (boolean | undefined)[] = [];
    const now = () => store.progress() ?? PROGRESS;
    const files = {
      list: async ({ prefix }: { prefix: string }) => {
        return { objects: [...stored].filter((key) => key.startsWith(prefix)).map((key) => ({ key })) };
      },
      delete: async (keys: string[]) => {
        isClosed.push(now().isClosed);
        for (const key of keys) stored.delete(key);
      },
    };
    const keep = (more: Partial<BatchProgress>) => store.keepProgress({ ...now(), ...more });
    /** @param forget what becomes of the call of its register. */
    const end = (forget = async (): Promise<void> => undefined) => {
      const own = {
        ...{ created: () => ({ ticket, progress: now() }), keep, messages },
        register: () => ({ forgetBatch: forget }),
      };
      const port = { files, clock: movedClock(), unlist: async () => true, empty: async () => undefined };
      return retentionStep(own as unknown as ActionPort, port as unknown as Parameters<typeof retentionStep>[1]);
    };
    return { stored, isClosed, end };
  }

  it('goes with the bytes of each of them', async () => {
    const { stored, end } = anEnding();
    expect([await end(), ...stored]).toEqual([null]);
  });

  it('takes no more of them from before its first file is deleted', async () => {
    const { isClosed, end } = anEnding();
    await end();
    expect(new Set(isClosed)).toEqual(new Set([true]));
  });

  it('is gone also where its register cannot be told, which is logged', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(await anEnding().end(() => Promise.reject(new Error('planned: down')))).toBeNull();
    expect(warned.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { event: 'batch_not_forgotten', batchId: BATCH_ID, detail: 'planned: down' },
    ]);
    warned.mockRestore();
  });
});

describe('rows that were delivered in the place of others', () => {
  function resolving(batches: string[], isDown: (batchId: string) => boolean) {
    const clock = movedClock();
    const due = new Set(batches);
    const told: string[] = [];
    const claims = {
      hasDue: () => due.size > 0,
      dueBatches: (after: string, limit: number) => [...due].filter((each) => each > after).slice(0, limit),
      due: (batchId: string) => [{ batchId, record: 1, by: { batchId: 'b_9', record: 1 } }],
      drop: (rows: { batchId: string }[]) => rows.forEach(({ batchId }) => void due.delete(batchId)),
    };
    const port = {
      register: { knows: async (batchId: string) => batchId !== 'b_gone' },
      batch: (batchId: string) => ({
        resolveRows: async () => {
          if (isDown(batchId)) throw new Error('planned: down');
          told.push(batchId);
        },
      }),
    };
    const own = { claims, created: () => ({ ticket: aTicket(), progress: PROGRESS }) };
    return { clock, told, due, step: resolvingStep(own, port, clock) };
  }
  const resolvingStep = (own: object, port: object, clock: ReturnType<typeof movedClock>) => {
    const made = new Resolving(
      () => own as never,
      () => port as never,
      clock,
    );
    return () => made.step();
  };

  it('are told the batches of these, each once; one that is gone has nothing to be told', async () => {
    const { told, due, step } = resolving(['b_1', 'b_2', 'b_gone'], () => false);
    expect(await step()).toBeNull();
    expect([told, due.size, await step()]).toEqual([['b_1', 'b_2'], 0, null]);
  });

  it('are told a few batches at a time, and at once where there are more', async () => {
    const many = Array.from({ length: 200 }, (_, at) => `b_${String(at).padStart(3, '0')}`);
    const { told, step } = resolving(many, () => false);
    let steps = 0;
    for (let rest: number | null = 0; rest === 0; steps += 1) rest = await step();
    expect([told, steps > 1]).toEqual([many, true]);
  });

  it('are told each before any of them is tried again, where none can be told', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const many = Array.from({ length: 20 }, (_, at) => `b_${String(at).padStart(2, '0')}`);
    const tried: string[] = [];
    const { clock, step } = resolving(many, (batchId) => tried.push(batchId) > 0);
    while (tried.length < many.length) clock.pass((await step()) ?? 0);
    expect(tried).toEqual(many);
    warned.mockRestore();
  });

  it('are told later where that cannot be, and not before', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let isDown = true;
    const { clock, told, step } = resolving(['b_1'], () => isDown);
    expect(await step()).toBe(NOTIFICATION_PAUSE_MS);
    isDown = false;
    clock.pass(NOTIFICATION_PAUSE_MS - 1);
    expect([await step(), told]).toEqual([1, []]);
    clock.pass(1);
    expect([await step(), told]).toEqual([null, ['b_1']]);
    warned.mockRestore();
  });
});

describe('in words', () => {
  it('a request says what a person looks for, and when that was', () => {
    const of = (kind: string, body: object) =>
      requestMessage({ ...aRowRequest(), kind, body } as unknown as RowRequest);
    const time = { dateTime: '2026-03-02T08:00:00' };
    expect(of('milestone', { eventCode: 'X3', time })).toEqual({ what: 'X3', time: time.dateTime });
    expect(of('trace', { traces: [{ time }] })).toEqual({ what: 'position', time: time.dateTime });
    expect(of('loadMilestoneEvent', { milestone_type: 'ARRIVED', event_time: 'then' })).toEqual({
      ...{ what: 'ARRIVED', time: 'then' },
    });
    for (const kind of ['order.create', 'order.update', 'order.cancel', 'order.upsert'])
      expect(of(kind, { orderRef: 'SO-1' })).toEqual({ what: 'SO-1', time: null });
  });

  it('one that travels with another names its row, and the batch where that is another', () => {
    const into = { batchId: 'b_1', record: 17, request: 1 };
    const words = (more: object, batchId = 'b_1') => asSentence({ ...aRowRequest(), ...more } as RowRequest, batchId);
    expect(words({})).toBeNull();
    expect(words({ into, state: 'duplicate' })).toBe('Same as row 17');
    expect(words({ into, state: 'coalesced', intoState: 'waiting' })).toBe('Travels with row 17');
    expect(words({ into, state: 'coalesced', intoState: 'delivered' }, 'b_2')).toBe(
      'Travelled with row 17 of batch b_1',
    );
  });

  it('a message, and a file in one, have their names', () => {
    expect([nameWithin(3, undefined), nameWithin(3, 'a.csv')]).toEqual(['message 3', 'message 3, a.csv']);
  });
});

describe('what is read now', () => {
  const file = (name: string, recordsBefore: number | null) =>
    ({ name, bytes: 5, recordsBefore, state: 'read' }) as const;

  it('is the file of an archive that was begun last', () => {
    const contents = { bytes: 15, files: [file('a', 0), file('b', 7), file('c', null)] } as unknown as Contents;
    expect([contentInReading(contents), fileInReading(contents)]).toEqual([{ bytes: 5, file: 2 }, 2]);
    const first = { bytes: 15, files: [file('a', null), file('b', null)] } as unknown as Contents;
    expect(fileInReading(first)).toBe(1);
  });

  it('is the upload itself, or what it was unpacked to, where there is one file', () => {
    const gzip = { bytes: 9 } as Contents;
    expect([contentInReading(null), contentInReading(gzip), fileInReading(null), fileInReading(gzip)]).toEqual([
      ...[null, gzip, 0, 0],
    ]);
  });

  it('of a message is as it stands in its batch while it is read, and as it was kept before and behind that', () => {
    const [kept, now] = [{ bytes: 1 } as Contents, { bytes: 2 } as Contents];
    const part = (more: Partial<StoredMessage>) =>
      ({ message: 3, state: 'reading', content: kept, ...more }) as StoredMessage;
    const progress = { ...PROGRESS, message: 3, content: now };
    expect(contentsOf(part({}), progress)).toBe(now);
    expect(contentsOf(part({ state: 'read' }), progress)).toBe(kept);
    expect(contentsOf(part({}), { ...progress, message: 4 })).toBe(kept);
    expect(contentsOf(part({}), { ...PROGRESS, message: 3 })).toBeNull();
  });
});
