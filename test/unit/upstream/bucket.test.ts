/** The token bucket: never more than the rate and one burst, whatever is asked, used, handed back or lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEASE_LIFETIME_MS, LEASE_PERMITS_MAX } from '../../../src/kernel/limits.ts';
import { charge, emptyBucket, giveBack, nextPermitMs, refill, take } from '../../../src/upstream/gate/core.ts';
import { aCore, movedClock } from './gate-samples.ts';

const RATE = { ratePerSecond: 10, burst: 20 };

describe('a bucket', () => {
  it('starts empty, so that a gate that is restarted gives no second burst', () => {
    expect(take(emptyBucket(0), 5).permits).toBe(0);
  });

  it('gains its rate on the scaled clock, up to the burst', () => {
    const clock = movedClock(60);
    const empty = emptyBucket(clock.nowMs());
    clock.pass(10);
    expect(refill(empty, RATE, clock).tokens).toBeCloseTo(6);
    clock.pass(1_000);
    expect(refill(empty, RATE, clock).tokens).toBe(20);
  });

  it('counts what is out as if it were in, until it is used or lost', () => {
    const clock = movedClock();
    clock.pass(10_000);
    const full = refill(emptyBucket(0), RATE, clock);
    const { permits, bucket } = take(full, 15);
    expect(permits).toBe(15);
    clock.pass(10_000);
    expect(refill(bucket, RATE, clock).tokens).toBe(5);
    expect(refill(giveBack(bucket, 15, 0), RATE, clock).tokens).toBe(20);
    expect(refill(giveBack(bucket, 5, 10), RATE, clock).tokens).toBe(20);
  });

  it('is paid for afterwards by a call that had no permit', () => {
    const clock = movedClock();
    const owing = charge(emptyBucket(clock.nowMs()), 1);
    expect(nextPermitMs(owing, RATE, clock) - clock.nowMs()).toBe(200);
    clock.pass(100);
    expect(take(refill(owing, RATE, clock), 1).permits).toBe(0);
    clock.pass(100);
    expect(take(refill(owing, RATE, clock), 1).permits).toBe(1);
  });

  it('neither gains nor loses by a clock that goes back', () => {
    const clock = movedClock();
    clock.pass(1_000);
    const later = refill(emptyBucket(clock.nowMs() - 1_000), RATE, clock);
    clock.pass(-3_600_000);
    const before = refill(later, RATE, clock);
    expect(before.tokens).toBe(later.tokens);
    clock.pass(3_600_000);
    expect(refill(before, RATE, clock).tokens).toBe(later.tokens);
  });
});

describe('permits of a gate', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('ask' as const), wanted: fc.integer({ min: 1, max: 15 }) }),
    fc.record({ do: fc.constant('use' as const), of: fc.nat(30) }),
    fc.record({ do: fc.constant('end' as const), of: fc.nat(30) }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 5_000 }) }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.constant(LEASE_LIFETIME_MS) }),
  );

  it('are never used faster than rate × time + burst, over any stretch of time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 40 }), (steps, burst) => {
        const ratePerSecond = 7;
        const { core, clock, request: ask, report } = aCore({ ratePerSecond, burst });
        const held: { lease: string; left: number; untilMs: number }[] = [];
        const usedAtMs: number[] = [];
        for (const each of steps) {
          if (each.do === 'pass') clock.pass(each.ms);
          else if (each.do === 'ask') {
            const answer = ask({ wanted: each.wanted });
            if (answer.outcome !== 'granted') continue;
            expect(answer.permits).toBeLessThanOrEqual(LEASE_PERMITS_MAX);
            held.push({ lease: answer.lease, left: answer.permits, untilMs: answer.untilMs });
          } else {
            const lease = held[each.of % Math.max(1, held.length)];
            if (lease === undefined) continue;
            if (each.do === 'use' && lease.left > 0 && clock.nowMs() < lease.untilMs) {
              lease.left -= 1;
              usedAtMs.push(clock.nowMs());
              report('passed', { lease: lease.lease });
            } else if (each.do === 'end') {
              ask({ wanted: 0, ended: [{ lease: lease.lease, unused: lease.left }] });
              lease.left = 0;
            }
          }
          expect(core.permitsOut).toBeGreaterThanOrEqual(0);
        }
        usedAtMs.forEach((fromMs, index) => {
          usedAtMs.slice(index).forEach((toMs, more) => {
            expect(more + 1).toBeLessThanOrEqual(burst + (ratePerSecond * (toMs - fromMs)) / 1_000 + 1e-6);
          });
        });
      }),
    );
  });

  it('pay for one sending: each further one of a request, with a renewed token, is paid for afterwards', () => {
    const { core, clock, granted, report } = aCore({ ratePerSecond: 10, burst: 10 });
    expect(core.permitsLeft).toBe(10);
    const { lease } = granted({ wanted: 2 });
    expect(core.permitsOut).toBe(2);
    report('passed', { lease });
    expect([core.permitsLeft, core.permitsOut]).toEqual([8, 1]);
    report('passed', { lease, sendings: 2 });
    expect(core.permitsLeft).toBe(7);
    clock.pass(300);
    expect(core.permitsLeft).toBe(10);
  });

  it('come back to the gate when their holder has died', () => {
    const { core, clock, granted } = aCore({ ratePerSecond: 10, burst: 10 });
    granted({ wanted: 10 });
    clock.pass(LEASE_LIFETIME_MS - 1);
    expect(core.permitsOut).toBe(10);
    clock.pass(1);
    expect(core.permitsOut).toBe(0);
  });

  it('bring those who find none back one by one, at the rate at which permits come', () => {
    const { request: ask, granted } = aCore({ ratePerSecond: 10, burst: 10 });
    granted({ wanted: 10 });
    const times = Array.from({ length: 50 }, () => ask()).map((answer) =>
      answer.outcome === 'parked' ? [answer.why, answer.untilMs] : [],
    );
    const firstMs = Number(times[0]?.[1]);
    expect(times).toEqual(times.map((_, index) => ['rate', firstMs + index * 100]));
  });

  it('keep no place for those who give up before their turn', () => {
    const { request, granted, clock } = aCore({ ratePerSecond: 10, burst: 10 });
    granted({ wanted: 10 });
    const nextMs = (waitsUntilMs?: number) => {
      const answer = request({ waitsUntilMs });
      return answer.outcome === 'parked' ? answer.untilMs : null;
    };
    const turnMs = clock.nowMs() + 100;
    const impatient = Array.from({ length: 50 }, () => nextMs(turnMs - 1));
    expect(impatient).toEqual(impatient.map(() => turnMs));
    expect([nextMs(turnMs), nextMs(turnMs), nextMs(), nextMs()]).toEqual([0, 100, 100, 200].map((ms) => turnMs + ms));
  });
});
