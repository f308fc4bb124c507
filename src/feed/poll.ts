/**
 * What one poll of the order history showed, and when the next one is due. Pure.
 *
 * The cursor of "changes since the last poll" stands at the upstream (seed 4.4) and no call names it. So a poll that may
 * have been handled, and whose answer is not here whole, may have taken changes with it: it leaves a gap.
 */
import { classify } from '../delivery/classify.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import type { Observation } from '../upstream/answer.ts';
import { FEED_POLL_JITTER, FEED_REFUSED_PAUSE_MS } from './limits.ts';

const MINUTE_MS = 60_000;

/** Why an answer is missing; in words of ours, kept with the gap. */
export type LostWhy =
  /** The process died, or the runtime moved the object, with the poll on the wire. */
  | 'interrupted'
  | 'no_answer'
  | 'server_error'
  | 'redirected'
  /** The body broke off, or is longer than what is read. */
  | 'cut'
  | 'too_long'
  /** No UTF-8, no JSON, or no list where the answer mapping looks for it. */
  | 'unreadable'
  /** It could not be stored, and nothing is read that is not stored. */
  | 'not_stored';

/** No answer came from whoever handles it: it may be handled yet, and its cursor move then. */
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

/** What the times of polls are counted from. */
export interface PollTimes {
  beganAtMs: number;
  settings: { pollMinutes: number };
}

/**
 * Times are counted from when the feed began, so that late polls add up to none that is missing: a day of half hours has 48.
 * A poll takes the time it is nearest to; the next one is due behind that.
 * @param dice from 0 to 1. @returns when the next poll is due behind one that began at `startedAtMs`.
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
 * `asking`: the intent stands. `stored`: the whole answer is stored and not read yet. `read`, `refused`, `lost` are final;
 * only what an operator has read again moves from `lost` to `read`.
 */
export type PollState = 'asking' | 'stored' | 'read' | 'refused' | 'lost';

/** What a feed has to do, as its tables say. */
export interface FeedFacts {
  /** The poll that is neither read nor given up; there is never more than one. */
  open: { pollNo: number; state: 'asking' | 'stored'; notBeforeMs: number } | null;
  nextPollMs: number;
  /** When the next order can be told of its statuses; null: none is to be told. */
  notifyAtMs: number | null;
  /** When the partner's webhooks can be told of more; null: they know all. */
  publishAtMs: number | null;
  /** When the next order may be asked for by a repair; null: none is to be. */
  repairAtMs: number | null;
}

export type FeedStep =
  /** A dead process left it behind. */
  | { turn: 'recover'; pollNo: number }
  | { turn: 'read'; pollNo: number }
  | { turn: 'poll' }
  | { turn: 'tell' }
  | { turn: 'announce' }
  | { turn: 'repair' }
  | { turn: 'wait'; untilMs: number };

/**
 * What is next: nothing is asked before what came is read, and a poll that is due waits for no repair. Orders are told before
 * webhooks, so that whoever is told finds the order as it was told.
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
