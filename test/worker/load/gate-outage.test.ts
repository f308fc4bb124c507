/** What loads do while the upstream is down: few attempts, no tries lost, everything in its order afterwards. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { allReach, dispatch, gate, health, loadsOf, requestsOf } from '../gates.ts';
import { aLoad, PATIENCE, recordsOf } from '../loads.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

describe('an upstream that is down', () => {
  it('is asked far less often than rows wait; afterwards each load drains in its order, nothing held', async () => {
    const { left, answer } = upstreamAnswers(500);
    const loads = loadsOf(30);
    await dispatch(loads, [1, 2, 3, 4], 'narrow');
    await vi.waitFor(
      async () => expect((await health('narrow')).breakers[0]).toMatchObject({ openMs: 120_000 }),
      PATIENCE,
    );
    expect((await health('narrow')).breakers.map(({ scope }) => scope)).toEqual(['channel']);
    const attempts = left.length;
    expect(attempts).toBeLessThan(20);
    answer(200);
    await allReach(loads, 'delivered', 'delivered', 'delivered', 'delivered');
    const requests = await requestsOf(loads);
    expect(Math.max(...requests.map(({ request }) => request.tries))).toBeLessThanOrEqual(3);
    expect((await health('narrow')).breakers).toEqual([]);
    const byLoad = Map.groupBy(
      left.slice(attempts),
      ({ body }) => (JSON.parse(body) as { loadNumber: string }).loadNumber,
    );
    for (const sent of byLoad.values()) expect(recordsOf(sent)).toEqual([1, 2, 3, 4]);
  });

  it('leaves the rows that were not sent queued without a try, and says why they wait', async () => {
    upstreamAnswers(500);
    const loads = loadsOf(12);
    await dispatch(loads, [1], 'narrow');
    await vi.waitFor(async () => {
      const waiting = (await requestsOf(loads)).filter(({ request }) => request.reason === 'upstream_unwell');
      expect(waiting.length).toBeGreaterThan(0);
      for (const { request, attempts } of waiting) {
        expect(request).toMatchObject({ state: 'queued', tries: 0 });
        expect(attempts).toEqual([]);
      }
    }, PATIENCE);
  });

  it('costs a request no try when it was the probe', async () => {
    const { answer } = upstreamAnswers(500);
    const loads = loadsOf(6);
    await dispatch(loads, [1], 'narrow');
    await vi.waitFor(
      async () => expect((await health('narrow')).breakers[0]?.openMs).toBeGreaterThanOrEqual(60_000),
      PATIENCE,
    );
    const requests = await requestsOf(loads);
    const tries = requests.reduce((sum, { request }) => sum + request.tries, 0);
    const attempts = requests.reduce((sum, each) => sum + each.attempts.length, 0);
    expect(attempts).toBeGreaterThan(tries);
    answer(200);
    await allReach(loads, 'delivered');
  });

  it('is still known to be down when the gate is evicted', async () => {
    const { left } = upstreamAnswers(500);
    await dispatch(loadsOf(6), [1], 'narrow');
    await vi.waitFor(async () => expect((await health('narrow')).breakers).toHaveLength(1), PATIENCE);
    await runInDurableObject(gate('narrow'), (_, { storage }) => {
      const far = Date.now() + 3_600_000;
      storage.sql.exec(
        `UPDATE breaker SET kept = json_set(kept, '$.untilMs', ?, '$.state', 'open', '$.probe', NULL)`,
        far,
      );
    });
    await evictDurableObject(gate('narrow'));
    const sent = left.length;
    const later = aLoad();
    await later.dispatch([1], { channel: 'narrow' });
    await vi.waitFor(async () => expect((await later.timeline())[0]?.request.reason).toBe('upstream_unwell'), PATIENCE);
    expect(left).toHaveLength(sent);
    expect((await health('narrow')).breakers[0]).toMatchObject({ scope: 'channel', state: 'open' });
  });
});

describe('redirects of several loads', () => {
  it('open the breaker before every load has lost a row', async () => {
    const redirect = () => new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example/' } });
    const { left } = upstreamAnswers(redirect);
    await dispatch(loadsOf(20), [1], 'narrow');
    await vi.waitFor(async () => expect((await health('narrow')).breakers[0]?.why).toBe('redirects'), PATIENCE);
    expect(left.length).toBeLessThanOrEqual(10);
  });
});
