import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttemptClass, classificationOf, classify } from '../../../src/delivery/classify.ts';
import { RETRY_AFTER_MAX_MS, RETRY_AFTER_MIN_MS } from '../../../src/kernel/limits.ts';
import type { Observation } from '../../../src/upstream/answer.ts';
import { answered, HOUR_MS, NOW_MS, noAnswer, notSent } from './samples.ts';

const retryAfter = fc.option(
  fc.oneof(
    fc.integer({ min: -10, max: 2_000_000_000 }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.string(),
  ),
  { nil: undefined },
);
const answer = fc
  .record({
    status: fc.integer({ min: 100, max: 599 }),
    retryAfter,
    body: fc.string(),
    bodyEnd: fc.constantFrom('whole', 'capped', 'cut'),
  })
  .map(({ status, retryAfter: named, body, bodyEnd }): Observation => {
    return answered(status, { body, bodyEnd, headers: named === undefined ? {} : { 'retry-after': named } });
  });
const observed: fc.Arbitrary<Observation> = fc.oneof(
  { arbitrary: answer, weight: 8 },
  { arbitrary: fc.constantFrom(noAnswer('network'), noAnswer('timeout')), weight: 1 },
  { arbitrary: fc.constantFrom(notSent('no_token'), notSent('not_composed')), weight: 1 },
);

const EFFECTS: AttemptClass['effect'][] = [
  'applied',
  'refused',
  'redirected',
  'not_applied',
  'channel',
  'unknown',
  'not_sent',
];

describe('any observation', () => {
  it('has one class, and a verdict for its gate', () => {
    fc.assert(
      fc.property(observed, (seen) => {
        const found = classify(seen, NOW_MS);
        expect(EFFECTS).toContain(found.effect);
        expect(classificationOf(seen, found)).toMatch(/^[a-z_]+$/);
      }),
    );
  });

  it('is called applied only on a 2xx, and not applied never without an answer', () => {
    fc.assert(
      fc.property(observed, (seen) => {
        const { effect } = classify(seen, NOW_MS);
        const status = seen.outcome === 'answered' ? seen.status : 0;
        expect(effect === 'applied').toBe(status >= 200 && status < 300);
        if (seen.outcome === 'no_answer') expect(effect).toBe('unknown');
        if (status >= 500 && status !== 503) expect(effect).toBe('unknown');
      }),
    );
  });

  it('makes wait as long as it says within a second and six hours, or as the schedule does', () => {
    fc.assert(
      fc.property(observed, fc.integer({ min: NOW_MS - HOUR_MS, max: NOW_MS + HOUR_MS }), (seen, nowMs) => {
        const found = classify(seen, nowMs);
        if (!('retryAfterMs' in found) || found.retryAfterMs === undefined) return;
        expect(found.retryAfterMs).toBeGreaterThanOrEqual(RETRY_AFTER_MIN_MS);
        expect(found.retryAfterMs).toBeLessThanOrEqual(RETRY_AFTER_MAX_MS);
      }),
    );
  });
});
