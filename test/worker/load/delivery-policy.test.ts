/** Requests of mappings that ask for at most once. */
import { abortAllDurableObjects, evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UpstreamGate } from '../../../src/upstream/gate/gate.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { asking, decision, requestsOf } from '../delivery-rules.ts';
import { aLoad, PATIENCE, recordsOf } from '../loads.ts';
import { points, pointsIn } from '../traces.ts';
import { neverAnswers, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const HOLD = asking({ unclear: 'hold' });

describe('a request whose mapping asks for at most once', () => {
  it.each([
    ['a milestone', {}],
    ['a plain milestone', { kind: 'loadMilestoneEvent', channel: 'bearer' }],
  ] as const)('is held after an answer that proves nothing, and the next one goes: %s', async (_what, more) => {
    const { left } = upstreamAnswers(500, 200);
    const load = aLoad();
    await load.dispatch([1, 2], { ...HOLD, ...more });
    await load.reaches('held', 'delivered');
    expect((await requestsOf(load))[0]).toMatchObject({ reason: 'may_have_arrived', status: 500, tries: 1 });
    await evictDurableObject(load.stub());
    await load.wake();
    expect(recordsOf(left)).toEqual([1, 2]);
  });

  it('is held when its process dies in mid-send, and sent no more by itself', async () => {
    const upstream = upstreamAnswers(neverAnswers);
    const load = aLoad();
    await load.dispatch([1, 2], HOLD);
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
    await load.dispatch([1], HOLD);
    await load.reaches('delivered');
    expect(recordsOf(left)).toEqual([1, 1]);
  });

  it('is no probe of a channel that fails: its gate is told so', async () => {
    upstreamAnswers(200);
    const asked = vi.spyOn(UpstreamGate.prototype, 'lease');
    const [once, often] = [aLoad({ partner: 'once' }), aLoad({ partner: 'often' })];
    await Promise.all([once.dispatch([1], HOLD), often.dispatch([1])]);
    await Promise.all([once.reaches('delivered'), often.reaches('delivered')]);
    const told = asked.mock.calls.filter(([, { wanted }]) => wanted > 0);
    expect(new Set(told.map(([, { partner, repeatable }]) => `${partner} ${repeatable}`))).toEqual(
      new Set(['once false', 'often true']),
    );
  });

  it('goes once more for each decision of a person, flagged', async () => {
    const upstream = upstreamAnswers(500);
    const load = aLoad();
    await load.dispatch([1], HOLD);
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
