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
import { foundAlerts } from './health.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';
import { METRICS_TYPE, metricsText } from './views/metrics-text.ts';

export function opsMetricsRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['from', 'to', 'step', 'by'], metrics));
  routes.get('/prometheus', opsRoute(ports, [], prometheus));
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

/** Sums that objects push, and the state of gates: nothing of a batch or load is asked. */
async function prometheus(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const { env } = context;
  const nowMs = ports.settings(env).clock.nowMs();
  const midnightMs = nowMs - (nowMs % DAY_MS);
  const [alerts, day, backlog, faults, channels] = await Promise.all([
    foundAlerts(context, ports, environment),
    ports.metrics(env).since(environment, midnightMs),
    ports.backlog(env).read(environment),
    ports.faults(env).since(midnightMs),
    ports.gates(env).health(environment),
  ]);
  if (!alerts.ok) return alerts.error;
  if (!day.ok) return refusedByOps(context, day.error);
  if (!backlog.ok) return refusedByOps(context, backlog.error);
  if (!faults.ok) return refusedByOps(context, faults.error);
  const facts = { nowMs, day: day.value, backlog: backlog.value, faults: faults.value, channels, alerts: alerts.value };
  return context.body(metricsText(facts), 200, { 'Content-Type': METRICS_TYPE });
}

const withoutName = <Sums extends { name: string }>({ name: _, ...sums }: Sums) => sums;

/** Without times: the day so far, which begins at midnight UTC. Nothing else is guessed. */
function readMetricsQuery({ environment, get }: OpsQuery, nowMs: number): Result<MetricsQuery, ProblemMessages> {
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
