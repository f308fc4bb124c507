/** `/v1/batches/{id}/cancel`: withdraws what was not sent. `dryRun=true` only says what that would be. */
import type { Context, Hono } from 'hono';
import { type CancelPlan, type CancelRefusal, cancelNotes } from '../batch/cancel.ts';
import { onlyKnown, readFlag } from './action-query.ts';
import { batchLinks, findBatch, unknownBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';
import { type ProblemWords, problem } from './problem.ts';

type Partner = Context<HttpBindings>;

/** @param path of the batch itself, with `:id`. */
export function addActions(routes: Hono<HttpBindings>, path: string): void {
  routes.post(`${path}/cancel`, cancel);
}

async function cancel(context: Partner): Promise<Response> {
  const parameters = context.req.query();
  const known = onlyKnown(parameters, ['dryRun']);
  if (!known.ok) return problem(context, known.error);
  const dryRun = readFlag(parameters, 'dryRun');
  if (!dryRun.ok) return problem(context, dryRun.error);
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const asked = { who: context.get('principal').keyId, dryRun: dryRun.value };
  const plan = await batch.stub.cancel(asked);
  if (!plan.ok) return problem(context, describeRefusal(plan.error));
  return accepted(context, { batchId: batch.summary.batchId, dryRun: dryRun.value }, cancelMembers(plan.value));
}

const cancelMembers = (plan: CancelPlan) => ({
  cancelledAt: plan.cancelledAtMs === null ? null : new Date(plan.cancelledAtMs).toISOString(),
  withdrawn: plan.withdrawn,
  stays: plan.stays,
  restOfFile: plan.restOfFile,
  notes: cancelNotes(plan),
});

/** A plan changed nothing; what was accepted is under way. */
function accepted(
  context: Partner,
  { batchId, dryRun }: { batchId: string; dryRun: boolean },
  members: Record<string, unknown>,
): Response {
  const links = batchLinks(batchId);
  if (!dryRun) context.header('Location', links.self);
  return context.json({ batchId, dryRun, ...members, links }, dryRun ? 200 : 202);
}

/** Exhaustive: a new code does not compile until it has its words. */
function describeRefusal(refusal: CancelRefusal): ProblemWords {
  switch (refusal.code) {
    case 'batch_settled':
      return {
        status: 409,
        code: 'batch_settled',
        title: 'Batch settled',
        detail: 'Every row of this batch has its final state: there is nothing left to withdraw.',
        fix: 'What was delivered can only be corrected in the receiving system; the report says what was.',
      };
    case 'batch_unreadable':
      return {
        status: 409,
        code: 'batch_unreadable',
        title: 'Batch unreadable',
        detail: 'The file could not be read, so nothing of it was sent or will be.',
        fix: 'Correct what the problems of the batch name, and send the file again.',
      };
    case 'nothing_to_cancel':
      return {
        status: 409,
        code: 'nothing_to_cancel',
        title: 'Nothing to cancel',
        detail: 'This batch is a dry run: nothing of it is sent.',
        fix: 'Leave it; it ends by itself.',
      };
  }
}
