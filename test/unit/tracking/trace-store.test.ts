/** Points of a load that travel together: how long they are tried, and what their batches hear of them. */
import { describe, expect, it } from 'vitest';
import type { EnqueuedRequest } from '../../../src/tracking/request.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, loadStored } from './samples.ts';

const HOUR_MS = 3_600_000;

/** @param points their parts that differ, in the order of their events. */
function aLoad(points: readonly Partial<EnqueuedRequest>[]) {
  const { tables, store, traces } = loadStored();
  const usual = { kind: 'trace', lane: 'traces' } as const;
  const added = points.map((more, index) => aTaken(index + 1, { ...usual, eventAtMs: NOW_MS + index, ...more }));
  store.commit(() => store.add(added));
  return { store, traces: committing(tables.journal, traces) };
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

  it('are halved with the deadlines of each half: the younger one has its own', () => {
    const ends = [1, 2, 4, 3].map((hours) => NOW_MS + hours * HOUR_MS);
    const { store, traces } = aLoad(ends.map((deadlineMs) => ({ deadlineMs })));
    const lead = traces.freeze({ seqs: [1, 2, 3, 4], body });
    const younger = traces.split(traces.setOf(lead), [
      { seqs: [1, 2], body },
      { seqs: [3, 4], body },
    ]);
    expect([younger, store.bySeq(younger).deadline_ms]).toEqual([3, NOW_MS + 4 * HOUR_MS]);
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
