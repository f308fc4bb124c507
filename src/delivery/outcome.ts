/** What a subject reports to the Batch about one request, and how a row's state follows from its requests. Pure. */

import type { Anomaly } from './events/anomalies.ts';
import type { ShownDifference } from './orders/merge-messages.ts';
import type { Evidence, RequestState, StateReason } from './states.ts';

/** @property revision grows with every change of this generation, so that a late or repeated report changes nothing. */
export interface RequestOutcome {
  record: number;
  request: number;
  generation: number;
  revision: number;
  state: RequestState;
  reason: StateReason | null;
  /** Only for `dead`: whether it may have been applied. */
  outcome: 'not_applied' | 'unknown' | null;
  /** Only for `delivered`: what shows it. */
  evidence: Evidence | null;
  attempts: number;
  status: number | null;
  /** The beginning of the last answer, or the error instead of one. */
  answer: string;
  possibleDuplicate: boolean;
  /** Sent after a later one of its load, because it had to be sent again. */
  late: boolean;
  /** The request it travels in or repeats; it may belong to another batch. */
  into: RequestLocation | null;
  intoState: RequestState | null;
  nextAtMs: number | null;
  decidedAtMs: number;
  /** Of an order's update: what it changes; null until known. */
  diff: ShownDifference[] | null;
  /** The upstream's text about an order's operation; null if none. */
  action: string | null;
  /** Its anomalies; absent: none. */
  surprises?: readonly Anomaly[];
}

/** Of a request that was not tried, or not yet again. */
export const NOTHING_TRIED = {
  reason: null,
  outcome: null,
  evidence: null,
  attempts: 0,
  status: null,
  answer: '',
  possibleDuplicate: false,
  late: false,
  into: null,
  intoState: null,
  nextAtMs: null,
  diff: null,
  action: null,
} as const satisfies Partial<RequestOutcome>;

export interface RequestLocation {
  batchId: string;
  record: number;
  request: number;
}

type Report = Pick<RequestOutcome, 'generation' | 'revision'>;

/** Whether a report is news: earlier generations have nothing more to report. */
export const isReportable = (told: Report, known: Report): boolean =>
  told.generation === known.generation && told.revision > known.revision;

/** The state used for its row: a coalesced request has the state of the one it travels in. */
export const followedState = (state: RequestState, intoState: RequestState | null): RequestState =>
  state === 'coalesced' ? (intoState ?? state) : state;

/** The state a request is counted under: it differs from its lead's only once that is delivered. */
export function countedState(state: RequestState, intoState: RequestState | null): RequestState {
  const followed = followedState(state, intoState);
  return state === 'coalesced' && followed === 'delivered' ? 'coalesced' : followed;
}

/**
 * States of a record. `invalid`: something in it or in one of its events must be corrected. `valid`: a dry run mapped
 * it and sent nothing.
 */
export type RecordState = RequestState | 'invalid' | 'skipped' | 'valid';

/** Open states first, most pressing first; then final ones, worst first. */
const FOLD_ORDER: readonly (RequestState | 'invalid')[] = [
  'held',
  'unknown',
  'sending',
  'waiting',
  'queued',
  'dead',
  'rejected',
  'cancelled',
  'coalesced',
  'invalid',
  'delivered',
  'duplicate',
];

/**
 * @param states of its requests, at least one; `invalid` among them if something in the row is in error. @returns the
 * row's state.
 */
export function foldRow(states: readonly (RequestState | 'invalid')[]): RequestState | 'invalid' {
  return FOLD_ORDER.find((state) => states.includes(state)) ?? 'queued';
}
