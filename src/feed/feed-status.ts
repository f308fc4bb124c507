/** How a feed stands, for those who operate the bridge; and what they may ask of it. */
import type { OrderFeedKey, PartnerScope } from '../kernel/names.ts';
import type { AnswerMapping } from '../upstream/statuses/answer-mapping.ts';
import type { SkippedEntry } from '../upstream/statuses/read-answer.ts';
import type { EventStore } from './event-store.ts';
import type { EventRow, GapRow, PollRow } from './feed-tables.ts';
import type { BookCounts } from './order-book.ts';

/* What a feed is told: whose it is, where it asks and how fast it repairs. */

/** @property edition counts from 1: a later one replaces an earlier one, never the other way round. */
export interface FeedSettings extends PartnerScope, OrderFeedKey {
  channel: string;
  /** Under which carrier's SCAC it asks (seed 4.4: on every call of the order service). */
  scac: string;
  pollMinutes: number;
  repairsPerMinute: number;
  edition: number;
}

/** @property edition 0: nothing was ever set, and it is the usual one. */
export interface EditedMapping {
  edition: number;
  mapping: AnswerMapping;
}

/** What kept it from asking, last. */
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
  /** Answers that are stored and not in the log. */
  unread: { waiting: number; unreadable: number };
  orders: BookCounts;
  failures: { order_ref: string; failure: string; tries: number }[];
  /** Seq of the newest event; 0: there is none. */
  lastSeq: number;
}

/** Who asks, and why. */
export interface FeedAction {
  keyId: string;
  author: string;
  why: string;
}

export type RereadOutcome =
  | { outcome: 'reread'; entries: number; news: number; unfit: number }
  | { outcome: 'poll_unknown' }
  /** Nothing whole of it is stored. */
  | { outcome: 'not_kept' }
  | { outcome: 'unreadable'; why: string };

export type OrdersQuery =
  /** `due`: how many orders are to be asked for in all. */
  | { outcome: 'asked'; due: number }
  /** None of these was made here; nothing is asked for. */
  | { outcome: 'orders_unknown'; orderRefs: string[] };

/** `not_due`: no repair waits for it. */
export type OrderSkipped = 'skipped' | 'not_due';

export type EventPage =
  /** `next`: the cursor behind it. `scac`: under which the feed asks. */
  | { outcome: 'page'; events: EventRow[]; next: number; hasMore: boolean; scac: string }
  /** There is no such feed of this partner (any more). */
  | { outcome: 'no_feed' }
  /** Between this cursor and the oldest that is kept, some are kept no more. `oldest`: the cursor to go on from. */
  | { outcome: 'expired'; oldest: number }
  /** No answer ever gave this cursor: the newest event has the number `last`. */
  | { outcome: 'ahead'; last: number };

/* A page of a partner's log behind a cursor. */

/** @param after null: from the oldest that is kept. @param scac under which the feed asks. */
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
