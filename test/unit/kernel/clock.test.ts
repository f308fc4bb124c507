import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockOf, readTimeScale, scaledMs, systemClock } from '../../../src/kernel/clock.ts';

describe('scaledMs', () => {
  const at = (timeScale: number) => ({ nowMs: () => 0, timeScale });

  it('leaves waits alone at scale 1', () => {
    expect(scaledMs(72 * 3_600_000, at(1))).toBe(72 * 3_600_000);
  });

  it('shortens two hours to ten seconds at scale 720', () => {
    expect(scaledMs(2 * 3_600_000, at(720))).toBe(10_000);
  });

  it('never waits less than a millisecond, so that a wait stays a wait', () => {
    expect(scaledMs(5, at(100_000))).toBe(1);
  });

  it('gives whole milliseconds, as alarms want them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e10 }),
        fc.double({ min: 1, max: 1e5, noNaN: true }),
        (durationMs, scale) => {
          const waitMs = scaledMs(durationMs, at(scale));
          return Number.isInteger(waitMs) && waitMs >= 1 && waitMs <= Math.max(1, durationMs);
        },
      ),
    );
  });
});

describe('systemClock', () => {
  it('tells the time unscaled', () => {
    const clock = systemClock(720);
    expect(clock.timeScale).toBe(720);
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(1_000);
  });
});

describe('clockOf', () => {
  it('runs at the scale that is set, and in real time where none is', () => {
    expect(clockOf({ TIME_SCALE: '720' }).timeScale).toBe(720);
    expect(clockOf({}).timeScale).toBe(1);
  });

  it.each(['fast', '0', ''])('runs in real time where the scale %j is refused: others say so', (scale) => {
    expect(clockOf({ TIME_SCALE: scale }).timeScale).toBe(1);
  });
});

describe('readTimeScale', () => {
  it.each([
    [undefined, 1],
    ['1', 1],
    ['720', 720],
    ['1.5', 1.5],
    ['100000', 100_000],
  ])('reads %j as %d', (text, value) => {
    expect(readTimeScale(text)).toEqual({ ok: true, value });
  });

  it.each(['0', '0.5', '-1', '100001', 'fast', '', 'Infinity', 'NaN', '1,5'])(
    'refuses %j and says what is wanted',
    (text) => {
      expect(readTimeScale(text)).toEqual({
        ok: false,
        error: [{ path: 'TIME_SCALE', message: 'must be a number from 1 to 100000' }],
      });
    },
  );
});
