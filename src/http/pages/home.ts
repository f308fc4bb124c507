/** `/console`: the first page of both roles. A partner's batches; for an operator what needs somebody, and those of all partners. */
import type { Context } from 'hono';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { homePath } from '../edge/reader.ts';
import { foundAlerts } from '../ops/alerts.ts';
import { BATCH_LIST_PARAMETERS, nextMark, readBatchList, writeBatchMark } from '../ops/batch-list.ts';
import { readOpsQuery } from '../ops/query.ts';
import { refusedByOps } from '../ops/refusals.ts';
import { batchLine } from '../ops/views/batch.ts';
import { PAGE_POLICY } from './policy.ts';
import type { HomeOfOps } from './views.ts';

const BATCHES_PER_PAGE = 50;

export async function homePage(context: Context<HttpBindings>, ports: AppPorts): Promise<Response> {
  const parameters = filledIn(context.req.query());
  const whose = readWhose(context);
  if (!whose.ok) return whose.error;
  const { environment, partner } = whose.value;
  const asked = readBatchList(
    partner === null ? parameters : { ...parameters, partner },
    environment,
    BATCHES_PER_PAGE,
  );
  if (!asked.ok) return problem(context, asked.error);
  const { environment: _, cursor, ...filters } = parameters;
  const isFirst = cursor === undefined && Object.keys(filters).length === 0;
  const ops = partner === null ? await homeOfOps(context, ports, environment, isFirst) : ok(null);
  if (!ops.ok) return ops.error;
  const found = await ports.batches(context.env).list(asked.value);
  if (!found.ok) return refusedByOps(context, found.error);
  const mark = nextMark(found.value, asked.value.limit);
  const whole = partner === null ? { environment, ...filters } : filters;
  context.header('Content-Security-Policy', PAGE_POLICY);
  return context.html(
    ports.pages.home({
      environment,
      asked: filters,
      batches: found.value.map(batchLine),
      next: mark === null ? null : homePath({ ...whole, cursor: writeBatchMark(mark) }),
      ops: ops.value,
    }),
  ) as Response;
}

/** A form sends what was left empty, too. */
const filledIn = (parameters: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value.trim() !== ''));

/** @property partner null: of all, for an operator. */
function readWhose(
  context: Context<HttpBindings>,
): Result<{ environment: Environment; partner: string | null }, Response> {
  if (context.get('operator') === undefined) return ok(context.get('principal'));
  const query = readOpsQuery(context, BATCH_LIST_PARAMETERS);
  return query.ok ? ok({ environment: query.value.environment, partner: null }) : err(problem(context, query.error));
}

async function homeOfOps(
  context: Context<HttpBindings>,
  ports: AppPorts,
  environment: Environment,
  isFirst: boolean,
): Promise<Result<HomeOfOps, Response>> {
  const partners = await ports.partners(context.env).names(environment);
  if (!partners.ok) return err(refusedByOps(context, partners.error));
  const alerts = isFirst ? await foundAlerts(context, ports, environment) : ok(null);
  if (!alerts.ok) return alerts;
  const { environments } = context.get('operator');
  return ok({ environments, partners: partners.value, alerts: alerts.value });
}
