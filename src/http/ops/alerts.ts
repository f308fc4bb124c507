/** `/v1/ops/alerts`: what needs a person in an environment, for a monitor that asks every few minutes. */
import { Hono } from 'hono';
import { scaledMs } from '../../kernel/clock.ts';
import { REFUSED_ALERT_MS } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { type OpsQuery, readOpsQuery } from './query.ts';
import { refusedByOps } from './refusals.ts';
import { type Alert, alertsOf } from './views/alerts.ts';

export function opsAlertRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', async (context) => {
    const query = readOpsQuery(context);
    if (!query.ok) return problem(context, query.error);
    const found = await foundAlerts(context, ports, query.value.environment);
    if (!found.ok) return found.error;
    return context.json({ environment: query.value.environment, alerts: found.value });
  });
  return routes;
}

export async function foundAlerts(
  context: OpsContext,
  ports: AppPorts,
  environment: OpsQuery['environment'],
): Promise<Result<Alert[], Response>> {
  const { env } = context;
  const { clock } = ports.settings(env);
  const [channels, feeds, webhooks, needs] = await Promise.all([
    ports.gates(env).health(environment),
    ports.feeds(env).list(environment),
    ports.webhooks(env).failing(environment),
    ports.batches(env).needs(environment, clock.nowMs() - scaledMs(REFUSED_ALERT_MS, clock)),
  ]);
  if (!feeds.ok) return err(refusedByOps(context, feeds.error));
  if (!webhooks.ok) return err(refusedByOps(context, webhooks.error));
  if (!needs.ok) return err(refusedByOps(context, needs.error));
  return ok(
    alertsOf(environment, { channels, feeds: feeds.value, webhooks: webhooks.value, needs: needs.value }, clock),
  );
}
