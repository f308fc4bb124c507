/** A gate's core on a clock that tests move, and a subject that asks it. */
import type { Clock } from '../../../src/kernel/clock.ts';
import type { AttemptResult, Breaker, BreakerSignal } from '../../../src/upstream/gate/breaker.ts';
import { GateCore, type LeaseAnswer, type LeaseRequest } from '../../../src/upstream/gate/core.ts';
import { NOW_MS } from './samples.ts';

export interface MovedClock extends Clock {
  pass(ms: number): void;
}

export function movedClock(timeScale = 1): MovedClock {
  let nowMs = NOW_MS;
  return {
    timeScale,
    nowMs: () => nowMs,
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

export interface CoreUnderTest {
  core: GateCore;
  clock: MovedClock;
  request(more?: Partial<LeaseRequest>): LeaseAnswer;
  /** @throws where it is parked. */
  granted(more?: Partial<LeaseRequest>): Extract<LeaseAnswer, { outcome: 'granted' }>;
  /** One attempt of a subject: asks, and tells how it ended. @returns whether it was sent. */
  attempt(verdict: BreakerSignal, more?: Partial<LeaseRequest>): 'sent' | 'probed' | 'parked';
  report(verdict: BreakerSignal, more: Partial<AttemptResult>): void;
  scopes(): string[];
}

export interface CoreOptions {
  ratePerSecond?: number;
  burst?: number;
  hasOwnProbe?: boolean;
  stored?: readonly Breaker[];
  clock?: MovedClock;
}

/** A second has passed, so that there are permits. */
export function aCore(options: CoreOptions = {}): CoreUnderTest {
  const { ratePerSecond = 1_000, burst = 1_000, hasOwnProbe = false, stored = [], clock = movedClock() } = options;
  let leases = 0;
  const core = new GateCore({ rate: { ratePerSecond, burst }, hasOwnProbe }, clock, stored, () => `lease-${leases++}`);
  clock.pass(1_000);
  const ask: CoreUnderTest['request'] = (more = {}) =>
    core.request({
      partner: 'acme',
      scac: 'ACME',
      subject: 'LD1',
      wanted: 1,
      repeatable: true,
      results: [],
      ended: [],
      ...more,
    });
  const report: CoreUnderTest['report'] = (verdict, more) => {
    const result: AttemptResult = {
      lease: 'none',
      partner: 'acme',
      scac: 'ACME',
      subject: 'LD1',
      verdict,
      sendings: 1,
      startedAtMs: clock.nowMs(),
      endedAtMs: clock.nowMs(),
      status: null,
      detail: '',
      ...more,
    };
    ask({ wanted: 0, results: [result] });
  };
  return {
    core,
    clock,
    request: ask,
    report,
    granted(more) {
      const answer = ask(more);
      if (answer.outcome !== 'granted') throw new Error(`not granted: ${JSON.stringify(answer)}`);
      return answer;
    },
    attempt(verdict, more = {}) {
      const answer = ask(more);
      if (answer.outcome !== 'granted') return 'parked';
      const { lease, probe, permits } = answer;
      const { partner = 'acme', scac = 'ACME', subject = 'LD1' } = more;
      report(verdict, { lease, partner, scac, subject });
      ask({ wanted: 0, ended: [{ lease, unused: permits - 1 }] });
      return probe ? 'probed' : 'sent';
    },
    scopes: () => core.breakers.all.map(({ scope }) => scope).sort(),
  };
}
