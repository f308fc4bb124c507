/**
 * What one poll of the order history showed, and when the next one is due. Pure.
 * The upstream keeps the cursor of "changes since the last poll" (seed 4.4), and no call names it. So a poll that may
 * have been handled, but whose answer is not here whole, may have taken changes: it leaves a gap.
 */
import { classify } from '../delivery/classify.ts';
import { type Clock, MINUTE_MS, scaledMs } from '../kernel/clock.ts';
import type { Observation } from '../upstream/answer.ts';
import { FEED_POLL_JITTER, FEED_REFUSED_PAUSE_MS } from './limits.ts';

/** Why an answer is missing; our own codes, stored with the gap. */
export type LostWhy =
  /** The process died, or the runtime moved the object, with the poll on the wire. */
  | 'interrupted'
  | 'no_answer'
  | 'server_error'
  | 'redirected'
  /** The body broke off, or is longer than the limit. */
  | 'cut'
  | 'too_long'
  /** Not UTF-8, not JSON, or no list where the answer mapping looks for it. */
  | 'unreadable'
  /** It could not be stored, and only what is stored is read. */
  | 'not_stored';

/** No answer came from whoever handles it: it may still be handled, and only then move the cursor. */
export const HANDLED_LATE_WHYS: readonly LostWhy[] = ['interrupted', 'no_answer', 'server_error'];

export type PollClass =
  | { verdict: 'answered' }
  /** Proved not to have been handled: the changes are still there. */
  | { verdict: 'refused'; detail: string; waitMs: number }
  | { verdict: 'lost'; why: LostWhy }
  | { verdict: 'not_sent'; detail: string };

export function classifyPoll(observed: Observation, nowMs: number): PollClass {
  if (observed.outcome === 'not_sent') return { verdict: 'not_sent', detail: `${observed.code}: ${observed.detail}` };
  if (observed.outcome === 'no_answer') return { verdict: 'lost', why: 'no_answer' };
  const seen = classify(observed, nowMs);
  switch (seen.effect) {
    case 'applied':
      if (observed.bodyEnd === 'cut') return { verdict: 'lost', why: 'cut' };
      if (observed.bodyEnd === 'capped') return { verdict: 'lost', why: 'too_long' };
      return observed.bodyEncoding === 'utf-8' ? { verdict: 'answered' } : { verdict: 'lost', why: 'unreadable' };
    case 'refused':
    case 'not_applied':
    case 'channel': {
      const waitMs = ('retryAfterMs' in seen ? seen.retryAfterMs : undefined) ?? FEED_REFUSED_PAUSE_MS;
      return { verdict: 'refused', detail: `status ${observed.status}`, waitMs };
    }
    case 'redirected':
      return { verdict: 'lost', why: 'redirected' };
    case 'unknown':
    case 'not_sent':
      return { verdict: 'lost', why: 'server_error' };
  }
}

/** What poll times are computed from. */
interface PollTimes {
  beganAtMs: number;
  settings: { pollMinutes: number };
}

/**
 * Times are counted from when the feed began, so that late polls do not add up to a missing one: a day of half hours
 * has 48. A poll uses the slot it is nearest to; the next one is due in a later slot.
 * @param dice from 0 to 1. @returns when the next poll is due after one that began at `startedAtMs`.
 */
export function nextPollMs(
  { beganAtMs, settings }: PollTimes,
  startedAtMs: number,
  clock: Clock,
  dice: () => number,
): number {
  const intervalMs = scaledMs(settings.pollMinutes * MINUTE_MS, clock);
  const taken = Math.round((startedAtMs - beganAtMs) / intervalMs);
  return beganAtMs + (taken + 1) * intervalMs + Math.round(intervalMs * FEED_POLL_JITTER * dice());
}

/**
 * `asking`: the intent is stored. `stored`: the whole answer is stored, but not read yet. `read`, `refused`, `lost` are
 * final; only an operator's reread moves from `lost` to `read`.
 */
export type PollState = 'asking' | 'stored' | 'read' | 'refused' | 'lost';

/** State of the feed's tables, from which the next step follows. */
export interface FeedFacts {
  /** The poll that is neither read nor given up; there is never more than one. */
  open: { pollNo: number; state: 'asking' | 'stored'; notBeforeMs: number } | null;
  nextPollMs: number;
  /** When the next order can be notified of its statuses; null: none is waiting. */
  notifyAtMs: number | null;
  /** When the partner's webhooks can be notified of more; null: nothing is waiting. */
  publishAtMs: number | null;
  /** When a repair may request the next order; null: none is due. */
  repairAtMs: number | null;
}

export type FeedStep =
  /** A dead process left it. */
  | { turn: 'recover'; pollNo: number }
  | { turn: 'read'; pollNo: number }
  | { turn: 'poll' }
  | { turn: 'tell' }
  | { turn: 'announce' }
  | { turn: 'repair' }
  | { turn: 'wait'; untilMs: number };

/**
 * The next step. A stored answer is read before anything is sent, and a poll that is due waits for no repair. Orders
 * are notified before webhooks, so that whoever gets an event finds the order as it says.
 */
export function nextFeedStep(facts: FeedFacts, nowMs: number): FeedStep {
  const { open, nextPollMs, notifyAtMs, publishAtMs, repairAtMs } = facts;
  if (open?.state === 'asking') return { turn: 'recover', pollNo: open.pollNo };
  if (open !== null && open.notBeforeMs <= nowMs) return { turn: 'read', pollNo: open.pollNo };
  if (open === null && nextPollMs <= nowMs) return { turn: 'poll' };
  if (notifyAtMs !== null && notifyAtMs <= nowMs) return { turn: 'tell' };
  if (publishAtMs !== null && publishAtMs <= nowMs) return { turn: 'announce' };
  if (repairAtMs !== null && repairAtMs <= nowMs) return { turn: 'repair' };
  const times = [open === null ? nextPollMs : open.notBeforeMs, notifyAtMs, publishAtMs, repairAtMs];
  return { turn: 'wait', untilMs: Math.min(...times.filter((atMs) => atMs !== null)) };
}
