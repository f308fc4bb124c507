/**
 * Named moments at which the kill harness ends the process. A deployed bundle has none: `FAILPOINT_URL` is replaced by
 * `null` when it is built (wrangler.toml, `define`), so no call is ever made.
 *
 * Each failpoint calls the harness over HTTP. The runtime sends a call only after all earlier writes are durable, so
 * the process dies exactly after them.
 */
declare const FAILPOINT_URL: string | null;

export const FAILPOINTS = [
  /** The upload's bytes are stored, but not claimed. */
  'bytes_stored',
  /** The claim is stored; the batch has not been created. */
  'claimed',
  /** A slice of the file is committed. */
  'slice_committed',
  /** The subjects have the requests; the batch's checkpoint has not moved. */
  'handed_over',
  /** The intent is stored; nothing was sent. */
  'intent_stored',
  /** The upstream has answered; the outcome is not recorded. */
  'answered',
  /** The batch has received outcomes; the subject still has them in its outbox. */
  'outcomes_told',
  /** A lane has decided what a request does, or that nothing is done; nothing was sent. */
  'turn_decided',
  /** The feed knows of the order; the order has not noted that. */
  'feed_registered',
  /** The intent of a poll is stored; it was not sent. */
  'poll_begun',
  /** A poll was answered; nothing of the answer is stored. */
  'poll_answered',
  /** The answer of a poll is stored in its file; the feed does not know. */
  'poll_put',
  /** The feed knows that; the file has not been read. */
  'poll_stored',
  /** The log has the statuses of the poll; no order has been notified. */
  'poll_read',
  /** An order has received its statuses; the feed still has them to report. */
  'order_told',
  /** The history of one order has arrived; it is not in the log yet. */
  'repair_answered',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

/** The process may end here. Does nothing outside the harness. Never throws: a harness that cannot be reached ends nothing. */
export async function failpoint(name: Failpoint): Promise<void> {
  if (typeof FAILPOINT_URL !== 'string') return;
  try {
    await (await fetch(`${FAILPOINT_URL}/${name}`)).text();
  } catch {}
}
