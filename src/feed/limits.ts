/** Every number that bounds a feed: unit in the name, reason beside it; "Ours" marks a choice. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Between two polls of a feed where it sets nothing: 48 calls a day whatever the number of orders (seed 8). Least and most: ours. */
export const POLL_MINUTES_DEFAULT = 30;
export const POLL_MINUTES_MIN = 5;
export const POLL_MINUTES_MAX = 240;
/** By how much a poll may come behind its time, as a share of what lies between two, so that the feeds of a channel do not call together. Ours. */
export const FEED_POLL_JITTER = 0.05;
/** Pause after a poll that was refused before it was handled, in ms, where the answer names none. Ours. */
export const FEED_REFUSED_PAUSE_MS = 5 * MINUTE_MS;
/** A poll without a clear answer may be handled so much later, in ms, and take changes with it then: what it may have taken is asked for behind that. Ours, as for updates of orders. */
export const FEED_QUIET_MS = 15 * MINUTE_MS;
/** How far the clocks of an order and of its feed may be apart, in ms: an order that came in so shortly behind a lost poll is asked for, too. Ours. */
export const FEED_CLOCKS_APART_MS = MINUTE_MS;
/** Largest answer of a poll that is read, in bytes; a longer one counts as lost. Ours: some 50,000 changes, held in memory at once. */
export const POLL_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** How long raw answers, polls and what was learned of an order are kept, in ms; an order's events go together, after its last one. */
export const FEED_RETENTION_MS = 90 * DAY_MS;
/** Single orders a repair asks for in a minute where the feed sets nothing, and at most. Ours: a repair must not look like polling. */
export const REPAIRS_PER_MINUTE_DEFAULT = 60;
export const REPAIRS_PER_MINUTE_MAX = 600;
/** Orders that an operator has asked for by name in one call. Ours: each is looked at first. */
export const REPAIR_ORDERS_MAX = 100;
/** How long an order behind its final status is still asked for by a repair, in ms: returns and corrections follow within days. Ours. */
export const FINAL_GRACE_MS = 3 * DAY_MS;
/** Waits of an order whose repair failed, in ms, the last one repeating until it is answered. Ours. */
export const REPAIR_WAITS_MS = [
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  10 * HOUR_MS,
] as const;
/** Orders told of their statuses in one go, and statuses in one call. Ours: a few calls at a time, small ones. */
export const FEED_NOTIFIED_ORDERS_MAX = 100;
export const FEED_NOTIFIED_STATUSES_MAX = 500;
/** Events a partner's webhooks are told of in one call. Ours: some 250 KB. */
export const FEED_NOTIFICATIONS_AT_ONCE = 500;
/** Pause before an order that could not be reached is told again, in ms. Ours. */
export const FEED_NOTIFY_PAUSE_MS = 5 * SECOND_MS;
/** Longest work of one wake-up of a feed, in ms, and most steps in it. */
export const FEED_WAKE_UP_MS = 30 * SECOND_MS;
export const FEED_STEPS_PER_WAKE_UP = 500;
/** An alarm that is overdue by this, in ms, is set anew: the platform repeats one whose process died later and later. Ours. */
export const ALARM_OVERDUE_MS = 5 * SECOND_MS;
/** Pause of a feed after an unexpected failure, in ms, so that its alarm is never lost by throwing. Ours. */
export const FEED_PAUSE_MS = 5 * SECOND_MS;
/** Events per page of a partner's log. Ours. */
export const ORDER_EVENTS_PAGE_MAX = 1_000;
export const ORDER_EVENTS_PAGE_DEFAULT = 200;
/** Orders listed by when they were heard of last. Ours. */
export const RECENT_ORDERS_MAX = 50;
/** Polls and gaps shown of a feed. Ours. */
export const FEED_POLLS_SHOWN = 20;
/** Feeds asked by one run of the cron. Ours; where there are more, the next run goes on behind them. */
export const WATCH_FEEDS_MAX = 500;

/** For which the upstream's tracks of an order are shown again, with their age. Ours: who looks at a delivery looks again within seconds. */
export const TRACKS_FRESH_MS = MINUTE_MS;
/** How long somebody who waits for tracks waits for a permit. Ours, as for vehicles. */
export const TRACKS_PERMIT_WAIT_MS = 5 * SECOND_MS;
