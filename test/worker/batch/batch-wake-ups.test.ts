/** Single wake-ups of a batch, made by the test: what one of them does, and when the next one comes. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { ReplayAction } from '../../../src/batch/object/replay-action.ts';
import { UnderWay } from '../../../src/batch/steps/under-way.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { newBatchId } from '../../../src/kernel/ids.ts';
import { WATCH_PAUSE_MS_MAX } from '../../../src/kernel/limits.ts';
import { actionName, sourceKey } from '../../../src/kernel/names.ts';
import { Load } from '../../../src/tracking/load.ts';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { cancel, created, loadsDown, rowsOf } from '../actions.ts';
import { aBatch, type BatchUnderTest } from '../batches.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { loseAlarm } from '../watched.ts';

const wakeUps = { batch: Batch.prototype.alarm, replay: ReplayAction.prototype.alarm };
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
  vi.spyOn(ReplayAction.prototype, 'alarm').mockResolvedValue(undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const wake = (batch: BatchUnderTest) => runInDurableObject(batch.stub(), (object) => wakeUps.batch.call(object));
const alarmOf = (stub: DurableObjectStub) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
const UNREADABLE = 'Some,Other,Columns\n1,2,3\n';
/** Everything that can go on without the test has gone on. */
const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await scheduler.wait(0);
};

describe('a wake-up of a batch', () => {
  it('in which it ends tells its partner and its register', async () => {
    const told = vi.spyOn(Webhooks.prototype, 'notify').mockResolvedValue(undefined);
    const closed = vi.spyOn(IntakeRegister.prototype, 'closeBatch').mockResolvedValue(undefined);
    const batch = await created(UNREADABLE);
    await wake(batch);
    expect((await batch.summary()).state).toBe('unreadable');
    expect(told.mock.calls.map(([events]) => events.map(({ type, key }) => [type, key]))).toEqual([
      [['batch.settled', [batch.ticket.batchId, 0]]],
    ]);
    expect(closed).toHaveBeenCalledExactlyOnceWith(
      batch.ticket.batchId,
      expect.objectContaining({ state: 'unreadable', claimsNothing: true }),
    );
  });

  it('that finds nothing more to read tells how many rows still wait', async () => {
    upstreamAnswers(500);
    const batch = await created(statusFile(statusRow('LD1')));
    await wake(batch);
    await vi.waitFor(async () => expect((await batch.summary()).requestStates).toEqual({ unknown: 1 }), PATIENCE);
    const told = vi.spyOn(UnderWay.prototype, 'rows');
    await wake(batch);
    expect(told).toHaveBeenCalled();
  });

  it('waits for the one before it, and works on what that has left', async () => {
    const batch = await created(UNREADABLE);
    const get = env.FILES.get.bind(env.FILES);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const asked = vi.spyOn(env.FILES, 'get').mockImplementation((async (...wanted: Parameters<typeof get>) => {
      await held;
      return get(...wanted);
    }) as typeof env.FILES.get);
    await runInDurableObject(batch.stub(), async (object) => {
      const both = [wakeUps.batch.call(object), wakeUps.batch.call(object)];
      await turns();
      expect(asked).toHaveBeenCalledOnce();
      goOn();
      await Promise.all(both);
    });
    expect((await batch.summary()).state).toBe('unreadable');
  });

  it('that failed is not its last: another one is armed', async () => {
    const batch = await created(UNREADABLE);
    vi.spyOn(env.FILES, 'get').mockRejectedValue(new Error('planned: storage is down'));
    await loseAlarm(batch.stub());
    await wake(batch);
    expect(await alarmOf(batch.stub())).toBeGreaterThan(0);
  });

  it('that is armed for months ahead is brought forward by the register, also where no request is under way', async () => {
    const batch = await created(UNREADABLE);
    await runInDurableObject(batch.stub(), (_, { storage }) =>
      storage.setAlarm(Date.now() + 30 * 24 * WATCH_PAUSE_MS_MAX),
    );
    await batch.stub().watch();
    expect(await alarmOf(batch.stub())).toBeLessThanOrEqual(Date.now() + WATCH_PAUSE_MS_MAX);
  });

  it('that failed after its rows were stored leaves them to the next one, not to a restart', async () => {
    const batch = await created(statusFile(...rowsOf(3, 1)));
    const { commit } = BatchStore.prototype;
    let hasFailed = false;
    let depth = 0;
    vi.spyOn(BatchStore.prototype, 'commit').mockImplementation(function <T>(this: BatchStore, run: () => T): T {
      depth += 1;
      const done = commit.call(this, run) as T;
      depth -= 1;
      if (depth > 0) return done; // of another one
      if (hasFailed || this.lastRecord() === 0) return done;
      hasFailed = true;
      throw new Error('planned: after the commit');
    });
    await wake(batch);
    expect((await batch.summary()).rowStates).toEqual({ queued: 3 });
    await wake(batch);
    expect((await batch.summary()).rowStates).toEqual({ delivered: 3 });
  });

  it('hands over nothing that was withdrawn', async () => {
    const batch = await created(statusFile(...rowsOf(3, 1)));
    const down = loadsDown();
    await wake(batch);
    down.mockRestore();
    const visited = vi.spyOn(Load.prototype, 'visit');
    await cancel(batch);
    expect((await batch.summary()).cancelledAt).not.toBeNull();
    await vi.waitFor(async () => {
      await wake(batch);
      expect(await batch.summary()).toMatchObject({ state: 'settled', rowStates: { cancelled: 3 } });
    }, PATIENCE);
    expect(visited).not.toHaveBeenCalled();
  });
});

describe('a message that came before a statement failed', () => {
  const appended = async (batch: BatchUnderTest, message: number, bytes: string | Uint8Array<ArrayBuffer>) => {
    const uploadId = message === 1 ? batch.ticket.batchId : newBatchId(Date.now());
    await env.FILES.put(sourceKey(batch.ticket, uploadId), bytes);
    const part = { message, uploadId, fileName: null, bytes: bytes.length, sha256: '', receivedAtMs: Date.now() };
    expect(await batch.stub().append(part, batch.ticket)).toEqual({ outcome: 'taken', isFull: false });
  };
  /** Its first message is read, and delivers as long as its loads are down. */
  async function delivering() {
    const text = statusFile(...rowsOf(1, 1));
    const batch = await aBatch(text, { message: true });
    const down = loadsDown();
    await appended(batch, 1, text);
    await wake(batch);
    await loseAlarm(batch.stub());
    expect(await batch.summary()).toMatchObject({ state: 'delivering', rowStates: { queued: 1 } });
    return { batch, down };
  }
  const failingReport = async (object: Batch) => {
    const { commit } = BatchStore.prototype;
    vi.spyOn(BatchStore.prototype, 'commit').mockImplementationOnce(function <T>(this: BatchStore, run: () => T): T {
      return commit.call(this, () => {
        run();
        throw new Error('planned: not stored');
      }) as T;
    });
    await expect(object.recordOutcomes([])).rejects.toThrow('planned: not stored');
  };

  it('is read and delivered by the wake-up that it has armed, and its batch does not settle before', async () => {
    const { batch, down } = await delivering();
    const settled = vi.spyOn(Webhooks.prototype, 'notify').mockResolvedValue(undefined);
    await appended(batch, 2, statusFile(...rowsOf(2, 2)));
    await runInDurableObject(batch.stub(), failingReport);
    expect((await batch.summary()).state).toBe('delivering');
    await wake(batch);
    expect(await batch.summary()).toMatchObject({ rowStates: { queued: 3 } });
    expect(settled).not.toHaveBeenCalled();
    down.mockRestore();
    await vi.waitFor(async () => {
      await wake(batch);
      expect(await batch.summary()).toMatchObject({ state: 'settled', rowStates: { delivered: 3 } });
    }, PATIENCE);
  });

  it('is read though its batch would have settled before its next wake-up', async () => {
    const { batch, down } = await delivering();
    await appended(batch, 2, statusFile(...rowsOf(2, 2)));
    await runInDurableObject(batch.stub(), failingReport);
    down.mockRestore();
    await vi.waitFor(async () => {
      await wake(batch);
      expect(await batch.summary()).toMatchObject({ state: 'settled', rowStates: { delivered: 3 } });
    }, PATIENCE);
  });

  it('and cannot be read says so of itself, and not of the message before, where that was while it was unpacked', async () => {
    const { batch, down } = await delivering();
    down.mockRestore();
    await appended(batch, 2, new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 9, 9, 9, 9]));
    const get = env.FILES.get.bind(env.FILES);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const read = vi.spyOn(env.FILES, 'get').mockImplementation((async (...wanted: Parameters<typeof get>) => {
      await held;
      return get(...wanted);
    }) as typeof env.FILES.get);
    await runInDurableObject(batch.stub(), async (object) => {
      const waking = wakeUps.batch.call(object);
      await turns();
      expect(read).toHaveBeenCalled();
      await failingReport(object);
      goOn();
      await waking;
    });
    await vi.waitFor(async () => {
      await wake(batch);
      expect(await batch.summary()).toMatchObject({ state: 'settled', rowStates: { delivered: 1 } });
    }, PATIENCE);
    expect([await batch.stub().message(1), await batch.stub().message(2)]).toMatchObject([
      { state: 'settled', problems: [] },
      { state: 'unreadable', problems: [{ file: 'message 2' }] },
    ]);
  });
});

describe('a report to a batch', () => {
  it('that says nothing new wakes nobody, once the index has the batch as it stands', async () => {
    const batch = await created(UNREADABLE);
    await wake(batch);
    await vi.waitFor(async () => {
      await loseAlarm(batch.stub());
      await batch.stub().recordOutcomes([]);
      expect(await alarmOf(batch.stub())).toBeNull();
    }, PATIENCE);
  });
});

/** A replay of three batches, begun as often as this is called. */
function aReplay() {
  const stub = env.REPLAY.getByName(actionName('test', 'a_of_three'));
  const planned = ['b_1', 'b_2', 'b_3'].map((batchId) => ({ batchId, requests: 20, digest: 'd', places: null }));
  const begin = () =>
    stub.begin({
      ...{ actionId: 'a_of_three', fingerprint: 'f', environment: 'test', partner: 'acme', who: 'k', name: 'Ana' },
      ...{ why: 'The gateway was down.', wanted: {} as never, perSecond: 5, batches: planned },
    });
  const cancel = () => stub.cancel({ who: 'k', name: 'Ana' });
  return { stub, begin, cancel };
}

describe('a replay whose alarm was lost', () => {
  it.each([
    ['begun again', ({ begin }: ReturnType<typeof aReplay>) => begin()],
    ['looked at', ({ stub }: ReturnType<typeof aReplay>) => stub.view()],
  ])('has one again once it is %s', async (_, done) => {
    const replay = aReplay();
    await replay.begin();
    await loseAlarm(replay.stub);
    await done(replay);
    expect(await alarmOf(replay.stub)).toBeGreaterThan(0);
  });

  it('has one again once it is cancelled a second time', async () => {
    const { stub, begin, cancel: stop } = aReplay();
    await begin();
    await stop();
    await loseAlarm(stub);
    expect(await stop()).toMatchObject({ state: 'cancelling' });
    expect(await alarmOf(stub)).toBeGreaterThan(0);
  });

  it('needs none when it has ended', async () => {
    vi.spyOn(Batch.prototype, 'beginReplay').mockResolvedValue({ ok: true, value: 0 });
    vi.spyOn(Batch.prototype, 'stepReplay').mockResolvedValue({ chosen: 0, skipped: 20, left: 0, isCancelled: false });
    const { stub, begin } = aReplay();
    await begin();
    await runInDurableObject(stub, (object) => wakeUps.replay.call(object));
    expect(await stub.view()).toMatchObject({ state: 'done' });
    await loseAlarm(stub);
    await begin();
    expect(await alarmOf(stub)).toBeNull();
  });
});

describe('a wake-up of a replay', () => {
  it('takes batches until as many requests as a step may have were sent again, and no more', async () => {
    const asked: number[] = [];
    vi.spyOn(Batch.prototype, 'beginReplay').mockResolvedValue({ ok: true, value: 20 });
    vi.spyOn(Batch.prototype, 'stepReplay').mockImplementation(async (_id, _step, limit) => {
      asked.push(limit);
      return { chosen: 2, skipped: 18, left: 0, isCancelled: false };
    });
    const { stub, begin } = aReplay();
    await begin();
    await runInDurableObject(stub, (object) => wakeUps.replay.call(object));
    expect(asked).toEqual([5, 3, 1]);
    expect(await stub.view()).toMatchObject({ state: 'running' });
    await runInDurableObject(stub, (object) => wakeUps.replay.call(object));
    expect(await stub.view()).toMatchObject({ state: 'done' });
  });
});
