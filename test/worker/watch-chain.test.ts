/** Alarms that are lost: cron → register → batch → load or order sets them again, with D1 or without it. */
import { createScheduledController, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../src/batch/batch.ts';
import worker from '../../src/index.ts';
import { IntakeRegister } from '../../src/intake/register.ts';
import { batchName, loadName, orderName, registerName } from '../../src/kernel/names.ts';
import { statusFile, statusRow } from './csv-files.ts';
import { PATIENCE } from './loads.ts';
import { orderFile } from './order-files.ts';
import { ORDER_ID } from './orders.ts';
import { aPartner, type Partner } from './partners.ts';
import { type UpstreamDouble, upstreamAnswers } from './upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

type Holder = 'subject' | 'batch' | 'register';
interface Watched {
  batch: () => DurableObjectStub<Batch>;
  subject: () => DurableObjectStub;
  register: () => DurableObjectStub;
  bodies: () => number;
}

let made = 0;

/** Answers each load and order with a wait first, then as it should. */
function busyOnce(): UpstreamDouble {
  const seen = new Set<string>();
  const upstream = upstreamAnswers(({ body }) => {
    const name = /W\d+W/.exec(body)?.[0] ?? '';
    if (seen.has(name)) return Response.json({ id: ORDER_ID }, { status: 201 });
    seen.add(name);
    return new Response('', { status: 429, headers: { 'Retry-After': '300' } });
  });
  return upstream;
}

/** A batch of one request that waits a (scaled) while for its second try. */
async function waiting(upstream: UpstreamDouble, partner: Partner, kind: 'load' | 'order'): Promise<Watched> {
  made += 1;
  const name = `W${made}W`;
  const isLoad = kind === 'load';
  const file = isLoad ? statusFile(statusRow(name)) : orderFile({ orderRef: name, sku: 'S' });
  const { batchId } = await partner.receipt(file, isLoad ? {} : { mapping: 'orders-csv' });
  const scope = { environment: 'test', partner: partner.name } as const;
  const batch = () => env.BATCH.getByName(batchName(scope, batchId));
  const waits = async () => expect((await batch().summary())?.requestStates).toEqual({ waiting: 1 });
  await vi.waitFor(waits, PATIENCE);
  return {
    batch,
    subject: () =>
      isLoad ? env.LOAD.getByName(loadName(scope, 'DEMO', name)) : env.ORDER.getByName(orderName(scope, name)),
    register: () => env.INTAKE_REGISTER.getByName(registerName(scope)),
    bodies: () => upstream.left.filter(({ body }) => body.includes(name)).length,
  };
}

/** As after seven failed wake-ups: the platform has dropped the alarm. */
const loseAlarm = (stub: DurableObjectStub) =>
  runInDurableObject(stub, async (_, state) => {
    await state.storage.deleteAlarm();
    expect(await state.storage.getAlarm()).toBeNull();
  });

const settles = (batch: () => DurableObjectStub<Batch>) =>
  vi.waitFor(async () => expect((await batch().summary())?.state).toBe('settled'), PATIENCE);

async function isDeliveredOnce({ batch, bodies }: Watched): Promise<void> {
  await settles(batch);
  expect((await batch().summary())?.requestStates).toEqual({ delivered: 1 });
  expect(bodies()).toBe(2); // the try that was answered 429, and one more
}

const cron = () => worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);

const CASES = (['load', 'order'] as const).flatMap((kind) =>
  [['subject'], ['subject', 'batch']].map((lost) => ({ kind, lost: lost as Holder[] })),
);

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

  it('of a batch whose end the register does not know is set again', async () => {
    upstreamAnswers(200);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const close = vi.spyOn(IntakeRegister.prototype, 'closeBatch').mockRejectedValueOnce(new Error('planned: down'));
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('W')));
    const batch = env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));
    await vi.waitFor(() => expect(close).toHaveBeenCalled(), PATIENCE);
    await loseAlarm(batch);
    const listed = () => partner.getJson<{ batches: { state: string }[] }>('/v1/batches');
    await vi.waitFor(async () => expect((await listed()).batches[0]?.state).toBe('settled'), PATIENCE);
  });
});
