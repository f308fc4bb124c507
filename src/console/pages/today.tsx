/** Of the first page: what fails alike, and how the day goes so far, from the totals that the batches wrote. */
import type { Child, FC } from 'hono/jsx';
import type { Answered } from '../../http/contract/contract.ts';
import type { IssueLine } from '../../http/ops/views/issue.ts';
import type { Page } from '../page.ts';
import { dollarsText, Empty, inText } from '../parts/basics.tsx';
import { ColumnChart, durationText, shareText } from '../parts/chart.tsx';
import { PartnerLink } from '../parts/links.tsx';
import { Table } from '../parts/table.tsx';
import { IssueTable } from './issues/issues.tsx';

type MetricsAnswer = Answered<'GET /v1/ops/metrics'>;
type Sums = MetricsAnswer['total'];

export const OpenIssues: FC<{ page: Page; issues: readonly IssueLine[] }> = ({ page, issues }) =>
  issues.length === 0 ? null : (
    <section>
      <div class="heading">
        <h2>Open issues</h2>
        <a href={page.at('/issues')}>Show all issues</a>
      </div>
      <IssueTable page={page} issues={issues} empty="" />
    </section>
  );

/** `10:30` of an ISO time, UTC. */
const clockText = (at: string): string => at.slice(11, 16);

const failed = ({ refused, invalid }: Sums): number => refused + invalid;

/** Of the two numbers beside it. */
const shareOf = ({ deliveredRows, notDelivered }: Sums): number | null =>
  deliveredRows + notDelivered === 0 ? null : deliveredRows / (deliveredRows + notDelivered);

const middle = ({ from, to }: MetricsAnswer): string => new Date((Date.parse(from) + Date.parse(to)) / 2).toISOString();

export const Today: FC<{ page: Page; metrics: MetricsAnswer; by: 'partner' | 'channel' }> = ({ page, metrics, by }) => {
  const { total, points, names, stepMinutes } = metrics;
  const ended = total.delivered + failed(total);
  return (
    <section>
      <h2>Today, since midnight UTC</h2>
      {ended === 0 && total.dollars === 0 ? (
        <Empty>Nothing was delivered or refused today.</Empty>
      ) : (
        <>
          <ul class="tiles">
            <Tile name="Rows delivered" value={inText(total.deliveredRows)} />
            <Tile
              name="Rows not delivered"
              value={inText(total.notDelivered)}
              href={page.at('/batches', { needs: 'refused', from: metrics.from.slice(0, '2026-03-02'.length) })}
            />
            <Tile name="Share delivered" value={shareText(shareOf(total))} />
            <Tile
              name="Half within"
              value={durationText(total.p50Ms)}
              title="From receipt to delivery: the median, p50"
            />
            <Tile name="95 % within" value={durationText(total.p95Ms)} title="From receipt to delivery, p95" />
            <Tile name="Cost" value={dollarsText(total.dollars)} title="Of the batches received today, at list price" />
          </ul>
          <p class="quiet">
            Rows are those of today’s batches, as they are now. The columns below count each outcome when it came, also
            of what was corrected since.
          </p>
          <ColumnChart
            columns={points.map((point) => ({
              label: `${clockText(point.at)}: ${inText(point.delivered)} delivered, ${inText(failed(point))} refused or invalid`,
              good: point.delivered,
              bad: failed(point),
            }))}
            names={{ good: 'Delivered', bad: 'Refused or invalid' }}
            each={`A column is ${stepMinutes} min`}
            summary={`Per ${stepMinutes} min since midnight UTC: ${inText(total.delivered)} delivered, ${inText(failed(total))} refused or invalid. ${busiest(points)}`}
            times={[metrics.from, middle(metrics), metrics.to].map((at) => `${clockText(at)} UTC`)}
            numbers={<Points points={points} />}
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
  const most = points.toSorted((one, other) => other.delivered + failed(other) - one.delivered - failed(one))[0];
  return most === undefined ? '' : `Most at ${clockText(most.at)}.`;
}

/** The columns in which something ended. */
const Points: FC<{ points: MetricsAnswer['points'] }> = ({ points }) => (
  <Table
    caption="What ended when"
    columns={[
      { label: 'From (UTC)', kind: 'main' },
      { label: 'Delivered', kind: 'number' },
      { label: 'Refused', kind: 'number' },
      { label: 'Invalid', kind: 'number' },
    ]}
    rows={points
      .filter((point) => point.delivered + failed(point) > 0)
      .map(({ at, delivered, refused, invalid }) => ({
        cells: [clockText(at), inText(delivered), inText(refused), inText(invalid)],
      }))}
  />
);

const Tile: FC<{ name: string; value: string; title?: string; href?: string }> = ({ name, value, title, href }) => {
  const shown = (
    <>
      <b>{value}</b> {name}
    </>
  );
  return href === undefined ? (
    <li class="tile" title={title}>
      {shown}
    </li>
  ) : (
    <li>
      <a class="tile" href={href} title={title}>
        {shown}
      </a>
    </li>
  );
};

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

const ByName: FC<{ page: Page; names: readonly MetricsAnswer['names'][number][]; by: string }> = ({
  page,
  names,
  by,
}) => (
  <Table
    caption={`Today by ${by}`}
    columns={[
      { label: by === 'partner' ? 'Partner' : 'Channel', kind: 'main' },
      { label: 'Rows delivered', kind: 'number' },
      { label: 'Rows not delivered', kind: 'number' },
      { label: 'Share delivered', kind: 'number' },
      { label: 'Half within', kind: 'number' },
      { label: '95 % within', kind: 'number' },
      { label: 'Cost', kind: 'number' },
    ]}
    rows={names.map((sums) => ({
      cells: [
        nameOf(page, by, sums.name),
        inText(sums.deliveredRows),
        inText(sums.notDelivered),
        shareText(shareOf(sums)),
        durationText(sums.p50Ms),
        durationText(sums.p95Ms),
        dollarsText(sums.dollars),
      ],
    }))}
  />
);
