/** What a cancel and a retry would do, as plans: the numbers and the words. */
import { describe, expect, it } from 'vitest';
import { cancelNotes, cancelPlan, isWhollyWithdrawn } from '../../../src/batch/actions/cancel.ts';
import { retryNotes, retryPlan } from '../../../src/batch/actions/retry.ts';
import { type BatchProgress, isWithdrawn } from '../../../src/batch/core/progress.ts';
import type { EndedGroup, Tally } from '../../../src/batch/core/row.ts';
import { RETRIABLE_STATES } from '../../../src/delivery/retry.ts';
import { aTicket, RECEIVED_MS } from './samples.ts';

const progress = (more: Partial<BatchProgress> = {}): BatchProgress => ({
  state: 'delivering',
  checkpoint: null,
  readingFinished: true,
  handedOver: { record: 0, request: 0 },
  settledAtMs: null,
  problems: [],
  reported: false,
  ...more,
});
const CANCELLED = progress({ cancelledAtMs: RECEIVED_MS });
const TALLY: Tally = {
  records: { queued: 3, waiting: 1, delivered: 5, unknown: 1, invalid: 2 },
  requests: { queued: 4, waiting: 1, sending: 1, unknown: 1, held: 1, delivered: 5, coalesced: 2, rejected: 1 },
};

describe('cancelPlan', () => {
  it('withdraws what has not left or was not applied, and counts everything else as staying', () => {
    expect(cancelPlan(aTicket(), progress({ readingFinished: false }), TALLY)).toEqual({
      ok: true,
      value: {
        cancelledAtMs: null,
        withdrawn: { rows: 4, requests: 5 },
        stays: { sending: 1, unknown: 1, held: 1, delivered: 5, coalesced: 2, rejected: 1 },
        restOfFile: true,
      },
    });
  });

  it('tells of a batch that is cancelled what was withdrawn and still is to be', () => {
    const tally = { records: { cancelled: 2, queued: 1 }, requests: { cancelled: 2, queued: 1, delivered: 1 } };
    expect(cancelPlan(aTicket(), CANCELLED, tally)).toMatchObject({
      value: { cancelledAtMs: RECEIVED_MS, withdrawn: { rows: 3, requests: 3 }, stays: { delivered: 1 } },
    });
    expect(cancelPlan(aTicket(), { ...CANCELLED, state: 'settled' }, tally)).toMatchObject({ ok: true });
  });

  it('says 0 where there is nothing of a kind', () => {
    expect(cancelPlan(aTicket(), progress(), { records: {}, requests: { delivered: 1 } })).toMatchObject({
      value: { withdrawn: { rows: 0, requests: 0 }, stays: { delivered: 1 }, restOfFile: false },
    });
  });

  it('counts what an earlier cancel withdrew as ended, once it was retried', () => {
    const retried = { ...CANCELLED, retriedAtMs: RECEIVED_MS + 1 };
    const tally = { records: {}, requests: { cancelled: 2, queued: 1 } };
    expect(cancelPlan(aTicket(), retried, tally)).toMatchObject({
      value: { cancelledAtMs: null, withdrawn: { requests: 1 }, stays: { cancelled: 2 } },
    });
    expect(cancelPlan(aTicket(), { ...retried, state: 'settled' }, tally)).toMatchObject({
      error: { code: 'batch_settled' },
    });
  });

  it.each([
    ['batch_settled', progress({ state: 'settled' }), aTicket()],
    ['batch_unreadable', progress({ state: 'unreadable' }), aTicket()],
    ['nothing_to_cancel', progress({ state: 'reading' }), aTicket({ dryRun: true })],
  ])('is refused as %s', (code, at, ticket) => {
    expect(cancelPlan(ticket, at, TALLY)).toEqual({ ok: false, error: { code } });
  });

  it('says in words what stays and why, and nothing of what there is none of', () => {
    const plan = cancelPlan(aTicket(), progress({ readingFinished: false }), TALLY);
    const notes = plan.ok ? cancelNotes(plan.value) : [];
    expect(notes).toEqual([
      expect.stringContaining('rest of the file is read'),
      expect.stringMatching(/^1 being sent/),
      expect.stringMatching(/^1 without a clear answer may have arrived/),
      expect.stringMatching(/^1 held/),
      expect.stringMatching(/^7 delivered/),
      expect.stringContaining('this moment'),
    ]);
    const withdrawn = { rows: 1, requests: 1 };
    expect(cancelNotes({ cancelledAtMs: null, withdrawn, stays: {}, restOfFile: false })).toHaveLength(1);
  });
});

describe('a batch', () => {
  it('is withdrawn from its cancel to its next retry', () => {
    expect(isWithdrawn(progress())).toBe(false);
    expect(isWithdrawn(CANCELLED)).toBe(true);
    expect(isWithdrawn({ ...CANCELLED, retriedAtMs: RECEIVED_MS + 1 })).toBe(false);
    expect(isWithdrawn({ ...CANCELLED, retriedAtMs: RECEIVED_MS - 1 })).toBe(true);
    expect(isWithdrawn({ ...CANCELLED, retriedAtMs: RECEIVED_MS })).toBe(true);
  });

  it('is wholly withdrawn when nothing but withdrawn requests came of it, ever', () => {
    const none = { records: { cancelled: 2, invalid: 1 }, requests: { cancelled: 2 } };
    expect(isWhollyWithdrawn(CANCELLED, none)).toBe(true);
    expect(isWhollyWithdrawn(CANCELLED, { records: { invalid: 1 }, requests: {} })).toBe(true);
    expect(isWhollyWithdrawn(CANCELLED, { ...none, requests: { cancelled: 2, rejected: 1 } })).toBe(false);
    expect(isWhollyWithdrawn({ ...CANCELLED, retriedAtMs: RECEIVED_MS - 1 }, none)).toBe(false);
    expect(isWhollyWithdrawn(progress(), none)).toBe(false);
  });
});

describe('retryPlan', () => {
  const group = (requests: number, more: Partial<EndedGroup> = {}): EndedGroup => ({
    kind: 'milestone',
    state: 'rejected',
    reason: null,
    mayHaveArrived: false,
    requests,
    ...more,
  });
  const groups = [
    group(3),
    group(2, { kind: 'trace' }),
    group(4, { state: 'dead', reason: 'deadline', mayHaveArrived: true }),
    group(1, { state: 'dead', reason: 'redirected' }),
    group(5, { state: 'cancelled' }),
    group(6, { kind: 'order.create', state: 'dead', reason: 'order_exists' }),
    group(7, { kind: 'order.create', state: 'dead', mayHaveArrived: true }),
  ];
  const wanted = { states: RETRIABLE_STATES, includeUnknown: false };

  it('adds up what goes and what does not, and names the groups that go', () => {
    expect(retryPlan(groups, wanted)).toEqual({
      retriedAtMs: null,
      requests: 11,
      states: { rejected: 5, dead: 1, cancelled: 5 },
      mayHaveArrived: 0,
      leftOut: { may_have_arrived: 4, order_exists: 6, order_may_exist: 7 },
      groups: [groups[0], groups[1], groups[3], groups[4]],
    });
  });

  it('says how many may arrive twice', () => {
    const plan = retryPlan(groups, { ...wanted, includeUnknown: true });
    expect(plan).toMatchObject({ requests: 15, mayHaveArrived: 4, leftOut: { order_exists: 6, order_may_exist: 7 } });
    expect(retryNotes(plan)).toEqual([
      expect.stringMatching(/^4 of them may have arrived/),
      expect.stringMatching(/^6 left out: its order exists/),
      expect.stringMatching(/^7 left out: its order may have been created/),
    ]);
  });

  it('counts nothing of states that are not wanted', () => {
    expect(retryPlan(groups, { ...wanted, states: ['cancelled'] })).toMatchObject({ requests: 5, leftOut: {} });
  });

  it('has nothing to say where nothing is left out', () => {
    expect(retryNotes(retryPlan([group(1)], wanted))).toEqual([]);
  });
});
