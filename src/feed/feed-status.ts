/** How a feed stands, for those who operate the bridge; and what they may ask of it. */

import type { Unfit } from '../upstream/statuses/read-answer.ts';
import type { EventRow, GapRow, PollRow } from './feed-tables.ts';
import type { BookCounts } from './order-book.ts';
import type { FeedSettings } from './settings.ts';

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
  repairUnfit: { count: number; samples: Unfit[] };
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

export type OrdersAsked =
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
