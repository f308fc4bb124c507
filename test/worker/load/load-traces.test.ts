/** A Load's traces: which points go together, when they leave, and what a refusal or a crash does to a set. */
import { abortAllDurableObjects, evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TRACE_LIVE_DEADLINE_MS, TRACE_POINTS_MAX, TRACE_WINDOW_MS } from '../../../src/kernel/limits.ts';
import { EARLY_MS, TEST_TIME_SCALE } from '../channels.ts';
import { aLoad, type LoadUnderTest, PATIENCE, recordsOf } from '../loads.ts';
import { handOverPoints, points, pointsIn, tracesOf, windowPasses } from '../traces.ts';
import { type Answering, heldAnswer, neverAnswers, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const WINDOW_MS = TRACE_WINDOW_MS / TEST_TIME_SCALE;
const LIVE = { live: true };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Waits until every point is delivered, by itself or with another. */
const arrive = (load: LoadUnderTest, count: number): Promise<void> =>
  vi.waitFor(async () => {
    const timeline = await load.timeline();
    const leads = new Map(timeline.map(({ request }) => [request.seq, request.state]));
    const ends = timeline.map(({ request }) => leads.get(request.into_seq ?? request.seq));
    expect(ends).toEqual(Array.from({ length: count }, () => 'delivered'));
  }, PATIENCE);

describe('the points of one set', () => {
  it('go out in one request to the trace address, oldest event first, whatever order they came in', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await handOverPoints(load, [3, 1, 2], LIVE);
    await arrive(load, 3);
    expect(left).toHaveLength(1);
    expect(left[0]).toMatchObject({
      url: 'http://127.0.0.1:9/upstream-test/rcsc/events/v1/loads/trace-requests',
      method: 'POST',
      headers: { carrierSCAC: 'DEMO' },
    });
    expect(pointsIn(left)).toEqual([[1, 2, 3]]);
  });

  it('are led by the oldest, which carries the attempts; the others follow it', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await handOverPoints(load, [3, 1, 2], LIVE);
    await arrive(load, 3);
    const timeline = await load.timeline();
    const lead = timeline.find(({ request }) => request.record === 1);
    expect(timeline.map(({ request, attempts }) => [request.record, request.state, attempts.length])).toEqual([
      [3, 'coalesced', 0],
      [1, 'delivered', 1],
      [2, 'coalesced', 0],
    ]);
    expect(new Set(timeline.map(({ request }) => request.into_seq))).toEqual(new Set([lead?.request.seq]));
    expect(lead?.attempts[0]?.carries).toBe('[2,3,1]');
  });

  it('go out under one key each when they came on two channels', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const others = points(load, [2, 4], { ...LIVE, channel: 'second-endpoint' });
    await load.stub().enqueue(load.identity, [...points(load, [1, 3], LIVE), ...others]);
    await arrive(load, 4);
    expect(pointsIn(left)).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(left.map(({ headers }) => headers['Ocp-Apim-Subscription-Key'])).toEqual([
      'canary-key-plain',
      'canary-key-second-endpoint',
    ]);
  });

  it('overflow into a second request that waits for no window', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await handOverPoints(load, upTo(TRACE_POINTS_MAX + 2), LIVE);
    await arrive(load, TRACE_POINTS_MAX + 2);
    expect(pointsIn(left).map(({ length }) => length)).toEqual([TRACE_POINTS_MAX, 2]);
    expect((left[1]?.atMs ?? 0) - (left[0]?.atMs ?? 0)).toBeLessThan(WINDOW_MS);
  });
});

describe('the window', () => {
  it('lets live points leave at once, and later ones together when it opens again', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await handOverPoints(load, [1], LIVE);
    await arrive(load, 1);
    await handOverPoints(load, [4, 2], LIVE);
    await handOverPoints(load, [3], LIVE);
    await arrive(load, 4);
    expect(pointsIn(left)).toEqual([[1], [2, 3, 4]]);
    const [first] = await load.timeline();
    const startedMs = first?.attempts[0]?.started_at_ms ?? 0;
    expect(left[1]?.atMs).toBeGreaterThanOrEqual(startedMs + WINDOW_MS - EARLY_MS);
  });

  it('keeps points of a file back until their batch is released, which may be told twice', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await handOverPoints(load, [1, 2]);
    await handOverPoints(load, [3]);
    await load.wake();
    await load.reaches('queued', 'queued', 'queued');
    const releasedMs = Date.now();
    await load.stub().release('b_1');
    await load.stub().release('b_1');
    await arrive(load, 3);
    expect(pointsIn(left)).toEqual([[1, 2, 3]]);
    expect(left[0]?.atMs).toBeGreaterThanOrEqual(releasedMs);
  });

  it('keeps back no point of another batch that is released', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await handOverPoints(load, [1], { batchId: 'b_1' });
    await handOverPoints(load, [2], { batchId: 'b_2' });
    await load.stub().release('b_2');
    await load.reaches('queued', 'delivered');
    expect(pointsIn(left)).toEqual([[2]]);
  });

  it('lets points of a file leave after a quarter of an hour though their batch is never released', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const handedMs = Date.now();
    await handOverPoints(load, [1, 2]);
    await arrive(load, 2);
    expect(pointsIn(left)).toEqual([[1, 2]]);
    expect(left[0]?.atMs).toBeGreaterThanOrEqual(handedMs + WINDOW_MS - EARLY_MS);
  });
});

describe('a refused set', () => {
  const refusing =
    (...bad: number[]): Answering =>
    ({ body }) =>
      Response.json(
        { bad },
        { status: pointsIn([{ body }])[0]?.some((point) => bad.includes(point ?? 0)) ? 422 : 200 },
      );

  it('is halved at once until the refused point stands alone; only that one is rejected', async () => {
    const { left } = upstreamAnswers(refusing(5));
    const load = aLoad();
    await handOverPoints(load, upTo(8), LIVE);
    await vi.waitFor(async () => {
      const states = (await load.timeline()).map(({ request }) => request.state);
      expect(states.filter((state) => state === 'rejected')).toHaveLength(1);
      expect(states).not.toContain('waiting');
    }, PATIENCE);
    expect(pointsIn(left)).toEqual([upTo(8), [1, 2, 3, 4], [5, 6, 7, 8], [5, 6], [5], [6], [7, 8]]);
    expect((left.at(-1)?.atMs ?? 0) - (left[0]?.atMs ?? 0)).toBeLessThan(WINDOW_MS);
    const timeline = await load.timeline();
    expect(timeline.map(({ request }) => [request.record, request.state])).toEqual([
      [1, 'delivered'],
      [2, 'coalesced'],
      [3, 'coalesced'],
      [4, 'coalesced'],
      [5, 'rejected'],
      [6, 'delivered'],
      [7, 'delivered'],
      [8, 'coalesced'],
    ]);
    expect(timeline[4]?.request).toMatchObject({ status: 422, answer: '{"bad":[5]}', reason: null });
    expect(timeline.some(({ request }) => request.possible_duplicate === 1 || request.late === 1)).toBe(false);
  });

  it('opens no new window with its halves', async () => {
    const { left } = upstreamAnswers(refusing(1));
    const load = aLoad();
    await handOverPoints(load, [1, 2], LIVE);
    await load.reaches('rejected', 'delivered');
    const firstMs = left[0]?.atMs ?? 0;
    await handOverPoints(load, [3], LIVE);
    await load.reaches('rejected', 'delivered', 'delivered');
    expect((left.at(-1)?.atMs ?? 0) - firstMs).toBeGreaterThanOrEqual(WINDOW_MS - 1);
    expect((left.at(-1)?.atMs ?? 0) - firstMs).toBeLessThan(2 * WINDOW_MS);
  });

  it('calls no point rejected that an earlier try may have brought', async () => {
    let calls = 0;
    const { left } = upstreamAnswers((sent, signal) => {
      calls += 1;
      const answer = refusing(2);
      if (calls === 1 || typeof answer !== 'function') return new Response('', { status: 500 });
      return answer(sent, signal);
    });
    const load = aLoad();
    await handOverPoints(load, [1, 2], LIVE);
    await load.reaches('delivered', 'held');
    expect(pointsIn(left)).toEqual([[1, 2], [1, 2], [1], [2]]);
    expect((await load.timeline()).map(({ request }) => request.possible_duplicate)).toEqual([1, 1]);
  });
});

describe('an undecided set', () => {
  it('is sent again byte for byte and flagged, without the points that came meanwhile', async () => {
    const { left } = upstreamAnswers(500, 200);
    const load = aLoad();
    await handOverPoints(load, [2, 3], LIVE);
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    await handOverPoints(load, [1], LIVE);
    await load.reaches('delivered', 'coalesced', 'queued');
    await windowPasses(load.stub());
    await arrive(load, 3);
    expect(pointsIn(left)).toEqual([[2, 3], [2, 3], [1]]);
    expect(left[1]?.body).toBe(left[0]?.body);
    const [lead, , late] = await load.timeline();
    expect([lead?.request.possible_duplicate, late?.request.possible_duplicate]).toEqual([1, 0]);
  });

  it('lets later sets pass after an hour, and is then late', async () => {
    const { left, answer } = upstreamAnswers(500);
    const load = aLoad();
    await handOverPoints(load, [1, 2], LIVE);
    await load.freezeIn('unknown');
    answer(200);
    await handOverPoints(load, [3], LIVE);
    await load.becomes(
      ({ first_tried_at_ms }) => ({ first_tried_at_ms: (first_tried_at_ms ?? 0) - 3_600_000 }),
      ({ attempts }) => attempts > 0,
    );
    await load.wake();
    await load.reaches('unknown', 'coalesced', 'delivered');
    await load.waitPasses();
    await load.reaches('delivered', 'coalesced', 'delivered');
    expect((await load.timeline()).map(({ request }) => request.late)).toEqual([1, 0, 0]);
    expect(pointsIn(left).at(-1)).toEqual([1, 2]);
  });

  it('is given up at its deadline as unknown, with all its points', async () => {
    const { left } = upstreamAnswers(500);
    const load = aLoad();
    const lifeMs = TRACE_LIVE_DEADLINE_MS / TEST_TIME_SCALE;
    await handOverPoints(load, [1, 2], { live: true, acceptedAtMs: Date.now() - lifeMs + 400 });
    await load.reaches('dead', 'coalesced');
    const [lead] = await load.timeline();
    expect(lead?.request).toMatchObject({ reason: 'deadline', outcome: 'unknown' });
    expect(left.length).toBeGreaterThanOrEqual(1);
  });

  it('survives an eviction with its bytes', async () => {
    const { left, answer } = upstreamAnswers(429);
    const load = aLoad();
    await handOverPoints(load, [1, 2], LIVE);
    await load.freezeIn('waiting');
    const sent = left.length;
    await evictDurableObject(load.stub());
    answer(200);
    await load.waitPasses();
    await arrive(load, 2);
    expect(left[sent]?.body).toBe(left[0]?.body);
    expect((await load.timeline())[0]?.request.possible_duplicate).toBe(0);
  });
});

it('gives up a live point that no set took in time, and sends a file point of that age', async () => {
  const { left } = upstreamAnswers(200);
  const load = aLoad();
  const longAgo = { acceptedAtMs: Date.now() - TRACE_LIVE_DEADLINE_MS / TEST_TIME_SCALE - 1 };
  await load
    .stub()
    .enqueue(load.identity, [...points(load, [1], { live: true, ...longAgo }), ...points(load, [2], longAgo)]);
  await load.stub().release('b_1');
  await load.reaches('dead', 'delivered');
  expect(pointsIn(left)).toEqual([[2]]);
  expect((await load.timeline())[0]?.request).toMatchObject({ reason: 'deadline', outcome: 'not_applied' });
});

it('ends a trace without a readable point as not sendable', async () => {
  const { left } = upstreamAnswers(200);
  const load = aLoad();
  await load.stub().enqueue(load.identity, points(load, [1], { body: '{"traces":[]}' }));
  await load.reaches('dead');
  expect((await load.timeline())[0]?.request).toMatchObject({ reason: 'not_sendable', outcome: 'not_applied' });
  expect(left).toEqual([]);
});

describe('a Load that dies while a set is on the wire', () => {
  it('sends the same bytes again, flagged, and packs late points apart', async () => {
    const upstream = upstreamAnswers(neverAnswers);
    const load = aLoad();
    await handOverPoints(load, [1, 2, 3], LIVE);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(1), PATIENCE);
    await load.reaches('sending', 'coalesced', 'coalesced');
    upstream.answer(200);
    await abortAllDurableObjects();
    await handOverPoints(load, [4], LIVE);
    await load.reaches('delivered', 'coalesced', 'coalesced', 'queued');
    await windowPasses(load.stub());
    await arrive(load, 4);
    expect(pointsIn(upstream.left)).toEqual([[1, 2, 3], [1, 2, 3], [4]]);
    expect(upstream.left[1]?.body).toBe(upstream.left[0]?.body);
    const [lead] = await load.timeline();
    expect(lead?.request).toMatchObject({ possible_duplicate: 1, attempts: 2 });
    expect(lead?.attempts.map(({ effect }) => effect)).toEqual(['unknown', 'applied']);
  });
});

describe('milestones and traces of one load', () => {
  it('do not wait for each other while one is undecided', async () => {
    const { left } = upstreamAnswers(({ url }) => new Response('', { status: url.includes('milestone') ? 500 : 200 }));
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('unknown');
    await handOverPoints(load, [2], LIVE);
    await load.reaches('unknown', 'delivered');
    expect(pointsIn(tracesOf(left))).toEqual([[2]]);
  });

  it('are on the wire side by side, one of each, and neither is called late for the other', async () => {
    const [held, trace] = [heldAnswer(), heldAnswer()];
    const upstream = upstreamAnswers((sent, signal) => {
      const { answer } = sent.url.includes('milestone') ? held : trace;
      return typeof answer === 'function' ? answer(sent, signal) : new Response('');
    });
    const load = aLoad();
    await load.stub().enqueue(load.identity, [load.request(1), load.request(2), ...points(load, [3, 4], LIVE)]);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(2), PATIENCE);
    trace.release(200);
    await load.reaches('sending', 'queued', 'delivered', 'coalesced');
    held.release(200);
    await load.reaches('delivered', 'delivered', 'delivered', 'coalesced');
    const milestones = upstream.left.filter(({ url }) => url.includes('milestone'));
    expect(recordsOf(milestones)).toEqual([1, 2]);
    expect(upstream.inFlightMax()).toBe(2);
    expect((await load.timeline()).map(({ request }) => request.late)).toEqual([0, 0, 0, 0]);
  });
});
