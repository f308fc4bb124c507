/** A batch tells what is news of it: once, and again only where nobody could be told. */
import { afterEach, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchNotificationType, Notification } from '../../../src/batch/core/batch-events.ts';
import type { BatchProgress } from '../../../src/batch/core/progress.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { Notifier } from '../../../src/batch/steps/notify.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { NOTIFICATION_PAUSE_MS, NOTIFICATIONS_AT_ONCE } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aSummary, aTicket, BATCH_ID } from './samples.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const SETTLED: BatchProgress = {
  state: 'settled',
  checkpoint: null,
  readingFinished: true,
  handedOver: { record: 0, request: 0 },
  settledAtMs: NOW_MS,
  problems: [],
  reported: false,
};

/** @param tell what becomes of what is told. */
function aBatch(progress: BatchProgress, tell: () => Promise<void> = async () => undefined, ticket = aTicket()) {
  const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
  const store = new BatchStore(storage);
  const { messages } = store;
  store.keepTicket(ticket);
  store.keepProgress(progress);
  const clock = movedClock();
  const told: Notification<BatchNotificationType>[][] = [];
  const born = () => ({ ticket: store.ticket() as BatchTicket, progress: store.progress() as BatchProgress });
  const keep = (more: object) => store.keepProgress({ ...born().progress, ...more });
  let summary: BatchSummary | undefined = aSummary();
  const telling = new Notifier(() => ({ created: born, store, keep, messages }), {
    webhooks: () => ({
      notify: async (events) => {
        await tell();
        told.push([...events]);
      },
    }),
    summary: async () => summary,
    clock,
  });
  return {
    ...{ messages, clock, told, keep, step: () => telling.step() },
    news: () => born().progress.news,
    end: () => {
      summary = undefined;
    },
  };
}

it('tells of its end once', async () => {
  const { told, news, step } = aBatch(SETTLED);
  expect(await step()).toBeNull();
  expect(told.map((events) => events.map(({ type }) => type))).toEqual([['batch.settled']]);
  expect(news()?.settled).toMatchObject({ atMs: NOW_MS, isTold: true });
  expect([await step(), told.length]).toEqual([null, 1]);
});

it('tells all that is due at once, and asks nobody where nothing is', async () => {
  const { told, step } = aBatch(SETTLED, undefined, aTicket({ format: 'x12' }));
  await step();
  expect(told.map((events) => events.map(({ type }) => type))).toEqual([['acknowledgment.ready', 'batch.settled']]);
  const open = aBatch({ ...SETTLED, state: 'delivering', settledAtMs: null });
  expect([await open.step(), open.told]).toEqual([null, []]);
});

it('tells again later where nobody could be told, and not before', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  let isDown = true;
  const { clock, told, news, step } = aBatch(SETTLED, async () => {
    if (isDown) throw new Error('planned: down');
  });
  expect(await step()).toBe(NOTIFICATION_PAUSE_MS);
  expect([told, news()?.settled?.isTold]).toEqual([[], false]);
  expect(warned.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
    { event: 'news_not_told', batchId: BATCH_ID, detail: 'planned: down' },
  ]);
  isDown = false;
  clock.pass(NOTIFICATION_PAUSE_MS - 1);
  expect([await step(), told]).toEqual([1, []]);
  clock.pass(1);
  expect([await step(), told.length, news()?.settled?.isTold]).toEqual([null, 1, true]);
});

it('tells of the next end, too, where that came while the one before was told', async () => {
  const next = { number: 1, atMs: NOW_MS + 1, isTold: false };
  const opened = aBatch(SETTLED, async () =>
    opened.keep({ opening: 1, settledAtMs: NOW_MS + 1, news: { settled: next } }),
  );
  await opened.step();
  expect(opened.news()?.settled).toEqual(next);
});

it('tells nothing of a batch whose summary is gone', async () => {
  const { told, news, end, step } = aBatch(SETTLED);
  end();
  expect([await step(), told, news()?.settled?.isTold]).toEqual([null, [], false]);
});

it('tells of each message that was read, a few at a time, and of nothing else with them', async () => {
  const { messages, told, step } = aBatch({ ...SETTLED, state: 'delivering', settledAtMs: null });
  const count = NOTIFICATIONS_AT_ONCE + 1;
  for (let message = 1; message <= count; message += 1) {
    messages.add({ message, uploadId: `b_${message}`, fileName: null, bytes: 1, sha256: 's', receivedAtMs: NOW_MS });
    messages.end(message, {
      ...{ state: 'read', records: 2, content: null, notes: [], isTold: true },
      isAnnounced: false,
    });
  }
  expect(await step()).toBe(0);
  expect(await step()).toBeNull();
  expect(told.map((events) => events.length)).toEqual([NOTIFICATIONS_AT_ONCE, 1]);
  expect(told.flat().map(({ key }) => key)).toEqual(
    Array.from({ length: count }, (_, at) => [BATCH_ID, 'message', at + 1]),
  );
  expect([await step(), told.length]).toEqual([null, 2]);
});
