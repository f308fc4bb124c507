/** `/v1/ops/health`: the status of channels, order feeds and webhooks; `/v1/ops/alerts`. */

import { Hono } from 'hono';
import { iso, scaledMs } from '../../kernel/clock.ts';
import { REFUSED_ALERT_MS } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { FailingWebhook } from '../../ops/webhooks/webhooks.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';
import { type Alert, alertsOf } from './views/alerts.ts';
import { channelMessage } from './views/channel.ts';
import { feedHealth } from './views/feed.ts';

export function opsHealthRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], health));
  return routes;
}

async function health(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const channels = await ports.gates(context.env).health(environment);
  const feeds = await ports.feeds(context.env).list(environment);
  const webhooks = await ports.webhooks(context.env).failing(environment);
  return context.json({
    environment,
    channels: channels.map(channelMessage),
    feeds: feeds.ok ? feeds.value.map((line) => feedHealth(line, Date.now())) : null,
    /** Only those that accept nothing, or were switched off for that. */
    webhooks: webhooks.ok ? webhooks.value.map(failingMessage) : null,
  });
}

const failingMessage = (target: FailingWebhook) => ({
  partner: target.partner,
  id: target.id,
  state: target.state,
  failingSince: target.failingSinceMs === null ? null : iso(target.failingSinceMs),
  disabledReason: target.disabledReason,
  disabledAt: target.disabledAtMs === null ? null : iso(target.disabledAtMs),
  waiting: target.waiting,
});

/* `/v1/ops/alerts`: what needs a person in an environment, for a monitor that polls every few minutes. */

export function opsAlertRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], alerts));
  return routes;
}

async function alerts(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const found = await foundAlerts(context, ports, environment);
  return found.ok ? context.json({ environment, alerts: found.value }) : found.error;
}

export async function foundAlerts(
  context: OpsContext,
  ports: AppPorts,
  environment: OpsQuery['environment'],
): Promise<Result<Alert[], Response>> {
  const { env } = context;
  const { clock } = ports.settings(env);
  const [channels, feeds, webhooks, needs, keys] = await Promise.all([
    ports.gates(env).health(environment),
    ports.feeds(env).list(environment),
    ports.webhooks(env).failing(environment),
    ports.batches(env).needs(environment, clock.nowMs() - scaledMs(REFUSED_ALERT_MS, clock)),
    ports.administered(env).endingKeys(environment),
  ]);
  if (!feeds.ok) return err(refusedByOps(context, feeds.error));
  if (!webhooks.ok) return err(refusedByOps(context, webhooks.error));
  if (!needs.ok) return err(refusedByOps(context, needs.error));
  if (!keys.ok) return err(refusedByOps(context, keys.error));
  return ok(
    alertsOf(
      environment,
      { channels, feeds: feeds.value, webhooks: webhooks.value, needs: needs.value, keys: keys.value },
      clock,
    ),
  );
}
