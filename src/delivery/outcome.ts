/** What a subject tells the Batch about one request, and how a row folds from its requests. Pure. */

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
  /** Only for `dead`: whether it may have been applied after all. */
  outcome: 'not_applied' | 'unknown' | null;
  /** Only for `delivered`: what shows it. */
  evidence: Evidence | null;
  attempts: number;
  status: number | null;
  /** The head of the last answer, or what went wrong instead of one. */
  answer: string;
  possibleDuplicate: boolean;
  /** Sent after a later one of its load, because it had to be sent again. */
  late: boolean;
  /** The request it travels in or repeats; it may belong to another batch. */
  into: RequestLocation | null;
  intoState: RequestState | null;
  nextAtMs: number | null;
  decidedAtMs: number;
  /** Of an order's update: what it changes; null before that is known. */
  diff: ShownDifference[] | null;
  /** What the upstream says of an order's operation, in its words; null where it said nothing. */
  action: string | null;
  /** What was odd about it beside the other events of its load; absent: nothing. */
  surprises?: readonly Anomaly[];
}

export interface RequestLocation {
  batchId: string;
  record: number;
  request: number;
}

type Report = Pick<RequestOutcome, 'generation' | 'revision'>;

/** Whether a report says something that is not known yet: of an earlier generation all has been said. */
export const isReportable = (told: Report, known: Report): boolean =>
  told.generation === known.generation && told.revision > known.revision;

/** The state a row folds from: a coalesced request is where the one it travels in is. */
export const followedState = (state: RequestState, intoState: RequestState | null): RequestState =>
  state === 'coalesced' ? (intoState ?? state) : state;

/** The state a request is counted under: told apart from its lead only once that is delivered. */
export function countedState(state: RequestState, intoState: RequestState | null): RequestState {
  const followed = followedState(state, intoState);
  return state === 'coalesced' && followed === 'delivered' ? 'coalesced' : followed;
}

/** States of a record. `invalid`: there is something to correct, in it or in one of its events. `valid`: a dry run mapped it and sent nothing. */
export type RecordState = RequestState | 'invalid' | 'skipped' | 'valid';

/** Open states first, most pressing first; then the worst final one. */
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

/** @param states of its requests, at least one; `invalid` among them where something in the row is in error. @returns the state it shows. */
export function foldRow(states: readonly (RequestState | 'invalid')[]): RequestState | 'invalid' {
  return FOLD_ORDER.find((state) => states.includes(state)) ?? 'queued';
}
