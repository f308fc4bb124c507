/**
 * Named moments at which the kill harness ends the process. A deployed bundle has none: `FAILPOINT_URL` is replaced by
 * `null` when it is built (wrangler.toml, `define`), so that nothing is ever asked.
 *
 * Each asks the harness over HTTP. Under the runtime a call leaves only after all earlier writes are durable, so that the
 * process dies exactly behind them.
 */
declare const FAILPOINT_URL: string | null;

export const FAILPOINTS = [
  /** The upload's bytes are stored; nobody has claimed them. */
  'bytes_stored',
  /** The claim stands; the batch has not been created. */
  'claimed',
  /** A slice of the file is committed. */
  'slice_committed',
  /** The subjects have the requests; the batch's mark has not moved. */
  'handed_over',
  /** The intent stands; nothing was sent. */
  'intent_stored',
  /** The upstream has answered; the outcome is not recorded. */
  'answered',
  /** The batch has heard of outcomes; the subject still has them to tell. */
  'outcomes_told',
  /** A lane has decided what a request does, or that nothing is done; nothing was sent. */
  'turn_decided',
  /** The feed knows of the order; the order has not noted that. */
  'feed_registered',
  /** The intent of a poll stands; it was not sent. */
  'poll_begun',
  /** A poll was answered; nothing of that is stored. */
  'poll_answered',
  /** The answer of a poll lies in its file; the feed does not know. */
  'poll_put',
  /** The feed knows that; it has not been read. */
  'poll_stored',
  /** The log has what the poll told; no order has heard. */
  'poll_read',
  /** An order has heard of its statuses; the feed has still to tell them. */
  'order_told',
  /** The history of one order has come; the log has not learned of it. */
  'repair_answered',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

/** The process may end here. Does nothing, and is nothing, outside of the harness. */
export async function failpoint(name: Failpoint): Promise<void> {
  if (typeof FAILPOINT_URL === 'string') await (await fetch(`${FAILPOINT_URL}/${name}`)).text();
}
