import { describe, expect, it } from 'vitest';
import type { AttemptClass } from '../../../src/delivery/classify.ts';
import {
  afterAttempt,
  afterDeadline,
  INTERRUPTED,
  type NextStep,
  type Past,
  type StepDone,
} from '../../../src/delivery/next-step.ts';
import { clockAt, HOUR_MS, MINUTE_MS, NOW_MS, SECOND_MS } from './samples.ts';

const FRESH: Past = { tries: 0, hadUnknown: false, attempted: false, deadlineMs: NOW_MS + 72 * HOUR_MS };
const TRIED: Past = { ...FRESH, tries: 2, attempted: true };
const MAY_HAVE_LANDED: Past = { ...FRESH, tries: 1, hadUnknown: true, attempted: true };
/** The middle of every spread. */
const EVEN = () => 0.5;

const taken = (past: Past, seen: AttemptClass, random: () => number = EVEN): StepDone =>
  afterAttempt(past, seen, clockAt(NOW_MS), random);
const stepAfter = (past: Past, seen: AttemptClass): NextStep => taken(past, seen).step;

const NOT_APPLIED: AttemptClass = { effect: 'not_applied' };
const UNKNOWN: AttemptClass = { effect: 'unknown' };
const NO_TOKEN: AttemptClass = { effect: 'not_sent', retry: true };
const UNSENDABLE: AttemptClass = { effect: 'not_sent', retry: false };
const KEY_REFUSED: AttemptClass = { effect: 'channel', reason: 'credentials_refused' };
const SCAC_REFUSED: AttemptClass = { effect: 'channel', reason: 'scac_refused' };

describe('an attempt that was applied', () => {
  it('delivers the request', () => {
    expect(taken(FRESH, { effect: 'applied' })).toMatchObject({
      tries: 1,
      hadUnknown: false,
      step: { state: 'delivered' },
    });
  });

  it('delivers a request whose earlier try may have landed, and remembers that', () => {
    expect(taken(MAY_HAVE_LANDED, { effect: 'applied' })).toMatchObject({
      tries: 2,
      hadUnknown: true,
      step: { state: 'delivered' },
    });
  });

  it('delivers even when the deadline has passed meanwhile', () => {
    expect(stepAfter({ ...FRESH, deadlineMs: NOW_MS - 1 }, { effect: 'applied' })).toEqual({ state: 'delivered' });
  });
});

describe('an attempt that was refused', () => {
  it('rejects the request', () => {
    expect(taken(FRESH, { effect: 'refused' })).toMatchObject({ tries: 1, step: { state: 'rejected' } });
  });

  it('holds the request when an earlier try may have landed', () => {
    const held = { state: 'held', reason: 'unknown_then_refused' };
    expect(stepAfter(MAY_HAVE_LANDED, { effect: 'refused' })).toEqual(held);
  });

  it('holds also when tries in between were known not to be applied', () => {
    let past = taken(FRESH, UNKNOWN);
    past = taken({ ...TRIED, ...past }, NOT_APPLIED);
    expect(stepAfter({ ...TRIED, ...past }, { effect: 'refused' })).toMatchObject({ state: 'held' });
  });
});

describe('an attempt that was redirected', () => {
  it('ends the request as not applied, because redirects are never followed', () => {
    const dead = { state: 'dead', outcome: 'not_applied', reason: 'redirected' };
    expect(stepAfter(FRESH, { effect: 'redirected' })).toEqual(dead);
  });

  it('holds the request when an earlier try may have landed', () => {
    expect(stepAfter(MAY_HAVE_LANDED, { effect: 'redirected' })).toEqual({
      state: 'held',
      reason: 'unknown_then_refused',
    });
  });
});

describe('an attempt known not to be applied', () => {
  it('waits five seconds the first time', () => {
    expect(taken(FRESH, NOT_APPLIED)).toMatchObject({
      tries: 1,
      step: { state: 'waiting', atMs: NOW_MS + 5 * SECOND_MS },
    });
  });

  it.each([
    [1, 5 * SECOND_MS],
    [2, 30 * SECOND_MS],
    [3, 2 * MINUTE_MS],
    [4, 10 * MINUTE_MS],
    [5, 30 * MINUTE_MS],
    [6, 2 * HOUR_MS],
    [7, 5 * HOUR_MS],
    [8, 10 * HOUR_MS],
    [9, 10 * HOUR_MS],
    [40, 10 * HOUR_MS],
  ])('waits after failure %d for %d ms', (failure, waitMs) => {
    expect(stepAfter({ ...FRESH, tries: failure - 1, attempted: failure > 1 }, NOT_APPLIED)).toEqual({
      state: 'waiting',
      atMs: NOW_MS + waitMs,
    });
  });

  it('waits as long as Retry-After asks when that is longer than the schedule', () => {
    const seen = { effect: 'not_applied', retryAfterMs: HOUR_MS } as const;
    expect(stepAfter(FRESH, seen)).toEqual({ state: 'waiting', atMs: NOW_MS + HOUR_MS });
  });

  it('waits as the schedule says when Retry-After is shorter', () => {
    const seen = { effect: 'not_applied', retryAfterMs: SECOND_MS } as const;
    expect(stepAfter(TRIED, seen)).toEqual({ state: 'waiting', atMs: NOW_MS + 2 * MINUTE_MS });
  });

  it('never comes back before Retry-After, whatever the dice say', () => {
    const seen = { effect: 'not_applied', retryAfterMs: 5 * SECOND_MS } as const;
    expect(taken(FRESH, seen, () => 0).step).toEqual({ state: 'waiting', atMs: NOW_MS + 5 * SECOND_MS });
  });

  it('stays unknown when an earlier try may have landed', () => {
    const step = { state: 'unknown', atMs: NOW_MS + 30 * SECOND_MS };
    expect(taken(MAY_HAVE_LANDED, NOT_APPLIED)).toMatchObject({ tries: 2, hadUnknown: true, step });
  });
});

describe('an attempt whose effect is unknown', () => {
  it('is sent again after a minute at the earliest: the first try may still be on its way', () => {
    expect(taken(FRESH, UNKNOWN)).toMatchObject({
      tries: 1,
      hadUnknown: true,
      step: { state: 'unknown', atMs: NOW_MS + MINUTE_MS },
    });
    expect(taken(FRESH, UNKNOWN, () => 0).step).toEqual({ state: 'unknown', atMs: NOW_MS + MINUTE_MS });
  });

  it('follows the schedule where that is longer', () => {
    expect(stepAfter({ ...TRIED, tries: 3 }, UNKNOWN)).toEqual({ state: 'unknown', atMs: NOW_MS + 10 * MINUTE_MS });
  });

  it('waits as long as Retry-After asks when that is longer than both', () => {
    const seen = { effect: 'unknown', retryAfterMs: HOUR_MS } as const;
    expect(stepAfter(FRESH, seen)).toEqual({ state: 'unknown', atMs: NOW_MS + HOUR_MS });
  });

  it('waits its minute when Retry-After is shorter', () => {
    const seen = { effect: 'unknown', retryAfterMs: SECOND_MS } as const;
    expect(stepAfter(FRESH, seen)).toEqual({ state: 'unknown', atMs: NOW_MS + MINUTE_MS });
  });

  it('is what a crash while sending counts as', () => {
    expect(taken(FRESH, INTERRUPTED)).toMatchObject({ tries: 1, hadUnknown: true, step: { state: 'unknown' } });
  });
});

describe('an attempt that blames the channel', () => {
  it.each([
    ['refused credentials', KEY_REFUSED, 'credentials_refused'],
    ['a refused SCAC', SCAC_REFUSED, 'scac_refused'],
  ])('waits a moment after %s, then for the gate, and costs no try', (_what, seen, reason) => {
    const step = { state: 'waiting', atMs: NOW_MS + SECOND_MS, reason };
    expect(taken({ ...TRIED, tries: 3 }, seen as AttemptClass)).toMatchObject({ tries: 3, hadUnknown: false, step });
  });

  it.each<[string, number, number]>([
    ['as long as Retry-After asks when that is longer', HOUR_MS, HOUR_MS],
    ['a moment when Retry-After is shorter', 1, SECOND_MS],
  ])('waits %s', (_what, retryAfterMs, waitMs) => {
    for (const seen of [KEY_REFUSED, SCAC_REFUSED]) {
      expect(stepAfter(FRESH, { ...seen, retryAfterMs } as AttemptClass)).toMatchObject({ atMs: NOW_MS + waitMs });
    }
  });

  it('waits as without a token where its token was refused and no new one can be had, and costs no try', () => {
    const seen: AttemptClass = { effect: 'channel', reason: 'no_token' };
    const step = { state: 'waiting', atMs: NOW_MS + 15 * SECOND_MS, reason: 'no_token' };
    expect(taken({ ...TRIED, tries: 3 }, seen)).toMatchObject({ tries: 3, hadUnknown: false, step });
    expect(stepAfter(FRESH, { ...seen, retryAfterMs: HOUR_MS })).toMatchObject({ atMs: NOW_MS + HOUR_MS });
  });

  it('stays unknown when an earlier try may have landed', () => {
    expect(stepAfter(MAY_HAVE_LANDED, KEY_REFUSED)).toMatchObject({ state: 'unknown', reason: 'credentials_refused' });
  });

  it('never rejects, however often it happens', () => {
    let past: Past = FRESH;
    for (let count = 0; count < 500; count += 1) {
      const one = taken(past, KEY_REFUSED);
      expect(one.step.state).toBe('waiting');
      past = { ...past, tries: one.tries, hadUnknown: one.hadUnknown, attempted: true };
    }
    expect(past.tries).toBe(0);
  });
});

describe('no token', () => {
  it('leaves the request queued for fifteen seconds and costs no try', () => {
    const step = { state: 'queued', atMs: NOW_MS + 15 * SECOND_MS, reason: 'no_token' };
    expect(taken(FRESH, NO_TOKEN)).toMatchObject({ tries: 0, hadUnknown: false, step });
  });

  it('leaves a request known not to be applied waiting: it was tried and is never queued again', () => {
    const step = { state: 'waiting', atMs: NOW_MS + 15 * SECOND_MS, reason: 'no_token' };
    expect(taken(TRIED, NO_TOKEN)).toMatchObject({ tries: 2, hadUnknown: false, step });
  });

  it('leaves a request waiting whose only attempt blamed the channel and cost no try', () => {
    const step = { state: 'waiting', atMs: NOW_MS + 15 * SECOND_MS, reason: 'no_token' };
    expect(taken({ ...FRESH, attempted: true }, NO_TOKEN)).toMatchObject({ tries: 0, hadUnknown: false, step });
  });

  it('leaves a request that may have landed unknown', () => {
    const step = { state: 'unknown', atMs: NOW_MS + 15 * SECOND_MS, reason: 'no_token' };
    expect(taken(MAY_HAVE_LANDED, NO_TOKEN)).toMatchObject({ tries: 1, hadUnknown: true, step });
  });

  it('ends at the deadline as not applied, because nothing was ever sent', () => {
    const dead = { state: 'dead', outcome: 'not_applied', reason: 'deadline' };
    expect(stepAfter({ ...FRESH, deadlineMs: NOW_MS - 1 }, NO_TOKEN)).toEqual(dead);
  });

  it('ends at the deadline with the outcome that the earlier attempts left', () => {
    const [near, dead] = [{ deadlineMs: NOW_MS + 15 * SECOND_MS - 1 }, { state: 'dead', reason: 'deadline' }];
    expect(stepAfter({ ...TRIED, ...near }, NO_TOKEN)).toEqual({ ...dead, outcome: 'not_applied' });
    expect(stepAfter({ ...MAY_HAVE_LANDED, ...near }, NO_TOKEN)).toEqual({ ...dead, outcome: 'unknown' });
  });
});

describe('a call that cannot be composed', () => {
  it('ends as not applied at once: no later try could differ', () => {
    const dead = { state: 'dead', outcome: 'not_applied', reason: 'not_sendable' };
    expect(taken(FRESH, UNSENDABLE)).toMatchObject({ tries: 0, step: dead });
  });

  it('ends as unknown when an earlier try may have landed', () => {
    expect(stepAfter(MAY_HAVE_LANDED, UNSENDABLE)).toMatchObject({ state: 'dead', outcome: 'unknown' });
  });
});

describe('the deadline', () => {
  const SPENT = { ...TRIED, tries: 5, deadlineMs: NOW_MS + MINUTE_MS };

  it('ends a request known not to be applied as dead, not applied', () => {
    expect(stepAfter(SPENT, NOT_APPLIED)).toEqual({ state: 'dead', outcome: 'not_applied', reason: 'deadline' });
  });

  it('ends a milestone that may have landed as dead, outcome unknown: a brown-out must not need a person per row', () => {
    const dead = { state: 'dead', outcome: 'unknown', reason: 'deadline' };
    expect(stepAfter({ ...SPENT, hadUnknown: true }, NOT_APPLIED)).toEqual(dead);
    expect(stepAfter(SPENT, UNKNOWN)).toEqual(dead);
    const spent = { ...SPENT, deadlineMs: NOW_MS + SECOND_MS - 1 };
    expect(stepAfter({ ...spent, hadUnknown: true }, KEY_REFUSED)).toEqual(dead);
  });

  it('lets a last try happen at the deadline itself', () => {
    const past = { ...FRESH, deadlineMs: NOW_MS + 5 * SECOND_MS };
    expect(stepAfter(past, NOT_APPLIED)).toEqual({ state: 'waiting', atMs: NOW_MS + 5 * SECOND_MS });
    expect(stepAfter({ ...past, deadlineMs: past.deadlineMs - 1 }, NOT_APPLIED)).toMatchObject({ state: 'dead' });
  });
});

describe('a mapping that asks for at most once', () => {
  const HOLDS: Past = { ...FRESH, holdsUnclear: true };
  const held = { state: 'held', reason: 'may_have_arrived' };

  it.each([
    ['no clear answer came', UNKNOWN],
    ['the upstream named a time with it', { effect: 'unknown', retryAfterMs: 60_000 } as const],
    ['the process died', INTERRUPTED],
  ])('holds what may have landed: %s', (_what, seen) => {
    expect(taken(HOLDS, seen)).toMatchObject({ tries: 1, hadUnknown: true, step: held });
  });

  it('holds it also when the deadline is near: it is not given up either', () => {
    expect(stepAfter({ ...HOLDS, deadlineMs: NOW_MS }, UNKNOWN)).toEqual(held);
  });

  it.each([NOT_APPLIED, KEY_REFUSED, NO_TOKEN, { effect: 'applied' }, { effect: 'refused' }] as const)(
    'changes nothing where it is known what happened: %j',
    (seen) => expect(stepAfter(HOLDS, seen)).toEqual(stepAfter(FRESH, seen)),
  );
});

describe('a load that the upstream does not know', () => {
  const LOAD_UNKNOWN: AttemptClass = { effect: 'refused', loadUnknown: true };
  const untilMs = NOW_MS + 24 * HOUR_MS;
  const WAITS: Past = { ...FRESH, loadWaitUntilMs: untilMs };
  const rejected = { state: 'rejected', reason: 'load_unknown' };

  it('is a refusal where the mapping does not ask to wait for it', () => {
    expect(taken(FRESH, LOAD_UNKNOWN)).toMatchObject({ tries: 1, step: rejected });
    expect(stepAfter({ ...FRESH, loadWaitUntilMs: null }, LOAD_UNKNOWN)).toEqual(rejected);
  });

  it('is waited for on the schedule of other tries', () => {
    const step = { state: 'waiting', atMs: NOW_MS + 5 * SECOND_MS, reason: 'load_unknown' };
    expect(taken(WAITS, LOAD_UNKNOWN)).toMatchObject({ tries: 1, hadUnknown: false, step });
    expect(stepAfter({ ...WAITS, tries: 4 }, LOAD_UNKNOWN)).toMatchObject({ atMs: NOW_MS + 30 * MINUTE_MS });
  });

  it('is asked for once more when its time is over', () => {
    const late = { ...WAITS, tries: 7, loadWaitUntilMs: NOW_MS + HOUR_MS };
    expect(stepAfter(late, LOAD_UNKNOWN)).toMatchObject({ state: 'waiting', atMs: NOW_MS + HOUR_MS });
  });

  it('is a refusal when its time is over', () => {
    expect(stepAfter({ ...WAITS, tries: 8, loadWaitUntilMs: NOW_MS }, LOAD_UNKNOWN)).toEqual(rejected);
  });

  it('is waited for no longer than to the deadline', () => {
    expect(stepAfter({ ...WAITS, deadlineMs: NOW_MS + SECOND_MS }, LOAD_UNKNOWN)).toMatchObject({
      atMs: NOW_MS + SECOND_MS,
    });
    expect(stepAfter({ ...WAITS, deadlineMs: NOW_MS }, LOAD_UNKNOWN)).toEqual(rejected);
  });

  it('is never a refusal after a try that may have landed', () => {
    const doubtful = { ...WAITS, hadUnknown: true, attempted: true };
    expect(stepAfter(doubtful, LOAD_UNKNOWN)).toMatchObject({ state: 'unknown', reason: 'load_unknown' });
    const held = { state: 'held', reason: 'unknown_then_refused' };
    expect(stepAfter({ ...doubtful, loadWaitUntilMs: NOW_MS }, LOAD_UNKNOWN)).toEqual(held);
    expect(stepAfter(MAY_HAVE_LANDED, LOAD_UNKNOWN)).toEqual(held);
  });

  it('makes of other refusals none that wait', () => {
    expect(stepAfter(WAITS, { effect: 'refused' })).toEqual({ state: 'rejected' });
  });
});

describe('a request past its deadline', () => {
  it('is given up, and says whether it may have landed', () => {
    expect(afterDeadline(TRIED, null)).toEqual({ state: 'dead', outcome: 'not_applied', reason: 'deadline' });
    expect(afterDeadline(MAY_HAVE_LANDED, 'load_unknown')).toMatchObject({ state: 'dead', outcome: 'unknown' });
  });

  it('is rejected where all it waited for was its load', () => {
    expect(afterDeadline(TRIED, 'load_unknown')).toEqual({ state: 'rejected', reason: 'load_unknown' });
  });
});
