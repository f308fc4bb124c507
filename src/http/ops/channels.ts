/** `/v1/ops/health` and `/v1/ops/channels`: how the channels stand, and what an operator lets go again. */
import { Hono } from 'hono';
import { z } from 'zod';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import type { ChannelHealth, GateRefusal } from '../../ops/gates.ts';
import type { FailingWebhook } from '../../ops/webhooks/failing.ts';
import type { Breaker, Scope } from '../../upstream/gate/breaker.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemWords, problem } from '../edge/problem.ts';
import { readJson } from './body.ts';
import { nameIn } from './changes.ts';
import { readOpsQuery } from './query.ts';
import { feedHealth } from './views/feed.ts';

const isScope = (text: string): text is Scope =>
  text === 'channel' || text === 'auth' || /^(?:partner|scac):./.test(text);

const releaseBody = z.strictObject({
  scope: z.string().refine(isScope, 'must be channel, auth, partner:NAME or scac:SCAC, as /v1/ops/health spells it'),
  reason: z.string().trim().min(1).max(NOTE_CHARACTERS_MAX),
});

export function opsHealthRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', async (context) => {
    const query = readOpsQuery(context);
    if (!query.ok) return problem(context, query.error);
    const { environment } = query.value;
    const channels = await ports.gates(context.env).health(environment);
    const feeds = await ports.feeds(context.env).list(environment);
    const webhooks = await ports.webhooks(context.env).failing(environment);
    return context.json({
      environment,
      channels: channels.map(channelWords),
      feeds: feeds.ok ? feeds.value.map((line) => feedHealth(line, Date.now())) : null,
      /** Those alone that take nothing, or were switched off for that. */
      webhooks: webhooks.ok ? webhooks.value.map(failingWords) : null,
    });
  });
  return routes;
}

export function opsChannelRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.post('/:name/release', (context) => release(context, ports));
  return routes;
}

async function release(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context);
  if (!query.ok) return problem(context, query.error);
  const body = await readJson(context, releaseBody);
  if (!body.ok) return problem(context, body.error);
  const { environment } = query.value;
  const { scope, reason } = body.value;
  const { keyId, name: author } = context.get('operator');
  const channel = nameIn(context);
  const released = await ports.gates(context.env).release(environment, channel, { scope, keyId, author, reason });
  if (!released.ok) return problem(context, refusalWords(released.error));
  const before = released.value;
  return context.json({
    environment,
    channel,
    scope,
    released: before !== null,
    before: before && breakerWords(before),
  });
}

const failingWords = ({
  partner,
  id,
  state,
  failingSinceMs,
  disabledReason,
  disabledAtMs,
  waiting,
}: FailingWebhook) => ({
  partner,
  id,
  state,
  failingSince: failingSinceMs === null ? null : iso(failingSinceMs),
  disabledReason,
  disabledAt: disabledAtMs === null ? null : iso(disabledAtMs),
  waiting,
});

function channelWords(found: ChannelHealth) {
  if (!found.reached) return { name: found.channel, state: 'unreachable', detail: found.detail };
  const { ratePerSecond, burst, permitsLeft, permitsOut, breakers, auth, parkedScacs, failingReads, token, audit } =
    found.health;
  return {
    name: found.channel,
    state: auth !== null || breakers.length > 0 ? 'stopped' : parkedScacs.length > 0 ? 'limited' : 'ok',
    bucket: { ratePerSecond, burst, permitsLeft, permitsOut },
    auth: auth && breakerWords(auth),
    breakers: breakers.map(breakerWords),
    parkedScacs: parkedScacs.map(breakerWords),
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
      before: breakerWords(before),
    })),
  };
}

const breakerWords = ({ scope, state, why, sinceMs, untilMs, probe, successes, lastFailure }: Breaker) => ({
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

const iso = (ms: number): string => new Date(ms).toISOString();

function refusalWords(refusal: GateRefusal): ProblemWords {
  if (refusal.code === 'unknown_channel') {
    return {
      status: 404,
      code: refusal.code,
      title: 'Channel unknown',
      detail: `There is no channel "${refusal.name.slice(0, 40)}" in this environment. Nothing was changed.`,
      fix: `Use one of ${refusal.known.join(', ')}.`,
    };
  }
  return {
    status: 503,
    code: refusal.code,
    title: 'Channel not reached',
    detail: `The gate of this channel did not answer: ${refusal.detail}`,
    fix: 'Send the request again in a minute; a repeat is safe.',
  };
}
