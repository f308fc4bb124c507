/** How much of an order's life goes on one page: whole operations, until their answers and changes are long. */
import { describe, expect, it } from 'vitest';
import {
  ORDER_ATTEMPTS_SHOWN_MAX,
  ORDER_PAGE_CHARACTERS_MAX,
  ORDER_STATUSES_SHOWN_MAX,
} from '../../../src/kernel/limits.ts';
import { type OrderCursor, orderPage } from '../../../src/tracking/order-page.ts';
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
    adds: (record: number): void => store.commit(() => store.add([aTaken(record, { lane: 'operations' })])),
    ended: (seq: number): void => store.commit(() => void tables.request.patch(seq, { state: 'rejected' })),
    statuses: committing(tables.journal, statuses),
    page(before: OrderCursor | null = null, limit = 10) {
      const page = orderPage({ store, order, statuses }, { before, limit });
      return { ...page, seqs: page.operations.map(({ request }) => request.seq) };
    },
  };
}

const NO_ANSWER = {
  ...{ effect: null, status: null, headers: null, body: null, body_end: null },
  ...{ body_encoding: null, detail: null, latency_ms: null },
} as const;
const HALF = ORDER_PAGE_CHARACTERS_MAX / 2;
/** Somebody says what it is. */
const STATED = {
  ...{ incarnation: 2, order_id: 'id-2', document: '{}', loaded_at_ms: NOW_MS + 9, key_id: 'k', author: 'A', why: 'w' },
  diff: null,
};
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

describe('the versions of an order', () => {
  const accepted = (seq: number) => ({
    ...{ seq, incarnation: 1, order_id: 'id-1', document: '{"a":1}', scac: 'DEMO', accepted_at_ms: NOW_MS + seq },
  });

  it('are what operations made of it and what people stated, numbered over all of its pages', () => {
    const { order, page, changes } = anOrder();
    order.accept(accepted(1));
    order.accept(accepted(2));
    changes(2, 3);
    order.state(STATED);
    order.state({ ...STATED, order_id: 'id-3' });
    const { versions, counts, next, accepted: current } = page();
    const [made, changed, stated] = versions;
    const from = { incarnation: 1, order_id: 'id-1', scac: 'DEMO', batch_id: 'b_1', uploaded_by: null };
    const nobody = { author: null, why: null };
    expect([counts.versions, next, current?.order_id]).toEqual([4, null, 'id-3']);
    expect(made).toEqual({
      ...{ seq: 1, base: 0, version: 1, ...from, accepted_at_ms: NOW_MS + 1, kind: 'order.create', record: 1 },
      ...{ diff: null, ...nobody },
    });
    expect(changed).toMatchObject({ seq: 2, version: 2, kind: 'order.update', diff: 'xxx', record: 2 });
    expect(stated).toEqual({
      ...{ seq: 3, base: 1, version: 3, incarnation: 2, order_id: 'id-2', scac: '', accepted_at_ms: NOW_MS + 9 },
      ...{ kind: 'base', batch_id: null, record: null, diff: null, author: 'A', why: 'w', uploaded_by: null },
    });
    expect(versions[3]).toMatchObject({ seq: 3, base: 2, version: 4 });
  });

  it('come page by page, newest first, each with its number', () => {
    const { order, page } = anOrder();
    for (const seq of [1, 3]) order.accept(accepted(seq));
    order.state(STATED);
    order.state(STATED);
    const pages: unknown[] = [];
    let before: OrderCursor | null = null;
    do {
      const found = page(before, 2);
      pages.push([found.seqs, found.versions.map(({ version }) => version), found.next]);
      before = found.next;
    } while (before !== null && pages.length < 9);
    expect(pages).toEqual([
      [[], [3, 4], { seq: 3, base: 1 }],
      [[2, 3], [2], { seq: 2, base: 0 }],
      [[1], [1], null],
    ]);
    expect(page({ seq: 1, base: 0 })).toMatchObject({ seqs: [], versions: [], next: null, counts: { versions: 4 } });
    expect(page(null, 5)).toMatchObject({ seqs: [1, 2, 3], next: null });
    expect(page({ seq: 3, base: 1 }, 1)).toMatchObject({ seqs: [3], next: { seq: 3, base: 0 } });
  });

  it('stand where they were stated: after the operations of that time, and before later ones', () => {
    const { order, page, adds } = anOrder();
    order.state(STATED);
    adds(4);
    expect(page(null, 2)).toMatchObject({ seqs: [4], versions: [{ seq: 3, base: 1 }], next: { seq: 3, base: 1 } });
    expect(page(null, 1)).toMatchObject({ seqs: [4], versions: [], next: { seq: 4, base: 0 } });
  });

  it('are without a number of their own where an operation made none', () => {
    const { order, page } = anOrder();
    order.accept(accepted(3));
    expect(page(null, 1).versions.map(({ version }) => version)).toEqual([1]);
    expect(page(null, 3).versions.map(({ seq, version }) => [seq, version])).toEqual([[3, 1]]);
  });
});

describe('the statuses on the page of an order', () => {
  const aStatus = (seq: number, orderId: string | null = null) => ({
    ...({ seq, hash: `h${seq}`, orderId, code: `c${seq}`, atMs: NOW_MS + seq, level: 'milestone' } as const),
    ...{ place: '{}', learnedAtMs: NOW_MS, corrects: null },
  });

  it('are all of them, and the latest of the order that there is now', () => {
    const { order, statuses, page } = anOrder();
    order.accept({ ...STATED, seq: 1, incarnation: 1, order_id: 'old', scac: '', accepted_at_ms: NOW_MS });
    order.state(STATED);
    statuses.take([aStatus(1), aStatus(2, 'id-2'), aStatus(3, 'old')]);
    const shown = page();
    expect(shown.statuses.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(shown.latestStatus?.seq).toBe(2);
  });

  it('are as many as a page has, the latest ones', () => {
    const { statuses, page } = anOrder();
    statuses.take(Array.from({ length: ORDER_STATUSES_SHOWN_MAX + 1 }, (_, index) => aStatus(index + 1)));
    const shown = page().statuses.map(({ seq }) => seq);
    expect([shown.length, shown[0]]).toEqual([ORDER_STATUSES_SHOWN_MAX, 2]);
  });

  it('stand beside as many attempts of an operation as a page has, the newest ones', () => {
    const { unanswered, page } = anOrder();
    for (let count = 0; count <= ORDER_ATTEMPTS_SHOWN_MAX; count += 1) unanswered(1);
    const shown = page().operations[0]?.attempts.map(({ attempt }) => attempt) ?? [];
    expect([shown.length, shown[0]]).toEqual([ORDER_ATTEMPTS_SHOWN_MAX, 2]);
  });
});
