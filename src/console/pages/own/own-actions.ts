/** What a partner does with its own keys and webhooks. */
import type { Answered, Done } from '../../../http/contract/contract.ts';
import { type Action, action, type Field, type Values } from '../../actions.ts';
import { exactTime } from '../../parts/basics.tsx';

export type OwnKey = Answered<'GET /v1/keys'>['keys'][number];
type Made = Done<'POST /v1/keys/{keyId}/rotate'>;

export const webhookPage = ({ target = '' }: Values): string => `/notifications/${encodeURIComponent(target)}`;

const usedText = ({ lastUsedAt }: Pick<OwnKey, 'lastUsedAt'>): string =>
  lastUsedAt === null ? 'It was never used.' : `It was last used on ${exactTime(lastUsedAt)}.`;

/** What is shown once. */
const newKey = ({ key = '', keyId, expiresAt, endsAt }: Made, back: string) => ({
  title: 'The new key',
  lines: [
    `Its id is ${keyId}. ${expiresAt === null ? '' : `It ends on ${exactTime(expiresAt)}. `}It cannot be looked up later.`,
    ...(endsAt === undefined ? [] : [`Change your systems over: the old key works until ${exactTime(endsAt)}.`]),
  ],
  secret: { label: 'The key', value: key },
  back,
});

const OVERLAP: Field = {
  name: 'overlapHours',
  label: 'Hours the old key works on',
  kind: 'number',
  isRequired: true,
  value: '24',
  hint: 'From 0, at once, to 720, a month. Change your systems over meanwhile.',
};

/** An id in the address, which no form shows. */
const hidden = (name: string): Field => ({ name, label: name, kind: 'hidden', isRequired: true });

const NOT_IN_USE = { lines: ['This key has ended, or was renewed already.'], button: '', isEmpty: true } as const;

export const OWN_ACTIONS: readonly Action[] = [
  action({
    name: 'make-own-key',
    route: 'POST /v1/keys',
    role: 'partner',
    title: () => 'Make a key',
    explain:
      'It may do what the key you signed in with may do. Two keys work at once: one in use, and one to change to.',
    fields: [],
    button: 'Make the key',
    call: () => ({ body: {} }),
    done: (answer, _, page) => newKey(answer, page.at('/keys')),
  }),
  action({
    name: 'renew-own-key',
    route: 'POST /v1/keys/{keyId}/rotate',
    role: 'partner',
    title: ({ keyId = '' }) => `Renew key ${keyId}`,
    explain: 'A new key takes its place, with the same rights. The old one works on for a while.',
    fields: [hidden('keyId'), OVERLAP],
    button: 'Renew the key',
    call: ({ keyId = '', overlapHours = '' }) => ({
      path: { keyId },
      body: { overlapHours: Number(overlapHours) },
    }),
    plan: (answer) =>
      answer.state === 'live' || answer.state === 'ending'
        ? {
            lines: [
              usedText(answer),
              `The new key is shown once. The old one works until ${exactTime(answer.endsAt ?? '')}.`,
            ],
            button: 'Renew 1 key',
          }
        : NOT_IN_USE,
    done: (answer, _, page) => newKey(answer, page.at('/keys')),
  }),
  action({
    name: 'revoke-own-key',
    route: 'POST /v1/keys/{keyId}/revoke',
    role: 'partner',
    title: ({ keyId = '' }) => `Revoke key ${keyId}`,
    explain: 'It is refused from its next request on. This cannot be undone.',
    fields: [hidden('keyId')],
    button: 'Revoke the key',
    isDangerous: true,
    plansAtOnce: true,
    call: ({ keyId = '' }) => ({ path: { keyId }, body: {} }),
    plan: (answer) =>
      answer.state === 'revoked' || answer.state === 'ended'
        ? NOT_IN_USE
        : {
            lines: [
              usedText(answer),
              answer.isThisOne
                ? 'It is the key you signed in with: you are signed out at once, and need another key to come back.'
                : 'Whatever still uses it stops working.',
            ],
            button: 'Revoke 1 key',
            look: 'bad',
          },
    done: (_, __, page) => ({ goTo: page.at('/keys') }),
  }),
  action({
    name: 'renew-webhook-secret',
    route: 'POST /v1/webhooks/{target}/rotate',
    role: 'partner',
    title: ({ target = '' }) => `Make a new secret for webhook “${target}”`,
    explain: 'A new secret signs from now on. The old one signs along with it for a day, so that you can change over.',
    fields: [hidden('target')],
    button: 'Make a new secret',
    isDangerous: true,
    call: ({ target = '' }) => ({ path: { target } }),
    done: ({ secret = '' }, values, page) => ({
      title: 'A new secret signs from now on',
      lines: ['Put it into your system within a day: until then the old one signs, too.'],
      secret: { label: 'The signing secret', value: secret },
      back: page.at(webhookPage(values)),
    }),
  }),
  action({
    name: 'send-event-again',
    route: 'POST /v1/webhooks/{target}/deliveries/{event}/send-again',
    role: 'partner',
    title: ({ target = '' }) => `Send an event to webhook “${target}” again`,
    explain: 'The same event, with the same id, is sent at once. Your system recognises a repeat by its id.',
    fields: [hidden('target'), { name: 'event', label: 'Event', kind: 'text', isRequired: true }],
    button: 'Send it again',
    call: ({ target = '', event = '' }) => ({ path: { target, event } }),
    done: (_, values, page) => ({ goTo: page.at(webhookPage(values)) }),
  }),
];
