/** `/v1/ops/channels`: how channels are set up and how their gates are; testing one, and releasing what is stopped. */
import { Hono } from 'hono';
import * as z from 'zod';
import { messagesFor, type RefusalTable } from '../../kernel/refusals.ts';
import type { ChannelHealth, ChannelSetup, GateRefusal } from '../../ops/gates.ts';
import type { Scope } from '../../upstream/gate/breaker.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { nameIn } from './changes.ts';
import { type OpsQuery, opsRoute, readJson, reason, why } from './request.ts';
import { breakerMessage, channelMessage, setupMessage } from './views/channel.ts';

const isScope = (text: string): text is Scope =>
  text === 'channel' || text === 'auth' || /^(?:partner|scac):./.test(text);

const releaseBody = z.strictObject({
  scope: z.string().refine(isScope, 'must be channel, auth, partner:NAME or scac:SCAC, as /v1/ops/health spells it'),
  reason,
});

const testBody = z.strictObject({ why });

export function opsChannelRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], list));
  routes.get('/:name', opsRoute(ports, [], show));
  routes.post('/:name/test', opsRoute(ports, [], test));
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
  if (!released.ok) return refusedByGate(context, released.error);
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

/** A gate that cannot be reached hides nothing of the setup. */
const whole = (setup: ChannelSetup, health: ChannelHealth) => ({
  ...channelMessage(health),
  setup: setupMessage(setup),
});

async function list(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const gates = ports.gates(context.env);
  const health = await gates.health(environment);
  const setups = new Map(gates.setups(environment).map((setup) => [setup.name, setup]));
  const channels = health.flatMap((each) => {
    const setup = setups.get(each.channel);
    return setup === undefined ? [] : [whole(setup, each)];
  });
  return context.json({ environment, channels });
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const gates = ports.gates(context.env);
  const setup = gates.setup(environment, nameIn(context));
  if (!setup.ok) return refusedByGate(context, setup.error);
  return context.json({ environment, ...whole(setup.value, await gates.healthOf(environment, setup.value.name)) });
}

async function test(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, testBody);
  if (!body.ok) return problem(context, body.error);
  const channel = nameIn(context);
  const tested = await ports.gates(context.env).test(environment, channel);
  if (!tested.ok) return refusedByGate(context, tested.error);
  const { state, call } = tested.value;
  noteForAudit(context, { detail: { state, status: call?.status ?? null } });
  return context.json({ environment, channel, ...tested.value });
}

const refusedByGate = (context: OpsContext, refusal: GateRefusal): Response =>
  problem(context, { ...messagesFor(GATE_MESSAGES, refusal), code: refusal.code });

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
    fix: 'Send the request again: a repeat is safe.',
  }),
};
