/** A batch of one request that waits, and all that watches it, in the tests of lost alarms. */
import { createScheduledController, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import type { Batch } from '../../src/batch/object/batch.ts';
import worker from '../../src/index.ts';
import { batchName, loadName, orderName, registerName } from '../../src/kernel/names.ts';
import { statusFile, statusRow } from './csv-files.ts';
import { PATIENCE } from './loads.ts';
import { orderFile } from './order-files.ts';
import { ORDER_ID } from './orders.ts';
import type { Partner } from './partners.ts';
import { type UpstreamDouble, upstreamAnswers } from './upstream-double.ts';

export interface Watched {
  batch: () => DurableObjectStub<Batch>;
  subject: () => DurableObjectStub;
  register: () => DurableObjectStub;
  bodies: () => number;
}

let made = 0;

/** Answers each load and order with a wait first, then as it should. */
export function busyOnce(): UpstreamDouble {
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
export async function waiting(upstream: UpstreamDouble, partner: Partner, kind: 'load' | 'order'): Promise<Watched> {
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

/** The process dies, whatever it is doing: the object is there again at the next call. */
export const die = (stub: DurableObjectStub): Promise<unknown> =>
  runInDurableObject(stub, (_, state) => state.abort('planned: the process dies')).catch(() => undefined);

/** As after seven failed wake-ups: the platform has dropped the alarm. */
export const loseAlarm = (stub: DurableObjectStub) =>
  runInDurableObject(stub, async (_, state) => {
    await state.storage.deleteAlarm();
    expect(await state.storage.getAlarm()).toBeNull();
  });

const settles = (batch: () => DurableObjectStub<Batch>) =>
  vi.waitFor(async () => expect((await batch().summary())?.state).toBe('settled'), PATIENCE);

export async function isDeliveredOnce({ batch, bodies }: Watched): Promise<void> {
  await settles(batch);
  expect((await batch().summary())?.requestStates).toEqual({ delivered: 1 });
  expect(bodies()).toBe(2); // the try that was answered 429, and one more
}

export const cron = () => worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);
