/**
 * `/v1/webhooks`: where the caller's system is notified, and how that goes. Addresses are agreed with the operator; events
 * are sent again, and the signing secret is renewed, by whoever holds a key.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { registerName } from '../../kernel/names.ts';
import { err, type Result } from '../../kernel/result.ts';
import type { ShownTarget, WebhooksRefusal } from '../../ops/webhooks/webhooks.ts';
import { WEBHOOK_DELIVERIES_PAGE_MAX } from '../../webhooks/limits.ts';
import { EVENT_ID_FORM, type WebhookDelivery } from '../../webhooks/target.ts';
import type { Answered } from '../contract/contract.ts';
import { type HttpBindings, scopeOf, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { onlyKnown, wholeNumber } from '../edge/query.ts';
import { withParameters } from '../edge/reader.ts';
import { refusedByOps } from '../ops/refusals.ts';
import { shownDeliveries, shownWebhook } from '../views/webhooks.ts';

type Own = Context<HttpBindings>;

export function webhookRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/', (context) => list(context, ports));
  routes.get('/:target', async (context) =>
    answered(context, await ports.webhooks(context.env).read(partnerOf(context), targetOf(context))),
  );
  routes.post('/:target/rotate', noParameters, (context) => rotate(context, ports));
  routes.get('/:target/deliveries', (context) => deliveries(context, ports));
  routes.post('/:target/deliveries/:event/send-again', noParameters, (context) => sendAgain(context, ports));
  return routes;
}

const noParameters: MiddlewareHandler = async (context, next) => {
  const known = onlyKnown(context.req.query(), []);
  if (!known.ok) return problem(context, known.error);
  await next();
  return undefined;
};

const partnerOf = (context: Own) => {
  const { partner, environment } = context.get('principal');
  return { partner, environment };
};
const targetOf = (context: Own): string => context.req.param('target') ?? '';

const answered = (context: Own, one: Result<ShownTarget, WebhooksRefusal>): Response =>
  one.ok
    ? context.json(shownWebhook(one.value) satisfies Answered<'GET /v1/webhooks/{target}'>)
    : refusedByOps(context, one.error);

async function list(context: Own, ports: AppPorts): Promise<Response> {
  const found = await ports.webhooks(context.env).list(partnerOf(context));
  if (!found.ok) return refusedByOps(context, found.error);
  return context.json({ webhooks: found.value.map(shownWebhook) } satisfies Answered<'GET /v1/webhooks'>);
}

async function rotate(context: Own, ports: AppPorts): Promise<Response> {
  const { keyId, partner: author } = context.get('principal');
  const by = { keyId, author, note: '', atMs: Date.now() };
  const renewed = await ports.webhooks(context.env).rotate(partnerOf(context), targetOf(context), by);
  if (renewed.ok) await noted(context, ports, 'webhook.rotate', {});
  return answered(context, renewed);
}

async function deliveries(context: Own, ports: AppPorts): Promise<Response> {
  const [id, limit] = [targetOf(context), WEBHOOK_DELIVERIES_PAGE_MAX];
  const before = wholeNumber(context.req.query('before') ?? undefined);
  const page = await ports.webhooks(context.env).deliveries(partnerOf(context), id, { before, limit });
  if (!page.ok) return refusedByOps(context, page.error);
  const last = page.value.length < limit ? undefined : page.value.at(-1);
  const seen = await asKeySees(context, page.value);
  return context.json({
    id,
    deliveries: await shownDeliveries(ports.batches(context.env), context.get('principal').environment, seen),
    next: last === undefined ? null : withParameters(context.req.path, { before: String(last.seq) }),
  } satisfies Answered<'GET /v1/webhooks/{target}/deliveries'>);
}

/** What the key does not see is not named: a batch of other SCACs or mappings, and orders where it is for mappings alone. */
async function asKeySees(context: Own, deliveries: readonly WebhookDelivery[]): Promise<WebhookDelivery[]> {
  const principal = context.get('principal');
  const ids = [...new Set(deliveries.flatMap(({ batchId }) => batchId ?? []))];
  const register = context.env.INTAKE_REGISTER.getByName(registerName(principal));
  const seen = new Set(ids.length === 0 ? [] : await register.known(ids, scopeOf(context)));
  return deliveries.map((each) => ({
    ...each,
    batchId: seen.has(each.batchId ?? '') ? each.batchId : null,
    orderRef: principal.mappings === null ? each.orderRef : null,
  }));
}

async function sendAgain(context: Own, ports: AppPorts): Promise<Response> {
  const [id, event] = [targetOf(context), context.req.param('event') ?? ''];
  const { partner } = context.get('principal');
  const sent: Result<null, WebhooksRefusal> = EVENT_ID_FORM.test(event)
    ? await ports.webhooks(context.env).sendAgain(partnerOf(context), id, event, partner)
    : err({ code: 'delivery_unknown', event });
  if (!sent.ok) return refusedByOps(context, sent.error);
  await noted(context, ports, 'webhook.send_again', { event });
  return context.json({ id, eventId: event });
}

/** It is done and has its own history: that the audit lacks it does not undo it. */
async function noted(context: Own, ports: AppPorts, action: string, detail: Record<string, string>): Promise<void> {
  const { keyId: by, partner: actor, environment } = context.get('principal');
  const entry = { environment, actor, action, about: `partner/${actor}`, why: '', atMs: Date.now() };
  await ports.audit(context.env).write({ ...entry, detail: { by, target: targetOf(context), ...detail } });
}
