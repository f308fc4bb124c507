/** `POST …/partners/{name}/erase`: erases all that a partner has in one environment; the plan says what, and what not. */
import { isoOrNull } from '../../../kernel/clock.ts';
import { reachable } from '../../../kernel/let-go.ts';
import type { PartnerScope } from '../../../kernel/names.ts';
import {
  erasePartner,
  type PartnerErasurePlan,
  type PartnerErasurePorts,
  planPartnerErasure,
} from '../../../ops/partner-erasure.ts';
import type { OpsContext } from '../../edge/context.ts';
import type { AppPorts } from '../../edge/ports.ts';
import { problem } from '../../edge/problem.ts';
import { nameIn } from '../changes.ts';
import { auditFacts } from '../keys.ts';
import { refusedByOps } from '../refusals.ts';
import { type OpsQuery, readJson } from '../request.ts';
import { eraseBody, refusedErasure } from './erasure-refusals.ts';

const STAYS = [
  'The receiving system keeps what it was sent: ask its operator.',
  'The name of the partner, its channel, its revoked keys without their secrets, and how much was delivered when. The audit and the list of actions keep who did what, and why.',
  'Mappings that were published for it, with their examples: publish them anew without.',
  'What it has in the other environment: erase it there, too.',
  'Files that somebody has downloaded, copies of the directory, and the backups of the platform, which end by themselves.',
] as const;

const portsOf = (env: Env): PartnerErasurePorts => ({
  database: env.DIRECTORY,
  register: (name) => reachable(() => env.INTAKE_REGISTER.getByName(name)),
  webhooks: (name) => reachable(() => env.WEBHOOKS.getByName(name)),
  feed: (name) => reachable(() => env.ORDER_FEED.getByName(name)),
});

export async function erasePartnerRoute(
  context: OpsContext,
  { environment, dryRun }: OpsQuery,
  { administered, audit }: AppPorts,
): Promise<Response> {
  const body = await readJson(context, eraseBody);
  if (!body.ok) return problem(context, body.error);
  const { env } = context;
  const found = await administered(env).read(environment, nameIn(context));
  if (!found.ok) return refusedByOps(context, found.error);
  const scope = { environment, partner: found.value.partner };
  const planned = await planPartnerErasure(portsOf(env), scope);
  if (!planned.ok) return refusedByOps(context, planned.error);
  const plan = planned.value;
  const view = planView(scope, plan, dryRun);
  if (dryRun) return context.json(view);
  const { confirm, why } = body.value;
  if (plan.openBatches > 0) return refusedErasure(context, 'erasure_under_way', { plan: view });
  if (confirm === undefined) return refusedErasure(context, 'erasure_unseen', { plan: view });
  if (confirm !== plan.confirm) return refusedErasure(context, 'erasure_changed', { plan: view });
  const { batches, keys, uploadLinks, webhooks } = plan;
  const facts = auditFacts(context, { why, environment, detail: { batches, keys, uploadLinks, webhooks } });
  const written = await audit(env).write(facts); // before: what breaks off has erased something already
  if (!written.ok) return refusedByOps(context, written.error);
  const begun = await erasePartner(portsOf(env), scope, plan, facts.atMs);
  return begun.ok ? context.json(view) : refusedByOps(context, begun.error);
}

const planView = (scope: PartnerScope, { feed, begunAtMs, ...plan }: PartnerErasurePlan, dryRun: boolean) => ({
  ...scope,
  dryRun,
  ...plan,
  hasFeed: feed !== null,
  begunAt: isoOrNull(begunAtMs),
  stays: STAYS,
});
