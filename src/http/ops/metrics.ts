/** `/v1/ops/metrics`: what was delivered, refused and invalid over time, how long it took, and what it cost. */
import { Hono } from 'hono';
import { DAY_MS, iso, MINUTE_MS } from '../../kernel/clock.ts';
import { METRICS_MS_MAX, METRICS_POINTS_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { METRICS_BY, type MetricsBy, type MetricsQuery } from '../../ops/index/metrics.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { readTime, unreadable } from '../edge/query.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';

export function opsMetricsRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['from', 'to', 'step', 'by'], metrics));
  return routes;
}

/** Points of an answer for which no step is asked for. Ours: as many as a graph shows well. */
const POINTS_USUAL = 144;
const STEPS_MINUTES = [1, 5, 10, 30, 60, 180, 360, 720, 1_440];

async function metrics(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const asked = readMetricsQuery(query, Date.now());
  if (!asked.ok) return problem(context, asked.error);
  const found = await ports.metrics(context.env).read(asked.value);
  if (!found.ok) return refusedByOps(context, found.error);
  const { points, total, names } = found.value;
  const { fromMs, toMs, stepMinutes, by, environment } = asked.value;
  return context.json({
    ...{ environment, from: iso(fromMs), to: iso(toMs), stepMinutes, by },
    total: withoutName(total),
    points: points.map(({ atMs, ...sums }) => ({ at: iso(atMs), ...withoutName(sums) })),
    names: by === null ? [] : names,
  });
}

const withoutName = <Sums extends { name: string }>({ name: _, ...sums }: Sums) => sums;

/** Without times: the day so far, which begins at midnight UTC. Nothing else is guessed. */
export function readMetricsQuery({ environment, get }: OpsQuery, nowMs: number): Result<MetricsQuery, ProblemMessages> {
  const parameters = { from: get('from'), to: get('to') };
  const from = readTime(parameters, 'from');
  if (!from.ok) return from;
  const to = readTime(parameters, 'to');
  if (!to.ok) return to;
  const fromMs = floored(from.value ?? nowMs - (nowMs % DAY_MS));
  const toMs = Math.ceil((to.value ?? nowMs) / MINUTE_MS) * MINUTE_MS;
  if (toMs <= fromMs || toMs - fromMs > METRICS_MS_MAX)
    return err(unreadable('to', get('to') ?? '', `a time after "from", at most ${METRICS_MS_MAX / DAY_MS} days later`));
  const minutes = (toMs - fromMs) / MINUTE_MS;
  const step = get('step');
  const stepMinutes =
    step === undefined ? (STEPS_MINUTES.find((each) => minutes / each <= POINTS_USUAL) ?? 1_440) : Number(step);
  if (!Number.isSafeInteger(stepMinutes) || stepMinutes < 1 || minutes / stepMinutes > METRICS_POINTS_MAX)
    return err(unreadable('step', step ?? '', `minutes, so many that there are at most ${METRICS_POINTS_MAX} points`));
  const by = get('by');
  if (by !== undefined && !isBy(by)) return err(unreadable('by', by, `one of ${METRICS_BY.join(', ')}`));
  return ok({ environment, fromMs, toMs, stepMinutes, by: by ?? null });
}

const floored = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
const isBy = (text: string): text is MetricsBy => (METRICS_BY as readonly string[]).includes(text);
