/** The messages of a rolling batch, beside a plain list of them: what is asked is answered alike, also by the next instance. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { MessageEnd, MessagePart, StoredMessage } from '../../../src/batch/core/progress.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import type { MessageStore } from '../../../src/batch/store/message-store.ts';
import { storageOf } from '../object-storage.ts';
import { aProblem, RECEIVED_MS } from './samples.ts';

const part = (message: number): MessagePart => ({
  ...{ message, uploadId: `u_${message}`, fileName: message % 3 === 0 ? null : `${message}.csv`, bytes: 100 + message },
  ...{ sha256: `${message}`, receivedAtMs: RECEIVED_MS + message, uploadedBy: message % 2 === 0 ? null : 'k1' },
});

const END: MessageEnd = { state: 'read', records: 1, content: null, notes: [], isTold: true, isAnnounced: true };

interface Listed extends StoredMessage {
  isTold: boolean | null;
  isAnnounced: boolean | null;
  setTexts: number | undefined;
}

const byNumber = (one: { message: number }, other: { message: number }): number => one.message - other.message;
const isBegun = (each: Listed): each is Listed & { recordsBefore: number } => each.recordsBefore !== null;

/** All that is asked of messages, of a list of them. */
class Listing {
  readonly all: Listed[] = [];

  of(message: number): Listed {
    const found = this.all.find((each) => each.message === message);
    if (found === undefined) throw new Error(`no message ${message}`);
    return found;
  }

  add(added: MessagePart): void {
    this.all.push({
      ...{ ...added, uploadedBy: added.uploadedBy ?? null, state: 'unread', recordsBefore: null, records: null },
      ...{ content: null, problems: [], notes: [], isTold: null, isAnnounced: null, setTexts: undefined },
    });
  }

  read = () => this.all.filter(({ state }) => state === 'read' || state === 'unreadable');

  begun = () =>
    this.all.filter(isBegun).sort((one, other) => one.recordsBefore - other.recordsBefore || byNumber(one, other));

  holding(first: number, last: number): number[] {
    const holders = this.begun().filter(({ records }) => records !== 0);
    const found = new Set<number>();
    for (let record = first; record <= last; record += 1) {
      const holder = holders.findLast(({ recordsBefore }) => recordsBefore < record);
      if (holder !== undefined) found.add(holder.message);
    }
    return [...found];
  }

  answers(positions: readonly { recordsBefore: number; message: number }[]) {
    const sum = (of: readonly Listed[]): number => of.reduce((bytes, each) => bytes + each.bytes, 0);
    const numbers = (is: (each: Listed) => boolean): number[] =>
      this.all
        .filter(is)
        .map(({ message }) => message)
        .sort((one, other) => one - other);
    return {
      all: this.all.toSorted(byNumber).map(({ isTold: _, isAnnounced: __, setTexts: ___, ...message }) => message),
      untold: numbers(({ isTold }) => isTold === false).slice(0, 5),
      unannounced: numbers(({ isAnnounced }) => isAnnounced === false).slice(0, 5),
      faulty: numbers(({ problems }) => problems.length > 0).slice(0, 5),
      nextUnread: numbers(({ state }) => state === 'unread')[0],
      counts: {
        ...{ messages: this.all.length, bytes: sum(this.all), bytesRead: sum(this.read()) },
        unreadable: this.all.filter(({ state }) => state === 'unreadable').length,
      },
      texts: this.all.map(({ message, setTexts }) => [message, setTexts]),
      before: this.all.map(({ message, recordsBefore }) => [message, recordsBefore ?? undefined]),
      behind: positions.map(({ recordsBefore, message }) =>
        this.begun()
          .filter(
            (each) =>
              each.recordsBefore > recordsBefore || (each.recordsBefore === recordsBefore && each.message > message),
          )
          .slice(0, 4)
          .map((each) => each.message),
      ),
      holding: [this.holding(1, 1), this.holding(2, 9), this.holding(30, 30), this.holding(1, 9_999)],
    };
  }
}

const numbersOf = (messages: readonly StoredMessage[]): number[] => messages.map(({ message }) => message);

const answersOf = (
  store: MessageStore,
  listing: Listing,
  positions: readonly { recordsBefore: number; message: number }[],
): ReturnType<Listing['answers']> => ({
  all: store.after(0, 1_000) as ReturnType<Listing['answers']>['all'],
  untold: numbersOf(store.untold(5)),
  unannounced: numbersOf(store.unannounced(5)),
  faulty: numbersOf(store.faulty(5)),
  nextUnread: store.nextUnread(),
  counts: store.counts(),
  texts: listing.all.map(({ message }) => [message, store.setTexts(message)]),
  before: listing.all.map(({ message }) => [message, store.recordsBefore(message)]),
  behind: positions.map((position) => numbersOf(store.inOrder(position, 4))),
  holding: [
    [1, 1],
    [2, 9],
    [30, 30],
    [1, 9_999],
  ].map(([first = 0, last = 0]) => numbersOf(store.holding(first, last))),
});

function aBatch() {
  const database = new ObjectDatabase(() => '');
  const storage = storageOf(database, BATCH_MIGRATIONS);
  const { sql } = storage;
  const store = new BatchStore(storage);
  const pages = () =>
    database.read<{ page: number }>('SELECT page FROM message_page ORDER BY page').map(({ page }) => page);
  return { database, sql, store, messages: store.messages, pages, next: () => new BatchStore(storage).messages };
}

/** Of each kind some: without rows, with notes, unreadable, to be told, to be announced, unpacked. */
const endOf = (message: number): MessageEnd => ({
  ...{ state: message % 7 === 3 ? 'unreadable' : 'read', records: message % 5 === 1 ? 0 : message % 4 },
  content: message % 6 === 2 ? { bytes: 9, files: [], notes: [] } : null,
  notes: message % 8 === 4 ? ['a note', 'another'] : [],
  ...{ isTold: message % 3 === 0, isAnnounced: message % 4 !== 0, setTexts: message % 9 === 5 ? message : undefined },
});

describe('messages of a batch', () => {
  it('are what a list of them says at any moment, in whatever order they came and were read', () => {
    const { store, messages, pages, next } = aBatch();
    const listing = new Listing();
    const compare = (asked: MessageStore): void => {
      const begun = listing.begun().filter((_, index) => index % 9 === 4);
      const positions = [{ recordsBefore: 0, message: 0 }, { recordsBefore: 20, message: 0 }, ...begun];
      expect(answersOf(asked, listing, positions)).toEqual(listing.answers(positions));
    };
    const came = [4, 1, 3, 2, ...Array.from({ length: 68 }, (_, index) => index + 5)];
    for (const message of came) {
      messages.add(part(message));
      listing.add(part(message));
      expect(messages.nextUnread()).toBe(Math.min(...listing.all.map((each) => each.message)));
    }
    compare(next());
    let recordsBefore = 0;
    const turns = [1, 2, 6, 3, 5, 4, ...Array.from({ length: 64 }, (_, index) => index + 7)];
    for (const message of turns) {
      messages.begin(message, recordsBefore);
      Object.assign(listing.of(message), { state: 'reading', recordsBefore });
      if (message % 4 === 3) compare(messages);
      const problems = message % 7 < 2 ? [aProblem({ value: `${message}` })] : [];
      for (const more of [problems, message % 7 === 0 ? problems : []]) {
        messages.addProblems(message, more);
        listing.of(message).problems.push(...more);
      }
      const end = endOf(message);
      messages.end(message, end);
      Object.assign(listing.of(message), end);
      recordsBefore += end.records ?? 0;
      if (message % 3 === 0) {
        const told = listing.all.find(({ isTold }) => isTold === false)?.message ?? 1;
        messages.storeNotified(told);
        listing.of(told).isTold = true;
        const announced = listing.all.findLast(({ isAnnounced }) => isAnnounced === false)?.message ?? 1;
        messages.storePublished(announced);
        listing.of(announced).isAnnounced = true;
      }
      if (message % 10 === 0) compare(next());
    }
    expect(pages()).toEqual([1, 2]);
    compare(messages);
    messages.forget();
    compare(messages);
    expect(store.messages.after(71, 1_000)).toHaveLength(1);
    expect(numbersOf(messages.after(3, 2))).toEqual([4, 5]);
  });

  it('are known by their number and upload together', () => {
    const { messages, next } = aBatch();
    messages.add(part(1));
    for (const asked of [messages, next()]) {
      const known = [asked.isKnown({ message: 1, uploadId: 'u_1' }), asked.isKnown({ message: 1, uploadId: 'u_2' })];
      expect([...known, asked.isKnown({ message: 2, uploadId: 'u_1' }), asked.message(2)]).toEqual([
        ...[true, false, false, undefined],
      ]);
    }
  });

  it('become a row of their own once 33 of them were read, but for the one that is being read', () => {
    const { messages, pages, next } = aBatch();
    for (let message = 1; message <= 34; message += 1) messages.add(part(message));
    for (let message = 1; message <= 32; message += 1) {
      messages.begin(message, 0);
      messages.end(message, { ...END, isTold: message !== 1 });
    }
    expect(pages()).toEqual([]);
    messages.begin(33, 32);
    expect(pages()).toEqual([1]);
    messages.storeNotified(1); // of which an earlier commit has another entry
    expect([next().untold(9), next().nextUnread(), messages.nextUnread()]).toEqual([[], 33, 34]);
    messages.end(33, END);
    expect([next().message(33)?.state, next().message(32)?.state, pages()]).toEqual(['read', 'read', [1]]);
  });

  it('are begun in memory alone, and nothing is added to one that was not', () => {
    const { messages, next } = aBatch();
    messages.add(part(1));
    messages.begin(1, 0);
    expect([messages.message(1)?.state, next().message(1)?.state]).toEqual(['reading', 'unread']);
    messages.addProblems(2, [aProblem()]);
    messages.storeNotified(2);
    expect(next().message(1)?.state).toBe('unread');
    messages.addProblems(1, [aProblem()]);
    expect(next().message(1)).toMatchObject({ state: 'reading', recordsBefore: 0, problems: [aProblem()] });
  });

  it('count from the first record where one ends that was never begun', () => {
    const { messages, next } = aBatch();
    messages.add(part(1));
    messages.end(1, END);
    for (const asked of [messages, next()])
      expect([asked.message(1)?.recordsBefore, asked.nextUnread(), asked.counts().bytesRead]).toEqual([
        0,
        undefined,
        101,
      ]);
  });

  it('of earlier releases are what their rows say', () => {
    const { sql, messages, next } = aBatch();
    for (let message = 1; message <= 4; message += 1) messages.add(part(message));
    const set = (message: number, columns: string, ...values: (string | number | null)[]): void =>
      void sql.exec(`UPDATE message SET ${columns} WHERE message = ?`, ...values, message);
    set(1, "state = 'read', records_before = 0, records = 2, is_told = 1, is_announced = 0");
    const content = { bytes: 1, files: [], notes: [] };
    const texts = [JSON.stringify(content), JSON.stringify([aProblem()]), JSON.stringify(['n'])];
    set(
      2,
      "state = 'unreadable', records_before = 2, records = 0, is_told = 0, is_announced = 1, content = ?, problems = ?, notes = ?",
      ...texts,
    );
    set(3, "state = 'reading'");
    const asked = next();
    expect(asked.after(0, 9)).toMatchObject([
      { state: 'read', recordsBefore: 0, records: 2, content: null, problems: [], notes: [] },
      { state: 'unreadable', recordsBefore: 2, records: 0, content, problems: [aProblem()], notes: ['n'] },
      { state: 'reading', recordsBefore: 0, records: null },
      { state: 'unread', recordsBefore: null, records: null },
    ]);
    expect([asked.untold(9), asked.unannounced(9), asked.faulty(9)].map(numbersOf)).toEqual([[2], [1], [2]]);
    expect([asked.nextUnread(), asked.counts()]).toEqual([
      4,
      { messages: 4, bytes: 410, bytesRead: 203, unreadable: 1 },
    ]);
  });
});
