/** What a subject stores before it waits, what it makes of what a dead process left, and that nothing it fails at is lost. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CHANNEL_PAUSE_MS,
  LOAD_SENDS_PER_WAKE_UP,
  LOAD_WAKE_UP_MS,
  OUTCOME_PAUSE_MS,
  PERMIT_WAIT_MS,
  TOKEN_PAUSE_MS,
} from '../../../src/kernel/limits.ts';
import type { DecisionRequest } from '../../../src/tracking/decisions.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { NOW_MS, upstreamAnswers } from '../upstream/samples.ts';
import { aTaken, loadStored } from './samples.ts';
import { answer, aSubject, IDENTITY, LIFE_MS } from './subject-samples.ts';

beforeEach(() => {
  // The timers of a process that died here would run on in other tests, and move their clocks.
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOW_MS });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  forgetTokens();
});

/** What another instance finds: what is stored, and no more. */
const statesIn = (sql: SqlStorage) => [...loadStored(sql).store.all()].map(({ state }) => state);
const onceLate = () => {
  let arrives: (response: Response) => void = () => undefined;
  const late = new Promise<Response>((resolve) => {
    arrives = resolve;
  });
  return { late, arrives: (response: Response) => arrives(response) };
};
/** Lets all go on that waits for nothing but its turn. */
const turns = async () => {
  for (let count = 0; count < 50; count += 1) await Promise.resolve();
};

describe('what a dead process left on the wire', () => {
  /** It died while it waited for an answer. */
  async function dead() {
    const first = aSubject();
    const { late } = onceLate();
    vi.stubGlobal('fetch', vi.fn().mockReturnValue(late));
    await first.take(1);
    void first.wake();
    await vi.waitFor(() => expect(statesIn(first.sql)).toEqual(['sending']));
    return first.sql;
  }

  it.each(['wake', 'visit'] as const)('may have arrived, and is sent again later: %s', async (how) => {
    const { store, alarm, ...next } = aSubject(undefined, { sql: await dead() });
    await next[how]();
    const request = store.bySeq(1);
    expect(request).toMatchObject({ state: 'unknown', reason: 'interrupted', had_unknown: 1, attempts: 1, tries: 1 });
    expect(request.answer).toContain('interrupted');
    expect(store.attemptsOf(1)).toMatchObject([{ effect: 'unknown', latency_ms: null }]);
    expect(alarm.atMs).toBe(request.at_ms);
  });

  it('of a lookup is one that was not answered', async () => {
    const { store, wake, take } = aSubject();
    await take(1);
    store.commit(() => {
      store.beginAttempt({
        ...{ seq: 1, purpose: 'check', startedAtMs: NOW_MS, requestSha256: '', tokenFingerprint: null },
        ...{ possibleDuplicate: false, late: false, carries: null },
      });
    });
    upstreamAnswers(answer(201));
    await wake();
    expect(store.attemptsOf(1).map(({ purpose, effect }) => [purpose, effect])).toEqual([
      ['check', 'unanswered'],
      ['send', 'applied'],
    ]);
  });

  it('is only what no living one has there, however often that one fails at something else', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { late, arrives } = onceLate();
    vi.stubGlobal('fetch', vi.fn().mockReturnValue(late));
    const { store, take, subject } = aSubject();
    await take(1);
    const waits = subject.wakeUp();
    await vi.waitFor(() => expect(store.bySeq(1).state).toBe('sending'));
    vi.spyOn(store, 'flush').mockImplementationOnce(() => {
      throw new Error('planned');
    });
    await subject.wakeUp();
    await subject.wakeUp();
    expect(store.bySeq(1).state).toBe('sending');
    arrives(answer(201));
    await waits;
    expect(store.bySeq(1)).toMatchObject({ state: 'delivered', had_unknown: 0 });
    expect(store.attemptsOf(1)).toMatchObject([{ effect: 'applied', status: 201 }]);
  });
});

describe('a subject that fails', () => {
  const failing = () => {
    const made = aSubject();
    vi.spyOn(made.lane, 'classify').mockImplementationOnce(() => {
      throw new Error('planned');
    });
    return made;
  };

  it('at a wake-up says so, comes again soon, and finds what it left', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    upstreamAnswers(() => {
      vi.setSystemTime(Date.now() + 100);
      return Promise.resolve(answer(201));
    });
    const { store, take, wake, alarm } = failing();
    await take(1);
    await wake();
    expect(JSON.parse(String(logged.mock.calls[0]?.[0]))).toMatchObject({
      event: 'subject_wake_up_failed',
      detail: 'planned',
    });
    expect([alarm.atMs, store.bySeq(1).state]).toEqual([NOW_MS + OUTCOME_PAUSE_MS, 'sending']);
    await wake();
    expect(store.bySeq(1)).toMatchObject({ state: 'unknown', reason: 'interrupted' });
  });

  it('at a visit fails the visit, which nobody else has to know of; the next one finds what it left', async () => {
    upstreamAnswers(answer(201));
    const { store, visit, waited } = failing();
    await expect(visit(1)).rejects.toThrow('planned');
    expect([waited.length, await waited[0]]).toEqual([1, undefined]);
    expect(store.bySeq(1).state).toBe('sending');
    expect((await visit()).outcomes).toMatchObject([{ record: 1, state: 'unknown' }]);
  });
});

describe('what a visit brings', () => {
  it('is stored with its first intent, and not before', async () => {
    const stored: string[][] = [];
    const { visit, begun, sql } = aSubject();
    begun.mockImplementation(() => stored.push(statesIn(sql)));
    upstreamAnswers(() => {
      stored.push(statesIn(sql));
      return Promise.resolve(answer(201));
    });
    await visit(1);
    expect([stored, statesIn(sql)]).toEqual([[[], ['sending']], ['delivered']]);
  });

  it('is stored with its first intent also where its batch has confirmed an earlier one', async () => {
    upstreamAnswers(answer(201), answer(201));
    const { visit, subject, begun, sql } = aSubject();
    subject.settled((await visit(1)).receipt ?? '');
    const stored: string[][] = [];
    begun.mockImplementation(() => stored.push(statesIn(sql)));
    await visit(2);
    expect([stored, statesIn(sql)]).toEqual([[['delivered']], ['delivered', 'delivered']]);
  });

  it('waits for no permit before that is stored which could not be at the end of an earlier visit', async () => {
    const { visit, begun, sql } = aSubject();
    const real = sql.exec.bind(sql);
    upstreamAnswers(() => {
      sql.exec = ((text: string, ...values: unknown[]) => {
        if (text.includes('INSERT INTO')) throw new Error('planned');
        return real(text, ...values);
      }) as SqlStorage['exec'];
      return Promise.resolve(answer(201));
    });
    await expect(visit(1)).rejects.toThrow('planned');
    expect(statesIn(sql)).toEqual(['sending']);
    sql.exec = real as SqlStorage['exec'];
    upstreamAnswers(answer(201));
    const stored: string[][] = [];
    begun.mockImplementation(() => stored.push(statesIn(sql)));
    await visit(2);
    expect([stored, statesIn(sql)]).toEqual([[['delivered', 'queued']], ['delivered', 'delivered']]);
  });

  it('needs no alarm where its batch looks after its end', async () => {
    upstreamAnswers(answer(201));
    const { subject, alarm } = aSubject();
    const parcel = { identity: IDENTITY, batchId: 'b_1', isLast: false, requests: [aTaken(1)] };
    await subject.visit({ ...parcel, endsLoads: true });
    expect(alarm.atMs).toBeNull();
    await subject.visit(parcel);
    expect(alarm.atMs).toBe(NOW_MS + LIFE_MS);
  });

  it('while another is sent comes back at once, with an alarm for soon', async () => {
    const { late, arrives } = onceLate();
    vi.stubGlobal('fetch', vi.fn().mockReturnValue(late));
    const { take, subject, visit, alarm, store, sql } = aSubject();
    await take(1);
    alarm.atMs = null;
    const woken = subject.wakeUp();
    await vi.waitFor(() => expect(store.bySeq(1).state).toBe('sending'));
    await visit(2);
    expect([alarm.atMs, statesIn(sql)]).toEqual([Date.now() + OUTCOME_PAUSE_MS, ['sending', 'queued']]);
    arrives(answer(201));
    await woken;
  });
});

describe('before a subject waits', () => {
  const EQUAL = { businessKey: 'the same' };

  it('what it decided is stored: for a permit', async () => {
    upstreamAnswers(answer(201));
    const { subject, wake, begun, sql } = aSubject();
    await subject.take(IDENTITY, [aTaken(1, EQUAL)]);
    await wake();
    await subject.visit({ identity: IDENTITY, batchId: 'b_2', isLast: false, requests: [] }); // it brings nothing, and ends
    const stored: string[][] = [];
    begun.mockImplementation(() => stored.push(statesIn(sql)));
    await subject.take(IDENTITY, [aTaken(2, EQUAL), aTaken(3)]);
    await wake();
    expect(stored).toEqual([['delivered', 'duplicate', 'queued']]);
  });

  it('what it decided is stored: for a token, and until the gate hears that it is done', async () => {
    const stored: string[][] = [];
    upstreamAnswers(answer(201));
    const { subject, wake, noted, sql } = aSubject(() => stored.push(statesIn(sql)));
    await subject.take(IDENTITY, [aTaken(1), aTaken(2)]);
    noted.mockImplementation(() => stored.push(statesIn(sql)));
    await wake();
    expect(stored).toEqual([
      ['queued', 'queued'],
      ['delivered', 'delivered'],
    ]);
  });

  it('what its batch has confirmed is stored by the next wake-up, also while another one sends', async () => {
    upstreamAnswers(answer(201));
    const { visit, subject, sql, store, take } = aSubject();
    const { receipt } = await visit(1);
    const { late, arrives } = onceLate();
    vi.stubGlobal('fetch', vi.fn().mockReturnValue(late));
    await take(2);
    const woken = subject.wakeUp();
    await vi.waitFor(() => expect(store.bySeq(2).state).toBe('sending'));
    subject.settled(receipt ?? '');
    const untold = () => loadStored(sql).store.unreported('b_1', 9).length;
    expect(untold()).toBe(1);
    await subject.wakeUp();
    expect(untold()).toBe(0);
    arrives(answer(201));
    await woken;
  });

  it('what its batch confirms while a wake-up ends is stored at that end', async () => {
    upstreamAnswers(() => Promise.resolve(answer(201)));
    const { subject, visit, noted, wake, sql, reported } = aSubject();
    await subject.take(IDENTITY, [aTaken(1)]);
    noted.mockImplementationOnce(async () => subject.settled((await visit()).receipt ?? ''));
    await wake();
    expect([loadStored(sql).store.unreported('b_1', 9), reported]).toEqual([[], []]);
  });
});

describe('a long wake-up', () => {
  it('ends after so many steps, or so long, and goes on at once', async () => {
    const { store, wake, alarm, subject } = aSubject();
    const late = { deadlineMs: NOW_MS - 1 };
    await subject.take(
      IDENTITY,
      Array.from({ length: LOAD_SENDS_PER_WAKE_UP + 1 }, (_, index) => aTaken(index + 1, late)),
    );
    await wake();
    const open = [...store.all()].filter(({ state }) => state === 'queued').map(({ seq }) => seq);
    expect([open, alarm.atMs]).toEqual([[LOAD_SENDS_PER_WAKE_UP + 1], NOW_MS]);
  });

  it('ends when its time is over', async () => {
    upstreamAnswers(() => {
      vi.setSystemTime(Date.now() + LOAD_WAKE_UP_MS);
      return Promise.resolve(answer(201));
    });
    const { store, wake, take, alarm } = aSubject();
    await take(1, 2);
    await wake();
    expect([store.bySeq(2).state, alarm.atMs]).toEqual(['queued', NOW_MS + LOAD_WAKE_UP_MS]);
  });

  it('tells on its way what it has done so far', async () => {
    const told: number[] = [];
    const { wake, take, reported } = aSubject();
    upstreamAnswers(() => {
      told.push(reported.flat().length);
      vi.setSystemTime(Date.now() + 3_001);
      return Promise.resolve(answer(201));
    });
    await take(1, 2, 3);
    await wake();
    expect(told).toEqual([0, 1, 2]);
  });
});

describe('what cannot be sent', () => {
  it.each([
    ['gone', {}],
    ['main', { environment: 'production' }],
  ])('as its channel is gone, or for production, ends and says so: %s', async (name, channel) => {
    const sent = upstreamAnswers(answer(201));
    const { store, subject, wake } = aSubject(undefined, { channel });
    await subject.take(IDENTITY, [aTaken(1, { channel: name })]);
    await wake();
    expect([sent, store.bySeq(1)]).toMatchObject([[], { state: 'dead', reason: 'channel_missing', attempts: 0 }]);
    expect(store.bySeq(1).answer).toContain(`"${name}"`);
  });

  it('for lack of a token waits for one, and has no attempt', async () => {
    const sent = upstreamAnswers(answer(201));
    const { store, take, wake, alarm } = aSubject(() => false);
    await take(1);
    await wake();
    expect([sent, store.attemptsOf(1)]).toEqual([[], []]);
    expect(store.bySeq(1)).toMatchObject({ state: 'queued', reason: 'no_token', at_ms: NOW_MS + TOKEN_PAUSE_MS });
    expect(alarm.atMs).toBe(NOW_MS + TOKEN_PAUSE_MS);
  });

  it('as its token is refused and none can be had says so, and tries again no sooner than without a token', async () => {
    const sent = upstreamAnswers(() => Promise.resolve(answer(401)));
    let mints = false;
    const { store, take, wake, alarm, results } = aSubject((refused) => refused === undefined || mints);
    await take(1);
    const untilMs = NOW_MS + 10 * 60_000;
    for (await wake(); (alarm.atMs ?? untilMs) < untilMs; await wake()) vi.setSystemTime(alarm.atMs ?? 0);
    expect(sent).toHaveLength((10 * 60_000) / TOKEN_PAUSE_MS);
    const attempt = { effect: 'channel', status: 401, body: '{}', detail: 'token_refused: status 500' };
    expect(store.attemptsOf(1)).toMatchObject(sent.map(() => attempt));
    const waits = { state: 'waiting', reason: 'no_token', tries: 0, status: 401, at_ms: untilMs };
    expect(store.bySeq(1)).toMatchObject(waits);
    expect(results().at(-1)).toMatchObject({ verdict: 'failed', detail: 'token_refused: status 500' });
    upstreamAnswers(answer(401), answer(201));
    mints = true;
    vi.setSystemTime(untilMs);
    await wake();
    expect(store.bySeq(1)).toMatchObject({ state: 'delivered', reason: null, tries: 1 });
  });

  it('as its token is refused and none can be had stays withdrawn where it was meanwhile', async () => {
    const sent = upstreamAnswers(answer(401));
    const withdrawn: Promise<void>[] = [];
    const made = aSubject((refused) => {
      if (refused !== undefined) withdrawn.push(made.subject.withdraw('b_1'));
      return refused === undefined;
    });
    await made.take(1);
    await made.wake();
    await Promise.all(withdrawn);
    expect(made.store.bySeq(1)).toMatchObject({ state: 'cancelled', reason: null, attempts: 1 });
    expect([sent.length, made.store.attemptsOf(1)]).toMatchObject([1, [{ detail: 'token_refused: status 500' }]]);
  });

  it('for lack of a permit says so where that is no matter of moments', async () => {
    const { store, take, wake, alarm, pauses, why } = aSubject();
    pauses.push(PERMIT_WAIT_MS + CHANNEL_PAUSE_MS);
    why.push('channel');
    await take(1);
    await wake();
    expect(store.bySeq(1)).toMatchObject({ state: 'queued', reason: 'upstream_unwell', at_ms: alarm.atMs });
    expect(alarm.atMs).toBe(NOW_MS + PERMIT_WAIT_MS + CHANNEL_PAUSE_MS);
  });

  it('now and is to be tried again counts one try', async () => {
    upstreamAnswers(answer(429, { 'retry-after': '90' }));
    const { store, take, wake } = aSubject();
    await take(1);
    await wake();
    expect(store.bySeq(1)).toMatchObject({ state: 'waiting', tries: 1, attempts: 1, revision: 2 });
    expect(store.attemptsOf(1)).toMatchObject([{ effect: 'not_applied', status: 429 }]);
  });
});

describe('a person', () => {
  const decision = (more: Partial<DecisionRequest> = {}): DecisionRequest => ({
    ...{ id: 'd1', place: { batchId: 'b_1', record: 1, request: 1 }, who: 'k1', name: 'Kim', why: 'seen' },
    ...{ decision: 'mark_delivered', seen: null, orderId: null, outcome: null, dryRun: false },
    ...more,
  });
  /** It may have arrived, and its mapping wants no repeat of that. */
  async function held() {
    upstreamAnswers(answer(500));
    const rules = { unclear: 'hold', loadWaitMs: null, laterEvents: 'pass', namesKey: false } as const;
    const made = aSubject();
    await made.subject.take(IDENTITY, [aTaken(1, { rules })]);
    await made.wake();
    expect(made.store.bySeq(1)).toMatchObject({ state: 'held', reason: 'may_have_arrived' });
    made.alarm.atMs = null;
    made.reported.length = 0;
    return made;
  }

  it('decides about what is held: its batch hears of it at once', async () => {
    const { subject, store, alarm, reported, waited } = await held();
    expect(await subject.decide(decision())).toMatchObject({ ok: true, value: { state: 'delivered' } });
    await Promise.all(waited);
    expect([store.bySeq(1).state, alarm.atMs]).toEqual(['delivered', NOW_MS]);
    expect(reported.flat()).toMatchObject([{ record: 1, state: 'delivered', evidence: 'operator' }]);
    expect(subject.history(decision().place)).toMatchObject({
      generations: [{ request: { seq: 1 }, attempts: [{ status: 500 }] }],
      decisions: [{ id: 'd1' }],
    });
  });

  it('who only tries it out, or cannot decide that, changes nothing', async () => {
    const { subject, alarm, waited, reported } = await held();
    const told = waited.length;
    expect(await subject.decide(decision({ dryRun: true }))).toMatchObject({ ok: true, value: { version: '1.2' } });
    expect(await subject.decide(decision({ decision: 'close' }))).toEqual({
      ok: false,
      error: { code: 'outcome_wanted' },
    });
    expect([alarm.atMs, waited.length, reported]).toEqual([null, told, []]);
  });
});

describe('what is withdrawn', () => {
  it('is told its batch at once, also where it never came', async () => {
    const { subject, store, alarm, waited, reported, take } = aSubject();
    await take(1);
    alarm.atMs = null;
    await subject.withdraw('b_1', { identity: IDENTITY, requests: [aTaken(1), aTaken(2)] });
    await Promise.all(waited);
    expect([alarm.atMs, store.identity()]).toEqual([NOW_MS, IDENTITY]);
    expect(reported.flat()).toMatchObject([
      { record: 1, state: 'cancelled' },
      { record: 2, state: 'cancelled' },
    ]);
    const other = aSubject();
    await other.subject.withdraw('b_1', { identity: IDENTITY, requests: [aTaken(1)] });
    expect(other.store.identity()).toEqual(IDENTITY);
  });
});

describe('the end of a subject', () => {
  const ended = async () => {
    upstreamAnswers(answer(201));
    const made = aSubject();
    const { receipt } = await made.visit(1);
    made.subject.settled(receipt ?? '');
    made.alarm.atMs = null;
    return made;
  };

  it('is looked at when its batch asks: it comes later by itself', async () => {
    const { subject, alarm, files } = await ended();
    await subject.endIfOver();
    expect([alarm.atMs, files.size]).toEqual([NOW_MS + LIFE_MS, 0]);
  });

  it('is left to its alarm where it has one', async () => {
    const { subject, alarm, files } = await ended();
    alarm.atMs = NOW_MS + LIFE_MS + 7;
    vi.setSystemTime(NOW_MS + LIFE_MS);
    await subject.endIfOver();
    expect([alarm.atMs, files.size]).toEqual([NOW_MS + LIFE_MS + 7, 0]);
  });

  it('does not come while there is something to do: it wakes', async () => {
    const { subject, alarm, take, files } = await ended();
    await take(2);
    alarm.atMs = null;
    await subject.endIfOver();
    expect(alarm.atMs).toBe(NOW_MS);
    alarm.atMs = null;
    expect([await subject.erase(null), alarm.atMs, files.size]).toEqual([false, NOW_MS, 0]);
  });

  it('comes later where a batch cannot be told', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    upstreamAnswers(answer(201));
    const { subject, visit, alarm, telling } = aSubject();
    await visit(1);
    alarm.atMs = null;
    telling.mockImplementationOnce(() => {
      throw new Error('planned: down');
    });
    expect(await subject.erasable()).toEqual({ requests: 1, open: 0, untold: 1, batches: ['b_1'] });
    expect(alarm.atMs).toBe(NOW_MS + OUTCOME_PAUSE_MS);
    expect(await subject.erasable()).toMatchObject({ untold: 0 });
  });

  it('is not at rest while it sends, or waits for an answer', async () => {
    const { late, arrives } = onceLate();
    const { subject, visit } = aSubject();
    vi.stubGlobal('fetch', vi.fn().mockReturnValue(late));
    const under = visit(1);
    await turns();
    expect(subject.isAtRest).toBe(false);
    arrives(answer(201));
    const { receipt } = await under;
    expect(subject.isAtRest).toBe(false);
    subject.settled(receipt ?? '');
    expect(subject.isAtRest).toBe(true);
  });
});
