/** One subject between its storage, its gate and the upstream: what leaves, what the gate hears of it, and when it wakes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import {
  OUTCOME_PAUSE_MS,
  OUTCOMES_PER_VISIT,
  PERMIT_WAIT_MS,
  WATCH_PAUSE_MS_MAX,
} from '../../../src/kernel/limits.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { NOW_MS, upstreamAnswers } from '../upstream/samples.ts';
import { aTaken } from './samples.ts';
import { answer, aSubject, IDENTITY, LEASE_MS, LIFE_MS } from './subject-samples.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  forgetTokens();
});

describe('the gate of a subject', () => {
  it('hears of each request how it ended, once', async () => {
    upstreamAnswers(answer(201), answer(422), answer(503));
    const { take, wake, results } = aSubject();
    await take(1, 2, 3);
    await wake();
    const about = { partner: 'acme', scac: 'DEMO', sendings: 1 };
    expect(results()).toMatchObject([
      { ...about, verdict: 'passed', status: 201, detail: '' },
      { ...about, verdict: 'passed', status: 422, detail: '' },
      { ...about, verdict: 'failed', status: 503, detail: '' },
    ]);
  });

  it('hears what happened instead where no answer came', async () => {
    upstreamAnswers(new Error('connection lost'));
    const { take, wake, results } = aSubject();
    await take(1);
    await wake();
    expect(results()).toMatchObject([{ verdict: 'failed', status: null, detail: 'network: connection lost' }]);
  });

  it('hears of two sendings where a refused token was renewed', async () => {
    const seen = upstreamAnswers(answer(401), answer(201));
    const { take, wake, results, store } = aSubject(() => undefined);
    await take(1);
    await wake();
    expect(seen).toHaveLength(2);
    expect(results()).toMatchObject([{ verdict: 'passed', sendings: 2 }]);
    expect(store.bySeq(1)).toMatchObject({ state: 'delivered', tries: 1, attempts: 2 });
  });
});

describe('a request that is sent again', () => {
  /** Answered so, then taken. */
  async function sentTwice(first: Response) {
    upstreamAnswers(first, answer(201));
    const { take, wake, alarm, store } = aSubject();
    await take(1);
    await wake();
    vi.setSystemTime(alarm.atMs ?? 0);
    await wake();
    return store.bySeq(1);
  }

  it('is marked as one that may arrive twice, where its first sending may have', async () => {
    const sent = await sentTwice(answer(500));
    expect(sent).toMatchObject({ state: 'delivered', attempts: 2, possible_duplicate: 1 });
  });

  it('is not, where that was not taken', async () => {
    const sent = await sentTwice(answer(429));
    expect(sent).toMatchObject({ state: 'delivered', attempts: 2, possible_duplicate: 0 });
  });
});

describe('what waits for a token', () => {
  it('does not leave under a permit whose time is over by then, and leaves under the next one', async () => {
    let asked = 0;
    const seen = upstreamAnswers(answer(201));
    const { take, wake, leases, results, store } = aSubject(() => {
      asked += 1;
      if (asked === 1) vi.setSystemTime(NOW_MS + LEASE_MS);
    });
    await take(1);
    await wake();
    expect([seen.length, store.bySeq(1).state]).toEqual([1, 'delivered']);
    expect(leases[1]).toMatchObject({ results: [], ended: [{ lease: 'lease-1', unused: 1 }] });
    expect(results().map(({ lease }) => lease)).toEqual(['lease-2']);
  });

  it('leaves under a permit that has a moment left', async () => {
    upstreamAnswers(answer(201));
    const { take, wake, results } = aSubject(() => vi.setSystemTime(NOW_MS + LEASE_MS - 1));
    await take(1);
    await wake();
    expect(results().map(({ lease }) => lease)).toEqual(['lease-1']);
  });

  it('does not leave where it is withdrawn meanwhile', async () => {
    const seen = upstreamAnswers(answer(201));
    const withdrawn: Promise<void>[] = [];
    const made = aSubject(() => withdrawn.push(made.subject.withdraw('b_1')));
    await made.take(1);
    await made.wake();
    await Promise.all(withdrawn);
    expect(seen).toEqual([]);
    expect(made.store.attemptsOf(1)).toEqual([]);
    expect(made.store.bySeq(1)).toMatchObject({ state: 'cancelled', attempts: 0 });
  });
});

describe('a wake-up', () => {
  it('is followed by one when the next try is due', async () => {
    upstreamAnswers(answer(429, { 'retry-after': '90' }));
    const { take, wake, store, alarm } = aSubject();
    await take(1);
    expect(alarm.atMs).toBe(NOW_MS);
    await wake();
    const { state, at_ms } = store.bySeq(1);
    expect([state, (at_ms ?? 0) >= NOW_MS + 90_000]).toEqual(['waiting', true]);
    expect(alarm.atMs).toBe(at_ms);
  });

  it('looks once in the life of its process for what a dead one left on the wire', async () => {
    upstreamAnswers(answer(201));
    const { take, wake, store } = aSubject();
    const [sent, asked] = [vi.spyOn(store, 'sending'), vi.spyOn(store, 'lookedUp')];
    for (const record of [1, 2, 3]) {
      await take(record);
      await wake();
    }
    expect([sent.mock.calls.length, asked.mock.calls.length]).toEqual([1, 1]);
  });

  it('sends what gets its permit in a moment, and leaves to a later one what gets it only then', async () => {
    const wait = vi.fn(async (ms: number) => void vi.setSystemTime(Date.now() + ms));
    vi.stubGlobal('scheduler', { wait });
    upstreamAnswers(answer(201));
    const { take, wake, store, pauses, alarm } = aSubject();
    pauses.push(PERMIT_WAIT_MS, PERMIT_WAIT_MS + 1);
    await take(1);
    await wake();
    expect(wait.mock.calls).toEqual([[PERMIT_WAIT_MS]]);
    expect(store.bySeq(1).state).toBe('queued');
    expect(alarm.atMs).toBe(Date.now() + PERMIT_WAIT_MS + 1);
    vi.setSystemTime(alarm.atMs ?? 0);
    pauses.push(PERMIT_WAIT_MS);
    await wake();
    expect(store.bySeq(1).state).toBe('delivered');
  });

  it('is not at rest while its file is written, so that nobody erases it', async () => {
    upstreamAnswers(answer(201));
    const { visit, subject, wake, alarm, meanwhile } = aSubject();
    const { receipt } = await visit(1);
    subject.settled(receipt ?? '');
    vi.setSystemTime(alarm.atMs ?? 0);
    const seen: boolean[] = [subject.isAtRest];
    meanwhile.mockImplementation(() => void seen.push(subject.isAtRest));
    await wake();
    expect(seen).toEqual([true, false]);
  });

  it('at the end of its life looks again at once where something came in while its file was written', async () => {
    upstreamAnswers(answer(201));
    const { take, wake, store, meanwhile, alarm } = aSubject();
    await take(1);
    await wake();
    vi.setSystemTime(NOW_MS + LIFE_MS);
    meanwhile.mockImplementationOnce(() => store.commit(() => store.add([aTaken(2)])));
    await wake();
    expect(meanwhile).toHaveBeenCalledOnce();
    expect(alarm.atMs).toBe(Date.now());
    expect([store.bySeq(1).state, store.bySeq(2).state]).toEqual(['delivered', 'queued']);
  });
});

describe('a visit', () => {
  const statesOf = ({ outcomes }: { outcomes: RequestOutcome[] }) =>
    outcomes.map(({ record, state }) => [record, state]);

  it('sends what it brings and answers what became of it; the next alarm is the end of its life', async () => {
    upstreamAnswers(answer(201), answer(422));
    const { visit, reported, alarm, store } = aSubject();
    expect(statesOf(await visit(1, 2))).toEqual([
      [1, 'delivered'],
      [2, 'rejected'],
    ]);
    expect([reported, alarm.atMs]).toEqual([[], NOW_MS + LIFE_MS]);
    expect(store.timeline()).toHaveLength(2);
  });

  it('that ends while another sends leaves an alarm for soon: the other may never get to set one', async () => {
    let arrives: (response: Response) => void = () => undefined;
    const late = new Promise<Response>((resolve) => {
      arrives = resolve;
    });
    vi.stubGlobal('fetch', vi.fn().mockResolvedValueOnce(answer(201)).mockReturnValueOnce(late));
    const { visit, noted, alarm } = aSubject();
    let second: Promise<unknown> = Promise.resolve();
    noted.mockImplementationOnce(() => {
      second = visit(2);
    });
    await visit(1);
    expect(alarm.atMs).toBe(NOW_MS + OUTCOME_PAUSE_MS);
    arrives(answer(201));
    await second;
  });

  it('that is repeated sends nothing twice, and answers the same until it is confirmed', async () => {
    const seen = upstreamAnswers(answer(201));
    const { visit, subject } = aSubject();
    const first = await visit(1);
    const second = await visit(1);
    expect([second.outcomes, seen.length]).toEqual([first.outcomes, 1]);
    subject.settled(second.receipt ?? '');
    expect(await visit(1)).toMatchObject({ outcomes: [], receipt: null });
  });

  it('confirms what it was answered and nothing else', async () => {
    upstreamAnswers(answer(201), answer(201));
    const { visit, subject } = aSubject();
    const first = await visit(1);
    const second = await visit(2);
    expect(statesOf(second)).toHaveLength(2);
    subject.settled(first.receipt ?? '');
    subject.settled('of another life');
    expect(statesOf(await visit())).toEqual([[2, 'delivered']]);
  });

  it('arms the alarm for what has to wait, and what follows is told by the subject itself', async () => {
    upstreamAnswers(answer(429, { 'retry-after': '90' }), answer(201));
    const { visit, wake, alarm, reported, subject } = aSubject();
    const { outcomes, receipt } = await visit(1);
    expect(outcomes).toMatchObject([{ record: 1, state: 'waiting', nextAtMs: alarm.atMs }]);
    subject.settled(receipt ?? '');
    vi.setSystemTime(alarm.atMs ?? 0);
    await wake();
    expect(reported.flat()).toMatchObject([{ record: 1, state: 'delivered' }]);
  });

  it('whose answer was lost is told at the end of its life at the latest', async () => {
    upstreamAnswers(answer(201));
    const { visit, wake, alarm, reported, meanwhile } = aSubject();
    await visit(1);
    vi.setSystemTime(alarm.atMs ?? 0);
    await wake();
    expect(reported.flat()).toMatchObject([{ record: 1, state: 'delivered' }]);
    expect(meanwhile).toHaveBeenCalledOnce();
  });

  it('that ends while a wake-up tells another batch is told by the subject itself, should its answer not arrive', async () => {
    upstreamAnswers(answer(201));
    const { visit, wake, subject, telling, alarm, reported } = aSubject();
    const { receipt } = await visit(1);
    const requests = [{ ...aTaken(2, { batchId: 'b_2' }), deadlineMs: NOW_MS - 1 }];
    telling.mockImplementationOnce(() => {
      subject.settled(receipt ?? '');
      return subject.visit({ identity: IDENTITY, batchId: 'b_2', isLast: true, endsLoads: true, requests });
    });
    await wake();
    expect(alarm.atMs).toBe(NOW_MS + OUTCOME_PAUSE_MS);
    await wake();
    expect(reported.flat()).toMatchObject([{ record: 1 }, { record: 2, state: 'dead' }]);
    expect(alarm.atMs).toBe(NOW_MS + LIFE_MS);
  });

  it('leaves to the wake-up that sends already what it brings, with an alarm in case that one never ends', async () => {
    const seen = upstreamAnswers(answer(201), answer(201));
    const { take, subject, visit, alarm, store } = aSubject();
    await take(1);
    const woken = subject.wakeUp();
    const { outcomes } = await visit(2);
    expect(alarm.atMs).not.toBeNull();
    await woken;
    expect([outcomes, seen.length]).toEqual([[], 2]);
    expect(store.timeline().map(({ request }) => request.state)).toEqual(['delivered', 'delivered']);
  });

  it('is answered no more than a call may hold; the rest is told by the subject itself, at once', async () => {
    const { visit, store, alarm } = aSubject();
    const records = Array.from({ length: OUTCOMES_PER_VISIT + 1 }, (_, index) => index + 1);
    store.commit(() => store.add(records.map((record) => ({ ...aTaken(record), deadlineMs: NOW_MS - 1 }))));
    const most = vi.spyOn(store, 'unreported');
    await visit();
    expect(most).toHaveBeenLastCalledWith('b_1', OUTCOMES_PER_VISIT);
    expect(alarm.atMs).toBe(NOW_MS);
  });
});

describe('whoever makes sure that it wakes', () => {
  it('is told when it does, and sets an alarm that was lost', async () => {
    const { take, subject, alarm, store } = aSubject();
    await take(1);
    alarm.atMs = NOW_MS + 7;
    expect(await subject.ensureAlarm()).toBe(NOW_MS + 7);
    alarm.atMs = null;
    expect(await subject.ensureAlarm()).toBe(NOW_MS);
    expect(alarm.atMs).toBe(NOW_MS);
    store.commit(() => store.tables.request.patch(1, { state: 'waiting', at_ms: NOW_MS + 9 } as const));
    alarm.atMs = NOW_MS + 8;
    expect(await subject.ensureAlarm()).toBe(NOW_MS + 8);
    alarm.atMs = NOW_MS + 2 * LIFE_MS; // as something was armed for the end of its life when that of the request was lost
    const latestMs = NOW_MS + 9 + WATCH_PAUSE_MS_MAX;
    expect([await subject.ensureAlarm(), alarm.atMs]).toEqual([latestMs, latestMs]);
  });

  it('wakes it again where what its object does around a wake-up fails', async () => {
    const { take, subject, alarm } = aSubject();
    await take(1);
    alarm.atMs = null;
    await subject.wakeUp(() => Promise.reject(new Error('planned')));
    expect(alarm.atMs).toBe(NOW_MS + OUTCOME_PAUSE_MS);
  });

  it('that takes for open what an answer told which it never had is told at once, and not at the end of the retention', async () => {
    upstreamAnswers(answer(201));
    const { visit, wake, subject, alarm, reported } = aSubject();
    await visit(1);
    alarm.atMs = NOW_MS + LIFE_MS;
    expect(await subject.ensureAlarm()).toBe(NOW_MS);
    expect(alarm.atMs).toBe(NOW_MS);
    await wake();
    expect(reported).toMatchObject([[{ record: 1, state: 'delivered' }]]);
    expect(await subject.ensureAlarm()).toBeNull();
  });

  it('is told that nothing is to come where all has ended', async () => {
    upstreamAnswers(answer(201));
    const { take, wake, subject } = aSubject();
    await take(1);
    await wake();
    expect(await subject.ensureAlarm()).toBeNull();
  });
});
