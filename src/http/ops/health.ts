/** `/v1/ops/health`: the status of channels, order feeds and webhooks; `/v1/ops/alerts`. */

import { Hono } from 'hono';
import { iso, scaledMs } from '../../kernel/clock.ts';
import { REFUSED_ALERT_MS } from '../../kernel/limits.ts';
import { messageOf } from '../../kernel/log.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ChannelHealth } from '../../ops/gates.ts';
import { FAULTS_ALERT_MS } from '../../ops/index/limits.ts';
import type { FailingWebhook } from '../../ops/webhooks/webhooks.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type OpsRefusal, refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';
import { type Alert, alertsOf } from './views/alerts.ts';
import { channelMessage } from './views/channel.ts';
import { feedHealth } from './views/feed.ts';

export function opsHealthRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], health));
  routes.get('/layers', opsRoute(ports, [], layers));
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
    webhooks: webhooks.ok ? webhooks.value.failing.map(failingMessage) : null,
  });
}

/** What the bridge stands on, each asked now: a failing one hides no other. 200 also where one fails: the caller reads `state`. */
async function layers(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const { env } = context;
  const [database, cache, files, channels] = await Promise.all([
    layer('database', () => ports.faults(env).ask()),
    layer('cache', () => env.TOKENS.get(HEALTH_KEY)),
    layer('files', () => env.FILES.head(HEALTH_KEY)),
    ports.gates(env).health(environment),
  ]);
  const all = [database, cache, files, ...channels.flatMap(channelLayers)];
  const state = all.every((each) => each.state === 'ok') ? 'ok' : 'failing';
  return context.json({ environment, state, layers: all });
}

/** Nothing is ever stored there. */
const HEALTH_KEY = 'health';

interface Layer {
  /** What it is of; null: of all. */
  channel: string | null;
  layer: 'database' | 'cache' | 'files' | 'objects' | 'token';
  state: 'ok' | 'failing';
  tookMs: number | null;
  detail: string | null;
}

async function layer(name: Layer['layer'], ask: () => Promise<unknown>): Promise<Layer> {
  const fromMs = Date.now();
  const of = (state: Layer['state'], detail: string | null): Layer => ({
    ...{ channel: null, layer: name, state, tookMs: Date.now() - fromMs, detail },
  });
  try {
    await ask();
    return of('ok', null);
  } catch (thrown) {
    return of('failing', messageOf(thrown));
  }
}

/** The gate is an object as all others are; the token is what it would send with. */
function channelLayers(found: ChannelHealth): Layer[] {
  const { channel } = found;
  const of = (name: Layer['layer'], detail: string | null): Layer => ({
    ...{ channel, layer: name, state: detail === null ? 'ok' : 'failing', tookMs: null, detail },
  });
  if (!found.reached) return [of('objects', found.detail)];
  const { auth } = found.health;
  return [of('objects', null), of('token', auth === null ? null : `${auth.why}, since ${iso(auth.sinceMs)}`)];
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
  const found = await alertsNow(context.env, ports, environment);
  return found.ok ? found : err(refusedByOps(context, found.error));
}

/** For the webhook of the operators, too. */
export async function alertsNow(
  env: Env,
  ports: AppPorts,
  environment: OpsQuery['environment'],
): Promise<Result<Alert[], OpsRefusal>> {
  const { clock } = ports.settings(env);
  const [channels, feeds, webhooks, alertWebhook, needs, keys, backlog, faults] = await Promise.all([
    ports.gates(env).health(environment),
    ports.feeds(env).list(environment),
    ports.webhooks(env).failing(environment),
    ports.alertWebhook(env).failing(environment),
    ports.batches(env).needs(environment, clock.nowMs() - scaledMs(REFUSED_ALERT_MS, clock)),
    ports.administered(env).endingKeys(environment),
    ports.backlog(env).read(environment),
    ports.faults(env).since(Date.now() - FAULTS_ALERT_MS),
  ]);
  if (!feeds.ok) return feeds;
  if (!webhooks.ok) return webhooks;
  if (!alertWebhook.ok) return alertWebhook;
  if (!needs.ok) return needs;
  if (!keys.ok) return keys;
  if (!backlog.ok) return backlog;
  if (!faults.ok) return faults;
  const found = { channels, feeds: feeds.value, webhooks: webhooks.value, alertWebhook: alertWebhook.value.failing };
  const rows = { needs: needs.value, keys: keys.value, backlog: backlog.value, faults: faults.value };
  return ok(alertsOf(environment, { ...found, ...rows }, clock));
}
