/** One decision about many held requests: their fixed set, how far it is, and what became of each. Pure. */
import type { Decision } from '../../delivery/decisions.ts';
import type { Environment } from '../../kernel/names.ts';
import type { DecisionRefusal } from '../../tracking/decisions.ts';
import { secondsFor } from './replay-run.ts';

/** @property version of the request as it was when the plan was made: one that has moved since is left alone. */
export interface PlannedDecision {
  partner: string;
  batchId: string;
  record: number;
  request: number;
  /** Name of its load or order. */
  subject: string;
  scac: string;
  version: string;
}

/** `skipped`: it was no longer as it was planned, or may not be decided so; `why` says which. */
export interface DecisionItem extends PlannedDecision {
  state: 'waiting' | 'decided' | 'skipped';
  why: DecisionRefusal['code'] | null;
}

/** @property fingerprint of the request, so that an id is never mistaken for another action. */
export interface DecisionsBegun {
  actionId: string;
  fingerprint: string;
  environment: Environment;
  /** null: of several partners. */
  partner: string | null;
  who: string;
  name: string;
  why: string;
  decision: Decision;
  outcome: 'not_applied' | 'unknown' | null;
  perSecond: number;
}

export interface DecisionRun extends DecisionsBegun {
  state: 'running' | 'cancelled' | 'done';
  requests: number;
  decided: number;
  skipped: number;
  begunAtMs: number;
  endedAtMs: number | null;
  cancelledBy: { who: string; name: string; atMs: number } | null;
}

export const newDecisionRun = (begun: DecisionsBegun, requests: number, begunAtMs: number): DecisionRun => ({
  ...begun,
  state: 'running',
  requests,
  decided: 0,
  skipped: 0,
  begunAtMs,
  endedAtMs: null,
  cancelledBy: null,
});

/** @returns the run after these of its items ended; the last ones end it. */
export function progressedRun(run: DecisionRun, ended: readonly DecisionItem[], nowMs: number): DecisionRun {
  const of = (state: DecisionItem['state']): number => ended.filter((item) => item.state === state).length;
  const next = { ...run, decided: run.decided + of('decided'), skipped: run.skipped + of('skipped') };
  const isOver = next.decided + next.skipped >= run.requests;
  return isOver && run.state === 'running' ? { ...next, state: 'done', endedAtMs: nowMs } : next;
}

/** What was not decided yet stays held. */
export const cancelledRun = (run: DecisionRun, by: { who: string; name: string }, atMs: number): DecisionRun =>
  run.state === 'running' ? { ...run, state: 'cancelled', endedAtMs: atMs, cancelledBy: { ...by, atMs } } : run;

interface DecisionTotals {
  requests: number;
  decided: number;
  skipped: number;
  left: number;
  /** Until all are decided; null when it has ended. */
  seconds: number | null;
}

export function decisionTotals({ state, requests, decided, skipped, perSecond }: DecisionRun): DecisionTotals {
  const left = requests - decided - skipped;
  return { requests, decided, skipped, left, seconds: state === 'running' ? secondsFor(left, perSecond) : null };
}
