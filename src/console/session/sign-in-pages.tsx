/** The pages that somebody sees before they are signed in. */
import type { FC } from 'hono/jsx';
import { PASSWORD_CHARACTERS_MAX } from '../../ops/people/limits.ts';
import { Note } from '../parts/basics.tsx';
import { bareDocument, themeOf } from '../parts/frame.tsx';
import type { PageContext } from './session.ts';

/**
 * @property to where to go then; '' the first page. passkey: what the browser needs; null: no passkeys at this address.
 * isWithoutRole: Cloudflare Access knows who it is, and no group of theirs has a role.
 */
export interface SignInView {
  to: string;
  name: string;
  passkey: object | null;
  isWithoutRole: boolean;
  signedInAs: string | null;
  problem?: string;
}

const SCRIPT = '/console/passkey.js';

export const signInPage = (context: PageContext, view: SignInView): string =>
  bareDocument(
    'Sign in',
    <>
      <h1>Sign in</h1>
      {view.problem === undefined ? null : (
        <div role="alert">
          <Note look="bad">{view.problem}</Note>
        </div>
      )}
      {view.signedInAs === null ? null : (
        <Note look="good">
          You are signed in as {view.signedInAs}. <a href={view.to === '' ? '/console' : view.to}>Continue</a>, or sign
          in as somebody else.
        </Note>
      )}
      {view.isWithoutRole ? (
        <Note look="wait">
          Cloudflare Access knows you, but none of your groups has a role here. Ask an admin, or sign in below.
        </Note>
      ) : null}
      {view.passkey === null ? null : <PasskeyForm view={view} options={view.passkey} />}
      <PasswordForm view={view} />
      <KeyForm view={view} />
      <p class="quiet">
        Were you given a link to send files with? Open it again, or <a href="/console/open">paste it here</a>.
      </p>
    </>,
    { theme: themeOf(context), script: SCRIPT },
  );

const PasskeyForm: FC<{ view: SignInView; options: object }> = ({ view, options }) => (
  <form
    method="post"
    action="/console/sign-in/passkey"
    class="card"
    hidden
    data-passkey="get"
    data-options={JSON.stringify(options)}
  >
    <input type="hidden" name="to" value={view.to} />
    <input type="hidden" name="answer" value="" />
    <p class="actions">
      <button class="primary" type="submit">
        Sign in with a passkey
      </button>
    </p>
    <p role="status" data-passkey-note />
  </form>
);

const PasswordForm: FC<{ view: SignInView }> = ({ view }) => (
  <form method="post" action="/console/sign-in" class="card">
    <h2>With your password</h2>
    <input type="hidden" name="to" value={view.to} />
    <div class="field">
      <label for="name">Name</label>
      <input id="name" name="name" value={view.name} required autocomplete="username" autocapitalize="none" />
    </div>
    <div class="field">
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        required
        maxlength={PASSWORD_CHARACTERS_MAX}
        autocomplete="current-password"
      />
    </div>
    <p class="actions">
      <button class={view.passkey === null ? 'primary' : ''} type="submit">
        Sign in
      </button>
    </p>
    <p class="quiet">The first time, open the link that an admin gave you.</p>
  </form>
);

const KeyForm: FC<{ view: SignInView }> = ({ view }) => (
  <form method="post" action="/console/sign-in/key" class="card">
    <h2>Partners: with your key</h2>
    <input type="hidden" name="to" value={view.to} />
    <div class="field">
      <label for="key">Key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        autocomplete="off"
        spellcheck={false}
        aria-describedby="key-hint"
      />
      <span class="hint" id="key-hint">
        The one that your uploads use. It begins with tltest_ or tllive_.
      </span>
    </div>
    <p class="actions">
      <button type="submit">Open my batches</button>
    </p>
  </form>
);

export interface LinkPageView {
  name: string;
  token: string;
}

/** @param view null: the link is not accepted; whether it was ever one is not said. */
export const linkPage = (context: PageContext, view: LinkPageView | null): string =>
  bareDocument(
    view === null ? 'Link not accepted' : `Sign in as ${view.name}`,
    view === null ? (
      <>
        <h1>Link not accepted</h1>
        <p>The link is wrong, was used already, or has ended.</p>
        <Note look="wait">Ask an admin for a new one. If you have a passkey or a password, you need no link.</Note>
        <p>
          <a href="/console/sign-in">Go to the sign-in page</a>
        </p>
      </>
    ) : (
      <>
        <h1>Welcome, {view.name}</h1>
        <p>This link signs you in once. Then add a passkey or a password, so that you can come back without it.</p>
        <form method="post" action={`/console/sign-in/link/${view.token}`}>
          <p class="actions">
            <button class="primary" type="submit">
              Sign in
            </button>
          </p>
        </form>
      </>
    ),
    { theme: themeOf(context) },
  );

export const unsafePage = (context: PageContext): string =>
  bareDocument(
    'Not over this connection',
    <>
      <h1>Not over this connection</h1>
      <p>What you type here could be read on the way, so nobody can sign in at this address.</p>
      <Note look="wait">Open the same address with https.</Note>
    </>,
    { theme: themeOf(context) },
  );
