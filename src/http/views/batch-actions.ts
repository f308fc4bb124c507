/**
 * `…/batches/{id}/cancel` withdraws what was not sent, `…/retry` sends again what was not delivered; for partners and
 * operators. With `dryRun=true` it only reports what it would do; nothing in the address is guessed.
 */
import type { Context } from 'hono';
import { type CancelPlan, type CancelRefusal, cancelNotes } from '../../batch/actions/cancel.ts';
import { type RetryPlan, type RetryRefusal, retryNotes } from '../../batch/actions/retry.ts';
import { RETRIABLE_STATES } from '../../delivery/retry.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import { messagesFor, type RefusalTable } from '../../kernel/refusals.ts';
import type { Answered } from '../contract/contract.ts';
import type { HttpBindings } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';
import { onlyKnown, type Parameters, readChoice, readFlag } from '../edge/query.ts';
import { batchLinks } from '../edge/reader.ts';
import { findBatch, unknownBatch } from './batch-lookup.ts';

/* Problem messages for refused cancels and retries. */

type ActionRefusal = CancelRefusal | RetryRefusal;

const MESSAGES: RefusalTable<ActionRefusal> = {
  batch_settled: {
    status: 409,
    title: 'Batch settled',
    detail: 'Every row of this batch has its final state: there is nothing left to withdraw.',
    fix: 'What was delivered can only be corrected in the receiving system; the report says what was.',
  },
  batch_unreadable: {
    status: 409,
    title: 'Batch unreadable',
    detail: 'The file could not be read, so nothing of it was sent or will be.',
    fix: 'Correct what the problems of the batch name, and send the file again.',
  },
  nothing_to_cancel: {
    status: 409,
    title: 'Nothing to cancel',
    detail: 'This batch is a dry run: nothing of it is sent.',
    fix: 'Leave it; it ends by itself.',
  },
  nothing_to_retry: {
    status: 409,
    title: 'Nothing to retry',
    detail:
      'No request of this batch that was asked for ended refused, given up or withdrawn and can be sent again. What a retry took is under way already.',
    fix: 'Rows to correct go into a new file. Where leftOut names requests, its notes say what is needed.',
  },
  being_erased: {
    status: 409,
    title: 'Being erased',
    detail: 'An operator has this batch erased, with its loads and orders: nothing of it is sent again.',
    fix: 'Send the rows that are still needed in a new file.',
  },
  cancel_under_way: {
    status: 409,
    title: 'Cancel under way',
    detail: 'This batch is being cancelled: what was not sent is still being withdrawn.',
    fix: 'Ask again when no row is queued any more; GET the batch for its counts.',
  },
  file_sent_again: ({ batchId }) => ({
    status: 409,
    title: 'File sent again',
    detail: `Nothing of this batch was ever sent, and its file, or something under one of its keys or control numbers, has come in since, as batch ${batchId}.`,
    fix: `See what became of batch ${batchId}, and retry that one if need be. What else of this one is still needed can be sent again: it is new work.`,
  }),
};

/** @property who id of the calling key; why as the operator says, for the audit. */
interface ActionBy {
  who: string;
  why?: string;
}

/** @param parameters of the address, without those that say whose batch it is. */
export async function cancel(context: Context<HttpBindings>, parameters: Parameters, by: ActionBy): Promise<Response> {
  const known = onlyKnown(parameters, ['dryRun']);
  if (!known.ok) return problem(context, known.error);
  const dryRun = readFlag(parameters, 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const { batchId } = batch.summary;
  const plan = await batch.stub.cancel({ ...by, dryRun: dryRun.value });
  if (!plan.ok) return refused(context, batchId, plan.error);
  return accepted(context, { batchId, dryRun: dryRun.value }, cancelMembers(plan.value));
}

/** @param parameters as above. */
export async function retry(context: Context<HttpBindings>, parameters: Parameters, by: ActionBy): Promise<Response> {
  const known = onlyKnown(parameters, ['dryRun', 'state', 'includeUnknown']);
  if (!known.ok) return problem(context, known.error);
  const dryRun = readFlag(parameters, 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const states = readChoice(parameters, 'state', RETRIABLE_STATES);
  if (!states.ok) return problem(context, states.error);
  const includeUnknown = readFlag(parameters, 'includeUnknown');
  if (!includeUnknown.ok) return problem(context, includeUnknown.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const { batchId } = batch.summary;
  const wanted = { states: states.value, includeUnknown: includeUnknown.value };
  const plan = await batch.stub.retry({ ...wanted, ...by, dryRun: dryRun.value });
  if (!plan.ok) return refused(context, batchId, plan.error);
  return accepted(context, { batchId, dryRun: dryRun.value }, retryMembers(plan.value));
}

const cancelMembers = (plan: CancelPlan) => ({
  cancelledAt: isoOrNull(plan.cancelledAtMs),
  withdrawn: plan.withdrawn,
  stays: plan.stays,
  restOfFile: plan.restOfFile,
  notes: cancelNotes(plan),
});

const retryMembers = (plan: RetryPlan) => ({
  retriedAt: isoOrNull(plan.retriedAtMs),
  retried: plan.requests,
  states: plan.states,
  mayHaveArrived: plan.mayHaveArrived,
  leftOut: plan.leftOut,
  notes: retryNotes(plan),
});

type Acted = Answered<'POST /v1/batches/{id}/cancel' | 'POST /v1/batches/{id}/retry'>;
type Members<Of extends Acted> = Of extends Acted ? Omit<Of, 'batchId' | 'dryRun' | 'links'> : never;

/** A plan changed nothing; what was accepted is in progress. */
function accepted(
  context: Context<HttpBindings>,
  { batchId, dryRun }: { batchId: string; dryRun: boolean },
  members: Members<Acted>,
): Response {
  const links = batchLinks(context.get('reader'), batchId);
  if (!dryRun) context.header('Location', links.self);
  return context.json({ batchId, dryRun, ...members, links }, dryRun ? 200 : 202);
}

/** What a retry leaves out is reported even where nothing else is left. */
function refused(context: Context<HttpBindings>, batchId: string, refusal: ActionRefusal): Response {
  const words = { ...messagesFor(MESSAGES, refusal), code: refusal.code };
  const links = batchLinks(context.get('reader'), batchId);
  if (refusal.code !== 'nothing_to_retry') return problem(context, words, { links });
  const { leftOut } = refusal;
  return problem(context, words, { leftOut, notes: retryNotes({ mayHaveArrived: 0, leftOut }), links });
}
