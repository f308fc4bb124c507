/** The history of a request, as people read it before they decide: its own, or that of the request it travels in. */
import { describe, expect, it } from 'vitest';
import { historyIn } from '../../../src/tracking/decisions.ts';
import type { StoredRequest } from '../../../src/tracking/request.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, loadStored } from './samples.ts';

/** Two requests; the first was sent and is held. */
function aLoad() {
  const { tables, store } = loadStored();
  store.commit(() => {
    store.add([aTaken(1, { kind: 'trace' }), aTaken(2, { kind: 'trace' })]);
    store.beginAttempt({
      ...{ seq: 1, purpose: 'send', startedAtMs: NOW_MS, requestSha256: '', tokenFingerprint: null },
      ...{ possibleDuplicate: false, late: false, carries: null },
    });
    tables.request.patch(1, { state: 'held', reason: 'unknown_then_refused' });
  });
  const becomes = (seq: number, state: StoredRequest['state'], into_seq: number) =>
    store.commit(() => tables.request.patch(seq, { state, into_seq }));
  const historyOf = (record: number) => {
    const [only] = historyIn({ store, lanes: [] }, { batchId: 'b_1', record, request: 1 }).generations;
    return { lead: only?.lead?.seq ?? null, attempts: only?.attempts.length, open: (only?.open.length ?? 0) > 0 };
  };
  return { becomes, historyOf };
}

describe('the history of a request', () => {
  it('is its own: its sendings, and what may be decided about it', () => {
    const { historyOf } = aLoad();
    expect(historyOf(1)).toEqual({ lead: null, attempts: 1, open: true });
    expect(historyOf(2)).toEqual({ lead: null, attempts: 0, open: false });
  });

  it('is that of the request it travels in, which is its own for the one that leads', () => {
    const { becomes, historyOf } = aLoad();
    becomes(1, 'held', 1);
    becomes(2, 'coalesced', 1);
    expect(historyOf(1)).toEqual({ lead: null, attempts: 1, open: true });
    expect(historyOf(2)).toEqual({ lead: 1, attempts: 1, open: true });
  });

  it('is its own where it only repeats another: it was never sent, and nothing is to be decided', () => {
    const { becomes, historyOf } = aLoad();
    becomes(2, 'duplicate', 1);
    expect(historyOf(2)).toEqual({ lead: null, attempts: 0, open: false });
  });
});
