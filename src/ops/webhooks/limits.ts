/** Limits of what operators set about webhooks, and of their own. */
import { MINUTE_MS } from '../../kernel/clock.ts';

/** How long an alert must be gone before it counts as over, in ms. Ours: one that comes and goes by the minute is told once. */
export const ALERT_OVER_AFTER_MS = 5 * MINUTE_MS;
/** Alerts that one run of the cron begins to tell. Ours: what it writes stays small; the others follow a minute later. */
export const ALERTS_RAISED_AT_ONCE = 200;

/** Tries to give the sender of webhooks a change, a pause apart, before the change is answered. Ours: an object that moves is back within a second mostly; the cron does it otherwise. */
export const KEEP_TARGETS_TRIES = 3;
export const KEEP_TARGETS_PAUSE_MS = 250;
