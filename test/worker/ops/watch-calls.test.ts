/** What the watch over lost alarms asks, and that nobody who is down keeps it from the others. */
import { createScheduledController, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import worker from '../../../src/index.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { Load } from '../../../src/tracking/load.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const cron = () => worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);

describe('the watch', () => {
  it('never rings for a load that waits for a person', async () => {
    upstreamAnswers(500, 400);
    const partner = await aPartner();
    const poke = vi.spyOn(Load.prototype, 'ensureAlarm');
    const { batchId } = await partner.receipt(statusFile(statusRow('H')));
    await vi.waitFor(async () => expect((await partner.summary(batchId)).requestStates).toEqual({ held: 1 }), PATIENCE);
    const asked = vi.spyOn(Batch.prototype, 'watch');
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(1), PATIENCE);
    expect(poke).not.toHaveBeenCalled();
  });

  it('goes on with the other batches of a partner when one cannot be reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    upstreamAnswers(500, 400);
    const partner = await aPartner();
    for (const load of ['A', 'B']) await partner.receipt(statusFile(statusRow(load)));
    let asked = 0;
    vi.spyOn(Batch.prototype, 'watch').mockImplementation(async () => {
      asked += 1;
      if (asked % 2 === 1) throw new Error('planned: this batch is down');
      return 'known';
    });
    await vi.waitFor(() => expect(asked).toBeGreaterThan(1), PATIENCE);
  });

  it('does not fail when D1 is down, and says so', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await env.DIRECTORY.prepare('DROP TABLE IF EXISTS partner_key').run();
    await cron();
    expect(said).toHaveBeenCalledWith(expect.stringContaining('registers_not_listed'));
  });

  it('of the cron reaches the register of every partner and environment, though one cannot be reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await aPartner();
    await aPartner({ environment: 'production' });
    const asked = vi.spyOn(IntakeRegister.prototype, 'watch').mockRejectedValueOnce(new Error('planned: down'));
    await cron();
    expect(asked.mock.calls.length).toBeGreaterThanOrEqual(2);
  });
});
