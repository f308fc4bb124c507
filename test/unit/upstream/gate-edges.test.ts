/** A gate at its edges: leases that nobody gives back, partners that are long gone, and what a probe says of each breaker. */
import { expect, it } from 'vitest';
import {
  AUTH_PROBE_MS,
  BREAKER_OPEN_MS,
  BREAKER_RUN,
  BREAKER_WINDOW_MS,
  LEASE_LIFETIME_MS,
} from '../../../src/kernel/limits.ts';
import { type BreakerSignal, openBreaker, probeResult, type Scope } from '../../../src/upstream/gate/breaker.ts';
import { aCore, movedClock } from './gate-samples.ts';

it('permits of leases that nobody gave back are there again when these are over', () => {
  const { request, clock } = aCore({ ratePerSecond: 10, burst: 10 });
  let granted = 0;
  for (let asked = 0; asked < 10; asked += 1) {
    const answer = request();
    if (answer.outcome === 'granted') granted += answer.permits;
  }
  expect([granted, request().outcome]).toEqual([10, 'parked']);
  clock.pass(LEASE_LIFETIME_MS - 1);
  expect(request().outcome).toBe('parked');
  clock.pass(1);
  request(); // what was out comes in by the rate
  clock.pass(1_000);
  expect(request().outcome).toBe('granted');
});

it('a partner whose last request is longer ago than the window is no other one at work', () => {
  const opened = (sinceMs: number): string[] => {
    const { report, clock, scopes } = aCore();
    report('passed', { partner: 'other', subject: 'other' });
    clock.pass(sinceMs);
    for (let load = 0; load < BREAKER_RUN; load += 1) report('failed', { subject: `LD${load}` });
    return scopes();
  };
  expect([opened(BREAKER_WINDOW_MS), opened(BREAKER_WINDOW_MS + 1)]).toEqual([['partner:acme'], ['channel']]);
});

it.each<[Scope, BreakerSignal[]]>([
  ['auth', ['credentials_refused']],
  ['scac:ABCD', ['scac_refused']],
  ['channel', ['failed', 'redirected']],
  ['partner:acme', ['failed', 'redirected']],
])('a probe of %s fails by what that breaker is about, and passes by an answer', (scope, failing) => {
  const signals: BreakerSignal[] = ['passed', 'failed', 'redirected', 'busy', 'credentials_refused', 'scac_refused'];
  const wanted = signals.map((signal) =>
    signal === 'passed' ? 'passed' : failing.includes(signal) ? 'failed' : 'unsaid',
  );
  expect(signals.map((signal) => probeResult(scope, signal))).toEqual(wanted);
});

it('a result that is told twice frees one permit', () => {
  const { core, granted, report } = aCore();
  const { lease } = granted();
  expect(granted().permits).toBe(1);
  report('passed', { lease });
  report('passed', { lease });
  expect(core.permitsOut).toBe(1);
});

it('a request that waits for the channel’s own probe comes back a second later', () => {
  const clock = movedClock();
  const stored = [openBreaker({ scope: 'channel', why: 'failures', lastFailure: null }, clock)];
  const { request } = aCore({ hasOwnProbe: true, stored, clock });
  clock.pass(BREAKER_OPEN_MS);
  expect(request({ repeatable: false })).toEqual({
    outcome: 'parked',
    untilMs: clock.nowMs() + 1_000,
    why: 'channel',
  });
});

it('refused credentials are shown as half open once the channel’s own probe has passed', () => {
  const clock = movedClock();
  const stored = [openBreaker({ scope: 'auth', why: 'credentials_refused', lastFailure: null }, clock)];
  const { core } = aCore({ hasOwnProbe: true, stored, clock });
  clock.pass(AUTH_PROBE_MS);
  core.breakers.noteOwnProbe('passed', { atMs: 0, subject: 'GET locations', status: 200, detail: '' });
  expect(core.breakers.all).toMatchObject([{ scope: 'auth', state: 'half_open' }]);
});

it('who gives up while a breaker is open makes nobody else wait the longer', () => {
  const clock = movedClock();
  const stored = [openBreaker({ scope: 'channel', why: 'failures', lastFailure: null }, clock)];
  const { request } = aCore({ ratePerSecond: 10, stored, clock });
  const opensMs = clock.nowMs() + BREAKER_OPEN_MS - 1_000;
  for (let read = 0; read < 600; read += 1) request({ waitsUntilMs: clock.nowMs() + 5_000 });
  expect(request()).toEqual({ outcome: 'parked', untilMs: opensMs, why: 'channel' });
});
