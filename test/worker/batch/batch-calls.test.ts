/** Calls of a batch between its wake-ups, which the test makes: which of them wake it, and what a wake-up then does. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { Indexing } from '../../../src/batch/steps/batch-index.ts';
import { ActionStore } from '../../../src/batch/store/action-store.ts';
import { Load } from '../../../src/tracking/load.ts';
import { cancel, created, loadOf, loadsDown, retry, rowsOf } from '../actions.ts';
import type { BatchUnderTest } from '../batches.ts';
import { statusFile } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';
import { loseAlarm } from '../watched.ts';

const wakeUp = Batch.prototype.alarm;
let upstream: UpstreamDouble;
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
  vi.spyOn(Indexing.prototype, 'step').mockReturnValue(null);
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const wake = (batch: BatchUnderTest) => runInDurableObject(batch.stub(), (object) => wakeUp.call(object));
const wakesUntil = (batch: BatchUnderTest, rowStates: Record<string, number>) =>
  vi.waitFor(async () => {
    await wake(batch);
    expect(await batch.summary()).toMatchObject({ rowStates });
  }, PATIENCE);

/** The alarm that a call leaves behind; null: none. */
async function armedBy(batch: BatchUnderTest, call: (batch: Batch) => Promise<unknown>): Promise<number | null> {
  await loseAlarm(batch.stub());
  return runInDurableObject(batch.stub(), async (object, { storage }) => {
    await call(object);
    return storage.getAlarm();
  });
}

/** Waits until the call has woken the batch. */
async function isWokenBy(batch: BatchUnderTest, call: () => Promise<unknown>): Promise<void> {
  await loseAlarm(batch.stub());
  vi.mocked(Batch.prototype.alarm).mockClear();
  await call();
  await vi.waitFor(() => expect(Batch.prototype.alarm).toHaveBeenCalled(), PATIENCE);
}

/** A batch of so many rows, each of a load of its own, that were all refused. */
async function refused(rows: number): Promise<BatchUnderTest> {
  upstream.answer(422);
  const batch = await created(statusFile(...rowsOf(rows, rows)));
  await wakesUntil(batch, { rejected: rows });
  upstream.answer(200);
  return batch;
}

const BY = { batchId: `b_${'0'.repeat(26)}`, record: 1 };

describe('a batch', () => {
  it('is woken when it is cancelled', async () => {
    const batch = await created(statusFile(...rowsOf(2, 1)));
    loadsDown();
    await wake(batch);
    await isWokenBy(batch, () => cancel(batch));
  });

  it('is woken by a load that delivers after a wake-up what had to wait in it', async () => {
    const goOn = Load.prototype.alarm;
    vi.spyOn(Load.prototype, 'alarm').mockResolvedValue(undefined);
    upstream.answer(() => new Response('', { status: 429, headers: { 'Retry-After': '60' } }));
    const batch = await created(statusFile(...rowsOf(1, 1)));
    await wakesUntil(batch, { waiting: 1 });
    upstream.answer(200);
    await isWokenBy(batch, () =>
      vi.waitFor(async () => {
        await runInDurableObject(loadOf(batch, 0), (load) => goOn.call(load));
        expect((await batch.summary()).rowStates).toEqual({ delivered: 1 });
      }, PATIENCE),
    );
  });

  it('is woken by what was delivered in the place of a row of it', async () => {
    const batch = await refused(1);
    await isWokenBy(batch, () => batch.stub().resolveRows([{ record: 1, by: BY }]));
  });

  it('is woken by a retry, and by none that is only planned or refused', async () => {
    const batch = await refused(1);
    const asked = { who: 'key-1', dryRun: false, states: ['rejected'], includeUnknown: false } as const;
    expect(await armedBy(batch, (object) => object.retry({ ...asked, dryRun: true }))).toBeNull();
    expect(await armedBy(batch, (object) => object.retry({ ...asked, states: ['cancelled'] }))).toBeNull();
    await isWokenBy(batch, () => retry(batch));
  });

  it('knows the first row that was claimed in the place of its own, and answers others with it', async () => {
    const batch = await refused(1);
    const claims = (record: number, isClaimed: boolean) =>
      batch.stub().classifyRows([{ record: 1, by: { ...BY, record } }], isClaimed);
    expect(await claims(7, false)).toEqual([{ outcome: 'free' }]);
    expect(await claims(1, true)).toEqual([{ outcome: 'free' }]);
    expect(await claims(2, true)).toEqual([{ outcome: 'replaced', by: BY }]);
  });
});

describe('a wake-up', () => {
  it('says why it cannot go on where loads cannot be reached', async () => {
    const batch = await created(statusFile(...rowsOf(1, 1)));
    loadsDown();
    await wake(batch);
    expect((await batch.summary()).notes).toEqual([expect.stringContaining('planned: no load answers')]);
  });

  it('calls the loads of a retry a few times, and leaves the others to the next', async () => {
    const batch = await refused(5);
    const { chosen } = ActionStore.prototype;
    vi.spyOn(ActionStore.prototype, 'chosen').mockImplementation(function (this: ActionStore) {
      return chosen.call(this, 1);
    });
    const called = vi.spyOn(Load.prototype, 'enqueue');
    await retry(batch);
    await wake(batch);
    expect(called).toHaveBeenCalledTimes(2);
    await wake(batch);
    expect(called).toHaveBeenCalledTimes(4);
    await wakesUntil(batch, { delivered: 5 });
  });
});
