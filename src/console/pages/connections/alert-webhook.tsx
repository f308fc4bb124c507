/** `/console/webhooks/alerts`: where operators are told of alerts, how that goes, and the actions on it. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import { WEBHOOK_DELIVERIES_PAGE_MAX } from '../../../webhooks/limits.ts';
import { type Action, action, type Field, type Outcome, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { Note } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import type { ConsolePages } from '../../routes.ts';
import { ifSeen, seenField } from '../seen.ts';
import { Deliveries, WebhookFacts, WebhookState, webhookState } from './webhooks.tsx';

type Known = Answered<'GET /v1/ops/alert-webhook'>;

const hrefOf = (page: Page): string => page.at('/webhooks/alerts');

const shownSecret = (secret: string | undefined, page: Page, title: string, line: string): Outcome =>
  secret === undefined
    ? { goTo: hrefOf(page) }
    : {
        title,
        lines: [line],
        secret: { label: 'The signing secret', value: secret },
        next: { label: 'Send a test…', href: page.at('/do/alert-webhook-test', { from: hrefOf(page) }) },
        back: hrefOf(page),
      };

const set = action({
  name: 'set-alert-webhook',
  route: 'PUT /v1/ops/alert-webhook',
  role: 'admin',
  title: () => 'Set where operators are told of alerts',
  explain:
    'Each alert of this environment is sent to this address when it begins and when it is over, signed, and tried again until it arrives. Every alert that stands now is sent to it within a minute.',
  fields: async (_, page): Promise<Field[]> => {
    const found = await page.api.call('GET /v1/ops/alert-webhook');
    const now = found.ok ? found.value.webhook : null;
    return [
      seenField(now?.edition),
      {
        name: 'url',
        label: 'Address',
        kind: 'text',
        isRequired: true,
        hint: 'It begins with https:// and can be reached from the internet. It must answer with a status of 200 to 299.',
        value: now?.url ?? '',
      },
      {
        name: 'disabled',
        label: 'Switched off: send nothing to it for now',
        kind: 'check',
        value: now?.enabled === false ? 'true' : '',
      },
      WHY,
    ];
  },
  button: 'Save the address',
  call: (values) => ({
    body: { url: values.url ?? '', enabled: values.disabled !== 'true', note: values.why ?? '' },
    ...ifSeen(values),
  }),
  done: ({ webhook: { secret } }, _, page) =>
    shownSecret(
      secret,
      page,
      'Alerts are sent there from now on',
      'Give the secret to whatever receives them: it proves that an event comes from here.',
    ),
});

const rotate = action({
  name: 'alert-webhook-rotate',
  route: 'POST /v1/ops/alert-webhook/rotate',
  role: 'admin',
  title: () => 'Make a new secret for the webhook of alerts',
  explain: 'A new secret signs from now on. The old one signs along with it for a day.',
  fields: [WHY],
  button: 'Make a new secret',
  isDangerous: true,
  call: ({ why = '' }) => ({ body: { note: why } }),
  done: ({ webhook: { secret } }, _, page) =>
    shownSecret(
      secret,
      page,
      'A new secret signs from now on',
      'Give it to whatever receives alerts within a day: until then the old one signs, too.',
    ),
});

const test = action({
  name: 'alert-webhook-test',
  route: 'POST /v1/ops/alert-webhook/test',
  role: 'admin',
  title: () => 'Send a test to whoever is told of alerts',
  explain: 'An event that says that it is a test is sent at once, with your name and what you write below.',
  fields: [WHY],
  button: 'Send the test',
  call: ({ why = '' }) => ({ body: { note: why } }),
  done: (_, __, page) => ({ goTo: hrefOf(page) }),
});

const remove = action({
  name: 'alert-webhook-delete',
  route: 'DELETE /v1/ops/alert-webhook',
  role: 'admin',
  title: () => 'Delete the webhook of alerts',
  explain:
    'Nobody is told of alerts of this environment any more, and what waits is deleted, too. This cannot be taken back.',
  fields: [WHY],
  button: 'Delete the webhook',
  isDangerous: true,
  call: ({ why = '' }) => ({ query: { note: why } }),
  done: (_, __, page) => ({ goTo: hrefOf(page) }),
});

const ACTIONS: readonly Action[] = [set, rotate, test, remove];

export const alertWebhookPages: ConsolePages = {
  get: { '/webhooks/alerts': alertWebhookPage },
  reads: ['GET /v1/ops/alert-webhook'],
  actions: ACTIONS,
};

const TITLE = 'Where operators are told of alerts';

async function alertWebhookPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/alert-webhook');
  if (!found.ok) return page.refuse(found.error);
  const { webhook, deliveries } = found.value;
  return page.show({
    title: webhook === null ? TITLE : `${TITLE} – ${webhookState(webhook).label}`,
    nav: 'webhooks',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Webhooks', page.at('/webhooks')]]} />
        <div class="heading">
          <h1>{TITLE}</h1>
          <Buttons page={page} webhook={webhook} />
        </div>
        {webhook === null ? (
          <Note look="wait">
            No address is set: whoever should know of an alert must look at <a href={page.at('/')}>Home</a>.{' '}
            {page.mayActAs('admin') ? 'Set one' : 'An administrator can set one'}: each alert is sent to it when it
            begins and when it is over.
          </Note>
        ) : (
          <>
            <p>
              <WebhookState webhook={webhook} /> {webhookState(webhook).meaning}
            </p>
            <WebhookFacts webhook={webhook} />
            <Deliveries
              page={page}
              answer={{ deliveries, next: null }}
              isEnabled={webhook.enabled}
              isFirst
              at={() => hrefOf(page)}
              again={null}
            />
            {deliveries.length < WEBHOOK_DELIVERIES_PAGE_MAX ? null : (
              <p class="quiet">The newest {WEBHOOK_DELIVERIES_PAGE_MAX}.</p>
            )}
          </>
        )}
      </>
    ),
  });
}

const Buttons: FC<{ page: Page; webhook: Known['webhook'] }> = ({ page, webhook }) => {
  if (!page.mayActAs('admin')) return null;
  const at = (name: string): string => page.at(`/do/${name}`, { from: hrefOf(page) });
  if (webhook === null)
    return (
      <a class="button primary" href={at('set-alert-webhook')}>
        Set an address…
      </a>
    );
  return (
    <div class="actions">
      {webhook.state === 'enabled' ? (
        <a class="button" href={at('alert-webhook-test')}>
          Send a test…
        </a>
      ) : null}
      <a class={webhook.state === 'enabled' ? 'button' : 'button primary'} href={at('set-alert-webhook')}>
        Change…
      </a>
      <a class="button" href={at('alert-webhook-rotate')}>
        Make a new secret…
      </a>
      <a class="button danger" href={at('alert-webhook-delete')}>
        Delete…
      </a>
    </div>
  );
};
