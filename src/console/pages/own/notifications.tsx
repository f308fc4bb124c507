/** `/console/notifications`: a partner's webhooks, what was sent to each, and how it went. */
import type { FC } from 'hono/jsx';
import type { Page } from '../../page.ts';
import { countOf, Fact, Facts, inText, Note, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Table } from '../../parts/table.tsx';
import { EVENT_MESSAGES, type SeenWebhook } from '../connections/webhook-actions.ts';
import { Deliveries, WebhookState, webhookState } from '../connections/webhooks.tsx';
import { webhookPage } from './own-actions.ts';

export async function notificationsPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/webhooks');
  if (!found.ok) return page.refuse(found.error);
  return page.show({
    title: 'Webhooks',
    nav: 'notifications',
    isWide: true,
    body: (
      <>
        <h1>Webhooks</h1>
        <p class="quiet">
          Your system is told at these addresses when something happens. Addresses are agreed with the operator.
        </p>
        <Table
          caption="Webhooks"
          columns={[
            { label: 'Webhook', kind: 'main' },
            { label: 'State', kind: 'word' },
            { label: 'Address' },
            { label: 'Notified when' },
            { label: 'Waiting', kind: 'number' },
            { label: 'Failing since', kind: 'word' },
          ]}
          rows={found.value.webhooks.map((webhook) => {
            const href = page.at(webhookPage({ target: webhook.id }));
            const since = webhook.failingSince ?? webhook.disabledAt;
            return {
              href,
              cells: [
                <a href={href}>{webhook.id}</a>,
                <WebhookState webhook={webhook} />,
                <code>{webhook.url}</code>,
                <EventNames webhook={webhook} />,
                inText(webhook.waiting),
                since === null ? '' : <Time at={since} />,
              ],
            };
          })}
          empty="You have no webhook yet. It tells your system when a file is finished, or an order has a new status. Give the operator an address to begin with."
        />
      </>
    ),
  });
}

const EventNames: FC<{ webhook: Pick<SeenWebhook, 'events'> }> = ({ webhook: { events } }) => (
  <span class="wraps">{events.map((event) => EVENT_MESSAGES[event] ?? event).join('; ')}</span>
);

export async function notificationPage(page: Page): Promise<Response> {
  const target = page.context.req.param('target') ?? '';
  const before = page.query('before');
  const [found, sent] = await Promise.all([
    page.api.call('GET /v1/webhooks/{target}', { path: { target } }),
    page.api.call('GET /v1/webhooks/{target}/deliveries', { path: { target }, query: { before } }),
  ]);
  if (!found.ok) return page.refuse(found.error);
  const webhook = found.value;
  const { label, meaning } = webhookState(webhook);
  const own = page.at(webhookPage({ target }));
  return page.show({
    title: `Webhook ${target} – ${label}`,
    nav: 'notifications',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Webhooks', page.at('/notifications')]]} />
        <div class="heading">
          <h1>Webhook “{target}”</h1>
          <a class="button" href={page.at('/do/renew-webhook-secret', { target, from: own })}>
            New secret…
          </a>
        </div>
        <p>
          <WebhookState webhook={webhook} /> {meaning}
        </p>
        <Facts>
          <Fact name="Address">
            <code>{webhook.url}</code>
          </Fact>
          <Fact name="Notified when">
            <EventNames webhook={webhook} />
          </Fact>
          <Fact name="Waiting">{countOf(webhook.waiting, 'event')}</Fact>
          {webhook.rotatedAt === null ? null : (
            <Fact name="Secret renewed">
              <Time at={webhook.rotatedAt} />
            </Fact>
          )}
        </Facts>
        {sent.ok ? (
          <Deliveries
            answer={sent.value}
            isEnabled={webhook.enabled}
            isFirst={before === ''}
            at={(more) => page.at(webhookPage({ target }), more)}
            again={
              webhook.state === 'enabled'
                ? (event) => page.at('/do/send-event-again', { target, event, from: own })
                : null
            }
          />
        ) : (
          <Note look="bad">{sent.error.detail}</Note>
        )}
      </>
    ),
  });
}
