/** Whose an order is, as what makes or changes it says, what its feed is told of it, and the statuses it found. */
import { describe, expect, it } from 'vitest';
import type { StoredRequest } from '../../../src/tracking/request.ts';
import type { NotifiedStatus } from '../../../src/tracking/store/order-statuses.ts';
import { withOrderFeedKey } from '../../../src/upstream/contracts/order-pair.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, orderStored } from './samples.ts';

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

  it('is told once of a create that is stored, however often its visit is repeated', () => {
    const { store, statuses } = orderStored();
    const create = aTaken(1, { kind: 'order.create', body: JSON.stringify(withOrderFeedKey(ORDER, PAIR)) });
    store.commit(() => {
      statuses.follow([create], NOW_MS);
      store.add([create]);
      const toldAtMs = statuses.beginNotifying(NOW_MS);
      statuses.noteNotified('open', { takenAtMs: NOW_MS, toldAtMs });
      statuses.follow([create], NOW_MS + 1_000);
    });
    expect(statuses.followed()).toMatchObject({ takenAtMs: NOW_MS, sinceMs: NOW_MS, told: 'open' });
  });
});

/** An order with its statuses, whose each call is a commit; of one create for each of these states. */
function anOrder(...requests: Partial<StoredRequest>[]) {
  const { tables, store, order, statuses: bare } = orderStored();
  store.commit(() => {
    store.add(requests.map(({ kind = 'order.create' }, index) => aTaken(index + 1, { kind, lane: 'operations' })));
    for (const [index, to] of requests.entries()) tables.request.patch(index + 1, to);
  });
  return { tables, statuses: committing(tables.journal, bare), order: committing(tables.journal, order) };
}

const aStatus = (seq: number, more: Partial<NotifiedStatus> = {}): NotifiedStatus => ({
  ...{ seq, hash: `h${seq}`, orderId: null, code: `c${seq}`, atMs: NOW_MS + seq, level: 'milestone', place: '{}' },
  ...{ learnedAtMs: NOW_MS + 100 + seq, corrects: null },
  ...more,
});

describe('the statuses of an order', () => {
  it('are kept as they came, once each, and listed as they happened, the latest of them', () => {
    const { statuses } = anOrder();
    statuses.take([aStatus(2, { atMs: NOW_MS }), aStatus(1, { atMs: NOW_MS, orderId: 'A', level: 'detail' })]);
    statuses.take([aStatus(1, { code: 'other' }), aStatus(3, { atMs: NOW_MS - 1 })]);
    const first = { seq: 1, order_id: 'A', code: 'c1', at_ms: NOW_MS, level: 'detail', place: '{}' };
    const listed = statuses.list(9);
    expect(listed.map(({ seq }) => seq)).toEqual([3, 1, 2]);
    expect(listed[1]).toEqual({ ...first, learned_at_ms: NOW_MS + 101, corrects: null, corrected_by: null });
    expect(statuses.list(2).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('that were misread name the last that was read in their place', () => {
    const { statuses } = anOrder();
    statuses.take([aStatus(1), aStatus(3, { corrects: 1 }), aStatus(2, { corrects: 1 }), aStatus(4)]);
    expect(statuses.list(9).map(({ seq, corrected_by }) => [seq, corrected_by])).toEqual([
      ...[
        [1, 3],
        [2, null],
        [3, null],
        [4, null],
      ],
    ]);
    expect(statuses.currentOnes(9, null, []).map(({ seq }) => seq)).toEqual([2, 3, 4]);
  });

  it('of the current order are those of no earlier one; of one level, or both', () => {
    const { statuses } = anOrder();
    statuses.take([aStatus(1, { orderId: 'Gone' }), aStatus(2, { orderId: 'ID' }), aStatus(3), aStatus(4)]);
    statuses.take([aStatus(5, { level: 'detail' })]);
    const seqs = (...asked: Parameters<typeof statuses.currentOnes>) =>
      statuses.currentOnes(...asked).map(({ seq }) => seq);
    expect([seqs(9, null, ['gone']), seqs(9, 'milestone', []), seqs(2, null, [])]).toEqual([
      ...[
        [2, 3, 4, 5],
        [1, 2, 3, 4],
        [4, 5],
      ],
    ]);
  });

  it('say under which ids they came, and when the last of them did', () => {
    const { statuses } = anOrder();
    expect([statuses.ids(), statuses.lastMs()]).toEqual([[], null]);
    statuses.take([
      aStatus(3, { orderId: 'A' }),
      aStatus(1, { orderId: 'A' }),
      aStatus(2),
      aStatus(4, { orderId: 'B' }),
    ]);
    statuses.take([aStatus(5, { learnedAtMs: NOW_MS })]);
    expect([statuses.ids(), statuses.lastMs()]).toEqual([['A', 'B'], NOW_MS + 104]);
  });
});

describe('an order that somebody states', () => {
  it('is theirs who it says, unless it is known whose it is; its feed is told anew', () => {
    const { statuses } = anOrder();
    statuses.followStated(null, NOW_MS);
    expect(statuses.followed()).toBeNull();
    statuses.followStated(PAIR, NOW_MS + 1);
    const told = { told: null, heardAtMs: 0 };
    expect(statuses.followed()).toEqual({ pair: PAIR, takenAtMs: NOW_MS + 1, sinceMs: NOW_MS + 1, ...told });
    statuses.followStated(OTHER, NOW_MS + 2);
    expect(statuses.followed()).toEqual({ pair: PAIR, takenAtMs: NOW_MS + 2, sinceMs: NOW_MS + 1, ...told });
    statuses.followStated(null, NOW_MS + 3);
    expect(statuses.followed()).toMatchObject({ pair: PAIR, takenAtMs: NOW_MS + 3 });
  });
});

describe('what the feed of an order has heard', () => {
  function told() {
    const made = anOrder();
    made.statuses.followStated(PAIR, NOW_MS);
    return { ...made, takenAtMs: NOW_MS, toldAtMs: made.statuses.beginNotifying(NOW_MS + 5) };
  }

  it('is known once it has confirmed; what comes later it may have missed only since then', () => {
    const { statuses, takenAtMs, toldAtMs } = told();
    expect([toldAtMs, statuses.followed()?.told]).toEqual([NOW_MS + 5, null]);
    statuses.noteNotified('open', { takenAtMs, toldAtMs });
    expect(statuses.followed()).toMatchObject({ told: 'open', heardAtMs: NOW_MS + 5, sinceMs: NOW_MS });
    statuses.followStated(PAIR, NOW_MS + 9);
    expect(statuses.followed()).toMatchObject({ told: null, sinceMs: NOW_MS + 9, takenAtMs: NOW_MS + 9 });
  });

  it('is told later each time, whatever the clock says', () => {
    const { statuses } = told();
    expect([statuses.beginNotifying(NOW_MS), statuses.beginNotifying(NOW_MS + 6)]).toEqual([NOW_MS + 6, NOW_MS + 7]);
  });

  it.each([
    { takenAtMs: 1, toldAtMs: 0 },
    { takenAtMs: 0, toldAtMs: 1 },
  ])('is not what was said before something else happened: %j', ({ takenAtMs, toldAtMs }) => {
    const { statuses, ...since } = told();
    statuses.noteNotified('open', { takenAtMs: since.takenAtMs + takenAtMs, toldAtMs: since.toldAtMs + toldAtMs });
    expect(statuses.followed()?.told).toBeNull();
  });

  it('is nothing where there is no such feed any more, or never was', () => {
    const { statuses, takenAtMs, toldAtMs } = told();
    statuses.noteNotified('none', { takenAtMs, toldAtMs });
    expect(statuses.followed()?.told).toBe('none');
    statuses.noteUnheard();
    expect(statuses.followed()).toMatchObject({ told: null, takenAtMs, heardAtMs: toldAtMs });
    const never = anOrder().statuses;
    never.noteUnheard();
    never.noteNotified('open', { takenAtMs, toldAtMs });
    expect(never.followed()).toBeNull();
  });
});

describe('what an order tells its feed', () => {
  const ACCEPTED = { ...{ seq: 1, incarnation: 1, order_id: 'A', document: '{}', scac: '' }, accepted_at_ms: NOW_MS };
  const BASE = { ...ACCEPTED, loaded_at_ms: NOW_MS, key_id: 'k', author: 'A', why: 'w', diff: null };
  const ended = [{ state: 'rejected' }, { state: 'dead' }, { state: 'cancelled' }, { state: 'duplicate' }] as const;

  it('is that there is none, where every operation ended and none can have made it', () => {
    expect([anOrder().statuses.current(), anOrder(...ended).statuses.current()]).toEqual(['none', 'none']);
  });

  it.each<Partial<StoredRequest>>([
    { state: 'queued' },
    { state: 'delivered' },
    { state: 'held' },
    { state: 'dead', had_unknown: 1 },
  ])('is that there may be one, where one of them is so: %j', (request) => {
    expect(anOrder({ state: 'rejected' }, request).statuses.current()).toBe('open');
  });

  it('is that there is one, where it was accepted, or stated, or its feed found it', () => {
    const [one, other, third] = [anOrder(...ended), anOrder(...ended), anOrder(...ended)];
    one.order.accept(ACCEPTED);
    const { seq: _, scac: __, accepted_at_ms: ___, ...base } = BASE;
    other.order.state(base);
    third.statuses.take([aStatus(1)]);
    expect([one, other, third].map(({ statuses }) => statuses.current())).toEqual(['open', 'open', 'open']);
  });

  it.each<[boolean, Partial<StoredRequest>[]]>([
    [false, []],
    [true, [{ state: 'rejected' }, { state: 'queued' }]],
    [true, [{ state: 'unknown', kind: 'order.update' }]],
    [false, [{ state: 'queued', kind: 'order.cancel' }, { state: 'delivered' }]],
    [false, [{ state: 'held' }, { state: 'queued' }]],
  ])('is told again while it is still to be made: %j %j', (isBeingMade, requests) => {
    expect(anOrder(...requests).statuses.isBeingMade()).toBe(isBeingMade);
  });
});
