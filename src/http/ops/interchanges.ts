/** `/v1/ops/interchanges`: which batch an EDI interchange came in, by the control number that its sender gave it. */
import { Hono } from 'hono';
import { callEach } from '../../batch/steps/dispatch.ts';
import type { KnownInterchange } from '../../intake/interchanges.ts';
import { iso } from '../../kernel/clock.ts';
import { OPS_LOAD_LOCATIONS_MAX } from '../../kernel/limits.ts';
import { registerName } from '../../kernel/names.ts';
import { partnersRequested } from '../../ops/dead-letters/dead-letters.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { unreadable } from '../edge/query.ts';
import { batchLinks, messageLinks } from '../edge/reader.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';

export function opsInterchangeRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['control', 'partner'], find));
  return routes;
}

const CONTROL_FORM = /^[\w.-]{1,35}$/;

async function find(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const control = get('control') ?? '';
  if (!CONTROL_FORM.test(control))
    return problem(context, unreadable('control', control, 'a control number, such as 000000905'));
  const asked = { environment, partner: get('partner') ?? null };
  const partners = await partnersRequested({ partners: ports.partners(context.env) }, asked);
  if (!partners.ok) return refusedByOps(context, partners.error);
  if (partners.value.length > OPS_LOAD_LOCATIONS_MAX)
    return refusedByOps(context, { code: 'partner_required', partners: partners.value.length });
  const found: (KnownInterchange & { partner: string })[] = [];
  await callEach([...partners.value], async (partner) => {
    const register = context.env.INTAKE_REGISTER.getByName(registerName({ environment, partner }));
    const known = await register.interchangesWith(control);
    found.push(...known.map((interchange) => ({ ...interchange, partner })));
  });
  found.sort((one, other) => other.claimedAtMs - one.claimedAtMs);
  return context.json({
    environment,
    control,
    interchanges: found.map(({ claimedAtMs, ...interchange }) => {
      const { partner, batchId, message } = interchange;
      const reader = { environment, partner, isOps: true };
      const links = message === null ? batchLinks(reader, batchId) : messageLinks(reader, batchId, message);
      return { ...interchange, receivedAt: iso(claimedAtMs), links: { self: links.self, console: links.console } };
    }),
  });
}
