/** What an order holds of itself: which document stands, what an operation finds, and when the order was found. */
import { describe, expect, it } from 'vitest';
import type { EnqueuedRequest } from '../../../src/tracking/request.ts';
import { ORDER_MIGRATIONS } from '../../../src/tracking/store/migrations.ts';
import { OrderStore } from '../../../src/tracking/store/order-store.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, sqlOf } from './samples.ts';

function anOrder(...requests: Partial<EnqueuedRequest>[]) {
  const sql = sqlOf(ORDER_MIGRATIONS);
  const [store, order] = [new SubjectStore(sql), new OrderStore(sql)];
  store.add(requests.map((more, index) => aTaken(index + 1, { kind: 'order.create', lane: 'operations', ...more })));
  const accept = (seq: number, incarnation = 1, document = `{"seq":${seq}}`) =>
    order.accept({
      seq,
      incarnation,
      order_id: `id-${incarnation}`,
      document,
      scac: 'DEMO',
      accepted_at_ms: NOW_MS + seq,
    });
  const ends = (seq: number, state: string, more = '') =>
    sql.exec(`UPDATE request SET state = ?1 ${more} WHERE seq = ?2`, state, seq);
  return { sql, order, accept, ends };
}

describe('what an operation finds', () => {
  it('is no order, before there is one', () => {
    expect(anOrder({}).order.current(2)).toEqual({ order: 'none', createEnded: false });
  });

  it('is the newest document of the order, and who brought it about', () => {
    const { order, accept } = anOrder({}, { kind: 'order.update' }, { kind: 'order.update' });
    accept(1);
    accept(2);
    expect(order.current(3)).toMatchObject({
      ...{ order: 'live', incarnation: 1, orderId: 'id-1', document: { seq: 2 }, seq: 2, isDoubtful: false },
    });
    expect([order.created()?.seq, order.accepted()?.seq]).toEqual([1, 2]);
  });

  it('is doubtful where an operation since then was given up and may have been applied', () => {
    const { order, accept, ends } = anOrder({}, { kind: 'order.update' }, { kind: 'order.update' });
    accept(1);
    ends(2, 'dead', ", outcome = 'unknown'");
    expect(order.current(3)).toMatchObject({ isDoubtful: true });
    ends(2, 'dead', ", outcome = 'not_applied'");
    expect(order.current(3)).toMatchObject({ isDoubtful: false });
  });

  it('is that one was to make it and did not, also behind the end of an earlier one', () => {
    const { order, accept, ends } = anOrder({}, { kind: 'order.cancel' }, {}, {});
    ends(1, 'rejected');
    expect(order.current(2)).toEqual({ order: 'none', createEnded: true });
    ends(1, 'delivered');
    accept(1);
    order.end(2, NOW_MS);
    expect(order.current(4)).toEqual({ order: 'cancelled', bySeq: 2, createEnded: false });
    ends(3, 'rejected');
    expect(order.current(4)).toEqual({ order: 'cancelled', bySeq: 2, createEnded: true });
    expect([order.accepted(), order.created()]).toEqual([null, null]);
  });

  it('is the order as it stood, where its cancel was refused after all', () => {
    const { order, accept } = anOrder({}, { kind: 'order.cancel' });
    accept(1);
    order.end(2, NOW_MS);
    order.refuse(2);
    expect(order.current(3)).toMatchObject({ order: 'live', seq: 1 });
  });

  it('is a bug where what was accepted is no object', () => {
    const { order, accept } = anOrder({});
    accept(1, 1, '[]');
    expect(() => order.current(2)).toThrow('an accepted order that is no object');
  });
});

describe('when an order was found', () => {
  it('is known only where no answer had shown that it came into being', () => {
    const { sql, order, accept } = anOrder({}, { kind: 'order.update' });
    expect(order.foundAtMs()).toBeNull();
    accept(1);
    accept(2);
    expect(order.foundAtMs()).toBeNull();
    sql.exec('UPDATE request SET had_unknown = 1 WHERE seq = 2');
    expect(order.foundAtMs()).toBeNull();
    sql.exec('UPDATE request SET had_unknown = 1 WHERE seq = 1');
    expect(order.foundAtMs()).toBe(NOW_MS + 1);
  });

  it('is not known of one that a person stated', () => {
    const { sql, order } = anOrder({});
    sql.exec('UPDATE request SET had_unknown = 1 WHERE seq = 1');
    order.state({
      ...{ incarnation: 1, order_id: 'id-1', document: '{}', loaded_at_ms: NOW_MS, key_id: 'k', author: 'A', why: 'w' },
      diff: null,
    });
    expect(order.created()?.base).toBeGreaterThan(0);
    expect(order.foundAtMs()).toBeNull();
  });
});
