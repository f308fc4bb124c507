/** What loads do under the gate's breakers: one partner in trouble, credentials that are refused, a gate that is away. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RETRY_AFTER_MAX_MS } from '../../../src/kernel/limits.ts';
import { UpstreamGate } from '../../../src/upstream/gate/gate.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { allReach, dispatch, health, loadsOf, requestsOf } from '../gates.ts';
import { aLoad, PATIENCE, recordsOf } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { type Left, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const scacOf = ({ headers }: Left): string | undefined => headers.carrierSCAC;

interface HealthAnswer {
  channels: { name: string; state: string; auth: unknown; releases: unknown[] }[];
}

describe('one partner in trouble', () => {
  it('is stopped alone: his SCAC answered 403, his rows 500, while another partner’s rows go through at once', async () => {
    const { left } = upstreamAnswers((one) => {
      if (scacOf(one) === 'ACME') return Response.json({}, { status: 403 });
      return Response.json({}, { status: one.body.includes('"bolt"') ? 200 : 500 });
    });
    const refused = loadsOf(5, { scac: 'ACME' });
    const failing = loadsOf(8);
    const well = loadsOf(8, { partner: 'bolt' });
    const boltBody = JSON.stringify({ of: 'bolt' });
    await Promise.all(well.map((load) => load.dispatch([1], { channel: 'narrow', body: boltBody })));
    await Promise.all([dispatch(refused, [1, 2], 'narrow'), dispatch(failing, [1, 2], 'narrow')]);
    await vi.waitFor(async () => {
      const { breakers, parkedScacs } = await health('narrow');
      expect(breakers.map(({ scope }) => scope)).toEqual(['partner:acme']);
      expect(parkedScacs.map(({ scope }) => scope)).toEqual(['scac:ACME']);
    }, PATIENCE);
    const more = loadsOf(4, { partner: 'bolt' });
    const startedMs = Date.now();
    await Promise.all(more.map((load) => load.dispatch([1], { channel: 'narrow', body: boltBody })));
    await allReach(more, 'delivered');
    expect(Date.now() - startedMs).toBeLessThan(5_000);
    await allReach(well, 'delivered');
    expect((await health('narrow')).auth).toBe(null);
    expect(left.filter((one) => scacOf(one) === 'ACME').length).toBeLessThanOrEqual(5);
    const states = (await requestsOf([...refused, ...failing])).map(({ request }) => request.state);
    expect(states).not.toContain('rejected');
  });

  it('goes on as soon as an operator has released his SCAC', async () => {
    const { left, answer, probes } = upstreamAnswers(403);
    const loads = loadsOf(3);
    await dispatch(loads, [1], 'plain');
    await vi.waitFor(async () => expect((await health('plain')).parkedScacs).toHaveLength(1), PATIENCE);
    await vi.waitFor(() => expect(probes).toHaveLength(1), PATIENCE);
    answer(200);
    const sent = left.length;
    const operator = await anOperator({ name: 'Night shift' });
    const release = { scope: 'scac:DEMO', reason: 'onboarded today' };
    const answered = await operator.done('POST', '/v1/ops/channels/plain/release', release);
    expect(answered).toMatchObject({ released: true, before: { scope: 'scac:DEMO', why: 'not_onboarded' } });
    await allReach(loads, 'delivered');
    expect(left).toHaveLength(sent + 3);
    expect(await operator.done('POST', '/v1/ops/channels/plain/release', release)).toMatchObject({ released: false });
    const { channels } = await operator.getJson<HealthAnswer>('/v1/ops/health');
    expect(channels.find(({ name }) => name === 'plain')).toMatchObject({
      state: 'ok',
      releases: [{ keyId: operator.keyId, author: 'Night shift', reason: 'onboarded today', scope: 'scac:DEMO' }],
    });
  });
});

describe('credentials that expire in the middle', () => {
  it('reject no row: the auth breaker stands in the health, and all drains once the key is right', async () => {
    const { left, answer, answerProbes } = upstreamAnswers(200);
    const loads = loadsOf(12);
    await dispatch(loads.slice(0, 4), [1, 2], 'plain');
    await allReach(loads.slice(0, 4), 'delivered', 'delivered');
    answer(401);
    answerProbes(401);
    await dispatch(loads.slice(4), [1, 2], 'plain');
    const operator = await anOperator({ role: 'viewer' });
    await vi.waitFor(async () => {
      const { channels } = await operator.getJson<HealthAnswer>('/v1/ops/health');
      expect(channels.find(({ name }) => name === 'plain')).toMatchObject({
        state: 'stopped',
        auth: { scope: 'auth', why: 'credentials_refused', lastFailure: { status: 401 } },
      });
      expect(channels.find(({ name }) => name === 'bearer')).toMatchObject({ state: 'ok', auth: null });
    }, PATIENCE);
    const refused = left.filter((_, at) => at >= 8).length;
    expect(refused).toBeLessThanOrEqual(8);
    answer(200);
    answerProbes(200);
    await allReach(loads, 'delivered', 'delivered');
    const requests = await requestsOf(loads);
    expect(requests.every(({ request }) => request.tries === 1)).toBe(true);
    expect(left).toHaveLength(24 + refused);
  });

  it('open the breaker for a token that stays refused after it was renewed', async () => {
    const { tokenRequests } = upstreamAnswers(401);
    const load = aLoad();
    await load.dispatch([1], { channel: 'bearer' });
    await vi.waitFor(async () => expect((await health('bearer')).auth?.why).toBe('credentials_refused'), PATIENCE);
    expect(tokenRequests).toHaveLength(2);
  });
});

describe('a permit', () => {
  it('is asked for again a little later when the gate cannot be reached; nothing is sent without one', async () => {
    const { left } = upstreamAnswers(200);
    const asked = vi.spyOn(UpstreamGate.prototype, 'lease').mockImplementation(() => {
      throw new Error('planned: the gate is down');
    });
    const load = aLoad();
    await load.dispatch([1, 2]);
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(1), PATIENCE);
    expect(left).toEqual([]);
    expect((await load.timeline()).map(({ request }) => [request.state, request.tries])).toEqual([
      ['queued', 0],
      ['queued', 0],
    ]);
    asked.mockRestore();
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(left)).toEqual([1, 2]);
  });

  it('that comes too late sends nothing: the request was withdrawn meanwhile', async () => {
    const { left } = upstreamAnswers(200);
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const given = UpstreamGate.prototype.lease;
    const asked = vi.spyOn(UpstreamGate.prototype, 'lease').mockImplementation(async function (
      this: UpstreamGate,
      ...args
    ) {
      await opened;
      return given.apply(this, args);
    });
    const load = aLoad();
    await load.dispatch([1]);
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), PATIENCE);
    await load.stub().cancel('b_1');
    open();
    await load.reaches('cancelled');
    expect(left).toEqual([]);
  });

  it('that has run out while a token was fetched sends nothing: the gate is asked anew', async () => {
    const { left } = upstreamAnswers(200);
    const { lease, currentToken } = UpstreamGate.prototype;
    const grants: { untilMs: number }[] = [];
    vi.spyOn(UpstreamGate.prototype, 'lease').mockImplementation(async function (this: UpstreamGate, ...args) {
      const answer = await lease.apply(this, args);
      if (answer.outcome === 'granted') grants.push(answer);
      return answer;
    });
    vi.spyOn(UpstreamGate.prototype, 'currentToken').mockImplementationOnce(async function (
      this: UpstreamGate,
      ...args
    ) {
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(grants[0]?.untilMs ?? 0), PATIENCE);
      return currentToken.apply(this, args);
    });
    const load = aLoad();
    await load.dispatch([1], { channel: 'bearer' });
    await load.reaches('delivered');
    expect(left).toHaveLength(1);
    expect(grants).toHaveLength(2);
    expect(left[0]?.atMs).toBeGreaterThan(grants[0]?.untilMs ?? 0);
    expect(left[0]?.atMs).toBeLessThan(grants[1]?.untilMs ?? 0);
    expect((await load.timeline())[0]?.request.tries).toBe(1);
  });

  it('goes back to the gate when it was not needed', async () => {
    upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1, 2, 3], { channel: 'narrow' });
    await load.reaches('delivered', 'delivered', 'delivered');
    await vi.waitFor(async () => expect((await health('narrow')).permitsOut).toBe(0), PATIENCE);
  });
});

describe('a Retry-After', () => {
  it.each([
    ['a number beyond all measure', '1000000000', RETRY_AFTER_MAX_MS],
    ['a date in a hundred years', 'Fri, 01 Jan 2126 00:00:00 GMT', RETRY_AFTER_MAX_MS],
  ])('is believed up to six hours: %s', async (_, retryAfter, waitMs) => {
    upstreamAnswers(() => new Response('', { status: 429, headers: { 'Retry-After': retryAfter } }));
    const load = aLoad();
    await load.dispatch([1]);
    await load.reaches('waiting');
    const [entry] = await load.timeline();
    const waits = (entry?.request.at_ms ?? 0) - (entry?.request.decided_at_ms ?? 0);
    expect(waits).toBeGreaterThanOrEqual(waitMs / TEST_TIME_SCALE - 5);
    expect(waits).toBeLessThanOrEqual(waitMs / TEST_TIME_SCALE + 5);
    expect((await health('plain')).breakers).toEqual([]);
  });
});
