/** A gate in every state its breakers can be in: evictions, doubled alarms and lost ones change nothing but latency. */
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messageOf } from '../../../src/kernel/log.ts';
import type { Breaker } from '../../../src/upstream/gate/breaker.ts';
import { Breakers } from '../../../src/upstream/gate/breakers.ts';
import { UpstreamGate } from '../../../src/upstream/gate/gate.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { redirect } from '../actions.ts';
import { allReach, dispatch, gate, health, loadsOf } from '../gates.ts';
import { aLoad, type LoadUnderTest, PATIENCE } from '../loads.ts';
import { type Answering, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const wake = () => runInDurableObject(gate('narrow'), (instance) => instance.alarm());

const breakersNow = async (): Promise<Breaker[]> => {
  const { breakers, auth, parkedScacs } = await health('narrow');
  return [...breakers, ...(auth ? [auth] : []), ...parkedScacs];
};

/** Its next probe lies far away, also for those who ask. */
const freeze = () =>
  runInDurableObject(gate('narrow'), (_, { storage }) => {
    const far = Date.now() + 3_600_000;
    storage.sql.exec(
      `UPDATE breaker SET kept = json_set(kept, '$.untilMs', ?, '$.state', 'open', '$.probe', NULL)`,
      far,
    );
  });

const STATES: [string, Answering, Pick<Breaker, 'scope' | 'why'>][] = [
  ['the channel is down', 500, { scope: 'channel', why: 'failures' }],
  ['the channel redirects', redirect, { scope: 'channel', why: 'redirects' }],
  ['its credentials are refused', 401, { scope: 'auth', why: 'credentials_refused' }],
  ['a SCAC is parked', 403, { scope: 'scac:DEMO', why: 'not_onboarded' }],
];

describe('a gate that knows', () => {
  it.each(STATES)(
    'that %s still knows it after evictions and doubled alarms, and asks nothing for them',
    async (_, answer, opened) => {
      const { left, probes, answerProbes } = upstreamAnswers(answer);
      answerProbes(answer);
      await dispatch(loadsOf(6), [1], 'narrow');
      await vi.waitFor(
        async () => expect((await breakersNow()).map(({ scope }) => scope)).toContain(opened.scope),
        PATIENCE,
      );
      await freeze();
      await evictDurableObject(gate('narrow'));
      const before = await breakersNow();
      expect(before).toContainEqual(expect.objectContaining({ ...opened, state: 'open' }));
      const asked = [left.length, probes.length];
      await Promise.all([wake(), wake()]);
      await evictDurableObject(gate('narrow'));
      await Promise.all([wake(), wake()]);
      await wake();
      expect(await breakersNow()).toEqual(before);
      expect([left.length, probes.length]).toEqual(asked);
    },
  );

  it('nothing that is open has nothing to do', async () => {
    const { left, probes } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1], { channel: 'narrow' });
    await load.reaches('delivered');
    await Promise.all([wake(), wake()]);
    await evictDurableObject(gate('narrow'));
    await Promise.all([wake(), wake()]);
    expect(await breakersNow()).toEqual([]);
    expect([left.length, probes.length]).toEqual([1, 0]);
  });
});

describe('a gate whose credentials are refused', () => {
  it('says in the log which breaker of which channel has opened, and why', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { answerProbes } = upstreamAnswers(401);
    answerProbes(401);
    await dispatch(loadsOf(1), [1], 'narrow');
    const opened = { event: 'breaker_open', channel: 'narrow', detail: 'auth: credentials_refused' };
    await vi.waitFor(() => {
      const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, string>);
      expect(lines).toContainEqual(opened);
    }, PATIENCE);
  });

  it('tries them by a probe that carries a token, where the channel signs in with one', async () => {
    const { answer, probes } = upstreamAnswers(401);
    const loads = loadsOf(1);
    await dispatch(loads, [1], 'probe-bearer');
    await vi.waitFor(() => expect(probes).not.toEqual([]), PATIENCE);
    expect(probes[0]?.headers.Authorization).toBe('Bearer token-1');
    answer(200);
    await allReach(loads, 'delivered');
  });

  it('renews a token that its probe was refused with', async () => {
    const { answer, answerProbes, probes } = upstreamAnswers(401);
    answerProbes(401, 200);
    const loads = loadsOf(1);
    await dispatch(loads, [1], 'probe-bearer');
    await vi.waitFor(() => expect(probes.length).toBeGreaterThan(1), PATIENCE);
    expect(probes.slice(0, 2).map(({ headers }) => headers.Authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
    answer(200);
    await allReach(loads, 'delivered');
  });
});

describe('a gate whose wake-up was dropped', () => {
  const refusedLoads = async (): Promise<LoadUnderTest[]> => {
    const loads = loadsOf(3);
    await dispatch(loads, [1], 'narrow');
    await vi.waitFor(async () => expect((await health('narrow')).auth).not.toBeNull(), PATIENCE);
    return loads;
  };

  it('as it failed has another one a little later', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await health('narrow');
    await runInDurableObject(gate('narrow'), async (instance, { storage }) => {
      const due = vi.spyOn(Breakers.prototype, 'ownProbeAtMs').mockImplementation(() => {
        throw new Error('planned: a bug');
      });
      const beganAtMs = Date.now();
      await instance.alarm();
      due.mockRestore();
      expect(await storage.getAlarm()).toBeGreaterThan(beganAtMs);
      await storage.deleteAlarm();
    });
  });

  it('after throwing seven times is armed again by who asks it for permits, and all drains', async () => {
    const { answer, answerProbes } = upstreamAnswers(401);
    answerProbes(401);
    const loads = await refusedLoads();
    const alarm = vi.spyOn(UpstreamGate.prototype, 'alarm').mockRejectedValue(new Error('planned: a bug'));
    for (let tries = 0; tries < 7; tries += 1) {
      await runInDurableObject(gate('narrow'), (_, { storage }) => storage.setAlarm(Date.UTC(2100, 0)));
      expect(await runDurableObjectAlarm(gate('narrow')).catch(messageOf)).toMatch(/planned/);
    }
    alarm.mockRestore();
    await runInDurableObject(gate('narrow'), (_, { storage }) => storage.deleteAlarm());
    answer(200);
    answerProbes(200);
    await allReach(loads, 'delivered');
    expect((await health('narrow')).auth).toBeNull();
  });
});
