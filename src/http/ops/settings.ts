/** `/v1/ops/partners`: what is agreed with a partner about the envelopes of its interchanges. */
import { Hono } from 'hono';
import { z } from 'zod';
import { envelopeRules } from '../../batch/envelopes/validate.ts';
import type { AgreedEnvelopes, AgreedMapping } from '../../ops/directory/settings.ts';
import { answerMapping } from '../../upstream/statuses/answer-mapping.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { nameIn } from './changes.ts';
import { addFeedRoutes, forPartner as forKnownPartner } from './feeds.ts';
import { refusedByOps } from './refusals.ts';
import { authorOf, type OpsQuery, opsRoute, readJson, reason } from './request.ts';

const envelopesChange = z.strictObject({
  rules: envelopeRules,
  note: reason,
});

export function opsPartnerRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:name/envelopes', (context) =>
    forPartner(context, ports, (query) => ports.envelopes(context.env).read(query.environment, nameIn(context))),
  );
  routes.put('/:name/envelopes', async (context) => {
    const body = await readJson(context, envelopesChange);
    if (!body.ok) return problem(context, body.error);
    const asked = { ...body.value, ...authorOf(context, body.value.note) };
    return forPartner(context, ports, (query) =>
      ports.envelopes(context.env).set(query.environment, nameIn(context), asked),
    );
  });
  addFeedRoutes(routes, ports);
  return routes;
}

type Answered = Awaited<ReturnType<ReturnType<AppPorts['envelopes']>['read']>>;

async function forPartner(
  context: OpsContext,
  ports: AppPorts,
  callGate: (query: OpsQuery) => Promise<Answered>,
): Promise<Response> {
  return forKnownPartner(context, ports, async (query) => {
    const answered = await callGate(query);
    return answered.ok
      ? context.json(shownEnvelopes(query.environment, nameIn(context), answered.value))
      : refusedByOps(context, answered.error);
  });
}

const shownEnvelopes = (
  environment: string,
  partner: string,
  { edition, rules, changedBy, changedAt, note }: AgreedEnvelopes,
) => ({
  environment,
  partner,
  edition,
  rules,
  changedBy,
  changedAt,
  note,
});

/* `/v1/ops/answer-mappings/order-status`: how answers of the order-status endpoints are read. */

const mappingChange = z.strictObject({
  mapping: answerMapping,
  note: reason,
});

export function opsAnswerMappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/order-status', opsRoute(ports, [], show));
  routes.put('/order-status', opsRoute(ports, [], set));
  return routes;
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const found = await ports.answerMappings(context.env).read(environment);
  return found.ok ? context.json(shownMapping(environment, found.value)) : refusedByOps(context, found.error);
}

async function set(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, mappingChange);
  if (!body.ok) return problem(context, body.error);
  const { mapping, note } = body.value;
  const changed = await ports.answerMappings(context.env).set(environment, { mapping, ...authorOf(context, note) });
  if (!changed.ok) return refusedByOps(context, changed.error);
  await ports.feeds(context.env).spread(environment, changed.value);
  return context.json(shownMapping(environment, changed.value));
}

const shownMapping = (environment: string, { edition, mapping, changedBy, changedAt, note }: AgreedMapping) => ({
  environment,
  name: 'order-status',
  edition,
  mapping,
  changedBy,
  changedAt,
  note,
});
