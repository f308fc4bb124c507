/** Limits of what the list of all batches is watched for. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/clock.ts';

/** How long a row may be under way before an alert, in ms, since its file came in. Ours: two hours of looking an order up are over. */
export const ROWS_OLD_ALERT_MS = 3 * HOUR_MS;
/** How long an open batch may say nothing new before an alert, in ms. Ours: the watch chain has called it six times. */
export const BATCH_SILENT_ALERT_MS = 30 * MINUTE_MS;
/** Rows of an environment under way before an alert. Ours: at the usual rate of a channel it takes an hour to send them. */
export const BACKLOG_ALERT_ROWS = 300_000;
/** How far back alerts look for answers of 5xx and failed wake-ups, in ms. Ours. */
export const FAULTS_ALERT_MS = 15 * MINUTE_MS;
/** Answers of 5xx in that time before an alert. Ours: one may be a deploy that reached an object. */
export const ANSWERS_FAILED_ALERT = 5;
/** Failed wake-ups in that time before an alert. Ours: each came again, and a few are a deploy. */
export const WAKE_UPS_FAILED_ALERT = 5;
/** How long counts of faults are kept, in ms. Ours: as minute totals. */
export const FAULTS_RETENTION_MS = 30 * DAY_MS;
/** How long an isolate counts faults before it writes them, in ms. Ours: a flood costs six writes a minute. */
export const FAULTS_WRITTEN_MS = 10 * SECOND_MS;
