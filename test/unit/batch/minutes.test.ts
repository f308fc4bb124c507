/** What a graph of a batch shows: which changes count, where late ones belong, and that it stays short. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import {
  DELIVERY_TIME_CLASSES,
  invalidAt,
  MINUTES_MAX,
  type MinutePoint,
  minutesOf,
  NO_MINUTES,
  timeOfShare,
  withMinutes,
} from '../../../src/batch/core/minutes.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { MINUTE_MS } from '../../../src/kernel/clock.ts';
import { storageOf } from '../object-storage.ts';
import { aMappedRow, anOutcome, RECEIVED_MS } from './samples.ts';

const as = (state: RequestState, into_state: RequestState | null = null) => ({ state, into_state });

describe('the minutes of a batch', () => {
  it.each([
    ['a delivery', as('sending'), as('delivered'), [[7, 1, 0]]],
    ['a delivery in another request', as('queued'), as('coalesced', 'delivered'), [[7, 1, 0]]],
    ['the delivery of the request it travels in', as('coalesced', 'queued'), as('coalesced', 'delivered'), [[7, 1, 0]]],
    ['a refusal', as('queued'), as('rejected'), [[7, 0, 1]]],
    ['the end of its time', as('waiting'), as('dead'), [[7, 0, 1]]],
    ['a refusal, told once more', as('rejected'), as('rejected'), []],
    ['nothing that ends here', as('queued'), as('waiting'), []],
    ['a repetition', as('queued'), as('duplicate'), []],
  ])('count %s', (_, before, after, added) => {
    expect(minutesOf(before, after, 7 * MINUTE_MS + 59_999)).toEqual(added);
  });

  it('are in order, also what comes late', () => {
    const some = withMinutes(NO_MINUTES, [
      [9, 2, 0],
      [9, 0, 1],
    ]);
    expect(withMinutes(some, [[3, 1, 0]])).toEqual({
      step: 1,
      points: [
        [3, 1, 0],
        [9, 2, 1],
      ],
    });
    expect(withMinutes(some, [])).toEqual(some);
  });

  it('stay few: of more minutes several become one, and none is lost', () => {
    const minutes = Array.from({ length: 5 * MINUTES_MAX }, (_, at): MinutePoint => [at, 1, 2]);
    const { step, points } = minutes.reduce((totals, minute) => withMinutes(totals, [minute]), NO_MINUTES);
    expect(step).toBe(8);
    expect(points.length).toBeLessThanOrEqual(MINUTES_MAX);
    expect(points[1]).toEqual([8, 8, 16]);
    expect(points.reduce((sum, [, delivered]) => sum + delivered, 0)).toBe(minutes.length);
  });

  it('are known to the next instance, each once, whatever of the log is in the slices', () => {
    const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
    const store = new BatchStore(storage);
    store.addRows(
      Array.from({ length: 300 }, (_, index) => aMappedRow(index + 1, 1)),
      () => 'queued',
    );
    const first = Math.floor(RECEIVED_MS / MINUTE_MS);
    for (let record = 1; record <= 300; record += 1) {
      const decidedAtMs = RECEIVED_MS + Math.floor(record / 100) * MINUTE_MS;
      store.move([anOutcome(record, { state: record === 50 ? 'dead' : 'delivered', decidedAtMs })]);
      if (record === 200) store.keepTally(store.tally());
    }
    const points = [
      [first, 98, 1],
      [first + 1, 100, 0],
      [first + 2, 100, 0],
      [first + 3, 1, 0],
    ];
    expect(store.minutes()).toEqual({ step: 1, points });
    expect(new BatchStore(storage).minutes()).toEqual({ step: 1, points });
  });
});

describe('the time that deliveries took', () => {
  it('is counted by its class, and added up', () => {
    const [point] = minutesOf(as('sending'), as('delivered'), 7 * MINUTE_MS, 700);
    expect(point).toEqual([7, 1, 0, 0, [0, 0, 0, 1]]);
    const { points } = withMinutes(NO_MINUTES, [
      [7, 1, 0, 0, [1]],
      [7, 1, 0, 0, [0, 0, 1]],
      ...invalidAt(3, 7 * MINUTE_MS),
    ]);
    expect(points).toEqual([[7, 2, 0, 3, [1, 0, 1]]]);
    expect(minutesOf(as('sending'), as('delivered'), 0, 1e12)[0]?.[4]).toHaveLength(DELIVERY_TIME_CLASSES);
  });

  it('is told by shares: half of them, nearly all of them', () => {
    const times = [0, 0, 50, 50]; // 50 within 250 to 500 ms, 50 within 500 to 1,000 ms
    expect([timeOfShare(times, 0.5), timeOfShare(times, 0.95), timeOfShare([], 0.5)]).toEqual([500, 950, null]);
    expect(timeOfShare([...Array.from({ length: 11 }, () => 0), 4], 0.5)).toBe(7_200_000);
  });
});
