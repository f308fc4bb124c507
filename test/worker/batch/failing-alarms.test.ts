/** Wake-ups that throw until the platform gives them up: the one before in the chain sets the alarm again. */
import { reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import type { ReplayAction } from '../../../src/batch/object/replay-action.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { messageOf } from '../../../src/kernel/log.ts';
import { Cached } from '../../../src/kernel/migrate.ts';
import { actionName } from '../../../src/kernel/names.ts';
import { Load } from '../../../src/tracking/load.ts';
import { Order } from '../../../src/tracking/order.ts';
import { rowsOf } from '../actions.ts';
import { aBatch } from '../batches.ts';
import { statusFile } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner } from '../partners.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';
import { busyOnce, cron, isDeliveredOnce, loseAlarm, waiting } from '../watched.ts';
import { a214, arrival } from '../x12-files.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** As often as the platform tries before it drops an alarm. */
const TRIES = 7;
const FAR_MS = Date.UTC(2100, 0);

/** Its wake-up throws until the platform gives it up; then it is what it was before, without an alarm. */
async function throwsTillDropped(object: { alarm(): Promise<void> }, stub: DurableObjectStub): Promise<void> {
  const alarm = vi.spyOn(object, 'alarm').mockRejectedValue(new Error('planned: a bug'));
  for (let tries = 0; tries < TRIES; tries += 1) {
    await runInDurableObject(stub, (_, { storage }) => storage.setAlarm(FAR_MS));
    const ended = await runDurableObjectAlarm(stub).catch(messageOf);
    expect(ended).toMatch(/planned/);
  }
  alarm.mockRestore();
  await loseAlarm(stub);
}

describe('a batch', () => {
  it('goes on where it could neither work nor keep why: its later wake-ups are not lost with that one', async () => {
    upstreamAnswers(200);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const full = (): never => {
      throw new Error('planned: the disk is full');
    };
    const work = vi.spyOn(BatchStore.prototype, 'requestsAfter').mockImplementation(full);
    const trouble = vi.spyOn(BatchStore.prototype, 'keepTrouble').mockImplementation(full);
    const batch = await aBatch(statusFile(...rowsOf(3, 1)));
    await batch.stub().create(batch.ticket);
    await vi.waitFor(() => expect(trouble).toHaveBeenCalled(), PATIENCE);
    await runInDurableObject(batch.stub(), async (object, { storage }) => {
      await storage.deleteAlarm();
      await object.alarm(); // the platform tries one that throws six times more, and drops it then
      expect(await storage.getAlarm()).not.toBeNull();
    });
    work.mockRestore();
    trouble.mockRestore();
    expect(await batch.reaches('settled')).toMatchObject({ rowStates: { delivered: 3 } });
  });

  it('that settles before the register is told of a message of which nothing was taken tells it then: its number may come again', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const away = vi.spyOn(IntakeRegister.prototype, 'releaseMessage').mockRejectedValue(new Error('planned: away'));
    const partner = await aPartner();
    const send = (load: string, control: number, code?: string) => {
      const body = a214([{ load, events: [arrival(code)] }], { control });
      return partner.fetch('/v1/messages?mapping=x12-214', { method: 'POST', body });
    };
    const { batchId } = await (await send('N1', 17)).json<{ batchId: string }>();
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    expect((await send('N2', 18, 'ZZ')).status).toBe(202);
    await vi.waitFor(() => expect(away).toHaveBeenCalled(), PATIENCE);
    held.release(200);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1, invalid: 1 });
    away.mockRestore();
    await vi.waitFor(async () => expect((await send('N2', 18)).status).toBe(202), PATIENCE);
  });
});

describe('a replay', () => {
  it('goes on where its storage fails it: the next step is still to come', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const stub = env.REPLAY.getByName(actionName('test', 'a_of_nobody'));
    await runInDurableObject(stub, async (object, { storage }) => {
      const read = vi.spyOn(storage.kv, 'get').mockImplementation(() => {
        throw new Error('planned: the disk is full');
      });
      await object.alarm();
      read.mockRestore();
      expect(JSON.stringify(logged.mock.calls)).toContain('replay_step_failed');
      expect(await storage.getAlarm()).not.toBeNull();
      await storage.deleteAlarm();
    });
  });
});

describe('a wake-up that failed', () => {
  it.each([
    ['a batch', async () => (await aBatch(statusFile(...rowsOf(1, 1)))).stub()],
    ['a replay', async () => env.REPLAY.getByName(actionName('test', 'a_of_nobody'))],
  ])('of %s does not fail those after it', async (_, made) => {
    await runInDurableObject((await made()) as DurableObjectStub<Batch | ReplayAction>, async (object) => {
      vi.spyOn(Cached.prototype, 'isReady').mockRejectedValueOnce(new Error('planned: the disk is full'));
      await expect(object.alarm()).rejects.toThrow('planned');
      await object.alarm();
    });
  });
});

describe('a wake-up that throws seven times', () => {
  it('of a load or order is set again by its batch; what waited goes out once', async () => {
    const upstream = busyOnce();
    const partner = await aPartner();
    const [load, order] = [await waiting(upstream, partner, 'load'), await waiting(upstream, partner, 'order')];
    await throwsTillDropped(Load.prototype, load.subject());
    await throwsTillDropped(Order.prototype, order.subject());
    for (const watched of [load, order]) await isDeliveredOnce(watched);
  });

  it('of a batch is set again by its register, and of a register by the cron', async () => {
    const upstream = busyOnce();
    const partner = await aPartner();
    const watched = await waiting(upstream, partner, 'load');
    await throwsTillDropped(Load.prototype, watched.subject());
    await throwsTillDropped(Batch.prototype, watched.batch());
    await throwsTillDropped(IntakeRegister.prototype, watched.register());
    await cron();
    await isDeliveredOnce(watched);
  });
});
