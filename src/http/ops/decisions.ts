/**
 * `POST /v1/ops/letters/decisions`: one decision about many held requests. Planned first; what the plan showed is fixed,
 * and decided some per second by the action's own object.
 */
import * as z from 'zod';
import type { DeadLetterFilter } from '../../batch/core/dead-letters.ts';
import type { DecisionItem, DecisionRun } from '../../batch/core/decision-run.ts';
import { decisionTotals } from '../../batch/core/decision-run.ts';
import type { Decision } from '../../delivery/decisions.ts';
import type { RequestState } from '../../delivery/states.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { DECISIONS_MAX } from '../../kernel/limits.ts';
import { actionName, type Environment } from '../../kernel/names.ts';
import { REQUEST_KINDS } from '../../mapping/request.ts';
import {
  begunDecisions,
  confirmedDecisions,
  decisionsFingerprint,
  type ManyDecisionsRequest,
  type PlannedDecisions,
  planDecisions,
} from '../../ops/dead-letters/decide-many.ts';
import { actionIdOf } from '../../ops/dead-letters/replays.ts';
import type { DecisionRefusal } from '../../tracking/decisions.ts';
import type { OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { SUBJECT_FORM, SUBJECT_WANTED } from '../edge/query.ts';
import { deadLetterPorts, operatorsKey } from './lookup.ts';
import { refusedByOps } from './refusals.ts';
import { locationsByBatch, type OpsQuery, readJson, requestLocation, why } from './request.ts';
import { deadLetterPath } from './views/dead-letter.ts';

/** An id is looked up order by order: there is no adopting it for many. */
const MANY_DECISIONS = ['send_again', 'create_again', 'mark_delivered', 'close'] as const satisfies Decision[];

const manyBody = z
  .strictObject({
    decision: z.enum(MANY_DECISIONS),
    outcome: z.enum(['not_applied', 'unknown']).optional(),
    requests: z.array(requestLocation).min(1).max(DECISIONS_MAX).optional(),
    partner: z.string().min(1).optional(),
    batch: z.string().regex(BATCH_ID_FORM, 'must be the id of a batch').optional(),
    reasons: z.array(z.string()).min(1).optional(),
    statuses: z.array(z.int().min(100).max(599)).min(1).optional(),
    kinds: z.array(z.enum(REQUEST_KINDS)).min(1).optional(),
    subject: z.string().regex(SUBJECT_FORM, `must be ${SUBJECT_WANTED}`).optional(),
    why,
    confirm: z.string().optional(),
  })
  .refine(({ decision, outcome }) => (outcome !== undefined) === (decision === 'close'), {
    message: 'outcome goes with close, and with nothing else',
  })
  .refine(({ batch, requests }) => batch === undefined || requests === undefined, {
    message: 'name a batch or requests, not both',
  });

function requestIn(environment: Environment, body: z.output<typeof manyBody>): ManyDecisionsRequest {
  const { partner = null, batch = null, requests, decision, outcome = null } = body;
  const { reasons = null, statuses = null, kinds = null, subject = null } = body;
  const filter: DeadLetterFilter = { states: ['held'], reasons, statuses, kinds, subject, places: null };
  const named = requests === undefined ? null : locationsByBatch(requests);
  return { environment, partner, batchId: batch, filter, named, decision, outcome };
}

export async function decideMany(
  context: OpsContext,
  { environment, dryRun }: OpsQuery,
  ports: AppPorts,
): Promise<Response> {
  const key = operatorsKey(context, dryRun);
  if (!key.ok) return problem(context, key.error);
  const body = await readJson(context, manyBody);
  if (!body.ok) return problem(context, body.error);
  const wanted = requestIn(environment, body.value);
  const { keyId: who, name } = context.get('operator');
  const by = { actionId: actionIdOf(environment, who, key.value), who, name, why: body.value.why };
  const known = dryRun ? undefined : await actionObject(context, environment, by.actionId).decisions();
  if (known) return repeated(context, known, wanted, by.why);
  const batches = ports.batches(context.env);
  const plan = await planDecisions({ ...deadLetterPorts(context, ports), batches }, wanted);
  if (!plan.ok) return refusedByOps(context, plan.error);
  const shown = planView(plan.value, wanted);
  if (dryRun) return context.json({ dryRun, ...shown });
  const agreed = confirmedDecisions(plan.value, body.value.confirm ?? null);
  if (!agreed.ok) {
    // The same click may have come twice at once, and the other one has begun it meanwhile.
    const begun = await actionObject(context, environment, by.actionId).decisions();
    return begun ? repeated(context, begun, wanted, by.why) : refusedByOps(context, agreed.error, { plan: shown });
  }
  const begun = begunDecisions(wanted, plan.value, by);
  const { partner, decision } = begun;
  const noted = await ports.actions(context.env).note({
    ...{ environment, ...by, kind: 'decisions', partner, about: '', decision },
    ...{ requests: plan.value.items.length, begunAtMs: Date.now() },
  });
  if (!noted.ok) return refusedByOps(context, noted.error);
  const run = await actionObject(context, environment, by.actionId).beginDecisions(begun, plan.value.items);
  if (!run.ok) return refusedByOps(context, run.error);
  return accepted(context, run.value, run.value.replayed);
}

const actionObject = ({ env }: OpsContext, environment: Environment, actionId: string) =>
  env.REPLAY.getByName(actionName(environment, actionId));

function repeated(context: OpsContext, run: DecisionRun, wanted: ManyDecisionsRequest, why: string): Response {
  if (run.fingerprint !== decisionsFingerprint(wanted, why)) return refusedByOps(context, { code: 'key_reused' });
  return accepted(context, run, true);
}

function accepted(context: OpsContext, run: DecisionRun, isReplayed: boolean): Response {
  if (isReplayed) context.header('Idempotency-Replayed', 'true');
  const view = decisionsView(run);
  context.header('Location', view.links.self);
  return context.json(view, 202);
}

/* Plans of decisions and their progress → the API's shapes. */

function planView(
  { items, kinds, partners, leftOut, seconds, perSecond, confirm }: PlannedDecisions,
  { environment, decision, outcome }: ManyDecisionsRequest,
) {
  return {
    ...{ environment, decision, outcome, partners },
    requests: items.length,
    ...{ kinds, leftOut, seconds, perSecond, confirm },
    notes: [
      ...(items.length > 0 ? [WHAT_FOLLOWS[decision]] : []),
      ...Object.entries(leftOut).map(
        ([code, count]) => `${count} left out: ${SKIPPED_MESSAGES[code as DecisionRefusal['code']]}`,
      ),
    ],
  };
}

const WHAT_FOLLOWS: Record<ManyDecisionsRequest['decision'], string> = {
  send_again: 'Each is sent again with the same content. One that had arrived arrives twice.',
  create_again: 'Each order is created again. One that was created makes a second order.',
  mark_delivered: 'Each counts as delivered, and nothing is sent.',
  close: 'Each is given up, and nothing is sent.',
};

const SKIPPED_MESSAGES: Record<DecisionRefusal['code'], string> = {
  not_held:
    'it is no longer held. An answer or another decision came first, or it was decided with what it travels in.',
  moved_since: 'it changed after the plan was made.',
  decision_not_open: 'this may not be decided about its kind, held for its reason.',
  order_id_wanted: 'it needs the id of its order.',
  outcome_wanted: 'what became of it was not said.',
  request_unknown: 'its load or order does not have it, or no longer.',
  decision_id_reused: 'it was decided otherwise under the same key.',
};

export function decisionsView(run: DecisionRun) {
  const { actionId, environment, cancelledBy } = run;
  const query = `environment=${environment}`;
  const self = `/v1/ops/actions/${actionId}?${query}`;
  return {
    actionId,
    action: 'decisions',
    state: run.state,
    environment,
    partner: run.partner,
    decision: run.decision,
    outcome: run.outcome,
    ...decisionTotals(run),
    perSecond: run.perSecond,
    who: run.who,
    name: run.name,
    why: run.why,
    begunAt: isoOrNull(run.begunAtMs),
    endedAt: isoOrNull(run.endedAtMs),
    cancelledBy: cancelledBy && { who: cancelledBy.who, name: cancelledBy.name, at: isoOrNull(cancelledBy.atMs) },
    links: {
      self,
      requests: `/v1/ops/actions/${actionId}/requests?${query}`,
      cancel: `/v1/ops/actions/${actionId}/cancel?${query}`,
    },
  };
}

export const decisionItemView = (
  environment: Environment,
  { why: code, ...item }: DecisionItem,
  now: RequestState | null,
) => ({
  partner: item.partner,
  batchId: item.batchId,
  record: item.record,
  request: item.request,
  subject: item.subject,
  state: item.state,
  now,
  problem: code === null ? null : { code, detail: SKIPPED_MESSAGES[code] },
  links: { letter: deadLetterPath(environment, item.partner, item) },
});
