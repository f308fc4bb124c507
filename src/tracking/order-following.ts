/** What an order reports about itself to its feed, and when. Pure. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { FEED_NOTIFIED_ANEW_MS, FEED_SOUGHT_MS, OUTCOME_PAUSE_MS } from '../kernel/limits.ts';
import type { OrderFeedKey, PartnerScope } from '../kernel/names.ts';
import type { AnswerMapping } from '../upstream/statuses/answer-mapping.ts';

/**
 * What an order reports. `takenAtMs`: when the last operation that makes it came in. `sinceMs`: since when its feed may
 * have missed something of it; the same, unless the feed never heard of an earlier such operation. `toldAtMs`: when
 * this is reported, always later than the report before, so that a late report changes nothing.
 */
export interface FeedNotification {
  state: 'open' | 'none';
  takenAtMs: number;
  sinceMs: number;
  toldAtMs: number;
}

/** What a feed is notified of, and what an order reads from it: a port of the caller. */
export interface FeedRegister {
  /** Idempotent. @returns false where this partner has no such feed (yet). */
  register(scope: PartnerScope, orderRef: string, telling: FeedNotification): Promise<boolean>;
  /** How the feed reads answers about statuses; null where this partner has no such feed. */
  answerMapping(scope: PartnerScope): Promise<AnswerMapping | null>;
}

/** Whose the order is, and what its feed has been notified of. */
export interface Followed {
  pair: OrderFeedKey;
  takenAtMs: number;
  sinceMs: number;
  /** null: it has not been notified of the current state. */
  told: 'open' | 'none' | null;
  heardAtMs: number;
}

/**
 * Whether to notify its feed: the state is new, or what makes the order may be sent only now, long after the feed was
 * notified.
 */
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
 * When to notify the feed again if it does not answer now. A feed that never answered may not exist (yet): it is tried
 * when the operation that makes the order is seconds old, then at twice that age, and so on. @returns null: no more,
 * until something happens here.
 */
export function notifyAgainAtMs({ told, takenAtMs }: Followed, clock: Clock): number | null {
  const pauseMs = scaledMs(OUTCOME_PAUSE_MS, clock);
  if (told !== null) return clock.nowMs() + pauseMs;
  const ageMs = clock.nowMs() - takenAtMs;
  return ageMs < scaledMs(FEED_SOUGHT_MS, clock) ? clock.nowMs() + Math.max(pauseMs, ageMs) : null;
}
