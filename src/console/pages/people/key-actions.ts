/** What administrators do about partners and keys. The secret of a new key is in one answer, and on one page, once. */
import type { PartnerView } from '../../../http/ops/partners.ts';
import type { OpsKeyView, PartnerKeyView } from '../../../http/ops/views/keys.ts';
import type { Action, Field, Values } from '../../actions.ts';
import { WHY } from '../../actions.ts';
import { countOf, exactTime } from '../../parts/basics.tsx';

type KeyView = PartnerKeyView | OpsKeyView;
type Made = KeyView & { key: string };

const EXPIRES: Field = {
  name: 'expires',
  label: 'Ends on (UTC)',
  kind: 'text',
  hint: 'A day such as 2027-01-31, or "never". Left empty, the key ends in a year.',
};
const OVERLAP: Field = {
  name: 'overlapHours',
  label: 'Hours the old key works on',
  kind: 'number',
  isRequired: true,
  value: '24',
  hint: 'From 0, at once, to 720, a month. The holder changes to the new key meanwhile.',
};

/** Members that were filled in. */
const filled = (values: Values, ...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => ((values[name] ?? '').trim() === '' ? [] : [[name, (values[name] ?? '').trim()]])),
  );

const namesIn = (text = ''): string[] =>
  text
    .split(/[\s,]+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

const usedText = ({ lastUsedAt }: KeyView): string =>
  lastUsedAt === null ? 'It was never used.' : `It was last used on ${exactTime(lastUsedAt)}.`;
const endText = (at: string | null): string =>
  at === null ? 'It does not end by itself.' : `It ends on ${exactTime(at)}.`;

const madeOutcome = ({ key, keyId, expiresAt }: Made, back: string) => ({
  title: 'The new key',
  lines: [
    `Its id is ${keyId}. ${endText(expiresAt)} Hand it over where nobody else can read it: it cannot be looked up later.`,
  ],
  secret: { label: 'The key', value: key },
  back,
});

const partnerPath = ({ partner = '' }: Values): string => `/v1/ops/partners/${encodeURIComponent(partner)}`;
const partnerPage = ({ partner = '' }: Values): string => `/partners/${encodeURIComponent(partner)}`;

const rotateBody = (values: Values) => ({
  overlapHours: Number(values.overlapHours ?? ''),
  ...filled(values, 'expires', 'why'),
});

const OPS_PATH = '/v1/ops/operator-keys';

/** Whose keys: names of the actions, addresses of the API and of the page. */
interface KeyHolders {
  rotate: string;
  revoke: string;
  route: string;
  inherits: string;
  path(values: Values): string;
  page(values: Values): string;
}

const OF_PARTNERS: KeyHolders = {
  ...{
    rotate: 'rotate-key',
    revoke: 'revoke-key',
    route: '/v1/ops/partners/:name/keys',
    inherits: 'SCACs and mappings',
  },
  path: (values) => `${partnerPath(values)}/keys`,
  page: partnerPage,
};
const OF_OPERATORS: KeyHolders = {
  ...{
    rotate: 'rotate-operator-key',
    revoke: 'revoke-operator-key',
    route: OPS_PATH,
    inherits: 'name, role and environments',
  },
  path: () => OPS_PATH,
  page: () => '/operator-keys',
};

/** Both ways in which a key ends: another takes its place, or none. */
function keyEnds({ rotate, revoke, route, inherits, path, page: of }: KeyHolders): Action[] {
  const keyPath = (values: Values, what: string): string =>
    `${path(values)}/${encodeURIComponent(values.keyId ?? '')}/${what}`;
  return [
    {
      name: rotate,
      route: `POST ${route}/:keyId/rotate`,
      role: 'admin',
      title: ({ keyId = '' }) => `Rotate key ${keyId}`,
      explain: `A new key takes its place, with the same ${inherits}. The old one works on for a while.`,
      fields: [OVERLAP, EXPIRES, WHY],
      button: 'Rotate the key',
      call: (values) => ({ method: 'POST', path: keyPath(values, 'rotate'), body: rotateBody(values) }),
      plan: rotationPlan,
      done: (answer: Made, values, page) => madeOutcome(answer, page.at(of(values))),
    },
    {
      name: revoke,
      route: `POST ${route}/:keyId/revoke`,
      role: 'admin',
      title: ({ keyId = '' }) => `Revoke key ${keyId}`,
      explain: 'It is refused from its next request on. This cannot be undone: whoever uses it needs another key.',
      fields: [WHY],
      button: 'Revoke the key',
      isDangerous: true,
      call: (values) => ({ method: 'POST', path: keyPath(values, 'revoke'), body: filled(values, 'why') }),
      plan: revocationPlan,
      done: (_, values, page) => ({ goTo: page.at(of(values)) }),
    },
  ];
}

export const PARTNER_ACTIONS: readonly Action[] = [
  {
    name: 'create-partner',
    route: 'POST /v1/ops/partners',
    role: 'admin',
    title: () => 'New partner',
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
    call: (values) => ({
      method: 'POST',
      path: '/v1/ops/partners',
      body: filled(values, 'name', 'displayName', 'channel', 'why'),
    }),
    done: (answer: PartnerView, _, page) => ({ goTo: page.at(`/partners/${encodeURIComponent(answer.name)}`) }),
  },
  {
    name: 'change-partner',
    route: 'PATCH /v1/ops/partners/:name',
    role: 'admin',
    title: ({ partner = 'a partner' }) => `Change ${partner}`,
    explain: 'The channel is for this environment, and its keys go along. The name is for both.',
    fields: async (_, page) => [
      { name: 'displayName', label: 'Name for people', kind: 'text' },
      await channelField(page),
      WHY,
    ],
    button: 'Change',
    call: (values) => ({
      method: 'PATCH',
      path: partnerPath(values),
      body: filled(values, 'displayName', 'channel', 'why'),
    }),
    done: (_, values, page) => ({ goTo: page.at(partnerPage(values)) }),
  },
  {
    name: 'set-origins',
    route: 'PATCH /v1/ops/partners/:name',
    role: 'admin',
    title: ({ partner = 'a partner' }) => `Pages that may call the API for ${partner}`,
    explain:
      "Pages of other sites that may use the partner's keys in a browser, in both environments. A page that is not listed gets no answer to read; programs need no entry.",
    fields: [
      {
        name: 'origins',
        label: 'Addresses of the pages',
        kind: 'text',
        hint: 'Such as https://portal.example, without a path; several separated by commas. Left empty: none.',
      },
      WHY,
    ],
    button: 'Set',
    call: (values) => ({
      method: 'PATCH',
      path: partnerPath(values),
      body: { origins: namesIn(values.origins), ...filled(values, 'why') },
    }),
    done: (_, values, page) => ({ goTo: page.at(partnerPage(values)) }),
  },
  {
    name: 'switch-partner',
    route: 'PATCH /v1/ops/partners/:name',
    role: 'admin',
    title: ({ partner = 'a partner', enabled }) =>
      enabled === 'true' ? `Let ${partner} in again` : `Switch ${partner} off`,
    explain:
      'A partner that is switched off is refused in both environments from its next request on. What was taken before is still delivered.',
    fields: [{ name: 'enabled', label: 'Let in', kind: 'hidden' }, WHY],
    button: 'Go on',
    isDangerous: true,
    call: (values) => ({
      method: 'PATCH',
      path: partnerPath(values),
      body: { enabled: values.enabled === 'true', ...filled(values, 'why') },
    }),
    plan: ({ keys }: PartnerView, { enabled }) =>
      enabled === 'true'
        ? { lines: [`${countOf(keys.live, 'key')} of this environment will work again.`], button: 'Let the partner in' }
        : {
            lines: [
              `${countOf(keys.live, 'key')} of this environment, and all others of the partner, will be refused.`,
            ],
            button: 'Switch the partner off',
            look: 'bad',
          },
    done: (_, values, page) => ({ goTo: page.at(partnerPage(values)) }),
  },
  {
    name: 'make-key',
    route: 'POST /v1/ops/partners/:name/keys',
    role: 'admin',
    title: ({ partner = 'a partner' }) => `New key for ${partner}`,
    explain: 'Two keys of a partner work at most in an environment: one in use, and one to change over to.',
    fields: [
      { name: 'scacs', label: 'SCACs', kind: 'text', hint: 'Separated by commas. Left empty: all of the channel.' },
      { name: 'mappings', label: 'Mappings', kind: 'text', hint: 'Separated by commas. Left empty: every mapping.' },
      EXPIRES,
      WHY,
    ],
    button: 'Make the key',
    call: (values) => {
      const [scacs, mappings] = [namesIn(values.scacs), namesIn(values.mappings)];
      return {
        method: 'POST',
        path: `${partnerPath(values)}/keys`,
        body: {
          ...(scacs.length > 0 ? { scacs } : {}),
          ...(mappings.length > 0 ? { mappings } : {}),
          ...filled(values, 'expires', 'why'),
        },
      };
    },
    done: (answer: Made, values, page) => madeOutcome(answer, page.at(partnerPage(values))),
  },
  ...keyEnds(OF_PARTNERS),
];

async function channelField(
  page: Parameters<Extract<Action['fields'], (...all: never[]) => unknown>>[1],
): Promise<Field> {
  const found = await page.api.get<{ channels: { name: string }[] }>('/v1/ops/channels');
  const names = found.ok ? found.value.channels.map(({ name }) => name) : [];
  return {
    name: 'channel',
    label: 'Channel',
    kind: 'choice',
    isRequired: true,
    of: Object.fromEntries(names.map((name) => [name, name])),
  };
}

function rotationPlan(answer: KeyView & { endsAt: string }) {
  const isOver = answer.state === 'ended' || answer.state === 'revoked' || answer.state === 'replaced';
  if (isOver)
    return {
      lines: ['This key has ended, or was rotated already. Make a new key instead.'],
      button: '',
      isEmpty: true,
    };
  return {
    lines: [usedText(answer), `The new key is shown once. The old one works until ${exactTime(answer.endsAt)}.`],
    button: 'Rotate 1 key',
  };
}

function revocationPlan(answer: KeyView) {
  if (answer.state === 'revoked') return { lines: ['It was revoked already.'], button: '', isEmpty: true };
  return { lines: [usedText(answer), endText(answer.expiresAt)], button: 'Revoke 1 key', look: 'bad' as const };
}

/* Keys of operators. */

export const OPERATOR_KEY_ACTIONS: readonly Action[] = [
  {
    name: 'make-operator-key',
    route: 'POST /v1/ops/operator-keys',
    role: 'admin',
    title: () => 'New key for an operator',
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
      method: 'POST',
      path: OPS_PATH,
      body: { ...filled(values, 'name', 'role', 'expires', 'why'), environments: namesIn(values.environments) },
    }),
    done: (answer: Made, _, page) => madeOutcome(answer, page.at('/operator-keys')),
  },
  ...keyEnds(OF_OPERATORS),
];
