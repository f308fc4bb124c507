/** A Load's lane: order, intent before sending, one at a time, and the outcomes it reports to the Batch. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { loadName } from '../../../src/kernel/names.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import { aLoad, PATIENCE, recordsOf } from '../loads.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('the lane of a Load', () => {
  it('sends its milestones one at a time in hand-over order', async () => {
    const upstream = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1, 2, 3]);
    await load.dispatch([5, 4]);
    await load.reaches('delivered', 'delivered', 'delivered', 'delivered', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 2, 3, 5, 4]);
    expect(upstream.inFlightMax()).toBe(1);
  });

  it('sends each record to the milestone address with key, SCAC and the exact body', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    expect(left).toEqual([
      expect.objectContaining({
        url: 'http://127.0.0.1:9/upstream-test/rcsc/events/v1/loads/milestone-requests',
        method: 'POST',
        redirect: 'manual',
        body: load.request(1).body,
        headers: expect.objectContaining({ 'Ocp-Apim-Subscription-Key': 'canary-key-plain', carrierSCAC: 'DEMO' }),
      }),
    ]);
  });

  it('sends a request handed over twice only once', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.dispatch([1, 2]);
    await load.reaches('delivered', 'delivered');
    await load.dispatch([1, 2]);
    await load.dispatch([3]);
    await load.reaches('delivered', 'delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 2, 3]);
  });

  it('keeps the first body of a request handed over again with another', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.stub().enqueue(load.identity, [load.request(1), load.request(1, { body: '{"record":99}' })]);
    await load.reaches('delivered');
    expect(recordsOf(left)).toEqual([1]);
  });

  it('has the intent in storage before the request leaves', async () => {
    let seen: unknown;
    upstreamAnswers(async ({ body }) => {
      // A stub of the object's own: what another visitor would see at the moment of sending.
      const timeline = await env.LOAD.getByName(loadName(load.identity, 'DEMO', load.identity.loadNumber)).timeline();
      const hash = await sha256Hex(new TextEncoder().encode(body));
      seen = timeline.map(({ request, attempts }) => [
        request.state,
        attempts.length,
        attempts[0]?.effect,
        attempts[0]?.request_sha256 === hash,
      ]);
      return Response.json({});
    });
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    expect(seen).toEqual([['sending', 1, null, true]]);
  });

  it('sends once though its alarm runs again during the sending and after it', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer, 200);
    const load = aLoad();
    await load.dispatch([1]);
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    await runInDurableObject(load.stub(), (instance) => instance.alarm());
    await runInDurableObject(load.stub(), (instance) => instance.alarm());
    held.release(200);
    await load.reaches('delivered');
    await runInDurableObject(load.stub(), (instance) => instance.alarm());
    expect(left).toHaveLength(1);
  });

  it('sends a request that arrives mid-fetch after the one on the wire', async () => {
    const held = heldAnswer();
    const upstream = upstreamAnswers(held.answer, 200);
    const load = aLoad();
    await load.dispatch([1]);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(1), PATIENCE);
    await load.dispatch([2]);
    await load.reaches('sending', 'queued');
    expect(upstream.left).toHaveLength(1);
    held.release(200);
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 2]);
    expect(upstream.inFlightMax()).toBe(1);
  });

  it('delivers many loads at once, each in its own order', async () => {
    const { left } = upstreamAnswers(200);
    const loads = Array.from({ length: 40 }, () => aLoad());
    await Promise.all(loads.map((load) => load.dispatch([1, 2, 3])));
    await Promise.all(loads.map((load) => load.reaches('delivered', 'delivered', 'delivered')));
    expect(left).toHaveLength(120);
    for (const load of loads) {
      const own = left.filter(({ body }) => JSON.parse(body).loadNumber === load.identity.loadNumber);
      expect(recordsOf(own)).toEqual([1, 2, 3]);
    }
  });

  it('tells in its timeline what was sent when, and every answer', async () => {
    upstreamAnswers(429, () =>
      Response.json({ id: 'confirmed-1' }, { status: 202, headers: { 'X-Request-Id': 'up-7' } }),
    );
    const load = aLoad();
    const before = Date.now();
    await load.dispatch([1]);
    await load.reaches('delivered');
    const [entry] = await load.timeline();
    expect(entry?.request).toMatchObject({ batch_id: 'b_1', record: 1, tries: 2, attempts: 2, status: 202 });
    expect(entry?.attempts).toMatchObject([
      { attempt: 1, effect: 'not_applied', status: 429, body: '{"code":429}', body_end: 'whole' },
      { attempt: 2, effect: 'applied', status: 202, body: '{"id":"confirmed-1"}' },
    ]);
    expect(JSON.parse(entry?.attempts[1]?.headers ?? '')).toMatchObject({ 'x-request-id': 'up-7' });
    expect(entry?.attempts[0]?.started_at_ms).toBeGreaterThanOrEqual(before);
    expect(entry?.attempts[1]?.latency_ms).toBeGreaterThanOrEqual(0);
  });
});

describe('the outcomes a Load reports', () => {
  const reported = () => vi.spyOn(Batch.prototype, 'recordOutcomes');

  it('tells each Batch what became of its own requests', async () => {
    upstreamAnswers(200, 400, 200);
    const calls = reported();
    const load = aLoad();
    await load
      .stub()
      .enqueue(load.identity, [
        load.request(1),
        load.request(1, { batchId: 'b_2', key: 'b_2/1/1', body: JSON.stringify({ record: 1, batch: 2 }) }),
        load.request(2, { batchId: 'b_2', key: 'b_2/2/1' }),
      ]);
    await vi.waitFor(() => expect(calls.mock.calls.flatMap(([outcomes]) => outcomes)).toHaveLength(3), PATIENCE);
    const told = calls.mock.calls.map(([outcomes]) => outcomes.map(({ record, state }) => [record, state]));
    expect(told).toEqual([
      [[1, 'delivered']],
      [
        [1, 'rejected'],
        [2, 'delivered'],
      ],
    ]);
  });

  it('repeats a report that failed, with the same revision, and sends nothing again', async () => {
    const { left } = upstreamAnswers(200);
    const calls = reported().mockRejectedValueOnce(new Error('planned: the batch is down'));
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const load = aLoad();
    await load.dispatch([1]);
    await vi.waitFor(() => expect(calls).toHaveBeenCalled(), PATIENCE);
    await load.wake();
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(2), PATIENCE);
    const [first, second] = calls.mock.calls.map(([outcomes, form]) => [outcomes, form]); // what it used has grown
    expect(second).toEqual(first);
    await load.dispatch([2]);
    await vi.waitFor(() => expect(calls.mock.calls.at(-1)?.[0][0]?.record).toBe(2), PATIENCE);
    expect(calls).toHaveBeenCalledTimes(3);
    expect(recordsOf(left)).toEqual([1, 2]);
  });

  it('reports every change of a request with a growing revision', async () => {
    upstreamAnswers(500, 429, 200);
    const calls = reported();
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    await vi.waitFor(() => expect(calls.mock.calls.at(-1)?.[0][0]?.state).toBe('delivered'), PATIENCE);
    const told = calls.mock.calls.flatMap(([outcomes]) => outcomes);
    expect(told.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'delivered']);
    const revisions = told.map(({ revision }) => revision);
    expect(revisions).toEqual([...new Set(revisions)].sort((one, other) => one - other));
    expect(told.at(-1)).toMatchObject({ attempts: 3, possibleDuplicate: true, status: 200 });
  });

  it('tells one Batch though another cannot be reached', async () => {
    upstreamAnswers(200);
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const calls = reported().mockImplementation(async (outcomes) => {
      if (outcomes.some(({ record }) => record === 1)) throw new Error('planned: this batch is down');
    });
    const load = aLoad();
    const other = load.request(2, { batchId: 'b_2', key: 'b_2/2/1' });
    await load.stub().enqueue(load.identity, [load.request(1), other]);
    await load.reaches('delivered', 'delivered');
    await load.wake();
    expect(calls.mock.calls.flatMap(([outcomes]) => outcomes).map(({ record }) => record)).toContain(2);
  });
});
