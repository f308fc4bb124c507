/** The operations of one order, on its storage alone: what each makes of the order that the bridge knows. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/delivery/classify.ts';
import type { StepDone } from '../../../src/delivery/next-step.ts';
import { ACTION_LOOKUP_AFTER_MS, DECIDED_DEADLINE_MS, NOT_FOUND_AFTER_MS } from '../../../src/kernel/limits.ts';
import type { RequestKind } from '../../../src/mapping/request.ts';
import { attemptRow, seenIn } from '../../../src/tracking/store/subject-rows.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { anOrderWith, answered, CREATED, change, ORDER_ID } from './order-samples.ts';

const DELIVERED: StepDone = {
  tries: 0,
  hadUnknown: false,
  step: { state: 'delivered', evidence: 'operator' },
};

/** @param kinds of its operations, in hand-over order. */
const anOrder = (...kinds: RequestKind[]) => anOrderWith({}, ...kinds);

describe('an operation that a person says was done', () => {
  it('is the order, where it was to create it', () => {
    const { store, order, lane, clock } = anOrder('order.create');
    lane.decide(store.bySeq(1), DELIVERED, '4711', clock);
    expect(order.accepted()).toMatchObject({ seq: 1, order_id: '4711', document: '{"record":1}' });
  });

  it.each<RequestKind>(['order.update', 'order.upsert', 'order.cancel'])(
    'before its turn came makes no order of the change that it names: %s',
    (kind) => {
      const { store, order, lane, clock } = anOrder(kind);
      lane.decide(store.bySeq(1), DELIVERED, null, clock);
      expect(store.bySeq(1).state).toBe('delivered');
      expect([order.latest(), order.accepted()]).toEqual([null, null]);
    },
  );
});

describe('operations behind one that waits for a person', () => {
  it('have as long as it, from when that is decided: the wait was not theirs', () => {
    const made = anOrder('order.create', 'order.create', 'order.cancel', 'order.cancel');
    const { store, lane, clock, begin, answers } = made;
    const patch = (seq: number, to: object) => store.commit(() => void store.tables.request.patch(seq, to));
    const farMs = clock.nowMs() + 99 * DECIDED_DEADLINE_MS;
    patch(1, { state: 'held', reason: 'not_found' });
    patch(2, { state: 'cancelled' });
    patch(4, { deadline_ms: farMs });
    const { deadline_ms } = store.bySeq(1);
    clock.pass(7 * 24 * 3_600_000);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
    lane.decide(store.bySeq(1), DELIVERED, ORDER_ID, clock);
    expect([1, 2, 3, 4].map((seq) => store.bySeq(seq).deadline_ms)).toEqual([
      ...[deadline_ms, deadline_ms, clock.nowMs() + DECIDED_DEADLINE_MS, farMs],
    ]);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 3 } } });
    begin(3);
    answers(3, answered(200));
    expect(store.bySeq(3).state).toBe('delivered');
  });
});

describe('the turn of an operation', () => {
  it('comes in hand-over order: the next one waits while one is on the wire, whatever it is', () => {
    const { lane, clock, begin } = anOrder('order.create', 'order.cancel');
    const turn = lane.next(clock);
    expect(turn).toMatchObject({ turn: 'send', sending: { purpose: 'send', request: { seq: 1 } } });
    begin(1);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
  });

  it('is none where nothing is open', () => {
    const { lane, clock } = anOrder();
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
  });

  it('is its end once its time is over, and then the next one has its turn', () => {
    const { lane, clock, stateOf } = anOrder('order.create', 'order.create');
    clock.pass(3_600_001);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect([stateOf(1), stateOf(2)]).toEqual(['dead', 'queued']);
  });

  it('is a look at what stands under its reference, once and before its first sending, where its channel asks for that', () => {
    const { lane, clock, begin, store } = anOrderWith({ preChecks: true }, 'order.create');
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { purpose: 'precheck' } });
    begin(1, 'precheck');
    const { seq } = store.bySeq(1);
    store.endAttempt(attemptRow(seq, answered(200, { body: '{"events":[]}' }), 'answered'));
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { purpose: 'send' } });
  });

  it('of a create that may have made an order is a look for it, never a second sending', () => {
    const { lane, clock, begin, answers, stateOf } = anOrder('order.create');
    begin(1);
    answers(1, answered(502));
    expect(stateOf(1)).toBe('unknown');
    clock.pass(30_000);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { purpose: 'check' } });
  });

  it('that is to be tried again comes at its time, and the next one waits as long', () => {
    const { lane, clock, begin, answers, store } = anOrder('order.create', 'order.create');
    begin(1);
    answers(1, answered(429));
    const dueMs = store.bySeq(1).at_ms ?? 0;
    expect(dueMs).toBeGreaterThan(clock.nowMs());
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: dueMs });
    clock.pass(dueMs - clock.nowMs());
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { purpose: 'send', request: { seq: 1 } } });
  });
});

describe('an operation that arrives twice', () => {
  it('does harm where it creates, and none where it says what shall be', () => {
    const { store, lane } = anOrder('order.create', 'order.update', 'order.cancel');
    expect([1, 2, 3].map((seq) => lane.isRepeatable(store.bySeq(seq)))).toEqual([false, true, true]);
  });

  it('does harm as an upsert, once it is known to create', () => {
    const whole = JSON.stringify({ orderRef: 'SO-1', complete: true, order: { orderRef: 'SO-1' }, lists: {} });
    const { store, lane, clock } = anOrderWith({ bodies: [whole] }, 'order.upsert');
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect([lane.goesAs(store.bySeq(1)), lane.isRepeatable(store.bySeq(1))]).toEqual(['order.create', false]);
  });
});

describe('a create that may have made an order, past its deadline', () => {
  it.each([
    ['taken without an id is held for its id', answered(201), 'order_id_missing'],
    ['unclear is held as what nothing proved', answered(502), 'exhausted'],
  ])('%s', (_, observed, reason) => {
    const { store, lane, clock, begin, answers } = anOrder('order.create');
    begin(1);
    answers(1, observed);
    expect(store.bySeq(1).state).toBe('unknown');
    clock.pass(3_600_001);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(1)).toMatchObject({ state: 'held', reason });
  });
});

describe('behind a create that was given up, and may have made an order', () => {
  const closed = (outcome: 'unknown' | 'not_applied'): StepDone => ({
    ...{ tries: 1, hadUnknown: true },
    step: { state: 'dead', outcome, reason: 'closed' },
  });
  const CREATE_AGAIN = (clock: { nowMs(): number }): StepDone => ({
    ...{ tries: 0, hadUnknown: false },
    step: { state: 'queued', atMs: clock.nowMs() },
  });
  function given(outcome: 'unknown' | 'not_applied', second: RequestKind, bodies?: string[]) {
    const made = anOrderWith(bodies === undefined ? {} : { bodies }, 'order.create', second);
    made.begin(1);
    made.answers(1, answered(502));
    made.lane.decide(made.store.bySeq(1), closed(outcome), null, made.clock);
    return made;
  }

  it('another create is held until a person decides, and is sent then', () => {
    const { store, lane, clock } = given('unknown', 'order.create');
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(2)).toMatchObject({ state: 'held', reason: 'earlier_unclear', attempts: 0 });
    expect(store.bySeq(2).answer).toContain('may have made this order');
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
    store.tables.journal.commit(() => store.tables.request.patch(2, { possible_duplicate: 1 })); // as `decideIn` notes it
    lane.decide(store.bySeq(2), CREATE_AGAIN(clock), null, clock);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { purpose: 'send', request: { seq: 2 } } });
  });

  it('so is an upsert that would create', () => {
    const whole = JSON.stringify({ orderRef: 'SO-1', complete: true, order: { orderRef: 'SO-1' }, lists: {} });
    const { store, lane, clock } = given('unknown', 'order.upsert', ['{"orderRef":"SO-1"}', whole]);
    expect([lane.next(clock), lane.next(clock)]).toEqual([{ turn: 'decided' }, { turn: 'decided' }]);
    expect(store.bySeq(2)).toMatchObject({ state: 'held', reason: 'earlier_unclear' });
  });

  it('a change is not told that the order was not created', () => {
    const body = [change({ shipperCode: 'B' })];
    const reasonOf = (outcome: 'unknown' | 'not_applied') => {
      const { store, lane, clock } = given(outcome, 'order.update', ['{"orderRef":"SO-1"}', ...body]);
      lane.next(clock);
      return store.bySeq(2).reason;
    };
    expect([reasonOf('not_applied'), reasonOf('unknown')]).toEqual(['dependency', 'base_unknown']);
  });

  it('a cancel is not told that the order before was cancelled, nor a change where a person has closed what was held', () => {
    const made = anOrder('order.create', 'order.cancel', 'order.create', 'order.cancel');
    const { store, lane, clock, begin, answers } = made;
    begin(1);
    answers(1, CREATED);
    lane.next(clock);
    begin(2);
    answers(2, answered(200, { body: JSON.stringify({ id: ORDER_ID }) }));
    lane.decide(store.bySeq(3), closed('unknown'), null, clock);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(4)).toMatchObject({ state: 'dead', reason: 'base_unknown' });
    const bodies = ['{"orderRef":"SO-1"}', '{"orderRef":"SO-1"}', change({ shipperCode: 'B' })];
    const other = anOrderWith({ bodies }, 'order.create', 'order.create', 'order.update');
    other.lane.decide(other.store.bySeq(1), closed('unknown'), null, other.clock);
    other.lane.decide(other.store.bySeq(2), closed('not_applied'), null, other.clock);
    other.lane.next(other.clock);
    expect(other.store.bySeq(3)).toMatchObject({ state: 'dead', reason: 'base_unknown' });
  });

  describe('of which a person says that it exists,', () => {
    const A = { orderRef: 'SO-1', shipperCode: 'A' };
    const B = { orderRef: 'SO-1', shipperCode: 'B' };
    const upsert = (order: object) => change(order, { complete: true });

    /** The held one is said to be there, days after it came, and takes its step. */
    function found(second: RequestKind, body: string) {
      const made = given('unknown', second, [JSON.stringify(A), body]);
      const { store, lane, clock } = made;
      while (store.bySeq(2).state !== 'held') lane.next(clock);
      clock.pass(7 * 24 * 3_600_000);
      lane.decide(store.bySeq(2), DELIVERED, ORDER_ID, clock);
      return made;
    }

    it('the order is what that one asked for, and another create meets it', () => {
      const { store, order, lane, clock } = found('order.create', JSON.stringify(B));
      expect(order.accepted()).toMatchObject({ seq: 1, order_id: ORDER_ID, document: JSON.stringify(A) });
      expect([store.bySeq(2).state, store.bySeq(2).reason]).toEqual(['queued', null]);
      expect(lane.next(clock)).toEqual({ turn: 'decided' });
      expect(store.bySeq(2)).toMatchObject({ state: 'dead', reason: 'order_exists', attempts: 0 });
    });

    it('a create of the same is its duplicate', () => {
      const { store, lane, clock } = found('order.create', JSON.stringify(A));
      expect(lane.next(clock)).toEqual({ turn: 'decided' });
      expect(store.bySeq(2)).toMatchObject({ state: 'duplicate', into_seq: 1 });
    });

    it('an upsert changes it', () => {
      const { plans, sending, order } = found('order.upsert', upsert(B));
      const next = sending();
      expect([next.request.seq, JSON.parse(next.body)]).toEqual([2, { ...B, id: ORDER_ID }]);
      expect([plans.of(2)?.does, order.accepted()?.seq]).toEqual(['update', 1]);
    });

    it('it is what was sent, not what waited for it and was closed', () => {
      const bodies = [A, B, { ...B, shipperCode: 'C' }].map((each) => JSON.stringify(each));
      const { store, lane, clock, begin, answers, order } = anOrderWith(
        { bodies },
        ...(['order.create', 'order.create', 'order.create'] as const),
      );
      begin(1);
      answers(1, answered(502));
      lane.decide(store.bySeq(1), closed('unknown'), null, clock);
      lane.next(clock);
      lane.decide(store.bySeq(2), { ...closed('unknown'), hadUnknown: false }, null, clock);
      lane.next(clock);
      expect(store.bySeq(3)).toMatchObject({ state: 'held', reason: 'earlier_unclear' });
      lane.decide(store.bySeq(3), DELIVERED, null, clock);
      expect(order.accepted()).toMatchObject({ seq: 1, order_id: '', document: bodies[0] });
    });
  });

  it('so is one behind a create that was withdrawn after a try of which nothing is known', () => {
    const { store, lane, clock, begin, answers } = anOrder('order.create', 'order.create');
    begin(1);
    answers(1, answered(502));
    lane.decide(store.bySeq(1), CREATE_AGAIN(clock), null, clock);
    store.tables.journal.commit(() => store.tables.request.patch(1, { had_unknown: 1 }));
    store.withdraw('b_1', clock.nowMs());
    expect(store.bySeq(1).state).toBe('cancelled');
    store.tables.journal.commit(() => store.tables.request.patch(2, { state: 'queued' }));
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(2)).toMatchObject({ state: 'held', reason: 'earlier_unclear' });
  });

  it('another create goes out where the first one was proved to have made none', () => {
    const { lane, clock } = given('not_applied', 'order.create');
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 2 } } });
  });
});

describe('an update that meets no order upstream', () => {
  const bodies = ['{"orderRef":"SO-1","shipperCode":"A"}', change({ shipperCode: 'B' })];

  /** An order, and an update of it that is on the wire. @param isFound it was found: no answer had shown it. */
  function updated(isFound: boolean) {
    const made = anOrderWith({ bodies, more: { deadlineMs: Number.MAX_SAFE_INTEGER } }, 'order.create', 'order.update');
    const { store, lane, clock, begin, answers } = made;
    begin(1);
    answers(1, isFound ? answered(502) : CREATED);
    if (isFound) lane.decide(store.bySeq(1), { ...DELIVERED, hadUnknown: true }, ORDER_ID, clock);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    begin(2);
    return made;
  }

  it('waits where its order was found a moment ago: not all of the upstream may know it yet', () => {
    const { store, clock, answers } = updated(true);
    clock.pass(NOT_FOUND_AFTER_MS - 1);
    answers(2, answered(404));
    expect(store.bySeq(2)).toMatchObject({ state: 'waiting', reason: 'order_unknown_upstream' });
  });

  it('is refused once its order is known for as long as one is looked for', () => {
    const { clock, answers, stateOf } = updated(true);
    clock.pass(NOT_FOUND_AFTER_MS);
    answers(2, answered(404));
    expect(stateOf(2)).toBe('rejected');
  });

  it('is refused where an answer had shown its order', () => {
    const { answers, stateOf } = updated(false);
    answers(2, answered(404));
    expect(stateOf(2)).toBe('rejected');
  });
});

describe('what the upstream calls an operation', () => {
  it('is told to its batch as the answer says it', () => {
    const { store, begin, answers } = anOrder('order.create');
    begin(1);
    answers(1, answered(201, { body: JSON.stringify({ id: ORDER_ID, code: 'created' }) }));
    expect(store.bySeq(1).action).toBe('created');
    expect(store.unreported('b_1', 10)).toMatchObject([{ state: 'delivered', action: 'created' }]);
  });

  it('is nothing where its answer says nothing, and no news', () => {
    const { store, lane, begin } = anOrder('order.create');
    begin(1);
    const seen = seenIn(CREATED, classify(CREATED, 0));
    const { revision } = store.bySeq(1);
    lane.classify(store.bySeq(1), seen, movedClock());
    expect(store.bySeq(1)).toMatchObject({ state: 'delivered', action: null, revision: revision + 1 });
  });
});

describe('an operation that was taken', () => {
  it('of whose end its answer says nothing is asked about half a minute later', () => {
    const { lane, clock, begin, answers } = anOrder('order.create');
    begin(1);
    answers(1, answered(201, { body: JSON.stringify({ id: ORDER_ID, code: 'pending' }) }));
    const untilMs = clock.nowMs() + ACTION_LOOKUP_AFTER_MS[0];
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs });
    clock.pass(ACTION_LOOKUP_AFTER_MS[0]);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { purpose: 'status' } });
  });

  it('makes the order, and the same create again is its duplicate', () => {
    const { store, order, lane, clock, begin, answers, stateOf } = anOrderWith(
      { bodies: ['{"a":1}', '{"a":1}', '{"a":2}'] },
      ...(['order.create', 'order.create', 'order.create'] as const),
    );
    begin(1);
    answers(1, CREATED);
    expect(order.accepted()).toMatchObject({ seq: 1, incarnation: 1, order_id: ORDER_ID, document: '{"a":1}' });
    expect([lane.next(clock).turn, lane.next(clock).turn]).toEqual(['decided', 'decided']);
    expect([stateOf(2), store.bySeq(2).into_seq, stateOf(3), store.bySeq(3).reason]).toEqual([
      'duplicate',
      1,
      'dead',
      'order_exists',
    ]);
  });

  it('changes it: the order is what the change makes of it, under the same id', () => {
    const { order, lane, clock, begin, answers, stateOf } = anOrderWith(
      { bodies: ['{"orderRef":"SO-1","shipperCode":"A"}', change({ shipperCode: 'B' })] },
      ...(['order.create', 'order.update'] as const),
    );
    begin(1);
    answers(1, CREATED);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 2 } } });
    begin(2);
    answers(2, answered(200));
    expect(stateOf(2)).toBe('delivered');
    const held = order.accepted();
    expect(held).toMatchObject({ seq: 2, incarnation: 1, order_id: ORDER_ID });
    expect(JSON.parse(held?.document ?? '')).toMatchObject({ orderRef: 'SO-1', shipperCode: 'B' });
  });

  it('ends it, and a create behind that makes it anew', () => {
    const { order, lane, clock, begin, answers } = anOrder('order.create', 'order.cancel', 'order.create');
    begin(1);
    answers(1, CREATED);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    begin(2);
    answers(2, answered(200));
    expect(order.accepted()).toBeNull();
    begin(3);
    answers(3, answered(201, { body: JSON.stringify({ id: ORDER_ID.replace('0b', '0c') }) }));
    expect(order.accepted()).toMatchObject({ seq: 3, incarnation: 2 });
  });
});

it('a create that may have made an order is looked up later where its channel is gone, and never given up; any other is', () => {
  const { store, lane, clock, begin, answers, stateOf } = anOrder('order.create', 'order.cancel');
  begin(1);
  answers(1, answered(502));
  const { tries } = store.bySeq(1);
  clock.pass(100_000);
  lane.giveUp(store.bySeq(1), 'channel_missing', 'gone', clock);
  expect(store.bySeq(1)).toMatchObject({ state: 'unknown', tries });
  expect(store.bySeq(1).at_ms).toBeGreaterThan(clock.nowMs());
  lane.giveUp(store.bySeq(2), 'channel_missing', 'gone', clock);
  expect([stateOf(2), store.bySeq(2).reason, store.bySeq(2).answer]).toEqual(['dead', 'channel_missing', 'gone']);
});

it('a create that a person has made again is held where its channel is gone: its first try may have made the order', () => {
  const { store, lane, clock, begin, answers } = anOrder('order.create', 'order.cancel');
  begin(1);
  answers(1, answered(502));
  const again: StepDone = { tries: 0, hadUnknown: true, step: { state: 'queued', atMs: clock.nowMs() } };
  lane.decide(store.bySeq(1), again, null, clock);
  lane.giveUp(store.bySeq(1), 'channel_missing', 'gone', clock);
  expect(store.bySeq(1)).toMatchObject({ state: 'held', reason: 'exhausted', had_unknown: 1, status: 502 });
  expect([lane.next(clock), store.bySeq(2).state]).toEqual([{ turn: 'wait', untilMs: null }, 'queued']);
});
