/** A Load whose memory goes, in every state: storage alone decides what happens next. */

import { abortAllDurableObjects, evictAllDurableObjects, evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { UNKNOWN_RESEND_MS } from '../../../src/kernel/limits.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { EARLY_MS, TEST_TIME_SCALE } from '../channels.ts';
import { aLoad, type LoadUnderTest, PATIENCE, recordsOf } from '../loads.ts';
import { addAttempts, change } from '../rows.ts';
import { type Answering, neverAnswers, type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

/** Loads that are answered apart: each has its own answers, in order. */
function upstreamFor(loads: readonly { load: LoadUnderTest; answers: Answering[] }[]): UpstreamDouble {
  return upstreamAnswers((left, signal) => {
    const own = loads.find(({ load }) => left.body.includes(`"${load.identity.loadNumber}"`));
    const answer = own?.answers.shift() ?? 200;
    return typeof answer === 'function' ? answer(left, signal) : new Response('', { status: Number(answer) });
  });
}

describe('a Load evicted between wake-ups', () => {
  it('remembers waiting, unknown and queued records and delivers each', async () => {
    const waiting = { load: aLoad(), answers: Array<number>(20).fill(429) };
    const unknown = { load: aLoad(), answers: Array<number>(20).fill(500) };
    const upstream = upstreamFor([waiting, unknown]);
    await Promise.all([waiting.load.dispatch([1, 2]), unknown.load.dispatch([1, 2])]);
    await Promise.all([waiting.load.freezeIn('waiting'), unknown.load.freezeIn('unknown')]);
    const timelines = () => Promise.all([waiting.load.timeline(), unknown.load.timeline()]);
    const before = await timelines();
    const sent = before.flat().reduce((sum, { attempts }) => sum + attempts.length, 0);
    await evictAllDurableObjects();
    expect(await timelines()).toEqual(before);
    for (const { answers } of [waiting, unknown]) answers.length = 0;
    expect(before.flat().map(({ request }) => request.state)).toEqual(['waiting', 'queued', 'unknown', 'queued']);
    await Promise.all([waiting.load.waitPasses(), unknown.load.waitPasses()]);
    await Promise.all([waiting, unknown].map(({ load }) => load.reaches('delivered', 'delivered')));
    expect(upstream.left).toHaveLength(sent + 4);
    expect((await timelines()).flat().map(({ request }) => request.possible_duplicate)).toEqual([0, 0, 1, 0]);
  });

  it('leaves held, delivered, rejected and dead records as they are and sends them no more', async () => {
    const redirect: Answering = () => new Response(null, { status: 307, headers: { Location: '/x' } });
    const loads = (
      [
        ['held', [500, 400]],
        ['delivered', [200]],
        ['rejected', [400]],
        ['dead', [redirect]],
      ] satisfies [RequestState, Answering[]][]
    ).map(([state, answers]) => ({ state, answers, load: aLoad() }));
    const upstream = upstreamFor(loads);
    await Promise.all(loads.map(({ load }) => load.dispatch([1])));
    await Promise.all(loads.map(({ load, state }) => load.reaches(state)));
    const before = await Promise.all(loads.map(({ load }) => load.timeline()));
    const sentBefore = upstream.left.length;
    await evictAllDurableObjects();
    expect(await Promise.all(loads.map(({ load }) => load.timeline()))).toEqual(before);
    await Promise.all(loads.map(({ load }) => load.dispatch([1, 2])));
    await Promise.all(loads.map(({ load, state }) => load.reaches(state, 'delivered')));
    expect(recordsOf(upstream.left.slice(sentBefore))).toEqual([2, 2, 2, 2]);
    const after = await Promise.all(loads.map(({ load }) => load.timeline()));
    expect(after.map(([entry]) => entry)).toEqual(before.map(([entry]) => entry));
  });

  it('keeps its alarm: a waiting record goes out without anybody asking', async () => {
    const { left } = upstreamAnswers(() => new Response('', { status: 429, headers: { 'Retry-After': '300' } }), 200);
    const load = aLoad();
    await load.dispatch([1]);
    await vi.waitFor(() => expect(left).not.toEqual([]), PATIENCE);
    await evictDurableObject(load.stub());
    await load.reaches('delivered');
    expect(left).toHaveLength(2);
  });

  it('keeps outcomes its Batch has not taken yet', async () => {
    upstreamAnswers(200);
    let isDown = true;
    const taken: number[] = [];
    vi.spyOn(Batch.prototype, 'recordOutcomes').mockImplementation(async (outcomes) => {
      if (isDown) throw new Error('planned: the batch is down');
      taken.push(...outcomes.map(({ record }) => record));
    });
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('delivered', 'delivered');
    await evictDurableObject(load.stub());
    isDown = false;
    await load.wake();
    await vi.waitFor(() => expect(taken).toEqual([1, 2]), PATIENCE);
  });

  it('can go as soon as its last answer is read', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('delivered');
    const startedMs = Date.now();
    await evictDurableObject(load.stub());
    expect(Date.now() - startedMs).toBeLessThan(5_000);
  });
});

describe('a Load that dies while it sends', () => {
  it('comes back by itself, counts the sending as unknown and sends the same bytes again after a minute', async () => {
    const upstream = upstreamAnswers(neverAnswers);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(1), PATIENCE);
    await abortAllDurableObjects();
    expect((await load.timeline()).map(({ request }) => request.state)).toEqual(['sending', 'queued']);
    upstream.answer(200);
    const diedMs = Date.now();
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 1, 2]);
    expect(upstream.left[1]?.body).toBe(upstream.left[0]?.body);
    expect(upstream.left[1]?.atMs).toBeGreaterThanOrEqual(diedMs + UNKNOWN_RESEND_MS / TEST_TIME_SCALE - EARLY_MS);
    const [interrupted, next] = await load.timeline();
    expect(interrupted?.request).toMatchObject({ possible_duplicate: 1, tries: 2, attempts: 2 });
    expect(interrupted?.attempts[0]).toMatchObject({
      effect: 'unknown',
      detail: expect.stringMatching(/^interrupted/),
    });
    expect(interrupted?.attempts.map(({ request_sha256 }) => request_sha256)).toEqual([
      interrupted?.attempts[0]?.request_sha256,
      interrupted?.attempts[0]?.request_sha256,
    ]);
    expect(next?.request.possible_duplicate).toBe(0);
  });

  it('never turns a sending found in storage back into queued, and holds it when it is refused later', async () => {
    const upstream = upstreamAnswers(429);
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('waiting');
    await load.becomes({ state: 'sending' });
    await change(load.stub(), (tables) => addAttempts(tables, 1, [{ effect: null, startedAtMs: Date.now() }]));
    await evictDurableObject(load.stub());
    upstream.answer(422);
    await load.wake();
    await load.reaches('held');
    const [entry] = await load.timeline();
    expect(entry?.attempts.slice(-3).map(({ effect }) => effect)).toEqual(['not_applied', 'unknown', 'refused']);
    expect(entry?.request).toMatchObject({ possible_duplicate: 1, had_unknown: 1, reason: 'unknown_then_refused' });
  });

  it('keeps its order when it dies in the middle', async () => {
    const deadly = 4;
    const upstream = upstreamAnswers((left, signal) =>
      upstream.left.length === deadly ? neverAnswers(left, signal) : Response.json({}),
    );
    const load = aLoad();
    const records = [1, 2, 3, 4, 5, 6];
    await load.dispatch(records);
    await vi.waitFor(() => expect(upstream.left).toHaveLength(deadly), PATIENCE);
    await abortAllDurableObjects();
    await load.reaches(...records.map(() => 'delivered' as const));
    expect(recordsOf(upstream.left)).toEqual([1, 2, 3, 4, 4, 5, 6]);
    const flagged = (await load.timeline()).filter(({ request }) => request.possible_duplicate === 1);
    expect(flagged.map(({ request }) => request.record)).toEqual([4]);
  });

  it('sends each record once when it is evicted in mid-drain again and again', async () => {
    const upstream = upstreamAnswers(200);
    const loads = Array.from({ length: 6 }, () => aLoad());
    const records = Array.from({ length: 15 }, (_, index) => index + 1);
    await Promise.all(loads.map((load) => load.dispatch(records)));
    for (let evictions = 0; evictions < 4; evictions += 1) await evictAllDurableObjects();
    await Promise.all(loads.map((load) => load.reaches(...records.map(() => 'delivered' as const))));
    expect(upstream.left).toHaveLength(loads.length * records.length);
  });
});

describe('a Load whose wake-up fails in the middle of a sending', () => {
  it('sends again what may have left, in the same life, and is never stuck', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const failing = vi.spyOn(SubjectStore.prototype, 'endAttempt').mockImplementationOnce(() => {
      throw new Error('planned: the outcome could not be written');
    });
    await load.dispatch([1, 2]);
    await load.reaches('delivered', 'delivered');
    expect(failing.mock.calls.length).toBeGreaterThan(2);
    expect(recordsOf(left)).toEqual([1, 1, 2]);
    const [first] = await load.timeline();
    expect(first?.request.possible_duplicate).toBe(1);
    expect(first?.attempts.map(({ effect }) => effect)).toEqual(['unknown', 'applied']);
  });
});
