/**
 * What ended when, over all batches of an environment: from the totals that batches wrote, by the minute for a month and by
 * the hour before that. What it cost, and which rows are not delivered now, is told by when the batches came in.
 */
import { DELIVERY_TIME_CLASSES, minuteTotalsMs, timeOfShare } from '../../batch/core/minutes.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/clock.ts';
import { HOUR_TOTALS_RETENTION_MS, TOTALS_SWEPT_AT_ONCE } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';

export const METRICS_BY = ['partner', 'channel'] as const;
export type MetricsBy = (typeof METRICS_BY)[number];

/** @property toMs not included. by null: all together. */
export interface MetricsQuery {
  environment: Environment;
  fromMs: number;
  toMs: number;
  stepMinutes: number;
  by: MetricsBy | null;
}

/**
 * @property times deliveries by the class of the time they took. name '': all together. refused, invalid: what ended so,
 * also where it was corrected since. deliveredRows, notDelivered: rows that are so now.
 */
interface Sums {
  name: string;
  delivered: number;
  refused: number;
  invalid: number;
  deliveredRows: number;
  notDelivered: number;
  dollars: number;
  times: readonly number[];
}

/** @property p50Ms, p95Ms half of the deliveries, and 95 of 100, took no longer; null: there were none. */
interface MetricsSums extends Omit<Sums, 'times'> {
  /** Of what ended; null: nothing did. */
  deliveredShare: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
}

interface MetricsPoint extends MetricsSums {
  atMs: number;
}

const CLASSES = Array.from({ length: DELIVERY_TIME_CLASSES }, (_, index) => `l${index}`);
const SUMS = ['delivered', 'refused', 'invalid', ...CLASSES].map((name) => `sum(${name}) AS ${name}`).join(', ');

type SumsRow = Record<string, number> & { name: string; slot: number };
type BatchesRow = { name: string; slot: number } & Pick<Sums, 'dollars' | 'deliveredRows' | 'notDelivered'>;

/** Pure. */
function shownSums({ times, ...sums }: Sums): MetricsSums {
  const ended = sums.delivered + sums.refused + sums.invalid;
  return {
    ...sums,
    deliveredShare: ended === 0 ? null : sums.delivered / ended,
    p50Ms: timeOfShare(times, 0.5),
    p95Ms: timeOfShare(times, 0.95),
  };
}

/** Pure. @returns the sum under this name. */
const together = (all: readonly Sums[], name: string): Sums => ({
  name,
  delivered: all.reduce((sum, each) => sum + each.delivered, 0),
  refused: all.reduce((sum, each) => sum + each.refused, 0),
  invalid: all.reduce((sum, each) => sum + each.invalid, 0),
  deliveredRows: all.reduce((sum, each) => sum + each.deliveredRows, 0),
  notDelivered: all.reduce((sum, each) => sum + each.notDelivered, 0),
  dollars: all.reduce((sum, each) => sum + each.dollars, 0),
  times: Array.from({ length: DELIVERY_TIME_CLASSES }, (_, at) =>
    all.reduce((sum, { times }) => sum + (times[at] ?? 0), 0),
  ),
});

/** Every step from the first to the last, also those in which nothing ended; then the sums. Pure. */
function metricsOf(
  { fromMs, toMs, stepMinutes }: MetricsQuery,
  rows: readonly SumsRow[],
  batches: readonly BatchesRow[],
) {
  const found = new Map<string, Sums & { slot: number }>();
  const at = (name: string, slot: number) => {
    const known = found.get(`${slot} ${name}`) ?? { ...together([], name), slot };
    found.set(`${slot} ${name}`, known);
    return known;
  };
  for (const row of rows) {
    const { delivered = 0, refused = 0, invalid = 0 } = row;
    Object.assign(at(row.name, row.slot), {
      delivered,
      refused,
      invalid,
      times: CLASSES.map((name) => row[name] ?? 0),
    });
  }
  for (const { name, slot, ...sums } of batches) Object.assign(at(name, slot), sums);
  const all = [...found.values()];
  const bySlot = Map.groupBy(all, ({ slot }) => slot);
  const slots = Math.ceil((toMs - fromMs) / (stepMinutes * MINUTE_MS));
  const points = Array.from({ length: slots }, (_, slot): MetricsPoint => {
    const { name: _name, ...sums } = shownSums(together(bySlot.get(slot) ?? [], ''));
    return { name: '', ...sums, atMs: fromMs + slot * stepMinutes * MINUTE_MS };
  });
  const names = [...Map.groupBy(all, ({ name }) => name)].map(([name, own]) => shownSums(together(own, name)));
  return {
    points,
    total: shownSums(together(all, '')),
    names: names.sort((one, other) => endedIn(other) - endedIn(one)),
  };
}

const endedIn = ({ delivered, refused, invalid }: MetricsSums): number => delivered + refused + invalid;

/** Of a partner on a channel. */
export interface DaySums {
  partner: string;
  channel: string;
  delivered: number;
  refused: number;
  invalid: number;
  /** Deliveries by the class of the time they took. */
  times: readonly number[];
}

interface Day {
  sums: DaySums[];
  dollars: { partner: string; dollars: number }[];
}

type FoundMetrics = ReturnType<typeof metricsOf>;

export type Metrics = ReturnType<typeof metricsIn>;

export const metricsIn = (database: D1Database) => ({
  /** Since then, by partner and channel: what a monitor counts on. @param sinceMs the beginning of a minute. */
  since: (environment: Environment, sinceMs: number): Promise<Result<Day, DirectoryUnavailable>> =>
    directoryReached(async () => {
      const ended = database
        .prepare(
          `SELECT partner, channel, ${SUMS} FROM minute_total WHERE environment = ? AND minute >= ?
           GROUP BY partner, channel ORDER BY partner, channel`,
        )
        .bind(environment, sinceMs / MINUTE_MS);
      const paid = database
        .prepare(
          `SELECT partner, sum(dollars) AS dollars FROM batch_index
           WHERE environment = ? AND received_at_ms >= ? AND dollars IS NOT NULL GROUP BY partner ORDER BY partner`,
        )
        .bind(environment, sinceMs);
      type Ended = Omit<DaySums, 'times'> & Record<string, unknown>;
      const [rows, dollars] = await database.batch<unknown>([ended, paid]);
      const sums = ((rows?.results ?? []) as Ended[]).map(
        ({ partner, channel, delivered, refused, invalid, ...row }) => ({
          ...{ partner, channel, delivered, refused, invalid },
          times: CLASSES.map((name) => Number(row[name] ?? 0)),
        }),
      );
      return ok({ sums, dollars: (dollars?.results ?? []) as Day['dollars'] });
    }),
  read: (asked: MetricsQuery): Promise<Result<FoundMetrics, DirectoryUnavailable>> =>
    directoryReached(async () => {
      const { environment, fromMs, toMs, stepMinutes, by } = asked;
      const name = by === null ? `''` : `coalesce(${by}, '')`;
      const counted = database
        .prepare(
          `SELECT ${name} AS name, CAST((minute - ?2) / ?4 AS INTEGER) AS slot, ${SUMS} FROM minute_total
           WHERE environment = ?1 AND minute >= ?2 AND minute < ?3 GROUP BY 1, 2`,
        )
        .bind(environment, fromMs / MINUTE_MS, Math.ceil(toMs / MINUTE_MS), stepMinutes);
      const received = database
        .prepare(
          `SELECT ${name} AS name, CAST((received_at_ms - ?2) / ?4 AS INTEGER) AS slot, sum(coalesce(dollars, 0)) AS dollars,
             sum(CASE is_dry_run WHEN 0 THEN coalesce(row_states ->> '$.delivered', 0) ELSE 0 END) AS deliveredRows,
             sum(CASE is_dry_run WHEN 0 THEN refused ELSE 0 END) AS notDelivered FROM batch_index
           WHERE environment = ?1 AND received_at_ms >= ?2 AND received_at_ms < ?3 GROUP BY 1, 2`,
        )
        .bind(environment, fromMs, toMs, stepMinutes * MINUTE_MS);
      const [rows, batches] = await database.batch<SumsRow | BatchesRow>([counted, received]);
      return ok(metricsOf(asked, (rows?.results ?? []) as SumsRow[], (batches?.results ?? []) as BatchesRow[]));
    }),
});

/**
 * Minutes that are past their retention become hours, of all batches of a partner and channel together; hours go at the end of
 * theirs. One transaction, so that nothing is counted twice. Never throws: the next run repeats it.
 */
export async function sweepTotals(
  database: D1Database,
  nowMs: number,
  minutesKeptMs = minuteTotalsMs(),
): Promise<void> {
  const hourMinutes = HOUR_MS / MINUTE_MS;
  const wholeHour = (ms: number): number => Math.floor(ms / HOUR_MS) * hourMinutes;
  const before = wholeHour(nowMs - minutesKeptMs);
  const gone = wholeHour(nowMs - HOUR_TOTALS_RETENTION_MS);
  const due = `SELECT environment, minute, batch_id, partner, channel FROM minute_total
               WHERE environment = ?1 AND minute < ?2 AND batch_id <> '' ORDER BY minute LIMIT ?3`;
  try {
    for (const environment of ['test', 'production'] as const) {
      const bound = (sql: string, ...values: unknown[]) => database.prepare(sql).bind(environment, ...values);
      await database.batch([
        bound(
          `INSERT INTO minute_total (environment, minute, batch_id, partner, channel, delivered, refused, invalid, ${CLASSES.join(', ')})
           SELECT environment, minute - minute % ${hourMinutes} AS hour, '', partner, channel, ${SUMS}
           FROM minute_total WHERE (environment, minute, batch_id, partner, channel) IN (${due})
           GROUP BY environment, hour, partner, channel
           ON CONFLICT (environment, minute, batch_id, partner, channel) DO UPDATE SET
             ${['delivered', 'refused', 'invalid', ...CLASSES].map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
          before,
          TOTALS_SWEPT_AT_ONCE,
        ),
        bound(
          `DELETE FROM minute_total WHERE (environment, minute, batch_id, partner, channel) IN (${due})`,
          before,
          TOTALS_SWEPT_AT_ONCE,
        ),
        bound(`DELETE FROM minute_total WHERE environment = ?1 AND minute < ?2`, gone),
      ]);
    }
  } catch (thrown) {
    log('warn', 'totals_not_swept', { detail: messageOf(thrown) });
  }
}
