import { describe, expect, it } from 'vitest';
import { classify, type ReplayProgress, replayPlan } from '../../../src/batch/actions/replay.ts';
import { DEAD_LETTER_STATES } from '../../../src/batch/core/dead-letters.ts';
import {
  begunBatch,
  newRun,
  nextReplayMove,
  type PlannedBatch,
  progressedBatch,
  type ReplayRun,
  refusedBatch,
  secondsFor,
  totalsOf,
  withBatch,
} from '../../../src/batch/core/replay-run.ts';
import type { ReplayCandidate } from '../../../src/batch/store/dead-letter-store.ts';

const candidate = (more: Partial<ReplayCandidate> = {}): ReplayCandidate => ({
  record: 1,
  request: 1,
  generation: 1,
  kind: 'milestone',
  state: 'rejected',
  reason: null,
  mayHaveArrived: 0,
  isReplaced: 0,
  isChosen: 0,
  ...more,
});

describe('what a replay takes', () => {
  it.each([
    ['what was refused', {}, 'replayed'],
    ['what was given up and never arrived', { state: 'dead', reason: 'redirected' }, 'replayed'],
    ['what was withdrawn', { state: 'cancelled' }, 'replayed'],
    ['what is held: a person decides', { state: 'held' }, 'held'],
    ['a row that never became a request', { state: 'invalid' }, 'held'],
    ['what has a corrected row in its place', { isReplaced: 1 }, 'replaced'],
    ['what is being sent again already', { isChosen: 1 }, 'under_way'],
    [
      'an order that exists with other content',
      { kind: 'order.create', state: 'dead', reason: 'order_exists' },
      'order_exists',
    ],
    ['an order that may exist', { kind: 'order.create', state: 'dead', mayHaveArrived: 1 }, 'order_may_exist'],
    ['what may have arrived', { state: 'dead', mayHaveArrived: 1 }, 'may_have_arrived'],
  ] as [string, Partial<ReplayCandidate>, string][])('of %s says so', (_what, more, verdict) => {
    expect(classify(candidate(more), false)).toBe(verdict);
  });

  it('takes along what may have arrived only where that is asked for, and an order never', () => {
    expect(classify(candidate({ state: 'dead', mayHaveArrived: 1 }), true)).toBe('replayed');
    expect(classify(candidate({ kind: 'order.create', state: 'dead', mayHaveArrived: 1 }), true)).toBe(
      'order_may_exist',
    );
  });

  it('says something about every state', () => {
    for (const state of DEAD_LETTER_STATES) expect(classify(candidate({ state }), true)).toMatch(/replayed|held/);
  });
});

describe('a plan', () => {
  const pages = [
    [candidate(), candidate({ record: 2, state: 'dead', mayHaveArrived: 1 })],
    [candidate({ record: 3, state: 'held' })],
  ];

  it('counts what is taken by state and kind, and what is left out by why', () => {
    expect(replayPlan(pages, true)).toMatchObject({
      requests: 2,
      states: { rejected: 1, dead: 1 },
      kinds: { milestone: 2 },
      mayHaveArrived: 1,
      leftOut: { held: 1 },
    });
    expect(replayPlan(pages, false)).toMatchObject({ requests: 1, leftOut: { may_have_arrived: 1, held: 1 } });
  });

  it('counts each end of a request, and none of a row that never became one', () => {
    const states = (...of: ReplayCandidate['state'][]) =>
      replayPlan([of.map((state, index) => candidate({ record: index + 1, state }))], true).states;
    expect(states('rejected', 'dead', 'cancelled', 'rejected')).toEqual({ rejected: 2, dead: 1, cancelled: 1 });
    expect(states('invalid', 'held')).toEqual({});
  });

  it('has one digest however it is paged, and another one when a request, its generation or its end differs', () => {
    const digest = (...candidates: ReplayCandidate[]): string => replayPlan([candidates], true).digest;
    const same = replayPlan([[candidate()], [candidate({ record: 2 })]], true).digest;
    expect(digest(candidate(), candidate({ record: 2 }))).toBe(same);
    const others = [
      digest(candidate()),
      digest(candidate({ generation: 2 }), candidate({ record: 2 })),
      digest(candidate({ state: 'dead' }), candidate({ record: 2 })),
      digest(candidate({ state: 'dead', mayHaveArrived: 1 }), candidate({ record: 2 })),
      digest(candidate({ request: 2 }), candidate({ record: 2 })),
      digest(),
    ];
    expect(new Set([same, ...others]).size).toBe(others.length + 1);
  });
});

const planned = (batchId: string, requests: number): PlannedBatch => ({
  batchId,
  requests,
  digest: `of ${batchId}`,
  places: null,
});
const run = (...batches: PlannedBatch[]): ReplayRun =>
  newRun(
    {
      actionId: 'a_1',
      fingerprint: 'f',
      environment: 'test',
      partner: 'acme',
      who: 'key-1',
      name: 'Analyst',
      why: 'mended',
      wanted: {
        filter: { states: ['rejected'], reasons: null, statuses: null, kinds: null, subject: null, places: null },
        includeUnknown: false,
      },
      perSecond: 2,
      batches,
    },
    1_000,
  );
const progress = (more: Partial<ReplayProgress>): ReplayProgress => ({
  chosen: 0,
  skipped: 0,
  left: 0,
  isCancelled: false,
  ...more,
});

describe('a replay over batches', () => {
  it('begins one after the other, and steps in it until nothing is left', () => {
    let now = run(planned('b_1', 3), planned('b_2', 1));
    expect(nextReplayMove(now, 2)).toEqual({ move: 'begin', batchId: 'b_1' });
    now = withBatch(now, 'b_1', (batch) => begunBatch(batch, 3));
    expect(nextReplayMove(now, 2)).toEqual({ move: 'step', batchId: 'b_1', step: 1, limit: 2 });
    now = withBatch(now, 'b_1', (batch) => ({ ...progressedBatch(batch, progress({ chosen: 2, left: 1 })), step: 1 }));
    expect(nextReplayMove(now, 2)).toEqual({ move: 'step', batchId: 'b_1', step: 2, limit: 2 });
    now = withBatch(now, 'b_1', (batch) => ({
      ...progressedBatch(batch, progress({ chosen: 2, skipped: 1 })),
      step: 2,
    }));
    expect(nextReplayMove(now, 1)).toEqual({ move: 'begin', batchId: 'b_2' });
    now = withBatch(now, 'b_2', (batch) => refusedBatch(batch, { code: 'plan_changed' }));
    expect(nextReplayMove(now, 1)).toEqual({ move: 'end', state: 'done' });
    expect(totalsOf(now)).toMatchObject({ requests: 4, sentAgain: 2, skipped: 1, left: 1 });
  });

  it('that is cancelled stops in every batch that is not over, and counts what was left', () => {
    let now = run(planned('b_1', 3), planned('b_2', 5));
    now = withBatch(now, 'b_1', (batch) => progressedBatch(begunBatch(batch, 3), progress({ chosen: 1, left: 2 })));
    now = { ...now, state: 'cancelling' };
    expect(nextReplayMove(now, 2)).toEqual({ move: 'stop', batchId: 'b_1' });
    now = withBatch(now, 'b_1', (batch) => progressedBatch(batch, progress({ chosen: 1, isCancelled: true })));
    expect(nextReplayMove(now, 2)).toEqual({ move: 'stop', batchId: 'b_2' });
    now = withBatch(now, 'b_2', (batch) => progressedBatch(batch, progress({ isCancelled: true })));
    expect(nextReplayMove(now, 2)).toEqual({ move: 'end', state: 'cancelled' });
    expect(totalsOf(now)).toMatchObject({ requests: 8, sentAgain: 1, left: 7, seconds: null });
  });

  it('says how long it still takes at its rate', () => {
    expect(totalsOf(run(planned('b_1', 3), planned('b_2', 2)))).toMatchObject({ left: 5, seconds: 3 });
    expect([secondsFor(0, 20), secondsFor(1, 20), secondsFor(21, 20)]).toEqual([0, 1, 2]);
  });

  it('of a batch in which nothing is left to send again ends at once', () => {
    const now = withBatch(run(planned('b_1', 1)), 'b_1', (batch) => begunBatch(batch, 0));
    expect(nextReplayMove(now, 2)).toEqual({ move: 'end', state: 'done' });
  });
});
