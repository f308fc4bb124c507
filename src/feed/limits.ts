/** Every number that bounds a feed: unit in the name, reason beside it; "Ours" marks a choice. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/clock.ts';

/**
 * Between two polls of a feed that sets nothing else: 48 calls a day whatever the number of orders (seed 8). Least and
 * most: ours.
 */
export const POLL_MINUTES_DEFAULT = 30;
export const POLL_MINUTES_MIN = 5;
export const POLL_MINUTES_MAX = 240;
/**
 * How late a poll may be, as a share of the time between two polls, so that the feeds of a channel do not call
 * together. Ours.
 */
export const FEED_POLL_JITTER = 0.05;
/** Pause after a poll that was refused before it was handled, in ms, if the answer names none. Ours. */
export const FEED_REFUSED_PAUSE_MS = 5 * MINUTE_MS;
/**
 * How much later the upstream may still handle a poll without a clear answer, in ms, and so take changes: what it may
 * have taken is requested after that. Ours, as for updates of orders.
 */
export const FEED_QUIET_MS = 15 * MINUTE_MS;
/**
 * How far the clocks of an order and of its feed may differ, in ms: an order that came in this soon after a lost poll
 * is requested, too. Ours.
 */
export const FEED_CLOCKS_APART_MS = MINUTE_MS;
/**
 * Largest answer of a poll that is read, in bytes; a longer one counts as lost. Ours: some 50,000 changes, held in
 * memory at once.
 */
export const POLL_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/**
 * How long raw answers, polls and what was learned of an order are retained, in ms; all events of an order are removed
 * together, after its last one.
 */
export const FEED_RETENTION_MS = 90 * DAY_MS;
/** Orders that a repair requests per minute: the default, and the most. Ours: a repair must not look like polling. */
export const REPAIRS_PER_MINUTE_DEFAULT = 60;
export const REPAIRS_PER_MINUTE_MAX = 600;
/** Orders an operator can name in one repair call. Ours: each is looked up first. */
export const REPAIR_ORDERS_MAX = 100;
/**
 * How long a repair still requests an order after its final status, in ms: returns and corrections follow within days.
 * Ours.
 */
export const FINAL_GRACE_MS = 3 * DAY_MS;
/** Waits of an order whose repair failed, in ms; the last one repeats until it is answered. Ours. */
export const REPAIR_WAITS_MS = [
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  10 * HOUR_MS,
] as const;
/** Orders notified of their statuses at once, and statuses in one call. Ours: a few small calls at a time. */
export const FEED_NOTIFIED_ORDERS_MAX = 100;
export const FEED_NOTIFIED_STATUSES_MAX = 500;
/** Events that a partner's webhooks are notified of in one call. Ours: some 250 KB. */
export const FEED_NOTIFICATIONS_AT_ONCE = 500;
/** Pause before an order that could not be reached is notified again, in ms. Ours. */
export const FEED_NOTIFY_PAUSE_MS = 5 * SECOND_MS;
/** Longest work of one wake-up of a feed, in ms, and most steps in it. */
export const FEED_WAKE_UP_MS = 30 * SECOND_MS;
export const FEED_STEPS_PER_WAKE_UP = 500;
/** An alarm overdue by this, in ms, is set again: the platform retries one whose process died later and later. Ours. */
export const ALARM_OVERDUE_MS = 5 * SECOND_MS;
/** Pause of a feed after an unexpected failure, in ms, so that no alarm is lost by throwing. Ours. */
export const FEED_PAUSE_MS = 5 * SECOND_MS;
/** Events per page of a partner's log. Ours. */
export const ORDER_EVENTS_PAGE_MAX = 1_000;
export const ORDER_EVENTS_PAGE_DEFAULT = 200;
/** Orders in the list of recently changed ones. Ours. */
export const RECENT_ORDERS_MAX = 50;
/** Polls and gaps shown of a feed. Ours. */
export const FEED_POLLS_SHOWN = 20;
/** Feeds checked by one run of the cron. Ours; if there are more, the next run continues after them. */
export const WATCH_FEEDS_MAX = 500;

/**
 * How long the upstream's tracks of an order are shown again, with their age. Ours: who looks at a delivery looks again
 * within seconds.
 */
export const TRACKS_FRESH_MS = MINUTE_MS;
/** How long a request for tracks waits for a permit. Ours, as for vehicles. */
export const TRACKS_PERMIT_WAIT_MS = 5 * SECOND_MS;
