/** Limits of the webhook of the operators. */
import { MINUTE_MS } from '../../kernel/clock.ts';

/** How long an alert must be gone before it counts as over, in ms. Ours: one that comes and goes by the minute is told once. */
export const ALERT_OVER_AFTER_MS = 5 * MINUTE_MS;
/** Alerts that one run of the cron begins to tell. Ours: what it writes stays small; the others follow a minute later. */
export const ALERTS_RAISED_AT_ONCE = 200;
