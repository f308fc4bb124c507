/** Points of a load that travel together: how long they are tried, and what their batches hear of them. */
import { describe, expect, it } from 'vitest';
import { TRACE_BODY_BYTES_MAX, TRACE_POINTS_MAX } from '../../../src/kernel/limits.ts';
import type { EnqueuedRequest, StoredRequest } from '../../../src/tracking/request.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, loadStored } from './samples.ts';

const HOUR_MS = 3_600_000;

/** @param points their parts that differ, in the order of their events. */
function aLoad(points: readonly Partial<EnqueuedRequest>[]) {
  const { tables, store, traces } = loadStored();
  const usual = { kind: 'trace', lane: 'traces' } as const;
  const added = points.map((more, index) => aTaken(index + 1, { ...usual, eventAtMs: NOW_MS + index, ...more }));
  store.commit(() => store.add(added));
  const becomes = (seq: number, to: Partial<StoredRequest>) => store.commit(() => void tables.request.patch(seq, to));
  return { tables, store, traces: committing(tables.journal, traces), becomes };
}
const body = '{"traces":[]}';

describe('points that travel together', () => {
  it('are tried until the last of their deadlines: none is given up because it met one that came before it', () => {
    const ends = [1, 3, 2, 1].map((hours) => NOW_MS + hours * HOUR_MS);
    const { store, traces } = aLoad(ends.map((deadlineMs) => ({ deadlineMs })));
    const lead = traces.freeze({ seqs: [1, 2, 3], body });
    expect(store.bySeq(lead).deadline_ms).toBe(NOW_MS + 3 * HOUR_MS);
    expect(store.bySeq(4).deadline_ms).toBe(NOW_MS + HOUR_MS); // it is in no set
  });

  it('wait for their load until the last of their times', () => {
    const ends = [NOW_MS + HOUR_MS, NOW_MS + 2 * HOUR_MS];
    const { store, traces } = aLoad(ends.map((loadWaitUntilMs) => ({ loadWaitUntilMs })));
    expect(store.bySeq(traces.freeze({ seqs: [1, 2], body })).load_wait_until_ms).toBe(NOW_MS + 2 * HOUR_MS);
  });

  it('are halved, and both halves are tried as long as the set was', () => {
    const ends = [1, 5, 4, 3].map((hours) => NOW_MS + hours * HOUR_MS);
    const { store, traces } = aLoad(ends.map((deadlineMs) => ({ deadlineMs })));
    const lead = traces.freeze({ seqs: [1, 2, 3, 4], body });
    const younger = traces.split(traces.setOf(lead), [
      { seqs: [1, 2], body },
      { seqs: [3, 4], body },
    ]);
    expect([younger, store.bySeq(younger).deadline_ms]).toEqual([3, NOW_MS + 5 * HOUR_MS]);
    expect(store.bySeq(lead).deadline_ms).toBe(NOW_MS + 5 * HOUR_MS);
    expect(traces.pointsOf(lead).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(traces.openSets(10).map(({ key }) => key)).toEqual([String(lead), String(younger)]);
  });

  it('are news for their batches with each change of the one that leads them, which tells its own', () => {
    const { store, traces } = aLoad([{}, {}, { batchId: 'b_2' }]);
    const lead = traces.freeze({ seqs: [1, 2, 3], body });
    traces.notifyPoints(lead, NOW_MS);
    expect(store.unreported('b_1', 10).map(({ seq }) => seq)).toEqual([2]);
    expect(store.unreported('b_2', 10).map(({ seq }) => seq)).toEqual([3]);
  });
});

describe('a set of points', () => {
  it('is stored as it is sent, and its number is one more than the last', () => {
    const { traces, tables } = aLoad([{}, {}, {}]);
    const set = { part: 0, overflowed: 0, body };
    traces.freeze({ seqs: [2, 1], body });
    traces.freeze({ seqs: [3], body });
    expect([...tables.trace_set.values()]).toEqual([
      { seq: 2, set_no: 1, points: 2, ...set },
      { seq: 3, set_no: 2, points: 1, ...set },
    ]);
    expect(traces.pointsOf(2)).toEqual(
      [1, 2].map((seq) => ({ seq, channel: 'main', body: `{"record":${seq}}`, hadUnknown: 0, rules: 0 })),
    );
    expect(() => traces.setOf(1)).toThrow('no set is led by request 1');
  });

  it('keeps its place when it is halved: the younger half goes after it, and before the next set', () => {
    const { traces, tables } = aLoad([{}, {}, {}, {}, {}]);
    traces.freeze({ seqs: [1, 2, 3, 4], body });
    traces.freeze({ seqs: [5], body });
    const halves = (lead: number, older: number[], younger: number[]) =>
      traces.split(traces.setOf(lead), [
        { seqs: older, body: '{"older":1}' },
        { seqs: younger, body: '{"younger":1}' },
      ]);
    halves(1, [1, 2], [3, 4]);
    halves(3, [3], [4]);
    expect(tables.trace_set.get(4)).toEqual({
      ...{ seq: 4, set_no: 1, part: 3, points: 1, overflowed: 0, body: '{"younger":1}' },
    });
    expect(tables.trace_set.get(1)).toMatchObject({ part: 0, points: 2, body: '{"older":1}' });
    expect(traces.openSets(9).map(({ key }) => key)).toEqual(['1', '3', '4', '5']);
    expect(traces.openSets(2)).toMatchObject([
      { key: '1', awaitsEqual: false },
      { key: '3', awaitsEqual: false },
    ]);
  });

  it('has no wait for its load where none of its points has one', () => {
    const { store, traces } = aLoad([{}, { loadWaitUntilMs: NOW_MS + 9 }, {}]);
    expect(store.bySeq(traces.freeze({ seqs: [1, 3], body })).load_wait_until_ms).toBeNull();
    expect(store.bySeq(traces.freeze({ seqs: [2], body })).load_wait_until_ms).toBe(NOW_MS + 9);
    expect([1, 3].map((seq) => store.bySeq(seq).state)).toEqual(['queued', 'coalesced']);
  });

  it('is late where one behind it was tried; the first try of the newest whole one opens the next window', () => {
    const { traces, becomes } = aLoad([{}, {}, {}, {}]);
    expect(traces.lastSet()).toEqual({ startedMs: null, overflowed: false });
    traces.freeze({ seqs: [1, 2], body });
    traces.freeze({ seqs: [3], body });
    traces.split(traces.setOf(1), [
      { seqs: [1], body },
      { seqs: [2], body },
    ]);
    becomes(1, { first_tried_at_ms: NOW_MS });
    const late = () => [1, 2, 3].map((lead) => traces.laterWasTried(lead));
    expect([late(), traces.lastSet()]).toEqual([[false, false, false], { startedMs: NOW_MS, overflowed: false }]);
    becomes(2, { first_tried_at_ms: NOW_MS + 9 });
    expect([late(), traces.lastSet().startedMs]).toEqual([[true, false, false], NOW_MS]);
    becomes(3, { first_tried_at_ms: NOW_MS + 5 });
    traces.markOverflowed(3, true);
    expect([late(), traces.lastSet()]).toEqual([[true, true, false], { startedMs: NOW_MS + 5, overflowed: true }]);
    traces.markOverflowed(3, false);
    expect(traces.lastSet().overflowed).toBe(false);
  });
});

describe('points in no set', () => {
  const HOLD_MS = 60_000;

  it('are none but those that wait in no set', () => {
    const { traces, becomes } = aLoad([{}, {}, { eventAtMs: null }, {}]);
    becomes(1, { state: 'cancelled' });
    traces.freeze({ seqs: [4], body });
    const ready = () => traces.ready(HOLD_MS, NOW_MS + HOLD_MS).map(({ seq }) => seq);
    expect(ready()).toEqual([2]);
    traces.freeze({ seqs: [2], body });
    expect([ready(), traces.loose(HOLD_MS), traces.anyReady(HOLD_MS, NOW_MS + HOLD_MS)]).toEqual([[], null, false]);
  });

  it('are ready when they are live, when their batch is over, or when they have waited long enough', () => {
    const { traces } = aLoad([{}, { live: true }, { batchId: 'b_2' }]);
    const ready = (atMs: number) => traces.ready(HOLD_MS, atMs).map(({ seq }) => seq);
    expect([ready(NOW_MS), ready(NOW_MS + HOLD_MS - 1), ready(NOW_MS + HOLD_MS)]).toEqual([[2], [2], [1, 2, 3]]);
    expect(traces.loose(HOLD_MS)).toEqual({ deadlineMs: NOW_MS + HOUR_MS, readyAtMs: NOW_MS });
    traces.release('b_2');
    traces.release('b_2');
    expect([ready(NOW_MS), traces.anyReady(HOLD_MS, NOW_MS - 1)]).toEqual([[2, 3], false]);
  });

  it('that wait for an equal one are ready when that is over, and looked at again after their deadline', () => {
    const { store, traces } = aLoad([{ live: true }, { live: true }]);
    traces.freeze({ seqs: [1], body });
    store.commit(() => store.waitFor(2, 1));
    expect([traces.ready(HOLD_MS, NOW_MS), traces.anyReady(HOLD_MS, NOW_MS)]).toEqual([[], false]);
    const deadlineMs = NOW_MS + HOUR_MS;
    expect(traces.loose(HOLD_MS)).toEqual({ deadlineMs, readyAtMs: deadlineMs + 1 });
  });

  it('are given up after their deadline, oldest event first, so many at a time', () => {
    const ends = [2, 0, 1, 0].map((eventAtMs) => ({ eventAtMs }));
    const { traces } = aLoad([...ends, { deadlineMs: NOW_MS + 2 * HOUR_MS }]);
    const atMs = NOW_MS + HOUR_MS;
    expect(traces.expiredLoose(atMs, 9)).toEqual([]);
    expect([traces.expiredLoose(atMs + 1, 9), traces.expiredLoose(atMs + 1, 2)]).toEqual([
      [2, 4, 3, 1],
      [2, 4],
    ]);
  });

  it('say what sets them apart: their channel, a doubt, and the rules of their mapping', () => {
    const rules = { unclear: 'resend', loadWaitMs: null, laterEvents: 'pass', namesKey: false } as const;
    const { traces } = aLoad([
      { live: true, channel: 'other', mayHaveArrived: true },
      { live: true, rules: { ...rules, unclear: 'hold' } },
      { live: true, rules: { ...rules, laterEvents: 'wait' } },
      { live: true, loadWaitUntilMs: NOW_MS },
    ]);
    const found = traces
      .ready(HOLD_MS, NOW_MS)
      .map(({ seq, channel, hadUnknown, rules: own }) => [...[seq, channel, hadUnknown, own]]);
    expect(found).toEqual([
      [1, 'other', 1, 0],
      [2, 'main', 0, 1],
      [3, 'main', 0, 2],
      [4, 'main', 0, 4],
    ]);
  });

  it('are read until they fill a set, by their bytes or by their number', () => {
    const long = (characters: number) => ({ live: true, body: 'x'.repeat(characters) });
    const count = (points: readonly Partial<EnqueuedRequest>[]) => aLoad(points).traces.ready(HOLD_MS, NOW_MS).length;
    const half = TRACE_BODY_BYTES_MAX / 2;
    expect([count([long(half), long(half), long(1), long(1)]), count([long(half), long(half + 1), long(1)])]).toEqual([
      ...[3, 2],
    ]);
    expect(count(Array.from({ length: TRACE_POINTS_MAX + 1 }, () => ({ live: true })))).toBe(TRACE_POINTS_MAX);
  });
});
