/** Clocks that are put forward or back, stand still or repeat a second: order is by hand-over, and what is due goes. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TEST_TIME_SCALE } from '../channels.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { aLoad, isDelayed, PATIENCE, recordsOf } from '../loads.ts';
import { anOrder, creates } from '../orders.ts';
import { aPartner } from '../partners.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const SECOND_MS = 1_000;
/** On the scaled clock. */
const HOUR_MS = (3_600 * SECOND_MS) / TEST_TIME_SCALE;

/** From now on the clock is this far from the true time. */
function clockIsOff(byMs: number): void {
  vi.mocked(Date.now).mockRestore?.();
  const trueMs = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => trueMs() + byMs);
}

const JUMPS: [string, number][] = [
  ['an hour back', -HOUR_MS],
  ['an hour forward', HOUR_MS],
  ['a second back, as a leap second does', -SECOND_MS],
];

describe('a clock that is put', () => {
  it.each(JUMPS)('%s while a milestone is on the wire changes no order and loses nothing', async (_, byMs) => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer, 200);
    const load = aLoad();
    await load.dispatch([1]);
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    clockIsOff(byMs);
    await load.dispatch([2]);
    clockIsOff(0);
    await load.dispatch([3]);
    clockIsOff(byMs);
    held.release(200);
    await vi.waitFor(async () => {
      await load.wake();
      expect((await load.timeline()).map(({ request }) => request.state)).toEqual(Array(3).fill('delivered'));
    }, PATIENCE);
    expect(recordsOf(left)).toEqual([1, 2, 3]);
    const attempts = (await load.timeline()).flatMap((entry) => entry.attempts);
    expect(attempts.every(({ latency_ms }) => latency_ms !== null && latency_ms >= 0)).toBe(true);
  });

  it.each(JUMPS)('%s between two operations of an order keeps them in hand-over order', async (_, byMs) => {
    const { left } = upstreamAnswers(400, creates);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('rejected');
    clockIsOff(byMs);
    await order.dispatch(order.create(2, { body: '{"orderRef":"R","shipperCode":"S2"}' }));
    clockIsOff(0);
    await order.dispatch(order.create(3, { body: '{"orderRef":"R","shipperCode":"S2"}' }));
    await order.reaches('rejected', 'delivered', 'duplicate');
    expect(left).toHaveLength(2);
  });

  it('forward makes what waits due at once, and it goes once', async () => {
    const upstream = upstreamAnswers(429);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.freezeIn('waiting');
    await load.becomes({ at_ms: Date.now() + HOUR_MS }, isDelayed);
    const sent = upstream.left.length;
    upstream.answer(200);
    await load.wake();
    expect(upstream.left).toHaveLength(sent);
    clockIsOff(HOUR_MS);
    await load.wake();
    await vi.waitFor(async () => {
      await load.wake();
      expect((await load.timeline()).map(({ request }) => request.state)).toEqual(['delivered', 'delivered']);
    }, PATIENCE);
    expect(upstream.left).toHaveLength(sent + 2);
  });

  it('back lets what waits wait that much longer, and never lose its alarm', async () => {
    const upstream = upstreamAnswers(429);
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('waiting');
    const sent = upstream.left.length;
    upstream.answer(200);
    await load.becomes({ at_ms: Date.now() + SECOND_MS }, isDelayed);
    clockIsOff(-HOUR_MS);
    await load.wake();
    expect(upstream.left).toHaveLength(sent);
    expect(await runInDurableObject(load.stub(), (_, { storage }) => storage.getAlarm())).not.toBeNull();
    clockIsOff(0);
    await load.reaches('delivered');
    expect(upstream.left).toHaveLength(sent + 1);
  });
});

describe('an alarm that lies in the past', () => {
  it('comes at once, without anybody asking', async () => {
    const upstream = upstreamAnswers(429);
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('waiting');
    upstream.answer(200);
    await load.becomes({ at_ms: Date.now() - HOUR_MS }, isDelayed);
    await runInDurableObject(load.stub(), (_, { storage }) => storage.setAlarm(Date.now() - HOUR_MS));
    await load.reaches('delivered');
  });
});

describe('events of one time', () => {
  it('go in the order of their file, and across batches in the order of hand-over', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const codes = ['X3', 'AF', 'X6', 'X1', 'D1'];
    const load = `EQ-${partner.name}`;
    const first = await partner.receipt(statusFile(...codes.map((Status) => statusRow(load, { Status }))));
    await partner.reaches(first.batchId, 'settled');
    const second = await partner.receipt(
      statusFile(...codes.toReversed().map((Status) => statusRow(load, { Status, Stop: '2' }))),
    );
    await partner.reaches(second.batchId, 'settled');
    const sent = left.map(({ body }) => /"eventCode":"(\w+)"/.exec(body)?.[1]);
    expect(sent).toEqual([...codes, ...codes.toReversed()]);
  });

  it('of a leap second are an error of their row alone', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const load = `LS-${partner.name}`;
    const leap = { 'Event Date': '12/31/2016', 'Event Time': '23:60' };
    const { batchId } = await partner.receipt(
      statusFile(statusRow(load), statusRow(load, leap), statusRow(load, { Stop: '2' })),
    );
    const { rowStates } = await partner.reaches(batchId, 'settled');
    expect(rowStates).toEqual({ delivered: 2, invalid: 1 });
    expect(left).toHaveLength(2);
  });
});
