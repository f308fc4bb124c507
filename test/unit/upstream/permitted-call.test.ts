/** Calls under a permit: what may leave, and what the gate hears of how it ended. */
import { describe, expect, it, vi } from 'vitest';
import { signalOf } from '../../../src/delivery/classify.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import { call, type UpstreamPort } from '../../../src/upstream/call.ts';
import type { Channel } from '../../../src/upstream/channels.ts';
import { ENDPOINTS } from '../../../src/upstream/contracts/endpoints.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import type { LeaseRequest } from '../../../src/upstream/gate/core.ts';
import type { TokenProblem } from '../../../src/upstream/gate/mint.ts';
import { holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { callOnce, PermittedCalls, type SingleCall } from '../../../src/upstream/permitted-call.ts';
import { movedClock } from './gate-samples.ts';
import { aChannel, json, NOW_MS, upstreamAnswers } from './samples.ts';

const LEASE_MS = 1_000;
const CALLER = { environment: 'test', partner: 'acme', subject: 'LD1' } as const;
const ANSWERED = {
  outcome: 'answered',
  status: 200,
  headers: {},
  body: '',
  bodyEncoding: 'utf-8',
  bodyEnd: 'whole',
  latencyMs: 1,
} as const;
const WITHDRAWN = { outcome: 'not_sent', code: 'withdrawn', detail: 'withdrawn in time' } as const;

/** @param waits how long each permit is away, in ms; null: it is granted at once. */
function aCaller(waits: (number | null)[] = []) {
  const clock = movedClock();
  const asked: LeaseRequest[] = [];
  const gate = {
    leaseMs: LEASE_MS,
    lease: async (_: string, request: LeaseRequest) => {
      asked.push(request);
      if (request.wanted < 1) return { outcome: 'noted' };
      const waitMs = waits.shift() ?? null;
      const untilMs = clock.nowMs() + (waitMs ?? gate.leaseMs);
      return waitMs === null
        ? { outcome: 'granted', lease: `lease-${asked.length}`, permits: 1, untilMs, probe: false }
        : { outcome: 'parked', untilMs, why: 'rate' };
    },
  };
  const bindings = { UPSTREAM_GATE: { getByName: () => gate }, TOKENS: {} } as never;
  const channel = { name: 'main', environment: 'test' } as Channel;
  const wanted = (post: SingleCall['post'], more: Partial<SingleCall> = {}): SingleCall => ({
    ...{ channel, clock, post, scac: 'DEMO', isRepeatable: true, signal: () => 'passed' },
    ...more,
  });
  const results = () => asked.flatMap((request) => request.results);
  return { bindings, clock, asked, gate, results, wanted, calls: new PermittedCalls(bindings, CALLER) };
}

/** Sends as often as said, if it may. */
const sends =
  (times: number, wait: () => void = () => undefined) =>
  async ({ log }: UpstreamPort) => {
    wait();
    if (log?.mayBegin?.() === false) return WITHDRAWN;
    for (let time = 0; time < times; time += 1) {
      log?.begin(null);
      log?.end(ANSWERED);
    }
    return ANSWERED;
  };

describe('a permitted call', () => {
  it('that waits until its permit is over does not leave, and the gate hears of no attempt', async () => {
    const { calls, clock, wanted, results } = aCaller();
    const late = sends(1, () => clock.pass(LEASE_MS));
    expect(await calls.request(wanted(late))).toEqual({ outcome: 'observed', observed: WITHDRAWN });
    await calls.settle();
    expect(results()).toEqual([]);
  });

  it('is noted with each of its sendings, and lasts from the first of them', async () => {
    const { calls, clock, wanted, results } = aCaller();
    const startedAtMs = clock.nowMs() + 300;
    await calls.request(wanted(sends(2, () => clock.pass(300))));
    clock.pass(10);
    await calls.settle();
    expect(results()).toMatchObject([
      { sendings: 2, startedAtMs, endedAtMs: startedAtMs, status: 200, verdict: 'passed' },
    ]);
  });

  it('that throws counts as one of which nothing is known, and its permit is given back', async () => {
    const { calls, wanted, asked } = aCaller();
    const full = wanted(sends(1), {
      begin: () => {
        throw new Error('planned: the disk is full');
      },
    });
    await expect(calls.request(full)).rejects.toThrow('planned');
    await calls.settle();
    expect(asked.at(-1)).toMatchObject({
      results: [{ verdict: 'busy', sendings: 1 }],
      ended: [{ lease: 'lease-1', unused: 0 }],
    });
  });
});

describe('a call whose token was refused', () => {
  const problem = { code: 'token_refused', detail: 'status 503' } as const;

  it.each<[string, TokenProblem, object]>([
    ['and could not be renewed', problem, { verdict: 'failed', detail: 'token_refused: status 503' }],
    [
      'and so were the credentials, as it was to be renewed',
      { ...problem, credentialsRefused: true },
      { verdict: 'credentials_refused', detail: '' },
    ],
  ])('%s: the gate hears which', async (_, refusal, heard) => {
    const { calls, wanted, results } = aCaller();
    const channel = aChannel({ auth: { ...NOT_SHOWN.authByApi, events: 'key+bearer' } });
    const tokens = {
      current: async () => ok(holdToken('old', 'f-old', 3_600, NOW_MS)),
      replace: async () => err(refusal),
    };
    const sent = { scac: 'ABCD', body: '{}' };
    upstreamAnswers(json({}, 401));
    const post: SingleCall['post'] = (port) => call({ ...port, tokens }, channel, ENDPOINTS.milestone, sent);
    await calls.request(wanted(post, { signal: signalOf }));
    vi.unstubAllGlobals();
    await calls.settle();
    expect(results()).toMatchObject([{ status: 401, sendings: 1, ...heard }]);
  });
});

describe('a call whose permit is over as soon as it is granted', () => {
  it('is not made, and may be tried again at once, as one that waits for the rate', async () => {
    const { calls, clock, gate, wanted } = aCaller();
    gate.leaseMs = 0;
    const post = vi.fn(sends(1));
    expect(await calls.request(wanted(post))).toEqual({ outcome: 'parked', untilMs: clock.nowMs(), why: 'rate' });
    expect(post).not.toHaveBeenCalled();
  });
});

describe('one call that somebody waits for', () => {
  it('needs another permit where the first ran out before it could leave', async () => {
    const { bindings, clock, wanted, asked } = aCaller();
    const times = [LEASE_MS, 0];
    const late = sends(1, () => clock.pass(times.shift() ?? 0));
    vi.stubGlobal('scheduler', { wait: async (ms: number) => clock.pass(ms) });
    expect(await callOnce(bindings, CALLER, wanted(late), 5_000)).toEqual({ outcome: 'observed', observed: ANSWERED });
    vi.unstubAllGlobals();
    expect(asked.filter((request) => request.wanted > 0)).toHaveLength(2);
  });

  it.each([
    ['waits for its permit', 5_000, { outcome: 'observed' }],
    ['gives up at once when that would take too long', 5_001, { outcome: 'parked', why: 'rate' }],
  ])('%s', async (_, waitMs, outcome) => {
    const { bindings, clock, wanted, asked } = aCaller([waitMs]);
    const wait = vi.fn(async (ms: number) => clock.pass(ms));
    vi.stubGlobal('scheduler', { wait });
    expect(await callOnce(bindings, CALLER, wanted(sends(1)), 5_000)).toMatchObject(outcome);
    vi.unstubAllGlobals();
    expect(wait.mock.calls).toEqual(outcome.outcome === 'observed' ? [[waitMs]] : []);
    expect(asked.filter((request) => request.wanted > 0)).toHaveLength(wait.mock.calls.length + 1);
  });

  it('tells the gate until when it waits, each time', async () => {
    const { bindings, clock, wanted, asked } = aCaller([1_000]);
    const untilMs = clock.nowMs() + 5_000;
    vi.stubGlobal('scheduler', { wait: async (ms: number) => clock.pass(ms) });
    await callOnce(bindings, CALLER, wanted(sends(1)), 5_000);
    vi.unstubAllGlobals();
    expect(asked.map(({ wanted: permits, waitsUntilMs }) => [permits, waitsUntilMs])).toEqual([
      [1, untilMs],
      [1, untilMs],
      [0, undefined],
    ]);
  });
});
