/** Of the first page: what fails alike, and how the day goes so far, from the totals that the batches wrote. */
import type { Child, FC } from 'hono/jsx';
import type { IssueLine } from '../../http/ops/views/issue.ts';
import type { MetricsSums } from '../../ops/index/metrics.ts';
import type { Page } from '../page.ts';
import { dollarsText, Empty, inText } from '../parts/basics.tsx';
import { ColumnChart, durationText, shareText } from '../parts/chart.tsx';
import { PartnerLink } from '../parts/links.tsx';
import { Table } from '../parts/table.tsx';
import { IssueTable } from './issues/issues.tsx';

type Sums = Omit<MetricsSums, 'name'>;

/** As `GET /v1/ops/metrics` answers. */
export interface MetricsAnswer {
  from: string;
  to: string;
  stepMinutes: number;
  total: Sums;
  points: (Sums & { at: string })[];
  names: MetricsSums[];
}

export const OpenIssues: FC<{ page: Page; issues: readonly IssueLine[] }> = ({ page, issues }) =>
  issues.length === 0 ? null : (
    <section>
      <div class="heading">
        <h2>Open issues</h2>
        <a href={page.at('/issues')}>All issues</a>
      </div>
      <IssueTable page={page} issues={issues} empty="" />
    </section>
  );

/** `10:30` of an ISO time, UTC. */
const clockText = (at: string): string => at.slice(11, 16);

const notDelivered = ({ refused, invalid }: Sums): number => refused + invalid;

export const Today: FC<{ page: Page; metrics: MetricsAnswer; by: 'partner' | 'channel' }> = ({ page, metrics, by }) => {
  const { total, points, names, stepMinutes } = metrics;
  const ended = total.delivered + notDelivered(total);
  return (
    <section>
      <h2>Today, since midnight UTC</h2>
      {ended === 0 && total.dollars === 0 ? (
        <Empty>Nothing was delivered or refused today.</Empty>
      ) : (
        <>
          <ul class="tiles">
            <Tile name="Delivered" value={inText(total.delivered)} />
            <Tile name="Not delivered" value={inText(notDelivered(total))} />
            <Tile name="Share delivered" value={shareText(total.deliveredShare)} />
            <Tile
              name="Half within"
              value={durationText(total.p50Ms)}
              title="From receipt to delivery: the median, p50"
            />
            <Tile name="95 % within" value={durationText(total.p95Ms)} title="From receipt to delivery, p95" />
            <Tile name="Cost" value={dollarsText(total.dollars)} title="Of the batches received today, at list price" />
          </ul>
          <ColumnChart
            columns={points.map((point) => ({
              label: `${clockText(point.at)}: ${inText(point.delivered)} delivered, ${inText(notDelivered(point))} not`,
              good: point.delivered,
              bad: notDelivered(point),
            }))}
            summary={`Per ${stepMinutes} min since midnight UTC: ${inText(total.delivered)} delivered and ${inText(notDelivered(total))} not delivered. ${busiest(points)}`}
            from={`${clockText(metrics.from)} UTC`}
            to={`columns of ${stepMinutes} min, until ${clockText(metrics.to)} UTC`}
          />
          <nav class="tabs" aria-label="Totals of today">
            <Tab page={page} name="partner" current={by} />
            <Tab page={page} name="channel" current={by} />
          </nav>
          <ByName page={page} names={names} by={by} />
        </>
      )}
    </section>
  );
};

/** What the picture shows at a glance. */
function busiest(points: MetricsAnswer['points']): string {
  const most = points.toSorted(
    (one, other) => other.delivered + notDelivered(other) - one.delivered - notDelivered(one),
  )[0];
  return most === undefined ? '' : `Most at ${clockText(most.at)}.`;
}

const Tile: FC<{ name: string; value: string; title?: string }> = ({ name, value, title }) => (
  <li class="tile" title={title}>
    <b>{value}</b>
    {name}
  </li>
);

const Tab: FC<{ page: Page; name: 'partner' | 'channel'; current: string }> = ({ page, name, current }) => (
  <a href={page.at('/', { by: name })} {...(name === current ? { 'aria-current': 'true' } : {})}>
    By {name}
  </a>
);

function nameOf(page: Page, by: string, name: string): Child {
  if (name === '') return 'not known';
  return by === 'partner' ? (
    <PartnerLink page={page} name={name} />
  ) : (
    <a href={page.at(`/channels/${encodeURIComponent(name)}`)}>{name}</a>
  );
}

const ByName: FC<{ page: Page; names: readonly MetricsSums[]; by: string }> = ({ page, names, by }) => (
  <Table
    caption={`Today by ${by}`}
    columns={[
      { label: by === 'partner' ? 'Partner' : 'Channel', kind: 'main' },
      { label: 'Delivered', kind: 'number' },
      { label: 'Refused', kind: 'number' },
      { label: 'Invalid', kind: 'number' },
      { label: 'Share', kind: 'number' },
      { label: 'Half within', kind: 'number' },
      { label: '95 % within', kind: 'number' },
      { label: 'Cost', kind: 'number' },
    ]}
    rows={names.map((sums) => ({
      cells: [
        nameOf(page, by, sums.name),
        inText(sums.delivered),
        inText(sums.refused),
        inText(sums.invalid),
        shareText(sums.deliveredShare),
        durationText(sums.p50Ms),
        durationText(sums.p95Ms),
        dollarsText(sums.dollars),
      ],
    }))}
  />
);
