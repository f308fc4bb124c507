/** What an order holds of itself: which document stands, what an operation finds, and when the order was found. */
import { describe, expect, it } from 'vitest';
import type { EnqueuedRequest, StoredRequest } from '../../../src/tracking/request.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, orderStored } from './samples.ts';

function anOrder(...requests: Partial<EnqueuedRequest>[]) {
  const { tables, store, order: bare } = orderStored();
  const order = committing(tables.journal, bare);
  const added = requests.map((more, index) => aTaken(index + 1, { kind: 'order.create', lane: 'operations', ...more }));
  store.commit(() => store.add(added));
  const accept = (seq: number, incarnation = 1, document = `{"seq":${seq}}`) =>
    order.accept({
      seq,
      incarnation,
      order_id: `id-${incarnation}`,
      document,
      scac: 'DEMO',
      accepted_at_ms: NOW_MS + seq,
    });
  const becomes = (seq: number, to: Partial<StoredRequest>) => store.commit(() => tables.request.patch(seq, to));
  return { order, accept, becomes };
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
    const { order, accept, becomes } = anOrder({}, { kind: 'order.update' }, { kind: 'order.update' });
    accept(1);
    becomes(2, { state: 'dead', outcome: 'unknown' });
    expect(order.current(3)).toMatchObject({ isDoubtful: true });
    becomes(2, { state: 'dead', outcome: 'not_applied' });
    expect(order.current(3)).toMatchObject({ isDoubtful: false });
  });

  it('is that one was to make it and did not, also behind the end of an earlier one', () => {
    const { order, accept, becomes } = anOrder({}, { kind: 'order.cancel' }, {}, {});
    becomes(1, { state: 'rejected' });
    expect(order.current(2)).toEqual({ order: 'none', createEnded: true });
    becomes(1, { state: 'delivered' });
    accept(1);
    order.end(2, NOW_MS);
    expect(order.current(4)).toEqual({ order: 'cancelled', bySeq: 2, createEnded: false });
    becomes(3, { state: 'rejected' });
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
    const { becomes, order, accept } = anOrder({}, { kind: 'order.update' });
    expect(order.foundAtMs()).toBeNull();
    accept(1);
    accept(2);
    expect(order.foundAtMs()).toBeNull();
    becomes(2, { had_unknown: 1 });
    expect(order.foundAtMs()).toBeNull();
    becomes(1, { had_unknown: 1 });
    expect(order.foundAtMs()).toBe(NOW_MS + 1);
  });

  it('is not known of one that a person stated', () => {
    const { becomes, order } = anOrder({});
    becomes(1, { had_unknown: 1 });
    order.state({
      ...{ incarnation: 1, order_id: 'id-1', document: '{}', loaded_at_ms: NOW_MS, key_id: 'k', author: 'A', why: 'w' },
      diff: null,
    });
    expect(order.created()?.base).toBeGreaterThan(0);
    expect(order.foundAtMs()).toBeNull();
  });
});
