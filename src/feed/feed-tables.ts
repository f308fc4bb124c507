/** What a feed stores: types of its rows. */

import type { StatusLevel } from '../upstream/statuses/read-answer.ts';
import type { LostWhy, PollState } from './poll.ts';

/** SQL: no other event stands in the place of this one. */
export const isStanding = (event: string): string =>
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
  /** Of them, those that were not known yet. */
  news: number;
  unfit: number;
  /** JSON of the first that did not fit. */
  samples: string;
};

export type GapRow = {
  poll_no: number;
  why: LostWhy;
  /** Since when changes may be missing: the beginning of the last poll that was answered. */
  since_ms: number;
  lost_at_ms: number;
  closed_at_ms: number | null;
  /**
   * `repair`: all orders were asked for. `reread`: the answer was there after all. `nothing_known`: the feed knew no order that it
   * could ask for. `operator`: the last order that was waited for was skipped.
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
  /** The same entry as it was read before, under another mapping. */
  corrects: number | null;
};

/** `none`: nothing came of it upstream, as its object says. */
export type BookedState = 'open' | 'final' | 'none';

export type BookedOrder = {
  order_ref: string;
  state: BookedState;
  /** When it last said that it is to be made. */
  registered_at_ms: number;
  learned_at_ms: number | null;
  tries: number;
  /** How often it said so anew, since nothing came of it: behind a cancelled order another one may come. */
  creates: number;
};
