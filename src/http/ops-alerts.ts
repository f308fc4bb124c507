/** `/v1/ops/alerts`: what needs a person in an environment, for a monitor that asks every few minutes. */
import { Hono } from 'hono';
import { heldOf } from '../ops/held.ts';
import { type Alert, alertsOf } from './alerts.ts';
import type { HttpBindings } from './bindings.ts';
import { letterPorts } from './ops-actions.ts';
import type { OpsContext } from './ops-changes.ts';
import { type OpsQuery, readOpsQuery } from './ops-query.ts';
import { refusedByOps } from './ops-refusals.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';

export function opsAlertRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', async (context) => {
    const query = readOpsQuery(context);
    if (!query.ok) return problem(context, query.error);
    const found = await foundAlerts(context, ports, query.value.environment);
    if (!found.ok) return found.answer;
    return context.json({ environment: query.value.environment, alerts: found.alerts, isWhole: found.isWhole });
  });
  return routes;
}

/** @property isWhole false: not every open batch was asked what it holds. */
export type FoundAlerts = { ok: true; alerts: Alert[]; isWhole: boolean } | { ok: false; answer: Response };

export async function foundAlerts(
  context: OpsContext,
  ports: AppPorts,
  environment: OpsQuery['environment'],
): Promise<FoundAlerts> {
  const { env } = context;
  const [channels, feeds, webhooks, held] = await Promise.all([
    ports.gates(env).health(environment),
    ports.feeds(env).list(environment),
    ports.webhooks(env).failing(environment),
    heldOf(letterPorts(context, ports), environment),
  ]);
  if (!feeds.ok) return { ok: false, answer: refusedByOps(context, feeds.error) };
  if (!webhooks.ok) return { ok: false, answer: refusedByOps(context, webhooks.error) };
  if (!held.ok) return { ok: false, answer: refusedByOps(context, held.error) };
  const { clock } = ports.settings(env);
  const facts = { channels, feeds: feeds.value, webhooks: webhooks.value, held: held.value.held };
  return { ok: true, alerts: alertsOf(facts, clock), isWhole: held.value.isWhole };
}
