/** What an order stores: its documents over all incarnations, its ids, and what each operation of it was to do. */
import { describe, expect, it } from 'vitest';
import type { EnqueuedRequest, StoredAttempt, StoredRequest } from '../../../src/tracking/request.ts';
import { earlierIds, NOTHING_NAMED, namedIds } from '../../../src/tracking/store/order-store.ts';
import type { AcceptedOrder, LoadedBase } from '../../../src/tracking/store/subject-tables.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, orderStored } from './samples.ts';

function anOrder(...requests: Partial<EnqueuedRequest>[]) {
  const { sql, tables, store, order: bareOrder, plans: barePlans } = orderStored();
  const [order, plans] = [committing(tables.journal, bareOrder), committing(tables.journal, barePlans)];
  const added = requests.map((more, index) => aTaken(index + 1, { kind: 'order.create', lane: 'operations', ...more }));
  store.commit(() => store.add(added));
  return {
    ...{ sql, tables, store, order, plans },
    accept: (seq: number, more: Partial<AcceptedOrder> = {}) =>
      order.accept({
        ...{ seq, incarnation: 1, order_id: 'id-1', document: `{"seq":${seq}}`, scac: 'DEMO' },
        accepted_at_ms: NOW_MS + seq,
        ...more,
      }),
    state: (more: Partial<LoadedBase> = {}) =>
      order.state({
        ...{ incarnation: 1, order_id: 'id-1', document: '{"stated":1}', loaded_at_ms: NOW_MS + 50, key_id: 'k' },
        ...{ author: 'Kim', why: 'seen', diff: null },
        ...more,
      }),
    becomes: (seq: number, to: Partial<StoredRequest>) => store.commit(() => void tables.request.patch(seq, to)),
    /** An attempt that ended, or has not. */
    attempt: (seq: number, startedAtMs: number, ended: Partial<StoredAttempt> | null) =>
      store.commit(() => {
        const { purpose = 'send', effect = 'unknown', latency_ms = null } = ended ?? {};
        store.beginAttempt({
          ...{ seq, purpose, startedAtMs, requestSha256: '', tokenFingerprint: null },
          ...{ possibleDuplicate: false, late: false, carries: null },
        });
        const nothing = { status: null, headers: null, body: null, body_end: null, body_encoding: null, detail: null };
        if (ended !== null) store.endAttempt({ ...nothing, seq, effect, latency_ms });
      }),
  };
}

describe('the documents of an order', () => {
  it('are those that were accepted and those that were stated, in the order of its operations', () => {
    const { order, accept, state } = anOrder({}, {}, {});
    state({ order_id: '' });
    accept(3, { incarnation: 2 });
    accept(1);
    expect(order.documents().map(({ seq, base }) => [seq, base])).toEqual([
      ...[
        [1, 0],
        [3, 0],
        [3, 1],
      ],
    ]);
    state();
    expect(order.documents().at(-1)).toEqual({
      ...{ seq: 3, base: 2, incarnation: 1, order_id: 'id-1', document: '{"stated":1}', scac: '' },
      accepted_at_ms: NOW_MS + 50,
    });
    expect(order.bases().map(({ number, after_seq }) => [number, after_seq])).toEqual([
      ...[
        [1, 3],
        [2, 3],
      ],
    ]);
  });

  it('are without what was refused after all, and refusing it twice says no more', () => {
    const { order, accept, tables } = anOrder({}, {});
    accept(1);
    accept(2);
    order.refuse(2);
    order.refuse(2);
    expect([order.documents().map(({ seq }) => seq), tables.refused_operation.size]).toEqual([[1], 1]);
    expect([...order.knownIds().ours]).toEqual(['id-1']);
  });

  it('of an earlier incarnation are not the order: it stands as the newest one has it', () => {
    const { order, accept } = anOrder({}, {}, {});
    accept(1, { incarnation: 2, order_id: 'B' });
    accept(2, { incarnation: 1, order_id: 'A' });
    expect([order.accepted()?.order_id, order.created()?.order_id, order.latest()]).toEqual([
      ...['B', 'B', { number: 2, hasEnded: false }],
    ]);
  });
});

describe('the end of an order', () => {
  it('is that of its latest incarnation, once', () => {
    const { order, accept, tables } = anOrder({}, {}, {}, {});
    order.end(1, NOW_MS);
    expect([order.latest(), tables.ended.size]).toEqual([null, 0]);
    accept(1);
    order.end(2, NOW_MS + 2);
    order.end(3, NOW_MS + 3);
    expect([order.latest(), [...tables.ended.values()]]).toEqual([
      { number: 1, hasEnded: true },
      [{ incarnation: 1, seq: 2, ended_at_ms: NOW_MS + 2 }],
    ]);
    order.refuse(3);
    expect(order.latest()?.hasEnded).toBe(true); // another operation was refused
    accept(4, { incarnation: 2 });
    expect([order.latest(), order.accepted()?.seq]).toEqual([{ number: 2, hasEnded: false }, 4]);
  });
});

describe('what an operation finds of those before it', () => {
  it('is in doubt where one of them, and only of those since the document, may have been applied', () => {
    const { order, accept, becomes } = anOrder({}, {}, {}, {});
    const isDoubtful = (seq: number) => {
      const found = order.current(seq);
      return found.order === 'live' && found.isDoubtful;
    };
    accept(2);
    becomes(2, { state: 'dead', outcome: 'unknown' });
    expect(isDoubtful(4)).toBe(false);
    becomes(1, { state: 'dead', outcome: 'unknown' });
    becomes(4, { state: 'dead', outcome: 'unknown' });
    expect(isDoubtful(4)).toBe(false);
    becomes(3, { state: 'delivered', outcome: 'unknown' });
    expect(isDoubtful(4)).toBe(false);
    becomes(3, { state: 'dead' });
    expect(isDoubtful(4)).toBe(true);
  });

  it('is in doubt where a person stated it', () => {
    const { order, state } = anOrder({});
    state();
    expect(order.current(2)).toMatchObject({ order: 'live', isDoubtful: true, document: { stated: 1 }, seq: 1 });
  });

  it.each<[boolean, Partial<StoredRequest>]>([
    [true, { state: 'rejected' }],
    [true, { state: 'dead', reason: 'deadline' }],
    [true, { state: 'cancelled', kind: 'order.upsert' }],
    [false, { state: 'rejected', kind: 'order.update' }],
    [false, { state: 'dead', kind: 'order.upsert', reason: 'base_unknown' }],
    [false, { state: 'duplicate' }],
    [false, { state: 'queued' }],
  ])('says whether a create came to nothing: %j for %j', (createEnded, request) => {
    const { order, becomes } = anOrder({}, {});
    becomes(1, request);
    expect(order.current(2)).toEqual({ order: 'none', createEnded });
    expect(order.current(1)).toEqual({ order: 'none', createEnded: false });
  });
});

describe('the ids of an order', () => {
  it('are its own in lower case, those that were there before it, and whether one is still to come', () => {
    const { store, order, accept, state, becomes } = anOrder({}, { kind: 'order.update' }, {});
    expect(namedIds(store, order)).toEqual({ ...NOTHING_NAMED, isBeingMade: true });
    for (const seq of [1, 3]) becomes(seq, { state: 'rejected' });
    expect(namedIds(store, order)).toEqual({ ours: [], before: [], isBeingMade: false, hasUnnamed: false, unnamed: 0 });
    accept(1, { order_id: 'ID-1' });
    order.noteForeign(3, ['id-1', 'id-2', 'id-3']);
    order.noteForeign(2, ['id-2']);
    state({ order_id: '' });
    expect(namedIds(store, order)).toEqual({
      ...{ ours: ['id-1'], before: ['id-2', 'id-3'], isBeingMade: false, hasUnnamed: true, unnamed: 1 },
    });
  });

  it('that nobody has named are counted by incarnation, however often it was changed, also where it was refused after all', () => {
    const { order, accept } = anOrder({}, { kind: 'order.update' }, {}, {});
    expect(order.unnamed()).toBe(0);
    accept(1, { order_id: '' });
    accept(2, { order_id: '' });
    expect(order.unnamed()).toBe(1);
    accept(3, { order_id: '', incarnation: 2 });
    order.refuse(3);
    accept(4, { order_id: 'D', incarnation: 3 });
    expect(order.unnamed()).toBe(2);
  });

  it('of orders before it are those of other incarnations, also of creates that were refused after all', () => {
    const { order, accept } = anOrder({}, {}, {});
    expect(earlierIds(order)).toEqual([]);
    accept(1, { order_id: 'A' });
    accept(2, { order_id: 'B' });
    order.refuse(1);
    accept(3, { order_id: 'C', incarnation: 2 });
    expect(earlierIds(order)).toEqual(['b', 'a']);
  });

  it('stated by people say when they last did', () => {
    const { order, state } = anOrder({});
    expect(order.statedMs()).toBeNull();
    state({ loaded_at_ms: NOW_MS + 9 });
    state({ loaded_at_ms: NOW_MS + 7 });
    expect(order.statedMs()).toBe(NOW_MS + 9);
  });
});

describe('the plan of an operation', () => {
  const shown = [{ path: 'shipperCode', before: 'A', after: 'B' }];
  const UPDATE = {
    ...({ does: 'update', incarnation: 1, orderId: 'id-1', body: '{"b":1}', document: '{"d":1}' } as const),
    ...{ lines: [{ line: 'L', amount: 2 }], shown },
  };
  type Plan = Parameters<ReturnType<typeof anOrder>['plans']['keep']>[1];
  const update = (more: object = {}) => ({ ...UPDATE, ...more }) as unknown as Plan;

  it('is kept as it was first made', () => {
    const { plans, store } = anOrder({}, {}, {});
    const create = { does: 'create', body: '{"b":2}', document: '{"d":2}', lines: [] } as unknown as Plan;
    expect(plans.of(1)).toBeNull();
    plans.keep(1, create);
    plans.keep(2, update());
    plans.keep(2, update({ orderId: 'other' }));
    plans.keep(3, { does: 'cancel', incarnation: 1, orderId: 'id-1' } as unknown as Plan);
    const [no, yes] = [
      { document: null, lines: null },
      { incarnation: 1, order_id: 'id-1' },
    ];
    expect([1, 2, 3].map((seq) => plans.of(seq))).toEqual([
      { seq: 1, does: 'create', incarnation: null, order_id: null, body: '{"b":2}', document: '{"d":2}', lines: '[]' },
      { seq: 2, does: 'update', ...yes, body: '{"b":1}', document: '{"d":1}', lines: '[{"line":"L","amount":2}]' },
      { seq: 3, does: 'cancel', ...yes, body: '', ...no },
    ]);
    expect([1, 2, 3].map((seq) => store.bySeq(seq).diff)).toEqual([null, JSON.stringify(shown), null]);
  });

  it('of a later one is made anew where this one was not done, unless that was sent', () => {
    const { plans, store, attempt } = anOrder({}, {}, {}, {});
    for (const seq of [1, 2, 3, 4]) plans.keep(seq, update());
    attempt(3, NOW_MS, { effect: 'not_applied' });
    attempt(4, NOW_MS, { purpose: 'precheck', effect: 'answered' });
    plans.forgetBehind(2);
    expect([1, 2, 3, 4].map((seq) => [plans.of(seq) === null, store.bySeq(seq).diff === null])).toEqual([
      ...[
        [false, false],
        [false, false],
        [false, false],
        [true, true],
      ],
    ]);
  });

  it('counts its lines once, for its incarnation, until it turns out that it was not done', () => {
    const { plans } = anOrder({}, {});
    const operation = (seq: number, lines: string | null) => ({
      ...({ seq, does: 'update', incarnation: 1, order_id: 'id-1', body: '', document: null, lines } as const),
    });
    plans.count(operation(1, '[{"line":"A","amount":2},{"line":"B","amount":3}]'), 1);
    plans.count(operation(2, '[{"line":"A","amount":5},{"line":"C","amount":7}]'), 1);
    plans.count(operation(2, null), 1);
    const amounts = () => ['A', 'B', 'C'].map((line) => plans.counted(1, line)?.amount);
    expect([amounts(), plans.counted(2, 'A')]).toEqual([[2, 3, 7], undefined]);
    plans.uncount(1);
    expect([amounts(), plans.counted(1, 'C')?.seq]).toEqual([[undefined, undefined, 7], 2]);
  });

  it('keeps the next one waiting for what an update without a clear answer may still do', () => {
    const { plans, attempt } = anOrder({}, {}, {}, {}, {});
    plans.keep(1, update());
    plans.keep(2, update());
    plans.keep(3, update({ incarnation: 2 }));
    plans.keep(4, { does: 'cancel', incarnation: 1, orderId: 'id-1' } as unknown as Plan);
    expect(plans.lastAmbiguousMs(1)).toBeNull();
    attempt(1, NOW_MS + 1_000, { effect: 'applied', latency_ms: 9 });
    attempt(3, NOW_MS + 2_000, { latency_ms: 9 });
    attempt(4, NOW_MS + 3_000, { latency_ms: 9 });
    attempt(1, NOW_MS + 4_000, { purpose: 'status' });
    expect(plans.lastAmbiguousMs(1)).toBeNull();
    attempt(2, NOW_MS + 20, { latency_ms: 7 });
    expect(plans.lastAmbiguousMs(1)).toBe(NOW_MS + 27);
    attempt(2, NOW_MS + 30, {});
    attempt(2, NOW_MS + 10, {});
    expect(plans.lastAmbiguousMs(1)).toBe(NOW_MS + 30);
  });
});
