import { describe, expect, it } from 'vitest';
import { type LaneRequest, type Move, nextMove } from '../../../src/delivery/drain.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { HOUR_MS, MINUTE_MS, NOW_MS } from './samples.ts';

function request(key: string, state: RequestState, more: Partial<LaneRequest> = {}): LaneRequest {
  return { key, state, atMs: null, firstTriedAtMs: null, deadlineMs: NOW_MS + 72 * HOUR_MS, ...more };
}
/** Tried `ago` before now, next due `ahead` after now. */
const tried = (key: string, state: 'waiting' | 'unknown', ago: number, ahead: number): LaneRequest =>
  request(key, state, { firstTriedAtMs: NOW_MS - ago, atMs: NOW_MS + ahead });

const move = (...lane: LaneRequest[]): Move => nextMove(lane, NOW_MS, HOUR_MS);
const send = (key: string): Move => ({ move: 'send', key });

describe('an empty or closed lane', () => {
  it('is idle when there is nothing', () => {
    expect(move()).toEqual({ move: 'idle' });
  });

  it('is idle when all that is left is held: a person decides', () => {
    expect(move(request('1', 'held'), request('2', 'held'))).toEqual({ move: 'idle' });
  });

  it.each(['delivered', 'rejected', 'dead', 'cancelled', 'duplicate'] as const)('passes over %s', (state) => {
    expect(move(request('1', state), request('2', 'queued'))).toEqual(send('2'));
  });
});

describe('queued requests', () => {
  it('go in the order handed over', () => {
    expect(move(request('1', 'queued'), request('2', 'queued'))).toEqual(send('1'));
  });

  it('wait for their time when one is set, and block the later ones', () => {
    const paused = request('1', 'queued', { atMs: NOW_MS + 15_000 });
    expect(move(paused, request('2', 'queued'))).toMatchObject({ move: 'wait', untilMs: NOW_MS + 15_000 });
  });

  it('go at their time exactly', () => {
    expect(move(request('1', 'queued', { atMs: NOW_MS }))).toEqual(send('1'));
  });

  it('expire when the deadline has passed before they were ever sent', () => {
    expect(move(request('1', 'queued', { deadlineMs: NOW_MS - 1 }))).toEqual({ move: 'expire', key: '1' });
    expect(move(request('1', 'queued', { deadlineMs: NOW_MS }))).toEqual(send('1'));
  });
});

describe('a queued request that says what an open one says', () => {
  const equal = (more: Partial<LaneRequest> = {}) => request('1', 'queued', { awaitsEqual: true, ...more });

  it('is passed over, and wakes the lane when it can wait no longer', () => {
    expect(move(equal(), request('2', 'queued'))).toEqual(send('2'));
    const untilMs = NOW_MS + 72 * HOUR_MS + 1;
    expect(move(equal())).toEqual({ move: 'wait', untilMs, isBlocked: false });
  });

  it('does not free a lane that another one blocks', () => {
    expect(move(equal(), tried('2', 'waiting', 0, MINUTE_MS), request('3', 'queued'))).toEqual({
      move: 'wait',
      untilMs: NOW_MS + MINUTE_MS,
      isBlocked: true,
    });
  });

  it('expires at its own deadline', () => {
    expect(move(equal({ deadlineMs: NOW_MS - 1 }))).toEqual({ move: 'expire', key: '1' });
  });
});

describe('a request on the wire', () => {
  it('makes the lane busy', () => {
    expect(move(request('1', 'sending'), request('2', 'queued'))).toEqual({ move: 'busy' });
  });

  it('keeps the lane busy past its deadline: the answer is still awaited', () => {
    expect(move(request('1', 'sending', { deadlineMs: NOW_MS - 1 }))).toEqual({ move: 'busy' });
  });

  it.each([
    ['that is not due', tried('1', 'waiting', 2 * HOUR_MS, MINUTE_MS)],
    ['that is due again after it stepped aside', tried('1', 'unknown', 2 * HOUR_MS, 0)],
    ['that was never tried', request('1', 'queued')],
    ['past its deadline', request('1', 'queued', { deadlineMs: NOW_MS - 1 })],
    ['that blocks', tried('1', 'waiting', MINUTE_MS, MINUTE_MS)],
  ])('makes the lane busy behind a request %s (I6)', (_what, first) => {
    expect(move(first, request('2', 'sending'), request('3', 'queued'))).toEqual({ move: 'busy' });
  });
});

describe.each(['waiting', 'unknown'] as const)('a request that is %s', (state) => {
  it('blocks the later ones within an hour of its first try', () => {
    expect(move(tried('1', state, 59 * MINUTE_MS, 30_000), request('2', 'queued'))).toMatchObject({
      move: 'wait',
      untilMs: NOW_MS + 30_000,
    });
  });

  it('is sent when it is due, before the later ones', () => {
    expect(move(tried('1', state, MINUTE_MS, 0), request('2', 'queued'))).toEqual(send('1'));
  });

  it('is sent late when the wake-up came late', () => {
    expect(move(tried('1', state, MINUTE_MS, -HOUR_MS))).toEqual(send('1'));
  });

  it('lets later ones pass an hour after its first try', () => {
    expect(move(tried('1', state, HOUR_MS, MINUTE_MS), request('2', 'queued'))).toEqual(send('2'));
  });

  it('blocks to the last millisecond of that hour', () => {
    expect(move(tried('1', state, HOUR_MS - 1, MINUTE_MS), request('2', 'queued'))).toMatchObject({ move: 'wait' });
  });

  it('wakes the lane when its hour is over, though its own time is later', () => {
    expect(move(tried('1', state, 50 * MINUTE_MS, 5 * HOUR_MS), request('2', 'queued'))).toMatchObject({
      move: 'wait',
      untilMs: NOW_MS + 10 * MINUTE_MS,
    });
  });

  it('keeps its own schedule after it stepped aside', () => {
    expect(move(tried('1', state, 2 * HOUR_MS, 0), request('2', 'queued'))).toEqual(send('1'));
  });

  it('expires past its deadline, due or not, and is not sent once more', () => {
    const spent = { firstTriedAtMs: NOW_MS - 80 * HOUR_MS, deadlineMs: NOW_MS - 1 };
    for (const atMs of [NOW_MS - 2 * HOUR_MS, NOW_MS, NOW_MS + HOUR_MS]) {
      expect(move(request('1', state, { ...spent, atMs }))).toEqual({ move: 'expire', key: '1' });
    }
  });

  it('is sent at its deadline exactly', () => {
    expect(move(request('1', state, { atMs: NOW_MS, deadlineMs: NOW_MS }))).toEqual(send('1'));
  });

  it('is waited for when nothing else is left', () => {
    expect(move(tried('1', state, 2 * HOUR_MS, 3 * HOUR_MS))).toMatchObject({
      move: 'wait',
      untilMs: NOW_MS + 3 * HOUR_MS,
    });
  });
});

describe('several that stepped aside', () => {
  it('wake the lane at the earliest of their times', () => {
    const lane = [tried('1', 'unknown', 2 * HOUR_MS, 3 * HOUR_MS), tried('2', 'waiting', 2 * HOUR_MS, HOUR_MS)];
    expect(move(...lane)).toMatchObject({ move: 'wait', untilMs: NOW_MS + HOUR_MS });
  });

  it('let the first that is due go first', () => {
    const lane = [tried('1', 'unknown', 2 * HOUR_MS, 1), tried('2', 'waiting', 2 * HOUR_MS, 0), request('3', 'queued')];
    expect(move(...lane)).toEqual(send('2'));
  });

  it('do not free a lane that a younger one still blocks', () => {
    const lane = [
      tried('1', 'unknown', 2 * HOUR_MS, 3 * HOUR_MS),
      tried('2', 'waiting', MINUTE_MS, 2 * MINUTE_MS),
      request('3', 'queued'),
    ];
    expect(move(...lane)).toMatchObject({ move: 'wait', untilMs: NOW_MS + 2 * MINUTE_MS });
  });
});

describe('held milestones', () => {
  it('let later milestones pass', () => {
    expect(move(request('1', 'held'), request('2', 'queued'))).toEqual(send('2'));
  });
});

it('is decided by the head of the lane, however long the queue behind it', () => {
  const queue = Array.from({ length: 1_000 }, (_, index) => request(String(index + 2), 'queued'));
  expect(move(tried('1', 'waiting', MINUTE_MS, MINUTE_MS), ...queue)).toMatchObject({
    move: 'wait',
    untilMs: NOW_MS + MINUTE_MS,
  });
  expect(move(request('1', 'queued'), ...queue)).toEqual(send('1'));
});

it('follows a shortened hour where waits are scaled', () => {
  const lane = [tried('1', 'waiting', 6_000, 60_000), request('2', 'queued')];
  expect(nextMove(lane, NOW_MS, HOUR_MS / 720)).toEqual(send('2'));
});

it('says whether what stands behind waits too, so that a long lane need not be read to its end', () => {
  const blocking = tried('1', 'waiting', MINUTE_MS, MINUTE_MS);
  const aside = tried('1', 'waiting', 2 * HOUR_MS, MINUTE_MS);
  expect(move(blocking)).toMatchObject({ move: 'wait', isBlocked: true });
  expect(move(aside)).toMatchObject({ move: 'wait', isBlocked: false });
  expect(move(request('1', 'held'))).toEqual({ move: 'idle' });
});

describe('a request that none may pass', () => {
  const strict = (one: LaneRequest): LaneRequest => ({ ...one, isStrict: true });

  it.each(['waiting', 'unknown'] as const)('blocks the lane while it is %s, however long', (state) => {
    const old = strict(tried('1', state, 20 * HOUR_MS, 10 * HOUR_MS));
    expect(move(old, request('2', 'queued'))).toEqual({
      move: 'wait',
      untilMs: NOW_MS + 10 * HOUR_MS,
      isBlocked: true,
    });
  });

  it('is passed once it is final', () => {
    expect(move(strict(request('1', 'delivered')), request('2', 'queued'))).toEqual(send('2'));
    expect(move(strict(request('1', 'dead')), request('2', 'queued'))).toEqual(send('2'));
  });

  it('goes past one that is not strict and has stepped aside', () => {
    expect(move(tried('1', 'unknown', HOUR_MS, HOUR_MS), strict(request('2', 'queued')))).toEqual(send('2'));
  });

  it('blocks the lane while a person decides, until those behind it are out of time', () => {
    const later = request('2', 'queued', { deadlineMs: NOW_MS + HOUR_MS });
    expect(move(strict(request('1', 'held')), later, request('3', 'queued'))).toEqual({
      move: 'wait',
      untilMs: NOW_MS + HOUR_MS + 1,
      isBlocked: true,
    });
    const late = request('3', 'waiting', { deadlineMs: NOW_MS - 1 });
    expect(move(strict(request('1', 'held')), request('2', 'queued'), late)).toEqual({ move: 'expire', key: '3' });
    const atItsEnd = request('2', 'waiting', { deadlineMs: NOW_MS });
    expect(move(strict(request('1', 'held')), atItsEnd)).toMatchObject({ move: 'wait', untilMs: NOW_MS + 1 });
  });

  it('leaves the lane idle when it is held and nothing stands behind it', () => {
    expect(move(strict(request('1', 'held')))).toEqual({ move: 'idle' });
    expect(move(strict(request('1', 'held')), request('2', 'held'))).toEqual({ move: 'idle' });
  });

  it('blocks the lane also while an earlier one that says the same is open', () => {
    const waits = strict(request('2', 'queued', { awaitsEqual: true }));
    const first = tried('1', 'waiting', 2 * HOUR_MS, MINUTE_MS);
    expect(move(first, waits, request('3', 'queued'))).toEqual({
      move: 'wait',
      untilMs: NOW_MS + MINUTE_MS,
      isBlocked: true,
    });
  });
});
