import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptClass } from '../../../src/delivery/classify.ts';
import { afterAttempt, type Past } from '../../../src/delivery/next-step.ts';
import { isFinal } from '../../../src/delivery/states.ts';
import { draws } from '../../draws.ts';
import { clockAt, HOUR_MS, NOW_MS, SECOND_MS } from './samples.ts';

const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
/** With Retry-After and without. */
const wait = fc
  .option(fc.integer({ min: SECOND_MS, max: 6 * HOUR_MS }), { nil: undefined })
  .map((retryAfterMs) => (retryAfterMs === undefined ? {} : { retryAfterMs }));
const seen: fc.Arbitrary<AttemptClass> = fc.oneof(
  fc.constantFrom<AttemptClass>({ effect: 'applied' }, { effect: 'refused' }, { effect: 'redirected' }),
  fc.constant<AttemptClass>({ effect: 'refused', loadUnknown: true }),
  fc.boolean().map((retry): AttemptClass => ({ effect: 'not_sent', retry })),
  fc
    .tuple(fc.constantFrom('credentials_refused', 'scac_refused', 'no_token'), wait)
    .map(([reason, asked]): AttemptClass => ({ effect: 'channel', reason, ...asked })),
  wait.map((asked): AttemptClass => ({ effect: 'not_applied', ...asked })),
  wait.map((asked): AttemptClass => ({ effect: 'unknown', ...asked })),
);
/** What counted as a try was an attempt, and what may have landed was both; an attempt that blamed the channel was no try. */
const past: fc.Arbitrary<Past> = fc
  .record({
    tries: fc.nat(30),
    hadUnknown: fc.boolean(),
    attempted: fc.boolean(),
    deadlineMs: fc.integer({ min: NOW_MS - HOUR_MS, max: NOW_MS + 72 * HOUR_MS }),
    holdsUnclear: fc.boolean(),
    loadWaitUntilMs: fc.option(fc.integer({ min: NOW_MS - HOUR_MS, max: NOW_MS + 72 * HOUR_MS })),
  })
  .map((one) => ({ ...one, hadUnknown: one.hadUnknown && one.tries > 0, attempted: one.attempted || one.tries > 0 }));
const scale = fc.constantFrom(1, 60, 720, 5_000);

describe('waits', () => {
  it('lie within a fifth of the schedule', () => {
    const base = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), dice, (failure, random) => {
        const waitMs = (base[failure - 1] ?? 36_000) * SECOND_MS;
        const { step } = afterAttempt(
          { tries: failure - 1, hadUnknown: false, attempted: failure > 1, deadlineMs: NOW_MS + 72 * HOUR_MS },
          { effect: 'not_applied' },
          clockAt(NOW_MS),
          () => random,
        );
        const waitedMs = 'atMs' in step ? step.atMs - NOW_MS : Number.NaN;
        expect(waitedMs).toBeGreaterThanOrEqual(0.8 * waitMs - 1);
        expect(waitedMs).toBeLessThanOrEqual(1.2 * waitMs + 1);
      }),
    );
  });

  it('spread with the dice, so that loads that failed together do not come back together', () => {
    const at = (random: number) =>
      afterAttempt(
        { tries: 3, hadUnknown: false, attempted: true, deadlineMs: NOW_MS + 72 * HOUR_MS },
        { effect: 'not_applied' },
        clockAt(NOW_MS),
        () => random,
      ).step;
    expect(at(0)).toEqual({ state: 'waiting', atMs: NOW_MS + 8 * 60 * SECOND_MS });
    expect(at(0.999_999)).toMatchObject({ atMs: NOW_MS + 12 * 60 * SECOND_MS });
  });

  it('shrink with the time scale, and only they do', () => {
    fc.assert(
      fc.property(past, seen, dice, scale, (before, observed, random, timeScale) => {
        const far = { ...before, deadlineMs: Number.MAX_SAFE_INTEGER, loadWaitUntilMs: Number.MAX_SAFE_INTEGER };
        const slow = afterAttempt(far, observed, clockAt(NOW_MS), () => random);
        const fast = afterAttempt(far, observed, clockAt(NOW_MS, timeScale), () => random);
        expect(fast.step.state).toBe(slow.step.state);
        if ('atMs' in slow.step && 'atMs' in fast.step) {
          expect(fast.step.atMs - NOW_MS).toBe(Math.max(1, Math.round((slow.step.atMs - NOW_MS) / timeScale)));
        }
      }),
    );
  });
});

describe('whatever was seen', () => {
  const forAll = (
    check: (before: Past, observed: AttemptClass, taken: ReturnType<typeof afterAttempt>) => void,
  ): void =>
    fc.assert(
      fc.property(past, seen, dice, (before, observed, random) =>
        check(
          before,
          observed,
          afterAttempt(before, observed, clockAt(NOW_MS), () => random),
        ),
      ),
      { numRuns: draws(1_000) },
    );

  it('a request is never called rejected, or dead and not applied, once a try may have landed (I9)', () => {
    forAll((before, observed, { step, hadUnknown }) => {
      if (!before.hadUnknown && observed.effect !== 'unknown') return;
      expect(hadUnknown).toBe(true);
      expect(step.state).not.toBe('rejected');
      expect(step).not.toMatchObject({ state: 'dead', outcome: 'not_applied' });
    });
  });

  it('a request that may have landed is unknown while it waits', () => {
    forAll((_before, _observed, { step, hadUnknown }) => {
      if ('atMs' in step) expect(step.state === 'unknown').toBe(hadUnknown);
    });
  });

  it('a request of a mapping that asks for at most once waits for a person once a try was unclear', () => {
    forAll((before, observed, { step }) => {
      if (observed.effect !== 'unknown') return;
      expect(step.state === 'held').toBe(before.holdsUnclear === true);
    });
  });

  it('a load that is not known is waited for exactly while there is time for it', () => {
    forAll((before, observed, { step }) => {
      if (observed.effect !== 'refused' || observed.loadUnknown !== true) return;
      const untilMs = Math.min(before.loadWaitUntilMs ?? 0, before.deadlineMs);
      expect('atMs' in step).toBe(NOW_MS < untilMs);
      if ('atMs' in step) expect(step.atMs).toBeLessThanOrEqual(untilMs);
    });
  });

  it('a try is counted exactly when something left and the channel was not to blame', () => {
    forAll((before, observed, { tries }) => {
      const costsNone = observed.effect === 'channel' || observed.effect === 'not_sent';
      expect(tries).toBe(before.tries + (costsNone ? 0 : 1));
    });
  });

  it('a request that is not final or held has its next wake-up in the future', () => {
    forAll((_before, _observed, { step }) => {
      if (isFinal(step.state) || step.state === 'held') return;
      expect('atMs' in step && step.atMs > NOW_MS).toBe(true);
    });
  });

  it('a retry never lies beyond the deadline, but for the token that never came', () => {
    forAll((before, _observed, { step }) => {
      if (step.state !== 'waiting' && step.state !== 'unknown') return;
      expect(step.atMs).toBeLessThanOrEqual(before.deadlineMs);
    });
  });

  it('the next try never comes before Retry-After (I15)', () => {
    forAll((_before, observed, { step }) => {
      if (!('retryAfterMs' in observed) || observed.retryAfterMs === undefined || !('atMs' in step)) return;
      expect(step.atMs - NOW_MS).toBeGreaterThanOrEqual(observed.retryAfterMs);
    });
  });

  it('a request that was attempted is never queued again', () => {
    forAll((before, observed, { step }) => {
      const leftNothing = !before.attempted && observed.effect === 'not_sent';
      if (step.state === 'queued') expect(leftNothing).toBe(true);
      if (leftNothing) expect(['queued', 'dead']).toContain(step.state);
    });
  });

  it('what is unknown is not sent again within a minute', () => {
    forAll((_before, observed, { step }) => {
      if (observed.effect === 'unknown' && 'atMs' in step)
        expect(step.atMs - NOW_MS).toBeGreaterThanOrEqual(60 * SECOND_MS);
    });
  });
});

it('gives a request its last wait near its deadline, not days before it', () => {
  let before: Past = { tries: 0, hadUnknown: false, attempted: false, deadlineMs: NOW_MS + 72 * HOUR_MS };
  let nowMs = NOW_MS;
  let sends = 0;
  for (;;) {
    const taken = afterAttempt(before, { effect: 'not_applied' }, clockAt(nowMs), () => 0.5);
    sends += 1;
    if (!('atMs' in taken.step)) break;
    nowMs = taken.step.atMs;
    before = { ...before, tries: taken.tries, attempted: true };
  }
  expect(nowMs - NOW_MS).toBeGreaterThan(60 * HOUR_MS);
  expect(sends).toBe(14);
});
