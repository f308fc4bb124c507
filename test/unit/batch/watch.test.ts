import { describe, expect, it } from 'vitest';
import {
  afterEnsuredAlarm,
  firstPass,
  isMoving,
  type Look,
  lookAt,
  type WatchedRequest,
  type WatchPass,
} from '../../../src/batch/core/watch.ts';
import { REQUEST_STATES, type RequestState } from '../../../src/delivery/states.ts';
import {
  BATCH_PAUSE_MS,
  WATCH_BATCH_MS,
  WATCH_ENSURES_MAX,
  WATCH_GRACE_MS,
  WATCH_PAUSE_MS_MAX,
  WATCH_REGISTER_MS,
  WATCH_REQUESTS_MAX,
} from '../../../src/kernel/limits.ts';

const NOW_MS = Date.UTC(2026, 2, 2, 8);
const LONG_AGO_MS = NOW_MS - WATCH_GRACE_MS - 1;
const clock = { nowMs: () => NOW_MS, timeScale: 1 };
const HELD_FOR_LONG = 100_000;

const aRequest = (record: number, more: Partial<WatchedRequest> = {}): WatchedRequest => ({
  record,
  request: 1,
  subject: `load:L${record}`,
  scac: 'ABCD',
  state: 'queued',
  toldAtMs: null,
  nextAtMs: null,
  poked: null,
  ...more,
});
const look = (page: readonly WatchedRequest[], pass: Partial<WatchPass> = {}, handedOverAtMs = LONG_AGO_MS): Look =>
  lookAt(page, { ...firstPass(0, null), ...pass }, handedOverAtMs, clock);
const overdue = (...page: WatchedRequest[]): number[] => look(page).overdue.map(({ record }) => record);

describe('which subjects are overdue', () => {
  const moving: RequestState[] = ['queued', 'sending', 'waiting', 'unknown'];

  it.each(REQUEST_STATES)('%s: only what moves by itself can be', (state) => {
    expect(overdue(aRequest(1, { state }))).toEqual(moving.includes(state) ? [1] : []);
  });

  it('those that never told a thing, a grace after the hand-over', () => {
    const page = [aRequest(1)];
    expect(look(page, {}, NOW_MS - WATCH_GRACE_MS).overdue).toHaveLength(1);
    expect(look(page, {}, NOW_MS - WATCH_GRACE_MS + 1).overdue).toEqual([]);
  });

  it('those that told long ago and said nothing of a next time', () => {
    expect(overdue(aRequest(1, { state: 'sending', toldAtMs: LONG_AGO_MS }))).toEqual([1]);
    expect(overdue(aRequest(1, { state: 'sending', toldAtMs: NOW_MS - 1 }))).toEqual([]);
  });

  it('those whose next time is past by the grace, and not before', () => {
    const waiting = (nextAtMs: number) => aRequest(1, { state: 'waiting', toldAtMs: LONG_AGO_MS - 5_000, nextAtMs });
    expect(overdue(waiting(LONG_AGO_MS))).toEqual([1]);
    expect(overdue(waiting(NOW_MS - 1))).toEqual([]);
    expect(overdue(waiting(NOW_MS + 36_000_000))).toEqual([]);
  });

  it('each once, however many of its requests are', () => {
    const same = { subject: 'load:L', scac: 'ABCD' };
    expect(overdue(aRequest(1, same), aRequest(2, same), aRequest(3, { ...same, scac: 'WXYZ' }))).toEqual([1, 3]);
  });

  it('not those that were woken and are to be left alone', () => {
    const poked = { pokes: 1, atMs: LONG_AGO_MS, quietUntilMs: NOW_MS + 1 };
    expect(overdue(aRequest(1, { poked }), aRequest(2, { poked: { ...poked, quietUntilMs: NOW_MS } }))).toEqual([2]);
  });

  it('no more than a wake-up may call; the next look goes on with the others', () => {
    const page = Array.from({ length: WATCH_ENSURES_MAX + 3 }, (_, index) => aRequest(index + 1));
    const first = look(page);
    expect(first.overdue).toHaveLength(WATCH_ENSURES_MAX);
    expect(first.pass.lookAtMs).toBe(NOW_MS + BATCH_PAUSE_MS);
    expect(first.pass.at).toEqual({ record: WATCH_ENSURES_MAX, request: 1 });
    expect(look(page.slice(WATCH_ENSURES_MAX), first.pass).overdue).toHaveLength(3);
  });
});

describe('a pass over the requests', () => {
  it('goes on behind a full page, soon', () => {
    const page = Array.from({ length: WATCH_REQUESTS_MAX }, (_, index) => aRequest(index + 1, { state: 'delivered' }));
    const { pass } = look(page);
    expect(pass).toMatchObject({ at: { record: WATCH_REQUESTS_MAX }, lookAtMs: NOW_MS + BATCH_PAUSE_MS });
  });

  it('leaves out for ever what is final at its beginning, and begins there again', () => {
    const page = [aRequest(1, { state: 'delivered' }), aRequest(2, { state: 'held' }), aRequest(3, { state: 'dead' })];
    const { pass } = look(page);
    expect(pass.from).toEqual({ record: 1, request: 1 });
    expect(pass.at).toEqual(pass.from);
  });

  it.each<RequestState>(['held', 'queued', 'coalesced'])('never skips what is %s', (state) => {
    expect(look([aRequest(1, { state }), aRequest(2, { state: 'delivered' })]).pass.from).toEqual({
      record: 0,
      request: 0,
    });
  });

  it('remembers over its pages that something open was met', () => {
    const page = (from: number, state: RequestState) =>
      Array.from({ length: WATCH_REQUESTS_MAX }, (_, index) => aRequest(from + index, { state }));
    const first = look(page(1, 'held'));
    const second = look(page(WATCH_REQUESTS_MAX + 1, 'delivered'), first.pass);
    expect(look([], second.pass).pass.from).toEqual({ record: 0, request: 0 });
  });

  it('is followed by the next in time for what is due first, but neither at once nor never', () => {
    const waiting = (inMs: number) => aRequest(1, { state: 'waiting', toldAtMs: NOW_MS, nextAtMs: NOW_MS + inMs });
    const nextIn = (...page: WatchedRequest[]): number => look(page).pass.lookAtMs - NOW_MS;
    expect(nextIn(waiting(1_800_000), waiting(2_400_000))).toBe(1_800_000 + WATCH_GRACE_MS);
    expect(nextIn(waiting(1_000))).toBe(WATCH_GRACE_MS + 1_000);
    expect(nextIn(waiting(36_000_000))).toBe(WATCH_PAUSE_MS_MAX);
    expect(nextIn()).toBe(WATCH_PAUSE_MS_MAX);
    expect(nextIn(aRequest(1))).toBe(WATCH_BATCH_MS);
  });

  it('costs no call for held requests, however many there are', () => {
    const page = Array.from({ length: 1_000 }, (_, index) =>
      aRequest(index + 1, { state: 'held', toldAtMs: LONG_AGO_MS }),
    );
    expect(look(page)).toMatchObject({ overdue: [], pass: { lookAtMs: NOW_MS + WATCH_PAUSE_MS_MAX } });
    expect(isMoving({ records: {}, requests: { held: HELD_FOR_LONG, delivered: 5 } })).toBe(false);
    expect(isMoving({ records: {}, requests: { held: HELD_FOR_LONG, unknown: 1 } })).toBe(true);
  });

  it('finds what has lost its alarm within the time of a register round', () => {
    expect(WATCH_BATCH_MS + WATCH_GRACE_MS).toBeLessThan(WATCH_REGISTER_MS);
  });
});

describe('a subject that was woken', () => {
  it('is left alone until its own alarm and a grace', () => {
    expect(afterEnsuredAlarm(aRequest(1), NOW_MS + 60_000, clock)).toEqual({
      pokes: 1,
      atMs: NOW_MS,
      quietUntilMs: NOW_MS + 60_000 + WATCH_GRACE_MS,
    });
  });

  it('is left alone for twice as long each time nothing came of it, up to an hour', () => {
    const pauses: number[] = [];
    let request = aRequest(1);
    for (let pokes = 0; pokes < 1_100; pokes += 1) {
      const poked = afterEnsuredAlarm(request, null, clock);
      pauses.push((poked.quietUntilMs - NOW_MS) / WATCH_GRACE_MS);
      request = { ...request, poked };
    }
    expect(pauses.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(pauses.at(-1)).toBe(WATCH_PAUSE_MS_MAX / WATCH_GRACE_MS);
  });

  it('is new to the watch once it has told something', () => {
    const poked = { pokes: 7, atMs: NOW_MS - 10, quietUntilMs: 0 };
    expect(afterEnsuredAlarm(aRequest(1, { poked, toldAtMs: NOW_MS - 9 }), null, clock).pokes).toBe(1);
    expect(afterEnsuredAlarm(aRequest(1, { poked, toldAtMs: NOW_MS - 11 }), null, clock).pokes).toBe(8);
  });
});
