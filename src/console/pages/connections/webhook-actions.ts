/** What an operator does with a webhook of a partner: set, switch, renew its secret, delete, send an event again. */
import type { Answered, Done } from '../../../http/contract/contract.ts';
import { WEBHOOK_EVENTS, type WebhookEventType } from '../../../webhooks/target.ts';
import { type Action, action, type Field, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { ifSeen, seenField } from '../seen.ts';

type ShownWebhook = Done<'PUT /v1/ops/partners/{name}/webhooks/{target}'>;
/** What its partner sees of it, too. */
export type SeenWebhook = Answered<'GET /v1/webhooks'>['webhooks'][number];

export const EVENT_MESSAGES: Record<WebhookEventType, string> = {
  'batch.settled': 'A file is finished',
  'batch.held': 'Rows wait for a decision',
  'acknowledgment.ready': 'The acknowledgment of a file is ready',
  'order.status': 'An order has a new status',
  'alert.raised': 'Alert',
  'alert.cleared': 'Over',
  'alert.test': 'Test',
};

/** `A file is finished, rows wait for a decision` */
export const eventsText = ({ events }: Pick<SeenWebhook, 'events'>): string => {
  const [first = '', ...others] = events.map((event) => EVENT_MESSAGES[event] ?? event);
  return [first, ...others.map((text) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`)].join(', ');
};

const pathOf = ({ partner = '', target = '' }: Values) => ({ name: partner, target });
export const targetHref = (page: Page, partner: string, target: string, more = {}): string =>
  page.at(`/webhooks/${encodeURIComponent(partner)}/${encodeURIComponent(target)}`, more);

const PARTNER: Field = { name: 'partner', label: 'Partner', kind: 'text', isRequired: true, isSubject: true };
const TARGET: Field = {
  name: 'target',
  label: 'Name of the webhook',
  kind: 'text',
  isRequired: true,
  isSubject: true,
  hint: 'Small letters, digits and hyphens, such as main.',
};
const fieldOf = (event: string): string => `event-${event}`;

const shownSecret = (
  { secret }: ShownWebhook,
  { partner = '', target = '' }: Values,
  page: Page,
  { title, lines }: { title: string; lines: readonly string[] },
) => {
  const back = targetHref(page, partner, target);
  if (secret === undefined) return { goTo: back };
  return { title, lines, secret: { label: 'The signing secret', value: secret }, back };
};

const setWebhook = action({
  name: 'set-webhook',
  route: 'PUT /v1/ops/partners/{name}/webhooks/{target}',
  role: 'operator',
  title: ({ partner, target }) =>
    target === undefined || target === ''
      ? `Register a webhook${partner ? ` of ${partner}` : ''}`
      : `Change webhook “${target}” of ${partner}`,
  explain:
    'What is ticked below is sent to this address as it happens, signed, and tried again until it arrives. The partner’s system must answer with a status of 200 to 299.',
  fields: async (values, page) => {
    const now = await nowOf(values, page);
    return [
      PARTNER,
      TARGET,
      seenField(now?.edition),
      {
        name: 'url',
        label: 'Address',
        kind: 'text',
        isRequired: true,
        hint: 'It begins with https:// and can be reached from the internet.',
        value: now?.url ?? '',
      },
      ...WEBHOOK_EVENTS.map(
        (event): Field => ({
          name: fieldOf(event),
          label: EVENT_MESSAGES[event],
          kind: 'check',
          hint: event,
          value: now?.events.includes(event) ? 'true' : '',
        }),
      ),
      {
        name: 'disabled',
        label: now === null ? 'Register it, but send nothing yet' : 'Switched off: send nothing to it for now',
        kind: 'check',
        value: now?.enabled === false ? 'true' : '',
      },
      WHY,
    ];
  },
  button: 'Save the webhook',
  call: (values) => ({
    path: pathOf(values),
    body: {
      url: values.url,
      events: WEBHOOK_EVENTS.filter((event) => values[fieldOf(event)] === 'true'),
      enabled: values.disabled !== 'true',
      note: values.why,
    },
    ...ifSeen(values),
  }),
  done: (answer, values, page) =>
    shownSecret(answer, values, page, {
      title: 'The webhook is registered',
      lines: ['Give the secret to the partner: it proves that an event comes from here.'],
    }),
});

async function nowOf(values: Values, page: Page): Promise<ShownWebhook | null> {
  if ((values.partner ?? '') === '' || (values.target ?? '') === '') return null;
  const found = await page.api.call('GET /v1/ops/partners/{name}/webhooks/{target}', { path: pathOf(values) });
  return found.ok ? found.value : null;
}

/** Switched on or off, with everything else as it is. One that was deleted meanwhile is not registered by it. */
const switching = (isOn: boolean): Action =>
  action({
    name: isOn ? 'webhook-enable' : 'webhook-disable',
    route: 'PUT /v1/ops/partners/{name}/webhooks/{target}',
    role: 'operator',
    title: ({ target = '', partner = '' }) =>
      isOn ? `Switch webhook “${target}” of ${partner} on` : `Switch webhook “${target}” of ${partner} off`,
    explain: isOn
      ? 'Events are sent to it from now on. What was given up meanwhile can be sent again, one by one.'
      : 'Events stay away from it until it is switched on again.',
    fields: async (values, page) => {
      const now = await nowOf(values, page);
      const hidden = (name: string, value: string): Field => ({ name, label: name, kind: 'hidden', value });
      return [
        hidden('partner', ''),
        hidden('target', ''),
        hidden('url', now?.url ?? ''),
        hidden('events', now?.events.join(',') ?? ''),
        ...(now === null ? [] : [seenField(now.edition)]),
        WHY,
      ];
    },
    button: isOn ? 'Switch it on' : 'Switch it off',
    isDangerous: !isOn,
    call: (values) => ({
      path: pathOf(values),
      body: { url: values.url, events: (values.events ?? '').split(','), enabled: isOn, note: values.why },
      ...ifSeen(values),
    }),
    done: (_, { partner = '', target = '' }, page) => ({ goTo: targetHref(page, partner, target) }),
  });

const HIDDEN: readonly Field[] = [
  { name: 'partner', label: 'Partner', kind: 'hidden', isRequired: true },
  { name: 'target', label: 'Webhook', kind: 'hidden', isRequired: true },
];

const rotate = action({
  name: 'webhook-rotate',
  route: 'POST /v1/ops/partners/{name}/webhooks/{target}/rotate',
  role: 'operator',
  title: ({ target = '', partner = '' }) => `Make a new secret for webhook “${target}” of ${partner}`,
  explain:
    'A new secret signs from now on. The old one signs along with it for a day, so that the partner can change over.',
  fields: [...HIDDEN, WHY],
  button: 'Make a new secret',
  isDangerous: true,
  call: (values) => ({ path: pathOf(values), body: { note: values.why } }),
  done: (answer, values, page) =>
    shownSecret(answer, values, page, {
      title: 'A new secret signs from now on',
      lines: ['Give it to the partner within a day: until then the old one signs, too.'],
    }),
});

const remove = action({
  name: 'webhook-delete',
  route: 'DELETE /v1/ops/partners/{name}/webhooks/{target}',
  role: 'operator',
  title: ({ target = '', partner = '' }) => `Delete webhook “${target}” of ${partner}`,
  explain: 'It is notified no more, and what waits for it is deleted, too. This cannot be taken back.',
  fields: [...HIDDEN, WHY],
  button: 'Delete the webhook',
  isDangerous: true,
  call: (values) => ({ path: pathOf(values), query: { note: values.why } }),
  done: (_, { partner = '' }, page) => ({ goTo: page.at('/webhooks', { partner }) }),
});

const sendAgain = action({
  name: 'webhook-send-again',
  route: 'POST /v1/ops/partners/{name}/webhooks/{target}/deliveries/{event}/send-again',
  role: 'operator',
  title: ({ target = '', partner = '' }) => `Send an event to webhook “${target}” of ${partner} again`,
  explain: 'The same event, with the same id, is sent at once. The receiver recognises a repeat by its id.',
  fields: [...HIDDEN, { name: 'event', label: 'Event', kind: 'text', isRequired: true, isSubject: true }],
  button: 'Send it again',
  call: (values) => ({ path: { ...pathOf(values), event: values.event ?? '' } }),
  done: (_, { partner = '', target = '' }, page) => ({ goTo: targetHref(page, partner, target) }),
});

export const WEBHOOK_ACTIONS: readonly Action[] = [
  setWebhook,
  switching(true),
  switching(false),
  rotate,
  remove,
  sendAgain,
];
