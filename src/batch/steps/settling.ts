/** Outcomes → counts and rows, and the end of a batch once nothing is open. Every step can be repeated. */
import { countedState, isNews, type RequestOutcome } from '../../delivery/outcome.ts';
import { isWhollyWithdrawn } from '../actions/cancel.ts';
import { batchState, countOutcome, total } from '../core/tally.ts';
import type { ActionPort } from '../object/action-port.ts';
import type { BatchStore } from '../store/batch-store.ts';

/** One commit; nothing is awaited. */
export function moveOutcomes(
  { store, claims, born }: Pick<ActionPort, 'store' | 'claims' | 'born'>,
  outcomes: readonly RequestOutcome[],
): void {
  const tally = store.tally();
  for (const outcome of outcomes) {
    const known = store.request(outcome.record, outcome.request);
    const rowWas = store.recordState(outcome.record);
    if (!known || !rowWas || !isNews(outcome, known)) continue;
    store.writeOutcome(outcome);
    const rowStates = store.rowStates(outcome.record);
    const was = countedState(known.state, known.into_state);
    const rows = store.rowsOfRecord(outcome.record);
    const row = countOutcome(tally, { was, outcome, rowWas, rowStates, rows });
    if (row === rowWas) continue;
    store.writeRecordState(outcome.record, row);
    if (row === 'delivered' || row === 'duplicate') claims.delivered(born().ticket.batchId, outcome.record);
  }
  store.keepTally(tally);
}

/** @returns true when the batch has just settled. */
export function settleIfDone(store: BatchStore, nowMs: number): boolean {
  const progress = store.progress();
  if (!progress) return false;
  const state = batchState(progress, store.tally());
  if (state === progress.state) return false;
  store.keepProgress({ ...progress, state, settledAtMs: state === 'settled' ? nowMs : null });
  return state === 'settled';
}

/** Tells the register of the end, until it knows. */
export async function tellRegister({ born, store, register, keep }: ActionPort): Promise<void> {
  const { ticket, progress } = born();
  if (progress.reported || (progress.state !== 'settled' && progress.state !== 'unreadable')) return;
  const isWithdrawnWhole = isWhollyWithdrawn(progress, store.tally());
  if (isWithdrawnWhole) keep({ claimsNothing: true });
  const claimsNothing = isWithdrawnWhole || progress.state === 'unreadable';
  const { state, opening = 0 } = progress;
  await register().closeBatch(ticket.batchId, {
    state,
    claimsNothing,
    tookNothing: ticket.message !== true && total(store.tally().requests) === 0, // of messages it is told one by one
    opening,
  });
  if ((born().progress.opening ?? 0) === opening) keep({ reported: true });
}
