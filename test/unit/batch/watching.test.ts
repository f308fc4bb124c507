/** A batch looks after its loads and orders: who is overdue is woken, and left alone for a while after that. */
import { afterEach, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { type BatchProgress, START } from '../../../src/batch/core/progress.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import type { ActionPort } from '../../../src/batch/object/ports.ts';
import { WatchStore, watchStep } from '../../../src/batch/steps/watching.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { MINUTE_MS } from '../../../src/kernel/clock.ts';
import { WATCH_BATCH_MS, WATCH_GRACE_MS, WATCH_PAUSE_MS_MAX } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aMappedRow, anOutcome, aTicket, BATCH_ID } from './samples.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const rowFor = (record: number, subject: string): MappedRow => {
  const row = aMappedRow(record, 1);
  return { ...row, requests: row.requests.map((request) => ({ ...request, subject })) } as unknown as MappedRow;
};

/** A batch whose requests are all with their subjects since `handedOverAtMs`; absent: that is not known. */
function watching(subjects: readonly string[], more: Partial<BatchProgress> = {}, receivedAtMs = NOW_MS) {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const { sql } = storage;
  const store = new BatchStore(storage);
  store.addRows(
    subjects.map((subject, index) => rowFor(index + 1, subject)),
    () => 'queued',
  );
  store.keepTally({ records: { queued: subjects.length }, requests: { queued: subjects.length } });
  const progress = { handedOver: { record: subjects.length, request: 1 }, ...more } as BatchProgress;
  const clock = movedClock();
  const seen = { woken: [] as string[], down: false, wakesAtMs: null as number | null, takesMs: 0 };
  const subject = (kind: string) => (name: string) => ({
    ensureAlarm: async () => {
      seen.woken.push(`${kind} ${name}`);
      clock.pass(seen.takesMs);
      if (seen.down) throw new Error('planned: away');
      return seen.wakesAtMs;
    },
  });
  const watch = new WatchStore(sql, store);
  const port = {
    ...{ store, created: () => ({ ticket: aTicket({ receivedAtMs }), progress }) },
    subjects: { load: subject('load'), order: subject('order') },
  } as unknown as ActionPort;
  const step = () => watchStep(port, watch, clock);
  /** The next look, as its alarm comes at that time. */
  const look = async () => {
    clock.pass(await step());
    return step();
  };
  const ensured = () => watch.requests(START, progress.handedOver, 9).map(({ poked }) => poked);
  return { store, clock, seen, watch, step, look, ensured };
}

it('is silent while nothing is overdue, and looks again when the first may be', async () => {
  const { clock, seen, step } = watching(['load:A'], { handedOverAtMs: NOW_MS + MINUTE_MS });
  expect([await step(), await step()]).toEqual([WATCH_BATCH_MS, WATCH_BATCH_MS]);
  clock.pass(WATCH_BATCH_MS - 1);
  expect(await step()).toBe(1);
  clock.pass(1);
  expect([await step(), seen.woken]).toEqual([WATCH_BATCH_MS, []]);
});

it('wakes each load and order that said nothing since it has its requests, each once', async () => {
  const { seen, look, ensured, clock } = watching(['load:A', 'order:O', 'load:A'], { handedOverAtMs: NOW_MS });
  seen.wakesAtMs = NOW_MS + 10 * MINUTE_MS;
  expect(await look()).toBe(WATCH_BATCH_MS);
  expect(seen.woken).toEqual(['load ["test","acme","ABCD","A"]', 'order ["test","acme","O"]']);
  const poked = { pokes: 1, atMs: clock.nowMs(), quietUntilMs: seen.wakesAtMs + WATCH_GRACE_MS };
  expect(ensured()).toEqual([poked, poked, poked]);
  expect([await look(), seen.woken.length]).toEqual([10 * MINUTE_MS + WATCH_GRACE_MS - 2 * WATCH_BATCH_MS, 2]);
});

it('takes them for handed over when its file came, where that is not known', async () => {
  const late = watching(['load:A'], {}, NOW_MS + MINUTE_MS);
  expect([await late.look(), late.seen.woken]).toEqual([WATCH_BATCH_MS, []]);
  const early = watching(['load:A'], {}, NOW_MS - MINUTE_MS);
  await early.look();
  expect(early.seen.woken).toHaveLength(1);
  const known = watching(['load:A'], { handedOverAtMs: NOW_MS + MINUTE_MS }, NOW_MS - MINUTE_MS);
  expect([await known.look(), known.seen.woken]).toEqual([WATCH_BATCH_MS, []]);
});

it('wakes the others, too, where one cannot be reached, and that one later', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { seen, look, ensured, clock } = watching(['load:A', 'load:B'], { handedOverAtMs: NOW_MS });
  seen.down = true;
  expect([await look(), seen.woken.length]).toEqual([WATCH_BATCH_MS, 2]);
  expect(warned.mock.calls.map(([line]) => JSON.parse(line))[0]).toEqual({
    ...{ event: 'subject_not_reached', batchId: BATCH_ID, detail: 'planned: away' },
  });
  const quietUntilMs = clock.nowMs() + WATCH_GRACE_MS;
  expect(ensured()).toEqual(Array.from({ length: 2 }, () => ({ pokes: 1, atMs: clock.nowMs(), quietUntilMs })));
  await look();
  expect([seen.woken.length, ensured()[0]?.pokes]).toEqual([4, 2]);
});

it('looks again at once where waking them took longer than the pause', async () => {
  const { seen, look } = watching(['load:A'], { handedOverAtMs: NOW_MS });
  seen.takesMs = 2 * WATCH_BATCH_MS;
  expect(await look()).toBe(0);
});

it('looks seldom where nothing moves by itself', async () => {
  const { store, seen, look } = watching(['load:A'], { handedOverAtMs: NOW_MS });
  store.move([anOutcome(1, { state: 'held' })]);
  expect([await look(), seen.woken]).toEqual([WATCH_PAUSE_MS_MAX, []]);
});

it('goes on where it was, and begins anew only after a retry that it has not seen', async () => {
  const { watch, step } = watching([], { retriedAtMs: NOW_MS });
  const at = { record: 3, request: 1 };
  const pass = { from: at, at, metOpen: false, dueMs: null, lookAtMs: NOW_MS + 7, retriedAtMs: NOW_MS };
  watch.keepPass(pass);
  expect([await step(), watch.pass()]).toEqual([7, pass]);
  watch.keepPass({ ...pass, retriedAtMs: NOW_MS - 1 });
  expect(await step()).toBe(WATCH_BATCH_MS);
  expect(watch.pass()).toMatchObject({ from: START, at: START, retriedAtMs: NOW_MS });
});
