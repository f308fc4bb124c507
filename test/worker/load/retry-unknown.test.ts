/** Retrying what was given up without a clear answer: only on request, marked, and never called refused afterwards. */

import { reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Load } from '../../../src/tracking/load.ts';
import { cancel, created, loadOf, loadsDown, retry, rowStates, rowsOf } from '../actions.ts';
import type { BatchUnderTest } from '../batches.ts';
import { statusFile } from '../csv-files.ts';
import { patchAll, tablesOf } from '../rows.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('what may have arrived', () => {
  async function givenUp(): Promise<{ batch: BatchUnderTest; upstream: UpstreamDouble }> {
    const upstream = upstreamAnswers(500);
    const batch = await created(statusFile(...rowsOf(1, 1)));
    await rowStates(batch, { unknown: 1 });
    await expireAll(loadOf(batch, 0));
    expect((await batch.reaches('settled')).rowStates).toEqual({ dead: 1 });
    return { batch, upstream };
  }

  it('is left out unless it is asked for by name', async () => {
    const { batch, upstream } = await givenUp();
    const sent = upstream.left.length;
    const leftOut = { may_have_arrived: 1 };
    expect(await retry(batch)).toEqual({ ok: false, error: { code: 'nothing_to_retry', leftOut } });
    upstream.answer(200);
    expect(await retry(batch, { includeUnknown: true })).toMatchObject({
      ok: true,
      value: { requests: 1, mayHaveArrived: 1, leftOut: {} },
    });
    await batch.reaches('settled');
    expect(upstream.left).toHaveLength(sent + 1);
    expect((await batch.rows())[0]?.requests[0]).toMatchObject({ state: 'delivered', possibleDuplicate: true });
  });

  it('is not called rejected when its next generation is refused', async () => {
    const { batch, upstream } = await givenUp();
    upstream.answer(422);
    await retry(batch, { includeUnknown: true });
    await rowStates(batch, { held: 1 });
    expect((await batch.rows())[0]?.requests[0]).toMatchObject({ reason: 'unknown_then_refused', status: 422 });
  });

  it('is still left out when its next generation was withdrawn', async () => {
    const { batch } = await givenUp();
    const down = loadsDown();
    await retry(batch, { includeUnknown: true });
    await rowStates(batch, { queued: 1 });
    await cancel(batch);
    await batch.wake();
    down.mockRestore();
    expect((await batch.reaches('settled')).rowStates).toEqual({ cancelled: 1 });
    expect(await retry(batch)).toMatchObject({ ok: false, error: { leftOut: { may_have_arrived: 1 } } });
  });
});

/** Lets everything that waits on a load run past its deadline. */
const expireAll = (load: DurableObjectStub<Load>): Promise<void> =>
  runInDurableObject(load, async (instance) => {
    const { journal, request } = tablesOf(instance);
    journal.commit(() => patchAll(request, { deadline_ms: 0 }));
    await instance.alarm();
  });
