/** A decision about many held requests: how far it is, and what ends it. */
import { expect, it } from 'vitest';
import {
  cancelledRun,
  type DecisionItem,
  type DecisionRun,
  decisionTotals,
  newDecisionRun,
  progressedRun,
} from '../../../src/batch/core/decision-run.ts';

const RUN: DecisionRun = newDecisionRun(
  {
    ...{ actionId: 'a_1', fingerprint: 'f', environment: 'test', partner: 'acme', who: 'k1', name: 'K', why: 'w' },
    ...{ decision: { action: 'send' } as unknown as DecisionRun['decision'], outcome: null, perSecond: 2 },
  },
  5,
  7,
);
const items = (...states: DecisionItem['state'][]): DecisionItem[] =>
  states.map((state, record) => ({
    ...{ partner: 'acme', batchId: 'b_1', record, request: 1, subject: 'load:L1', scac: 'ABCD', version: 'v' },
    ...{ state, why: null },
  }));
const BY = { who: 'k2', name: 'L' };

it('a run that is cancelled ends there, says by whom, and leaves what was not decided', () => {
  const begun = progressedRun(RUN, items('decided', 'decided', 'skipped', 'waiting'), 9);
  const run = cancelledRun(begun, BY, 11);
  expect(run).toMatchObject({ state: 'cancelled', endedAtMs: 11, cancelledBy: { ...BY, atMs: 11 } });
  expect(decisionTotals(run)).toEqual({ requests: 5, decided: 2, skipped: 1, left: 2, seconds: null });
});

it('a run that is done stays so, whoever cancels it afterwards', () => {
  const run = progressedRun(RUN, items('decided', 'decided', 'decided', 'decided', 'skipped'), 9);
  expect(run).toMatchObject({ state: 'done', endedAtMs: 9 });
  expect(cancelledRun(run, BY, 11)).toEqual(run);
});
