/** `/console/webhooks`: where partners are notified, how that goes, and the actions on it. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import type { AlertCode } from '../../../http/ops/views/runbook.ts';
import type { WebhookEventType } from '../../../webhooks/target.ts';
import type { Values } from '../../actions.ts';
import { ALERT_MESSAGES, attemptText } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { countOf, Fact, Facts, Id, inText, type Look, Note, Pager, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { PartnerLink } from '../../parts/links.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { EVENT_MESSAGES, eventsText, type SeenWebhook, targetHref, WEBHOOK_ACTIONS } from './webhook-actions.ts';

/** @property reached false: how it is doing is not known just now. */
type StateOfWebhook = Omit<SeenWebhook, 'id' | 'events'> & { reached?: boolean };
type ListedWebhook = Answered<'GET /v1/ops/partners/{name}/webhooks/{target}'>;
export type SentEvents = Pick<Answered<'GET /v1/webhooks/{target}/deliveries'>, 'deliveries' | 'next'>;
type OfPartner = SentEvents['deliveries'][number];
type OfAlert = Answered<'GET /v1/ops/alert-webhook'>['deliveries'][number];
type ShownDelivery = OfPartner | OfAlert;

export const webhookPages: ConsolePages = {
  get: { '/webhooks': webhooksPage, '/webhooks/:partner/:target': webhookPage },
  reads: [
    'GET /v1/ops/webhooks',
    'GET /v1/ops/partners/{name}/webhooks',
    'GET /v1/ops/partners/{name}/webhooks/{target}',
    'GET /v1/ops/partners/{name}/webhooks/{target}/deliveries',
  ],
  actions: WEBHOOK_ACTIONS,
};

/** How it looks, what it is called, and what that means. Pure. */
export function webhookState({ state, reached = true, failingSince, disabledReason }: StateOfWebhook): {
  look: Look;
  label: string;
  meaning: string;
} {
  if (state === 'disabled') return { look: 'done', label: 'Switched off', meaning: 'An operator switched it off.' };
  if (state === 'deleted') return { look: 'done', label: 'Deleted', meaning: 'It is notified no more.' };
  if (state === 'disabled_by_failure') {
    const why =
      disabledReason === 'gone'
        ? 'Its address said that it is gone for good.'
        : 'Every delivery failed for too long. What was not delivered is given up.';
    return { look: 'bad', label: 'Switched off after failures', meaning: why };
  }
  if (!reached)
    return {
      look: 'wait',
      label: 'Not known just now',
      meaning: 'How its deliveries go could not be read. Load the page again.',
    };
  if (failingSince !== null)
    return {
      look: 'bad',
      label: 'Deliveries fail',
      meaning: 'Its address refuses what is sent to it, or does not answer. Each event is tried again by itself.',
    };
  return { look: 'good', label: 'Works', meaning: 'No delivery to it fails.' };
}

export const WebhookState: FC<{ webhook: StateOfWebhook }> = ({ webhook }) => {
  const { look, label, meaning } = webhookState(webhook);
  return (
    <State look={look} title={meaning}>
      {label}
    </State>
  );
};

async function webhooksPage(page: Page): Promise<Response> {
  const partner = page.query('partner');
  const found =
    partner === ''
      ? await page.api.call('GET /v1/ops/webhooks')
      : await page.api.call('GET /v1/ops/partners/{name}/webhooks', { path: { name: partner } });
  if (!found.ok) return page.refuse(found.error);
  const webhooks = found.value.webhooks.map((webhook) => ({ partner, ...webhook }));
  const registerHref = page.at('/do/set-webhook', { partner, from: page.at('/webhooks', { partner }) });
  return page.show({
    title: partner === '' ? 'Webhooks' : `Webhooks of ${partner}`,
    nav: 'webhooks',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <h1>{partner === '' ? 'Webhooks' : `Webhooks of ${partner}`}</h1>
          {page.mayActAs('operator') ? (
            <a class="button" href={registerHref}>
              Register a webhook…
            </a>
          ) : null}
        </div>
        {partner === '' ? (
          <p>
            These are of partners. <a href={page.at('/webhooks/alerts')}>Where operators are told of alerts</a>
          </p>
        ) : null}
        {partner === '' ? null : (
          <p>
            <a href={page.at('/webhooks')}>Show those of all partners</a>
          </p>
        )}
        <Table
          caption="Webhooks"
          columns={[
            { label: 'Webhook', kind: 'main' },
            { label: 'Partner' },
            { label: 'State', kind: 'word' },
            { label: 'Address' },
            { label: 'Notified when' },
            { label: 'Waiting', kind: 'number' },
            { label: 'Failing or off since', kind: 'word' },
          ]}
          rows={webhooks.map((webhook) => webhookRow(page, webhook))}
          empty={
            partner === ''
              ? 'No partner has a webhook in this environment. A webhook tells a partner’s system when a file is finished or an order has a new status.'
              : 'This partner has no webhook. A webhook tells its system when a file is finished or an order has a new status.'
          }
        />
      </>
    ),
  });
}

function webhookRow(page: Page, webhook: SeenWebhook & { partner: string; reached?: boolean }): TableRow {
  const href = targetHref(page, webhook.partner, webhook.id);
  const since = webhook.failingSince ?? webhook.disabledAt ?? (webhook.state === 'disabled' ? webhook.changedAt : null);
  return {
    href,
    cells: [
      <a href={href}>{webhook.id}</a>,
      <PartnerLink page={page} name={webhook.partner} />,
      <WebhookState webhook={webhook} />,
      <code>{webhook.url}</code>,
      <span title={webhook.events.join(', ')}>{eventsText(webhook)}</span>,
      inText(webhook.waiting),
      since === null ? '' : <Time at={since} />,
    ],
  };
}

async function webhookPage(page: Page): Promise<Response> {
  const { partner = '', target = '' } = page.context.req.param() as Values;
  const path = { name: partner, target };
  const before = page.query('before');
  const [found, sent] = await Promise.all([
    page.api.call('GET /v1/ops/partners/{name}/webhooks/{target}', { path }),
    page.api.call('GET /v1/ops/partners/{name}/webhooks/{target}/deliveries', { path, query: { before } }),
  ]);
  if (!found.ok) return page.refuse(found.error);
  const webhook = { ...found.value, partner };
  const { label, meaning } = webhookState(webhook);
  const againHref = (event: string): string =>
    page.at('/do/webhook-send-again', { partner, target, event, from: targetHref(page, partner, target) });
  return page.show({
    title: `${target} of ${partner} – ${label}`,
    nav: 'webhooks',
    isWide: true,
    body: (
      <>
        <Crumbs
          to={[
            ['Webhooks', page.at('/webhooks')],
            [partner, page.at('/webhooks', { partner })],
          ]}
        />
        <div class="heading">
          <h1>
            Webhook “{target}” of <PartnerLink page={page} name={partner} />
          </h1>
          <Buttons page={page} webhook={webhook} />
        </div>
        <p>
          <WebhookState webhook={webhook} /> {meaning}
        </p>
        <WebhookFacts webhook={webhook} />
        {sent.ok ? (
          <Deliveries
            page={page}
            answer={sent.value}
            isEnabled={webhook.enabled}
            isFirst={before === ''}
            at={(more) => targetHref(page, partner, target, more)}
            again={page.mayActAs('operator') && webhook.state === 'enabled' ? againHref : null}
          />
        ) : (
          <Note look="bad">
            {sent.error.detail} <code>{sent.error.code}</code>
          </Note>
        )}
      </>
    ),
  });
}

const Buttons: FC<{ page: Page; webhook: ListedWebhook }> = ({ page, webhook: { partner, id: target, state } }) => {
  if (!page.mayActAs('operator')) return null;
  const values = { partner, target, from: targetHref(page, partner, target) };
  return (
    <div class="actions">
      {state === 'enabled' ? (
        <a class="button" href={page.at('/do/webhook-disable', values)}>
          Switch off…
        </a>
      ) : (
        <a class="button primary" href={page.at('/do/webhook-enable', values)}>
          Switch on…
        </a>
      )}
      <a class="button" href={page.at('/do/set-webhook', values)}>
        Change…
      </a>
      <a class="button" href={page.at('/do/webhook-rotate', values)}>
        Make a new secret…
      </a>
      <a class="button danger" href={page.at('/do/webhook-delete', values)}>
        Delete…
      </a>
    </div>
  );
};

export const WebhookFacts: FC<{
  webhook: Omit<ListedWebhook, 'id' | 'partner' | 'environment' | 'events'> & { events?: ListedWebhook['events'] };
}> = ({ webhook }) => (
  <Facts>
    <Fact name="Address">
      <code>{webhook.url}</code>
    </Fact>
    {webhook.events === undefined ? null : (
      <Fact name="Notified when">
        {webhook.events.map((event) => (
          <div>{EVENT_MESSAGES[event] ?? event}</div>
        ))}
      </Fact>
    )}
    <Fact name="Waiting">{countOf(webhook.waiting, 'event')}</Fact>
    {webhook.failingSince === null ? null : (
      <Fact name="Failing since">
        <Time at={webhook.failingSince} />
      </Fact>
    )}
    {webhook.disabledAt === null ? null : (
      <Fact name="Switched off">
        <Time at={webhook.disabledAt} />
      </Fact>
    )}
    {webhook.rotatedAt === null ? null : (
      <Fact name="Secret renewed">
        <Time at={webhook.rotatedAt} />
      </Fact>
    )}
    <Fact name="Last change">
      {webhook.changedBy}, <Time at={webhook.changedAt} />
      {webhook.note === '' ? '' : `: ${webhook.note}`}
    </Fact>
  </Facts>
);

const DELIVERY_MESSAGES: Record<ShownDelivery['state'], [label: string, look: Look]> = {
  waiting: ['Trying again', 'wait'],
  sending: ['Being sent', 'wait'],
  delivered: ['Delivered', 'good'],
  given_up: ['Given up', 'bad'],
};

/** @param at the page that shows them. again: where one is sent again; null: not now, or not by this person. */
export const Deliveries: FC<{
  page: Page;
  answer: { deliveries: readonly ShownDelivery[]; next: string | null };
  isEnabled: boolean;
  isFirst: boolean;
  at(more?: Values): string;
  again: ((event: string) => string) | null;
}> = ({ page, answer: { deliveries, next }, isEnabled, isFirst, at, again }) => {
  const before = cursorIn(next, 'before');
  return (
    <section>
      <h2>Deliveries, newest first</h2>
      <Table
        caption="Deliveries"
        columns={[
          { label: 'Event', kind: 'main' },
          { label: 'State', kind: 'word' },
          { label: 'Happened', kind: 'word' },
          { label: 'Attempts', kind: 'number' },
          { label: 'Last try', kind: 'word' },
          { label: 'Answer', kind: 'word' },
          { label: 'Next try', kind: 'word' },
          { label: '', kind: 'word' },
        ]}
        rows={deliveries.map((delivery) => deliveryRow(page, delivery, again))}
        empty={
          isEnabled
            ? 'Nothing was sent to it yet. A delivery appears here with the next event of its kinds.'
            : 'Switched off: nothing is sent to it until it is switched on.'
        }
      />
      <Pager
        first={isFirst ? null : at()}
        next={before === null ? null : at({ before })}
        nextLabel="Show earlier deliveries"
      />
    </section>
  );
};

/** What the event is of: an alert, the page of its file, or of its order. */
const About: FC<{ of: ShownDelivery; page: Page }> = ({ of, page }) => {
  if ('code' in of) return alertText(of);
  const { batchId, fileName, orderRef } = of;
  if (batchId !== null) return <a href={page.at(`/batches/${batchId}`)}>{fileName ?? 'its batch'}</a>;
  return orderRef === null ? null : <a href={page.at(`/orders/${encodeURIComponent(orderRef)}`)}>{orderRef}</a>;
};

/** `Sending is stopped, acme-test` */
const alertText = ({ code, about }: OfAlert) =>
  code === null ? null : <span>{[ALERT_MESSAGES[code as AlertCode]?.label ?? code, about].join(', ')}</span>;

function deliveryRow(page: Page, delivery: ShownDelivery, again: ((event: string) => string) | null): TableRow {
  const { eventId, type, state, attempts, lastAt, lastStatus, nextAt, lastDetail, sentAgainBy, sentAgainAt } = delivery;
  const [label, look] = DELIVERY_MESSAGES[state];
  return {
    id: eventId,
    cells: [
      <>
        {EVENT_MESSAGES[type as WebhookEventType] ?? type}
        {type === 'alert.test' ? '' : ': '}
        <About page={page} of={delivery} />{' '}
        <span class="quiet">
          <Id id={eventId} />
        </span>
      </>,
      <State look={look}>{label}</State>,
      delivery.toldAt === null ? '' : <Time at={delivery.toldAt} />,
      inText(attempts),
      lastAt === null ? '' : <Time at={lastAt} />,
      lastStatus === null ? '' : attemptText(lastStatus),
      nextAt === null ? '' : <Time at={nextAt} />,
      again === null || state === 'sending' ? '' : <a href={again(eventId)}>Send again…</a>,
    ],
    ...((lastDetail ?? '') === '' && sentAgainBy === null
      ? {}
      : {
          detail: (
            <>
              {sentAgainBy === null ? null : (
                <p class="quiet">
                  Sent again by {sentAgainBy}
                  {sentAgainAt === null ? (
                    ''
                  ) : (
                    <>
                      , <Time at={sentAgainAt} />
                    </>
                  )}
                </p>
              )}
              {(lastDetail ?? '') === '' ? null : (
                <details class="more">
                  <summary>What came back last</summary>
                  <pre>{lastDetail}</pre>
                </details>
              )}
            </>
          ),
        }),
  };
}
