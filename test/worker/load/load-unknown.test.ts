/** A load that the receiving system does not know: a refusal, or waited for where its mapping asks so. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { EARLY_MS, TEST_TIME_SCALE } from '../channels.ts';
import { asking, HOUR_MS, loadUnknown, requestsOf } from '../delivery-rules.ts';
import { aLoad, recordsOf } from '../loads.ts';
import { points, pointsIn } from '../traces.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const waitingFor = (loadWaitMs: number) => asking({ loadWaitMs });

describe('a load that the receiving system does not know', () => {
  it('is a refusal, named, where nobody asks to wait', async () => {
    const { left } = upstreamAnswers(loadUnknown, 200);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('rejected', 'delivered');
    expect((await requestsOf(load))[0]).toMatchObject({ reason: 'load_unknown', status: 404 });
    expect(left).toHaveLength(2);
  });

  it('is waited for, and the events go in order when it appears', async () => {
    const upstream = upstreamAnswers(loadUnknown);
    const load = aLoad();
    await load.dispatch([1, 2], waitingFor(24 * HOUR_MS));
    await load.freezeIn('waiting');
    expect(await requestsOf(load)).toMatchObject([
      { reason: 'load_unknown', had_unknown: 0 },
      { state: 'queued', first_tried_at_ms: null },
    ]);
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(upstream.left).slice(-2)).toEqual([1, 2]);
    expect((await requestsOf(load)).map((request) => request.possible_duplicate)).toEqual([0, 0]);
  });

  it('is tried to the end of that time, then refused', async () => {
    const { left } = upstreamAnswers(loadUnknown);
    const load = aLoad();
    const [request] = [load.request(1, waitingFor(180_000))];
    await load.stub().enqueue(load.identity, [request]);
    await load.reaches('rejected');
    expect((await requestsOf(load))[0]).toMatchObject({ reason: 'load_unknown', outcome: null });
    expect(left.length).toBeGreaterThan(1);
    expect(left.at(-1)?.atMs).toBeGreaterThanOrEqual(request.acceptedAtMs + 180_000 / TEST_TIME_SCALE - EARLY_MS);
  });

  it('is refused also where its deadline comes first', async () => {
    upstreamAnswers(loadUnknown);
    const load = aLoad();
    await load.dispatch([1], waitingFor(72 * HOUR_MS));
    await load.freezeIn('waiting');
    await load.becomes({ deadline_ms: Date.now() - 1 });
    await load.wake();
    await load.reaches('rejected');
    expect((await requestsOf(load))[0]?.reason).toBe('load_unknown');
  });

  it('costs a set of positions no halving', async () => {
    const { left } = upstreamAnswers(loadUnknown);
    const load = aLoad();
    await load.stub().enqueue(load.identity, points(load, [1, 2, 3], { live: true }));
    await load.reaches('rejected', 'coalesced', 'coalesced');
    expect(pointsIn(left)).toEqual([[1, 2, 3]]);
  });
});
