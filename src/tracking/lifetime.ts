/** How long a load or an order lives. Pure. */
import type { Clock } from '../kernel/clock.ts';

/** What a subject says of itself at one moment; two that are alike: nothing happened in between. */
export interface SubjectFacts {
  requests: number;
  /** Not final: `held` is among them. */
  open: number;
  /** Outcomes their batches have not confirmed. */
  untold: number;
  /** Sum of all revisions: every change raises it. */
  revisions: number;
  /** When a request last came in or moved; null: there is none. */
  lastEventMs: number | null;
}

export type LifeStep =
  /** Something is open or untold; what it waits for wakes it. */
  | { step: 'lives' }
  | { step: 'wait'; untilMs: number }
  | { step: 'end'; lastEventMs: number }
  /** There is nothing in it. */
  | { step: 'empty' };

/** @param lifeMs after its last event, in real ms. */
export function lifeStep(facts: SubjectFacts, lifeMs: number, clock: Clock): LifeStep {
  const { open, untold, lastEventMs } = facts;
  if (open > 0 || untold > 0) return { step: 'lives' };
  if (lastEventMs === null) return { step: 'empty' };
  const untilMs = lastEventMs + lifeMs;
  return clock.nowMs() < untilMs ? { step: 'wait', untilMs } : { step: 'end', lastEventMs };
}

/** Whether anything happened between the two. */
export const isUnchanged = (one: SubjectFacts, other: SubjectFacts): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
