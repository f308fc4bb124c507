/** Requests of mappings that ask for at most once, or to wait for a load that is not known yet. */
import { abortAllDurableObjects, evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UpstreamGate } from '../../src/upstream/gate.ts';
import { forgetTokens } from '../../src/upstream/tokens.ts';
import { TEST_TIME_SCALE } from './channels.ts';
import { asking, decision, HOUR_MS, loadUnknown, requestsOf } from './delivery-rules.ts';
import { aLoad, PATIENCE, recordsOf } from './loads.ts';
import { points, pointsIn } from './traces.ts';
import { neverAnswers, upstreamAnswers } from './upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const HOLD = asking({ unclear: 'hold' });
const waitingFor = (loadWaitMs: number) => asking({ loadWaitMs });

describe('a request whose mapping asks for at most once', () => {
  it.each([
    ['a milestone', {}],
    ['a plain milestone', { kind: 'loadMilestoneEvent', channel: 'bearer' }],
  ] as const)('is held after an answer that proves nothing, and the next one goes: %s', async (_what, more) => {
    const { left } = upstreamAnswers(500, 200);
    const load = aLoad();
    await load.handOver([1, 2], { ...HOLD, ...more });
    await load.reaches('held', 'delivered');
    expect((await requestsOf(load))[0]).toMatchObject({ reason: 'may_have_arrived', status: 500, tries: 1 });
    await evictDurableObject(load.stub());
    await load.wake();
    expect(recordsOf(left)).toEqual([1, 2]);
  });

  it('is held when its process dies in mid-send, and sent no more by itself', async () => {
    const upstream = upstreamAnswers(neverAnswers);
    const load = aLoad();
    await load.handOver([1, 2], HOLD);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(1), PATIENCE);
    await abortAllDurableObjects();
    upstream.answer(200);
    await load.reaches('held', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 2]);
    const [entry] = await load.timeline();
    expect(entry?.request.reason).toBe('may_have_arrived');
    expect(entry?.attempts).toMatchObject([{ effect: 'unknown', detail: expect.stringMatching(/^interrupted/) }]);
  });

  it('is sent again by itself where the answer proves that it was not taken', async () => {
    const { left } = upstreamAnswers(429, 200);
    const load = aLoad();
    await load.handOver([1], HOLD);
    await load.reaches('delivered');
    expect(recordsOf(left)).toEqual([1, 1]);
  });

  it('is no probe of a channel that fails: its gate is told so', async () => {
    upstreamAnswers(200);
    const asked = vi.spyOn(UpstreamGate.prototype, 'lease');
    const [once, often] = [aLoad({ partner: 'once' }), aLoad({ partner: 'often' })];
    await Promise.all([once.handOver([1], HOLD), often.handOver([1])]);
    await Promise.all([once.reaches('delivered'), often.reaches('delivered')]);
    const told = asked.mock.calls.filter(([, { wanted }]) => wanted > 0);
    expect(new Set(told.map(([, { partner, repeatable }]) => `${partner} ${repeatable}`))).toEqual(
      new Set(['once false', 'often true']),
    );
  });

  it('goes once more for each decision of a person, flagged', async () => {
    const upstream = upstreamAnswers(500);
    const load = aLoad();
    await load.handOver([1], HOLD);
    await load.reaches('held');
    expect(await load.stub().decide(decision(1, 'send_again'))).toMatchObject({ ok: true });
    await vi.waitFor(() => expect(upstream.left).toHaveLength(2), PATIENCE);
    await load.reaches('held');
    upstream.answer(200);
    expect(await load.stub().decide(decision(1, 'send_again', 'click-2'))).toMatchObject({ ok: true });
    await load.reaches('delivered');
    expect(upstream.left).toHaveLength(3);
    expect((await requestsOf(load))[0]).toMatchObject({ possible_duplicate: 1, attempts: 3 });
  });

  it('holds a set of positions whole, and never packs them with those of other mappings', async () => {
    const { left } = upstreamAnswers(({ body }) =>
      Response.json({}, { status: pointsIn([{ body }])[0]?.includes(1) ? 500 : 200 }),
    );
    const load = aLoad();
    const held = points(load, [1, 3], { live: true, ...HOLD });
    await load.stub().enqueue(load.identity, [...held, ...points(load, [2, 4], { live: true })]);
    await load.reaches('held', 'coalesced', 'delivered', 'coalesced');
    expect(pointsIn(left)).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect((await requestsOf(load))[0]?.reason).toBe('may_have_arrived');
  });
});

describe('a load that the receiving system does not know', () => {
  it('is a refusal, named, where nobody asks to wait', async () => {
    const { left } = upstreamAnswers(loadUnknown, 200);
    const load = aLoad();
    await load.handOver([1, 2]);
    await load.reaches('rejected', 'delivered');
    expect((await requestsOf(load))[0]).toMatchObject({ reason: 'load_unknown', status: 404 });
    expect(left).toHaveLength(2);
  });

  it('is waited for, and the events go in order when it appears', async () => {
    const upstream = upstreamAnswers(loadUnknown);
    const load = aLoad();
    await load.handOver([1, 2], waitingFor(24 * HOUR_MS));
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
    const [request] = [load.request(1, waitingFor(60_000))];
    await load.stub().enqueue(load.identity, [request]);
    await load.reaches('rejected');
    expect((await requestsOf(load))[0]).toMatchObject({ reason: 'load_unknown', outcome: null });
    expect(left.length).toBeGreaterThan(1);
    expect(left.at(-1)?.atMs).toBeGreaterThanOrEqual(request.acceptedAtMs + 60_000 / TEST_TIME_SCALE);
  });

  it('is refused also where its deadline comes first', async () => {
    upstreamAnswers(loadUnknown);
    const load = aLoad();
    await load.handOver([1], waitingFor(72 * HOUR_MS));
    await load.freezeIn('waiting');
    await load.sql('UPDATE request SET deadline_ms = ?', Date.now() - 1);
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
