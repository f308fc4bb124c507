/** `/v1/ops/mapping-proposals`: what partners propose, what it would change, and publishing or declining it. */
import { Hono } from 'hono';
import * as z from 'zod';
import { log } from '../../kernel/log.ts';
import { err } from '../../kernel/result.ts';
import { PROPOSAL_STATES, type Proposal } from '../../ops/publishing/proposals.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { unreadable } from '../edge/query.ts';
import { proposalLine, proposalRefused, proposalWhole } from '../views/mapping-proposal.ts';
import { differencesShown, versionTag } from '../views/mapping-views.ts';
import { refused } from './changes.ts';
import { type OpsQuery, opsRoute, readJson, why } from './request.ts';

const decisionBody = z.strictObject({ why });

export function opsMappingProposalRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['state'], list));
  routes.get('/:id', opsRoute(ports, [], show));
  routes.post('/:id/publish', opsRoute(ports, ['dryRun'], publish));
  routes.post('/:id/decline', opsRoute(ports, [], decline));
  return routes;
}

const idIn = (context: OpsContext): string => context.req.param('id') ?? '';

async function list(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const wanted = get('state');
  const state = PROPOSAL_STATES.find((each) => each === wanted) ?? null;
  if (wanted !== undefined && state === null) {
    return problem(context, unreadable('state', wanted, `one of ${PROPOSAL_STATES.join(', ')}`));
  }
  const found = await ports.proposals(context.env).list({ environment, partner: null }, state);
  if (!found.ok) return proposalRefused(context, found.error);
  const { proposals, isCut } = found.value;
  return context.json({ environment, proposals: proposals.map(proposalLine), isCut });
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const found = await ports.proposals(context.env).find({ environment, partner: null }, idIn(context));
  return found.ok
    ? context.json({ environment, ...proposalWhole(found.value) })
    : proposalRefused(context, found.error);
}

/** As its partner wrote it. A new mapping is for that partner; whom an existing one is for stays as it is. */
async function publish(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, decisionBody);
  if (!body.ok) return problem(context, body.error);
  const { environment, dryRun, ifMatch } = query;
  const proposals = ports.proposals(context.env);
  const found = await proposals.find({ environment, partner: null }, idIn(context));
  if (!found.ok) return proposalRefused(context, found.error);
  if (found.value.state !== 'open')
    return proposalRefused(context, { code: 'proposal_decided', state: found.value.state });
  const changed = await changeTo(context, ports, found.value, { environment, dryRun, ifMatch, note: body.value.why });
  if (!changed.ok) return refused(context, changed.error);
  const { differences, ...outcome } = changed.value;
  const { name, partner, id } = found.value;
  if (!dryRun) {
    noteForAudit(context, { about: `mapping/${name}`, detail: { proposal: id, partner, sha256: outcome.sha256 } });
    const decision = { state: 'published', by: context.get('operator').name, reason: body.value.why } as const;
    const decided = await proposals.decide({ environment, partner: null }, id, decision);
    // It may have been withdrawn or declined meanwhile: the mapping is in use all the same, and that is what is said.
    if (!decided.ok) log('warn', 'proposal_not_decided', { detail: `${name}, ${id}: ${decided.error.code}` });
  }
  if (!dryRun) context.header('ETag', versionTag(outcome.sha256));
  return context.json({ id, name, partner, environment, dryRun, ...outcome, ...differencesShown(differences) });
}

async function changeTo(
  context: OpsContext,
  ports: AppPorts,
  { name, partner, written }: Proposal,
  { environment, dryRun, ifMatch, note }: Pick<OpsQuery, 'environment' | 'dryRun' | 'ifMatch' | 'note'>,
) {
  const known = await ports.catalog(context.env).mapping({ environment, partner: null }, name);
  if (!known.ok) return known;
  const own = await ports.catalog(context.env).mapping({ environment, partner }, name);
  if (!own.ok) return own;
  // One that the partner may not use is somebody else's: what they propose must not take its place.
  if (known.value !== undefined && own.value === undefined) return err({ code: 'owners_differ', name } as const);
  const { keyId, name: author } = context.get('operator');
  return ports.publishing(context.env).change({
    ...{ environment, name, dryRun, note, ifMatch },
    aim: { artifact: 'mapping', written },
    by: { keyId, name: author },
    owners: known.value === undefined ? [partner] : null,
  });
}

async function decline(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, decisionBody);
  if (!body.ok) return problem(context, body.error);
  const decision = { state: 'declined', by: context.get('operator').name, reason: body.value.why } as const;
  const decided = await ports.proposals(context.env).decide({ environment, partner: null }, idIn(context), decision);
  if (!decided.ok) return proposalRefused(context, decided.error);
  noteForAudit(context, { detail: { partner: decided.value.partner, name: decided.value.name } });
  return context.json({ environment, ...proposalLine(decided.value) });
}
