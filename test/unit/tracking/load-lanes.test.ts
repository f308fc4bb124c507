/** The two lanes of a load on its storage: what goes next, what points travel together, and what their batches hear. */
import { describe, expect, it, vi } from 'vitest';
import { classify } from '../../../src/delivery/classify.ts';
import type { LaneRequest } from '../../../src/delivery/drain.ts';
import { LEASE_PERMITS_MAX, STEP_ASIDE_MS, TRACE_WINDOW_MS } from '../../../src/kernel/limits.ts';
import { MilestoneLane, TraceLane } from '../../../src/tracking/lanes/load-lanes.ts';
import { headMove, type SubjectLane } from '../../../src/tracking/lanes/subject-lane.ts';
import type { EnqueuedRequest } from '../../../src/tracking/request.ts';
import { attemptRow, seenIn } from '../../../src/tracking/store/subject-rows.ts';
import type { Answer } from '../../../src/upstream/answer.ts';
import { holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import type { Deferred } from '../../../src/upstream/permits.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { aChannel, clockAt, NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, loadStored } from './samples.ts';

const answered = (status: number): Answer => ({
  ...{ outcome: 'answered', status, headers: {}, body: '', bodyEncoding: 'utf-8', bodyEnd: 'whole', latencyMs: 12 },
});

function aLoad(requests: readonly Partial<EnqueuedRequest>[]) {
  const { tables, journey, ...bare } = loadStored();
  const [store, traces] = [committing(tables.journal, bare.store), committing(tables.journal, bare.traces)];
  const [milestoneLane, traceLane] = [
    committing(tables.journal, new MilestoneLane(bare.store, journey)),
    committing(tables.journal, new TraceLane(bare.store, bare.traces, journey)),
  ];
  store.add(requests.map((more, index) => aTaken(index + 1, more)));
  const clock = movedClock();
  const begin = (seq: number, carries: readonly number[] | null = null) =>
    store.beginAttempt({
      ...{ seq, purpose: 'send', startedAtMs: clock.nowMs(), requestSha256: '', tokenFingerprint: null },
      ...{ possibleDuplicate: false, late: false, carries },
    });
  const answers = (lane: SubjectLane, seq: number, status: number) => {
    const observed = answered(status);
    const seen = seenIn(observed, classify(observed, clock.nowMs()));
    store.endAttempt(attemptRow(seq, observed, seen.class.effect));
    lane.classify(store.bySeq(seq), seen, clock);
  };
  const states = () => requests.map((_, index) => store.bySeq(index + 1).state);
  return { tables, store, traces, milestoneLane, traceLane, clock, begin, answers, states };
}

/** One position a minute. */
const aPoint = (minute: number, more: Partial<EnqueuedRequest> = {}): Partial<EnqueuedRequest> => {
  const dateTime = `2026-03-02T07:${String(minute).padStart(2, '0')}:00.0000000+00:00`;
  const time = { dateTime, timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' };
  const body = { loadNumber: 'L1', traces: [{ time, coordinate: { latitude: 41.5, longitude: -88.1 } }] };
  return {
    kind: 'trace',
    lane: 'traces',
    live: true,
    body: JSON.stringify(body),
    eventAtMs: Date.parse(dateTime),
    ...more,
  };
};

describe('the milestones of a load', () => {
  it('go one at a time, in hand-over order', () => {
    const { milestoneLane: lane, clock, begin, answers, states } = aLoad([{}, {}]);
    expect(lane.next(clock)).toMatchObject({
      turn: 'send',
      sending: { purpose: 'send', request: { seq: 1 }, carries: null },
    });
    begin(1);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
    answers(lane, 1, 201);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 2 } } });
    begin(2);
    answers(lane, 2, 422);
    expect([states(), lane.next(clock)]).toEqual([['delivered', 'rejected'], { turn: 'wait', untilMs: null }]);
  });

  it('wait for the time of the next try, and end with their deadline', () => {
    const { milestoneLane: lane, clock, begin, answers, states, store } = aLoad([{}]);
    begin(1);
    answers(lane, 1, 500);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: store.bySeq(1).at_ms });
    clock.pass(3_600_001);
    expect([lane.next(clock), states()]).toEqual([{ turn: 'decided' }, ['dead']]);
  });

  it('that say what was delivered are duplicates of it, and never sent', () => {
    const businessKey = 'the same';
    const { milestoneLane: lane, clock, begin, answers, states, store } = aLoad([{ businessKey }, { businessKey }, {}]);
    begin(1);
    answers(lane, 1, 201);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect([states(), store.bySeq(2).into_seq]).toEqual([['delivered', 'duplicate', 'queued'], 1]);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 3 } } });
  });

  it('that say what an open one says let others pass, and go once that came to nothing', () => {
    const businessKey = 'the same';
    const { milestoneLane: lane, clock, begin, answers, states } = aLoad([{ businessKey }, { businessKey }]);
    begin(1);
    answers(lane, 1, 500);
    clock.pass(3_000_000); // it has stepped aside by then, or is due
    const turn = lane.next(clock);
    expect(turn).toMatchObject({ turn: 'send', sending: { request: { seq: 1 } } });
    begin(1);
    answers(lane, 1, 422);
    expect(states()[0]).toBe('held'); // the first try may have arrived
    expect(lane.next(clock).turn).toBe('decided');
    expect(states()[1]).toBe('queued');
  });

  it('are late where they are sent behind a later one, and retried ones where any other went before', () => {
    const {
      milestoneLane: lane,
      store,
      begin,
      answers,
    } = aLoad([{}, {}, { record: 1, generation: 2, key: 'b_1/1/1~2' }]);
    expect([1, 2, 3].map((seq) => lane.isLate(store.bySeq(seq)))).toEqual([false, false, false]);
    begin(1);
    answers(lane, 1, 422);
    expect([1, 3].map((seq) => lane.isLate(store.bySeq(seq)))).toEqual([false, false]);
    begin(2);
    expect([1, 2, 3].map((seq) => lane.isLate(store.bySeq(seq)))).toEqual([true, false, true]);
    store.add([aTaken(4), aTaken(5)]);
    begin(5);
    expect(lane.isLate(store.bySeq(4))).toBe(false); // it was never sent, and waited for none that says the same
  });

  it('are found though many at the head of the lane have stepped aside', () => {
    const many = Array.from({ length: 300 }, () => ({ businessKey: 'the same' }));
    const { milestoneLane: lane, clock, begin, store, tables } = aLoad([...many, { businessKey: 'another' }]);
    begin(1);
    store.commit(() => {
      for (let seq = 2; seq <= 300; seq += 1) store.waitFor(seq, 1);
      tables.request.patch(1, { state: 'unknown', at_ms: NOW_MS + 3_000_000, first_tried_at_ms: 0 });
    });
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 301 } } });
  });

  it('that could use a permit are those that have not ended, as many as a lease has at most', () => {
    const { milestoneLane: lane, begin, answers } = aLoad([{}, {}, {}]);
    expect(lane.backlog()).toBe(3);
    begin(1);
    answers(lane, 1, 201);
    expect(lane.backlog()).toBe(2);
    expect(aLoad(Array.from({ length: LEASE_PERMITS_MAX + 1 }, () => ({}))).milestoneLane.backlog()).toBe(
      LEASE_PERMITS_MAX,
    );
  });

  it('that are odd in a way that their mapping refuses end, and never leave', () => {
    const time = { dateTime: '2030-03-02T08:00:00.0000000+00:00', timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' };
    const later = { body: JSON.stringify({ loadNumber: 'L1', eventCode: 'X3', time }) };
    const rules = { unclear: 'resend', loadWaitMs: null, laterEvents: 'pass', namesKey: false } as const;
    const refused = { ...later, rules: { ...rules, surprises: { inFuture: 'reject' } as const } };
    const { milestoneLane: lane, clock, states, store } = aLoad([refused, later]);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect([states(), store.bySeq(1).reason]).toEqual([['dead', 'queued'], 'time_in_future']);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 2 } } });
    expect(store.bySeq(2).surprises).toContain('inFuture');
  });
});

describe('milestones, one by one', () => {
  const audited = (load: ReturnType<typeof aLoad>) => [...load.tables.audited.values()].map(({ known }) => known);

  it('go in the form of their kind, and in no other', async () => {
    const event = { kind: 'loadMilestoneEvent', body: '{"a":1}' } as const;
    const { milestoneLane: lane, store } = aLoad([{}, event, { kind: 'order.create' }]);
    const sent: [string, string | undefined][] = [];
    vi.stubGlobal('fetch', async (url: string, { body }: RequestInit) => {
      sent.push([new URL(url).pathname, String(body)]);
      return new Response('{}');
    });
    const token = { ok: true, value: holdToken('canary-token', 'f', 3_600, NOW_MS) } as const;
    const port = { clock: clockAt(), tokens: { current: async () => token, replace: async () => token } };
    const posts: unknown[] = [];
    for (const seq of [1, 2, 3]) {
      const turn = lane.next(clockAt());
      if (turn.turn === 'send') posts.push(await turn.sending.post(port, aChannel({ scacs: ['DEMO'] })));
      store.decide({ ...store.bySeq(seq), state: 'delivered' });
    }
    vi.unstubAllGlobals();
    expect(sent).toEqual([
      ['/rcsc/events/v1/loads/milestone-requests', '{"record":1}'],
      ['/v1/load-milestone-events', '{"a":1}'],
    ]);
    expect(posts).toMatchObject([
      { outcome: 'answered' },
      { outcome: 'answered' },
      { outcome: 'not_sent', code: 'not_composed', detail: 'order.create is no event of a load' },
    ]);
  });

  it('that are refused say nothing of the journey any more; those that were taken do', () => {
    const load = aLoad([{}, {}]);
    for (const [seq, status] of [
      [1, 422],
      [2, 201],
    ] as const) {
      load.milestoneLane.next(load.clock);
      load.begin(seq);
      load.answers(load.milestoneLane, seq, status);
    }
    expect([load.states(), audited(load)]).toEqual([
      ['rejected', 'delivered'],
      [2, 1],
    ]);
  });

  it('without anything odd have no note of that', () => {
    const { milestoneLane: lane, clock, store } = aLoad([{}]);
    lane.next(clock);
    expect(store.bySeq(1).surprises).toBeNull();
  });

  it('may be repeated unless their mapping holds what is unclear, and go as what they are', () => {
    const rules = { unclear: 'hold', loadWaitMs: null, laterEvents: 'pass', namesKey: false } as const;
    const { milestoneLane: lane, store } = aLoad([{}, { rules }, { kind: 'loadMilestoneEvent' }]);
    expect([1, 2].map((seq) => lane.isRepeatable(store.bySeq(seq)))).toEqual([true, false]);
    expect(lane.goesAs(store.bySeq(3))).toBe('loadMilestoneEvent');
  });

  it('of which an equal one is open name it; of which one may have arrived say so', () => {
    const businessKey = 'the same';
    const { milestoneLane: lane, clock, begin, store, tables } = aLoad([{ businessKey }, { businessKey }]);
    begin(1);
    store.commit(() => void tables.request.patch(1, { state: 'held' }));
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(2)).toMatchObject({ awaits_seq: 1, had_unknown: 0 });
    store.commit(() => void tables.request.patch(1, { state: 'dead', outcome: 'unknown' }));
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 2 } } });
    expect(store.bySeq(2)).toMatchObject({ had_unknown: 1, possible_duplicate: 1 });
  });

  it('that a dead process left say that they were interrupted, and only those', () => {
    const { milestoneLane: lane, clock, begin, answers, store, tables } = aLoad([{}, {}]);
    begin(1);
    const interrupted = { class: { effect: 'unknown' }, observation: null, status: null, answer: '' } as const;
    lane.classify(store.bySeq(1), interrupted, clock);
    begin(2);
    answers(lane, 2, 500);
    expect([1, 2].map((seq) => [store.bySeq(seq).state, store.bySeq(seq).reason])).toEqual([
      ['unknown', 'interrupted'],
      ['unknown', null],
    ]);
    store.commit(() => void tables.request.patch(1, { deadline_ms: 0 }));
    lane.classify(store.bySeq(1), interrupted, clock);
    expect(store.bySeq(1)).toMatchObject({ state: 'dead', reason: 'deadline' });
  });
});

describe('a milestone that its gate lets wait', () => {
  const parked = (untilMs: number, why: Deferred['why'] = 'channel'): Deferred => ({ untilMs, why });

  it('says why while it waits for its first try, once', () => {
    const { milestoneLane: lane, clock, store } = aLoad([{}]);
    lane.defer(1, parked(NOW_MS + 5), clock);
    const { revision, ...first } = store.bySeq(1);
    expect(first).toMatchObject({ state: 'queued', reason: 'upstream_unwell', at_ms: NOW_MS + 5 });
    lane.defer(1, parked(NOW_MS + 9), clock);
    expect(store.bySeq(1)).toMatchObject({ revision, at_ms: NOW_MS + 5 });
    lane.defer(1, parked(NOW_MS + 9, 'auth'), clock);
    expect(store.bySeq(1).reason).toBe('credentials_refused');
  });

  it('says nothing where it is a matter of moments', () => {
    const { milestoneLane: lane, clock, store } = aLoad([{}]);
    const before = store.bySeq(1);
    for (const why of ['rate', 'gate'] as const) lane.defer(1, parked(NOW_MS + 5, why), clock);
    expect(store.bySeq(1)).toEqual(before);
  });

  it('keeps what it says where it was tried', () => {
    const { milestoneLane: lane, clock, begin, answers, store } = aLoad([{}]);
    begin(1);
    answers(lane, 1, 429);
    const before = store.bySeq(1);
    expect(before.state).toBe('waiting');
    lane.defer(1, parked(NOW_MS + 5), clock);
    expect(store.bySeq(1)).toEqual(before);
  });
});

describe('the head of a lane', () => {
  /** A long lane of requests that are alike. @returns how many of them were read each time. */
  function readOf(each: Partial<LaneRequest>): number[] {
    const one: LaneRequest = {
      ...{ key: '1', state: 'queued', atMs: null, firstTriedAtMs: null, deadlineMs: NOW_MS + 3_600_000 },
      ...each,
    };
    const read: number[] = [];
    const open = (limit: number): LaneRequest[] => {
      const length = Math.min(limit, 1_000);
      read.push(length);
      return Array.from({ length }, () => one);
    };
    headMove(open, movedClock());
    return read;
  }

  it('is all that is read where one of it can go, or keeps the others waiting', () => {
    for (const each of [{}, { atMs: NOW_MS + 1 }, { state: 'sending' as const }]) expect(readOf(each)).toHaveLength(1);
  });

  it('is not all that is read where all of it has stepped aside', () => {
    const aside = { state: 'unknown', atMs: NOW_MS + 1, firstTriedAtMs: NOW_MS - STEP_ASIDE_MS } as const;
    for (const each of [aside, { state: 'held' as const }]) expect(readOf(each).at(-1)).toBe(1_000);
  });
});

describe('the positions of a load', () => {
  it('travel together, oldest first, and share the end of their set', () => {
    const { traceLane: lane, store, clock, begin, answers, states } = aLoad([aPoint(2), aPoint(1), aPoint(3)]);
    expect(lane.backlog()).toBe(0);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect([states(), lane.backlog()]).toEqual([['coalesced', 'queued', 'coalesced'], 1]);
    const turn = lane.next(clock);
    expect(turn).toMatchObject({ turn: 'send', sending: { request: { seq: 2 }, carries: [2, 1, 3] } });
    const body =
      turn.turn === 'send' ? (JSON.parse(turn.sending.body) as { traces: { time: { dateTime: string } }[] }) : null;
    expect(body?.traces.map(({ time }) => time.dateTime.slice(14, 16))).toEqual(['01', '02', '03']);
    begin(2, [2, 1, 3]);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
    answers(lane, 2, 201);
    expect(states()).toEqual(['coalesced', 'delivered', 'coalesced']);
    expect(store.unreported('b_1', 10).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(store.travelling(2)).toBe(3);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: null });
  });

  it('that come later wait for the next window', () => {
    const { traceLane: lane, store, clock, begin, answers } = aLoad([aPoint(1)]);
    lane.next(clock);
    const alone = lane.next(clock);
    expect(alone).toMatchObject({ turn: 'send', sending: { carries: null } });
    begin(1);
    answers(lane, 1, 201);
    store.add([aTaken(2, aPoint(2))]);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: NOW_MS + TRACE_WINDOW_MS });
    clock.pass(TRACE_WINDOW_MS);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 2 } } });
  });

  it('are halved when their set is refused, until the refused ones stand alone', () => {
    const {
      traceLane: lane,
      clock,
      begin,
      answers,
      states,
      store,
    } = aLoad([1, 2, 3, 4].map((minute) => aPoint(minute)));
    lane.next(clock);
    begin(1);
    answers(lane, 1, 422);
    expect(states()).toEqual(['waiting', 'coalesced', 'waiting', 'coalesced']);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 1 }, carries: [1, 2] } });
    begin(1);
    answers(lane, 1, 201);
    begin(3);
    answers(lane, 3, 422);
    begin(3);
    answers(lane, 3, 422);
    begin(4);
    answers(lane, 4, 201);
    expect(states()).toEqual(['delivered', 'coalesced', 'rejected', 'delivered']);
    expect(store.bySeq(2).into_seq).toBe(1);
  });

  it('from a file wait for the end of their batch, or as long as a window', () => {
    const { traceLane: lane, traces, clock } = aLoad([aPoint(1, { live: false })]);
    expect(lane.next(clock)).toEqual({ turn: 'wait', untilMs: NOW_MS + TRACE_WINDOW_MS });
    traces.release('b_1');
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(lane.next(clock).turn).toBe('send');
  });

  it('that no set took in time are given up', () => {
    const { traceLane: lane, clock, states } = aLoad([aPoint(1), aPoint(2, { deadlineMs: NOW_MS + 7_200_000 })]);
    clock.pass(3_600_001);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(states()).toEqual(['dead', 'queued']);
  });

  it('that say what was sent are duplicates: the set goes without them', () => {
    const businessKey = 'the same';
    const { traceLane: lane, clock, begin, answers, states, store } = aLoad([aPoint(1, { businessKey })]);
    lane.next(clock);
    begin(1);
    answers(lane, 1, 201);
    store.add([aTaken(2, aPoint(1, { businessKey }))]);
    clock.pass(TRACE_WINDOW_MS);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect([states(), store.bySeq(2).state, store.bySeq(2).into_seq]).toEqual([['delivered'], 'duplicate', 1]);
  });

  it('that may have been sent before go with others of that kind, apart from those that were not', () => {
    const businessKey = 'the same';
    const {
      traceLane: lane,
      store,
      clock,
      states,
      tables,
    } = aLoad([aPoint(0, { businessKey }), aPoint(1, { businessKey }), aPoint(2, { mayHaveArrived: true }), aPoint(3)]);
    store.commit(() => void tables.request.patch(1, { state: 'dead', outcome: 'unknown' }));
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(states()).toEqual(['dead', 'queued', 'coalesced', 'queued']);
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { carries: [2, 3] } });
  });

  it('that did not fit leave at once with the next set: the window is open', () => {
    const { traceLane: lane, clock, begin, answers, states } = aLoad([aPoint(1), aPoint(2, { channel: 'other' })]);
    lane.next(clock);
    begin(1);
    answers(lane, 1, 201);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(lane.next(clock)).toMatchObject({ turn: 'send', sending: { request: { seq: 2 } } });
    expect(states()).toEqual(['delivered', 'queued']);
  });

  it('that are refused say nothing of the journey any more', () => {
    const { traceLane: lane, clock, begin, answers, tables } = aLoad([aPoint(1)]);
    lane.next(clock);
    begin(1);
    answers(lane, 1, 422);
    expect([...tables.audited.values()]).toEqual([{ seq: 1, known: 2 }]);
  });

  it('are late as a set where a later one was tried before they are sent again', () => {
    const { traceLane: lane, traces, begin, store } = aLoad([aPoint(1), aPoint(2)]);
    for (const seq of [1, 2]) traces.freeze({ seqs: [seq], body: '{}' });
    const late = () => [1, 2].map((seq) => lane.isLate(store.bySeq(seq)));
    begin(2);
    expect(late()).toEqual([false, false]); // the first one was never sent
    begin(1);
    expect(late()).toEqual([true, false]);
  });

  it('are late as half of a set, too, where a later one was tried before it was halved', () => {
    const { traceLane: lane, traces, clock, begin, answers, store } = aLoad([1, 2, 3].map((minute) => aPoint(minute)));
    traces.freeze({ seqs: [1, 2], body: '{}' });
    traces.freeze({ seqs: [3], body: '{}' });
    begin(1, [1, 2]);
    answers(lane, 1, 500);
    clock.pass(STEP_ASIDE_MS);
    begin(3);
    begin(1, [1, 2]);
    answers(lane, 1, 422);
    expect([1, 2, 3].map((seq) => lane.isLate(store.bySeq(seq)))).toEqual([true, true, false]);
  });

  it('are halved with the time that a person gave them anew', () => {
    const { traceLane: lane, traces, begin, answers, store } = aLoad([aPoint(1), aPoint(2)]);
    traces.freeze({ seqs: [1, 2], body: '{}' });
    const deadlineMs = NOW_MS + 7_200_000;
    store.commit(() => void store.tables.request.patch(1, { deadline_ms: deadlineMs })); // as `decideIn` notes it
    begin(1, [1, 2]);
    answers(lane, 1, 422);
    expect([1, 2].map((seq) => store.bySeq(seq).deadline_ms)).toEqual([deadlineMs, deadlineMs]);
  });

  it('that no set took in time are given up some hundreds at a time', () => {
    const { traceLane: lane, clock, states } = aLoad(Array.from({ length: 501 }, () => aPoint(1)));
    clock.pass(3_600_001);
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(states().filter((state) => state === 'dead')).toHaveLength(500);
  });
});
