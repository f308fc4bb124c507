/** What the page says of a batch, and in which order it shows counts. Words of rows stand in `delivery/words.ts`. */
import type { BatchState } from '../batch/core/ticket.ts';
import type { RecordState } from '../delivery/outcome.ts';
import type { StateWords } from '../delivery/words.ts';

export const BATCH_WORDS: Record<BatchState, StateWords> = {
  reading: { label: 'Reading the file', tone: 'busy', meaning: 'Rows are being read and handed over.' },
  delivering: { label: 'Delivering', tone: 'busy', meaning: 'Every row is read; deliveries are under way.' },
  settled: { label: 'Finished', tone: 'good', meaning: 'Every row has its final state.' },
  unreadable: { label: 'File not readable', tone: 'bad', meaning: 'Nothing of this file was sent.' },
};

export const WAITING_FOR_DECISION: StateWords = {
  label: 'Waiting for a decision',
  tone: 'attention',
  meaning: 'Everything else is done; the operator must decide on the held rows.',
};

export const CANCELLING: StateWords = {
  label: 'Cancelling',
  tone: 'attention',
  meaning: 'What was not sent is withdrawn; what is on its way or unclear takes its course.',
};

export const CANCELLED: StateWords = {
  label: 'Cancelled',
  tone: 'quiet',
  meaning: 'What had not been sent was withdrawn; every row has its final state.',
};

/** Every row is over; those that were not delivered are never hidden behind a good word. @param count of them, but for those that were corrected. */
export function finishedWords(count: number, isDryRun: boolean): StateWords {
  const over = isDryRun ? 'Checked' : 'Finished';
  const meaning = isDryRun ? 'Every row was checked; nothing was sent.' : BATCH_WORDS.settled.meaning;
  if (count === 0) return { label: over, tone: 'good', meaning };
  const what = isDryRun ? 'wrong' : 'not delivered';
  return { label: `${over}, ${count.toLocaleString('en-US')} ${what}`, tone: 'bad', meaning };
}

export const STUCK: StateWords = {
  label: 'Does not get on',
  tone: 'attention',
  meaning: 'Its last step failed; it is tried again by itself.',
};

/** The order in which counts are shown: what needs eyes first. */
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
