/** What a person reads for each state: a short label, a tone, and whose turn it is. Pure; one place, exhaustive. */
import type { BatchState } from '../batch/ticket.ts';
import type { RecordState } from '../delivery/outcome.ts';
import type { StateReason } from '../delivery/states.ts';

export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'quiet';

export interface StateWords {
  label: string;
  tone: Tone;
  /** Whose turn it is, in a sentence. */
  meaning: string;
}

export const ROW_WORDS: Record<RecordState, StateWords> = {
  delivered: { label: 'Delivered', tone: 'good', meaning: 'The receiving system confirmed it. Nothing to do.' },
  duplicate: { label: 'Duplicate', tone: 'quiet', meaning: 'The same event was sent before. Nothing to do.' },
  coalesced: { label: 'Combined', tone: 'busy', meaning: 'Travels together with another row.' },
  queued: { label: 'In line', tone: 'busy', meaning: 'Waits for earlier events of the same load.' },
  sending: { label: 'Being sent', tone: 'busy', meaning: 'An answer is awaited.' },
  waiting: { label: 'Trying again', tone: 'attention', meaning: 'Not taken yet; it is tried again by itself.' },
  unknown: {
    label: 'No clear answer',
    tone: 'attention',
    meaning: 'It may have arrived; it is sent again by itself and marked as a possible duplicate.',
  },
  held: { label: 'Needs a decision', tone: 'bad', meaning: 'The operator must decide; nothing happens by itself.' },
  rejected: {
    label: 'Refused',
    tone: 'bad',
    meaning: 'The receiving system said no. Correct the row and send it again.',
  },
  dead: {
    label: 'Given up',
    tone: 'bad',
    meaning: 'It was given up; the reason stands beside it. Ask the operator, then send it again.',
  },
  cancelled: { label: 'Withdrawn', tone: 'quiet', meaning: 'Withdrawn before it was sent.' },
  invalid: { label: 'To correct', tone: 'bad', meaning: 'Nothing was sent for it. Correct the row and send it again.' },
  skipped: { label: 'Skipped', tone: 'quiet', meaning: 'The mapping leaves such rows out.' },
  valid: { label: 'Valid', tone: 'good', meaning: 'A dry run: it would have been sent.' },
};

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

export const REASON_WORDS: Record<StateReason, string> = {
  unknown_then_refused: 'An earlier try may have arrived, a later one was refused.',
  redirected: 'The receiving system pointed to another address; that is never followed.',
  deadline: 'It could not be delivered in time.',
  credentials_refused: "The operator's credentials were refused; the row is not at fault.",
  scac_refused: 'The receiving system does not accept this SCAC yet; the row is not at fault.',
  channel_missing: 'The channel is no longer configured.',
  not_sendable: 'It could not be put into a request.',
  interrupted: 'The bridge was restarted while it was being sent.',
  no_token: 'No access token could be had yet; the row is not at fault.',
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
