/**
 * `/v1/batches/{id}/cancel` withdraws what was not sent, `…/retry` sends again what was not delivered.
 *
 * `dryRun=true` only says what that would be; nothing in the address is guessed.
 */
import type { Context, Hono } from 'hono';
import { type CancelPlan, cancelNotes } from '../../batch/actions/cancel.ts';
import { type RetryPlan, retryNotes } from '../../batch/actions/retry.ts';
import { RETRIABLE_STATES } from '../../delivery/retry.ts';
import { onlyKnown, readChoice, readFlag } from '../edge/action-query.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import { problem } from '../edge/problem.ts';
import { batchLinks } from '../edge/reader.ts';
import { type ActionRefusal, describeRefusal } from '../views/action-refusal.ts';
import { findBatch, unknownBatch } from '../views/batch-lookup.ts';

type Partner = Context<HttpBindings>;

/** @param path of the batch itself, with `:id`. */
export function addActions(routes: Hono<HttpBindings>, path: string): void {
  routes.post(`${path}/cancel`, cancel);
  routes.post(`${path}/retry`, retry);
}

async function cancel(context: Partner): Promise<Response> {
  const parameters = context.req.query();
  const known = onlyKnown(parameters, ['dryRun']);
  if (!known.ok) return problem(context, known.error);
  const dryRun = readFlag(parameters, 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const { batchId } = batch.summary;
  const plan = await batch.stub.cancel({ who: context.get('principal').keyId, dryRun: dryRun.value });
  if (!plan.ok) return refused(context, batchId, plan.error);
  return accepted(context, { batchId, dryRun: dryRun.value }, cancelMembers(plan.value));
}

async function retry(context: Partner): Promise<Response> {
  const parameters = context.req.query();
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
  const plan = await batch.stub.retry({ ...wanted, who: context.get('principal').keyId, dryRun: dryRun.value });
  if (!plan.ok) return refused(context, batchId, plan.error);
  return accepted(context, { batchId, dryRun: dryRun.value }, retryMembers(plan.value));
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

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

/** A plan changed nothing; what was accepted is under way. */
function accepted(
  context: Partner,
  { batchId, dryRun }: { batchId: string; dryRun: boolean },
  members: Record<string, unknown>,
): Response {
  const links = batchLinks(context.get('reader'), batchId);
  if (!dryRun) context.header('Location', links.self);
  return context.json({ batchId, dryRun, ...members, links }, dryRun ? 200 : 202);
}

/** What a retry leaves out is told also where nothing else is left. */
function refused(context: Partner, batchId: string, refusal: ActionRefusal): Response {
  const words = describeRefusal(refusal);
  const links = batchLinks(context.get('reader'), batchId);
  if (refusal.code !== 'nothing_to_retry') return problem(context, words, { links });
  const { leftOut } = refusal;
  return problem(context, words, { leftOut, notes: retryNotes({ mayHaveArrived: 0, leftOut }), links });
}
