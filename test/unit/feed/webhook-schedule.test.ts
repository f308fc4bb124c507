/** When a delivery is tried again, and when it and its target are given up. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Attempted,
  afterAttempt,
  afterSilenceMs,
  attemptTimeoutMs,
  signingGenerations,
} from '../../../src/webhooks/schedule.ts';

const NOW_MS = Date.UTC(2026, 2, 3);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const clock = (timeScale = 1) => ({ nowMs: () => NOW_MS, timeScale });
const answered = (status: number): Attempted => ({ outcome: 'answered', status, detail: '' });
const NO_ANSWER: Attempted = { outcome: 'no_answer', code: 'timeout', detail: '' };
const first = { attempts: 1, failingSinceMs: null, random: 0.5 };

describe('after an attempt', () => {
  it.each([200, 201, 202, 204, 299])('answered %i it has arrived', (status) => {
    expect(afterAttempt(answered(status), first, clock())).toEqual({ state: 'delivered' });
  });

  it.each([301, 302, 307, 400, 401, 404, 409, 429, 500, 503, 199])('answered %i it is made again', (status) => {
    const after = { state: 'waiting', dueMs: NOW_MS + 5_000 };
    expect(afterAttempt(answered(status), first, clock())).toEqual(after);
  });

  it('answered 410 it is over for its target', () => {
    expect(afterAttempt(answered(410), first, clock())).toEqual({ state: 'given_up', disables: 'gone' });
  });

  it('the waits are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h; then it is given up', () => {
    const waits = Array.from({ length: 10 }, (_, index) => {
      const after = afterAttempt(NO_ANSWER, { ...first, attempts: index + 1 }, clock());
      return after.state === 'waiting' ? after.dueMs - NOW_MS : after.state;
    });
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
    expect(waits).toEqual([5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...hours, 'given_up']);
  });

  it('waits differ by a tenth at most, and pass as fast as the clock', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        random,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 1_000 }),
        (share, attempts, scale) => {
          const waitOf = (timeScale: number, dice: number) => {
            const found = afterAttempt(answered(500), { ...first, attempts, random: dice }, clock(timeScale));
            return found.state === 'waiting' ? found.dueMs - NOW_MS : Number.NaN;
          };
          const ratio = waitOf(1, share) / waitOf(1, 0.5);
          expect(ratio).toBeGreaterThanOrEqual(0.9);
          expect(ratio).toBeLessThanOrEqual(1.1);
          expect(Math.abs(waitOf(scale, 0.5) - waitOf(1, 0.5) / scale)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('its target is switched off when nothing arrived for five days, by a delivery that has had all its tries', () => {
    const failedFor = (attempts: number, failedMs: number) =>
      afterAttempt(NO_ANSWER, { ...first, attempts, failingSinceMs: NOW_MS - failedMs }, clock());
    expect(failedFor(10, 5 * DAY_MS - 1)).toEqual({ state: 'given_up', disables: null });
    expect(failedFor(10, 5 * DAY_MS)).toEqual({ state: 'given_up', disables: 'failing' });
    for (let attempts = 1; attempts < 10; attempts += 1) {
      expect(failedFor(attempts, 50 * DAY_MS).state).toBe('waiting'); // nothing may have been sent to it in between
    }
  });
});

it('a timeout is 15 s, and no less than 2 s on a fast clock; silence lasts longer than a timeout', () => {
  expect(attemptTimeoutMs(clock())).toBe(15_000);
  expect(attemptTimeoutMs(clock(1_000))).toBe(2_000);
  expect(afterSilenceMs(clock())).toBeGreaterThan(NOW_MS + 15_000);
});

describe('keys that sign', () => {
  const signing = (generation: number, rotatedMs: number | null) =>
    signingGenerations({ generation, rotatedAtMs: rotatedMs === null ? null : NOW_MS - rotatedMs }, clock());
  it('are the newest, and for a day after a rotation the three before it: the receiver may have any of them', () => {
    expect(signing(1, null)).toEqual([1]);
    expect(signing(2, 0)).toEqual([2, 1]);
    expect(signing(3, 0)).toEqual([3, 2, 1]);
    expect(signing(9, DAY_MS - 1)).toEqual([9, 8, 7, 6]);
    expect(signing(3, DAY_MS)).toEqual([3]);
    expect(signing(3, null)).toEqual([3]);
  });
});
