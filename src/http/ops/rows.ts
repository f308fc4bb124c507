/** `/v1/ops/rows`: undelivered rows of all partners that have a text. */
import { Hono } from 'hono';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readSearchedText, undeliveredRows } from '../views/undelivered-rows.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';

export function opsRowRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['text', 'partner'], search));
  return routes;
}

async function search(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const text = readSearchedText(get('text'));
  if (!text.ok) return problem(context, text.error);
  const wanted = { environment, partner: get('partner') ?? null, isOps: true, text: text.value };
  const found = await undeliveredRows(context, ports, wanted);
  return found.ok ? context.json(found.value) : refusedByOps(context, found.error);
}
