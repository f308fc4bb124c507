/** For operators: what needs somebody in an environment, and what to do about it. */
import type { FC } from 'hono/jsx';
import type { Alert } from '../http/alerts.ts';
import type { AlertsPageView } from '../http/console-views.ts';
import { document, Environments, OPS_PAGES } from './frame.tsx';
import { ALERT_WORDS } from './order-words.ts';
import { shortTime } from './row-line.tsx';

export const alertsPage = (view: AlertsPageView): string =>
  document({
    title: 'What needs somebody',
    environment: view.environment,
    links: OPS_PAGES(view.environment),
    body: (
      <main>
        <section class="heading">
          <h1>What needs somebody</h1>
          <Environments page="alerts" {...view} />
          {view.isWhole ? null : (
            <p class="fix">Not every open batch could be asked what it holds: there may be more that waits.</p>
          )}
        </section>
        {view.alerts.length > 0 ? null : <p class="empty">Nothing does.</p>}
        <ol class="rows">
          {view.alerts.map((alert) => (
            <AlertLine alert={alert} />
          ))}
        </ol>
      </main>
    ),
  });

const AlertLine: FC<{ alert: Alert }> = ({ alert: { code, about, since, detail, fix } }) => (
  <li class="row">
    <div class="where">
      <b>{about}</b>
    </div>
    <div class="what">
      <p>
        <span class={`state tone-${ALERT_WORDS[code].tone}`}>{ALERT_WORDS[code].label}</span> <code>{code}</code>
        {since === null ? null : <span class="quiet"> since {shortTime(since)}</span>}
      </p>
      <p>{detail}</p>
      <p class="fix">{fix}</p>
    </div>
  </li>
);
