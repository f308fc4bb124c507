/** The data that the console's pages show. Types only. */
import type { BatchRow, BatchSummary } from '../../batch/report/summary.ts';
import type { RequestState } from '../../delivery/states.ts';
import type { BookedState } from '../../feed/feed-tables.ts';
import type { Environment } from '../../kernel/names.ts';
import type { Reader } from '../edge/reader.ts';
import type { feedView } from '../ops/views/feed.ts';
import type { OrderView } from '../views/order.ts';

export interface BatchPageView {
  reader: Reader;
  summary: BatchSummary;
  rows: BatchRow[];
  /** The states shown; null: all. */
  shown: readonly string[] | null;
  /** Address of the next page of rows, if there is one. */
  nextPage: string | null;
}

export interface LoadChoiceView {
  loadNumber: string;
  reader: Reader;
  choices: readonly { label: string; href: string }[];
}

/**
 * @property partner null where it is the reader's own order. isWhole: all statuses are shown, not only the latest.
 * isLatest: nothing came after the operations and versions that are shown.
 */
export interface OrderPageView {
  environment: Environment;
  partner: string | null;
  order: OrderView;
  isWhole: boolean;
  isLatest: boolean;
}

/** @property state as the feed has it; without a feed, the state of the row that makes it. */
export interface ListedOrder {
  orderRef: string;
  state: BookedState | RequestState;
  heardAt: string;
  /** Of its latest status; null: none was learned. */
  code: string | null;
}

/** @property asked what was searched without a result; '': nothing. */
export interface OrdersPageView {
  environment: Environment;
  asked: string;
  /** The orders last learned of; without a feed, those sent last. */
  recent: ListedOrder[];
  isFollowed: boolean;
  /** For operators: the partner whose order is searched, and all partners. */
  ops: { partner: string; partners: readonly string[]; environments: readonly Environment[] } | null;
}

export type ShownFeed = ReturnType<typeof feedView>;

export const FEED_ACTIONS = ['poll', 'repair'] as const;
type FeedActionName = (typeof FEED_ACTIONS)[number];

/** @property done the action just taken, by the partner it concerns. */
export interface FeedsPageView {
  environment: Environment;
  environments: readonly Environment[];
  mayAct: boolean;
  feeds: readonly ShownFeed[];
  done: { action: FeedActionName; partner: string } | null;
}
