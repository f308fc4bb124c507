/**
 * Cancelling a batch: what can be withdrawn, and the steps that do it. Each step can be repeated after a crash.
 * Dispatched requests are withdrawn by their load or order, all others here. The rest of the file is still read, so
 * that every row is accounted for.
 */

import { NOTHING_TRIED, type RequestOutcome } from '../../delivery/outcome.ts';
import { isWithdrawable } from '../../delivery/retry.ts';
import type { RequestState } from '../../delivery/states.ts';
import { DISPATCH_REQUESTS_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type BatchCheckpoint, type BatchProgress, isAfter, isWithdrawn, START } from '../core/progress.ts';
import type { StoredBatchRequest, Tally } from '../core/row.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ActionPort } from '../object/ports.ts';
import { withdraw, withdrawDoubtful } from '../steps/dispatch.ts';

/** @property who id of the calling key; why as an operator says. A dry run only says what would be withdrawn. */
export interface CancelRequest {
  who: string;
  why?: string;
  dryRun: boolean;
}

export interface CancelPlan {
  /** null: nothing was withdrawn, this is what would be. */
  cancelledAtMs: number | null;
  /** As far as the batch knows: a request being sent at this moment is no longer withdrawn. */
  withdrawn: { rows: number; requests: number };
  /** Requests that go on, or have ended. */
  stays: Partial<Record<RequestState, number>>;
  /** Some rows are not read yet; none of them will be sent. */
  restOfFile: boolean;
}

export interface CancelRefusal {
  code: 'batch_settled' | 'batch_unreadable' | 'nothing_to_cancel';
}

/** Nothing of it ever arrived, so the same file may come in again as new work. */
export const isWhollyWithdrawn = (progress: BatchProgress, tally: Tally): boolean =>
  isWithdrawn(progress) &&
  progress.retriedAtMs === undefined &&
  Object.keys(tally.requests).every((state) => state === 'cancelled');

/** For a batch already cancelled, the result of that. */
export function cancelPlan(
  ticket: BatchTicket,
  progress: BatchProgress,
  tally: Tally,
): Result<CancelPlan, CancelRefusal> {
  const isRepeated = isWithdrawn(progress);
  if (progress.state === 'unreadable') return err({ code: 'batch_unreadable' });
  if (progress.state === 'settled' && !isRepeated) return err({ code: 'batch_settled' });
  if (ticket.dryRun) return err({ code: 'nothing_to_cancel' });
  const goes = (state: string): boolean =>
    isWithdrawable(state as RequestState) || (isRepeated && state === 'cancelled');
  const sum = (counts: Partial<Record<string, number>>): number =>
    Object.entries(counts).reduce((all, [state, count]) => all + (goes(state) ? (count ?? 0) : 0), 0);
  return ok({
    cancelledAtMs: isRepeated ? (progress.cancelledAtMs ?? null) : null,
    withdrawn: { rows: sum(tally.records), requests: sum(tally.requests) },
    stays: Object.fromEntries(Object.entries(tally.requests).filter(([state]) => !goes(state))),
    restOfFile: !progress.readingFinished,
  });
}

/** Notes for a person, next to the numbers. */
export function cancelNotes({ stays, restOfFile }: CancelPlan): string[] {
  const { sending = 0, unknown = 0, held = 0, delivered = 0, coalesced = 0 } = stays;
  const arrived = delivered + coalesced;
  return [
    ...(restOfFile ? ['The rest of the file is read, so that every row is accounted for; none of it is sent.'] : []),
    ...(sending > 0 ? [`${sending} being sent at this moment: the answer decides.`] : []),
    ...(unknown > 0 ? [`${unknown} without a clear answer may have arrived; that is cleared up before they end.`] : []),
    ...(held > 0 ? [`${held} held: the operator must decide, as before.`] : []),
    ...(arrived > 0 ? [`${arrived} delivered: what has arrived cannot be taken back from here.`] : []),
    'Numbers are those of this moment; what leaves before the withdrawal reaches it is not withdrawn.',
  ];
}

/** Marks the batch: its next wake-ups withdraw. */
export function cancelBatch(port: ActionPort, { who, why, dryRun }: CancelRequest): Result<CancelPlan, CancelRefusal> {
  const { ticket, progress } = port.created();
  const plan = cancelPlan(ticket, progress, port.store.tally());
  if (!plan.ok || dryRun || isWithdrawn(progress)) return plan;
  const cancelledAtMs = port.nowMs();
  const detail = { ...plan.value, ...(why === undefined ? {} : { why }) };
  port.store.commit(() => {
    port.keep({ cancelledAtMs, withdrawal: { phase: 'doubtful' } });
    port.actions.note({ atMs: cancelledAtMs, who, what: 'cancel', detail });
  });
  return ok({ ...plan.value, cancelledAtMs });
}

/** @returns whether there was something to do; false: nothing more until the next rows are read. */
export async function withdrawStep(port: ActionPort, ticket: BatchTicket, progress: BatchProgress): Promise<boolean> {
  const { actions, subjects } = port;
  const { withdrawal, handedOver } = progress;
  switch (withdrawal?.phase) {
    case undefined:
      return false;
    case 'doubtful': {
      if (progress.retrying === true) {
        await withdrawChosen(port, ticket, progress);
        return true;
      }
      await withdrawAhead(port, ticket, progress, withdrawal.last ?? handedOver);
      return true;
    }
    case 'handed_over': {
      const unsent = actions.unsent(withdrawal.after, withdrawal.last, DISPATCH_REQUESTS_MAX);
      const after = await withdraw(unsent, ticket, subjects, progress);
      port.keep({ withdrawal: after === undefined ? { phase: 'rest' } : { ...withdrawal, after } });
      return true;
    }
    case 'rest':
      return withdrawRest(port, progress);
  }
}

/**
 * Requests after the checkpoint: subjects that may have some withdraw them, also if a visit arrives later; the others end
 * here.
 * @param before the checkpoint as it was: subjects have everything up to there.
 */
async function withdrawAhead(
  { store, subjects, move, keep, doubtful, emptyAhead, nowMs }: ActionPort,
  ticket: BatchTicket,
  progress: BatchProgress,
  before: BatchCheckpoint,
): Promise<void> {
  const { handedOver } = progress;
  const { last, mayHave } = doubtful();
  const page = store.requestsAfter(handedOver, DISPATCH_REQUESTS_MAX);
  const whole = page.at(-1);
  // Where none is stored, none is doubtful, and the checkpoint stays: a group that is read later may begin before `last`.
  if (whole === undefined || !isAfter(last, handedOver)) {
    emptyAhead();
    return keep({ withdrawal: { phase: 'handed_over', after: START, last: before } });
  }
  const there = page.filter(mayHave);
  const reached = await withdrawDoubtful(there, ticket, subjects, progress);
  const isWhole = reached === undefined || !isAfter(there.at(-1) ?? reached, reached);
  const end = isWhole ? whole : reached;
  const rest = page.filter((request) => !isAfter(request, end) && !mayHave(request));
  move(rest.map((request) => withdrawnHere(request, nowMs())));
  const { record, request } = end;
  keep({ handedOver: { record, request }, withdrawal: { phase: 'doubtful', last: before } });
}

/** Withdraws what a retry has chosen: raised requests may be with their subject, the rest stay as they ended. */
async function withdrawChosen(
  { actions, subjects, keep }: ActionPort,
  ticket: BatchTicket,
  progress: BatchProgress,
): Promise<void> {
  const last = await withdrawDoubtful(actions.raised(DISPATCH_REQUESTS_MAX), ticket, subjects, progress);
  if (last) {
    actions.dispatched(last);
    return;
  }
  actions.chooseNothing();
  keep({ retrying: undefined });
}

/** No subject has these: their end is decided here. */
function withdrawRest({ store, move, keep, nowMs }: ActionPort, progress: BatchProgress): boolean {
  const rest = store.requestsAfter(progress.handedOver, DISPATCH_REQUESTS_MAX);
  const last = rest.at(-1);
  if (last === undefined) {
    if (progress.readingFinished) keep({ withdrawal: undefined });
    return progress.readingFinished;
  }
  move(rest.map((request) => withdrawnHere(request, nowMs())));
  keep({ handedOver: { record: last.record, request: last.request } });
  return true;
}

const withdrawnHere = (
  { record, request, generation, revision }: StoredBatchRequest,
  nowMs: number,
): RequestOutcome => ({
  record,
  request,
  generation,
  revision: revision + 1,
  state: 'cancelled',
  ...NOTHING_TRIED,
  decidedAtMs: nowMs,
});
