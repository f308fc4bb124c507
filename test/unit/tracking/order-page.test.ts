/** How much of an order's life goes on one page: whole operations, until their answers and changes are long. */
import { describe, expect, it } from 'vitest';
import { ORDER_PAGE_CHARACTERS_MAX } from '../../../src/kernel/limits.ts';
import { orderPage } from '../../../src/tracking/order-page.ts';
import { ORDER_MIGRATIONS } from '../../../src/tracking/store/migrations.ts';
import { OrderStatuses } from '../../../src/tracking/store/order-statuses.ts';
import { OrderStore } from '../../../src/tracking/store/order-store.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, sqlOf } from './samples.ts';

/** A create, an update and a cancel, none of which was answered. */
function anOrder() {
  const sql = sqlOf(ORDER_MIGRATIONS);
  const order = new OrderStore(sql);
  const kinds = ['order.create', 'order.update', 'order.cancel'] as const;
  new SubjectStore(sql).add(kinds.map((kind, index) => aTaken(index + 1, { kind, lane: 'operations' })));
  return {
    order,
    /** Its answer is this long, with its headers. */
    answered(seq: number, characters: number): void {
      const headers = '{}';
      sql.exec(
        `INSERT INTO attempt (seq, attempt, started_at_ms, request_sha256, effect, headers, body)
         SELECT ?1, coalesce(max(attempt), 0) + 1, 0, '', 'not_applied', ?2, printf('%.*c', ?3, 'x') FROM attempt WHERE seq = ?1`,
        ...[seq, headers, characters - headers.length],
      );
    },
    /** One more attempt, to which no answer came. */
    unanswered(seq: number): void {
      sql.exec(
        `INSERT INTO attempt (seq, attempt, started_at_ms, request_sha256, effect)
         SELECT ?1, coalesce(max(attempt), 0) + 1, 0, '', 'unknown' FROM attempt WHERE seq = ?1`,
        seq,
      );
    },
    /** What it changes takes so many characters to tell. */
    changes(seq: number, characters: number): void {
      sql.exec(`UPDATE request SET diff = printf('%.*c', ?1, 'x') WHERE seq = ?2`, characters, seq);
    },
    page() {
      const page = orderPage(sql, { order, statuses: new OrderStatuses(sql) }, { before: null, limit: 10 });
      return { ...page, seqs: page.operations.map(({ request }) => request.seq) };
    },
  };
}

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
});
