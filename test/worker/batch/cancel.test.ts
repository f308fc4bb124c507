/** A Batch that is cancelled: what was not sent is withdrawn, wherever it is, and every row is still accounted for. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { loadName } from '../../../src/kernel/names.ts';
import { Load } from '../../../src/tracking/load.ts';
import { cancel, created, loadsDown, rowStates, rowsOf, rowsRead } from '../actions.ts';
import { aBatch } from '../batches.ts';
import { statusFile, statusRow, wideStatusFile } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';
import { die } from '../watched.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('a cancelled batch', () => {
  it('withdraws what waits at its loads, and settles when what was on its way is decided', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const batch = await created(statusFile(...rowsOf(6, 2)));
    await batch.reaches('delivering');
    await vi.waitFor(() => expect(left).toHaveLength(2), PATIENCE);
    const plan = await cancel(batch);
    expect(plan).toMatchObject({
      ok: true,
      value: { cancelledAtMs: expect.any(Number), withdrawn: { rows: 6, requests: 6 }, stays: {}, restOfFile: false },
    });
    await rowStates(batch, { queued: 2, cancelled: 4 });
    expect((await batch.summary()).state).toBe('delivering');
    held.release(200);
    const summary = await batch.reaches('settled');
    expect(summary).toMatchObject({
      rowStates: { delivered: 2, cancelled: 4 },
      requestStates: { delivered: 2, cancelled: 4 },
      cancelledAt: expect.any(String),
    });
    expect(left).toHaveLength(2);
  });

  it('is not cancelled by a plan', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const batch = await created(statusFile(...rowsOf(3, 1)));
    await batch.reaches('delivering');
    const before = await batch.summary();
    expect(await cancel(batch, true)).toMatchObject({
      ok: true,
      value: { cancelledAtMs: null, withdrawn: { rows: 3, requests: 3 } },
    });
    expect(await batch.summary()).toEqual(before);
    held.release(200);
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 3 });
    expect(left).toHaveLength(3);
  });

  it('reads the rest of its file, so that every row is accounted for, and sends none of it', async () => {
    const { left } = upstreamAnswers(200);
    const withdrawn = vi.spyOn(Load.prototype, 'cancel');
    const { addRows } = BatchStore.prototype;
    const oneSlice = vi.spyOn(BatchStore.prototype, 'addRows').mockImplementation(function (this: BatchStore, ...read) {
      if (this.lastRecord() > 0) throw new Error('planned: nothing more is read');
      return addRows.apply(this, read);
    });
    const rows = rowsOf(110, 3);
    rows[100] = statusRow('CAX', { Status: 'Q9' });
    rows[105] = statusRow('TOTAL', { Status: '2' });
    const batch = await created(wideStatusFile(rows, 30_000));
    await vi.waitFor(async () => expect((await batch.summary()).rows).toBeGreaterThan(0), PATIENCE);
    expect((await batch.summary()).rows).toBeLessThan(rows.length);
    expect(await cancel(batch)).toMatchObject({ ok: true, value: { restOfFile: true } });
    oneSlice.mockRestore();
    await batch.wake();
    const summary = await batch.reaches('settled');
    expect(summary).toMatchObject({ rows: 110, rowStates: { cancelled: 108, invalid: 1, skipped: 1 } });
    expect(left).toEqual([]);
    expect(withdrawn).not.toHaveBeenCalled(); // no load was visited
  });

  it('leaves its loads to tell what a hand-over that died on its way had brought', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const { visit } = Load.prototype;
    const half = vi.spyOn(Load.prototype, 'visit').mockImplementation(async function (this: Load, parcel) {
      if (parcel.identity.loadNumber.endsWith('-0')) void visit.call(this, parcel);
      throw new Error('planned: the batch never hears that it was taken over');
    });
    const batch = await created(statusFile(...rowsOf(6, 2)));
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    await evictDurableObject(batch.stub());
    await cancel(batch);
    half.mockRestore();
    await batch.wake();
    held.release(200);
    expect(await batch.reaches('settled')).toMatchObject({ rowStates: { delivered: 1, cancelled: 5 } });
    expect(left).toHaveLength(1);
    expect((await batch.rows())[0]).toMatchObject({ record: 1, state: 'delivered' });
  });

  it('goes on where it stood when its loads could not be reached, and asks no load twice', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const batch = await created(statusFile(...rowsOf(4, 2)));
    await batch.reaches('delivering');
    await vi.waitFor(() => expect(left).toHaveLength(2), PATIENCE);
    const down = vi.spyOn(Load.prototype, 'cancel').mockRejectedValue(new Error('planned: no load answers'));
    await cancel(batch);
    await vi.waitFor(() => expect(down).toHaveBeenCalled(), PATIENCE);
    await die(batch.stub());
    down.mockRestore();
    const asked = vi.spyOn(Load.prototype, 'cancel');
    await batch.wake();
    await rowStates(batch, { queued: 2, cancelled: 2 });
    held.release(200);
    await batch.reaches('settled');
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('leaves another batch of the same load alone', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const rows = rowsOf(4, 1);
    const first = await created(statusFile(...rows.slice(0, 2)));
    await first.reaches('delivering');
    const second = await created(statusFile(...rows.slice(2)));
    await second.reaches('delivering');
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE); // what is on its way is not cancelled
    await cancel(first);
    await vi.waitFor(async () => expect((await first.summary()).requestStates.cancelled).toBe(1), PATIENCE);
    held.release(200);
    expect((await second.reaches('settled')).rowStates).toEqual({ delivered: 2 });
    expect((await first.reaches('settled')).rowStates).toEqual({ delivered: 1, cancelled: 1 });
    expect(left).toHaveLength(3);
    const [loadNumber = ''] = (rows[0] ?? '').split(',');
    const load = env.LOAD.getByName(loadName(first.ticket, 'DEMO', loadNumber));
    expect((await load.timeline()).map(({ request }) => request.state)).toEqual([
      'delivered',
      'cancelled',
      'delivered',
      'delivered',
    ]);
  });
});

describe('what a cancel answers', () => {
  it('is the same when it is asked again, also after the batch has settled', async () => {
    upstreamAnswers(200);
    const down = loadsDown();
    const batch = await created(statusFile(...rowsOf(5, 2)));
    await rowsRead(batch, 5);
    const [first, second] = await Promise.all([cancel(batch), cancel(batch)]);
    expect(second).toEqual(first);
    down.mockRestore();
    await batch.wake();
    await batch.reaches('settled');
    expect(await cancel(batch)).toEqual({ ok: true, value: { ...(first.ok ? first.value : {}), restOfFile: false } });
    expect((await batch.summary()).rowStates).toEqual({ cancelled: 5 });
  });

  it('is written down with the key that asked, once', async () => {
    upstreamAnswers(429);
    const batch = await created(statusFile(...rowsOf(1, 1)));
    await batch.reaches('delivering');
    for (const _ of [1, 2]) await cancel(batch);
    expect(await batch.query('SELECT who, what, detail FROM action')).toEqual([
      { who: 'key-1', what: 'cancel', detail: expect.stringContaining('"withdrawn"') },
    ]);
  });

  it('names what stays: unclear, held and delivered', async () => {
    const answers: Record<string, number[]> = { 0: [200], 1: [500], 2: [500, 400], 3: [422] };
    upstreamAnswers(({ body }) => {
      const load = /-(\d)"/.exec(body)?.[1] ?? '';
      const [status = 200] = answers[load] ?? [];
      if ((answers[load]?.length ?? 0) > 1) answers[load]?.shift();
      return new Response('', { status });
    });
    const batch = await created(statusFile(...rowsOf(4, 4)));
    await rowStates(batch, { delivered: 1, unknown: 1, held: 1, rejected: 1 });
    expect(await cancel(batch)).toMatchObject({
      ok: true,
      value: { withdrawn: { rows: 0, requests: 0 }, stays: { delivered: 1, unknown: 1, held: 1, rejected: 1 } },
    });
  });

  it('is a refusal when the batch has settled, could not be read, or sends nothing', async () => {
    upstreamAnswers(200);
    const settled = await created(statusFile(...rowsOf(1, 1)));
    await settled.reaches('settled');
    expect(await cancel(settled)).toEqual({ ok: false, error: { code: 'batch_settled' } });
    expect(await cancel(settled, true)).toEqual({ ok: false, error: { code: 'batch_settled' } });
    const unreadable = await created('%PDF-1.7 not a table');
    await unreadable.reaches('unreadable');
    expect(await cancel(unreadable)).toEqual({ ok: false, error: { code: 'batch_unreadable' } });
    const dryRun = await aBatch(statusFile(...rowsOf(1, 1)), { dryRun: true });
    vi.spyOn(env.FILES, 'get').mockRejectedValue(new Error('planned: storage is down'));
    await dryRun.stub().create(dryRun.ticket);
    expect(await cancel(dryRun)).toEqual({ ok: false, error: { code: 'nothing_to_cancel' } });
  });
});
