/** `/v1/ops/partners`: what is agreed with a partner about the envelopes of its interchanges. */
import { Hono } from 'hono';
import { z } from 'zod';
import { envelopeRules } from '../../batch/envelopes/validate.ts';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import type { AgreedEnvelopes, AgreedMapping } from '../../ops/directory/settings.ts';
import { answerMapping } from '../../upstream/statuses/answer-mapping.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { nameIn } from './changes.ts';
import { addFeedRoutes, forPartner as forKnownPartner } from './feeds.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, readJson, readOpsQuery } from './request.ts';

const envelopesChange = z.strictObject({
  rules: envelopeRules,
  note: z.string().trim().min(1).max(NOTE_CHARACTERS_MAX),
});

export function opsPartnerRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:name/envelopes', (context) =>
    forPartner(context, ports, (query) => ports.envelopes(context.env).read(query.environment, nameIn(context))),
  );
  routes.put('/:name/envelopes', async (context) => {
    const body = await readJson(context, envelopesChange);
    if (!body.ok) return problem(context, body.error);
    const { keyId, name: author } = context.get('operator');
    const asked = { ...body.value, keyId, author, atMs: Date.now() };
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
  note: z.string().trim().min(1).max(NOTE_CHARACTERS_MAX),
});

export function opsAnswerMappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/order-status', async (context) => {
    const query = readOpsQuery(context);
    if (!query.ok) return problem(context, query.error);
    const { environment } = query.value;
    const found = await ports.answerMappings(context.env).read(environment);
    return found.ok ? context.json(shownMapping(environment, found.value)) : refusedByOps(context, found.error);
  });
  routes.put('/order-status', async (context) => {
    const query = readOpsQuery(context);
    if (!query.ok) return problem(context, query.error);
    const body = await readJson(context, mappingChange);
    if (!body.ok) return problem(context, body.error);
    const { environment } = query.value;
    const { keyId, name: author } = context.get('operator');
    const { mapping, note } = body.value;
    const asked = { mapping, note, keyId, author, atMs: Date.now() };
    const set = await ports.answerMappings(context.env).set(environment, asked);
    if (!set.ok) return refusedByOps(context, set.error);
    await ports.feeds(context.env).spread(environment, set.value);
    return context.json(shownMapping(environment, set.value));
  });
  return routes;
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
