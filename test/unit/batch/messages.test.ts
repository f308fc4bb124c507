/** What is kept of a message that shares its batch with others, once it was read. */
import { describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { ArchiveFile, BatchProgress, MessagePart } from '../../../src/batch/core/progress.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import { settleIfDone } from '../../../src/batch/steps/ending.ts';
import {
  appendMessage,
  beginUnread,
  createdWith,
  fileNumber,
  keepRead,
  notifyOfMessages,
} from '../../../src/batch/steps/messages.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { GroupStore } from '../../../src/batch/store/group-store.ts';
import { StoredValues } from '../../../src/batch/store/stored-values.ts';
import { ARCHIVE_FILES_MAX } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, aProblem, aTicket, RECEIVED_MS } from './samples.ts';

const part = (message: number, bytes = 10): MessagePart => ({
  ...{ message, uploadId: `b_${message}`, fileName: null, bytes, sha256: 's', receivedAtMs: RECEIVED_MS },
});
const file = (name: string, more: Partial<ArchiveFile> = {}): ArchiveFile => ({
  ...{ name, bytes: 5, recordsBefore: 0, state: 'read' },
  ...more,
});

/** A batch of so many messages, of which the first is read. @param isOld rows of release 0.1 are still to be moved. */
function aBatch(count: number, ticket: Partial<BatchTicket> = {}, isOld = false) {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const { sql } = storage;
  if (isOld) new StoredValues(storage).put('oldRows', { after: 0, last: 1 });
  const store = new BatchStore(storage);
  const port = { store, messages: store.messages, groups: new GroupStore(sql) };
  port.store.keepTicket(aTicket({ message: true, ...ticket }));
  port.store.keepProgress(createdWith(port.messages, part(1)));
  for (let message = 2; message <= count; message += 1) port.messages.add(part(message, message * 10));
  const now = (): BatchProgress => port.store.progress() as BatchProgress;
  /** The message whose turn it is was read to its end. */
  const read = (more: Partial<BatchProgress> = {}) => keepRead(port, { ...now(), readingFinished: true, ...more });
  return { ...port, storage, now, read };
}

describe('a message that was read', () => {
  it('keeps how each file of its archive was read, under the name of the file', () => {
    const { messages, read } = aBatch(1);
    const files = [
      file('a.csv', { notes: ['in UTF-16', 'with a gap'] }),
      file('b.csv'),
      file('c.csv', { notes: ['x'] }),
    ];
    read({ content: { bytes: 15, files, notes: ['of the archive'] } });
    expect(messages.message(1)?.notes).toEqual([
      ...['of the archive', 'a.csv: in UTF-16', 'a.csv: with a gap', 'c.csv: x'],
    ]);
    expect(messages.message(1)?.content).toEqual({ bytes: 15, files, notes: ['of the archive'] });
  });

  it('keeps no notes where there is nothing to know', () => {
    const { messages, read } = aBatch(1);
    read();
    expect(messages.message(1)).toMatchObject({ state: 'read', notes: [], problems: [] });
  });

  it('is counted with its bytes, and so is what could not be read of it', () => {
    const { messages, read } = aBatch(3);
    expect(messages.counts()).toEqual({ messages: 3, bytes: 60, bytesRead: 0, unreadable: 0 });
    read();
    expect(messages.counts()).toEqual({ messages: 3, bytes: 60, bytesRead: 10, unreadable: 0 });
    read({ state: 'unreadable', problems: [aProblem()] });
    expect(messages.counts()).toEqual({ messages: 3, bytes: 60, bytesRead: 30, unreadable: 1 });
    expect(messages.message(2)?.problems).toMatchObject([{ file: 'message 2' }]);
  });

  it('gives the next one its turn, behind its own records; the last one ends the reading', () => {
    const { messages, store, now, read } = aBatch(2);
    expect(messages.message(1)).toMatchObject({ state: 'reading', recordsBefore: 0 });
    store.addRows([aMappedRow(1, 1), aMappedRow(2, 1)], () => 'queued');
    read({ emitting: true });
    expect(now()).toMatchObject({ state: 'reading', message: 2, readingFinished: false, emitting: false });
    expect([messages.message(1)?.records, messages.message(2)?.recordsBefore]).toEqual([2, 2]);
    store.addRows([aMappedRow(3, 1)], () => 'queued');
    read({ emitting: true });
    expect(now()).toMatchObject({ state: 'reading', readingFinished: true, emitting: false });
    expect(messages.message(2)?.records).toBe(1);
  });

  it('and cannot be read gives the next one its turn, too', () => {
    const { messages, now, read } = aBatch(2);
    read({ state: 'unreadable', readingFinished: false, settledAtMs: RECEIVED_MS, problems: [aProblem()] });
    expect(messages.message(1)).toMatchObject({ state: 'unreadable', records: 0, problems: [{ file: 'message 1' }] });
    expect(now()).toMatchObject({ state: 'reading', message: 2, problems: [], settledAtMs: null });
  });

  it('has an acknowledgment to be announced, where its format has any and it could be read', () => {
    const announced = (format: 'x12' | 'csv', state: 'reading' | 'unreadable') => {
      const { messages, read } = aBatch(1, { format });
      read({ state });
      return messages.unannounced(9).length;
    };
    const all = [announced('x12', 'reading'), announced('x12', 'unreadable'), announced('csv', 'reading')];
    expect(all).toEqual([1, 0, 0]);
  });

  it('in part keeps its turn, and of what is wrong with it so far it says once', () => {
    const { messages, now, read } = aBatch(2);
    read({ readingFinished: false, problems: [aProblem()] });
    expect([now().message, now().problems, messages.message(1)?.problems.length]).toEqual([1, [], 1]);
  });
});

describe('many messages', () => {
  it('are the same after a restart, in the middle of one, too, and what is notified later is stored with the others', async () => {
    const { storage, messages, read, now } = aBatch(100);
    for (let message = 1; message <= 80; message += 1) read(message === 7 ? { problems: [aProblem()] } : {});
    const again = new BatchStore(storage).messages;
    const shown = (store: typeof messages) => [
      store.after(0, 200),
      store.counts(),
      store.nextUnread(),
      store.faulty(9),
    ];
    expect(shown(again)).toEqual(shown(messages));
    expect([now().message, messages.counts().bytesRead]).toEqual([81, 10 + (10 * (80 * 81)) / 2 - 10]);
    const told = messages.untold(100).map(({ message }) => message);
    for (const message of told) messages.storeNotified(message);
    expect(new BatchStore(storage).messages.untold(100)).toEqual([]);
    expect(storage.sql.exec('SELECT count(*) AS pages FROM message_page').one()).toEqual({ pages: 2 });
  });

  it('of which the next one was begun in memory alone: it is begun again', () => {
    const { storage, store, messages, read } = aBatch(1);
    read();
    messages.add(part(2));
    beginUnread(store);
    expect(store.progress()).toMatchObject({ message: 2, readingFinished: false });
    const again = new BatchStore(storage);
    expect([again.progress()?.message, again.messages.nextUnread()]).toEqual([1, 2]);
    beginUnread(again);
    expect(again.progress()).toMatchObject({ message: 2, readingFinished: false });
    expect(again.messages.message(2)).toMatchObject({ state: 'reading', recordsBefore: 0 });
  });
});

describe('the next message', () => {
  it('is begun before its batch settles, also if a commit that failed has it forgotten', () => {
    const { store, messages, now, read } = aBatch(1);
    read();
    store.keepProgress({ ...now(), state: 'delivering' });
    messages.add(part(2));
    beginUnread(store);
    const failed = () =>
      store.commit(() => {
        throw new Error('planned: full');
      });
    expect(failed).toThrow('planned');
    expect([now().readingFinished, messages.nextUnread()]).toEqual([true, 2]);
    expect(settleIfDone(store, RECEIVED_MS)).toBe(false);
    expect([now().state, now().message, now().readingFinished]).toEqual(['reading', 2, false]);
    read();
    expect([settleIfDone(store, RECEIVED_MS), now().state]).toEqual([true, 'settled']);
  });

  it('is not begun while one is being read', () => {
    const { store, now } = aBatch(2);
    beginUnread(store);
    expect(now().message).toBe(1);
  });

  it('is none in the batch of a file', () => {
    const { store, messages, now, read } = aBatch(1);
    read();
    messages.add(part(2));
    store.keepTicket(aTicket());
    beginUnread(store);
    expect([now().message, messages.nextUnread()]).toEqual([1, 2]);
  });
});

describe('a message that comes', () => {
  /** @param during what happens while the register is told that its batch opens again. */
  function settled(during: (batch: ReturnType<typeof aBatch>) => void = () => undefined, isOld = false) {
    const batch = aBatch(1, {}, isOld);
    batch.read();
    const { store, now } = batch;
    const keep = (more: Partial<BatchProgress>) => store.keepProgress({ ...now(), ...more });
    keep({ state: 'settled', settledAtMs: RECEIVED_MS });
    const created = () => ({ ticket: store.ticket(), progress: now() });
    const register = () => ({ reopenBatch: async () => during(batch) });
    const port = { store, created, keep, register } as unknown as ActionPort;
    return { ...batch, append: () => appendMessage(port, store.messages, part(2)) };
  }

  it('opens a batch that never was opened again for the first time', async () => {
    const { append, now } = settled();
    await append();
    expect([now().opening, now().state, now().message]).toEqual([1, 'reading', 2]);
  });

  it('while its batch is withdrawn or ending is refused, and nothing of it is here', async () => {
    const { append, messages, now } = settled(({ store, now: at }) => store.keepProgress({ ...at(), isClosed: true }));
    expect([await append(), messages.isKnown(part(2)), now().state]).toEqual([
      { outcome: 'refused' },
      false,
      'settled',
    ]);
  });

  it('twice at once is there once', async () => {
    const { append, messages } = settled(({ store }) => store.messages.add(part(2)));
    expect([await append(), messages.counts().messages]).toEqual([{ outcome: 'taken', isFull: false }, 2]);
  });

  it('and cannot be stored with the opening of its batch is not here, and may come again', async () => {
    const { append, store, messages, now } = settled();
    const keep = vi.spyOn(store, 'keepProgress').mockImplementationOnce(() => {
      throw new Error('planned: full');
    });
    await expect(append()).rejects.toThrow('planned');
    expect([messages.isKnown(part(2)), now().state]).toEqual([false, 'settled']);
    keep.mockRestore();
    expect(await append()).toEqual({ outcome: 'taken', isFull: false });
    expect([now().opening, now().state, now().message]).toEqual([1, 'reading', 2]);
  });

  it('while rows of an earlier release are moved is begun after that', async () => {
    const { append, messages, now } = settled(undefined, true);
    await append();
    expect([now().state, now().message, messages.message(2)?.state]).toEqual(['delivering', 1, 'unread']);
  });
});

describe('a message of which nothing became a request', () => {
  it('is told to the register, once, and whether it could be read', async () => {
    const { messages, read } = aBatch(2);
    const told: unknown[] = [];
    const register = () => ({ releaseMessage: async (...message: unknown[]) => void told.push(message) });
    const notify = () => notifyOfMessages({ register } as unknown as ActionPort, messages);
    expect(await notify()).toBe(false);
    read();
    read({ state: 'unreadable' });
    const all = [
      ['b_1', false],
      ['b_2', true],
    ];
    expect([await notify(), await notify(), told]).toEqual([true, false, all]);
  });
});

describe('keys of groups', () => {
  const filesOf = (message: number): number[] =>
    Array.from({ length: ARCHIVE_FILES_MAX + 1 }, (_, at) => {
      const files = Array.from({ length: at }, (_, index) => file(`${index}.csv`));
      return fileNumber({ message, content: at === 0 ? null : { bytes: 1, files } } as BatchProgress);
    });

  it('are told apart by message and by file of its archive', () => {
    const numbers = [1, 2, 3].flatMap(filesOf);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(fileNumber({ content: null } as BatchProgress)).toBe(0);
  });

  it('may come again in another message: those of one are forgotten with its end, and no others', () => {
    const { groups, read } = aBatch(3);
    read();
    const closed = { open: null, closedKeys: ['K'], staged: [], marks: [] };
    for (const number of [1, 2, 3].flatMap(filesOf)) groups.keepSlice(number, closed);
    read();
    const left = (message: number) => filesOf(message).filter((number) => groups.wasClosed(number, 'K'));
    expect([left(1), left(2), left(3)]).toEqual([filesOf(1), [], filesOf(3)]);
  });
});
