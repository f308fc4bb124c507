/** Trace points of a load under test, and what of them an upstream saw. */

import { runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import { LookAhead } from '../../src/batch/core/look-ahead.ts';
import { TRACE_WINDOW_MS } from '../../src/kernel/limits.ts';
import type { TraceFields } from '../../src/mapping/request.ts';
import type { Load } from '../../src/tracking/load.ts';
import type { DispatchedRequest } from '../../src/tracking/request.ts';
import { TEST_TIME_SCALE } from './channels.ts';
import type { LoadUnderTest } from './loads.ts';
import { patchAll, tablesOf } from './rows.ts';
import type { Left } from './upstream-double.ts';

const FIRST_MS = Date.UTC(2026, 2, 2, 8);

/** A body with one point; its odometer says which one it is, its time is that many seconds after the first. */
export const pointBody = (loadNumber: string, point: number, more: Partial<TraceFields> = {}): string => {
  const dateTime = `${new Date(FIRST_MS + point * 1_000).toISOString().slice(0, -1)}0000+00:00`;
  const fields: TraceFields = {
    loadNumber,
    traces: [
      {
        time: { dateTime, timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' },
        odometer: point,
        coordinate: { latitude: 41, longitude: -88 },
      },
    ],
    ...more,
  };
  return JSON.stringify(fields);
};

/** One handed-over point per number: its record is its number. */
export const points = (load: LoadUnderTest, numbers: readonly number[], more: Partial<DispatchedRequest> = {}) =>
  numbers.map((number) => {
    const batchId = more.batchId ?? 'b_1';
    return load.request(number, {
      key: `${batchId}/${number}/1`,
      kind: 'trace',
      body: pointBody(load.identity.loadNumber, number),
      ...more,
    });
  });

export const handOverPoints = (load: LoadUnderTest, numbers: readonly number[], more?: Partial<DispatchedRequest>) =>
  load.stub().enqueue(load.identity, points(load, numbers, more));

/** As if all so far had happened a window's length earlier: what waits for the next window leaves. */
export const windowPasses = (stub: DurableObjectStub<Load>): Promise<void> =>
  runInDurableObject(stub, async (load) => {
    const windowMs = TRACE_WINDOW_MS / TEST_TIME_SCALE;
    const { journal, request } = tablesOf(load);
    journal.commit(() =>
      patchAll(request, ({ taken_at_ms, first_tried_at_ms }) => ({
        taken_at_ms: taken_at_ms - windowMs,
        first_tried_at_ms: first_tried_at_ms === null ? null : first_tried_at_ms - windowMs,
      })),
    );
    await load.alarm();
  });

/** No visit is the last to its load, as in a file longer than the look-ahead. */
export function moreMayCome(): void {
  const { next } = LookAhead.prototype;
  vi.spyOn(LookAhead.prototype, 'next').mockImplementation(function (this: LookAhead, nowMs) {
    const visit = next.call(this, nowMs);
    return visit && { ...visit, isLast: false };
  });
}

/** The points in each trace request that left. */
export const pointsIn = (left: readonly Pick<Left, 'body'>[]): (number | undefined)[][] =>
  left.map(({ body }) => (JSON.parse(body) as TraceFields).traces.map(({ odometer }) => odometer));

export const tracesOf = (left: readonly Left[]): Left[] => left.filter(({ url }) => url.endsWith('/trace-requests'));
