/** `/console`: what needs somebody first, each with its button; then how today goes, and the newest batches. */
import type { FC } from 'hono/jsx';
import type { Alert } from '../../http/ops/views/alerts.ts';
import type { AlertCode } from '../../http/ops/views/runbook.ts';
import { ALERT_MESSAGES } from '../messages.ts';
import type { Page } from '../page.ts';
import { lookOf, Note, State, Time } from '../parts/basics.tsx';
import { PartnerLink } from '../parts/links.tsx';
import { Table } from '../parts/table.tsx';
import type { ConsolePages } from '../routes.ts';
import { BatchTable } from './batches.tsx';
import { OpenIssues, Today } from './today.tsx';

export const homePages: ConsolePages = {
  get: { '/': homePage },
  reads: ['GET /v1/ops/alerts', 'GET /v1/ops/batches', 'GET /v1/ops/issues', 'GET /v1/ops/metrics'],
};

const BATCHES_SHOWN = 10;
/** Those with most rows; the others are on their own page. */
const ISSUES_SHOWN = 5;

async function homePage(page: Page): Promise<Response> {
  if (!page.isOps) return page.goTo(page.at('/batches'));
  const by = page.query('by') === 'channel' ? 'channel' : 'partner';
  const [alerts, issues, metrics, batches] = await Promise.all([
    page.api.call('GET /v1/ops/alerts'),
    page.api.call('GET /v1/ops/issues', { query: { state: 'open', sort: 'rows', limit: ISSUES_SHOWN } }),
    page.api.call('GET /v1/ops/metrics', { query: { by } }),
    page.api.call('GET /v1/ops/batches', { query: { limit: BATCHES_SHOWN } }),
  ]);
  if (!batches.ok) return page.refuse(batches.error);
  const hasIssues = !issues.ok || issues.value.issues.length > 0;
  return page.show({
    title: alerts.ok ? attentionText(alerts.value.alerts.length, hasIssues) : 'Home',
    nav: 'home',
    isWide: true,
    body: (
      <>
        {alerts.ok ? (
          <Alerts page={page} alerts={alerts.value.alerts} hasIssues={hasIssues} />
        ) : (
          <Note look="bad">
            What needs somebody cannot be told at the moment: {alerts.error.detail} <code>{alerts.error.code}</code>
          </Note>
        )}
        {issues.ok ? <OpenIssues page={page} issues={issues.value.issues} /> : null}
        {metrics.ok ? <Today page={page} metrics={metrics.value} by={by} /> : null}
        <section>
          <div class="heading">
            <h2>Newest batches</h2>
            <a href={page.at('/batches')}>Show all batches</a>
          </div>
          <BatchTable
            page={page}
            batches={batches.value.batches}
            empty="No partner has sent anything in this environment yet."
          />
        </section>
      </>
    ),
  });
}

/** Rows for their partner to correct, and old ones, are issues without an alert. */
const attentionText = (count: number, hasIssues: boolean): string => {
  if (count > 0) return `${count} ${count === 1 ? 'needs' : 'need'} attention`;
  return hasIssues ? 'No alerts' : 'All clear';
};

interface AlertsShown {
  page: Page;
  alerts: readonly Alert[];
  /** Or it is not known whether there are any. */
  hasIssues: boolean;
}

export const Alerts: FC<AlertsShown> = ({ page, alerts, hasIssues }) => (
  <section>
    <div class="heading">
      <h1>{alerts.length === 0 ? attentionText(0, hasIssues) : 'Needs attention'}</h1>
      <a href={page.at('/webhooks/alerts')}>Be told of alerts</a>
    </div>
    {alerts.length === 0 ? (
      <Note look="good">
        {hasIssues
          ? 'Nothing waits for a decision. Rows that failed and are still open are among the issues.'
          : 'Nothing waits for a decision, and no row that failed is open.'}
      </Note>
    ) : (
      <Table
        caption="What needs somebody"
        columns={[
          { label: 'What', kind: 'word' },
          { label: 'Where', kind: 'main' },
          { label: 'Since', kind: 'word' },
          { label: 'Next', kind: 'word' },
        ]}
        rows={alerts.map((alert) => {
          const { label, tone } = ALERT_MESSAGES[alert.code];
          const [href, button] = nextOf(page, alert);
          return {
            href,
            cells: [
              <State look={lookOf(tone, alert.code === 'rows_held')}>{label}</State>,
              <>
                <Whose page={page} alert={alert} /> {detailOf(alert)}
              </>,
              alert.since === null || alert.code === 'keys_ending' ? '' : <Time at={alert.since} />,
              <a class="button" href={href}>
                {button}
              </a>,
            ],
          };
        })}
      />
    )}
  </section>
);

/** A batch is named by its link, not by its id; what the state says is not said again. */
const detailOf = ({ detail }: Alert): string =>
  detail
    .replace(/[,:]? (?:in |the newest )?(?:is )?(?:batch )?b_\w+/, '')
    .replace(/ (?:waits? for a decision|(?:was|were) not delivered|could not be read|do(?:es)? not get on)/, '');

const OF_CHANNELS: readonly AlertCode[] = ['channel_unreachable', 'channel_stopped', 'scac_parked', 'reads_failing'];

const OF_THE_BRIDGE: readonly AlertCode[] = ['backlog_large', 'answers_failing', 'wake_ups_failing', 'alerts_not_sent'];

const Whose: FC<{ page: Page; alert: Alert }> = ({ page, alert: { code, about } }) => {
  if (code === 'keys_ending' || OF_THE_BRIDGE.includes(code)) return <strong>{about}</strong>;
  return OF_CHANNELS.includes(code) ? (
    <a href={page.at(`/channels/${encodeURIComponent(about)}`)}>{about}</a>
  ) : (
    <PartnerLink page={page} name={about} />
  );
};

const BATCH_IN_PATH = /\/batches\/(b_\w+)/;

/** Where the cause is seen and put right, and what the button says. */
function nextOf(page: Page, { code, about, links }: Alert): [href: string, button: string] {
  const batchId = BATCH_IN_PATH.exec(links.console ?? '')?.[1];
  const batch = (needs: string): string =>
    batchId === undefined ? page.at('/batches', { partner: about, needs }) : page.at(`/batches/${batchId}`);
  const places: Record<AlertCode, [string, string]> = {
    rows_held: [page.at('/holds', { partner: about }), 'Decide'],
    rows_refused: [batch('refused'), 'See why'],
    files_unreadable: [batch('unreadable'), 'See why'],
    batches_stuck: [batch('trouble'), 'See why'],
    batches_silent: [links.console ?? page.at('/batches'), 'Look at them'],
    rows_old: [links.console ?? page.at('/batches'), 'See the rows'],
    backlog_large: [links.console ?? page.at('/batches'), 'Look at them'],
    answers_failing: [page.at('/channels'), 'Look at channels'],
    wake_ups_failing: [page.at('/channels'), 'Look at channels'],
    channel_unreachable: [page.at(`/channels/${encodeURIComponent(about)}`), 'Test connection'],
    channel_stopped: [page.at(`/channels/${encodeURIComponent(about)}`), 'Test or release'],
    scac_parked: [page.at(`/channels/${encodeURIComponent(about)}`), 'Release'],
    reads_failing: [page.at(`/channels/${encodeURIComponent(about)}`), 'Test connection'],
    feed_unreachable: [page.at(`/feeds/${encodeURIComponent(about)}`), 'Look at it'],
    feed_gap: [page.at(`/feeds/${encodeURIComponent(about)}`), 'See what is missing'],
    feed_trouble: [page.at(`/feeds/${encodeURIComponent(about)}`), 'See why'],
    feed_late: [page.at(`/feeds/${encodeURIComponent(about)}`), 'Look at it'],
    answers_unreadable: [page.at(`/feeds/${encodeURIComponent(about)}`), 'Read again'],
    entries_unfit: [page.at(`/feeds/${encodeURIComponent(about)}`), 'See samples'],
    keys_ending: [links.console ?? page.at('/partners'), 'Renew the key'],
    webhooks_unreachable: [page.at('/webhooks', { partner: about }), 'Look at them'],
    webhook_disabled: [page.at('/webhooks', { partner: about }), 'See deliveries'],
    webhook_failing: [page.at('/webhooks', { partner: about }), 'See deliveries'],
    alerts_not_sent: [page.at('/webhooks/alerts'), 'See deliveries'],
  };
  return places[code];
}
