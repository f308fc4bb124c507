/** `/v1/ops/replays` sends ended requests again, over batches of a partner. */

import { Hono } from 'hono';
import * as z from 'zod';
import type { ReplayLeftOut, ReplayOutcome, ReplayRefusal } from '../../batch/actions/replay.ts';
import { DEAD_LETTER_STATES } from '../../batch/core/dead-letters.ts';
import { ISSUE_ID_FORM } from '../../batch/core/issue.ts';
import { type ReplayRun, type ReplayTotals, totalsOf } from '../../batch/core/replay-run.ts';
import { RETRIABLE_STATES } from '../../delivery/retry.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import {
  REPLAY_BATCHES_MAX,
  REPLAY_LOCATIONS_MAX,
  REPLAY_PER_SECOND_DEFAULT,
  REPLAY_PER_SECOND_MAX,
} from '../../kernel/limits.ts';
import { actionName, type Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { REQUEST_KINDS } from '../../mapping/request.ts';
import {
  actionIdOf,
  begunReplay,
  confirmed,
  fingerprintOf,
  type PlannedReplay,
  planReplays,
  type ReplayPlanRefusal,
  type ReplayRequest,
} from '../../ops/dead-letters/replays.ts';
import type { IssueRefusal } from '../../ops/index/issues.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { SUBJECT_FORM, SUBJECT_WANTED } from '../edge/query.ts';
import { deadLetterPorts, operatorsKey } from './lookup.ts';
import { refusedByOps } from './refusals.ts';
import { locationsByBatch, type OpsQuery, opsRoute, readJson, requestLocation, why } from './request.ts';

/* Plans of replays and their progress → the API's shapes. */

function planView(plan: PlannedReplay, { environment, partner }: Pick<ReplayRequest, 'environment' | 'partner'>) {
  const { batches, ...sums } = plan;
  return {
    environment,
    partner,
    ...sums,
    batches: batches.map(({ digest: _, ...batch }) => batch),
    notes: planNotes(plan),
  };
}

/** Notes for a person beside the numbers. */
function planNotes({
  requests,
  mayHaveArrived,
  leftOut,
}: Pick<PlannedReplay, 'requests' | 'mayHaveArrived' | 'leftOut'>): string[] {
  return [
    ...(requests > 0
      ? ['Each is sent as it was made from its file. A mapping that was changed since does not change it.']
      : []),
    ...(mayHaveArrived > 0
      ? [`${mayHaveArrived} of them may have arrived already and may arrive twice: to go on, send "confirm" along.`]
      : []),
    ...Object.entries(leftOut).map(([why, count]) => `${count} left out: ${LEFT_OUT_MESSAGES[why as ReplayLeftOut]}`),
  ];
}

const LEFT_OUT_MESSAGES: Record<ReplayLeftOut, string> = {
  may_have_arrived: 'it may have arrived. includeUnknown takes it along; it may then arrive twice.',
  order_exists: 'its order exists with other content; send it as a change, in a new file.',
  order_may_exist: 'its order may exist. Look it up in the receiving system by its reference.',
  held: 'it is held: decide about it, or it never became a request.',
  replaced: 'a corrected row came in its place.',
  under_way: 'it is being sent again already.',
};

const REFUSAL_MESSAGES: Record<ReplayRefusal['code'], string> = {
  batch_gone: 'it was erased, or has reached the end of its life, since the plan was made',
  batch_unreadable: 'its file could not be read, so nothing of it can be sent',
  cancel_under_way: 'it is being cancelled',
  plan_changed: 'what would be sent again changed after the plan was made; plan it anew',
  file_sent_again:
    'nothing of it was ever sent, and it, or something under one of its keys or control numbers, came in again in another batch',
};

/**
 * @param totals of the run, so that both are of one moment. outcomes of its batches by id, where they were asked for what
 * became of what they sent again.
 */
export function runView(
  run: ReplayRun,
  totals: ReplayTotals,
  outcomes: ReadonlyMap<string, ReplayOutcome> = new Map(),
) {
  const self = `/v1/ops/actions/${run.actionId}?environment=${run.environment}`;
  return {
    actionId: run.actionId,
    action: 'replay',
    state: run.state,
    environment: run.environment,
    partner: run.partner,
    ...totals,
    perSecond: run.perSecond,
    includeUnknown: run.wanted.includeUnknown,
    who: run.who,
    name: run.name,
    why: run.why,
    begunAt: isoOrNull(run.begunAtMs),
    endedAt: isoOrNull(run.endedAtMs),
    cancelledBy: run.cancelledBy && {
      who: run.cancelledBy.who,
      name: run.cancelledBy.name,
      at: isoOrNull(run.cancelledBy.atMs),
    },
    batches: run.batches.map(({ batchId, state, requests, chosen, skipped, left, refusal }) => ({
      batchId,
      state,
      requests,
      sentAgain: chosen,
      skipped,
      left,
      outcome: outcomes.get(batchId) ?? null,
      problem: refusal === null ? null : { code: refusal.code, detail: REFUSAL_MESSAGES[refusal.code] },
    })),
    links: { self, cancel: `/v1/ops/actions/${run.actionId}/cancel?environment=${run.environment}` },
  };
}

export function opsReplayRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.post('/', opsRoute(ports, ['dryRun'], replay));
  return routes;
}

const replayBody = z
  .strictObject({
    partner: z.string().min(1),
    batches: z
      .array(z.string().regex(BATCH_ID_FORM, 'must be the id of a batch'))
      .min(1)
      .max(REPLAY_BATCHES_MAX)
      .optional(),
    issue: z.string().regex(ISSUE_ID_FORM, 'must be the id of an issue').optional(),
    requests: z.array(requestLocation).min(1).max(REPLAY_LOCATIONS_MAX).optional(),
    states: z.array(z.enum(RETRIABLE_STATES)).min(1).optional(),
    reasons: z.array(z.string()).min(1).optional(),
    statuses: z.array(z.int().min(100).max(599)).min(1).optional(),
    kinds: z.array(z.enum(REQUEST_KINDS)).min(1).optional(),
    subject: z.string().regex(SUBJECT_FORM, `must be ${SUBJECT_WANTED}`).optional(),
    includeUnknown: z.boolean().default(false),
    perSecond: z.int().min(1).max(REPLAY_PER_SECOND_MAX).default(REPLAY_PER_SECOND_DEFAULT),
    why,
    confirm: z.string().optional(),
  })
  .refine(({ batches, requests, issue }) => [batches, requests, issue].filter(Boolean).length <= 1, {
    message: 'name batches, requests or an issue, not several of them',
  });

type ReplayBody = z.output<typeof replayBody>;

/**
 * Without named states, withdrawn requests are left alone; if requests are named one by one, every dead-letter state is
 * included.
 */
function replayRequestIn(environment: Environment, body: ReplayBody): ReplayRequest {
  const { partner, batches, requests, states, reasons, statuses, kinds, subject, includeUnknown, perSecond } = body;
  const filter = {
    states: states ?? (requests === undefined ? (['rejected', 'dead'] as const) : DEAD_LETTER_STATES),
    reasons: reasons ?? null,
    statuses: statuses ?? null,
    kinds: kinds ?? null,
    subject: subject ?? null,
    places: null,
  };
  const places = requests === undefined ? null : locationsByBatch(requests);
  const asked = {
    environment,
    partner,
    batchIds: batches ?? null,
    wanted: { filter, includeUnknown },
    places,
    perSecond,
  };
  return body.issue === undefined ? asked : { ...asked, issue: body.issue };
}

/** Of an issue, all of the partner's batches that have it, never a page of them; of anything else, what was asked. */
async function withIssue(
  context: OpsContext,
  ports: AppPorts,
  asked: ReplayRequest,
): Promise<Result<ReplayRequest, IssueRefusal | ReplayPlanRefusal>> {
  const { issue, environment, partner, wanted } = asked;
  if (issue === undefined) return ok(asked);
  const issues = ports.issues(context.env);
  const found = await issues.find(environment, issue);
  if (!found.ok) return found;
  if (found.value === undefined) return err({ code: 'issue_unknown' });
  const batches = await issues.batches(environment, issue, { partner, limit: REPLAY_BATCHES_MAX + 1 });
  if (!batches.ok) return batches;
  if (batches.value.length > REPLAY_BATCHES_MAX) return err({ code: 'too_many_batches' });
  const filter = { ...wanted.filter, issues: [found.value.key] };
  return ok({ ...asked, batchIds: batches.value.map(({ batch_id }) => batch_id), wanted: { ...wanted, filter } });
}

const replayObject = ({ env }: OpsContext, environment: Environment, actionId: string) =>
  env.REPLAY.getByName(actionName(environment, actionId));

async function replay(context: OpsContext, { environment, dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const key = operatorsKey(context, dryRun);
  if (!key.ok) return problem(context, key.error);
  const body = await readJson(context, replayBody);
  if (!body.ok) return problem(context, body.error);
  const asked = replayRequestIn(environment, body.value);
  const { keyId: who, name } = context.get('operator');
  const { why, confirm = null } = body.value;
  const actionId = actionIdOf(environment, who, key.value);
  const known = dryRun ? undefined : await replayObject(context, environment, actionId).view();
  if (known) return repeated(context, known, asked, why);
  const whole = await withIssue(context, ports, asked);
  if (!whole.ok) return refusedByOps(context, whole.error);
  const batches = ports.batches(context.env);
  const plan = await planReplays({ ...deadLetterPorts(context, ports), batches }, whole.value);
  if (!plan.ok) return refusedByOps(context, plan.error);
  const shown = planView(plan.value, asked);
  if (dryRun) return context.json({ dryRun, ...shown });
  const agreed = confirmed(plan.value, confirm);
  if (!agreed.ok) {
    // The same click may have come twice at once, and the other one has begun it meanwhile.
    const begun = await replayObject(context, environment, actionId).view();
    return begun ? repeated(context, begun, asked, why) : refusedByOps(context, agreed.error, { plan: shown });
  }
  const { requests } = plan.value;
  const noted = await ports.actions(context.env).note({
    ...{ environment, actionId, kind: 'replay', partner: asked.partner, about: '', decision: null, requests },
    ...{ who, name, why, begunAtMs: Date.now() },
  });
  if (!noted.ok) return refusedByOps(context, noted.error);
  return begin(context, { asked: whole.value, plan: plan.value, by: { actionId, who, name, why } });
}

async function begin(
  context: OpsContext,
  { asked, plan, by }: { asked: ReplayRequest; plan: PlannedReplay; by: Parameters<typeof begunReplay>[2] },
): Promise<Response> {
  const begun = await replayObject(context, asked.environment, by.actionId).begin(begunReplay(plan, asked, by));
  if (!begun.ok) return refusedByOps(context, begun.error);
  const { actionId } = begun.value;
  noteForAudit(context, { about: `partner/${asked.partner}`, detail: { actionId, requests: plan.requests } });
  return accepted(context, begun.value, begun.value.replayed);
}

function repeated(context: OpsContext, run: ReplayRun, asked: ReplayRequest, why: string): Response {
  if (run.fingerprint !== fingerprintOf(asked, why)) return refusedByOps(context, { code: 'key_reused' });
  return accepted(context, run, true);
}

function accepted(context: OpsContext, run: ReplayRun, isReplayed: boolean): Response {
  if (isReplayed) context.header('Idempotency-Replayed', 'true');
  const view = runView(run, totalsOf(run));
  context.header('Location', view.links.self);
  return context.json(view, 202);
}
