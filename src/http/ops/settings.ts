/** `/v1/ops/partners`: what is agreed with a partner about the envelopes of its interchanges. */
import { Hono } from 'hono';
import * as z from 'zod';
import { type EnvelopeRules, envelopeRules } from '../../batch/envelopes/validate.ts';
import { shownDifferences } from '../../delivery/orders/merge-messages.ts';
import { SETTING_REVISIONS_SHOWN } from '../../kernel/limits.ts';
import type { PartnerScope } from '../../kernel/names.ts';
import type { Result } from '../../kernel/result.ts';
import { isSeen, type Revision, type RevisionRefusal, type SeenRevisions } from '../../ops/directory/settings.ts';
import { type OrderDocument, orderDifferences } from '../../upstream/contracts/order-difference.ts';
import { type AnswerMapping, answerMapping } from '../../upstream/statuses/answer-mapping.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { addFeedRoutes, forPartner } from './feeds.ts';
import { refusedByOps } from './refusals.ts';
import { authorOf, type OpsQuery, opsRoute, readJson, reason } from './request.ts';

const envelopesChange = z.strictObject({
  rules: envelopeRules,
  note: reason,
});

export function opsPartnerRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:name/envelopes', (context) =>
    forPartner(context, ports, async (scope) =>
      envelopes(context, scope, await ports.envelopes(context.env).read(scope)),
    ),
  );
  routes.get('/:name/envelopes/history', (context) =>
    forPartner(context, ports, async (scope) =>
      history(context, await ports.envelopes(context.env).history(scope, SETTING_REVISIONS_SHOWN), 'rules'),
    ),
  );
  routes.put('/:name/envelopes', async (context) => {
    const body = await readJson(context, envelopesChange);
    if (!body.ok) return problem(context, body.error);
    const { rules, note } = body.value;
    return forPartner(
      context,
      ports,
      async (scope, { dryRun, ifMatch }) => {
        const agreed = ports.envelopes(context.env);
        if (dryRun) return plan(context, await agreed.read(scope), rules, ifMatch);
        return envelopes(context, scope, await agreed.set(scope, rules, authorOf(context, note), ifMatch));
      },
      ['dryRun'],
    );
  });
  addFeedRoutes(routes, ports);
  return routes;
}

/** What a new value would change. */
function plan<Value extends object>(
  context: OpsContext,
  found: Result<Revision<Value>, RevisionRefusal>,
  wanted: Value,
  ifMatch: SeenRevisions,
): Response {
  if (!found.ok) return refusedByOps(context, found.error);
  const { edition, value } = found.value;
  if (!isSeen(edition, ifMatch)) return refusedByOps(context, { code: 'changed_meanwhile', edition });
  const changes = shownDifferences(orderDifferences(asDocument(value), asDocument(wanted)));
  return context.json({ dryRun: true, edition, changes });
}

/** As it is stored. */
const asDocument = (value: object): OrderDocument => JSON.parse(JSON.stringify(value)) as OrderDocument;

/** @param member what the value is called. */
const history = <Value extends object>(
  context: OpsContext,
  found: Result<Revision<Value>[], RevisionRefusal>,
  member: string,
): Response =>
  found.ok
    ? context.json({
        revisions: found.value.map(({ value, ...change }, index) => {
          const before = found.value[index + 1]?.value;
          const changes =
            before === undefined ? null : shownDifferences(orderDifferences(asDocument(before), asDocument(value)));
          return { ...change, [member]: value, changes };
        }),
      })
    : refusedByOps(context, found.error);

function envelopes(
  context: OpsContext,
  { environment, partner }: PartnerScope,
  agreed: Result<Revision<EnvelopeRules>, RevisionRefusal>,
): Response {
  if (!agreed.ok) return refusedByOps(context, agreed.error);
  const { edition, value: rules, changedBy, changedAt, note } = agreed.value;
  return context.json({ environment, partner, edition, rules, changedBy, changedAt, note });
}

/* `/v1/ops/answer-mappings/order-status`: how answers of the order-status endpoints are read. */

const mappingChange = z.strictObject({
  mapping: answerMapping,
  note: reason,
});

export function opsAnswerMappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/order-status', opsRoute(ports, [], show));
  routes.get(
    '/order-status/history',
    opsRoute(ports, [], async (context, { environment }) =>
      history(
        context,
        await ports.answerMappings(context.env).history(environment, SETTING_REVISIONS_SHOWN),
        'mapping',
      ),
    ),
  );
  routes.put('/order-status', opsRoute(ports, ['dryRun'], set));
  return routes;
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const found = await ports.answerMappings(context.env).read(environment);
  return found.ok ? context.json(shownMapping(environment, found.value)) : refusedByOps(context, found.error);
}

async function set(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, mappingChange);
  if (!body.ok) return problem(context, body.error);
  const { mapping, note } = body.value;
  const { environment, dryRun, ifMatch } = query;
  const mappings = ports.answerMappings(context.env);
  if (dryRun) return plan(context, await mappings.read(environment), mapping, ifMatch);
  const changed = await mappings.set(environment, mapping, authorOf(context, note), ifMatch);
  if (!changed.ok) return refusedByOps(context, changed.error);
  await ports.feeds(context.env).spread(environment, changed.value);
  return context.json(shownMapping(environment, changed.value));
}

const shownMapping = (
  environment: string,
  { edition, value, changedBy, changedAt, note }: Revision<AnswerMapping>,
) => ({
  environment,
  name: 'order-status',
  edition,
  mapping: value,
  changedBy,
  changedAt,
  note,
});
