/**
 * `/v1/ops/loads/{loadNumber}`: a load of whichever partner of the environment has it; if several do, all are listed.
 */
import { Hono } from 'hono';
import { OPS_LOAD_LOCATIONS_MAX } from '../../kernel/limits.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { loadAnswer } from '../partner/loads.ts';
import type { LoadSeats } from '../views/load-lookup.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';

export function opsLoadRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:loadNumber', opsRoute(ports, ['partner', 'scac', 'order', 'limit', 'cursor'], load));
  return routes;
}

async function load(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const { environment: _, partner = null, ...asked } = context.req.query();
  const seats = await opsSeats(context, ports, { environment, partner });
  return seats.ok ? loadAnswer(context, seats.value, asked) : seats.error;
}

/** Everybody who may have a load in this environment. @param partner null: all. */
export async function opsSeats(
  context: OpsContext,
  ports: AppPorts,
  { environment, partner }: { environment: Environment; partner: string | null },
): Promise<Result<LoadSeats, Response>> {
  const known = await ports.partners(context.env).scacs(environment);
  if (!known.ok) return err(refusedByOps(context, known.error));
  const seats = [...known.value].map(([name, scacs]) => ({
    reader: { environment, partner: name, isOps: true },
    scacs,
  }));
  context.set('reader', { environment, partner: partner ?? '', isOps: true });
  const callsMax = OPS_LOAD_LOCATIONS_MAX;
  if (partner === null) return ok({ seats, callsMax });
  const own = seats.filter(({ reader }) => reader.partner === partner);
  return own.length > 0
    ? ok({ seats: own, callsMax })
    : err(refusedByOps(context, { code: 'partner_unknown', partner }));
}
