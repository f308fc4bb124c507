/** `/v1/ops/health` and `/v1/ops/channels`: the status of the channels, and their release by an operator. */

import { Hono } from 'hono';
import { z } from 'zod';
import { iso, scaledMs } from '../../kernel/clock.ts';
import { REFUSED_ALERT_MS } from '../../kernel/limits.ts';
import { messagesFor, type RefusalTable } from '../../kernel/refusals.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ChannelHealth, GateRefusal } from '../../ops/gates.ts';
import type { FailingWebhook } from '../../ops/webhooks/webhooks.ts';
import type { Breaker, Scope } from '../../upstream/gate/breaker.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { nameIn } from './changes.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute, readJson, reason } from './request.ts';
import { type Alert, alertsOf } from './views/alerts.ts';
import { feedHealth } from './views/feed.ts';

const isScope = (text: string): text is Scope =>
  text === 'channel' || text === 'auth' || /^(?:partner|scac):./.test(text);

const releaseBody = z.strictObject({
  scope: z.string().refine(isScope, 'must be channel, auth, partner:NAME or scac:SCAC, as /v1/ops/health spells it'),
  reason,
});

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

export function opsChannelRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.post('/:name/release', opsRoute(ports, [], release));
  return routes;
}

async function release(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, releaseBody);
  if (!body.ok) return problem(context, body.error);
  const { scope, reason } = body.value;
  const { keyId, name: author } = context.get('operator');
  const channel = nameIn(context);
  const released = await ports.gates(context.env).release(environment, channel, { scope, keyId, author, reason });
  if (!released.ok) {
    const { error } = released;
    return problem(context, { ...messagesFor(GATE_MESSAGES, error), code: error.code });
  }
  const before = released.value;
  noteForAudit(context, { detail: { scope, released: released.value !== null } });
  return context.json({
    environment,
    channel,
    scope,
    released: before !== null,
    before: before && breakerMessage(before),
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

function channelMessage(found: ChannelHealth) {
  if (!found.reached) return { name: found.channel, state: 'unreachable', detail: found.detail };
  const { ratePerSecond, burst, permitsLeft, permitsOut, breakers, auth, parkedScacs, failingReads, token, audit } =
    found.health;
  return {
    name: found.channel,
    state: auth !== null || breakers.length > 0 ? 'stopped' : parkedScacs.length > 0 ? 'limited' : 'ok',
    bucket: { ratePerSecond, burst, permitsLeft, permitsOut },
    auth: auth && breakerMessage(auth),
    breakers: breakers.map(breakerMessage),
    parkedScacs: parkedScacs.map(breakerMessage),
    failingReads: failingReads.map(({ api, sinceMs, lastMs, status, detail }) => ({
      api,
      since: iso(sinceMs),
      last: iso(lastMs),
      status,
      detail,
    })),
    token: token && { fingerprint: token.fingerprint, expiresAt: iso(token.expiresAtMs) },
    releases: audit.map(({ atMs, keyId, author, reason, scope, before }) => ({
      at: iso(atMs),
      keyId,
      author,
      reason,
      scope,
      before: breakerMessage(before),
    })),
  };
}

const breakerMessage = ({ scope, state, why, sinceMs, untilMs, probe, successes, lastFailure }: Breaker) => ({
  scope,
  state,
  why,
  since: iso(sinceMs),
  nextProbe: iso(untilMs),
  probing: probe !== null,
  probesPassed: successes,
  lastFailure: lastFailure && {
    at: iso(lastFailure.atMs),
    subject: lastFailure.subject,
    status: lastFailure.status,
    detail: lastFailure.detail,
  },
});

const GATE_MESSAGES: RefusalTable<GateRefusal> = {
  unknown_channel: ({ name, known }) => ({
    status: 404,
    title: 'Channel unknown',
    detail: `There is no channel "${name.slice(0, 40)}" in this environment. Nothing was changed.`,
    fix: `Use one of ${known.join(', ')}.`,
  }),
  gate_unavailable: ({ detail }) => ({
    status: 503,
    title: 'Channel not reached',
    detail: `The gate of this channel did not answer: ${detail}`,
    fix: 'Send the request again in a minute; a repeat is safe.',
  }),
};

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
