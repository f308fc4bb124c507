/** How fast a batch calls loads it has not called before. */
import { describe, expect, it } from 'vitest';
import { SubjectPace } from '../../../src/batch/core/pacing.ts';
import {
  NEW_SUBJECTS_FREE,
  NEW_SUBJECTS_PER_SECOND_LOCAL,
  NEW_SUBJECTS_PER_SECOND as PER_SECOND,
  SUBJECTS_REMEMBERED_MAX as REMEMBERED_MAX,
} from '../../../src/batch/limits.ts';
import { newSubjectsPerSecond } from '../../../src/batch/steps/dispatch.ts';

const meetMany = (pace: SubjectPace, names: string[], nowMs: number): void => {
  for (const name of names) pace.meet(name, nowMs);
};
const names = (count: number, prefix = 'L'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

it("asks for no rest for a second's worth of them", () => {
  const pace = new SubjectPace(PER_SECOND);
  meetMany(pace, names(PER_SECOND), 0);
  expect(pace.restMs(0)).toBe(0);
});

it('asks for as much rest as the others need, which passes', () => {
  const pace = new SubjectPace(PER_SECOND);
  meetMany(pace, names(PER_SECOND * 3), 0);
  expect(pace.restMs(0)).toBe(2_000);
  expect(pace.restMs(1_500)).toBe(500);
  expect(pace.restMs(2_000)).toBe(0);
});

it('counts none that was called before', () => {
  const pace = new SubjectPace(PER_SECOND);
  meetMany(pace, names(PER_SECOND), 0);
  for (let again = 0; again < 5; again += 1) meetMany(pace, names(PER_SECOND), again);
  expect(pace.restMs(5)).toBe(0);
});

it('remembers so many and no more, and then begins anew', () => {
  const pace = new SubjectPace(PER_SECOND);
  meetMany(pace, names(REMEMBERED_MAX), 0);
  const restMs = pace.restMs(0);
  pace.meet('L0', 0); // the last one still had its place
  expect(pace.restMs(0)).toBe(restMs);
  meetMany(pace, ['one more', 'L0'], 0);
  expect(pace.restMs(0)).toBe(restMs + 2 * (1_000 / PER_SECOND));
});

it("lets no more through than the rate and one second's worth, in any stretch of time", () => {
  const pace = new SubjectPace(PER_SECOND);
  let nowMs = 0;
  let called = 0;
  for (let step = 0; step < 40; step += 1) {
    meetMany(pace, names(150, `S${step}-`), nowMs);
    called += 150;
    nowMs += pace.restMs(nowMs);
    expect(called).toBeLessThanOrEqual(PER_SECOND + (nowMs / 1_000) * PER_SECOND);
  }
  expect(nowMs).toBeLessThan(40 * 1_000);
});

it('is not held up by a clock that goes back', () => {
  const pace = new SubjectPace(PER_SECOND);
  meetMany(pace, names(PER_SECOND + 1), 10_000);
  expect(pace.restMs(0)).toBeLessThan(100);
});

describe('what the register grants', () => {
  it('is asked for after the first few, and not for those called before', () => {
    const pace = new SubjectPace(PER_SECOND);
    meetMany(pace, names(NEW_SUBJECTS_FREE - 1), 0);
    meetMany(pace, names(NEW_SUBJECTS_FREE - 1), 0);
    expect(pace.isSpent).toBe(false);
    pace.meet('one more', 0);
    expect(pace.isSpent).toBe(true);
    pace.grant({ subjects: 2, waitMs: 0 }, 0);
    meetMany(pace, names(2, 'G'), 0);
    expect([pace.isSpent, pace.heldMs(0)]).toEqual([true, 0]);
  });

  it('is waited for where it is nothing, and then asked for again', () => {
    const pace = new SubjectPace(PER_SECOND);
    meetMany(pace, names(NEW_SUBJECTS_FREE + 5), 0);
    pace.grant({ subjects: 0, waitMs: 40_000 }, 1_000);
    expect([pace.heldMs(1_000), pace.heldMs(40_999), pace.heldMs(41_000)]).toEqual([40_000, 1, 0]);
    expect(pace.isSpent).toBe(true);
    pace.grant({ subjects: 3, waitMs: 0 }, 41_000);
    expect([pace.isSpent, pace.heldMs(41_000)]).toEqual([false, 0]);
  });
});

describe('how many a second', () => {
  const withChannelAt = (baseUrl: string) => ({
    CHANNELS: JSON.stringify([{ name: 'main', environment: 'test', baseUrl, scacs: ['DEMO'] }]),
    CHANNEL_SECRETS: JSON.stringify({ main: { apiKey: 'key', clientSecret: 'secret' } }),
  });

  it('is more where every channel is on loopback', () => {
    expect(newSubjectsPerSecond(withChannelAt('http://127.0.0.1:9/api'))).toBe(NEW_SUBJECTS_PER_SECOND_LOCAL);
    expect(newSubjectsPerSecond(withChannelAt('https://upstream.example/api'))).toBe(PER_SECOND);
  });

  it('is what the platform allows where the settings are wrong: a batch can still be read', () => {
    expect(newSubjectsPerSecond({ CHANNELS: '[{"name":"Wrong Name"}]' })).toBe(PER_SECOND);
  });
});
