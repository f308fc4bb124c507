/** An operation that was only accepted, of which nothing says yet whether it was done: what follows it waits, or states it again. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Decision, decide } from '../../../src/delivery/decisions.ts';
import {
  ACTION_LOOKUP_AFTER_MS,
  CHANNEL_PAUSE_MS,
  CHECK_RETRY_LAST_WAIT_MS,
  CHECK_RETRY_WAITS_MS,
  RETRY_JITTER,
} from '../../../src/kernel/limits.ts';
import type { RequestKind } from '../../../src/mapping/request.ts';
import type { Answer } from '../../../src/upstream/answer.ts';
import {
  anOrderWith,
  answered,
  BODIES,
  change,
  created,
  DOCUMENT,
  DONE,
  LATE,
  ORDER_ID,
  said,
  sent,
} from './order-samples.ts';
import { aTaken } from './samples.ts';

afterEach(() => vi.unstubAllGlobals());

const [FIRST_MS, SECOND_MS] = ACTION_LOOKUP_AFTER_MS;

describe('what became of an operation that was only accepted is awaited by what would end upon it and not be sent:', () => {
  const SAME = change({ shipperCode: 'A' });
  const bodies = (own: string) => [JSON.stringify(DOCUMENT), 'null', own];

  /** A cancel that was only accepted, and what it is followed by, which waits for what becomes of it. */
  function behindCancel(kind: RequestKind, body = SAME) {
    const made = created({ bodies: bodies(body) }, 'order.cancel', kind);
    const { sending, begin, answers, clock, lane, store } = made;
    sending();
    begin(2);
    answers(2, answered(200));
    const dueMs = clock.nowMs() + FIRST_MS;
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    if (made.plans.of(3) !== null) expect(lane.next(clock)).toEqual({ turn: 'decided' }); // it was planned first
    expect(store.bySeq(3)).toMatchObject({ state: 'queued', reason: 'earlier_unclear', at_ms: dueMs });
    clock.pass(FIRST_MS);
    return made;
  }
  const waited = ({ lane, clock }: ReturnType<typeof behindCancel>) => {
    clock.pass(CHANNEL_PAUSE_MS);
    return lane.next(clock);
  };

  it.each<[RequestKind, string, object]>([
    ['order.cancel', SAME, { state: 'duplicate', into_seq: 2 }],
    ['order.update', SAME, { state: 'dead', reason: 'order_cancelled' }],
    ['order.upsert', SAME, { state: 'dead', reason: 'base_unknown' }],
  ])('where a cancel was done, %s ends', async (kind, body, end) => {
    const made = behindCancel(kind, body);
    await made.looksUp(said('cancel', 'done'));
    expect(waited(made)).toEqual({ turn: 'decided' });
    expect(made.store.bySeq(3)).toMatchObject(end);
  });

  it('where it was refused, a second cancel is sent', async () => {
    const made = behindCancel('order.cancel');
    await made.looksUp(said('cancel', 'rejected'));
    waited(made);
    expect(await sent(made.sending())).toEqual(['DELETE', `/rcsc/order-requests/v1/${ORDER_ID}`, undefined]);
  });

  it.each<RequestKind>(['order.update', 'order.upsert'])(
    'where it was refused, a change goes to the order as it stands: %s',
    async (kind) => {
      const made = behindCancel(kind, BODIES[1]);
      await made.looksUp(said('cancel', 'rejected'));
      waited(made);
      const next = made.sending();
      expect([next.request.seq, JSON.parse(next.body)]).toMatchObject([3, { shipperCode: 'B' }]);
    },
  );

  it('where nothing is said of it, it counts as done', async () => {
    const made = behindCancel('order.cancel');
    await made.looksUp(answered(404));
    made.clock.pass(SECOND_MS);
    await made.looksUp(answered(404));
    expect(waited(made)).toEqual({ turn: 'decided' });
    expect(made.store.bySeq(3)).toMatchObject({ state: 'duplicate', into_seq: 2 });
  });

  describe('and no query about it is answered,', () => {
    const FAILURES = [answered(502), answered(401), answered(400), answered(200, { body: 'no JSON' }), answered(503)];
    /** @param said the answers to all its queries. */
    async function queried(kind: RequestKind, body: string, said: readonly Answer[]) {
      const made = behindCancel(kind, body);
      for (const each of said) {
        await made.looksUp(each);
        made.clock.pass(CHECK_RETRY_LAST_WAIT_MS * 2);
      }
      return made;
    }

    it('it is queried again, and what follows waits', async () => {
      const made = await queried('order.cancel', SAME, FAILURES.slice(1));
      expect([made.lane.next(made.clock), made.store.bySeq(3)]).toMatchObject([
        { turn: 'decided' },
        { state: 'queued', reason: 'earlier_unclear' },
      ]);
      expect(made.sending()).toMatchObject({ purpose: 'status', request: { seq: 2 } });
      await made.looksUp(said('cancel', 'done'));
      expect(waited(made)).toEqual({ turn: 'decided' });
      expect(made.store.bySeq(3)).toMatchObject({ state: 'duplicate', into_seq: 2 });
    });

    it('it is queried at growing intervals', async () => {
      const made = behindCancel('order.cancel');
      const waitsMs: number[] = [];
      for (const failure of FAILURES.slice(1)) {
        await made.looksUp(failure);
        const dueMs = made.tables.followed.get(2)?.at_ms ?? 0;
        waitsMs.push(dueMs - made.clock.nowMs());
        made.clock.pass(CHECK_RETRY_LAST_WAIT_MS * 2);
      }
      const scheduledMs = [...CHECK_RETRY_WAITS_MS, CHECK_RETRY_LAST_WAIT_MS];
      const shares = waitsMs.map((waitMs, at) => waitMs / (scheduledMs[at] ?? 0));
      expect(shares.map((share) => Math.abs(share - 1) <= RETRY_JITTER)).toEqual([true, true, true, true]);
    });

    it('failures count for no answer: what the upstream does not say twice counts as done', async () => {
      const made = await queried('order.cancel', SAME, [answered(502), answered(404), answered(502)]);
      expect(made.sending()).toMatchObject({ purpose: 'status' });
      await made.looksUp(answered(404));
      expect(waited(made)).toEqual({ turn: 'decided' });
      expect(made.store.bySeq(3)).toMatchObject({ state: 'duplicate', into_seq: 2 });
    });

    /** A person decides about the third operation, which waits for that. */
    function decided(made: Awaited<ReturnType<typeof queried>>, decision: Decision, orderId: string | null = null) {
      const { lane, store, clock } = made;
      const request = { ...store.bySeq(3), attempted: false, hadUnknown: false };
      const wanted = { decision, seen: null, orderId, outcome: null };
      const ruled = decide({ ...request, kind: lane.goesAs(request), version: '' }, wanted, clock);
      if (!ruled.ok) throw new Error(ruled.error.code);
      if (ruled.value.deadlineMs !== null) store.commit(() => store.tables.request.patch(3, { possible_duplicate: 1 }));
      lane.decide(store.bySeq(3), ruled.value.taken, ruled.value.orderId, clock);
    }
    const HELD = { state: 'held', reason: 'earlier_unclear', attempts: 0 };

    describe('a second cancel is held:', () => {
      it('a person says what it waits for, and has it sent', async () => {
        const made = await queried('order.cancel', SAME, FAILURES);
        expect(made.lane.next(made.clock)).toEqual({ turn: 'decided' });
        expect(made.store.bySeq(3)).toMatchObject(HELD);
        expect(made.store.bySeq(3).answer).toContain('the cancel of record 2 ');
        decided(made, 'send_again');
        expect(await sent(made.sending())).toEqual(['DELETE', `/rcsc/order-requests/v1/${ORDER_ID}`, undefined]);
        made.begin(3);
        made.answers(3, answered(200));
        made.clock.pass(FIRST_MS);
        await made.looksUp(said('cancel', 'rejected'));
        expect(made.order.accepted()).toBeNull(); // it may be refused because the first one was done
      });

      it.each([
        ['its own answer says that it was done', [DONE]],
        ['a query says that it was done', [answered(200), said('cancel', 'done')]],
        ['queries say nothing, as of the first', [answered(200), answered(404), answered(404)]],
      ])('where it is sent and %s, a new order may be made', async (_, [answer, ...queries]) => {
        const made = await queried('order.cancel', SAME, FAILURES);
        made.lane.next(made.clock);
        decided(made, 'send_again');
        made.sending();
        made.begin(3);
        made.answers(3, answer ?? DONE);
        for (const query of queries) {
          made.clock.pass(SECOND_MS);
          await made.looksUp(query);
        }
        made.store.add([aTaken(4, { kind: 'order.create', lane: 'operations', body: BODIES[0] ?? '', ...LATE })]);
        expect(await sent(made.sending())).toEqual(['POST', '/rcsc/order-requests/v1/', BODIES[0]]);
      });

      it('where it is sent and refused, a new order waits for a person, too', async () => {
        const made = await queried('order.cancel', SAME, FAILURES);
        made.lane.next(made.clock);
        decided(made, 'send_again');
        made.sending();
        made.begin(3);
        made.answers(3, answered(200));
        made.clock.pass(FIRST_MS);
        await made.looksUp(said('cancel', 'rejected'));
        made.store.add([aTaken(4, { kind: 'order.create', lane: 'operations', body: BODIES[0] ?? '', ...LATE })]);
        made.lane.next(made.clock);
        expect(made.store.bySeq(4)).toMatchObject(HELD);
      });

      it('where it is marked as delivered, the order is cancelled, and a new one may be made', async () => {
        const made = await queried('order.cancel', SAME, FAILURES);
        made.lane.next(made.clock);
        decided(made, 'mark_delivered');
        made.store.add([aTaken(4, { kind: 'order.create', lane: 'operations', body: BODIES[0] ?? '', ...LATE })]);
        expect(await sent(made.sending())).toEqual(['POST', '/rcsc/order-requests/v1/', BODIES[0]]);
      });
    });

    describe('a new order is not made beside one that may stand:', () => {
      const NEW = JSON.stringify({ ...DOCUMENT, shipperCode: 'N' });
      const WHOLE = change({ ...DOCUMENT, shipperCode: 'N' }, { complete: true });

      it.each<[RequestKind, string]>([
        ['order.create', NEW],
        ['order.upsert', WHOLE],
      ])('%s is held, and made where a person says that none is there', async (kind, body) => {
        const made = await queried(kind, body, FAILURES);
        made.lane.next(made.clock);
        expect(made.store.bySeq(3)).toMatchObject(HELD);
        decided(made, 'create_again');
        expect(await sent(made.sending())).toMatchObject([
          'POST',
          '/rcsc/order-requests/v1/',
          expect.stringContaining('"N"'),
        ]);
      });

      it.each([
        ['by its id', 'adopt_id', ORDER_ID.toUpperCase()],
        ['without an id', 'mark_delivered', null],
      ] as const)(
        'where a person says that the order stands, %s, it meets that order',
        async (_, decision, orderId) => {
          const made = await queried('order.create', NEW, FAILURES);
          made.lane.next(made.clock);
          decided(made, decision, orderId);
          expect([made.stateOf(3), made.order.accepted()]).toMatchObject(['queued', { order_id: ORDER_ID, seq: 1 }]);
          made.lane.next(made.clock);
          expect(made.store.bySeq(3)).toMatchObject({ state: 'dead', reason: 'order_exists' });
        },
      );

      it('where a person names another order, that is the new one', async () => {
        const other = ORDER_ID.replace('0b6f', '1b6f');
        const made = await queried('order.create', NEW, FAILURES);
        made.lane.next(made.clock);
        decided(made, 'adopt_id', other);
        expect([made.stateOf(3), made.order.accepted()]).toMatchObject([
          'delivered',
          { order_id: other, incarnation: 2 },
        ]);
      });
    });

    it('an update ends: it may be gone', async () => {
      const made = await queried('order.update', SAME, FAILURES);
      expect(made.lane.next(made.clock)).toEqual({ turn: 'decided' });
      expect(made.store.bySeq(3)).toMatchObject({ state: 'dead', reason: 'order_cancelled' });
    });

    it('what asks for the same as an update is sent', async () => {
      const same = BODIES[1] ?? '';
      const made = created({ bodies: [BODIES[0] ?? '', same, same] }, 'order.update', 'order.update');
      made.sending();
      made.begin(2);
      made.answers(2, answered(200));
      made.lane.next(made.clock);
      made.clock.pass(FIRST_MS);
      for (const failure of FAILURES) {
        await made.looksUp(failure);
        made.clock.pass(CHECK_RETRY_LAST_WAIT_MS * 2);
      }
      const next = made.sending();
      expect([next.purpose, next.request.seq, JSON.parse(next.body)]).toMatchObject(['send', 3, { shipperCode: 'B' }]);
    });
  });

  it.each([
    ['done', 'duplicate', 'order_exists'],
    ['failed', 'sent', 'sent'],
  ])('a create of which it is then known that it was %s', async (code, same, other) => {
    for (const [body, end] of [
      [BODIES[0], same],
      [BODIES[2], other],
    ]) {
      const made = anOrderWith(
        { bodies: [BODIES[0] ?? '', body ?? ''], more: LATE },
        ...(['order.create', 'order.create'] as const),
      );
      const { lane, clock, store } = made;
      made.begin(1);
      made.answers(1, answered(201, { body: JSON.stringify({ id: ORDER_ID, code: 'pending' }) }));
      expect(lane.next(clock)).toEqual({ turn: 'decided' });
      expect(store.bySeq(2)).toMatchObject({ state: 'queued', reason: 'earlier_unclear' });
      clock.pass(FIRST_MS);
      await made.looksUp(said('create', code));
      const turn = waited(made);
      const { state, reason } = store.bySeq(2);
      expect(turn.turn === 'send' ? 'sent' : (reason ?? state)).toBe(end);
    }
  });

  it('an update that asks for the same', async () => {
    const made = created(
      { bodies: [BODIES[0] ?? '', BODIES[1] ?? '', BODIES[1] ?? ''] },
      'order.update',
      'order.update',
    );
    made.sending();
    made.begin(2);
    made.answers(2, answered(200));
    expect(made.lane.next(made.clock)).toEqual({ turn: 'decided' });
    expect(made.store.bySeq(3)).toMatchObject({ state: 'queued', reason: 'earlier_unclear' });
    made.clock.pass(FIRST_MS);
    await made.looksUp(said('update', 'rejected'));
    waited(made);
    expect(JSON.parse(made.sending().body)).toMatchObject({ shipperCode: 'B' });
  });
});

describe('an update that was only accepted, and overtaken before anything said whether it was done,', () => {
  const SAME = BODIES[1] ?? '';
  const MORE = change(
    { skus: [{ sku: 'A', more: 3 }] },
    { lists: { skus: { key: 'sku', quantity: 'quantity', by: 'more' } } },
  );
  const WITH_SKU = JSON.stringify({ ...DOCUMENT, skus: [{ sku: 'A', quantity: 2 }] });

  /** @param end the answer to the one that overtook it. */
  function overtaken(first: string, update: string, end = 422) {
    const bodies = [first, update, BODIES[2] ?? '', update];
    const made = created({ bodies }, 'order.update', 'order.update', 'order.update');
    const { sending, begin, answers } = made;
    sending();
    begin(2);
    answers(2, answered(200));
    sending();
    begin(3);
    answers(3, answered(end));
    return made;
  }

  it('is sent again by one that says the same', () => {
    const { sending, begin, answers, order, stateOf } = overtaken(BODIES[0] ?? '', SAME);
    const next = sending();
    expect([next.purpose, next.request.seq]).toEqual(['send', 4]);
    expect(JSON.parse(next.body)).toMatchObject({ shipperCode: 'B' });
    begin(4);
    answers(4, DONE);
    expect([stateOf(4), order.accepted()?.seq]).toEqual(['delivered', 4]);
  });

  it('is sent again by a difference that was counted with it, and counts once', () => {
    const { sending, begin, answers, order } = overtaken(WITH_SKU, MORE);
    const quantityIn = (document: string) =>
      (JSON.parse(document) as { skus: { quantity: number }[] }).skus[0]?.quantity;
    const next = sending();
    expect([next.request.seq, quantityIn(next.body)]).toEqual([4, 5]);
    begin(4);
    answers(4, DONE);
    expect(quantityIn(order.accepted()?.document ?? '{}')).toBe(5);
  });

  it('counts for nothing once the one that overtook it is known to be done', () => {
    const made = created({ bodies: [...BODIES, BODIES[2] ?? ''] }, 'order.update', 'order.update', 'order.update');
    const { sending, begin, answers, lane, clock, store } = made;
    for (const [seq, answer] of [
      [2, answered(200)],
      [3, DONE],
    ] as const) {
      sending();
      begin(seq);
      answers(seq, answer);
    }
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(4)).toMatchObject({ state: 'duplicate', into_seq: 3 });
  });
});
