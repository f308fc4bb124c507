/** Messages about batches, orders and feeds for a person. Exhaustive over their states. */

import type { BatchState } from '../batch/core/ticket.ts';
import { ROW_MESSAGES, type StateMessages, type Tone } from '../delivery/messages.ts';
import type { RecordState } from '../delivery/outcome.ts';
import type { BookedState, GapRow } from '../feed/feed-tables.ts';
import type { LostWhy, PollState } from '../feed/poll.ts';
import type { FeedState } from '../http/ops/views/feed.ts';
import type { AlertCode } from '../http/ops/views/runbook.ts';
import { whatWasSaid } from '../http/views/issues.ts';
import type { OrderView } from '../http/views/order.ts';
import { capital } from '../kernel/text.ts';
import type { RequestKind } from '../mapping/request.ts';

/** `refused (422)` */
export const statusText = (status: number): string =>
  `${status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'answered'} (${status})`;

/** `Accepted (200)`, `Refused (422)`: of one attempt. */
export const attemptText = (status: number): string =>
  status >= 200 && status < 300 ? `Accepted (${status})` : capital(statusText(status));

type OrderPhase = 'stands' | 'cancelled' | 'under_way' | 'heard_of' | 'none';

/** What an answer says in words; '' where it is data alone, which has its place among the details. */
export function answerMessage(answer: string | null): string {
  const said = whatWasSaid(answer);
  return /^[{[<]/.test(said) ? '' : said;
}

/** A status of the receiving system, as it names it, with spaces. */
export const orderStatusText = (code: string): string => code.replaceAll('_', ' ');

/** Advice of the API, without the routes that only programs call. */
export const withoutRoutes = (text: string): string => text.replaceAll(/[;:] (?:GET|POST|PUT) …?\/[^.;]*(?=[.;])/g, '');

/** The state of an order as a whole, from its documents and operations. */
export function orderPhase({ document, counts, statuses }: OrderView): OrderPhase {
  if (document !== null) return 'stands';
  if (counts.versions > 0) return 'cancelled';
  if (counts.open > 0) return 'under_way';
  return statuses.length > 0 ? 'heard_of' : 'none';
}

export const PHASE_MESSAGES: Record<OrderPhase, StateMessages> = {
  stands: { label: 'Accepted', tone: 'good', meaning: 'The receiving system has it as in the document below.' },
  cancelled: { label: 'Cancelled', tone: 'quiet', meaning: 'Its cancellation was accepted. A new order begins anew.' },
  under_way: { label: 'Under way', tone: 'busy', meaning: 'It was not accepted yet.' },
  heard_of: { label: 'Not created here', tone: 'quiet', meaning: 'Its status is known, but it was not created here.' },
  none: { label: 'Not there', tone: 'bad', meaning: 'Nothing that was sent for it was accepted.' },
};

export const KIND_MESSAGES: Record<RequestKind | 'base', string> = {
  'order.create': 'New order',
  'order.update': 'Change',
  'order.upsert': 'New order or change',
  'order.cancel': 'Cancellation',
  base: 'Entered by an operator',
  milestone: 'Milestone',
  trace: 'Position',
  loadMilestoneEvent: 'Milestone',
};

export const BOOKED_MESSAGES: Record<BookedState, StateMessages> = {
  open: { label: 'Open', tone: 'quiet', meaning: 'More is expected of it.' },
  final: { label: 'Ended', tone: 'good', meaning: 'Its latest status is a final one.' },
  none: { label: 'Not created', tone: 'quiet', meaning: 'Nothing came of it in the receiving system.' },
};

/** How a gap was closed. */
export const CLOSED_MESSAGES: Record<Exclude<GapRow['closed_by'], null>, string> = {
  repair: 'by looking up every order it may concern',
  reread: 'by reading the answer again',
  nothing_known: 'with nothing looked up: no order was known that it could concern',
  operator: 'by an operator, without the answer of an order',
};

export const FEED_MESSAGES: Record<FeedState, StateMessages> = {
  ok: { label: 'Works', tone: 'good', meaning: 'Every status change so far is recorded.' },
  gap: {
    label: 'Statuses may be missing',
    tone: 'attention',
    meaning: 'Answers were lost. The orders they may concern are looked up one by one; then nothing is missing.',
  },
  trouble: { label: 'Cannot poll', tone: 'attention', meaning: 'The last poll could not be made; it is tried again.' },
  late: { label: 'Late', tone: 'attention', meaning: 'A poll is overdue. It is started again within a minute.' },
  starting: { label: 'Starting', tone: 'busy', meaning: 'It was set, and has not polled yet.' },
  unreachable: { label: 'Not reached', tone: 'bad', meaning: 'How it does could not be read. Load the page again.' },
};

export const LOST_MESSAGES: Record<LostWhy, string> = {
  interrupted: 'the bridge stopped while the answer was awaited',
  no_answer: 'no answer came',
  server_error: 'the receiving system failed',
  redirected: 'the answer was another address, which is not followed',
  cut: 'the answer broke off',
  too_long: 'the answer is longer than what is read',
  unreadable: 'the answer could not be read',
  not_stored: 'the answer could not be stored',
};

export const POLL_MESSAGES: Record<PollState, { label: string; tone: Tone }> = {
  asking: { label: 'Asking', tone: 'busy' },
  stored: { label: 'Stored, to be read', tone: 'busy' },
  read: { label: 'Read', tone: 'good' },
  refused: { label: 'Refused', tone: 'attention' },
  lost: { label: 'Lost', tone: 'bad' },
};

/** What a sending was for. */
export const PURPOSE_MESSAGES: Record<OrderView['operations'][number]['attempts'][number]['purpose'], string> = {
  send: 'sent',
  check: 'looked up',
  precheck: 'looked up before',
  status: 'asked what became of it',
};

export const ALERT_MESSAGES: Record<AlertCode, { label: string; tone: Tone }> = {
  channel_unreachable: { label: 'Channel not reached', tone: 'bad' },
  channel_stopped: { label: 'Sending is stopped', tone: 'bad' },
  scac_parked: { label: 'A SCAC is parked', tone: 'attention' },
  reads_failing: { label: 'Look-ups fail', tone: 'attention' },
  feed_unreachable: { label: 'Feed not reached', tone: 'bad' },
  feed_gap: { label: 'Statuses may be missing', tone: 'attention' },
  feed_trouble: { label: 'A feed cannot poll', tone: 'attention' },
  feed_late: { label: 'A feed is late', tone: 'attention' },
  answers_unreadable: { label: 'Answers could not be read', tone: 'bad' },
  entries_unfit: { label: 'Statuses were not understood', tone: 'attention' },
  webhooks_unreachable: { label: 'Webhooks not reached', tone: 'bad' },
  webhook_disabled: { label: 'A webhook is switched off', tone: 'bad' },
  webhook_failing: { label: 'Deliveries to a webhook fail', tone: 'attention' },
  alerts_not_sent: { label: 'Nobody is told of alerts', tone: 'bad' },
  rows_held: { label: 'Rows wait for a decision', tone: 'attention' },
  rows_refused: { label: 'Rows were not delivered', tone: 'bad' },
  files_unreadable: { label: 'Files could not be read', tone: 'bad' },
  keys_ending: { label: 'Key ends soon', tone: 'attention' },
  batches_stuck: { label: 'Does not get on', tone: 'attention' },
  batches_silent: { label: 'Says nothing new', tone: 'attention' },
  rows_old: { label: 'Under way for long', tone: 'attention' },
  backlog_large: { label: 'Much is waiting', tone: 'attention' },
  answers_failing: { label: 'The bridge answers with errors', tone: 'bad' },
  wake_ups_failing: { label: 'Steps fail', tone: 'bad' },
};

/*
 * Messages about a batch, and the order in which counts are shown. Messages about rows are in `delivery/messages.ts`.
 */

export const BATCH_MESSAGES: Record<BatchState, StateMessages> = {
  reading: { label: 'Reading the file', tone: 'busy', meaning: 'Rows are being read and handed over.' },
  delivering: { label: 'Delivering', tone: 'busy', meaning: 'Every row is read; deliveries are under way.' },
  settled: { label: 'Finished', tone: 'good', meaning: 'Every row has its final state.' },
  unreadable: { label: 'File not readable', tone: 'bad', meaning: 'Nothing of this file was sent.' },
};

export const WAITING_FOR_DECISION: StateMessages = {
  label: 'Waiting for a decision',
  tone: 'attention',
  meaning: 'Everything else is done; the operator must decide on the held rows.',
};

export const WAITING_FOR_UPSTREAM: StateMessages = {
  label: 'Waiting for the receiving system',
  tone: 'attention',
  meaning: 'Nothing is sent at the moment; it goes on by itself.',
};

export const CANCELLING: StateMessages = {
  label: 'Cancelling',
  tone: 'attention',
  meaning: 'What was not sent is withdrawn; what is on its way or unclear takes its course.',
};

export const CANCELLED: StateMessages = {
  label: 'Cancelled',
  tone: 'quiet',
  meaning: 'What had not been sent was withdrawn; every row has its final state.',
};

/** @property refused rows that were not delivered, without those that were corrected. rowStates null: not known. */
interface Finished {
  refused: number;
  isDryRun: boolean;
  rowStates: Partial<Record<RecordState, number>> | null;
}

/** Every row has ended; rows that were not delivered, or that never were to be, are not hidden behind a good message. */
export function finishedMessage({ refused, isDryRun, rowStates }: Finished): StateMessages {
  const over = isDryRun ? 'Checked' : 'Finished';
  const meaning = isDryRun ? 'Every row was checked; nothing was sent.' : BATCH_MESSAGES.settled.meaning;
  if (refused > 0) {
    const what = isDryRun ? 'wrong' : 'not delivered';
    return { label: `${over}, ${refused.toLocaleString('en-US')} ${what}`, tone: 'bad', meaning };
  }
  const left = rowStates === null ? null : leftOut(rowStates);
  if (left === null) return { label: over, tone: 'good', meaning };
  if (left === '') return { label: `${over}, no rows`, tone: 'quiet', meaning: 'There was no row in it.' };
  return { label: `${over}, nothing to send`, tone: 'quiet', meaning: `No row was to be sent: ${left}.` };
}

/** `12 left out, 1 duplicate`: what happened to rows none of which was sent; null: some were. */
export function leftOut(rowStates: Partial<Record<RecordState, number>>): string | null {
  const there = SHOWN_ORDER.filter((state) => (rowStates[state] ?? 0) > 0);
  if (there.some((state) => state !== 'skipped' && state !== 'duplicate')) return null;
  return there
    .map((state) => {
      const count = rowStates[state] ?? 0;
      const what = state === 'duplicate' && count !== 1 ? 'duplicates' : ROW_MESSAGES[state].label.toLowerCase();
      return `${count.toLocaleString('en-US')} ${what}`;
    })
    .join(', ');
}

export const STUCK: StateMessages = {
  label: 'Does not get on',
  tone: 'attention',
  meaning: 'Its last step failed; it is tried again by itself.',
};

/** The order in which counts are shown: first what needs a person. */
export const SHOWN_ORDER: readonly RecordState[] = [
  'invalid',
  'rejected',
  'dead',
  'held',
  'unknown',
  'waiting',
  'sending',
  'queued',
  'coalesced',
  'delivered',
  'valid',
  'duplicate',
  'skipped',
  'cancelled',
];
