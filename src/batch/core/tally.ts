/** Running counts of a batch and the state that follows from them. Pure. */
import { countedState, foldRow, type RecordState, type RequestOutcome } from '../../delivery/outcome.ts';
import { isFinal, type RequestState } from '../../delivery/states.ts';
import type { BatchProgress } from './progress.ts';
import type { Tally } from './row.ts';
import type { MappedRow } from './run.ts';
import type { BatchState } from './ticket.ts';

/** States that a partner can correct and send again. */
export const CORRECTABLE: readonly RecordState[] = ['invalid', 'rejected', 'dead', 'cancelled'];

export function addTo<State extends string>(counts: Partial<Record<State, number>>, state: State, by: number): void {
  const count = (counts[state] ?? 0) + by;
  if (count === 0) delete counts[state];
  else counts[state] = count;
}

/** A dry run's records end as `valid` (mapped, nothing sent), or as `invalid` if something needs correction. */
export function firstState({ state, problems }: MappedRow, dryRun: boolean): RecordState {
  if (state !== null) return state;
  if (!dryRun) return 'queued';
  return problems.length > 0 ? 'invalid' : 'valid';
}

export function countRows(tally: Tally, rows: readonly MappedRow[], dryRun: boolean): void {
  for (const row of rows) {
    addTo(tally.records, firstState(row, dryRun), 1);
    if (!dryRun) addTo(tally.requests, 'queued', row.requests.length);
  }
}

/**
 * Moves one request, and its row with it.
 * @param change `was`: the state it was counted under; `rowStates`: the states its row is computed from; `rows`: how
 * many rows
 * point at it.
 * @returns the row's new state.
 */
export function countOutcome(
  tally: Tally,
  change: {
    was: RequestState;
    outcome: RequestOutcome;
    rowWas: RecordState;
    rowStates: readonly (RequestState | 'invalid')[];
    rows: number;
  },
): RecordState {
  addTo(tally.requests, change.was, -1);
  addTo(tally.requests, countedState(change.outcome.state, change.outcome.intoState), 1);
  const row = foldRow(change.rowStates);
  if (row !== change.rowWas) {
    addTo(tally.records, change.rowWas, -change.rows);
    addTo(tally.records, row, change.rows);
  }
  return row;
}

/** @returns the state that follows from the counts; final states stay. */
export function batchState(progress: BatchProgress, tally: Tally): BatchState {
  if (progress.state === 'unreadable' || progress.state === 'settled') return progress.state;
  if (!progress.readingFinished) return 'reading';
  return hasOpen(tally) || progress.withdrawal !== undefined || progress.retrying === true ? 'delivering' : 'settled';
}

export const hasOpen = ({ requests }: Tally): boolean =>
  (Object.keys(requests) as RequestState[]).some((state) => !isDone(state));

/** How many rows wait for something: to be sent, for an answer, for a person. */
export const openRows = ({ records }: Tally): number =>
  (Object.keys(records) as RecordState[]).reduce((sum, state) => sum + (isOpen(state) ? (records[state] ?? 0) : 0), 0);

const isOpen = (state: RecordState): boolean =>
  state !== 'invalid' && state !== 'skipped' && state !== 'valid' && !isFinal(state);

/** `coalesced` counts only once the request it travels in is delivered. */
const isDone = (state: RequestState): boolean => state === 'coalesced' || isFinal(state);

export const total = (counts: Partial<Record<string, number>>): number =>
  Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
