/** Storage that takes nothing more: what cannot be written down is not done, and is done once it can be. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { created, rowsOf } from '../actions.ts';
import { statusFile } from '../csv-files.ts';
import { aLoad, PATIENCE, recordsOf } from '../loads.ts';
import { anOrder, creates, lists, ordersAnswer, posts, requestOf } from '../orders.ts';
import { aPartner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** As the platform says it. */
const full = (): never => {
  throw new Error('database or disk is full: SQLITE_FULL');
};

describe('full storage', () => {
  it('gives no receipt where the claim cannot be written, and the repeat is one batch', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const file = statusFile(...rowsOf(3, 1));
    const claims = vi.spyOn(IntakeRegister.prototype, 'claim').mockImplementation(async () => full());
    const send = () => partner.upload(file, {}, { headers: { 'Idempotency-Key': 'once' } });
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'storage_unavailable' });
    claims.mockRestore();
    const taken = await send();
    expect(taken.status).toBe(202);
    const { batchId } = await taken.json<{ batchId: string }>();
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 3 });
    expect(left).toHaveLength(3);
  });

  it('keeps a request here whose intent cannot be written, and lets it go when there is room again', async () => {
    const { left } = upstreamAnswers(200);
    const intents = vi.spyOn(SubjectStore.prototype, 'beginAttempt').mockImplementation(full);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await vi.waitFor(() => expect(intents).toHaveBeenCalled(), PATIENCE);
    expect(left).toEqual([]);
    intents.mockRestore();
    await load.wake();
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 2]);
    expect((await load.timeline()).map(({ request }) => request.possible_duplicate)).toEqual([0, 0]);
  });

  it('leaves a create whose outcome cannot be written to be looked up: it is never made a second time', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const upstream = ordersAnswer([creates], [lists({})]);
    const outcomes = vi.spyOn(SubjectStore.prototype, 'endAttempt').mockImplementation(full);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2));
    await vi.waitFor(() => expect(outcomes).toHaveBeenCalled(), PATIENCE);
    outcomes.mockRestore();
    await vi.waitFor(async () => {
      await order.wake();
      expect((await order.timeline()).map(({ request }) => request.state)).toEqual(['delivered', 'duplicate']);
    }, PATIENCE);
    expect(posts(upstream)).toBe(1);
    expect(await requestOf(order)).toMatchObject({ evidence: 'reconcile' });
  });

  it('keeps a batch at its checkpoint, says so where people look, and loses and doubles no row', async () => {
    const { left } = upstreamAnswers(200);
    const rows = vi.spyOn(BatchStore.prototype, 'addRows').mockImplementation(full);
    const batch = await created(statusFile(...rowsOf(6, 2)));
    await vi.waitFor(async () => expect((await batch.summary()).notes.join()).toMatch(/SQLITE_FULL/), PATIENCE);
    expect(await batch.rows()).toEqual([]);
    rows.mockRestore();
    expect(await batch.reaches('settled')).toMatchObject({ rows: 6, rowStates: { delivered: 6 } });
    expect(left).toHaveLength(6);
  });
});
