/** The breakers of a channel: what opens one, whom it stops, how its probes close it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AUTH_PROBE_MS,
  BREAKER_OPEN_MS,
  BREAKER_OPEN_MS_MAX,
  BREAKER_WINDOW_MS,
  DEFERRED_SLEEP_MS,
  LEASE_LIFETIME_MS,
  PROBE_PAUSE_MS,
  SCAC_PROBE_MS,
} from '../../../src/kernel/limits.ts';
import { type BreakerSignal, passageAt } from '../../../src/upstream/gate/breaker.ts';
import type { LeaseRequest } from '../../../src/upstream/gate/core.ts';
import { aCore, type CoreUnderTest } from './gate-samples.ts';

const FAR_MS = 7 * 24 * 3_600_000;
const LATE_MS = 30_000;
const subjects = (count: number, from = 1): string[] => Array.from({ length: count }, (_, at) => `LD${from + at}`);
const fail = (gate: CoreUnderTest, names: readonly string[], partner = 'acme', verdict: BreakerSignal = 'failed') =>
  names.map((subject) => gate.attempt(verdict, { subject, partner, scac: partner.toUpperCase() }));
const breaker = (gate: CoreUnderTest, scope: 'channel' | 'auth' | `partner:${string}` | `scac:${string}`) => {
  const found = gate.core.breakers.get(scope);
  if (found === undefined) throw new Error(`${scope} is closed`);
  return found;
};

describe('a channel', () => {
  it('opens after five failures in a row, each of another subject', () => {
    const gate = aCore();
    fail(gate, subjects(4));
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD5']);
    expect(gate.scopes()).toEqual(['channel']);
    expect(breaker(gate, 'channel')).toMatchObject({ state: 'open', why: 'failures', lastFailure: { subject: 'LD5' } });
  });

  it('does not open for one subject that fails over and over', () => {
    const gate = aCore();
    for (let tries = 0; tries < 50; tries += 1) fail(gate, ['LD1']);
    expect(gate.scopes()).toEqual([]);
  });

  it('begins to count anew when one passes', () => {
    const gate = aCore();
    fail(gate, subjects(4));
    gate.attempt('passed', { subject: 'LD9' });
    fail(gate, subjects(4, 10));
    expect(gate.scopes()).toEqual([]);
  });

  it('opens when half of twenty fail within a minute, whatever their order', () => {
    const gate = aCore();
    for (let at = 1; at <= 9; at += 1) {
      fail(gate, [`LD${at}`]);
      gate.attempt('passed', { subject: `OK${at}` });
    }
    fail(gate, ['LD10']);
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD11']);
    expect(gate.scopes()).toEqual(['channel']);
  });

  it('stays closed while fewer than half fail', () => {
    const gate = aCore();
    for (let at = 0; at < 200; at += 1) gate.attempt(at % 5 < 2 ? 'failed' : 'passed', { subject: `LD${at}` });
    expect(gate.scopes()).toEqual([]);
  });

  it('counts a subject where it was heard last: who failed before another passed and fails again, failed in a row', () => {
    const gate = aCore();
    fail(gate, subjects(5).slice(0, 4));
    gate.attempt('passed', { subject: 'LD9' });
    fail(gate, subjects(4));
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD5']);
    expect(gate.scopes()).toEqual(['channel']);
  });

  it('forgets what is older than the window, also where a subject that was heard before it was heard again', () => {
    const gate = aCore();
    fail(gate, subjects(4));
    gate.clock.pass(BREAKER_WINDOW_MS / 2);
    fail(gate, ['LD1']);
    gate.clock.pass(BREAKER_WINDOW_MS / 2 + 1);
    fail(gate, subjects(3, 10));
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD13']);
    expect(gate.scopes()).toEqual(['channel']);
  });

  it('forgets what is older than the window', () => {
    const gate = aCore();
    fail(gate, subjects(4));
    gate.clock.pass(BREAKER_WINDOW_MS + 1);
    fail(gate, ['LD5']);
    expect(gate.scopes()).toEqual([]);
  });

  it('opens after three redirects in a row, as each ends its request', () => {
    const gate = aCore();
    fail(gate, subjects(2), 'acme', 'redirected');
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD3'], 'acme', 'redirected');
    expect(breaker(gate, 'channel').why).toBe('redirects');
  });

  it('is not judged by answers that say “not now”', () => {
    const gate = aCore();
    fail(gate, subjects(30), 'acme', 'busy');
    expect(gate.scopes()).toEqual([]);
  });
});

describe('several partners', () => {
  it('open the channel together', () => {
    const gate = aCore();
    for (const subject of subjects(3)) {
      fail(gate, [subject], 'acme');
      fail(gate, [`B${subject}`], 'bolt');
    }
    expect(gate.scopes()).toEqual(['channel']);
  });

  it('open the channel together where half of what each of them sends fails', () => {
    const gate = aCore();
    for (const subject of subjects(5)) {
      for (const partner of ['acme', 'bolt']) {
        fail(gate, [`${partner}-${subject}`], partner);
        gate.attempt('passed', { subject: `${partner}-OK-${subject}`, partner, scac: partner.toUpperCase() });
      }
    }
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD6']);
    expect(gate.scopes()).toEqual(['channel']);
  });

  it('are kept apart while only one of them fails: he is stopped alone', () => {
    const gate = aCore();
    gate.attempt('passed', { partner: 'bolt', subject: 'B1', scac: 'BOLT' });
    expect(fail(gate, subjects(10))).toContain('parked');
    expect(gate.scopes()).toEqual(['partner:acme']);
    expect(gate.attempt('passed', { partner: 'bolt', subject: 'B2', scac: 'BOLT' })).toBe('sent');
  });

  it('do not fail because of one who is stopped already: what he had on its way says nothing more', () => {
    const gate = aCore();
    gate.attempt('passed', { partner: 'bolt', subject: 'B1', scac: 'BOLT' });
    const startedAtMs = gate.clock.nowMs();
    gate.clock.pass(1);
    fail(gate, subjects(5));
    for (const subject of subjects(4, 10)) gate.report('failed', { startedAtMs, subject });
    fail(gate, ['B2'], 'bolt');
    expect(gate.scopes()).toEqual(['partner:acme']);
    gate.clock.pass(BREAKER_OPEN_MS);
    for (const subject of subjects(3)) gate.attempt('passed', { subject });
    expect(gate.scopes()).toEqual([]);
    for (const subject of subjects(20)) gate.report('failed', { startedAtMs, subject });
    expect(gate.scopes()).toEqual([]);
  });

  it('are active while an answer is awaited, however long ago they asked', () => {
    const gate = aCore();
    const leases = subjects(5).map((subject) => ({ subject, lease: gate.granted({ subject }).lease }));
    const startedAtMs = gate.clock.nowMs();
    gate.clock.pass(BREAKER_WINDOW_MS + 1);
    gate.attempt('passed', { partner: 'bolt', subject: 'B1', scac: 'BOLT' });
    for (const { subject, lease } of leases) gate.report('failed', { subject, lease, startedAtMs });
    expect(gate.scopes()).toEqual(['partner:acme']);
  });

  it('are active as soon as they ask: one who fails beside another is stopped alone, though the other has no answer yet', () => {
    const gate = aCore();
    gate.granted({ partner: 'bolt', subject: 'B1', scac: 'BOLT' });
    fail(gate, subjects(5));
    expect(gate.scopes()).toEqual(['partner:acme']);
  });

  it('are told apart also when one recovers: the failures of the other still count', () => {
    const gate = aCore();
    gate.attempt('passed', { partner: 'bolt', subject: 'B0', scac: 'BOLT' });
    fail(gate, subjects(5));
    gate.clock.pass(BREAKER_OPEN_MS);
    const probed = () => gate.attempt('passed', { subject: 'LD1' });
    expect([probed(), probed()]).toEqual(['probed', 'probed']);
    const third = gate.granted();
    fail(
      gate,
      subjects(4).map((subject) => `B${subject}`),
      'bolt',
    );
    const startedAtMs = gate.clock.nowMs();
    gate.clock.pass(1);
    gate.report('passed', { lease: third.lease, startedAtMs });
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['B5'], 'bolt');
    expect(gate.scopes()).toEqual(['partner:bolt']);
  });

  it('do not wait for one who was alone when he failed: the breaker becomes his', () => {
    const gate = aCore();
    fail(gate, subjects(5));
    expect(gate.scopes()).toEqual(['channel']);
    expect(gate.attempt('passed', { partner: 'bolt', subject: 'B1', scac: 'BOLT' })).toBe('sent');
    expect(gate.scopes()).toEqual(['partner:acme']);
    expect(gate.request({ subject: 'LD7' })).toMatchObject({ outcome: 'parked', why: 'partner' });
  });

  it('never open the channel while all failures are of one and another is active, whatever the sequence', () => {
    const verdicts = fc.constantFrom<BreakerSignal>('passed', 'failed', 'redirected', 'busy', 'scac_refused');
    const step = fc.record({ verdict: verdicts, subject: fc.nat(30), passMs: fc.nat(20_000), other: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const gate = aCore();
        for (const { verdict, subject, passMs, other } of steps) {
          gate.clock.pass(passMs);
          gate.attempt('passed', { partner: 'bolt', subject: `B${subject}`, scac: 'BOLT' });
          if (!other) gate.attempt(verdict, { subject: `LD${subject}` });
          expect(gate.scopes()).not.toContain('channel');
          expect(gate.request({ partner: 'bolt', subject: 'B', scac: 'BOLT' }).outcome).toBe('granted');
        }
      }),
    );
  });
});

describe('an open breaker', () => {
  const opened = (): CoreUnderTest => {
    const gate = aCore();
    fail(gate, subjects(5));
    return gate;
  };

  it('lets nobody pass before its time, then one probe', () => {
    const gate = opened();
    gate.clock.pass(BREAKER_OPEN_MS - 1);
    expect(gate.request().outcome).toBe('parked');
    gate.clock.pass(1);
    expect(gate.granted({ wanted: 10 })).toMatchObject({ probe: true, permits: 1 });
    expect(gate.request({ subject: 'LD2' }).outcome).toBe('parked');
  });

  it('closes after three probes that passed', () => {
    const gate = opened();
    gate.clock.pass(BREAKER_OPEN_MS);
    expect([1, 2, 3, 4].map(() => gate.attempt('passed'))).toEqual(['probed', 'probed', 'probed', 'sent']);
    expect(gate.scopes()).toEqual([]);
  });

  it('opens twice as long with each probe that fails, up to ten minutes', () => {
    const gate = opened();
    const openMs: number[] = [];
    for (let probes = 0; probes < 7; probes += 1) {
      gate.clock.pass(breaker(gate, 'channel').untilMs - gate.clock.nowMs());
      expect(gate.attempt('failed', { subject: `LD${probes}` })).toBe('probed');
      openMs.push(breaker(gate, 'channel').untilMs - gate.clock.nowMs());
    }
    expect(openMs.slice(0, 4)).toEqual([2, 4, 8, 16].map((times) => times * BREAKER_OPEN_MS));
    expect(openMs.slice(-2)).toEqual([BREAKER_OPEN_MS_MAX, BREAKER_OPEN_MS_MAX]);
  });

  it('lets the next probe leave when one says nothing or comes back unsent', () => {
    const gate = opened();
    gate.clock.pass(BREAKER_OPEN_MS);
    expect(gate.attempt('busy')).toBe('probed');
    const { lease } = gate.granted();
    gate.request({ wanted: 0, ended: [{ lease, unused: 1 }] });
    expect(gate.granted().probe).toBe(true);
  });

  it('keeps those who come behind a probe waiting for about as long again as it has been on its way', () => {
    const gate = opened();
    gate.clock.pass(BREAKER_OPEN_MS);
    gate.granted();
    const waits = (passedMs: number): number => {
      gate.clock.pass(passedMs);
      const passage = passageAt(breaker(gate, 'channel'), gate.clock.nowMs(), PROBE_PAUSE_MS);
      return passage.may === 'wait' ? passage.untilMs - gate.clock.nowMs() : 0;
    };
    expect([0, 900, 600, 20_000].map(waits)).toEqual([PROBE_PAUSE_MS, PROBE_PAUSE_MS, 1_500, 21_500]);
    gate.clock.pass(LEASE_LIFETIME_MS + LATE_MS - 21_500 - 7); // no longer than it can be on its way
    expect(waits(0)).toBe(7);
  });

  it('waits for a probe whose subject died until that can no longer be on its way', () => {
    const gate = opened();
    gate.clock.pass(BREAKER_OPEN_MS);
    gate.granted();
    gate.clock.pass(LEASE_LIFETIME_MS + LATE_MS - 1);
    expect(gate.request().outcome).toBe('parked');
    gate.clock.pass(1);
    expect(gate.granted().probe).toBe(true);
  });

  it('is not moved by attempts that began before it opened, nor reopened by those that began before it closed', () => {
    const gate = opened();
    const before = breaker(gate, 'channel');
    const startedAtMs = gate.clock.nowMs() - 1;
    gate.report('failed', { startedAtMs, subject: 'LD77' });
    gate.report('passed', { startedAtMs, subject: 'LD78' });
    expect(breaker(gate, 'channel')).toEqual(before);
    gate.clock.pass(BREAKER_OPEN_MS);
    for (const subject of subjects(3)) gate.attempt('passed', { subject });
    for (const subject of subjects(20)) gate.report('failed', { startedAtMs, subject });
    expect(gate.scopes()).toEqual([]);
  });

  const closedByProbes = (gate: CoreUnderTest, more: Partial<LeaseRequest> = {}) => {
    gate.clock.pass(BREAKER_OPEN_MS);
    for (const subject of subjects(3)) {
      const { lease } = gate.granted({ subject, ...more });
      const startedAtMs = gate.clock.nowMs();
      gate.clock.pass(100); // an answer takes its time
      gate.report('passed', { lease, subject, startedAtMs, ...more });
    }
  };

  it('is not reopened by what had opened it: five must fail anew', () => {
    const gate = opened();
    closedByProbes(gate);
    expect(gate.scopes()).toEqual([]);
    fail(gate, subjects(4, 20));
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD24']);
    expect(gate.scopes()).toEqual(['channel']);
  });

  it('that became the breaker of one partner is not reopened by what had opened it either', () => {
    const gate = opened();
    gate.attempt('passed', { partner: 'bolt', subject: 'B1', scac: 'BOLT' });
    expect(gate.scopes()).toEqual(['partner:acme']);
    closedByProbes(gate);
    fail(gate, subjects(4, 20));
    expect(gate.scopes()).toEqual([]);
    fail(gate, ['LD24']);
    expect(gate.scopes()).toEqual(['partner:acme']);
  });

  it('is stored once with each change, and so is its end', () => {
    const gate = aCore();
    const stored = (): string[] => {
      const scopes: string[] = [];
      gate.core.breakers.storeChanged((scope, breaker) => {
        scopes.push(breaker === undefined ? `${scope} is closed` : scope);
      });
      return scopes;
    };
    expect(stored()).toEqual([]);
    fail(gate, subjects(5));
    expect(stored()).toEqual(['channel']);
    expect(stored()).toEqual([]);
    gate.clock.pass(BREAKER_OPEN_MS);
    gate.granted();
    expect(stored()).toEqual(['channel']);
    gate.attempt('passed', { partner: 'bolt', subject: 'B1', scac: 'BOLT' });
    expect(stored()).toEqual(['channel is closed', 'partner:acme']);
    gate.core.breakers.close('partner:acme');
    expect(stored()).toEqual(['partner:acme is closed']);
  });

  it('that cannot be stored is stored the next time', () => {
    const gate = aCore();
    fail(gate, subjects(5));
    expect(() =>
      gate.core.breakers.storeChanged(() => {
        throw new Error('full');
      }),
    ).toThrow('full');
    const scopes: string[] = [];
    gate.core.breakers.storeChanged((scope) => void scopes.push(scope));
    expect(scopes).toEqual(['channel']);
  });

  it('is still open where a gate starts anew, with its probe on its way', () => {
    const gate = opened();
    gate.clock.pass(BREAKER_OPEN_MS);
    gate.granted();
    const again = aCore({ stored: gate.core.breakers.all, clock: gate.clock });
    expect(again.request()).toMatchObject({ outcome: 'parked', why: 'channel' });
  });

  it('brings the parked back one by one, so that 5,000 do not come in one second', () => {
    const gate = aCore({ ratePerSecond: 100, burst: 10 });
    fail(gate, subjects(5));
    const times = Array.from({ length: 5_000 }, (_, at) => gate.request({ subject: `P${at}` })).map((answer) =>
      answer.outcome === 'parked' ? answer.untilMs : 0,
    );
    const perSecond = Map.groupBy(times, (ms) => Math.floor(ms / 1_000));
    expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(Math.min(...times)).toBe(breaker(gate, 'channel').untilMs);
  });

  it('never has more than one probe on its way, in any sequence', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('ask' as const), subject: fc.nat(9) }),
      fc.record({
        do: fc.constant('answer' as const),
        of: fc.nat(20),
        verdict: fc.constantFrom<BreakerSignal>(
          'passed',
          'failed',
          'failed',
          'busy',
          'redirected',
          'credentials_refused',
        ),
      }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 1_000, BREAKER_OPEN_MS, 120_000) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const gate = opened();
        const probes = new Map<string, { untilMs: number }>();
        const leases: string[] = [];
        for (const each of steps) {
          if (each.do === 'pass') gate.clock.pass(each.ms);
          else if (each.do === 'answer') {
            const lease = leases.splice(each.of % Math.max(1, leases.length), 1)[0];
            if (lease === undefined) continue;
            probes.delete(lease);
            gate.report(each.verdict, { lease });
          } else {
            const isOpen = gate.scopes().length > 0;
            const answer = gate.request({ subject: `LD${each.subject}` });
            if (answer.outcome !== 'granted') continue;
            expect(answer.probe).toBe(isOpen);
            for (const [lease, { untilMs }] of probes) if (gate.clock.nowMs() >= untilMs) probes.delete(lease);
            if (answer.probe) expect(probes.size).toBe(0);
            if (answer.probe) probes.set(answer.lease, { untilMs: answer.untilMs + LATE_MS });
            leases.push(answer.lease);
          }
        }
      }),
    );
  });
});

describe('a SCAC that is answered 403', () => {
  it('is parked alone, and probed once an hour until one request passes', () => {
    const gate = aCore();
    gate.attempt('scac_refused');
    expect(breaker(gate, 'scac:ACME')).toMatchObject({ why: 'not_onboarded', state: 'open' });
    expect(gate.request({ subject: 'LD2' })).toMatchObject({ outcome: 'parked', why: 'scac' });
    expect(gate.attempt('passed', { scac: 'BOLT' })).toBe('sent');
    gate.clock.pass(SCAC_PROBE_MS);
    expect(gate.attempt('scac_refused')).toBe('probed');
    gate.clock.pass(SCAC_PROBE_MS - 1);
    expect(gate.attempt('passed')).toBe('parked');
    gate.clock.pass(1);
    expect([gate.attempt('passed'), gate.attempt('passed')]).toEqual(['probed', 'sent']);
  });

  it('says nothing of others when it is accepted again: their failures still count', () => {
    const gate = aCore();
    gate.attempt('scac_refused');
    fail(
      gate,
      subjects(4).map((subject) => `B${subject}`),
      'bolt',
    );
    gate.core.breakers.close('scac:ACME');
    fail(gate, ['B5'], 'bolt');
    expect(gate.scopes()).toEqual(['partner:bolt']);
  });

  it('lets its subjects look again every few minutes, so that a release is felt', () => {
    const gate = aCore();
    gate.attempt('scac_refused');
    const parked = gate.request();
    expect(parked.outcome === 'parked' ? parked.untilMs - gate.clock.nowMs() : 0).toBe(DEFERRED_SLEEP_MS);
    expect(gate.core.breakers.close('scac:ACME')).toMatchObject({ why: 'not_onboarded' });
    expect(gate.attempt('passed')).toBe('sent');
  });

  it('puts the credentials in doubt when it is the third', () => {
    const gate = aCore();
    for (const scac of ['A1', 'A2', 'A3']) gate.attempt('scac_refused', { scac });
    expect(gate.scopes()).toEqual(['auth', 'scac:A1', 'scac:A2', 'scac:A3']);
    expect(breaker(gate, 'auth').why).toBe('scacs_parked');
    expect(gate.request({ scac: 'A4' })).toMatchObject({ why: 'auth' });
  });

  it('puts them in no doubt where all are of one partner and others are at work: nobody waits for what one has not set up', () => {
    const gate = aCore();
    gate.attempt('passed', { partner: 'bolt', scac: 'BOLT' });
    for (const scac of ['A1', 'A2', 'A3', 'A4']) gate.attempt('scac_refused', { scac });
    expect(gate.scopes()).toEqual(['scac:A1', 'scac:A2', 'scac:A3', 'scac:A4']);
    expect(gate.attempt('passed', { partner: 'bolt', scac: 'BOLT' })).toBe('sent');
    gate.attempt('scac_refused', { partner: 'bolt', scac: 'BOLT' });
    expect(breaker(gate, 'auth').why).toBe('scacs_parked');
  });

  it('takes the doubt back when another partner comes', () => {
    const gate = aCore();
    for (const scac of ['A1', 'A2', 'A3']) gate.attempt('scac_refused', { scac });
    expect(gate.attempt('passed', { partner: 'bolt', scac: 'BOLT' })).toBe('sent');
    expect(gate.scopes()).toEqual(['scac:A1', 'scac:A2', 'scac:A3']);
  });
});

describe('refused credentials', () => {
  it('stop the whole channel at once, and one request tries them every five minutes', () => {
    const gate = aCore();
    gate.attempt('credentials_refused');
    expect(gate.request({ partner: 'bolt', scac: 'BOLT' })).toMatchObject({ outcome: 'parked', why: 'auth' });
    gate.clock.pass(AUTH_PROBE_MS);
    expect(gate.attempt('credentials_refused')).toBe('probed');
    gate.clock.pass(AUTH_PROBE_MS - 1);
    expect(gate.attempt('passed')).toBe('parked');
    gate.clock.pass(1);
    expect([gate.attempt('passed'), gate.attempt('passed')]).toEqual(['probed', 'sent']);
  });

  it('are tried by the channel’s own probe before a row is risked', () => {
    const gate = aCore({ hasOwnProbe: true });
    const failure = { atMs: 0, subject: 'GET locations', status: 401, detail: '' };
    gate.attempt('credentials_refused');
    const { breakers } = gate.core;
    expect(breakers.ownProbeAtMs()).toBe(gate.clock.nowMs() + AUTH_PROBE_MS);
    gate.clock.pass(AUTH_PROBE_MS);
    expect(gate.request().outcome).toBe('parked');
    breakers.noteOwnProbe('credentials_refused', failure);
    expect(breakers.ownProbeAtMs()).toBe(gate.clock.nowMs() + AUTH_PROBE_MS);
    gate.clock.pass(AUTH_PROBE_MS);
    breakers.noteOwnProbe('passed', failure);
    expect(breakers.ownProbeAtMs()).toBe(null);
    expect([gate.attempt('passed'), gate.attempt('passed')]).toEqual(['probed', 'sent']);
  });

  it('are found by the own probe that a parked SCAC brings about, if that is refused too', () => {
    const gate = aCore({ hasOwnProbe: true });
    const { breakers } = gate.core;
    const failure = { atMs: 0, subject: 'GET locations', status: 403, detail: '' };
    expect(breakers.ownProbeAtMs()).toBe(null);
    gate.attempt('scac_refused');
    expect(breakers.ownProbeAtMs()).toBe(gate.clock.nowMs());
    breakers.noteOwnProbe('passed', failure);
    expect(gate.scopes()).toEqual(['scac:ACME']);
    gate.attempt('scac_refused', { scac: 'BOLT' });
    breakers.noteOwnProbe('scac_refused', failure);
    expect(breaker(gate, 'auth')).toMatchObject({ why: 'channel_refused', lastFailure: { status: 403 } });
  });
});

describe('a request that must not be sent twice', () => {
  const failure = { atMs: 0, subject: 'GET locations', status: null, detail: '' };

  it('is no first probe where the channel has one of its own', () => {
    const gate = aCore({ hasOwnProbe: true });
    fail(gate, subjects(5));
    gate.clock.pass(BREAKER_OPEN_MS);
    expect(gate.request({ repeatable: false }).outcome).toBe('parked');
    expect(gate.core.breakers.ownProbeAtMs()).toBe(gate.clock.nowMs());
    gate.core.breakers.noteOwnProbe('failed', failure);
    expect(breaker(gate, 'channel').openMs).toBe(2 * BREAKER_OPEN_MS);
    gate.clock.pass(2 * BREAKER_OPEN_MS);
    expect(gate.request({ repeatable: false }).outcome).toBe('parked');
    gate.core.breakers.noteOwnProbe('passed', failure);
    expect(gate.granted({ repeatable: false }).probe).toBe(true);
  });

  it('may follow an own probe that was refused: the channel answers, and its credentials are in doubt', () => {
    const gate = aCore({ hasOwnProbe: true });
    fail(gate, subjects(5));
    gate.clock.pass(BREAKER_OPEN_MS);
    gate.request({ repeatable: false });
    gate.core.breakers.noteOwnProbe('credentials_refused', failure);
    expect(breaker(gate, 'channel')).toMatchObject({ successes: 1, openMs: BREAKER_OPEN_MS });
    expect(breaker(gate, 'auth').why).toBe('channel_refused');
  });

  it.each([
    ['passed', 1],
    ['failed', 0],
  ] as const)('takes no probe from another that is on its way: an own one that %s counts %d', (said, successes) => {
    const gate = aCore({ hasOwnProbe: true });
    fail(gate, subjects(5));
    gate.clock.pass(BREAKER_OPEN_MS);
    gate.request({ repeatable: false });
    const { lease } = gate.granted({ repeatable: true });
    gate.core.breakers.noteOwnProbe(said, failure);
    expect(breaker(gate, 'channel')).toMatchObject({ state: 'half_open', successes, probe: { lease } });
    expect(gate.request({ subject: 'LD2' }).outcome).toBe('parked');
    gate.report('failed', { lease });
    const openMs = 2 * BREAKER_OPEN_MS;
    expect(breaker(gate, 'channel')).toMatchObject({ state: 'open', successes: 0, openMs, probe: null });
  });

  it('leaves the probe to others while they come', () => {
    const gate = aCore({ hasOwnProbe: true });
    fail(gate, subjects(5));
    gate.clock.pass(BREAKER_OPEN_MS);
    expect(gate.attempt('passed')).toBe('probed');
    expect(gate.granted({ repeatable: false }).probe).toBe(true);
  });
});

describe('whatever happens', () => {
  it('a gate that is asked long enough lets everybody pass again', () => {
    const verdicts = fc.constantFrom<BreakerSignal>(
      'failed',
      'redirected',
      'busy',
      'scac_refused',
      'credentials_refused',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(verdicts, fc.nat(9), fc.nat(60_000)), { maxLength: 60 }), (steps) => {
        const gate = aCore();
        for (const [verdict, subject, ms] of steps) {
          gate.clock.pass(ms);
          gate.attempt(verdict, { subject: `LD${subject}`, scac: `S${subject % 4}` });
        }
        for (let asked = 0; asked < 40; asked += 1) {
          gate.clock.pass(SCAC_PROBE_MS);
          for (const scac of ['S0', 'S1', 'S2', 'S3']) gate.attempt('passed', { scac });
        }
        gate.clock.pass(FAR_MS);
        expect(gate.scopes()).toEqual([]);
      }),
    );
  });
});
