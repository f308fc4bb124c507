/** What the console's pages of orders and feeds are given. Types only. */
import type { RequestState } from '../../delivery/states.ts';
import type { BookedState } from '../../feed/feed-tables.ts';
import type { Environment } from '../../kernel/names.ts';
import type { Alert } from '../ops/views/alerts.ts';
import type { BatchLine } from '../ops/views/batch.ts';
import type { feedView } from '../ops/views/feed.ts';
import type { OrderView } from '../views/order.ts';

/** @property partner null where it is the reader's own order. isWhole all statuses are shown, and not the latest alone. isLatest nothing came after the operations and versions that are shown. */
export interface OrderPageView {
  environment: Environment;
  partner: string | null;
  order: OrderView;
  isWhole: boolean;
  isLatest: boolean;
}

/** @property state as the feed has it; where none follows it, how the row that makes it stands. */
export interface ListedOrder {
  orderRef: string;
  state: BookedState | RequestState;
  heardAt: string;
  /** Of its latest status; null: none was learned. */
  code: string | null;
}

/** @property asked what was looked for in vain; '': nothing. */
export interface OrdersPageView {
  environment: Environment;
  asked: string;
  /** Those of which was heard last; where no feed follows these orders, those that were sent last. */
  recent: ListedOrder[];
  isFollowed: boolean;
  /** For operators: whose order is looked for, and who there is. */
  ops: { partner: string; partners: readonly string[]; environments: readonly Environment[] } | null;
}

export type ShownFeed = ReturnType<typeof feedView>;

export const FEED_ACTIONS = ['poll', 'repair'] as const;
export type FeedActionName = (typeof FEED_ACTIONS)[number];

/** @property done what was just asked for, by whom it is shown. */
export interface FeedsPageView {
  environment: Environment;
  environments: readonly Environment[];
  mayAct: boolean;
  feeds: readonly ShownFeed[];
  done: { action: FeedActionName; partner: string } | null;
}

/** @property asked what the list is narrowed to, as it stands in the address. next the address of the next page. ops null for a partner. */
export interface HomePageView {
  environment: Environment;
  asked: Readonly<Record<string, string>>;
  batches: readonly BatchLine[];
  next: string | null;
  ops: HomeOfOps | null;
}

/** @property alerts null where the list is narrowed down, or a later page of it: they stand on the first page alone. */
export interface HomeOfOps {
  environments: readonly Environment[];
  partners: readonly string[];
  alerts: readonly Alert[] | null;
}
