/** What a batch has read gets to its loads and orders by visits: whole, once, and the checkpoint follows what came back. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { LookAhead } from '../../../src/batch/core/look-ahead.ts';
import { forgetVisits, SubjectPace, takeVisitSlot } from '../../../src/batch/core/pacing.ts';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import {
  AWAKE_MS_MAX,
  NEW_SUBJECTS_FREE,
  VISIT_LOOK_MS,
  VISITING_LOOK_MS,
  VISITS_AT_ONCE_MAX,
  VISITS_PER_WAKE_UP,
} from '../../../src/batch/limits.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import { FileDispatch } from '../../../src/batch/steps/file-dispatch.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { BATCH_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { NO_USAGE } from '../../../src/kernel/usage.ts';
import type { Parcel, VisitReport } from '../../../src/tracking/request.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { aMappedRow, anOutcome, aTicket, BATCH_ID, RECEIVED_MS } from './samples.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: RECEIVED_MS });
  forgetVisits();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const PROGRESS: BatchProgress = {
  ...{ state: 'delivering', checkpoint: null, readingFinished: true, handedOver: { record: 0, request: 0 } },
  ...{ settledAtMs: null, problems: [], reported: false },
};

const rowOf = (record: number, subject: string): MappedRow => {
  const row = aMappedRow(record, 1);
  const kind = subject.startsWith('order:') ? 'order.create' : subject.startsWith('load:T') ? 'trace' : 'milestone';
  return { ...row, requests: row.requests.map((request) => ({ ...request, kind, subject })) } as unknown as MappedRow;
};

interface Visited {
  name: string;
  records: number[];
  parcel: Partial<Parcel<unknown>>;
  atMs: number;
}

/** A batch of rows for these loads and orders, and what they are told. @param answer what becomes of each request. */
function aFile(subjects: readonly string[], more: Partial<BatchProgress> = {}, perSecond = 1_000) {
  const store = new BatchStore(storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS), { take: () => NO_USAGE });
  store.keepTicket(aTicket());
  store.keepProgress({ ...PROGRESS, ...more });
  store.beginUsage();
  const add = (first: number, added: readonly string[]) => {
    store.addRows(
      added.map((subject, index) => rowOf(first + index, subject)),
      () => 'queued',
    );
    const count = store.lastRecord();
    const states = store.tallyWithin(0, count);
    store.keepTally(states);
  };
  add(1, subjects);
  const now = () => store.progress() ?? PROGRESS;
  const keep = (change: Partial<BatchProgress>) => store.keepProgress({ ...now(), ...change });
  const seen = { visits: [] as Visited[], confirmed: [] as string[], asked: 0, down: 0, moved: 0 };
  const answer = { state: 'delivered' as RequestState, takesMs: 0, form: 1, receipt: true };
  const pace = new SubjectPace(perSecond);
  const subject = (name: string) => ({
    settled: async (receipt: string) => void seen.confirmed.push(`${name} ${receipt}`),
    visit: async ({ requests, ...parcel }: Parcel<unknown>): Promise<VisitReport> => {
      pace.meet(name, Date.now());
      seen.visits.push({ name, records: requests.map(({ record }) => record), parcel, atMs: Date.now() - RECEIVED_MS });
      if (answer.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, answer.takesMs));
      if (seen.down > 0) {
        seen.down -= 1;
        throw new Error('planned: away');
      }
      const outcomes = requests.map(({ record }) => anOutcome(record, { state: answer.state }));
      const receipt = answer.receipt ? `r${requests[0]?.record}` : null;
      return { form: answer.form, outcomes, receipt, usage: { ...NO_USAGE, upstreamCalls: 1 } };
    },
  });
  const port = {
    ...{
      store,
      keep,
      created: () => ({ ticket: aTicket(), progress: now() }),
      subjects: { load: subject, order: subject },
    },
    move: (outcomes: Parameters<typeof store.move>[0]) => {
      seen.moved += 1;
      store.move(outcomes);
    },
    nowMs: () => Date.now(),
  } as unknown as ActionPort;
  const requestMore = async () => {
    seen.asked += 1;
    pace.grant({ subjects: 5, waitMs: 0 }, Date.now());
  };
  const dispatch = new FileDispatch(port, pace, movedClock(), requestMore);
  const { visits } = dispatch;
  /** A wake-up until nothing is under way. */
  const run = async () => {
    visits.beginWakeUp();
    for (let fills = 1; dispatch.fill(aTicket()); fills += 1) if (fills > 9) throw new Error('these rows have no end');
    dispatch.go();
    await vi.runAllTimersAsync();
  };
  return { store, dispatch, visits, pace, seen, answer, now, keep, run, add };
}

const short = ({ name, records }: Visited) => `${JSON.parse(name).at(-1)}: ${records}`;

describe('rows of a file', () => {
  it('come to each load and order in one visit, and are stored with what came back', async () => {
    const { store, dispatch, visits, seen, now, run } = aFile(['load:A', 'load:B', 'load:A', 'order:O']);
    await run();
    expect(seen.visits.map(short)).toEqual(['A: 1,3', 'B: 2', 'O: 4']);
    expect(seen.visits.map(({ parcel }) => parcel)).toEqual([
      ...['A', 'B'].map((loadNumber) => ({
        ...{ form: 1, batchId: BATCH_ID, isLast: false },
        identity: { environment: 'test', partner: 'acme', scac: 'ABCD', loadNumber },
      })),
      {
        ...{ form: 1, batchId: BATCH_ID, isLast: false },
        identity: { environment: 'test', partner: 'acme', orderRef: 'O' },
      },
    ]);
    expect(store.tally().requests).toEqual({ delivered: 4 });
    expect(now()).toMatchObject({
      handedOver: { record: 4, request: 1 },
      state: 'settled',
      settledAtMs: expect.any(Number),
    });
    expect(now().handedOverAtMs).toBe(now().settledAtMs);
    expect(now().news?.settled).toMatchObject({ isTold: false });
    expect(seen.confirmed.map((each) => each.replace(/.*"(\w)"\] /, '$1 '))).toEqual(['A r1', 'B r2', 'O r4']);
    expect([store.usage()?.upstreamCalls, seen.moved, dispatch.isDone, visits.isBusy]).toEqual([3, 1, true, false]);
    expect(() => visits.check()).not.toThrow();
  });

  it('are confirmed to nobody who has no receipt for them', async () => {
    const { seen, answer, run } = aFile(['load:A']);
    answer.receipt = false;
    await run();
    expect(seen.confirmed).toEqual([]);
  });

  it('with positions say when these are all, once the whole file is read', async () => {
    const reading = aFile(['load:T1', 'load:T1', 'load:B'], { readingFinished: false, endsLoads: true });
    await reading.run();
    expect(reading.seen.visits.map(({ parcel }) => [parcel.isLast, parcel.endsLoads])).toEqual([
      [false, true],
      [false, true],
    ]);
    expect([...reading.visits.released, reading.now().state]).toEqual(['reading']);
    const whole = aFile(['load:T1', 'load:T1', 'load:B']);
    await whole.run();
    expect(whole.seen.visits.map(({ parcel }) => parcel.isLast)).toEqual([true, false]);
    expect([...whole.visits.released].map((name) => JSON.parse(name).at(-1))).toEqual(['T1']);
  });

  it('are brought again at once where a load is not reached, and later where it is not reached then', async () => {
    const { dispatch, visits, seen, now, run, answer } = aFile(['load:A', 'load:B']);
    seen.down = 1;
    await run();
    expect(seen.visits.map(short)).toEqual(['A: 1', 'B: 2', 'A: 1']);
    expect(() => visits.check()).not.toThrow();
    expect(now().handedOver.record).toBe(2);
    const away = aFile(['load:A', 'load:B', 'load:A']);
    away.seen.down = 4;
    away.answer.takesMs = 1;
    await away.run();
    expect(away.seen.visits.map(short)).toEqual(['A: 1,3', 'B: 2', 'A: 1,3', 'B: 2']);
    expect(() => away.visits.check()).toThrow('planned: away');
    expect([away.now().handedOver.record, away.dispatch.isDone, away.dispatch.hasRoom]).toEqual([0, false, true]);
    expect(away.dispatch.roomMs()).toBe(BATCH_PAUSE_MS);
    vi.advanceTimersByTime(BATCH_PAUSE_MS - 1);
    await away.run();
    expect([away.seen.visits.length, away.dispatch.roomMs()]).toEqual([4, 1]);
    expect(() => away.visits.check()).not.toThrow();
    vi.advanceTimersByTime(1);
    await away.run();
    expect(away.seen.visits.slice(4).map(short)).toEqual(['A: 1,3', 'B: 2']);
    expect([away.now().handedOver.record, dispatch.roomMs(), answer.takesMs]).toEqual([3, 0, 0]);
  });

  it('are brought again where what came back could not be stored, or is of no form that is known', async () => {
    const { store, visits, seen, run, now } = aFile(['load:A', 'load:B']);
    const whole = store.commit.bind(store);
    const commit = vi.spyOn(store, 'commit').mockImplementation((work) =>
      whole(() => {
        work();
        throw new Error('planned: full');
      }),
    );
    await run();
    expect([seen.visits.map(short), seen.confirmed, visits.isBusy]).toEqual([['A: 1', 'B: 2'], [], false]);
    expect(() => visits.check()).toThrow('planned: full');
    commit.mockRestore();
    vi.advanceTimersByTime(BATCH_PAUSE_MS);
    await run();
    expect([seen.visits.length, store.tally().requests]).toEqual([4, { delivered: 2 }]);
    expect(now().handedOver.record).toBe(2);
    const later = aFile(['load:A']);
    later.answer.form = 9;
    await later.run();
    expect(() => later.visits.check()).toThrow('form 9');
    expect(later.store.tally().requests).toEqual({ queued: 1 });
  });

  it('are stored together where visits come back while others are under way', async () => {
    const { seen, answer, run, store } = aFile(['load:A', 'load:B', 'load:C']);
    answer.takesMs = 50;
    await run();
    expect([seen.moved, store.tally().requests]).toEqual([1, { delivered: 3 }]);
  });

  it('wait at their load while it has something of them in line, and no longer than it is awake', async () => {
    const { dispatch, answer, run, seen } = aFile(Array.from({ length: 65 }, (_, at) => `load:L${at}`));
    answer.state = 'queued';
    await run();
    expect([seen.visits.length, dispatch.hasRoom]).toEqual([64, false]);
    const restMs = dispatch.roomMs();
    expect(restMs).toBe(AWAKE_MS_MAX - (Date.now() - RECEIVED_MS));
    dispatch.note([anOutcome(1, { state: 'delivered', revision: 2 })]);
    expect([dispatch.hasRoom, dispatch.roomMs()]).toEqual([true, 0]);
    dispatch.go();
    await vi.runAllTimersAsync();
    expect(seen.visits).toHaveLength(65);
  });
});

describe('rows that come later', () => {
  it('are seen once there are more requests than before, each once', async () => {
    const { dispatch, seen, run, add } = aFile(['load:A'], { readingFinished: false });
    await run();
    expect(dispatch.fill(aTicket())).toBe(false);
    add(2, ['load:A', 'load:B']);
    expect([dispatch.fill(aTicket()), dispatch.isDone]).toEqual([false, true]); // nobody said that there are more
    dispatch.addMore();
    expect([dispatch.fill(aTicket()), dispatch.isDone]).toEqual([true, false]);
    await run();
    dispatch.addMore();
    expect([dispatch.fill(aTicket()), dispatch.isDone]).toEqual([false, true]);
    expect(seen.visits.map(short)).toEqual(['A: 1', 'A: 2', 'B: 3']);
  });

  it('are not looked for while it is full, or where there are as many requests as before', async () => {
    const { store, dispatch, run } = aFile(['load:A'], { readingFinished: false });
    const looks = vi.spyOn(store, 'requestsAfter');
    const isFull = vi.spyOn(LookAhead.prototype, 'isFull', 'get').mockReturnValue(true);
    expect([dispatch.fill(aTicket()), dispatch.isFull, dispatch.isDone, looks.mock.calls.length]).toEqual([
      ...[false, true, true, 0],
    ]);
    isFull.mockRestore();
    await run();
    looks.mockClear();
    dispatch.addMore(); // rows without requests
    expect([dispatch.fill(aTicket()), looks.mock.calls.length]).toEqual([false, 0]);
  });

  it('to a new life of a batch begin behind its checkpoint, and all that were stored may be with their loads', async () => {
    const { dispatch, seen, run } = aFile(['load:A', 'load:B', 'load:C'], { handedOver: { record: 1, request: 1 } });
    const { last, mayHave } = dispatch.doubtful();
    expect([last, mayHave({ record: 3, request: 9 }), mayHave({ record: 4, request: 1 })]).toEqual([
      ...[{ record: 4, request: 0 }, true, false],
    ]);
    await run();
    expect(seen.visits.map(short)).toEqual(['B: 2', 'C: 3']);
    expect(dispatch.isFull).toBe(false);
  });

  it('of a withdrawn batch go nowhere, and begin anew if it is retried', async () => {
    const { dispatch, visits, seen, run, keep, now } = aFile(['load:A', 'load:B'], { cancelledAtMs: RECEIVED_MS });
    await run();
    expect([seen.visits, dispatch.isDone, visits.isHeld]).toEqual([[], true, true]);
    keep({ retriedAtMs: RECEIVED_MS + 1 });
    expect([dispatch.fill(aTicket()), dispatch.isDone, dispatch.fill(aTicket())]).toEqual([true, false, false]);
    keep({ cancelledAtMs: RECEIVED_MS + 2 });
    dispatch.empty();
    expect([dispatch.fill(aTicket()), dispatch.isDone]).toEqual([false, true]);
    keep({ retriedAtMs: RECEIVED_MS + 3 });
    await run();
    expect([seen.visits.map(short), now().handedOver.record]).toEqual([['A: 1', 'B: 2'], 2]);
  });

  it('and were withdrawn are not sent beside their retry, also if it comes before the batch looks again', async () => {
    const { dispatch, seen, run, keep, add } = aFile(['load:A', 'load:B']);
    dispatch.fill(aTicket());
    dispatch.empty(); // the withdrawal has ended both of them here
    keep({ handedOver: { record: 2, request: 1 }, cancelledAtMs: RECEIVED_MS, retriedAtMs: RECEIVED_MS + 1 });
    await run();
    expect([seen.visits, dispatch.isDone]).toEqual([[], true]);
    add(3, ['load:A']);
    dispatch.addMore();
    await run();
    expect(seen.visits.map(short)).toEqual(['A: 3']);
  });

  it('stay known as what a load may have until a withdrawal has asked, also where it came while the batch looked', async () => {
    const { visits, dispatch, keep, answer, seen, add } = aFile([]);
    add(1, ['load:A', 'load:B']);
    answer.takesMs = 10;
    visits.beginWakeUp();
    dispatch.fill(aTicket());
    dispatch.go();
    keep({ cancelledAtMs: RECEIVED_MS, withdrawal: { phase: 'doubtful' } });
    expect(dispatch.fill(aTicket())).toBe(false);
    const { mayHave } = dispatch.doubtful();
    expect([dispatch.isDone, seen.visits.length, mayHave({ record: 1, request: 1 })]).toEqual([false, 2, true]);
    await vi.runAllTimersAsync();
    dispatch.empty();
    expect([dispatch.fill(aTicket()), dispatch.isDone]).toEqual([false, true]);
  });

  it('leave the checkpoint to a withdrawal that came while visits were under way', async () => {
    const { visits, dispatch, keep, now, answer, store } = aFile(['load:A']);
    answer.takesMs = 10;
    visits.beginWakeUp();
    dispatch.fill(aTicket());
    dispatch.go();
    keep({ cancelledAtMs: RECEIVED_MS });
    await vi.runAllTimersAsync();
    expect([now().handedOver.record, store.tally().requests]).toEqual([0, { delivered: 1 }]);
  });
});

describe('visits', () => {
  it('begin in no wake-up that is ending, and end when the last of them is stored', async () => {
    const { visits, dispatch, seen, answer, run, store } = aFile(['load:A', 'load:B']);
    expect([visits.isHeld, visits.isEnding]).toEqual([true, true]);
    dispatch.fill(aTicket());
    dispatch.go();
    await vi.runAllTimersAsync();
    expect(seen.visits).toEqual([]);
    answer.takesMs = 2 * VISITING_LOOK_MS;
    visits.beginWakeUp();
    expect([visits.isHeld, visits.isEnding]).toEqual([true, false]);
    dispatch.go();
    let hasEnded = false;
    const ending = visits.end().then(() => {
      hasEnded = true;
    });
    await vi.advanceTimersByTimeAsync(2 * VISITING_LOOK_MS - 1);
    expect([hasEnded, visits.isBusy, visits.isEnding]).toEqual([false, true, true]);
    await vi.runAllTimersAsync();
    await ending;
    expect([hasEnded, visits.isBusy, store.tally().requests]).toEqual([true, false, { delivered: 2 }]);
    await run();
    expect(seen.visits).toHaveLength(2);
  });

  it('are so many in one wake-up, and go on in the next', async () => {
    const { dispatch, visits, seen, run } = aFile(
      Array.from({ length: VISITS_PER_WAKE_UP + 3 }, (_, at) => `load:L${at}`),
      {},
      1e9,
    );
    await run();
    for (let looks = 0; looks < 50; looks += 1) {
      dispatch.go(); // as its alarm does while anything waits
      await vi.runAllTimersAsync();
    }
    expect([seen.visits.length, visits.isSpent]).toEqual([VISITS_PER_WAKE_UP, true]);
    await run();
    expect([seen.visits.length, visits.isSpent]).toEqual([VISITS_PER_WAKE_UP + 3, false]);
  });

  it('ask for more new loads once those are spent that cost nothing', async () => {
    const { seen, run } = aFile(Array.from({ length: NEW_SUBJECTS_FREE + 6 }, (_, at) => `load:L${at}`));
    await run();
    expect([seen.visits.length, seen.asked]).toEqual([16, 2]);
    const few = aFile(Array.from({ length: NEW_SUBJECTS_FREE }, (_, at) => `load:L${at}`));
    await few.run();
    expect([few.seen.visits.length, few.seen.asked]).toEqual([NEW_SUBJECTS_FREE, 0]);
  });

  it('of new loads go no faster than so many a second', async () => {
    const { seen, run } = aFile(['load:A', 'load:B', 'load:C', 'load:D', 'load:E'], {}, 2);
    await run();
    expect(seen.visits.map(({ atMs }) => Math.floor(atMs / 500))).toEqual([0, 0, 0, 1, 2]);
  });

  it('wait for a slot while others have all', async () => {
    const slots = Array.from({ length: VISITS_AT_ONCE_MAX }, () =>
      takeVisitSlot({ partner: 'other', batch: 'b' }, Date.now()),
    );
    const { visits, dispatch, seen, store } = aFile(['load:A']);
    visits.beginWakeUp();
    dispatch.fill(aTicket());
    dispatch.go();
    await vi.advanceTimersByTimeAsync(10 * VISIT_LOOK_MS);
    expect([seen.visits.length, visits.isBusy]).toEqual([0, true]);
    for (const giveBack of slots) giveBack?.();
    await vi.advanceTimersByTimeAsync(VISIT_LOOK_MS);
    expect([seen.visits.length, store.tally().requests]).toEqual([1, { delivered: 1 }]);
    await vi.runAllTimersAsync();
    const free = Array.from({ length: VISITS_AT_ONCE_MAX }, () =>
      takeVisitSlot({ partner: 'other', batch: 'b' }, Date.now()),
    );
    expect(free.every((each) => each !== null)).toBe(true); // it gave its own back
  });

  it('give whoever waits for a change the word at once, or after a time', async () => {
    const { visits } = aFile([]);
    let woken = 0;
    const wait = () => void visits.change(1_000).then(() => (woken += 1));
    visits.look();
    wait();
    await vi.advanceTimersByTimeAsync(999);
    expect([woken, visits.hasChanged]).toEqual([0, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(woken).toBe(1);
    wait();
    visits.changed();
    await vi.advanceTimersByTimeAsync(0);
    expect([woken, visits.hasChanged]).toEqual([2, true]);
    wait();
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toBe(3);
  });
});
