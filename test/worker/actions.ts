/** Batches under test that are cancelled and retried: how they are made, asked, and kept from their loads. */
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import type { RetryRequest } from '../../src/batch/actions/retry.ts';
import { RETRIABLE_STATES } from '../../src/delivery/retry.ts';
import { loadName } from '../../src/kernel/names.ts';
import { Load } from '../../src/tracking/load.ts';
import { aBatch, type BatchUnderTest } from './batches.ts';
import { statusFile, statusRows } from './csv-files.ts';
import { PATIENCE } from './loads.ts';
import { type Answering, type UpstreamDouble, upstreamAnswers } from './upstream-double.ts';

let made = 0;
/** Right rows on loads that no other test has; the functions below mean the loads of the last ones. */
export const rowsOf = (count: number, loads: number): string[] => {
  made += 1;
  return statusRows(count, loads, `AC${made}-`);
};
export const isFor = ({ body }: { body: string }, index: number): boolean => body.includes(`"AC${made}-${index}"`);
export const loadOf = (batch: BatchUnderTest, index: number): DurableObjectStub<Load> =>
  env.LOAD.getByName(loadName(batch.ticket, 'DEMO', `AC${made}-${index}`));

export async function created(file: string, more: Parameters<typeof aBatch>[1] = {}): Promise<BatchUnderTest> {
  const batch = await aBatch(file, more);
  await batch.stub().create(batch.ticket);
  return batch;
}

export const cancel = (batch: BatchUnderTest, dryRun = false) => batch.stub().cancel({ who: 'key-1', dryRun });
export const retry = (batch: BatchUnderTest, more: Partial<RetryRequest> = {}) =>
  batch.stub().retry({ who: 'key-1', dryRun: false, states: RETRIABLE_STATES, includeUnknown: false, ...more });

/** Nothing can be handed over until it is restored. */
export function loadsDown(): { mockRestore(): void } {
  const calls = (['visit', 'enqueue'] as const).map((call) =>
    vi.spyOn(Load.prototype, call).mockRejectedValue(new Error('planned: no load answers')),
  );
  return {
    mockRestore: () => {
      for (const call of calls) call.mockRestore();
    },
  };
}
export const rowsRead = (batch: BatchUnderTest, count: number): Promise<void> =>
  vi.waitFor(async () => expect((await batch.summary()).rows).toBe(count), PATIENCE);
export const rowStates = (batch: BatchUnderTest, states: Record<string, number>): Promise<void> =>
  vi.waitFor(async () => expect((await batch.summary()).rowStates).toEqual(states), PATIENCE);

export const redirect: Answering = () => new Response(null, { status: 307, headers: { Location: '/elsewhere' } });

/** Four loads of a row each: delivered, rejected, dead for certain, and delivered. */
export async function mixed(): Promise<{ batch: BatchUnderTest; upstream: UpstreamDouble }> {
  const upstream = upstreamAnswers((left, signal) => {
    if (isFor(left, 1)) return new Response('no', { status: 422 });
    return isFor(left, 2) && typeof redirect === 'function' ? redirect(left, signal) : new Response('');
  });
  const batch = await created(statusFile(...rowsOf(4, 4)));
  expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 2, rejected: 1, dead: 1 });
  return { batch, upstream };
}
