/** When an order tells its feed of itself, and how long it looks for one that is not there. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/kernel/clock.ts';
import { FEED_NOTIFIED_ANEW_MS, FEED_SOUGHT_MS, OUTCOME_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { type Followed, isNotifiedAgain, notifyAgainAtMs } from '../../../src/tracking/order-following.ts';

const NOW = 1_000_000_000;
const clock = (nowMs = NOW): Clock => ({ nowMs: () => nowMs, timeScale: 1 });
const followed = (more: Partial<Followed> = {}): Followed => ({
  pair: { partnerId: 'P', clientId: 'C' },
  takenAtMs: NOW,
  sinceMs: NOW,
  told: null,
  heardAtMs: 0,
  ...more,
});

describe('an order', () => {
  it('tells its feed what that does not know', () => {
    expect(isNotifiedAgain(followed(), 'open', true, clock())).toBe(true);
    expect(isNotifiedAgain(followed({ told: 'open', heardAtMs: NOW }), 'none', false, clock())).toBe(true);
    expect(isNotifiedAgain(followed({ told: 'none', heardAtMs: NOW }), 'none', false, clock())).toBe(false);
  });

  it('that is still to be made tells it anew once its word is an hour old', () => {
    const told = followed({ told: 'open', heardAtMs: NOW });
    expect(isNotifiedAgain(told, 'open', true, clock(NOW + FEED_NOTIFIED_ANEW_MS - 1))).toBe(false);
    expect(isNotifiedAgain(told, 'open', true, clock(NOW + FEED_NOTIFIED_ANEW_MS))).toBe(true);
    expect(isNotifiedAgain(told, 'open', false, clock(NOW + FEED_NOTIFIED_ANEW_MS))).toBe(false);
  });

  it('looks for a feed that is not there at twice its age each time, for two hours', () => {
    const times: number[] = [];
    for (let atMs: number | null = NOW; atMs !== null; atMs = notifyAgainAtMs(followed(), clock(atMs)))
      times.push(atMs);
    expect(times.slice(0, 4).map((atMs) => atMs - NOW)).toEqual([0, 1, 2, 4].map((times) => times * OUTCOME_PAUSE_MS));
    expect(times.length).toBeLessThan(15);
    expect((times.at(-1) ?? 0) - NOW).toBeGreaterThanOrEqual(FEED_SOUGHT_MS);
  });

  it('no longer looks for it when what makes it is two hours old', () => {
    const since = (ageMs: number) => notifyAgainAtMs(followed({ takenAtMs: NOW - ageMs }), clock());
    expect([since(FEED_SOUGHT_MS - 1), since(FEED_SOUGHT_MS)]).toEqual([NOW + FEED_SOUGHT_MS - 1, null]);
  });

  it('tells a feed that is there until it hears', () => {
    const old = followed({ told: 'open', takenAtMs: NOW - 10 * FEED_SOUGHT_MS });
    expect(notifyAgainAtMs(old, clock())).toBe(NOW + OUTCOME_PAUSE_MS);
  });
});
