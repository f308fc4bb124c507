/** The status of a feed as operators see it, and the actions they have on it. */
import type { OrderFeedKey, PartnerScope } from '../kernel/names.ts';
import type { AnswerMapping } from '../upstream/statuses/answer-mapping.ts';
import type { SkippedEntry } from '../upstream/statuses/read-answer.ts';
import type { EventStore } from './event-store.ts';
import type { EventRow, GapRow, PollRow } from './feed-tables.ts';
import type { BookCounts, KnownOrder } from './order-book.ts';

/* Settings of a feed: whose it is, on which channel it polls and how fast it repairs. */

/** @property edition counts from 1: a later one replaces an earlier one, never the other way round. */
export interface FeedSettings extends PartnerScope, OrderFeedKey {
  channel: string;
  /** The carrier's SCAC it sends (seed 4.4: on every call of the order service). */
  scac: string;
  pollMinutes: number;
  repairsPerMinute: number;
  edition: number;
}

/** @property edition 0: none was ever set, this is the default. */
export interface EditedMapping {
  edition: number;
  mapping: AnswerMapping;
}

/** What last kept it from polling. */
export interface FeedTrouble {
  atMs: number;
  detail: string;
}

export interface FeedStatus {
  settings: FeedSettings;
  mappingEdition: number;
  nextPollMs: number;
  trouble: FeedTrouble | null;
  repairUnfit: { count: number; samples: SkippedEntry[] };
  /** Newest first. */
  polls: PollRow[];
  gaps: { open: number; closed: number; shown: GapRow[] };
  /** Answers that are stored but not in the log. */
  unread: { waiting: number; unreadable: number };
  orders: BookCounts;
  failures: { order_ref: string; failure: string; tries: number }[];
  /** Seq of the newest event; 0: there is none. */
  lastSeq: number;
}

/** What the feed knows of one order, and how far it has asked. */
export interface FollowedOrder {
  /** null: the feed does not know it. */
  booked: KnownOrder | null;
  /** The last poll whose answer is in the log; null: none yet. */
  lastPoll: { pollNo: number; atMs: number } | null;
  nextPollMs: number;
  trouble: FeedTrouble | null;
  /** Those that may have cost a status of this order, newest first. */
  gaps: GapRow[];
}

/** Gaps that were lost while the order was known. Of an order that nobody knows, none can say so: all count. Pure. */
export const gapsOf = (gaps: readonly GapRow[], booked: KnownOrder | null): GapRow[] =>
  gaps.filter(
    ({ lost_at_ms, closed_at_ms }) =>
      booked === null || (booked.due && closed_at_ms === null) || lost_at_ms >= booked.registeredAtMs,
  );

/** Who acts, and why. */
export interface FeedAction {
  keyId: string;
  author: string;
  why: string;
}

export type RereadOutcome =
  | { outcome: 'reread'; entries: number; news: number; unfit: number }
  | { outcome: 'poll_unknown' }
  /** The answer is not stored, or not whole. */
  | { outcome: 'not_kept' }
  | { outcome: 'unreadable'; why: string };

export type OrdersQuery =
  /** `due`: how many orders are to be requested in all. */
  | { outcome: 'asked'; due: number }
  /** None of these was made here; nothing is requested. */
  | { outcome: 'orders_unknown'; orderRefs: string[] };

/** `not_due`: it is not waiting for a repair. */
export type OrderSkipped = 'skipped' | 'not_due';

export type EventPage =
  /** `next`: the cursor after the page. `scac`: the one the feed sends. */
  | { outcome: 'page'; events: EventRow[]; next: number; hasMore: boolean; scac: string }
  /** This partner has no such feed (any more). */
  | { outcome: 'no_feed' }
  /** Some events between this cursor and the oldest retained one are gone. `oldest`: the cursor to continue from. */
  | { outcome: 'expired'; oldest: number }
  /** No answer ever gave this cursor: the newest event has the number `last`. */
  | { outcome: 'ahead'; last: number };

/* A page of a partner's log after a cursor. */

/** @param after null: from the oldest retained event. @param scac the one the feed sends. */
export function pageAfter(events: EventStore, after: number | null, limit: number, scac: string): EventPage {
  const oldest = events.storedFrom();
  const last = events.last();
  if (after !== null && after < oldest) return { outcome: 'expired', oldest };
  if (after !== null && after > last) return { outcome: 'ahead', last };
  const rows = events.after(after ?? oldest, limit + 1);
  const page = rows.slice(0, limit);
  const next = page.at(-1)?.seq ?? after ?? oldest;
  return { outcome: 'page', events: page, next, hasMore: rows.length > limit, scac };
}
