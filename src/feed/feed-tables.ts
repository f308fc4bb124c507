/** What a feed stores: its row types and migrations. */

import type { Migrations } from '../kernel/migrate.ts';
import type { StatusLevel } from '../upstream/statuses/read-answer.ts';
import type { LostWhy, PollState } from './poll.ts';

/** SQL: no other event corrects this one. */
export const isCurrent = (event: string): string =>
  `NOT EXISTS (SELECT 1 FROM event AS later WHERE later.corrects = ${event}.seq)`;

export type PollRow = {
  poll_no: number;
  state: PollState;
  started_at_ms: number;
  ended_at_ms: number | null;
  not_before_ms: number;
  status: number | null;
  detail: string | null;
  key: string | null;
  sha256: string | null;
  bytes: number | null;
  /** Of the answer mapping it was read with. */
  mapping_edition: number | null;
  entries: number;
  /** How many of them were new. */
  news: number;
  unfit: number;
  /** JSON of the first that were skipped. */
  samples: string;
};

export type GapRow = {
  poll_no: number;
  why: LostWhy;
  /** Since when changes may be missing: the start of the last poll that was answered. */
  since_ms: number;
  lost_at_ms: number;
  closed_at_ms: number | null;
  /**
   * `repair`: all orders were requested. `reread`: the answer could be read after all. `nothing_known`: the feed knew
   * no order to request. `operator`: the last order still due was skipped.
   */
  closed_by: 'repair' | 'reread' | 'nothing_known' | 'operator' | null;
};

export type EventRow = {
  seq: number;
  order_ref: string;
  order_id: string | null;
  hash: string;
  code: string;
  at_ms: number;
  level: StatusLevel;
  /** JSON. */
  place: string;
  /** NULL: learned by a repair. */
  poll_no: number | null;
  learned_at_ms: number;
  /** The event read from the same entry before, under another mapping. */
  corrects: number | null;
};

/** `none`: no order was made upstream, as its object says. */
export type BookedState = 'open' | 'final' | 'none';

export type BookedOrder = {
  order_ref: string;
  state: BookedState;
  /** When it last reported that it is to be made. */
  registered_at_ms: number;
  learned_at_ms: number | null;
  tries: number;
  /** How many creates it reported since it was last `none`: after a cancelled order another one may come. */
  creates: number;
};

/* What an OrderFeed stores, step by step. A released step is never changed; new ones are added below. */

/** `next_poll_ms`, `next_repair_ms`: not before. `announced`: the checkpoint of the partner's webhooks. */
export const FEED_TABLES = `
CREATE TABLE IF NOT EXISTS feed (
  id INTEGER PRIMARY KEY CHECK (id = 1), settings TEXT NOT NULL, mapping TEXT NOT NULL, began_at_ms INTEGER NOT NULL,
  next_poll_ms INTEGER NOT NULL, next_repair_ms INTEGER NOT NULL DEFAULT 0, trouble TEXT,
  stopped INTEGER NOT NULL DEFAULT 0,
  repair_unfit INTEGER NOT NULL DEFAULT 0, repair_samples TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE IF NOT EXISTS poll (
  poll_no INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL, started_at_ms INTEGER NOT NULL, ended_at_ms INTEGER,
  not_before_ms INTEGER NOT NULL DEFAULT 0, status INTEGER, detail TEXT, key TEXT, sha256 TEXT, bytes INTEGER,
  mapping_edition INTEGER, entries INTEGER NOT NULL DEFAULT 0, news INTEGER NOT NULL DEFAULT 0,
  unfit INTEGER NOT NULL DEFAULT 0, samples TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX IF NOT EXISTS open_poll ON poll (poll_no) WHERE state IN ('asking', 'stored');
CREATE TABLE IF NOT EXISTS gap (
  poll_no INTEGER PRIMARY KEY, why TEXT NOT NULL, since_ms INTEGER NOT NULL, lost_at_ms INTEGER NOT NULL,
  closed_at_ms INTEGER, closed_by TEXT
);
CREATE INDEX IF NOT EXISTS open_gap ON gap (poll_no) WHERE closed_at_ms IS NULL;
CREATE TABLE IF NOT EXISTS event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, order_ref TEXT NOT NULL, order_id TEXT, hash TEXT NOT NULL, raw_hash TEXT NOT NULL,
  code TEXT NOT NULL, at_ms INTEGER NOT NULL, level TEXT NOT NULL, place TEXT NOT NULL, is_final INTEGER NOT NULL,
  poll_no INTEGER, learned_at_ms INTEGER NOT NULL, corrects INTEGER,
  told INTEGER NOT NULL DEFAULT 0, tell_at_ms INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS event_reading ON event (order_ref, hash);
CREATE INDEX IF NOT EXISTS event_entry ON event (order_ref, raw_hash);
CREATE INDEX IF NOT EXISTS event_correction ON event (corrects) WHERE corrects IS NOT NULL;
CREATE INDEX IF NOT EXISTS untold_event ON event (tell_at_ms, seq) WHERE told = 0;
CREATE TABLE IF NOT EXISTS announced (
  id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, not_before_ms INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS order_book (
  order_ref TEXT PRIMARY KEY, state TEXT NOT NULL, registered_at_ms INTEGER NOT NULL, learned_at_ms INTEGER,
  due INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, retry_at_ms INTEGER NOT NULL DEFAULT 0, failure TEXT,
  taken_at_ms INTEGER NOT NULL DEFAULT 0, told_at_ms INTEGER NOT NULL DEFAULT 0, creates INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS due_order ON order_book (retry_at_ms, order_ref) WHERE due = 1;
CREATE INDEX IF NOT EXISTS open_order ON order_book (order_ref) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS learned_order ON order_book (max(coalesce(learned_at_ms, 0), registered_at_ms));
CREATE TABLE IF NOT EXISTS audit (
  seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, key_id TEXT NOT NULL, author TEXT NOT NULL, what TEXT NOT NULL,
  why TEXT NOT NULL, detail TEXT NOT NULL
);
`;

export const FEED_MIGRATIONS: Migrations = {
  of: 'OrderFeed',
  steps: [{ number: 1, run: (sql) => sql.exec(FEED_TABLES) }],
};
