/** `/v1/ops/partners/{name}/webhooks`, `/v1/ops/alert-webhook`: where a partner, and operators, are notified, and how deliveries went. */

import { Hono } from 'hono';
import * as z from 'zod';
import type { PartnerScope } from '../../kernel/names.ts';
import { err, type Result } from '../../kernel/result.ts';
import type { OperatedWebhooks, ShownTarget, WebhooksRefusal } from '../../ops/webhooks/webhooks.ts';
import { WEBHOOK_DELIVERIES_PAGE_MAX } from '../../webhooks/limits.ts';
import { EVENT_ID_FORM, TARGET_ID_FORM, WEBHOOK_EVENTS } from '../../webhooks/target.ts';
import { adminOnly, type HttpBindings, type OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { wholeNumber } from '../edge/query.ts';
import { agreedWebhook, shownAlertDelivery, shownDeliveries } from '../views/webhooks.ts';
import { forPartner } from './feeds.ts';
import { refusedByOps } from './refusals.ts';
import { authorOf, type OpsQuery, opsRoute, readJson, reason } from './request.ts';

const wanted = z.strictObject({
  url: z.string().min(1),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1, { error: 'name at least one' })
    .transform((events) => [...new Set(events)]),
  enabled: z.boolean().default(true),
  note: reason,
});
const remark = z.strictObject({ note: reason });

interface TargetQuery {
  scope: PartnerScope;
  target: string;
  webhooks: OperatedWebhooks;
  get: OpsQuery['get'];
  ifMatch: OpsQuery['ifMatch'];
}

export function opsWebhookRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const base = '/:name/webhooks';
  routes.get(base, (context) =>
    readQuery(context, ports, async ({ scope, webhooks }) => {
      const found = await webhooks.list(scope);
      if (!found.ok) return refusedByOps(context, found.error);
      return context.json({ ...scope, webhooks: found.value.map(agreedWebhook) });
    }),
  );
  routes.get(`${base}/:target`, (context) =>
    readQuery(context, ports, async ({ scope, target, webhooks }) =>
      answered(context, scope, await webhooks.read(scope, target)),
    ),
  );
  routes.put(`${base}/:target`, async (context) => {
    const body = await readJson(context, wanted);
    if (!body.ok) return problem(context, body.error);
    const by = authorOf(context, body.value.note);
    return readQuery(context, ports, async ({ scope, target, webhooks, ifMatch }) =>
      answered(context, scope, await webhooks.set(scope, target, body.value, by, ifMatch)),
    );
  });
  routes.delete(`${base}/:target`, (context) =>
    readQuery(
      context,
      ports,
      async ({ scope, target, webhooks, get }) =>
        answered(context, scope, await webhooks.remove(scope, target, authorOf(context, get('note') ?? ''))),
      ['note'],
    ),
  );
  routes.post(`${base}/:target/rotate`, async (context) => {
    const body = await readJson(context, remark);
    if (!body.ok) return problem(context, body.error);
    return readQuery(context, ports, async ({ scope, target, webhooks }) =>
      answered(context, scope, await webhooks.rotate(scope, target, authorOf(context, body.value.note))),
    );
  });
  routes.get(`${base}/:target/deliveries`, (context) =>
    readQuery(context, ports, (asked) => deliveries(context, ports, asked), ['before']),
  );
  routes.post(`${base}/:target/deliveries/:event/send-again`, (context) =>
    readQuery(context, ports, async ({ scope, target, webhooks }) => {
      const event = context.req.param('event') ?? '';
      const sent: Result<null, WebhooksRefusal> = EVENT_ID_FORM.test(event)
        ? await webhooks.sendAgain(scope, target, event, context.get('operator').name)
        : err({ code: 'delivery_unknown', event });
      return sent.ok ? context.json({ ...scope, id: target, eventId: event }) : refusedByOps(context, sent.error);
    }),
  );
  return routes;
}

/** `/v1/ops/webhooks`: those of all partners. */
export function opsAllWebhooksRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get(
    '/',
    opsRoute(ports, [], async (context, { environment }) => {
      const found = await ports.webhooks(context.env).everywhere(environment);
      if (!found.ok) return refusedByOps(context, found.error);
      const webhooks = found.value.flatMap(({ partner, isReached, targets }) =>
        targets.map((target) => ({ partner, reached: isReached, ...agreedWebhook(target) })),
      );
      return context.json({ environment, webhooks });
    }),
  );
  return routes;
}

async function readQuery(
  context: OpsContext,
  ports: AppPorts,
  work: (asked: TargetQuery) => Promise<Response>,
  known: readonly string[] = [],
): Promise<Response> {
  const target = context.req.param('target') ?? '';
  const answer = async (scope: PartnerScope, { get, ifMatch }: OpsQuery): Promise<Response> =>
    target === '' || TARGET_ID_FORM.test(target)
      ? work({ scope, target, webhooks: ports.webhooks(context.env), get, ifMatch })
      : refusedByOps(context, { code: 'webhook_unknown', target });
  return forPartner(context, ports, answer, known);
}

const answered = (context: OpsContext, scope: PartnerScope, one: Result<ShownTarget, WebhooksRefusal>): Response =>
  one.ok ? context.json({ ...scope, ...agreedWebhook(one.value) }) : refusedByOps(context, one.error);

async function deliveries(
  context: OpsContext,
  ports: AppPorts,
  { scope, target, webhooks, get }: TargetQuery,
): Promise<Response> {
  const limit = WEBHOOK_DELIVERIES_PAGE_MAX;
  const page = await webhooks.deliveries(scope, target, {
    before: wholeNumber(get('before')),
    limit,
  });
  if (!page.ok) return refusedByOps(context, page.error);
  const last = page.value.length < limit ? undefined : page.value.at(-1);
  return context.json({
    ...scope,
    id: target,
    deliveries: await shownDeliveries(ports.batches(context.env), scope.environment, page.value),
    next: last === undefined ? null : `${context.req.path}?environment=${scope.environment}&before=${last.seq}`,
  });
}

/* `/v1/ops/alert-webhook`: where operators are told of alerts, and how that went. */

const wantedOfAlerts = wanted.omit({ events: true });

export function opsAlertWebhookRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], showOfAlerts));
  routes.put('/', adminOnly, opsRoute(ports, [], setOfAlerts));
  routes.delete('/', adminOnly, opsRoute(ports, ['note'], removeOfAlerts));
  routes.post('/rotate', adminOnly, opsRoute(ports, [], ofAlerts('rotate')));
  routes.post('/test', adminOnly, opsRoute(ports, [], ofAlerts('test')));
  return routes;
}

async function showOfAlerts(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const webhook = ports.alertWebhook(context.env);
  const found = await webhook.read(environment);
  if (!found.ok) return refusedByOps(context, found.error);
  if (found.value === null) return context.json({ environment, webhook: null, deliveries: [] });
  const sent = await webhook.deliveries(environment, WEBHOOK_DELIVERIES_PAGE_MAX);
  if (!sent.ok) return refusedByOps(context, sent.error);
  const deliveries = sent.value.map(shownAlertDelivery);
  return context.json({ environment, webhook: shownOfAlerts(found.value), deliveries });
}

async function setOfAlerts(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, wantedOfAlerts);
  if (!body.ok) return problem(context, body.error);
  const by = authorOf(context, body.value.note);
  const { environment, ifMatch } = query;
  const set = await ports.alertWebhook(context.env).set(environment, body.value, by, ifMatch);
  return answeredOfAlerts(context, query, set);
}

async function removeOfAlerts(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const by = authorOf(context, query.note);
  return answeredOfAlerts(context, query, await ports.alertWebhook(context.env).remove(query.environment, by));
}

const ofAlerts =
  (what: 'rotate' | 'test') =>
  async (context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> => {
    const body = await readJson(context, remark);
    if (!body.ok) return problem(context, body.error);
    const by = authorOf(context, body.value.note);
    return answeredOfAlerts(context, query, await ports.alertWebhook(context.env)[what](query.environment, by));
  };

const answeredOfAlerts = (
  context: OpsContext,
  { environment }: OpsQuery,
  one: Result<ShownTarget, WebhooksRefusal>,
): Response =>
  one.ok ? context.json({ environment, webhook: shownOfAlerts(one.value) }) : refusedByOps(context, one.error);

/** There is one, of all events about alerts. */
function shownOfAlerts(one: ShownTarget) {
  const { id: _, events: _events, ...webhook } = agreedWebhook(one);
  return webhook;
}
