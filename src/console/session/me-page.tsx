/** What `/console/me` shows. */
import type { Child, FC } from 'hono/jsx';
import type { ConsoleSession } from '../../http/edge/context.ts';
import { iso } from '../../kernel/clock.ts';
import { capital } from '../../kernel/text.ts';
import type { Passkey } from '../../ops/people/credentials.ts';
import {
  PASSKEYS_MAX,
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
  PERSON_NAME_CHARACTERS_MAX,
} from '../../ops/people/limits.ts';
import type { ListedSession } from '../../ops/people/sessions.ts';
import type { Page } from '../page.ts';
import { CsrfField, Fact, Facts, Id, Note, Time } from '../parts/basics.tsx';
import { Table } from '../parts/table.tsx';

/** @property person null: a partner, or somebody whom Cloudflare Access signed in. */
export interface MeView {
  session: ConsoleSession;
  sessions: readonly ListedSession[];
  person: {
    passkeys: readonly Passkey[];
    hasPassword: boolean;
    /** What the challenge is made of; options: what the browser needs. null: no passkeys at this address. */
    start: string;
    options: object | null;
  } | null;
  isWelcome: boolean;
  problem?: string | undefined;
  done?: string | undefined;
}

export const meBody = (page: Page, view: MeView): Child => {
  const { session, sessions, person, isWelcome, problem, done } = view;
  const needsOne = person !== null && person.passkeys.length === 0 && !person.hasPassword;
  return (
    <>
      <h1>Your account</h1>
      {problem === undefined ? null : (
        <div role="alert">
          <Note look="bad">{problem}</Note>
        </div>
      )}
      {done === undefined ? null : <Note look="good">{done}</Note>}
      {needsOne ? (
        <Note look="wait">
          {isWelcome ? 'You are signed in. ' : ''}
          <strong>This link works only once.</strong>{' '}
          {person.options === null ? 'Set a password' : 'Add a passkey or set a password'} now, or you cannot come back
          without a new link.
        </Note>
      ) : null}
      <Whose session={session} />
      {person === null ? null : (
        <div class="columns two">
          {person.options === null ? null : <Passkeys page={page} person={person} />}
          <Password page={page} person={person} asksCurrent={session.signedInBy === 'password'} />
          {person.options === null ? <Passkeys page={page} person={person} /> : null}
        </div>
      )}
      {sessions.length === 0 ? null : <SessionList page={page} sessions={sessions} own={session.sessionId} />}
    </>
  );
};

const nameOf = ({ visitor }: ConsoleSession): string =>
  visitor.kind === 'operator' ? visitor.operator.name : visitor.principal.partner;

const WAYS: Readonly<Record<ConsoleSession['signedInBy'], string>> = {
  link: 'One-time link',
  password: 'Password',
  passkey: 'Passkey',
  key: 'Key',
  access: 'Cloudflare Access',
};

const Whose: FC<{ session: ConsoleSession }> = ({ session: { visitor, signedInBy, endsAtMs } }) => (
  <Facts>
    <Fact name="Name">{visitor.kind === 'operator' ? visitor.operator.name : visitor.principal.partner}</Fact>
    {visitor.kind === 'operator' ? (
      <>
        <Fact name="Role">{visitor.operator.role}</Fact>
        <Fact name="Environments">{visitor.operator.environments.join(', ')}</Fact>
      </>
    ) : (
      <>
        <Fact name="Environment">{visitor.principal.environment}</Fact>
        <Fact name="Id of the key">
          <Id id={visitor.principal.keyId} />
        </Fact>
        <Fact name="Carriers">{visitor.principal.scacs.join(', ')}</Fact>
        <Fact name="Kinds of file">{visitor.principal.mappings?.join(', ') ?? 'all'}</Fact>
      </>
    )}
    <Fact name="Signed in with">{WAYS[signedInBy]}</Fact>
    <Fact name="Session ends">
      {endsAtMs === null ? 'when Cloudflare Access ends it' : <Time at={iso(endsAtMs)} />}
    </Fact>
  </Facts>
);

export const PASSKEYS_FULL = `you have ${PASSKEYS_MAX}, which is all there may be. Remove one first.`;

const Passkeys: FC<{ page: Page; person: NonNullable<MeView['person']> }> = ({ page, person }) => {
  const { passkeys, options, start } = person;
  return (
    <section class="card">
      <h2>Passkeys</h2>
      <p>A passkey signs you in with your fingerprint, your face or the PIN of your device.</p>
      {passkeys.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <Table
          caption="Your passkeys"
          columns={[{ label: 'Name', kind: 'main' }, { label: 'Added' }, { label: 'Used' }, { label: '' }]}
          rows={passkeys.map(({ credentialId, name, addedAt, usedAt }) => ({
            cells: [
              name,
              <Time at={addedAt} />,
              <Time at={usedAt} />,
              <a href={page.at('/me/passkeys/remove', { id: credentialId })} aria-label={`Remove ${name}`}>
                Remove
              </a>,
            ],
          }))}
        />
      )}
      {options === null ? (
        <p class="quiet">
          They work only where the address begins with https:// and has a name, not numbers. Use a password here.
        </p>
      ) : passkeys.length >= PASSKEYS_MAX ? (
        <p class="quiet">{capital(PASSKEYS_FULL)}</p>
      ) : (
        <form
          method="post"
          action={page.at('/me/passkeys')}
          hidden
          data-passkey="create"
          data-options={JSON.stringify(options)}
        >
          <CsrfField page={page} />
          <input type="hidden" name="start" value={start} />
          <input type="hidden" name="answer" value="" />
          <div class="field">
            <label for="passkey-name">Name of the device</label>
            <input id="passkey-name" name="name" required maxlength={PERSON_NAME_CHARACTERS_MAX} autocomplete="off" />
          </div>
          <p class="actions">
            <button class={passkeys.length === 0 ? 'primary' : ''} type="submit">
              Add a passkey
            </button>
          </p>
          <p role="status" data-passkey-note />
        </form>
      )}
    </section>
  );
};

/** It leads where no passkey can be added. */
const Password: FC<{ page: Page; person: NonNullable<MeView['person']>; asksCurrent: boolean }> = ({
  page,
  person: { hasPassword, options },
  asksCurrent,
}) => (
  <section class="card">
    <h2>Password</h2>
    <p>
      {hasPassword ? 'A password is set.' : 'No password is set.'} At least {PASSWORD_CHARACTERS_MIN} characters; a few
      words that nobody would connect with you are best.
    </p>
    <form method="post" action={page.at('/me/password')}>
      <CsrfField page={page} />
      <input type="hidden" name="username" value={nameOf(page.session)} autocomplete="username" />
      {asksCurrent ? <PasswordField name="current" label="Password now" complete="current-password" /> : null}
      <PasswordField name="password" label="New password" complete="new-password" />
      <PasswordField name="again" label="New password once more" complete="new-password" />
      <p class="actions">
        <button class={options === null && !hasPassword ? 'primary' : ''} type="submit">
          {hasPassword ? 'Change the password' : 'Set the password'}
        </button>
      </p>
      <p class="quiet">Ends all your other sessions.</p>
    </form>
  </section>
);

const PasswordField: FC<{ name: string; label: string; complete: string }> = ({ name, label, complete }) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <input
      id={`field-${name}`}
      name={name}
      type="password"
      required
      maxlength={PASSWORD_CHARACTERS_MAX}
      autocomplete={complete}
    />
  </div>
);

const SessionList: FC<{ page: Page; sessions: readonly ListedSession[]; own: string | null }> = ({
  page,
  sessions,
  own,
}) => (
  <section>
    <h2>Where you are signed in</h2>
    <Table
      caption="Sessions"
      columns={[
        { label: 'Browser', kind: 'main' },
        { label: 'With' },
        { label: 'Since', kind: 'word' },
        { label: 'Last used', kind: 'word' },
        { label: '' },
      ]}
      rows={sessions.map((session) => ({
        cells: [
          browserName(session.browser),
          WAYS[session.signedInBy],
          <Time at={session.signedInAt} />,
          <Time at={session.usedAt} />,
          session.sessionId === own ? (
            <strong>this one</strong>
          ) : (
            <form method="post" action={page.at('/me/sessions/end')}>
              <CsrfField page={page} />
              <input type="hidden" name="session" value={session.sessionId} />
              <button class="plain" type="submit" aria-label={`End the session in ${browserName(session.browser)}`}>
                End
              </button>
            </form>
          ),
        ],
      }))}
    />
    <form method="post" action={page.at('/me/sign-out-everywhere')}>
      <CsrfField page={page} />
      <p class="actions">
        <button class="danger" type="submit">
          Sign out everywhere
        </button>
        <span class="quiet">Ends this session, too.</span>
      </p>
    </form>
  </section>
);

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const BROWSER_NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const;

/** `Firefox on Windows`: enough to tell one's own apart. Pure. */
export function browserName(agent: string): string {
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => agent.includes(name));
  const shown = browser === undefined ? 'Unknown browser' : (BROWSER_NAMES[browser] ?? browser);
  return system === undefined ? shown : `${shown} on ${system === 'Mac OS X' ? 'Mac' : system}`;
}

/** @param isSpare there is another way to sign in. */
export const removalBody = (page: Page, { credentialId, name }: Passkey, isSpare: boolean): Child => (
  <div class="narrow">
    <h1>Remove the passkey “{name}”?</h1>
    <Note look={isSpare ? 'wait' : 'bad'}>
      {isSpare
        ? 'It signs you in no more. Delete it on the device, too.'
        : 'It is the only way in which you can sign in. Without it you need a new link from an admin.'}
    </Note>
    <form method="post" action={page.at('/me/passkeys/remove')}>
      <CsrfField page={page} />
      <input type="hidden" name="id" value={credentialId} />
      <p class="actions">
        <button class="danger" type="submit">
          Remove the passkey
        </button>
        <a class="button" href={page.at('/me')} data-close>
          Cancel
        </a>
      </p>
    </form>
  </div>
);
