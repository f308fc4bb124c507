/** A gate at its edges: leases that nobody gives back, partners that are long gone, and what a probe says of each breaker. */
import { expect, it } from 'vitest';
import { BREAKER_RUN, BREAKER_WINDOW_MS, LEASE_LIFETIME_MS } from '../../../src/kernel/limits.ts';
import { type BreakerSignal, probeResult, type Scope } from '../../../src/upstream/gate/breaker.ts';
import { aCore } from './gate-samples.ts';

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
