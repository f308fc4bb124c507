/** What a monitor scrapes, in the text format of Prometheus (0.0.4). Pure. */
import { DELIVERY_TIME_BOUNDS_MS } from '../../../batch/core/minutes.ts';
import { SECOND_MS } from '../../../kernel/clock.ts';
import type { ChannelHealth } from '../../../ops/gates.ts';
import { type BacklogLine, MOVING_ROWS } from '../../../ops/index/backlog.ts';
import type { FaultCount } from '../../../ops/index/faults.ts';
import type { DaySums } from '../../../ops/index/metrics.ts';
import type { Alert } from './alerts.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** @property day counted since midnight UTC, faults too. */
interface MetricsFacts {
  nowMs: number;
  day: { sums: readonly DaySums[]; dollars: readonly { partner: string; dollars: number }[] };
  backlog: readonly BacklogLine[];
  channels: readonly ChannelHealth[];
  faults: readonly FaultCount[];
  alerts: readonly Alert[];
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number, suffix?: string];

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function family(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): string {
  if (samples.length === 0) return '';
  const lines = samples.map(([labels, value, suffix = '']) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `transload_${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
  });
  return `# HELP transload_${name} ${help}\n# TYPE transload_${name} ${type}\n${lines.join('\n')}\n`;
}

const SINCE = 'since midnight UTC';

/** Counters begin again at midnight UTC, as a restart of a program would begin them. */
export function metricsText({ nowMs, day, backlog, channels, faults, alerts }: MetricsFacts): string {
  const seconds = (sinceMs: number): number => Math.max(0, Math.round((nowMs - sinceMs) / SECOND_MS));
  const moving = [
    ...Map.groupBy(
      backlog.filter(({ state }) => MOVING_ROWS.includes(state)),
      ({ partner }) => partner,
    ),
  ];
  return [
    family('requests_total', 'counter', `Requests that ended, ${SINCE}.`, day.sums.flatMap(endedSamples)),
    family(
      'rows_invalid_total',
      'counter',
      `Rows that never became a request, ${SINCE}.`,
      day.sums.map((sums) => [labelsOf(sums), sums.invalid]),
    ),
    family(
      'delivery_seconds',
      'histogram',
      `From the receipt of a file to the delivery of a request, ${SINCE}.`,
      day.sums.flatMap(timeSamples),
    ),
    family(
      'cost_dollars_total',
      'counter',
      `What the batches that came in cost at list price, ${SINCE}.`,
      day.dollars.map(({ partner, dollars }) => [{ partner }, dollars]),
    ),
    family(
      'rows_open',
      'gauge',
      'Rows of open batches, by state.',
      backlog.map(({ partner, state, rows }) => [{ partner, state }, rows]),
    ),
    family(
      'oldest_open_row_seconds',
      'gauge',
      'Since the file with the oldest row under way came in.',
      moving.map(([partner, lines]) => [{ partner }, seconds(Math.min(...lines.map(({ oldestMs }) => oldestMs)))]),
    ),
    family(
      'channel_reached',
      'gauge',
      '1: the gate of the channel answers.',
      channels.map(({ channel, reached }) => [{ channel }, Number(reached)]),
    ),
    family('breaker_open', 'gauge', '1: sending is stopped there.', channels.flatMap(breakerSamples)),
    family(
      'permits_left',
      'gauge',
      'Requests that a channel may send at once.',
      channels.flatMap((each): Sample[] =>
        each.reached ? [[{ channel: each.channel }, each.health.permitsLeft]] : [],
      ),
    ),
    family(
      'faults_total',
      'counter',
      `Errors of the bridge itself as its log names them: answers of 5xx, failed wake-ups, ${SINCE}.`,
      faults.map(({ event, count }) => [{ event }, count]),
    ),
    family(
      'alerts',
      'gauge',
      'What needs somebody: docs/reference/runbook.md.',
      [...Map.groupBy(alerts, ({ code }) => code)].map(([code, all]) => [{ code }, all.length]),
    ),
  ].join('');
}

const labelsOf = ({ partner, channel }: DaySums): Labels => ({ partner, channel });

const endedSamples = (sums: DaySums): Sample[] =>
  (['delivered', 'refused'] as const).map((outcome) => [{ ...labelsOf(sums), outcome }, sums[outcome]]);

/** The classes of a day's totals, each with all that were faster. What they add up to is not known, so there is no `_sum`. */
function timeSamples(sums: DaySums): Sample[] {
  let under = 0;
  const buckets = sums.times.map((count, index): Sample => {
    under += count;
    const bound = DELIVERY_TIME_BOUNDS_MS[index];
    return [{ ...labelsOf(sums), le: bound === undefined ? '+Inf' : String(bound / SECOND_MS) }, under, '_bucket'];
  });
  return [...buckets, [labelsOf(sums), under, '_count']];
}

function breakerSamples(found: ChannelHealth): Sample[] {
  if (!found.reached) return [];
  const { auth, breakers, parkedScacs } = found.health;
  const open = [...(auth === null ? [] : [auth]), ...breakers, ...parkedScacs];
  return open.map(({ scope, why }) => [{ channel: found.channel, scope, why }, 1]);
}
