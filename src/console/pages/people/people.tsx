/** `/console/people`: who may operate the bridge, and the actions that change that. For admins. */
import type { Answered, Done } from '../../../http/contract/contract.ts';
import { action, type Field, type Outcome, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { exactTime, State, Time } from '../../parts/basics.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';

type Person = Answered<'GET /v1/ops/people'>['people'][number];

const ROLES = {
  viewer: 'viewer: looks at everything',
  operator: 'operator: also publishes, decides, sends again',
  admin: 'admin: also manages people and keys',
};

async function peoplePage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/people');
  if (!found.ok) return page.refuse(found.error);
  const { people } = found.value;
  return page.show({
    title: 'People',
    nav: 'people',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <h1>People</h1>
          <a class="button primary" href={page.at('/do/invite-person', { from: page.at('/people') })}>
            Invite somebody…
          </a>
        </div>
        <p class="quiet">They sign in here with a passkey or a password. Programs use keys instead.</p>
        <Table
          caption="People who may sign in"
          columns={[
            { label: 'Name', kind: 'main' },
            { label: 'Role', kind: 'word' },
            { label: 'Environments', kind: 'word' },
            { label: 'Signs in with' },
            { label: 'Signed in last', kind: 'word' },
            { label: '', kind: 'word' },
          ]}
          rows={people.map((person) => personRow(page, person))}
          empty="Nobody is invited yet: you came with a key or by Cloudflare Access. Invite those who shall sign in by themselves."
        />
      </>
    ),
  });
}

/** Names the environments that an admin may not act on; null: there is none of those. */
export function beyondText({ environments: own }: Page, environments: readonly string[]): string | null {
  const beyond = environments.filter((name) => !own.some((each) => each === name));
  if (beyond.length === 0) return null;
  return `of ${beyond.join(' and ')}${beyond.length < environments.length ? ', too' : ''}`;
}

function personRow(page: Page, person: Person): TableRow {
  const { personId, name, role, environments, invitedBy, invitedAt, lastSignedInAt } = person;
  const parameters = { id: personId, name, from: page.at('/people') };
  const { visitor } = page.session;
  const isOwn = visitor.kind === 'operator' && visitor.operator.keyId === personId;
  const beyond = beyondText(page, environments);
  return {
    cells: [
      <span title={`Invited by ${invitedBy}, ${exactTime(invitedAt)}`}>{name}</span>,
      role,
      environments.join(', '),
      waysOf(person),
      <Time at={lastSignedInAt} />,
      isOwn ? (
        <a href={page.at('/me')}>Open your account</a>
      ) : beyond !== null ? (
        <span class="quiet">{beyond}</span>
      ) : (
        <>
          <a
            href={page.at('/do/change-person', { ...parameters, role, environments: environments.join(',') })}
            aria-label={`Change ${name}`}
          >
            Change…
          </a>
          {' · '}
          <a href={page.at('/do/new-link', parameters)} aria-label={`Make a new link for ${name}`}>
            Make a new link…
          </a>
          {' · '}
          <a href={page.at('/do/remove-person', parameters)} aria-label={`Remove ${name}`}>
            Remove…
          </a>
        </>
      ),
    ],
  };
}

function waysOf({ passkeys, hasPassword, linkEndsAt }: Person) {
  const ways = [
    ...(passkeys > 0 ? [passkeys === 1 ? 'passkey' : `${passkeys} passkeys`] : []),
    ...(hasPassword ? ['password'] : []),
  ];
  if (linkEndsAt !== null)
    return (
      <State look="wait">
        {ways.length === 0 ? 'Link not opened' : 'New link'}, ends <Time at={linkEndsAt} />
      </State>
    );
  return ways.length === 0 ? <State look="wait">No passkey or password yet</State> : ways.join(', ');
}

const ENVIRONMENT_CHOICES = { test: 'test', production: 'production', 'test,production': 'test and production' };

/** Only what the admin may act on. */
const environmentsField = (page: Page): Field => ({
  name: 'environments',
  label: 'Environments',
  kind: 'choice',
  isRequired: true,
  of: Object.fromEntries(
    Object.entries(ENVIRONMENT_CHOICES).filter(([names]) =>
      names.split(',').every((name) => page.environments.some((own) => own === name)),
    ),
  ),
});

const ROLE: Field = { name: 'role', label: 'Role', kind: 'choice', isRequired: true, of: ROLES };

const rights = ({ role = '', environments = '' }: Values) => ({ role, environments: environments.split(',') });

const ofPerson = ({ id = '' }: Values) => ({ id });

/** Who it is about when the form is shown; the API is told the id alone. */
const about = ({ name = 'this person' }: Values): string => name;

const linkShown = ({ name, link, linkEndsAt }: Done<'POST /v1/ops/people'>, _values: Values, page: Page): Outcome => ({
  title: `A sign-in link for ${name}`,
  lines: [
    'Send it to them where nobody else can read it. It signs them in once; then they set a password or add a passkey.',
    `It works until ${linkEndsAt.slice(0, 16).replace('T', ' ')} UTC. Earlier links for them no longer work.`,
  ],
  secret: { label: 'The link', value: link },
  back: page.at('/people'),
});

const invite = action({
  name: 'invite-person',
  route: 'POST /v1/ops/people',
  role: 'admin',
  title: () => 'Invite somebody',
  explain: 'Makes a link that signs them in once. Nothing is sent: you hand the link over.',
  fields: (_, page) => [
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      hint: 'They type it to sign in; histories show it.',
    },
    ROLE,
    environmentsField(page),
    WHY,
  ],
  button: 'Make the link',
  call: ({ name = '', why = '', ...values }) => ({
    body: { name, why, ...rights(values) },
  }),
  done: linkShown,
});

const change = action({
  name: 'change-person',
  route: 'PATCH /v1/ops/people/{id}',
  role: 'admin',
  title: (values) => `Change ${about(values)}`,
  explain:
    'Counts from their next click on, also where they are signed in. With more rights, a link that they have not opened ends: make a new one.',
  fields: (_, page) => [ROLE, environmentsField(page), WHY],
  button: 'Change',
  call: ({ why = '', ...values }) => ({
    path: ofPerson(values),
    body: { why, ...rights(values) },
  }),
  done: (_done, _values, page) => ({ goTo: page.at('/people') }),
});

const remove = action({
  name: 'remove-person',
  route: 'DELETE /v1/ops/people/{id}',
  role: 'admin',
  title: (values) => `Remove ${about(values)}`,
  explain:
    'Signs them out everywhere at once. Their passkeys, password and links work no more; what they did stays in the histories.',
  fields: [WHY],
  button: 'Remove',
  isDangerous: true,
  call: ({ why = '', ...values }) => ({ path: ofPerson(values), body: { why } }),
  done: (_done, _values, page) => ({ goTo: page.at('/people') }),
});

const newLink = action({
  name: 'new-link',
  route: 'POST /v1/ops/people/{id}/link',
  role: 'admin',
  title: (values) => `Make a new sign-in link for ${about(values)}`,
  explain: 'For somebody who cannot sign in any more. Be sure that it is them who ask.',
  fields: [
    {
      name: 'reset',
      label: 'A device or a password was lost',
      kind: 'check',
      hint: 'Forgets their passkeys and password, and signs them out everywhere.',
    },
    WHY,
  ],
  button: 'Make the link',
  call: ({ why = '', reset = '', ...values }) => ({
    path: ofPerson(values),
    body: { why, reset: reset === 'true' },
  }),
  done: linkShown,
});

export const peoplePages: ConsolePages = {
  get: { '/people': peoplePage },
  reads: ['GET /v1/ops/people'],
  actions: [invite, change, remove, newLink],
};
