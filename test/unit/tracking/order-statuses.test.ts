/** Whose an order is, as what makes or changes it says: its feed is told of it. */
import { describe, expect, it } from 'vitest';
import { withOrderFeedKey } from '../../../src/upstream/contracts/order-pair.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, orderStored } from './samples.ts';

const PAIR = { partnerId: 'p-1', clientId: 'c-1' };
const OTHER = { partnerId: 'p-2', clientId: 'c-2' };
const ORDER = { orderRef: 'SO-1' };
const change = (more: object) => JSON.stringify({ orderRef: 'SO-1', complete: false, order: {}, lists: {}, ...more });

/** @returns whose the order is, and since when, once these were handed over, one a second. */
function followed(...handed: Parameters<typeof aTaken>[1][]) {
  const { store, statuses } = orderStored();
  for (const [index, more] of handed.entries()) {
    store.commit(() => statuses.follow([aTaken(1, more)], NOW_MS + index * 1_000));
  }
  const { pair, takenAtMs } = statuses.followed() ?? {};
  return [pair, takenAtMs === undefined ? undefined : takenAtMs - NOW_MS];
}

describe('whose an order is', () => {
  it('says its create, in its document', () => {
    const body = JSON.stringify(withOrderFeedKey(ORDER, PAIR));
    expect(followed({ kind: 'order.create', body })).toEqual([PAIR, 0]);
  });

  it.each(['order.update', 'order.upsert'] as const)('says what it sets, or what was agreed beside it: %s', (kind) => {
    const body = change({ order: withOrderFeedKey(ORDER, PAIR) });
    expect(followed({ kind, body })).toEqual([PAIR, 0]);
    expect(followed({ kind, body: change({ pair: OTHER }) })).toEqual([OTHER, 0]);
    expect(followed({ kind, body: change({ order: withOrderFeedKey(ORDER, PAIR), pair: OTHER }) })).toEqual([PAIR, 0]);
  });

  it('says nobody, where neither does', () => {
    const create = { kind: 'order.create', body: JSON.stringify(ORDER) } as const;
    expect(followed(create, { kind: 'order.update', body: change({}) })).toEqual([undefined, undefined]);
  });

  it('is what the first said; each create behind it is told anew, and no update', () => {
    const [first, other] = [PAIR, OTHER].map((pair) => JSON.stringify(withOrderFeedKey(ORDER, pair)));
    const begun = { kind: 'order.create', body: first ?? '' } as const;
    expect(followed(begun, { kind: 'order.create', body: other ?? '' })).toEqual([PAIR, 1_000]);
    expect(followed(begun, { kind: 'order.update', body: change({ pair: OTHER }) })).toEqual([PAIR, 0]);
    expect(followed(begun, { kind: 'order.cancel', body: other ?? '' })).toEqual([PAIR, 0]);
  });
});
