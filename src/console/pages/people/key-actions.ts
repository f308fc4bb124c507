/** What administrators do about partners and keys. The secret of a new key is in one answer, and on one page, once. */
import type { OpsKeyView, PartnerKeyView } from '../../../http/ops/views/keys.ts';
import { type Action, action, type Field, type Values, WHY } from '../../actions.ts';
import { countOf, exactTime } from '../../parts/basics.tsx';

type KeyView = PartnerKeyView | OpsKeyView;
type Made = KeyView & { key?: string };

const EXPIRES: Field = {
  name: 'expires',
  label: 'Ends on, UTC',
  kind: 'text',
  hint: 'A day such as 2027-01-31, or "never". If empty, the key ends in a year.',
};
const OVERLAP: Field = {
  name: 'overlapHours',
  label: 'Hours the old key works on',
  kind: 'number',
  isRequired: true,
  value: '24',
  hint: 'From 0, at once, to 720, a month. The holder changes to the new key meanwhile.',
};

/** undefined: it was left empty. */
const trimmed = (text = ''): string | undefined => text.trim() || undefined;

const namesIn = (text = ''): string[] =>
  text
    .split(/[\s,]+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

const usedText = ({ lastUsedAt }: KeyView): string =>
  lastUsedAt === null ? 'It was never used.' : `It was last used on ${exactTime(lastUsedAt)}.`;
const endText = (at: string | null): string =>
  at === null ? 'It does not end by itself.' : `It ends on ${exactTime(at)}.`;

const madeOutcome = ({ key = '', keyId, expiresAt }: Made, back: string) => ({
  title: 'The new key',
  lines: [
    `Its id is ${keyId}. ${endText(expiresAt)} Hand it over where nobody else can read it: it cannot be looked up later.`,
  ],
  secret: { label: 'The key', value: key },
  back,
});

const ofPartner = ({ partner = '' }: Values) => ({ name: partner });
const keyOfPartner = (values: Values) => ({ ...ofPartner(values), keyId: values.keyId ?? '' });
const partnerPage = ({ partner = '' }: Values): string => `/partners/${encodeURIComponent(partner)}`;

const rotateBody = (values: Values) => ({
  overlapHours: Number(values.overlapHours ?? ''),
  expires: trimmed(values.expires),
  why: trimmed(values.why),
});

const ROTATES = {
  role: 'admin',
  title: ({ keyId = '' }: Values) => `Renew key ${keyId}`,
  fields: [OVERLAP, EXPIRES, WHY],
  button: 'Renew the key',
  plan: rotationPlan,
} as const;
const REVOKES = {
  role: 'admin',
  title: ({ keyId = '' }: Values) => `Revoke key ${keyId}`,
  explain: 'It is refused from its next request on. This cannot be undone: whoever uses it needs another key.',
  fields: [WHY],
  button: 'Revoke the key',
  isDangerous: true,
  plan: revocationPlan,
} as const;

const rotationText = (inherits: string): string =>
  `A new key takes its place, with the same ${inherits}. The old one works on for a while.`;

export const PARTNER_ACTIONS: readonly Action[] = [
  action({
    name: 'create-partner',
    route: 'POST /v1/ops/partners',
    role: 'admin',
    title: () => 'Make a partner',
    explain: 'The partner gets a channel in this environment. Make a key for it afterwards.',
    fields: async (_, page) => [
      {
        name: 'name',
        label: 'Name in addresses',
        kind: 'text',
        isRequired: true,
        hint: 'Lower-case letters, digits and dashes. It stays for good.',
      },
      { name: 'displayName', label: 'Name for people', kind: 'text' },
      await channelField(page),
      WHY,
    ],
    button: 'Make the partner',
    call: ({ name, displayName, channel, why }) => ({
      body: {
        ...{ name: trimmed(name), displayName: trimmed(displayName) },
        ...{ channel: trimmed(channel), why: trimmed(why) },
      },
    }),
    done: (answer, _, page) => ({ goTo: page.at(`/partners/${encodeURIComponent(answer.name)}`) }),
  }),
  action({
    name: 'change-partner',
    route: 'PATCH /v1/ops/partners/{name}',
    role: 'admin',
    title: ({ partner = 'a partner' }) => `Change ${partner}`,
    explain: 'The channel is for this environment, and its keys go along. The name is for both.',
    fields: async (values, page) => {
      const found = await page.api.call('GET /v1/ops/partners/{name}', { path: { name: values.partner ?? '' } });
      const none = found.ok && found.value.channel === null ? { '': 'None here' } : {};
      return [{ name: 'displayName', label: 'Name for people', kind: 'text' }, await channelField(page, none), WHY];
    },
    button: 'Change',
    call: (values) => ({
      path: ofPartner(values),
      body: {
        displayName: trimmed(values.displayName),
        channel: trimmed(values.channel),
        why: trimmed(values.why),
      },
    }),
    done: (_, values, page) => ({ goTo: page.at(partnerPage(values)) }),
  }),
  action({
    name: 'set-origins',
    route: 'PATCH /v1/ops/partners/{name}',
    role: 'admin',
    title: ({ partner = 'a partner' }) => `Set allowed web pages of ${partner}`,
    explain:
      "Pages of other sites that may use the partner's keys in a browser, in both environments. A page that is not listed gets no answer to read; programs need no entry.",
    fields: [
      {
        name: 'origins',
        label: 'Addresses of the pages',
        kind: 'text',
        hint: 'Such as https://portal.example, without a path; several separated by commas. If empty, none.',
      },
      WHY,
    ],
    button: 'Set',
    call: (values) => ({
      path: ofPartner(values),
      body: { origins: namesIn(values.origins), why: trimmed(values.why) },
    }),
    done: (_, values, page) => ({ goTo: page.at(partnerPage(values)) }),
  }),
  action({
    name: 'switch-partner',
    route: 'PATCH /v1/ops/partners/{name}',
    role: 'admin',
    title: ({ partner = 'a partner', enabled }) =>
      enabled === 'true' ? `Allow ${partner} again` : `Switch ${partner} off`,
    explain:
      'A partner that is switched off is refused in both environments from its next request on. What was taken before is still delivered.',
    fields: [{ name: 'enabled', label: 'Allowed', kind: 'hidden' }, WHY],
    button: 'Go on',
    isDangerous: true,
    call: (values) => ({
      path: ofPartner(values),
      body: { enabled: values.enabled === 'true', why: trimmed(values.why) },
    }),
    plan: ({ keys }, { enabled }) =>
      enabled === 'true'
        ? { lines: [`${countOf(keys.live, 'key')} of this environment will work again.`], button: 'Allow the partner' }
        : {
            lines: [
              `${countOf(keys.live, 'key')} of this environment, and all others of the partner, will be refused.`,
            ],
            button: 'Switch the partner off',
            look: 'bad',
          },
    done: (_, values, page) => ({ goTo: page.at(partnerPage(values)) }),
  }),
  action({
    name: 'make-key',
    route: 'POST /v1/ops/partners/{name}/keys',
    role: 'admin',
    title: ({ partner = 'a partner' }) => `Make a key for ${partner}`,
    explain: 'At most two keys of a partner work in an environment: one in use, and one to change over to.',
    fields: [
      {
        name: 'scacs',
        label: 'Carriers',
        kind: 'text',
        hint: 'Separated by commas. If empty, all SCACs of the channel.',
      },
      { name: 'mappings', label: 'Kinds of file', kind: 'text', hint: 'Separated by commas. If empty, every mapping.' },
      EXPIRES,
      WHY,
    ],
    button: 'Make the key',
    call: (values) => {
      const [scacs, mappings] = [namesIn(values.scacs), namesIn(values.mappings)];
      return {
        path: ofPartner(values),
        body: {
          ...(scacs.length > 0 ? { scacs } : {}),
          ...(mappings.length > 0 ? { mappings } : {}),
          ...{ expires: trimmed(values.expires), why: trimmed(values.why) },
        },
      };
    },
    done: (answer, values, page) => madeOutcome(answer, page.at(partnerPage(values))),
  }),
  action({
    name: 'rotate-key',
    route: 'POST /v1/ops/partners/{name}/keys/{keyId}/rotate',
    ...ROTATES,
    explain: rotationText('SCACs and mappings'),
    call: (values) => ({ path: keyOfPartner(values), body: rotateBody(values) }),
    done: (answer, values, page) => madeOutcome(answer, page.at(partnerPage(values))),
  }),
  action({
    name: 'revoke-key',
    route: 'POST /v1/ops/partners/{name}/keys/{keyId}/revoke',
    ...REVOKES,
    call: (values) => ({ path: keyOfPartner(values), body: { why: trimmed(values.why) } }),
    done: (_, values, page) => ({ goTo: page.at(partnerPage(values)) }),
  }),
];

/** @param none the choice of no channel, where that may be. */
async function channelField(
  page: Parameters<Extract<Action['fields'], (...all: never[]) => unknown>>[1],
  none: Readonly<Record<string, string>> = {},
): Promise<Field> {
  const found = await page.api.call('GET /v1/ops/channels');
  const names = found.ok ? found.value.channels.map(({ name }) => name) : [];
  return {
    name: 'channel',
    label: 'Channel',
    kind: 'choice',
    isRequired: Object.keys(none).length === 0,
    of: { ...none, ...Object.fromEntries(names.map((name) => [name, name])) },
  };
}

function rotationPlan(answer: KeyView & { endsAt?: string }) {
  const isOver = answer.state === 'ended' || answer.state === 'revoked' || answer.state === 'replaced';
  if (isOver)
    return {
      lines: ['This key has ended, or was renewed already. Make a new key instead.'],
      button: '',
      isEmpty: true,
    };
  return {
    lines: [usedText(answer), `The new key is shown once. The old one works until ${exactTime(answer.endsAt ?? '')}.`],
    button: 'Renew 1 key',
  };
}

function revocationPlan(answer: KeyView) {
  if (answer.state === 'revoked') return { lines: ['It was revoked already.'], button: '', isEmpty: true };
  return { lines: [usedText(answer), endText(answer.expiresAt)], button: 'Revoke 1 key', look: 'bad' as const };
}

/* Keys of operators. */

export const OPERATOR_KEY_ACTIONS: readonly Action[] = [
  action({
    name: 'make-operator-key',
    route: 'POST /v1/ops/operator-keys',
    role: 'admin',
    title: () => 'Make a key for an operator',
    explain:
      'For a program, or for a person who works without a browser. People who use the console sign in by themselves.',
    fields: (_, page) => [
      {
        name: 'name',
        label: 'Who gets it',
        kind: 'text',
        isRequired: true,
        hint: 'Shown in the audit with what they do.',
      },
      {
        ...{ name: 'role', label: 'Role', kind: 'choice', isRequired: true },
        of: {
          viewer: 'Viewer: looks',
          operator: 'Operator: also decides, publishes, replays',
          admin: 'Admin: also partners and keys',
        },
      },
      {
        ...{ name: 'environments', label: 'Environments', kind: 'choice', isRequired: true },
        of: Object.fromEntries(
          [...page.environments, ...(page.environments.length > 1 ? [page.environments.join(',')] : [])].map((each) => [
            each,
            each.replace(',', ' and '),
          ]),
        ),
      },
      EXPIRES,
      WHY,
    ],
    button: 'Make the key',
    call: (values) => ({
      body: {
        ...{ name: trimmed(values.name), role: trimmed(values.role), environments: namesIn(values.environments) },
        ...{ expires: trimmed(values.expires), why: trimmed(values.why) },
      },
    }),
    done: (answer, _, page) => madeOutcome(answer, page.at('/operator-keys')),
  }),
  action({
    name: 'rotate-operator-key',
    route: 'POST /v1/ops/operator-keys/{keyId}/rotate',
    ...ROTATES,
    explain: rotationText('name, role and environments'),
    call: (values) => ({ path: { keyId: values.keyId ?? '' }, body: rotateBody(values) }),
    done: (answer, _, page) => madeOutcome(answer, page.at('/operator-keys')),
  }),
  action({
    name: 'revoke-operator-key',
    route: 'POST /v1/ops/operator-keys/{keyId}/revoke',
    ...REVOKES,
    call: ({ keyId = '', why }) => ({ path: { keyId }, body: { why: trimmed(why) } }),
    done: (_, __, page) => ({ goTo: page.at('/operator-keys') }),
  }),
];
