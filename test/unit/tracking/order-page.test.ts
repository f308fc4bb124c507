/** How much of an order's life goes on one page: whole operations, until their answers and changes are long. */
import { describe, expect, it } from 'vitest';
import { ORDER_PAGE_CHARACTERS_MAX } from '../../../src/kernel/limits.ts';
import { orderPage } from '../../../src/tracking/order-page.ts';
import type { StoredAttempt } from '../../../src/tracking/request.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, orderStored } from './samples.ts';

/** A create, an update and a cancel, none of which was answered. */
function anOrder() {
  const { tables, store, order: bare, statuses } = orderStored();
  const order = committing(tables.journal, bare);
  const kinds = ['order.create', 'order.update', 'order.cancel'] as const;
  store.commit(() => store.add(kinds.map((kind, index) => aTaken(index + 1, { kind, lane: 'operations' }))));
  const attempted = (seq: number, more: Partial<StoredAttempt>): void =>
    store.commit(() => {
      store.beginAttempt({
        ...{ seq, purpose: 'send', startedAtMs: 0, requestSha256: '', tokenFingerprint: null },
        ...{ possibleDuplicate: false, late: false, carries: null },
      });
      store.endAttempt({ ...NO_ANSWER, seq, ...more });
    });
  return {
    order,
    /** Its answer is this long, with its headers. */
    answered(seq: number, characters: number): void {
      const headers = '{}';
      attempted(seq, { effect: 'not_applied', headers, body: 'x'.repeat(characters - headers.length) });
    },
    /** One more attempt, to which no answer came. */
    unanswered: (seq: number): void => attempted(seq, { effect: 'unknown' }),
    /** What it changes takes so many characters to tell. */
    changes: (seq: number, characters: number): void =>
      store.commit(() => void tables.request.patch(seq, { diff: 'x'.repeat(characters) })),
    ended: (seq: number): void => store.commit(() => void tables.request.patch(seq, { state: 'rejected' })),
    page() {
      const page = orderPage({ store, order, statuses }, { before: null, limit: 10 });
      return { ...page, seqs: page.operations.map(({ request }) => request.seq) };
    },
  };
}

const NO_ANSWER = {
  ...{ effect: null, status: null, headers: null, body: null, body_end: null },
  ...{ body_encoding: null, detail: null, latency_ms: null },
} as const;
const HALF = ORDER_PAGE_CHARACTERS_MAX / 2;
const EARLIER = { seq: 3, base: 0 };

describe('a page of an order', () => {
  it('has all of its operations where their answers are short', () => {
    const { answered, page } = anOrder();
    for (const seq of [1, 2, 3]) answered(seq, 1_000);
    expect(page()).toMatchObject({ seqs: [1, 2, 3], next: null });
  });

  it('goes on until its answers have as many characters as a page has, and not one less', () => {
    const { answered, page } = anOrder();
    answered(3, HALF);
    answered(3, HALF - 1);
    expect(page()).toMatchObject({ seqs: [1, 2, 3], next: null });
    const full = anOrder();
    full.answered(3, HALF);
    full.answered(3, HALF);
    expect(full.page()).toMatchObject({ seqs: [3], next: EARLIER });
  });

  it('is not filled by attempts that no answer came to', () => {
    const { answered, unanswered, page } = anOrder();
    answered(3, HALF);
    answered(3, HALF - 1);
    unanswered(3);
    expect(page()).toMatchObject({ seqs: [1, 2, 3], next: null });
  });

  it('is filled by what an operation changes, too', () => {
    const { answered, changes, page } = anOrder();
    answered(3, HALF);
    changes(3, HALF);
    expect(page()).toMatchObject({ seqs: [3], next: EARLIER });
  });

  it('is filled by what somebody stated, too', () => {
    const { order, answered, page } = anOrder();
    answered(3, HALF);
    order.state({
      ...{ incarnation: 1, order_id: 'id-1', document: '{}', loaded_at_ms: NOW_MS, key_id: 'k', author: 'A', why: 'w' },
      diff: 'x'.repeat(HALF),
    });
    expect(page()).toMatchObject({ seqs: [3], versions: [{ kind: 'base', version: 1 }], next: EARLIER });
  });

  it('shows of each operation what became of it, and counts those that are open', () => {
    const { changes, page, ended } = anOrder();
    changes(2, 3);
    ended(1);
    const { counts, operations, accepted, latestStatus } = page();
    expect([counts, accepted, latestStatus]).toEqual([{ versions: 0, operations: 3, open: 2 }, null, null]);
    expect(operations[1]).toEqual({
      attempts: [],
      request: {
        ...{ seq: 2, kind: 'order.update', batch_id: 'b_1', record: 2, request: 1, generation: 1, scac: 'DEMO' },
        ...{ state: 'queued', reason: null, outcome: null, evidence: null, status: null, accepted_at_ms: NOW_MS },
        ...{ uploaded_by: null, at_ms: null, decided_at_ms: 0, diff: 'xxx', action: null },
      },
    });
  });
});
