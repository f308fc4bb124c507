/** Alarms that are lost: cron → register → batch → load or order sets them again, with D1 or without it. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { batchName } from '../../../src/kernel/names.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, type Partner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { busyOnce, cron, isDeliveredOnce, loseAlarm, waiting } from '../watched.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

type Holder = 'subject' | 'batch' | 'register';

const CASES = (['load', 'order'] as const).flatMap((kind) =>
  [['subject'], ['subject', 'batch']].map((lost) => ({ kind, lost: lost as Holder[] })),
);

/** Of the partner's newest batch. */
const registerKnows = (partner: Partner, state: string): Promise<void> =>
  vi.waitFor(async () => {
    const { batches } = await partner.getJson<{ batches: { state: string }[] }>('/v1/batches');
    expect(batches[0]?.state).toBe(state);
  }, PATIENCE);

describe('a lost alarm', () => {
  it('of a load or order, and of its batch too, is set again though D1 is empty; what waited goes out once', async () => {
    const upstream = busyOnce();
    const partners: Partner[] = [];
    for (const _ of CASES) partners.push(await aPartner());
    const losing = CASES.map(async ({ kind, lost }, index) => {
      const watched = await waiting(upstream, partners[index] as Partner, kind);
      for (const which of lost) await loseAlarm(watched[which]());
      return watched;
    });
    const all = await Promise.all(losing);
    await env.DIRECTORY.batch(['partner_key', 'partner'].map((table) => env.DIRECTORY.prepare(`DELETE FROM ${table}`)));
    for (const watched of all) await isDeliveredOnce(watched);
  });

  it('of a load or order, its batch and its register is set again by the cron', async () => {
    const upstream = busyOnce();
    const partners = [await aPartner(), await aPartner()];
    const both = await Promise.all([
      waiting(upstream, partners[0] as Partner, 'load'),
      waiting(upstream, partners[1] as Partner, 'order'),
    ]);
    for (const { register, batch, subject } of both) {
      for (const stub of [register(), batch(), subject()]) await loseAlarm(stub);
    }
    await cron();
    for (const watched of both) await isDeliveredOnce(watched);
  });

  it('of a batch that has not begun to read is set again', async () => {
    upstreamAnswers(200);
    const first = vi.spyOn(Batch.prototype, 'alarm').mockResolvedValueOnce(undefined);
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('W')));
    await vi.waitFor(() => expect(first).toHaveBeenCalled());
    await partner.reaches(batchId, 'settled');
  });

  it('of a settled batch that is lost the moment it is retried is set again', async () => {
    upstreamAnswers(422);
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('W')));
    await registerKnows(partner, 'settled'); // else its end, told late, would have it watched
    const batch = env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));
    const asleep = vi.spyOn(Batch.prototype, 'alarm').mockResolvedValueOnce(undefined);
    const { left } = upstreamAnswers(200);
    const plan = await batch.retry({ who: 'key-of-acme', dryRun: false, includeUnknown: false, states: ['rejected'] });
    expect(plan.ok).toBe(true);
    await vi.waitFor(() => expect(asleep).toHaveBeenCalled(), PATIENCE);
    await loseAlarm(batch);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
    expect(left).toHaveLength(1);
  });

  it('of a batch whose end the register does not know is set again', async () => {
    upstreamAnswers(200);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const close = vi.spyOn(IntakeRegister.prototype, 'closeBatch').mockRejectedValueOnce(new Error('planned: down'));
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('W')));
    const batch = env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));
    await vi.waitFor(() => expect(close).toHaveBeenCalled(), PATIENCE);
    await loseAlarm(batch);
    await registerKnows(partner, 'settled');
  });
});
