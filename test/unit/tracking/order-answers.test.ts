/** What an order makes of the answers to its operations, and of what it looks up about them. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ACTION_LOOKUP_AFTER_MS,
  CHANNEL_PAUSE_MS,
  NOT_FOUND_AFTER_MS,
  ORDER_QUIET_MS,
  TOKEN_PAUSE_MS,
} from '../../../src/kernel/limits.ts';
import type { Observation } from '../../../src/upstream/answer.ts';
import { NOW_MS } from '../upstream/samples.ts';
import {
  anOrderWith,
  answered,
  BODIES,
  CREATED,
  change,
  created,
  DOCUMENT,
  DONE,
  LATE,
  ORDER_ID,
  said,
  sent,
} from './order-samples.ts';

afterEach(() => vi.unstubAllGlobals());

const OTHER_ID = ORDER_ID.replace('0b', '0c');
const NO_TOKEN: Observation = { outcome: 'not_sent', code: 'no_token', detail: 'none' };

describe('an operation', () => {
  it('that is none of an order ends, and says so', () => {
    const { lane, clock, store } = anOrderWith({}, 'milestone');
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(1)).toMatchObject({ state: 'dead', reason: 'not_sendable' });
    expect(store.bySeq(1).answer).toContain('milestone');
  });

  it('goes to the address of its order', async () => {
    const { sending, begin, answers } = created({}, 'order.update', 'order.cancel');
    const update = sending();
    expect([update.purpose, await sent(update)]).toEqual([
      'send',
      ['PUT', `/rcsc/order-requests/v1/${ORDER_ID}`, update.body],
    ]);
    expect(JSON.parse(update.body)).toMatchObject({ shipperCode: 'B' });
    begin(2);
    answers(2, answered(200));
    const cancel = sending();
    expect([cancel.purpose, await sent(cancel)]).toEqual([
      'send',
      ['DELETE', `/rcsc/order-requests/v1/${ORDER_ID}`, undefined],
    ]);
  });

  it('that makes an order as an upsert is a create, and makes what was planned', async () => {
    const whole = change(DOCUMENT, { complete: true });
    const { sending, plans, begin, answers, order } = anOrderWith({ bodies: [whole] }, 'order.upsert');
    const document = '{"planned":1}';
    plans.keep(1, { does: 'create', body: '{"sent":1}', document, lines: [{ line: 'L', amount: 2 }] } as never);
    expect(await sent(sending())).toEqual(['POST', '/rcsc/order-requests/v1/', '{"sent":1}']);
    begin(1);
    answers(1, CREATED);
    expect(order.accepted()).toMatchObject({ seq: 1, incarnation: 1, order_id: ORDER_ID, document });
    expect(plans.counted(1, 'L')).toMatchObject({ amount: 2, seq: 1 });
  });

  it('that changes nothing repeats what made the order so', () => {
    const { lane, clock, store } = created({ bodies: [BODIES[0] ?? '', change({ shipperCode: 'A' })] }, 'order.update');
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(2)).toMatchObject({ state: 'duplicate', into_seq: 1 });
  });

  it('that counts differences counts them once, also where another brings them again', () => {
    const document = { ...DOCUMENT, skus: [{ sku: 'A', quantity: 2 }] };
    const more = change(
      { skus: [{ sku: 'A', more: 3 }] },
      { lists: { skus: { key: 'sku', quantity: 'quantity', by: 'more' } } },
    );
    const bodies = [JSON.stringify(document), more, more];
    const { sending, begin, answers, order, lane, clock, store } = created({ bodies }, 'order.update', 'order.update');
    sending();
    begin(2);
    answers(2, DONE);
    expect(JSON.parse(order.accepted()?.document ?? '').skus).toEqual([{ sku: 'A', quantity: 5 }]);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(3)).toMatchObject({ state: 'duplicate', into_seq: 2 });
  });

  it('that has no order ends, and says why', () => {
    const { lane, clock, store } = anOrderWith({}, 'order.cancel');
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(1)).toMatchObject({ state: 'dead', reason: 'base_unknown' });
    expect(store.bySeq(1).answer).toContain('no order');
  });

  it('that creates what is there ends, and names it where somebody has', () => {
    const named = created({ bodies: ['{"a":1}', '{"a":2}'] }, 'order.create');
    named.lane.next(named.clock);
    expect(named.store.bySeq(2)).toMatchObject({ reason: 'order_exists', answer: `the order exists as ${ORDER_ID}` });
    const unnamed = anOrderWith({ bodies: ['{"a":1}', '{"a":2}'] }, 'order.create', 'order.create');
    const done = { tries: 0, hadUnknown: false, step: { state: 'delivered', evidence: 'operator' } } as const;
    unnamed.lane.decide(unnamed.store.bySeq(1), done, null, unnamed.clock);
    unnamed.lane.next(unnamed.clock);
    expect(unnamed.store.bySeq(2).answer).toBe('the order exists, under an id that nobody has named');
  });

  it('that its answer takes and its message refuses is refused', () => {
    const { begin, answers, order, store } = anOrderWith({}, 'order.create');
    begin(1);
    answers(1, answered(201, { body: JSON.stringify({ id: ORDER_ID, code: 'rejected' }) }));
    expect([store.bySeq(1).state, store.bySeq(1).status, order.accepted()]).toEqual(['rejected', 201, null]);
  });
});

describe('an update without a clear answer', () => {
  it('is sent again at its time; the next one waits until it can no longer arrive', () => {
    const { sending, begin, answers, clock, store, lane } = created({}, 'order.update', 'order.update');
    sending();
    begin(2);
    answers(2, answered(502));
    expect(store.bySeq(2).state).toBe('unknown');
    const quietMs = clock.nowMs() + 12 + ORDER_QUIET_MS;
    clock.pass((store.bySeq(2).at_ms ?? 0) - clock.nowMs());
    expect(sending()).toMatchObject({ purpose: 'send', request: { seq: 2, attempts: 1 } });
    begin(2);
    answers(2, answered(200));
    expect([lane.next(clock).turn, lane.next(clock).turn]).toEqual(['decided', 'decided']);
    expect(store.bySeq(3)).toMatchObject({ state: 'queued', reason: 'earlier_unclear', at_ms: quietMs });
    clock.pass(quietMs - 1 - clock.nowMs());
    expect(sending()).toMatchObject({ purpose: 'status', request: { seq: 2 } });
    clock.pass(1);
    expect(sending()).toMatchObject({ purpose: 'send', request: { seq: 3 } });
  });

  it('keeps nobody waiting once it is quiet, to the millisecond', () => {
    const { sending, begin, answers, clock, lane } = created({}, 'order.update', 'order.update');
    sending();
    begin(2);
    const untilMs = clock.nowMs() + 12 + ORDER_QUIET_MS;
    answers(2, answered(502));
    clock.pass(untilMs - 1 - clock.nowMs());
    begin(2);
    answers(2, answered(429));
    clock.pass(1_000_000);
    begin(2);
    answers(2, answered(200));
    clock.pass(untilMs - clock.nowMs());
    expect(lane.next(clock).turn).toBe('decided'); // it is planned
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 3 } } });
  });

  it('that then meets no order is no cancel: a person decides what became of it', () => {
    const { sending, begin, answers, stateOf } = created({}, 'order.update');
    sending();
    for (const status of [502, 410]) {
      begin(2);
      answers(2, answered(status));
    }
    expect(stateOf(2)).toBe('held');
  });

  it('is done where it was a cancel: the order is gone', () => {
    const { sending, begin, answers, stateOf, order } = created({}, 'order.cancel');
    sending();
    for (const status of [502, 410]) {
      begin(2);
      answers(2, answered(status));
    }
    expect([stateOf(2), order.accepted()]).toEqual(['delivered', null]);
  });
});

describe('a create that was sent', () => {
  it('is no longer looked for where a person has it made again, or its last answer was clear', () => {
    const { begin, answers, sending, clock, lane, store, stateOf } = anOrderWith({ more: LATE }, 'order.create');
    begin(1);
    answers(1, answered(502));
    const again = { tries: 0, hadUnknown: true, step: { state: 'queued', atMs: clock.nowMs() } } as const;
    lane.decide(store.bySeq(1), again, null, clock);
    expect(sending().purpose).toBe('send');
    begin(1);
    answers(1, answered(429));
    expect(stateOf(1)).toBe('unknown');
    clock.pass(3_600_000);
    expect(sending().purpose).toBe('send');
  });

  it('waits for the lookup of it that is under way', () => {
    const { begin, answers, sending, clock, lane } = anOrderWith({}, 'order.create', 'order.create');
    begin(1);
    answers(1, answered(502));
    clock.pass(30_000);
    expect(sending().purpose).toBe('check');
    begin(1, 'check');
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
  });

  it('keeps saying why it is looked for while its channel is gone', () => {
    const { begin, answers, lane, store, clock } = anOrderWith({}, 'order.create');
    begin(1);
    answers(1, answered(201));
    expect(store.bySeq(1).reason).toBe('order_id_missing');
    lane.giveUp(store.bySeq(1), 'channel_missing', 'gone', clock);
    expect(store.bySeq(1)).toMatchObject({ state: 'unknown', reason: 'order_id_missing' });
  });
});

const listed = (...events: object[]) =>
  answered(200, {
    body: JSON.stringify({
      events: events.map((more) => ({
        ...{ orderId: ORDER_ID, orderRef: 'SO-1', code: 'received', level: 'milestone' },
        eventTime: new Date(NOW_MS).toISOString(),
        ...more,
      })),
    }),
  });

describe('a look for a create without a clear answer', () => {
  /** It was sent, and is looked for as soon as that is due. */
  function unsure(first = answered(502), waitedMs = 0) {
    const made = anOrderWith({ more: LATE }, 'order.create', 'order.cancel');
    made.clock.pass(waitedMs);
    made.begin(1);
    made.answers(1, first);
    made.clock.pass((made.store.bySeq(1).at_ms ?? 0) - made.clock.nowMs());
    return made;
  }

  it('asks for the orders under its reference', async () => {
    const { sending } = unsure();
    const [method, path] = await sent(sending());
    expect([method, path]).toEqual(['GET', expect.stringContaining('/rcsc/order-status/v1/orders?')]);
    expect(path).toContain('SO-1');
  });

  it('that finds it makes it the order, with what was found as its answer', async () => {
    const { looksUp, store, order } = unsure();
    await looksUp(listed({}));
    expect(store.bySeq(1)).toMatchObject({ state: 'delivered', evidence: 'reconcile', status: 200 });
    expect(store.bySeq(1).answer).toContain(ORDER_ID);
    expect(order.accepted()).toMatchObject({ seq: 1, order_id: ORDER_ID });
  });

  it.each([
    ['ambiguous', [{ orderRef: 'SO-2' }]],
    ['multiple', [{}, { orderId: OTHER_ID }]],
  ])('that leaves it to a person shows what was found: %s', async (reason, events) => {
    const { looksUp, store, order } = unsure();
    await looksUp(listed(...events));
    expect(store.bySeq(1)).toMatchObject({ state: 'held', reason, status: 200 });
    expect([store.bySeq(1).answer.includes(ORDER_ID), order.accepted()]).toEqual([true, null]);
  });

  it('goes by when it was sent: what is older is another order', async () => {
    const { looksUp, store } = unsure(answered(502), 3_600_000);
    await looksUp(listed({ eventTime: new Date(NOW_MS + 1_800_000).toISOString() }));
    expect(store.bySeq(1)).toMatchObject({ state: 'held', reason: 'ambiguous' });
  });

  it.each([
    ['create_unconfirmed', 502],
    ['order_id_missing', 201],
  ])('that finds nothing comes again later and says why, with the answer to the create: %s', async (reason, status) => {
    const { looksUp, store, clock } = unsure(answered(status));
    const firstMs = clock.nowMs();
    await looksUp(listed());
    expect(store.bySeq(1)).toMatchObject({ state: 'unknown', reason, status, at_ms: firstMs + 90_000 });
    clock.pass(90_000);
    await looksUp(answered(500));
    expect(store.bySeq(1)).toMatchObject({ state: 'unknown', reason, status });
  });

  it.each([
    ['not_found', 502],
    ['order_id_missing', 201],
  ])('is over after two hours, counted from its end, and then a person decides: %s', async (reason, status) => {
    const { looksUp, store, clock, stateOf } = unsure(answered(status), 1_000_000);
    const endedMs = NOW_MS + 1_000_000 + 12;
    for (let count = 1; count < 4; count += 1) {
      await looksUp(listed());
      clock.pass((store.bySeq(1).at_ms ?? 0) - clock.nowMs());
    }
    clock.pass(endedMs + NOT_FOUND_AFTER_MS - 1 - clock.nowMs());
    await looksUp(listed());
    expect(stateOf(1)).toBe('unknown');
    clock.pass((store.bySeq(1).at_ms ?? 0) - clock.nowMs());
    await looksUp(listed());
    expect(store.bySeq(1)).toMatchObject({ state: 'held', reason, status });
  });

  it('is over at two hours sharp where nobody saw how long its sending took', async () => {
    const { looksUp, store, clock, begin, lane } = anOrderWith({ more: LATE }, 'order.create');
    begin(1);
    const unanswered = { status: null, headers: null, body: null, body_end: null, body_encoding: null, detail: null };
    store.endAttempt({ ...unanswered, seq: 1, effect: 'unknown', latency_ms: null });
    const seen = { class: { effect: 'unknown' }, observation: null, status: null, answer: '' } as const;
    lane.classify(store.bySeq(1), seen, clock);
    for (let count = 1; count < 4; count += 1) {
      clock.pass((store.bySeq(1).at_ms ?? 0) - clock.nowMs());
      await looksUp(listed());
    }
    clock.pass(NOW_MS + NOT_FOUND_AFTER_MS - clock.nowMs());
    await looksUp(listed());
    expect(store.bySeq(1)).toMatchObject({ state: 'held', reason: 'not_found' });
  });

  it('does not undo what was decided meanwhile', () => {
    const { answersLookup, lane, store, clock } = unsure();
    const done = { tries: 0, hadUnknown: true, step: { state: 'delivered', evidence: 'operator' } } as const;
    lane.decide(store.bySeq(1), done, OTHER_ID, clock);
    const before = store.bySeq(1);
    answersLookup(1, 'check', listed({}));
    answersLookup(1, 'precheck', listed({}));
    expect(store.bySeq(1)).toEqual(before);
  });
});

describe('a look before a create', () => {
  it('that fails is repeated, later each time, and what came shows; then the create goes', async () => {
    const { looksUp, store, clock, sending, order } = anOrderWith({ preChecks: true }, 'order.create');
    await looksUp(answered(500, { body: 'down' }));
    expect(store.bySeq(1)).toMatchObject({ state: 'queued', reason: 'pre_check_failed', status: 500, answer: 'down' });
    clock.pass((store.bySeq(1).at_ms ?? 0) - clock.nowMs());
    await looksUp(answered(500));
    expect((store.bySeq(1).at_ms ?? 0) - clock.nowMs()).toBeGreaterThan(60_000);
    clock.pass((store.bySeq(1).at_ms ?? 0) - clock.nowMs());
    await looksUp(listed({}));
    expect(store.bySeq(1)).toMatchObject({ state: 'queued', reason: null, status: 500, at_ms: clock.nowMs() });
    expect([...order.knownIds().before]).toEqual([ORDER_ID]);
    expect(sending().purpose).toBe('send');
  });

  it('that has no token is repeated when there may be one', async () => {
    const { looksUp, store, clock } = anOrderWith({ preChecks: true }, 'order.create');
    await looksUp(NO_TOKEN);
    expect(store.bySeq(1)).toMatchObject({ state: 'queued', reason: 'no_token' });
    expect(store.bySeq(1).at_ms).toBe(clock.nowMs() + TOKEN_PAUSE_MS);
  });
});

describe('what became of an operation that was taken', () => {
  const [FIRST_MS, SECOND_MS] = ACTION_LOOKUP_AFTER_MS;
  /** An update that was taken, of which its answer says no more; after it another one that was planned. */
  function taken() {
    const made = created({}, 'order.update', 'order.update');
    made.sending();
    made.begin(2);
    made.answers(2, answered(200));
    return made;
  }

  it('is not asked where the answer names the order', () => {
    const { lane, clock } = created({});
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
  });

  it.each<['order.update' | 'order.cancel', string]>([
    ['order.update', 'update'],
    ['order.cancel', 'cancel'],
  ])('is asked at its order: that it was done changes nothing: %s', async (kind, action) => {
    const { sending, begin, answers, looksUp, clock, store, order, lane } = created({}, kind);
    sending();
    begin(2);
    answers(2, answered(200));
    const before = order.accepted();
    clock.pass(FIRST_MS);
    expect(await sent(sending())).toEqual(['GET', `/rcsc/order-requests/v1/${ORDER_ID}/statuses`, undefined]);
    await looksUp(said(action, 'completed'));
    expect([store.bySeq(2).action, store.bySeq(2).state, order.accepted()]).toEqual(['completed', 'delivered', before]);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
  });

  it.each<['order.update' | 'order.cancel', string]>([
    ['order.update', 'update'],
    ['order.cancel', 'cancel'],
  ])('where it was not done, leaves the order as it was: %s', async (kind, action) => {
    const { sending, begin, answers, looksUp, clock, order } = created({}, kind);
    sending();
    begin(2);
    answers(2, answered(200));
    expect(order.accepted()?.seq).not.toBe(1);
    clock.pass(FIRST_MS);
    await looksUp(said(action, 'rejected'));
    expect(order.accepted()).toMatchObject({ seq: 1, order_id: ORDER_ID });
  });

  it('where a create was not made, is that there is no order', async () => {
    const { begin, answers, looksUp, clock, order } = anOrderWith({ more: LATE }, 'order.create');
    begin(1);
    answers(1, answered(201, { body: JSON.stringify({ id: ORDER_ID, code: 'pending' }) }));
    expect(order.accepted()?.seq).toBe(1);
    clock.pass(FIRST_MS);
    await looksUp(said('create', 'failed'));
    expect(order.accepted()).toBeNull();
  });

  it('where it was not done, takes its differences back, and later ones are planned anew', async () => {
    const { plans, sending, begin, answers, looksUp, clock, lane, store } = created({}, 'order.update', 'order.update');
    const plan = { does: 'update', incarnation: 1, orderId: ORDER_ID, body: '{"b":1}', document: '{"d":1}', shown: [] };
    plans.keep(2, { ...plan, lines: [{ line: 'L', amount: 2 }] } as never);
    sending();
    begin(2);
    answers(2, answered(200));
    expect(plans.counted(1, 'L')).toMatchObject({ amount: 2 });
    lane.next(clock);
    expect(plans.of(3)).not.toBeNull();
    clock.pass(FIRST_MS);
    store.commit(() => lane.giveUp(store.bySeq(3), 'closed', '', clock)); // the lane has time for questions
    await looksUp(said('update', 'rejected'));
    expect([plans.counted(1, 'L'), plans.of(3)]).toEqual([undefined, null]);
  });

  it('is asked twice at most, where nothing is said of it', async () => {
    const { looksUp, clock, store, lane } = taken();
    store.commit(() => lane.giveUp(store.bySeq(3), 'closed', '', clock));
    clock.pass(FIRST_MS);
    const { action } = store.bySeq(2);
    await looksUp(said('create', 'rejected'));
    expect([lane.next(clock), store.bySeq(2).action]).toEqual([
      { turn: 'wait', untilMs: clock.nowMs() + SECOND_MS },
      action,
    ]);
    clock.pass(SECOND_MS);
    await looksUp(said('update', 'pending'));
    expect([lane.next(clock), store.bySeq(2).action]).toEqual([{ turn: 'wait', untilMs: null }, 'pending']);
  });

  it('is asked once more when there is a token, and not before; never again where no call can be composed', async () => {
    const { looksUp, clock, store, lane, order } = taken();
    store.commit(() => lane.giveUp(store.bySeq(3), 'closed', '', clock));
    const before = order.accepted();
    clock.pass(FIRST_MS);
    await looksUp(NO_TOKEN);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: clock.nowMs() + TOKEN_PAUSE_MS });
    clock.pass(TOKEN_PAUSE_MS);
    await looksUp({ outcome: 'not_sent', code: 'not_composed', detail: '' });
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
    expect(order.accepted()).toEqual(before);
  });

  it('can no longer be asked where its channel is gone; it stays what it was', () => {
    const { lane, clock, store } = taken();
    store.commit(() => lane.giveUp(store.bySeq(3), 'closed', '', clock));
    const before = store.bySeq(2);
    lane.giveUp(store.bySeq(2), 'channel_missing', 'gone', clock);
    expect([store.bySeq(2), lane.next(clock)]).toEqual([before, { turn: 'wait', untilMs: null }]);
  });

  it('says nothing where nobody asked', () => {
    const { answersLookup, order, store } = created({});
    const before = store.bySeq(1);
    answersLookup(1, 'status', said('create', 'rejected'));
    expect([order.accepted()?.seq, store.bySeq(1)]).toEqual([1, before]);
  });

  it('keeps a new create waiting where it was to cancel the order before', async () => {
    const { sending, begin, answers, looksUp, clock, lane, store } = created({}, 'order.cancel', 'order.create');
    sending();
    begin(2);
    answers(2, answered(200));
    const dueMs = clock.nowMs() + FIRST_MS;
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(3)).toMatchObject({ state: 'queued', reason: 'earlier_unclear', at_ms: dueMs });
    clock.pass(FIRST_MS);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(3).at_ms).toBe(clock.nowMs() + CHANNEL_PAUSE_MS);
    await looksUp(said('cancel', 'done'));
    clock.pass(CHANNEL_PAUSE_MS);
    expect(sending()).toMatchObject({ purpose: 'send', request: { seq: 3 } });
  });

  it('is asked of the last operation that was sent for each id, and of the first of those that are due at once', () => {
    const { tables, store, lane, clock, plans, order } = anOrderWith(
      {},
      'order.create',
      'order.update',
      'order.update',
    );
    const change = (seq: number, to: object) => store.commit(() => void tables.request.patch(seq, to));
    for (const seq of [1, 2, 3]) change(seq, { state: 'delivered' });
    const due = { does: 'update', at_ms: NOW_MS } as const;
    store.commit(() => {
      tables.followed.put({ seq: 1, order_id: 'A', ...due });
      tables.followed.put({ seq: 2, order_id: 'B', ...due });
    });
    const asked = () => {
      const turn = lane.next(clock);
      return turn.turn === 'send' ? turn.sending.request.seq : null;
    };
    expect(asked()).toBe(1);
    plans.keep(3, { does: 'cancel', incarnation: 1, orderId: 'a' } as never);
    expect(asked()).toBe(1); // it was not sent
    change(3, { attempts: 1 });
    expect(asked()).toBe(2);
    store.commit(() => void tables.followed.patch(2, { at_ms: NOW_MS + 9 }));
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: NOW_MS + 9 });
    expect(order.accepted()).toBeNull();
  });
});
