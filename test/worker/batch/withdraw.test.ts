/** A load or an order whose batch is cancelled: what has not left is taken back, everything else follows its course. */
import { abortAllDurableObjects, evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { aLoad, PATIENCE, recordsOf } from '../loads.ts';
import { anOrder, creates, posts } from '../orders.ts';
import { handOverPoints, points, pointsIn } from '../traces.ts';
import { heldAnswer, neverAnswers, tokenBody, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const LIVE = { live: true };

describe('milestones of a cancelled batch', () => {
  it('that wait for their turn are withdrawn, and the one being sent is not', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const told = vi.spyOn(Batch.prototype, 'recordOutcomes');
    const load = aLoad();
    await load.dispatch([1, 2, 3]);
    await load.reaches('sending', 'queued', 'queued');
    await load.stub().cancel('b_1');
    await load.reaches('sending', 'cancelled', 'cancelled');
    held.release(200);
    await load.reaches('delivered', 'cancelled', 'cancelled');
    expect(recordsOf(left)).toEqual([1]);
    await vi.waitFor(() => {
      const outcomes = told.mock.calls.flatMap(([list]) => list).map(({ record, state }) => [record, state]);
      expect(outcomes).toEqual(
        expect.arrayContaining([
          [1, 'delivered'],
          [2, 'cancelled'],
          [3, 'cancelled'],
        ]),
      );
    }, PATIENCE);
  });

  it('that were proved not to be applied are withdrawn with their last answer', async () => {
    const { left } = upstreamAnswers(429);
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('waiting');
    const sent = left.length;
    await load.stub().cancel('b_1');
    await load.reaches('cancelled');
    await load.wake();
    const [entry] = await load.timeline();
    expect(entry?.request).toMatchObject({ status: 429, at_ms: null, reason: null, outcome: null });
    expect(entry?.attempts).toHaveLength(sent);
    expect(left).toHaveLength(sent);
  });

  it('that may have arrived stay, and are sent again until that is clear', async () => {
    const upstream = upstreamAnswers(500);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.freezeIn('unknown');
    await load.stub().cancel('b_1');
    await load.reaches('unknown', 'cancelled');
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'cancelled');
    expect(new Set(recordsOf(upstream.left))).toEqual(new Set([1]));
  });

  it('that are held or ended stay as they are', async () => {
    upstreamAnswers(500, 400, 400, 200);
    const load = aLoad();
    await load.dispatch([1, 2, 3]);
    await load.reaches('held', 'rejected', 'delivered');
    const before = await load.timeline();
    await load.stub().cancel('b_1');
    await load.wake();
    expect(await load.timeline()).toEqual(before);
  });

  it('leave those of another batch alone', async () => {
    const held = heldAnswer();
    const upstream = upstreamAnswers(held.answer, 200);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.dispatch([7], { batchId: 'b_2', key: 'b_2/7/1' });
    await load.reaches('sending', 'queued', 'queued');
    await load.stub().cancel('b_1');
    held.release(200);
    await load.reaches('delivered', 'cancelled', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 7]);
  });

  it('are withdrawn once, however often it is asked', async () => {
    upstreamAnswers(429);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.freezeIn('waiting');
    await load.stub().cancel('b_1');
    const after = await load.timeline();
    await evictDurableObject(load.stub());
    await load.stub().cancel('b_1');
    expect(await load.timeline()).toEqual(after);
  });

  it('that were on the wire when the process died may have arrived, and stay', async () => {
    const upstream = upstreamAnswers(neverAnswers);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(1), PATIENCE);
    upstream.answer(200);
    await abortAllDurableObjects();
    await load.stub().cancel('b_1');
    await load.reaches('delivered', 'cancelled');
    expect((await load.timeline())[0]?.request).toMatchObject({ possible_duplicate: 1 });
  });
});

describe('a milestone withdrawn while a token is fetched', () => {
  const bearer = { channel: 'bearer', kind: 'loadMilestoneEvent' } as const;
  const heldToken = () => {
    const held = heldAnswer();
    const answer = async (...sent: Parameters<Exclude<typeof held.answer, number | Error>>) => {
      if (typeof held.answer === 'function') await held.answer(...sent);
      return Response.json(tokenBody(9));
    };
    return { answer, release: () => held.release(200) };
  };

  /** One of another batch behind it: once that is delivered, the withdrawn one has had its turn. */
  const another = { ...bearer, batchId: 'b_2', key: 'b_2/7/1' };

  it('does not leave', async () => {
    const upstream = upstreamAnswers(200);
    const token = heldToken();
    upstream.answerTokens(token.answer);
    const load = aLoad();
    await load.dispatch([1], bearer);
    await vi.waitFor(() => expect(upstream.tokenRequests).toHaveLength(1), PATIENCE);
    await load.dispatch([7], another);
    await load.stub().cancel('b_1');
    token.release();
    await load.reaches('cancelled', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([7]);
    expect((await load.timeline())[0]?.attempts).toEqual([]);
  });

  it('stays withdrawn when no token can be had', async () => {
    const upstream = upstreamAnswers(200);
    const held = heldAnswer();
    upstream.answerTokens(held.answer);
    const load = aLoad();
    await load.dispatch([1], bearer);
    await vi.waitFor(() => expect(upstream.tokenRequests).toHaveLength(1), PATIENCE);
    await load.dispatch([7], another);
    await load.stub().cancel('b_1');
    const before = (await load.timeline())[0];
    upstream.answerTokens(() => Response.json(tokenBody(1)));
    held.release(500);
    await load.reaches('cancelled', 'delivered');
    expect((await load.timeline())[0]).toEqual(before);
  });

  it('is not sent a second time with the renewed one', async () => {
    const upstream = upstreamAnswers(401, 200);
    const token = heldToken();
    upstream.answerTokens(() => Response.json(tokenBody(1)), token.answer);
    const load = aLoad();
    await load.dispatch([1], bearer);
    await vi.waitFor(() => expect(upstream.tokenRequests).toHaveLength(2), PATIENCE);
    await load.dispatch([7], another);
    await load.stub().cancel('b_1');
    token.release();
    await load.reaches('cancelled', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 7]);
    expect((await load.timeline())[0]?.attempts).toMatchObject([{ status: 401 }]);
  });
});

describe('requests of which nobody knows whether they were handed over', () => {
  it('come in withdrawn, and a late hand-over changes nothing', async () => {
    const { left } = upstreamAnswers(200);
    const told = vi.spyOn(Batch.prototype, 'recordOutcomes');
    const load = aLoad();
    const requests = [load.request(1), load.request(2), ...points(load, [3])];
    await load.stub().cancel('b_1', { identity: load.identity, requests });
    await load.reaches('cancelled', 'cancelled', 'cancelled');
    await load.stub().enqueue(load.identity, requests);
    await load.wake();
    await load.reaches('cancelled', 'cancelled', 'cancelled');
    expect(left).toEqual([]);
    await vi.waitFor(() => {
      const outcomes = told.mock.calls.flatMap(([list]) => list);
      expect(outcomes.map(({ record, state }) => [record, state]).sort()).toEqual(
        [1, 2, 3].map((n) => [n, 'cancelled']),
      );
    }, PATIENCE);
  });

  it('are what they were when they had come before', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    await load.stub().cancel('b_1', { identity: load.identity, requests: [load.request(1), load.request(2)] });
    await load.reaches('delivered', 'cancelled');
  });
});

describe('positions of a cancelled batch', () => {
  it('in no set yet are withdrawn; those of another batch leave without them', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await handOverPoints(load, [1, 3]);
    await handOverPoints(load, [2, 4], { batchId: 'b_2' });
    await load.stub().cancel('b_1');
    await load.stub().release('b_2');
    await load.reaches('cancelled', 'cancelled', 'delivered', 'coalesced');
    expect(pointsIn(left)).toEqual([[2, 4]]);
  });

  it('whose set is proved not to be applied are withdrawn with it, and each is told', async () => {
    const { left } = upstreamAnswers(429);
    const told = vi.spyOn(Batch.prototype, 'recordOutcomes');
    const load = aLoad();
    await handOverPoints(load, [1, 2, 3], LIVE);
    await load.freezeIn('waiting');
    const sent = left.length;
    await load.stub().cancel('b_1');
    await load.wake();
    await load.reaches('cancelled', 'coalesced', 'coalesced');
    expect(left).toHaveLength(sent);
    await vi.waitFor(() => {
      const outcomes = told.mock.calls.flatMap(([list]) => list).map(({ record, intoState }) => [record, intoState]);
      expect(outcomes).toEqual(
        expect.arrayContaining([
          [2, 'cancelled'],
          [3, 'cancelled'],
        ]),
      );
    }, PATIENCE);
  });

  it('whose set holds points of another batch travel on with it', async () => {
    const upstream = upstreamAnswers(429);
    const load = aLoad();
    const both = [...points(load, [1, 2], LIVE), ...points(load, [3], { ...LIVE, batchId: 'b_2' })];
    await load.stub().enqueue(load.identity, both);
    await load.freezeIn('waiting');
    await load.stub().cancel('b_1');
    await load.reaches('waiting', 'coalesced', 'coalesced');
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'coalesced', 'coalesced');
    expect(pointsIn(upstream.left).at(-1)).toEqual([1, 2, 3]);
  });

  it('in a set that may have arrived travel on with it', async () => {
    const upstream = upstreamAnswers(500);
    const load = aLoad();
    await handOverPoints(load, [1, 2], LIVE);
    await load.freezeIn('unknown');
    await load.stub().cancel('b_1');
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'coalesced');
  });
});

describe('operations of a cancelled batch', () => {
  it('behind one that is unclear, or held, are withdrawn, and it is not', async () => {
    const upstream = upstreamAnswers(500, creates);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2), order.create(3, { batchId: 'b_2' }));
    await order.reaches('unknown', 'queued', 'queued');
    await order.stub().cancel('b_1');
    await order.reaches('unknown', 'cancelled', 'queued');
    await order.becomes({ state: 'held' }, ({ seq }) => seq === 1);
    await order.stub().cancel('b_1');
    await order.reaches('held', 'cancelled', 'queued');
    expect(posts(upstream)).toBe(1);
  });

  it('that were proved not to be applied are withdrawn, and the next one goes', async () => {
    const upstream = upstreamAnswers(429);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2, { batchId: 'b_2' }));
    await vi.waitFor(() => expect(upstream.left.length).toBeGreaterThan(0), PATIENCE);
    await order.becomes({ at_ms: Date.UTC(2100, 0) }, ({ seq }) => seq === 1);
    await order.reaches('waiting', 'queued');
    upstream.answer(creates);
    await order.stub().cancel('b_1');
    await order.reaches('cancelled', 'delivered');
  });
});
