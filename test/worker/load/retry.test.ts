/** A Batch that is retried: what ended short of its aim goes out once more, as a generation of its own beside the earlier ones. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Batch } from '../../../src/batch/object/batch.ts';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { messageOf } from '../../../src/kernel/log.ts';
import { Load } from '../../../src/tracking/load.ts';
import { cancel, created, isFor, loadOf, mixed, retry, rowStates, rowsOf } from '../actions.ts';
import { aBatch, type BatchUnderTest } from '../batches.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('a retried batch', () => {
  it('sends again what was refused or given up, the same bytes, and settles again', async () => {
    const { batch, upstream } = await mixed();
    const first = upstream.left.splice(0);
    upstream.answer(200);
    expect(await retry(batch)).toEqual({
      ok: true,
      value: {
        retriedAtMs: expect.any(Number),
        requests: 2,
        states: { rejected: 1, dead: 1 },
        mayHaveArrived: 0,
        leftOut: {},
      },
    });
    const summary = await batch.reaches('settled');
    expect(summary).toMatchObject({
      rows: 4,
      rowStates: { delivered: 4 },
      requests: 4,
      requestStates: { delivered: 4 },
    });
    const again = first.filter((left) => isFor(left, 1) || isFor(left, 2));
    expect(upstream.left.map(({ body }) => body).sort()).toEqual(again.map(({ body }) => body).sort());
  });

  it('is open again at once: nobody sees it settled before its retry has ended', async () => {
    const { batch, upstream } = await mixed();
    const held = heldAnswer();
    upstream.answer(held.answer);
    await retry(batch);
    expect(await batch.summary()).toMatchObject({ state: 'delivering', settledAt: null });
    await rowStates(batch, { delivered: 2, queued: 2 });
    held.release(200);
    await batch.reaches('settled');
  });

  it('keeps what earlier generations met, in its rows and in the tables of its loads', async () => {
    const { batch, upstream } = await mixed();
    const before = await loadOf(batch, 1).timeline();
    upstream.answer(429, 422);
    await retry(batch, { states: ['rejected'] });
    await batch.reaches('settled');
    upstream.answer(200);
    await retry(batch, { states: ['rejected'] });
    await batch.reaches('settled');
    const timeline = await loadOf(batch, 1).timeline();
    expect(timeline[0]).toEqual(before[0]);
    const { batchId } = batch.ticket;
    expect(timeline.map(({ request }) => [request.key, request.state, request.attempts])).toEqual([
      [`${batchId}/2/1`, 'rejected', 1],
      [`${batchId}/2/1~2`, 'rejected', 2],
      [`${batchId}/2/1~3`, 'delivered', 1],
    ]);
    const [, row] = await batch.rows();
    expect(row?.requests[0]).toMatchObject({
      state: 'delivered',
      generation: 3,
      status: 200,
      attempts: 1,
      earlier: [
        { generation: 1, state: 'rejected', status: 422, answer: 'no', attempts: 1, decidedAt: expect.any(String) },
        { generation: 2, state: 'rejected', status: 422, attempts: 2 },
      ],
    });
    expect((await batch.rows())[0]?.requests[0]).toMatchObject({ generation: 1, earlier: [] });
  });

  it('has a whole life to be delivered in, counted from the retry', async () => {
    const { batch, upstream } = await mixed();
    upstream.answer(200);
    const plan = await retry(batch, { states: ['rejected'] });
    await batch.reaches('settled');
    const [first, second] = (await loadOf(batch, 1).timeline()).map(({ request }) => request);
    const retriedAtMs = plan.ok ? plan.value.retriedAtMs : null;
    expect(second?.accepted_at_ms).toBe(retriedAtMs);
    expect((second?.deadline_ms ?? 0) - (first?.deadline_ms ?? 0)).toBe((retriedAtMs ?? 0) - batch.ticket.receivedAtMs);
  });

  it('flags as late what a later row of its load went before', async () => {
    const upstream = upstreamAnswers(422, 200);
    const batch = await created(statusFile(...rowsOf(2, 1)));
    await batch.reaches('settled');
    upstream.answer(200);
    await retry(batch);
    await batch.reaches('settled');
    expect((await batch.rows()).map(({ requests }) => requests[0]?.late)).toEqual([true, false]);
  });

  it('takes only the states that are asked for', async () => {
    const { batch, upstream } = await mixed();
    upstream.answer(200);
    expect(await retry(batch, { states: ['dead'] })).toMatchObject({ ok: true, value: { states: { dead: 1 } } });
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 3, rejected: 1 });
    expect(await retry(batch, { states: ['dead', 'cancelled'] })).toEqual({
      ok: false,
      error: { code: 'nothing_to_retry', leftOut: {} },
    });
  });

  it('can be retried while other rows of it wait for a decision', async () => {
    const upstream = upstreamAnswers((left) => new Response('', { status: isFor(left, 0) ? 422 : 500 }));
    const batch = await created(statusFile(...rowsOf(2, 2)));
    await rowStates(batch, { rejected: 1, unknown: 1 });
    upstream.answer((left) => new Response('', { status: isFor(left, 0) ? 200 : 400 }));
    await retry(batch);
    await rowStates(batch, { delivered: 1, held: 1 });
    expect(await retry(batch)).toMatchObject({ ok: false, error: { code: 'nothing_to_retry' } });
  });
});

describe('a retry that is asked for', () => {
  it('twice at once makes one generation', async () => {
    const { batch, upstream } = await mixed();
    upstream.answer(200);
    upstream.left.length = 0;
    const answers = await Promise.all([retry(batch), retry(batch), retry(batch)]);
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, false, true]);
    await batch.reaches('settled');
    expect(upstream.left).toHaveLength(2);
    expect((await batch.rows()).map(({ requests }) => requests[0]?.generation)).toEqual([1, 2, 2, 1]);
    expect(await batch.query('SELECT who, what FROM action')).toEqual([{ who: 'key-1', what: 'retry' }]);
  });

  it('for other states while the first is being handed over loses nothing of either', async () => {
    const { batch, upstream } = await mixed();
    upstream.answer(200);
    upstream.left.length = 0;
    const { enqueue } = Load.prototype;
    let isAccepted = false;
    const slow = vi.spyOn(Load.prototype, 'enqueue').mockImplementation(async function (
      this: Load,
      identity,
      requests,
    ) {
      await vi.waitFor(() => expect(isAccepted).toBe(true), PATIENCE);
      await enqueue.call(this, identity, requests);
    });
    await retry(batch, { states: ['dead'] });
    await vi.waitFor(() => expect(slow).toHaveBeenCalled(), PATIENCE);
    expect(await retry(batch)).toMatchObject({ ok: true, value: { states: { rejected: 1 } } }); // stands before it
    isAccepted = true;
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 4 });
    expect(upstream.left).toHaveLength(2);
  });

  it('as a plan changes nothing', async () => {
    const { batch } = await mixed();
    const before = [await batch.summary(), await batch.rows()];
    expect(await retry(batch, { dryRun: true })).toMatchObject({ ok: true, value: { retriedAtMs: null, requests: 2 } });
    expect([await batch.summary(), await batch.rows()]).toEqual(before);
    expect(await batch.query('SELECT * FROM action')).toEqual([]);
  });

  it('is refused where nothing can be sent again', async () => {
    upstreamAnswers(200);
    const nothing = { ok: false, error: { code: 'nothing_to_retry', leftOut: {} } };
    const delivered = await created(statusFile(...rowsOf(1, 1)));
    await delivered.reaches('settled');
    expect(await retry(delivered)).toEqual(nothing);
    const invalid = await created(statusFile(statusRow('LDX', { Status: 'Q9' })));
    await invalid.reaches('settled');
    expect(await retry(invalid)).toEqual(nothing);
    const dryRun = await aBatch(statusFile(...rowsOf(1, 1)), { dryRun: true });
    await dryRun.stub().create(dryRun.ticket);
    await dryRun.reaches('settled');
    expect(await retry(dryRun)).toEqual(nothing);
    const unreadable = await created('%PDF-1.7 not a table');
    await unreadable.reaches('unreadable');
    expect(await retry(unreadable)).toEqual({ ok: false, error: { code: 'batch_unreadable' } });
  });

  it('while it is being cancelled is refused, and a cancel while it is retried withdraws it', async () => {
    const { batch, upstream } = await mixed();
    const held = heldAnswer();
    upstream.answer(held.answer);
    upstream.left.length = 0;
    await retry(batch);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(2), PATIENCE);
    const down = vi.spyOn(Load.prototype, 'cancel').mockRejectedValue(new Error('planned: no load answers'));
    await cancel(batch);
    await vi.waitFor(() => expect(down).toHaveBeenCalled(), PATIENCE);
    expect(await retry(batch)).toEqual({ ok: false, error: { code: 'cancel_under_way' } });
    down.mockRestore();
    held.release(200);
    await batch.wake();
    await batch.reaches('settled');
  });
});

describe('a retry of which the batch dies', () => {
  /** Handed over to one of its two loads, and the batch never hears of it. */
  async function dying(): Promise<{ batch: BatchUnderTest; loadsAreUp: () => void }> {
    const { batch, upstream } = await mixed();
    upstream.answer(200);
    const { enqueue } = Load.prototype;
    const down = vi.spyOn(Load.prototype, 'enqueue').mockImplementation(async function (
      this: Load,
      identity,
      requests,
    ) {
      if (identity.loadNumber.endsWith('-1')) await enqueue.call(this, identity, requests);
      throw new Error('planned: the batch never hears that it was taken over');
    });
    await retry(batch);
    await vi.waitFor(async () => {
      expect((await loadOf(batch, 1).timeline()).map(({ request }) => request.state)).toEqual([
        'rejected',
        'delivered',
      ]);
    }, PATIENCE);
    await evictDurableObject(batch.stub());
    return { batch, loadsAreUp: () => down.mockRestore() };
  }

  it('between marking and handing over goes on where it stood, and sends nothing twice', async () => {
    const { batch, loadsAreUp } = await dying();
    loadsAreUp();
    await batch.wake();
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 4 });
    const rows = await batch.rows();
    expect(rows.map(({ requests }) => [requests[0]?.generation, requests[0]?.earlier.length])).toEqual([
      [1, 0],
      [2, 1],
      [2, 1],
      [1, 0],
    ]);
    for (const index of [1, 2]) {
      expect((await loadOf(batch, index).timeline()).map(({ attempts }) => attempts.length)).toEqual([1, 1]);
    }
  });

  it('and that is cancelled then leaves its loads to tell what they have', async () => {
    const { batch, loadsAreUp } = await dying();
    await cancel(batch);
    loadsAreUp();
    await batch.wake();
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 3, cancelled: 1 });
    expect((await loadOf(batch, 2).timeline()).map(({ request }) => request.state)).toEqual(['dead', 'cancelled']);
  });

  it('whose register cannot be reached leaves everything as it ended: nobody would watch it', async () => {
    const { batch } = await mixed();
    const before = await batch.rows();
    const down = vi.spyOn(IntakeRegister.prototype, 'reopenBatch').mockRejectedValue(new Error('planned: no register'));
    const asked = { who: 'key-1', dryRun: false, includeUnknown: false, states: ['dead', 'rejected'] } as const;
    const failed = await runInDurableObject(batch.stub(), (one: Batch) =>
      one.retry({ ...asked, states: [...asked.states] }).catch(messageOf),
    );
    expect(failed).toBe('planned: no register');
    down.mockRestore();
    await batch.wake();
    await batch.reaches('settled');
    expect(await batch.rows()).toEqual(before);
    expect(await batch.query('SELECT * FROM chosen')).toEqual([]);
  });
});

describe('a report of an earlier generation', () => {
  const outcome = (record: number, more: Partial<RequestOutcome>): RequestOutcome => ({
    record,
    request: 1,
    generation: 1,
    revision: 99,
    state: 'delivered',
    reason: null,
    outcome: null,
    evidence: null,
    attempts: 1,
    status: 200,
    answer: '',
    possibleDuplicate: false,
    late: false,
    into: null,
    intoState: null,
    nextAtMs: null,
    decidedAtMs: Date.now(),
    diff: null,
    action: null,
    ...more,
  });

  it('that comes late changes nothing', async () => {
    const { batch, upstream } = await mixed();
    const held = heldAnswer();
    upstream.answer(held.answer);
    await retry(batch);
    await rowStates(batch, { delivered: 2, queued: 2 });
    const before = [await batch.summary(), await batch.rows()];
    await batch.stub().recordOutcomes([outcome(2, {}), outcome(3, { state: 'rejected', revision: 100 })]);
    expect([await batch.summary(), await batch.rows()]).toEqual(before);
    await batch.stub().recordOutcomes([outcome(2, { generation: 3 })]);
    expect([await batch.summary(), await batch.rows()]).toEqual(before);
    held.release(200);
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 4 });
  });

  it('keeps a row that is chosen from being replaced, also before its turn has come', async () => {
    upstreamAnswers(422);
    const batch = await created(statusFile(...rowsOf(1, 1)));
    await batch.reaches('settled');
    const asked = [{ record: 1, by: { batchId: 'later', record: 1 } }];
    expect(await batch.stub().classifyRows(asked, false)).toEqual([{ outcome: 'free' }]);
    await batch.sql('INSERT INTO chosen (record, request, generation) SELECT record, request, 2 FROM letter');
    expect(await batch.stub().classifyRows(asked, true)).toEqual([{ outcome: 'open', state: 'queued' }]);
  });
});
