/** One replay over several batches: its state, its next step, and its view for people. Pure. */
import type { Environment } from '../../kernel/names.ts';
import type { ReplayProgress, ReplayRefusal, ReplayWanted } from '../actions/replay.ts';
import type { DeadLetterCheckpoint } from './dead-letters.ts';

/** A batch of the replay, with the digest of the plan that was shown. */
export interface PlannedBatch {
  batchId: string;
  requests: number;
  digest: string;
  /** Its requests that were named one by one; null: the filter decides. */
  places: readonly DeadLetterCheckpoint[] | null;
}

/** @property fingerprint of the request, so that an id is never mistaken for another replay. */
export interface ReplayBegun {
  actionId: string;
  fingerprint: string;
  environment: Environment;
  partner: string;
  who: string;
  name: string;
  why: string;
  wanted: ReplayWanted;
  perSecond: number;
  batches: readonly PlannedBatch[];
}

interface ReplayBatch extends PlannedBatch {
  /** `waiting` until its requests are fixed; `refused`: they changed since the plan, or cannot be resent now. */
  state: 'waiting' | 'running' | 'done' | 'refused' | 'cancelled';
  refusal: ReplayRefusal | null;
  chosen: number;
  skipped: number;
  left: number;
  /** Steps requested so far; the last may be unanswered. */
  step: number;
}

export interface ReplayRun extends Omit<ReplayBegun, 'batches'> {
  state: 'running' | 'cancelling' | 'cancelled' | 'done';
  begunAtMs: number;
  endedAtMs: number | null;
  cancelledBy: { who: string; name: string; atMs: number } | null;
  batches: ReplayBatch[];
}

export function newRun({ batches, ...begun }: ReplayBegun, begunAtMs: number): ReplayRun {
  const waiting = { state: 'waiting', refusal: null, chosen: 0, skipped: 0, step: 0 } as const;
  return {
    ...begun,
    state: 'running',
    begunAtMs,
    endedAtMs: null,
    cancelledBy: null,
    batches: batches.map((batch) => ({ ...batch, ...waiting, left: batch.requests })),
  };
}

export type ReplayMove =
  | { move: 'begin' | 'stop'; batchId: string }
  | { move: 'step'; batchId: string; step: number; limit: number }
  | { move: 'end'; state: 'done' | 'cancelled' };

const isOver = ({ state }: ReplayBatch): boolean => state === 'done' || state === 'refused' || state === 'cancelled';

/** @param limit how many more requests may be chosen now. */
export function nextReplayMove({ state, batches }: ReplayRun, limit: number): ReplayMove {
  const batch = batches.find((each) => !isOver(each));
  const isCancelled = state === 'cancelling' || state === 'cancelled';
  if (batch === undefined) return { move: 'end', state: isCancelled ? 'cancelled' : 'done' };
  const { batchId, step } = batch;
  if (isCancelled) return { move: 'stop', batchId };
  return batch.state === 'waiting' ? { move: 'begin', batchId } : { move: 'step', batchId, step: step + 1, limit };
}

export const withBatch = (run: ReplayRun, batchId: string, change: (batch: ReplayBatch) => ReplayBatch): ReplayRun => ({
  ...run,
  batches: run.batches.map((batch) => (batch.batchId === batchId ? change(batch) : batch)),
});

export const refusedBatch = (batch: ReplayBatch, refusal: ReplayRefusal): ReplayBatch => ({
  ...batch,
  state: 'refused',
  refusal,
});

export const begunBatch = (batch: ReplayBatch, requests: number): ReplayBatch => ({
  ...batch,
  state: requests === 0 ? 'done' : 'running',
  requests,
  left: requests,
});

/** Requests not begun or not chosen stay as they ended; the counts say how many. */
export function progressedBatch(batch: ReplayBatch, { isCancelled, ...progress }: ReplayProgress): ReplayBatch {
  if (isCancelled) {
    const left = batch.requests - progress.chosen - progress.skipped;
    return { ...batch, ...progress, left, state: 'cancelled' };
  }
  return { ...batch, ...progress, state: progress.left === 0 ? 'done' : 'running' };
}

export interface ReplayTotals {
  requests: number;
  sentAgain: number;
  skipped: number;
  left: number;
  /** Until all are dispatched; null when none are left. */
  seconds: number | null;
}

export function totalsOf({ state, batches, perSecond }: ReplayRun): ReplayTotals {
  const sum = (of: (batch: ReplayBatch) => number): number => batches.reduce((all, batch) => all + of(batch), 0);
  const open = sum((batch) => (isOver(batch) ? 0 : batch.left));
  return {
    requests: sum(({ requests }) => requests),
    sentAgain: sum(({ chosen }) => chosen),
    skipped: sum(({ skipped }) => skipped),
    left: sum(({ left }) => left),
    seconds: state === 'running' ? secondsFor(open, perSecond) : null,
  };
}

export const secondsFor = (requests: number, perSecond: number): number => Math.ceil(requests / perSecond);
