/**
 * Decides what follows an attempt. Pure: the object passes in clock and dice and stores the result.
 *
 * Milestones are delivered at least once: what may have arrived is sent again, byte for byte, until the deadline, or
 * held if the mapping wants at most once.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import {
  CHANNEL_PAUSE_MS,
  RETRY_JITTER,
  RETRY_LAST_WAIT_MS,
  RETRY_WAITS_MS,
  TOKEN_PAUSE_MS,
  UNKNOWN_RESEND_MS,
} from '../kernel/limits.ts';
import type { AttemptClass } from './classify.ts';
import type { Evidence, StateReason } from './states.ts';

/**
 * @property tries attempts that counted as a try, before this one; hadUnknown whether any of them may have arrived.
 * @property attempted whether any attempt was made, counted or not.
 */
export interface Past {
  tries: number;
  hadUnknown: boolean;
  attempted: boolean;
  deadlineMs: number;
  /** Its mapping wants that what may have arrived is not sent again automatically. */
  holdsUnclear?: boolean;
  /** Until then it is retried while its load is unknown; null: not at all. */
  loadWaitUntilMs?: number | null;
}

type HeldReason = Extract<
  StateReason,
  | 'unknown_then_refused'
  | 'may_have_arrived'
  | 'order_id_missing'
  | 'ambiguous'
  | 'multiple'
  | 'not_found'
  | 'exhausted'
  | 'earlier_unclear'
>;

export type NextStep =
  /** No evidence: its own answer. */
  | { state: 'delivered'; evidence?: Evidence }
  | { state: 'rejected'; reason?: 'load_unknown' }
  /** Never sent: an equal request was delivered before. */
  | { state: 'duplicate' }
  | { state: 'held'; reason: HeldReason }
  | { state: 'dead'; outcome: 'not_applied' | 'unknown'; reason: StateReason }
  | { state: 'waiting' | 'unknown'; atMs: number; reason?: StateReason }
  | { state: 'queued'; atMs: number; reason?: StateReason };

export interface StepDone {
  step: NextStep;
  tries: number;
  hadUnknown: boolean;
}

/** @param random a number in [0, 1). */
export function afterAttempt(before: Past, seen: AttemptClass, clock: Clock, random: () => number): StepDone {
  const isTry = seen.effect !== 'not_sent' && seen.effect !== 'channel'; // those are not the request's fault
  const tries = before.tries + (isTry ? 1 : 0);
  const hadUnknown = before.hadUnknown || seen.effect === 'unknown';
  return { tries, hadUnknown, step: nextStep({ ...before, tries, hadUnknown }, seen, clock, random) };
}

/** @param past with this attempt counted. */
function nextStep(past: Past, seen: AttemptClass, clock: Clock, random: () => number): NextStep {
  switch (seen.effect) {
    case 'applied':
      return { state: 'delivered' };
    case 'refused':
      return seen.loadUnknown === true ? afterLoadUnknown(past, clock, random) : afterRefusal(past, 'refused');
    case 'redirected':
      return afterRefusal(past, 'redirected');
    case 'not_sent':
      if (!seen.retry) return { state: 'dead', outcome: giveUp(past), reason: 'not_sendable' };
      if (past.attempted) return retry(past, 'waiting', TOKEN_PAUSE_MS, clock, 'no_token');
      if (clock.nowMs() > past.deadlineMs) return { state: 'dead', outcome: 'not_applied', reason: 'deadline' };
      return { state: 'queued', atMs: clock.nowMs() + scaledMs(TOKEN_PAUSE_MS, clock), reason: 'no_token' };
    case 'channel': {
      const pauseMs = seen.reason === 'no_token' ? TOKEN_PAUSE_MS : CHANNEL_PAUSE_MS;
      return retry(past, 'waiting', Math.max(pauseMs, seen.retryAfterMs ?? 0), clock, seen.reason);
    }
    case 'not_applied': {
      const waitMs = Math.max(scheduledWaitMs(past.tries, random), seen.retryAfterMs ?? 0);
      return retry(past, 'waiting', waitMs, clock);
    }
    case 'unknown': {
      if (past.holdsUnclear === true) return { state: 'held', reason: 'may_have_arrived' };
      const waitMs = Math.max(scheduledWaitMs(past.tries, random), UNKNOWN_RESEND_MS, seen.retryAfterMs ?? 0);
      return retry(past, 'unknown', waitMs, clock);
    }
  }
}

/** Never `rejected` if an earlier try may have been applied. */
function afterRefusal(past: Past, effect: 'refused' | 'redirected'): NextStep {
  if (past.hadUnknown) return { state: 'held', reason: 'unknown_then_refused' };
  if (effect === 'refused') return { state: 'rejected' };
  return { state: 'dead', outcome: 'not_applied', reason: 'redirected' };
}

/** The last try is at the end of the wait, to find a load that is known by then. */
function afterLoadUnknown(past: Past, clock: Clock, random: () => number): NextStep {
  const untilMs = Math.min(past.loadWaitUntilMs ?? Number.NEGATIVE_INFINITY, past.deadlineMs);
  if (clock.nowMs() >= untilMs) return namingLoad(afterRefusal(past, 'refused'));
  const atMs = clock.nowMs() + scaledMs(scheduledWaitMs(past.tries, random), clock);
  return { state: past.hadUnknown ? 'unknown' : 'waiting', atMs: Math.min(atMs, untilMs), reason: 'load_unknown' };
}

const namingLoad = (step: NextStep): NextStep =>
  step.state === 'rejected' ? { state: 'rejected', reason: 'load_unknown' } : step;

/** @param reason why it waited: an unknown load is also why it ended, if no try may have arrived. */
export function afterDeadline(past: Past, reason: StateReason | null): NextStep {
  if (reason === 'load_unknown' && !past.hadUnknown) return { state: 'rejected', reason };
  return { state: 'dead', outcome: giveUp(past), reason: 'deadline' };
}

/** The wait after failure number `tries` (from 1), spread so that loads that failed together do not return together. */
function scheduledWaitMs(tries: number, random: () => number): number {
  const waitMs = RETRY_WAITS_MS[tries - 1] ?? RETRY_LAST_WAIT_MS;
  return Math.round(waitMs * (1 - RETRY_JITTER + 2 * RETRY_JITTER * random()));
}

function retry(past: Past, state: 'waiting' | 'unknown', waitMs: number, clock: Clock, reason?: StateReason): NextStep {
  const atMs = clock.nowMs() + scaledMs(waitMs, clock);
  if (atMs > past.deadlineMs) return { state: 'dead', outcome: giveUp(past), reason: 'deadline' };
  // A wait after an unknown attempt stays `unknown`: what may have arrived is not "known not to be applied".
  return { state: past.hadUnknown ? 'unknown' : state, atMs, ...(reason === undefined ? {} : { reason }) };
}

const giveUp = (past: Past): 'not_applied' | 'unknown' => (past.hadUnknown ? 'unknown' : 'not_applied');

/** A crash while `sending`: nobody saw the answer, so the attempt counts and may have arrived. */
export const INTERRUPTED: AttemptClass = { effect: 'unknown' };
