/** Wake-ups that throw until the platform gives them up: the one before in the chain sets the alarm again. */
import { reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../src/batch/batch.ts';
import { IntakeRegister } from '../../src/intake/register.ts';
import { messageOf } from '../../src/kernel/log.ts';
import { Load } from '../../src/tracking/load.ts';
import { Order } from '../../src/tracking/order.ts';
import { aPartner } from './partners.ts';
import { busyOnce, cron, isDeliveredOnce, loseAlarm, waiting } from './watched.ts';

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
