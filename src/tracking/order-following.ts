/** What an order tells its feed of itself, and when. Pure. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { FEED_NOTIFIED_ANEW_MS, FEED_SOUGHT_MS, OUTCOME_PAUSE_MS } from '../kernel/limits.ts';
import type { OrderFeedKey, PartnerScope } from '../kernel/names.ts';
import type { AnswerMapping } from '../upstream/statuses/answer-mapping.ts';

/**
 * What an order says of itself. `takenAtMs`: when what made it last came in; `sinceMs`: since when its feed may have missed
 * something of it, the same unless something that made it before was never heard of; `toldAtMs`: when it says so, later than whatever
 * it said before, so that words which come late change nothing.
 */
export interface FeedNotification {
  state: 'open' | 'none';
  takenAtMs: number;
  sinceMs: number;
  toldAtMs: number;
}

/** What a feed needs to hear of an order, and what the order asks of it: a port of the caller. */
export interface FeedRegister {
  /** Idempotent. @returns false where there is no such feed of this partner (yet). */
  register(scope: PartnerScope, orderRef: string, telling: FeedNotification): Promise<boolean>;
  /** How it reads answers about statuses; null where there is no such feed of this partner. */
  answerMapping(scope: PartnerScope): Promise<AnswerMapping | null>;
}

/** Whose the order is, and what its feed has heard of it. */
export interface Followed {
  pair: OrderFeedKey;
  takenAtMs: number;
  sinceMs: number;
  /** null: what it is to hear now it has not heard. */
  told: 'open' | 'none' | null;
  heardAtMs: number;
}

/** Whether its feed is to hear of it: news, or that what makes it may be sent only now, long after it heard of it. */
export function isNotifiedAgain(
  followed: Followed,
  current: 'open' | 'none',
  isBeingMade: boolean,
  clock: Clock,
): boolean {
  if (followed.told !== current) return true;
  return isBeingMade && clock.nowMs() >= followed.heardAtMs + scaledMs(FEED_NOTIFIED_ANEW_MS, clock);
}

/**
 * When its feed is told again if it does not hear now. One that never heard may not be there (yet): it is asked for when what
 * makes the order is seconds old, then at twice that age, and so on. @returns null: no more, until something happens here.
 */
export function notifyAgainAtMs({ told, takenAtMs }: Followed, clock: Clock): number | null {
  const pauseMs = scaledMs(OUTCOME_PAUSE_MS, clock);
  if (told !== null) return clock.nowMs() + pauseMs;
  const ageMs = clock.nowMs() - takenAtMs;
  return ageMs < scaledMs(FEED_SOUGHT_MS, clock) ? clock.nowMs() + Math.max(pauseMs, ageMs) : null;
}
