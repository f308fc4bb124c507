/** What the console's pages of orders and feeds are given. Types only. */
import type { BookedState } from '../feed/feed-tables.ts';
import type { Environment } from '../kernel/names.ts';
import type { Alert } from './alerts.ts';
import type { feedView } from './feed-views.ts';
import type { OrderView } from './order-view.ts';

/** @property partner null where it is the reader's own order. isWhole all statuses are shown, and not the latest alone. */
export interface OrderPageView {
  environment: Environment;
  partner: string | null;
  order: OrderView;
  isWhole: boolean;
}

export interface ListedOrder {
  orderRef: string;
  state: BookedState;
  heardAt: string;
  /** Of its latest status; null: none was learned. */
  code: string | null;
}

/** @property asked what was looked for in vain; '': nothing. */
export interface OrdersPageView {
  environment: Environment;
  asked: string;
  /** Those of which was heard last; null: no feed follows these orders. */
  recent: ListedOrder[] | null;
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

/** @property isWhole false: not every open batch was asked what it holds. */
export interface AlertsPageView {
  environment: Environment;
  environments: readonly Environment[];
  alerts: readonly Alert[];
  isWhole: boolean;
}
