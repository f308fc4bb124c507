import { describe, expect, it } from 'vitest';
import type { Move } from '../../../src/delivery/drain.ts';
import { afterHalving, isHalved, nextTraceMove, windowOpensMs } from '../../../src/delivery/events/traces.ts';
import { HOUR_MS, MINUTE_MS, NOW_MS } from './samples.ts';

const IDLE: Move = { move: 'idle' };
const NEVER = Number.NEGATIVE_INFINITY;
const loose = (readyAtMs: number, deadlineMs = NOW_MS + HOUR_MS) => ({ readyAtMs, deadlineMs });

describe('the lane of traces', () => {
  it('packs what may leave when no set was ever sent', () => {
    expect(nextTraceMove(IDLE, loose(NOW_MS), NEVER, NOW_MS)).toEqual({ move: 'pack' });
  });

  it('waits for its first point to be ready', () => {
    expect(nextTraceMove(IDLE, loose(NOW_MS + 5), NEVER, NOW_MS)).toMatchObject({ move: 'wait', untilMs: NOW_MS + 5 });
  });

  it('waits for its window though points are ready, to the millisecond', () => {
    expect(nextTraceMove(IDLE, loose(NOW_MS - 1), NOW_MS + 1, NOW_MS)).toMatchObject({ untilMs: NOW_MS + 1 });
    expect(nextTraceMove(IDLE, loose(NOW_MS - 1), NOW_MS, NOW_MS)).toEqual({ move: 'pack' });
  });

  it.each<Move>([
    { move: 'busy' },
    { move: 'send', key: '1' },
    { move: 'expire', key: '1' },
    { move: 'wait', untilMs: NOW_MS + 9, isBlocked: true },
  ])('does what its sets ask for before it packs: %j', (sets) => {
    expect(nextTraceMove(sets, loose(NOW_MS), NEVER, NOW_MS)).toEqual(sets);
  });

  it('lets a new set pass one that has stepped aside', () => {
    const aside: Move = { move: 'wait', untilMs: NOW_MS + HOUR_MS, isBlocked: false };
    expect(nextTraceMove(aside, loose(NOW_MS), NEVER, NOW_MS)).toEqual({ move: 'pack' });
    expect(nextTraceMove(aside, loose(NOW_MS + 5), NEVER, NOW_MS)).toMatchObject({ untilMs: NOW_MS + 5 });
    expect(nextTraceMove(aside, loose(NOW_MS + 2 * HOUR_MS), NEVER, NOW_MS)).toMatchObject({
      untilMs: NOW_MS + HOUR_MS,
    });
  });

  it('gives points up that no set took in time, window or not', () => {
    expect(nextTraceMove(IDLE, loose(NOW_MS, NOW_MS - 1), NOW_MS + HOUR_MS, NOW_MS)).toEqual({ move: 'expire_loose' });
    expect(nextTraceMove(IDLE, loose(NOW_MS, NOW_MS), NEVER, NOW_MS)).toEqual({ move: 'pack' });
  });

  it('gives points up in time also behind a set that keeps them waiting', () => {
    const blocked: Move = { move: 'wait', untilMs: NOW_MS + 9 * HOUR_MS, isBlocked: true };
    expect(nextTraceMove(blocked, loose(NOW_MS), NEVER, NOW_MS)).toEqual({ ...blocked, untilMs: NOW_MS + HOUR_MS + 1 });
    expect(nextTraceMove(blocked, loose(NOW_MS, NOW_MS - 1), NEVER, NOW_MS)).toEqual({ move: 'expire_loose' });
  });

  it('has nothing to do without points', () => {
    expect(nextTraceMove(IDLE, null, NEVER, NOW_MS)).toEqual(IDLE);
  });
});

describe('the window', () => {
  it('is open before the first set and behind one that overflowed', () => {
    expect(windowOpensMs(null, false, 15 * MINUTE_MS)).toBe(NEVER);
    expect(windowOpensMs(NOW_MS, true, 15 * MINUTE_MS)).toBe(NEVER);
  });

  it('opens a quarter of an hour after the last set began', () => {
    expect(windowOpensMs(NOW_MS, false, 15 * MINUTE_MS)).toBe(NOW_MS + 15 * MINUTE_MS);
  });
});

describe('a refused set', () => {
  it('is halved while it holds more than one point', () => {
    expect(isHalved({ effect: 'refused' }, 2)).toBe(true);
    expect(isHalved({ effect: 'refused' }, 1)).toBe(false);
  });

  it.each(['applied', 'redirected', 'not_applied', 'unknown'] as const)('is not halved when it was %s', (effect) => {
    expect(isHalved({ effect }, 5)).toBe(false);
  });

  it('gives halves that go at once with all their tries, and stay unknown where a try may have landed', () => {
    const past = { tries: 3, attempted: true, hadUnknown: false, deadlineMs: NOW_MS + HOUR_MS };
    expect(afterHalving(past, NOW_MS)).toEqual({
      tries: 0,
      hadUnknown: false,
      step: { state: 'waiting', atMs: NOW_MS, reason: 'set_refused' },
    });
    expect(afterHalving({ ...past, hadUnknown: true }, NOW_MS).step.state).toBe('unknown');
  });
});
