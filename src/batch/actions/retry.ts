/**
 * Retries a batch: chooses which ended requests are sent again, and raises them step by step. Steps can be repeated
 * after a crash.
 * A retried request gets its next generation: the same body, queued again. Earlier outcomes stay as they are.
 */

import { NOTHING_TRIED, type RequestOutcome } from '../../delivery/outcome.ts';
import { type LeftOut, type RetriableState, type RetryWanted, retryOf } from '../../delivery/retry.ts';
import { DISPATCH_REQUESTS_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { EndedGroup } from '../core/row.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ActionPort } from '../object/ports.ts';
import { dispatch } from '../steps/dispatch.ts';
import type { ChosenRequest } from '../store/action-store.ts';

/** @property who id of the calling key; why as an operator says. A dry run only says what would be sent. */
export interface RetryRequest extends RetryWanted {
  who: string;
  why?: string;
  dryRun: boolean;
}

export interface RetryPlan {
  /** null: nothing is sent again, this is what would be. */
  retriedAtMs: number | null;
  requests: number;
  /** How they ended. */
  states: Partial<Record<RetriableState, number>>;
  /** Those that may arrive twice. */
  mayHaveArrived: number;
  leftOut: Partial<Record<LeftOut, number>>;
}

export type RetryRefusal =
  | { code: 'batch_unreadable' | 'being_erased' | 'cancel_under_way' }
  | { code: 'nothing_to_retry'; leftOut: RetryPlan['leftOut'] }
  | FileSentAgain;

/** Nothing of this batch was ever sent, so what it claimed could come in again, and did. @property batchId what has it. */
export interface FileSentAgain {
  code: 'file_sent_again';
  batchId: string;
}

type Retried = Result<RetryPlan, RetryRefusal>;

/** @param groups of all ended requests. */
export function retryPlan(groups: readonly EndedGroup[], wanted: RetryWanted): RetryPlan & { groups: EndedGroup[] } {
  const plan: RetryPlan = { retriedAtMs: null, requests: 0, states: {}, mayHaveArrived: 0, leftOut: {} };
  const retried: EndedGroup[] = [];
  for (const group of groups) {
    const { state, requests } = group;
    const verdict = retryOf(group, wanted);
    if (verdict === 'not_wanted') continue;
    if (verdict !== 'retried') {
      plan.leftOut[verdict] = (plan.leftOut[verdict] ?? 0) + requests;
      continue;
    }
    retried.push(group);
    plan.requests += requests;
    plan.states[state] = (plan.states[state] ?? 0) + requests;
    if (group.mayHaveArrived) plan.mayHaveArrived += requests;
  }
  return { ...plan, groups: retried };
}

/** Chooses what is sent again; the next wake-ups dispatch it. Nothing is chosen twice. */
export async function retryBatch(port: ActionPort, asked: RetryRequest): Promise<Retried> {
  const planned = choose(port, { ...asked, dryRun: true });
  if (!planned.ok || asked.dryRun) return planned;
  const refusal = await openAgain(port);
  return refusal === null ? choose(port, asked) : err(refusal);
}

/** Nothing is awaited. */
function choose(port: ActionPort, asked: RetryRequest): Retried {
  const { progress } = port.created();
  if (progress.state === 'unreadable') return err({ code: 'batch_unreadable' });
  if (progress.erasing !== undefined) return err({ code: 'being_erased' });
  if (progress.withdrawal !== undefined) return err({ code: 'cancel_under_way' });
  const { groups, ...plan } = retryPlan(port.actions.ended(), asked);
  if (plan.requests === 0) return err({ code: 'nothing_to_retry', leftOut: plan.leftOut });
  if (asked.dryRun) return ok(plan);
  const retriedAtMs = port.nowMs();
  port.store.commit(() => {
    port.actions.choose(groups);
    port.actions.note({ atMs: retriedAtMs, who: asked.who, what: 'retry', detail: { ...asked, ...plan } });
    beginRetrying(port, retriedAtMs);
  });
  return ok({ ...plan, retriedAtMs });
}

/**
 * Before a settled batch opens again its register watches it, so that a lost alarm is noticed, and it takes its file, keys
 * and control numbers back where those could come in anew. If it does not open after all, it reports its end again when
 * called.
 * @returns null: it may open, as long as nothing is awaited.
 */
export async function openAgain(port: ActionPort): Promise<FileSentAgain | null> {
  for (;;) {
    const { ticket, progress } = port.created();
    if (progress.state !== 'settled') return null;
    const { batchId } = ticket;
    const opening = (progress.opening ?? 0) + 1;
    await port.register().reopenBatch(batchId, opening);
    // Its end may have been reported meanwhile. A report that is still under way says an earlier count, and releases nothing.
    const isReleased = port.created().progress.claimsNothing === true;
    const holder = isReleased ? await port.register().reclaim(batchId, port.nowMs()) : batchId;
    if (holder !== batchId) return { code: 'file_sent_again', batchId: holder };
    if ((port.created().progress.opening ?? 0) < opening) return null; // else something else has reopened it, or reported its end
  }
}

/** Requests were chosen: the next wake-ups dispatch them, and a settled batch is open again. */
export function beginRetrying(port: ActionPort, retriedAtMs: number): void {
  const { state, opening = 0 } = port.created().progress;
  const reopened = { state: 'delivering', settledAtMs: null, reported: false, opening: opening + 1 } as const;
  port.keep({ retrying: true, retriedAtMs, claimsNothing: undefined, ...(state === 'settled' ? reopened : {}) });
}

/** @returns whether there was something to do. */
export async function retryStep(port: ActionPort, ticket: BatchTicket): Promise<boolean> {
  const { progress } = port.created();
  if (progress.retrying !== true) return false;
  const chosen = raised(port, progress.retriedAtMs ?? port.nowMs());
  if (chosen.length === 0) {
    port.keep({ retrying: undefined });
    return true;
  }
  const last = await dispatch(chosen, ticket, port.subjects, port.created().progress.rules);
  if (last) port.actions.dispatched(last);
  return true;
}

/** The next chosen requests in their new generation, stored before any of them is dispatched. */
function raised({ store, actions, move }: ActionPort, retriedAtMs: number): ChosenRequest[] {
  const page = actions.chosen(DISPATCH_REQUESTS_MAX);
  const fresh = page.filter(({ generation, chosen_generation }) => generation < chosen_generation);
  if (fresh.length === 0) return page;
  store.commit(() => {
    actions.raise(fresh, retriedAtMs);
    move(fresh.map((request) => queuedAgain(request, retriedAtMs)));
  });
  return actions.chosen(DISPATCH_REQUESTS_MAX);
}

const queuedAgain = (row: ChosenRequest, nowMs: number): RequestOutcome => ({
  record: row.record,
  request: row.request,
  generation: row.chosen_generation,
  revision: 0,
  state: 'queued',
  ...NOTHING_TRIED,
  possibleDuplicate: row.outcome === 'unknown' || row.possible_duplicate === 1,
  decidedAtMs: nowMs,
});

/** Notes for a person, next to the numbers. */
export const retryNotes = ({ mayHaveArrived, leftOut }: Pick<RetryPlan, 'mayHaveArrived' | 'leftOut'>): string[] => [
  ...(mayHaveArrived > 0
    ? [`${mayHaveArrived} of them may have arrived already: they are marked as possible duplicates.`]
    : []),
  ...Object.entries(leftOut).map(
    ([reason, requests]) => `${requests} left out: ${LEFT_OUT_MESSAGES[reason as LeftOut]}`,
  ),
];

const LEFT_OUT_MESSAGES: Record<LeftOut, string> = {
  may_have_arrived:
    'given up without a clear answer, so it may have arrived. includeUnknown=true sends that too; it may then arrive twice.',
  order_exists: 'its order exists with other content. A change of an existing order is an update, in a new file.',
  order_may_exist:
    'its order may have been created. The operator looks it up in the receiving system by its reference first.',
};
