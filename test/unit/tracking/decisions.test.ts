/** What a person decides about a held request: checked, done and written down once, with what was before and after. */
import { describe, expect, it } from 'vitest';
import { DECIDED_DEADLINE_MS } from '../../../src/kernel/limits.ts';
import { type DecisionRequest, decideIn, historyIn } from '../../../src/tracking/decisions.ts';
import { MilestoneLane, TraceLane } from '../../../src/tracking/lanes/load-lanes.ts';
import { OrderLane } from '../../../src/tracking/lanes/order-lane.ts';
import type { EnqueuedRequest, StoredRequest } from '../../../src/tracking/request.ts';
import type { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import type { SubjectTables } from '../../../src/tracking/store/subject-tables.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, loadStored, orderStored } from './samples.ts';

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const placeOf = (record: number) => ({ batchId: 'b_1', record, request: 1 });
const asked = (more: Partial<DecisionRequest> = {}): DecisionRequest => ({
  ...{ id: 'd1', place: placeOf(1), who: 'k1', name: 'Kim', why: 'it was seen', dryRun: false },
  ...{ decision: 'mark_delivered', seen: null, orderId: null, outcome: null },
  ...more,
});
const CLOSED = { decision: 'close', outcome: 'not_applied' } as const;

type Lanes = Parameters<typeof decideIn>[0]['lanes'];
type Opened = { tables: SubjectTables; store: SubjectStore };

function decided({ tables, store }: Opened, lanes: Lanes, requests: readonly Partial<EnqueuedRequest>[]) {
  const clock = movedClock();
  store.commit(() => store.add(requests.map((more, index) => aTaken(index + 1, more))));
  return {
    store,
    tables,
    clock,
    becomes: (seq: number, to: Partial<StoredRequest>) => store.commit(() => void tables.request.patch(seq, to)),
    decide: (more: Partial<DecisionRequest> = {}) => store.commit(() => decideIn({ store, lanes }, asked(more), clock)),
    history: (record = 1) => historyIn({ store, lanes }, placeOf(record)),
    audit: () => [...tables.decision.values()],
  };
}

function aLoad(...requests: Partial<EnqueuedRequest>[]) {
  const { traces, journey, ...opened } = loadStored();
  const lanes = [new MilestoneLane(opened.store, journey), new TraceLane(opened.store, traces, journey)];
  const made = decided(opened, lanes, requests);
  return { ...made, freeze: (seqs: number[]) => made.store.commit(() => traces.freeze({ seqs, body: '{}' })) };
}

/** The first one may have arrived, and waits for a person. */
function aHeldMilestone() {
  const load = aLoad({}, {});
  load.becomes(1, {
    state: 'held',
    reason: 'unknown_then_refused',
    had_unknown: 1,
    tries: 3,
    attempts: 4,
    status: 422,
  });
  return load;
}

describe('a decision', () => {
  it('about a request that never came is refused', () => {
    expect(aLoad({}).decide({ place: placeOf(2) })).toEqual({ ok: false, error: { code: 'request_unknown' } });
  });

  it('about one that is not held is refused, and nothing is written', () => {
    const { decide, audit, store } = aLoad({});
    const error = { code: 'not_held', state: 'queued', reason: null, version: '1.0' };
    expect(decide()).toEqual({ ok: false, error });
    expect([audit(), store.bySeq(1).revision]).toEqual([[], 0]);
  });

  it('ends the request, and is written down with who made it, and what was before and after', () => {
    const { decide, audit, store, clock } = aHeldMilestone();
    clock.pass(5);
    const made = { replayed: false, decision: 'mark_delivered', state: 'delivered', version: '1.1', requests: 1 };
    expect(decide()).toEqual({ ok: true, value: made });
    expect(store.bySeq(1)).toMatchObject({ state: 'delivered', evidence: 'operator', deadline_ms: NOW_MS + 3_600_000 });
    expect(store.bySeq(2).state).toBe('queued');
    const before = { key: 'b_1/1/1', state: 'held', reason: 'unknown_then_refused', revision: 0 };
    expect(audit().map((row) => ({ ...row, before: JSON.parse(row.before), after: JSON.parse(row.after) }))).toEqual([
      {
        ...{ id: 'd1', seq: 1, at_ms: NOW_MS + 5, who: 'k1', name: 'Kim', why: 'it was seen' },
        ...{ decision: 'mark_delivered', order_id: null, outcome: null },
        ...{ before: { ...before, attempts: 4, status: 422 }, after: made },
      },
    ]);
  });

  it('that is only tried out says what it would come to, and changes nothing', () => {
    const { decide, audit, store } = aHeldMilestone();
    const made = { replayed: false, decision: 'close', state: 'dead', version: '1.0', requests: 1 };
    const before = store.bySeq(1);
    expect(decide({ ...CLOSED, dryRun: true })).toEqual({ ok: true, value: made });
    expect(decide({ decision: 'send_again', dryRun: true })).toMatchObject({ value: { state: 'unknown' } });
    expect([store.bySeq(1), audit()]).toEqual([before, []]);
  });

  it('to send it again gives it a new deadline and a new schedule, and marks that it may arrive twice', () => {
    const { decide, store, clock } = aHeldMilestone();
    clock.pass(7_200_000);
    expect(decide({ decision: 'send_again' })).toMatchObject({ ok: true, value: { state: 'unknown' } });
    expect(store.bySeq(1)).toMatchObject({
      ...{ state: 'unknown', tries: 0, had_unknown: 1, possible_duplicate: 1, at_ms: clock.nowMs() },
      deadline_ms: clock.nowMs() + DECIDED_DEADLINE_MS,
    });
  });

  it('to end it leaves open what was not known of its arrival', () => {
    const { decide, store } = aHeldMilestone();
    decide({ decision: 'close', outcome: 'unknown' });
    expect(store.bySeq(1)).toMatchObject({
      state: 'dead',
      reason: 'closed',
      outcome: 'unknown',
      possible_duplicate: 0,
    });
  });

  it('of a person who looked at an older state is refused', () => {
    const { decide } = aHeldMilestone();
    expect(decide({ seen: '1.7' })).toMatchObject({ error: { code: 'moved_since', version: '1.0' } });
    expect(decide({ seen: '1.0' })).toMatchObject({ ok: true });
  });
});

describe('a decision that comes twice', () => {
  it('is made once: the second time is answered as the first, whatever became of the request since', () => {
    const { decide, audit, store, becomes } = aHeldMilestone();
    decide(CLOSED);
    becomes(1, { revision: 9 });
    const first = { decision: 'close', state: 'dead', version: '1.1', requests: 1 };
    expect(decide(CLOSED)).toEqual({ ok: true, value: { replayed: true, ...first } });
    expect([audit().length, store.bySeq(1).revision]).toEqual([1, 9]);
  });

  it.each<[string, Partial<DecisionRequest>]>([
    ['of another kind', { decision: 'mark_delivered' }],
    ['with another end', { outcome: 'unknown' }],
    ['with the id of an order', { orderId: ID }],
    ['about another request', { place: placeOf(2) }],
  ])('under the same name is refused, as it is another one: %s', (_, more) => {
    const { decide, audit } = aHeldMilestone();
    decide(CLOSED);
    expect(decide({ ...CLOSED, ...more })).toEqual({ ok: false, error: { code: 'decision_id_reused' } });
    expect(audit()).toHaveLength(1);
  });
});

describe('a decision about a position', () => {
  const POINT = { kind: 'trace', lane: 'traces', eventAtMs: NOW_MS, body: '{"traces":[]}' } as const;

  it('is made for the request it travels in, and so for all that travel with it', () => {
    const { decide, audit, store, freeze, becomes, history } = aLoad(POINT, POINT, POINT, {});
    freeze([2, 1, 3]);
    becomes(2, { state: 'held', reason: 'unknown_then_refused', had_unknown: 1 });
    expect(history(1).generations).toMatchObject([
      { request: { seq: 1, state: 'coalesced' }, lead: { seq: 2, state: 'held' }, version: '1.0' },
    ]);
    const made = { replayed: false, decision: 'mark_delivered', state: 'delivered', version: '1.1', requests: 3 };
    expect(decide()).toEqual({ ok: true, value: made });
    expect([1, 2, 3, 4].map((seq) => store.bySeq(seq).state)).toEqual([
      'coalesced',
      'delivered',
      'coalesced',
      'queued',
    ]);
    expect(audit()).toMatchObject([{ seq: 2 }]);
    expect([1, 2, 3].map((record) => history(record).decisions.map(({ id }) => id))).toEqual([['d1'], ['d1'], ['d1']]);
    expect(decide()).toMatchObject({ ok: true, value: { replayed: true, version: '1.1', requests: 3 } });
  });

  it('that travels alone is made for itself', () => {
    const { decide, store, freeze, becomes } = aLoad(POINT);
    freeze([1]);
    becomes(1, { state: 'held', reason: 'may_have_arrived' });
    expect(decide()).toMatchObject({ value: { requests: 1 } });
    expect(store.bySeq(1).state).toBe('delivered');
  });
});

describe('a decision about an operation of an order', () => {
  function anOrder(...requests: Partial<EnqueuedRequest>[]) {
    const { order, plans, actions, ...opened } = orderStored();
    const facts = {
      ...{ orderRef: () => 'SO-1', answerMapping: async () => null, preChecks: () => false },
      otherUpdates: () => 'refuse' as const,
    };
    const lane = new OrderLane(opened.store, { order, plans, actions }, facts);
    const operations = requests.map((more) => ({ lane: 'operations', ...more }) as const);
    return { ...decided(opened, [lane], operations), order, lane };
  }

  it('that names its order makes it that order', () => {
    const { decide, becomes, order, audit } = anOrder({ kind: 'order.create' });
    becomes(1, { state: 'held', reason: 'exhausted', had_unknown: 1 });
    expect(decide({ decision: 'adopt_id', orderId: ID })).toMatchObject({ value: { state: 'delivered' } });
    expect(order.accepted()).toMatchObject({ seq: 1, order_id: ID });
    expect(audit()).toMatchObject([{ order_id: ID, decision: 'adopt_id' }]);
  });

  it('that was never sent, and waits for word of an earlier one, says that the earlier one made it', () => {
    const { decide, becomes, order, store, audit } = anOrder(
      { kind: 'order.create', body: '{"a":1}' },
      { kind: 'order.create', body: '{"a":2}' },
    );
    becomes(1, { state: 'dead', outcome: 'unknown', reason: 'closed', attempts: 1, had_unknown: 1 });
    becomes(2, { state: 'held', reason: 'earlier_unclear' });
    const adopt = { place: placeOf(2), decision: 'adopt_id', orderId: ID } as const;
    expect(decide({ ...adopt, dryRun: true })).toMatchObject({ value: { state: 'queued' } });
    expect([order.accepted(), store.bySeq(2).state]).toEqual([null, 'held']);
    expect(decide(adopt)).toMatchObject({ value: { state: 'queued', replayed: false } });
    expect(order.accepted()).toMatchObject({ seq: 1, order_id: ID, document: '{"a":1}' });
    expect([store.bySeq(2).state, audit().length]).toEqual(['queued', 1]);
    expect(decide(adopt)).toMatchObject({ value: { state: 'queued', replayed: true } });
  });

  it('that says which orders exist, but not the id, is refused; and so is one that such a request does not have', () => {
    const { decide, becomes } = anOrder({ kind: 'order.create' });
    becomes(1, { state: 'held', reason: 'exhausted' });
    expect(decide({ decision: 'adopt_id' })).toEqual({ ok: false, error: { code: 'order_id_wanted' } });
    expect(decide({ decision: 'send_again' })).toMatchObject({ error: { code: 'decision_not_open' } });
  });

  it('goes by what it became: an upsert that changes the order can be sent again, and one without a plan may create', () => {
    const change = { orderRef: 'SO-1', complete: false, changeRef: 'C-1', order: { shipperCode: 'B' }, lists: {} };
    const made = anOrder(
      { kind: 'order.create', body: '{"orderRef":"SO-1"}' },
      { kind: 'order.upsert', body: JSON.stringify(change) },
      { kind: 'order.upsert', body: JSON.stringify(change) },
    );
    const { decide, becomes, order, store, lane, clock, history } = made;
    store.commit(() =>
      order.accept({
        ...{ seq: 1, incarnation: 1, order_id: ID, document: '{"orderRef":"SO-1"}', scac: 'DEMO' },
        accepted_at_ms: NOW_MS,
      }),
    );
    becomes(1, { state: 'delivered' });
    store.commit(() => lane.next(clock));
    for (const seq of [2, 3]) becomes(seq, { state: 'held', reason: 'exhausted' });
    expect(history(2).generations[0]?.open).toEqual(['send_again', 'mark_delivered', 'close']);
    expect(history(3).generations[0]?.open).toEqual(['create_again', 'adopt_id', 'mark_delivered', 'close']);
    expect(decide({ place: placeOf(2), decision: 'send_again' })).toMatchObject({ value: { state: 'queued' } });
  });
});

describe('the history of a request', () => {
  const AGAIN = { record: 1, generation: 2, key: 'b_1/1/1~2' };

  it('has all that was sent for it, oldest first; only the newest is to be decided, and only its own decisions are told', () => {
    const { history, becomes, decide } = aLoad(AGAIN, { record: 1 }, { record: 3 });
    for (const seq of [1, 2, 3]) becomes(seq, { state: 'held', reason: 'unknown_then_refused', revision: seq });
    decide({ id: 'd3', place: placeOf(3) });
    const { generations, decisions } = history();
    expect(generations.map(({ request, version, open }) => [request.seq, version, open.length > 0])).toEqual([
      [2, '1.2', false],
      [1, '2.1', true],
    ]);
    expect(generations.map(({ request, lead, attempts }) => ['body' in request, lead, attempts])).toEqual([
      [false, null, []],
      [false, null, []],
    ]);
    expect([decisions, history(3).decisions.map(({ id }) => id)]).toEqual([[], ['d3']]);
    expect(decide()).toMatchObject({ value: { version: '2.2' } });
    expect(history().decisions.map(({ id, seq }) => [id, seq])).toEqual([['d1', 1]]);
  });

  it('is empty where it never came', () => {
    expect(aLoad().history()).toEqual({ generations: [], decisions: [] });
  });

  it('has of the request it travels in everything but the body', () => {
    const { history, becomes } = aLoad({ kind: 'trace', lane: 'traces' }, { kind: 'trace', lane: 'traces' });
    becomes(1, { state: 'held', into_seq: 1 });
    becomes(2, { state: 'coalesced', into_seq: 1 });
    const [only] = history(2).generations;
    expect([only?.lead?.seq, only?.lead && 'body' in only.lead]).toEqual([1, false]);
  });
});
