/** The history of a request, as people read it before they decide: its own, or that of the request it travels in. */
import { describe, expect, it } from 'vitest';
import { DecisionStore, historyIn } from '../../../src/tracking/decisions.ts';
import { LOAD_MIGRATIONS } from '../../../src/tracking/store/migrations.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, sqlOf } from './samples.ts';

/** Two requests; the first was sent and is held. */
function aLoad() {
  const sql = sqlOf(LOAD_MIGRATIONS);
  const store = new SubjectStore(sql);
  store.add([aTaken(1, { kind: 'trace' }), aTaken(2, { kind: 'trace' })]);
  store.beginAttempt({
    ...{ seq: 1, purpose: 'send', startedAtMs: NOW_MS, requestSha256: '', tokenFingerprint: null },
    ...{ possibleDuplicate: false, late: false, carries: null },
  });
  sql.exec(`UPDATE request SET state = 'held', reason = 'unknown_then_refused' WHERE seq = 1`);
  const becomes = (seq: number, state: string, into: number) =>
    sql.exec('UPDATE request SET state = ?, into_seq = ? WHERE seq = ?', state, into, seq);
  const historyOf = (record: number) => {
    const parts = { store, decisions: new DecisionStore(sql), lanes: [] };
    const [only] = historyIn(parts, { batchId: 'b_1', record, request: 1 }).generations;
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
