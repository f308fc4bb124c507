/** `/console/notifications`: a partner's webhooks, what was sent to each, and how it went. */
import type { FC } from 'hono/jsx';
import type { Page } from '../../page.ts';
import { countOf, Fact, Facts, inText, Note, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Table } from '../../parts/table.tsx';
import { eventsText, type SeenWebhook } from '../connections/webhook-actions.ts';
import { Deliveries, type SentEvents, WebhookState, webhookState } from '../connections/webhooks.tsx';
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

const EventNames: FC<{ webhook: Pick<SeenWebhook, 'events'> }> = ({ webhook }) => (
  <span class="wraps">{eventsText(webhook)}</span>
);

/** What the latest delivery that did not arrive was answered with; null: with nothing. */
const lastStatusOf = ({ deliveries }: SentEvents): number | null =>
  deliveries.find(({ state, lastAt }) => state !== 'delivered' && lastAt !== null)?.lastStatus ?? null;

/** What it means, and what the partner can do about it. */
const Meaning: FC<{ webhook: SeenWebhook; lastStatus: number | null }> = ({ webhook, lastStatus }) => {
  const { failingSince, state } = webhook;
  const { meaning } = webhookState(webhook);
  if (state === 'disabled') return <>{meaning} Ask your operator to switch it on.</>;
  if (state === 'disabled_by_failure')
    return <>{meaning} Repair your address, then ask your operator to switch it on.</>;
  if (state !== 'enabled' || failingSince === null) return <>{meaning}</>;
  return (
    <>
      Your address {lastStatus === null ? 'gives no answer' : `answers with an error (${lastStatus})`} since{' '}
      <Time at={failingSince} />. Repair it, or ask your operator to change it. Each event is tried again by itself.
    </>
  );
};

export async function notificationPage(page: Page): Promise<Response> {
  const target = page.context.req.param('target') ?? '';
  const before = page.query('before');
  const [found, sent] = await Promise.all([
    page.api.call('GET /v1/webhooks/{target}', { path: { target } }),
    page.api.call('GET /v1/webhooks/{target}/deliveries', { path: { target }, query: { before } }),
  ]);
  if (!found.ok) return page.refuse(found.error);
  const webhook = found.value;
  const { label } = webhookState(webhook);
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
            Make a new secret…
          </a>
        </div>
        <p>
          <WebhookState webhook={webhook} />{' '}
          <Meaning webhook={webhook} lastStatus={sent.ok ? lastStatusOf(sent.value) : null} />
        </p>
        <Facts>
          <Fact name="Address" isWide>
            <code>{webhook.url}</code>
          </Fact>
          <Fact name="Notified when">
            <EventNames webhook={webhook} />
          </Fact>
          <Fact name="Waiting">{countOf(webhook.waiting, 'event')}</Fact>
          {webhook.failingSince === null ? null : (
            <Fact name="Failing since">
              <Time at={webhook.failingSince} />
            </Fact>
          )}
          {webhook.rotatedAt === null ? null : (
            <Fact name="Secret renewed">
              <Time at={webhook.rotatedAt} />
            </Fact>
          )}
        </Facts>
        {sent.ok ? (
          <Deliveries
            page={page}
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
