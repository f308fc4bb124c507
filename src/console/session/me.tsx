/**
 * `/console/me`: what somebody signs in with, and where they are signed in. It is of one session and no program's business,
 * so that it stands beside the sign-in page and not on the API.
 */
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ConsoleSession, HttpBindings } from '../../http/edge/context.ts';
import { BODY_FORM_BYTES_MAX } from '../../kernel/limits.ts';
import type { Known } from '../../ops/people/credentials.ts';
import { PASSKEYS_MAX, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../../ops/people/limits.ts';
import type { Holder } from '../../ops/people/sessions.ts';
import type { AppFetch } from '../api.ts';
import { pageOf } from '../open-page.tsx';
import type { Page } from '../page.ts';
import { challengeOf, freshStart, isYoung, siteForPasskeys } from './challenge.ts';
import { type MeView, meBody, PASSKEYS_FULL, removalBody } from './me-page.tsx';
import { type PageContext, type SignInPorts, sessionNeeded, siteOf } from './session.ts';
import { signOut } from './sign-in.tsx';

export function addMe(routes: Hono<HttpBindings>, ports: SignInPorts, fetchApp: AppFetch): void {
  const limit = bodyLimit({ maxSize: BODY_FORM_BYTES_MAX });
  const needed = sessionNeeded(ports);
  const get = (path: string, show: (me: Me) => Promise<Response>) =>
    routes.get(path, needed, (context) => show(meOf(context, ports, fetchApp)));
  const post = (path: string, take: (me: Me, form: FormData) => Promise<Response>) =>
    routes.post(path, limit, needed, async (context) =>
      take(meOf(context, ports, fetchApp), await context.req.formData()),
    );
  post('/sign-out', ({ context }) => signOut(context, ports));
  get('/me', (me) => showMe(me, {}));
  post('/me/sign-out-everywhere', signOutEverywhere);
  post('/me/sessions/end', endSession);
  post('/me/password', setPassword);
  post('/me/passkeys', addPasskey);
  get('/me/passkeys/remove', showRemoval);
  post('/me/passkeys/remove', removePasskey);
}

/** Whose page it is. @property known null: a partner, or somebody whom Access signed in. */
interface Me {
  context: PageContext;
  page: Page;
  session: ConsoleSession;
  ports: SignInPorts;
  holder: Holder | null;
  known: Known | null;
}

function meOf(context: PageContext, ports: SignInPorts, fetchApp: AppFetch): Me {
  const session = context.get('session') as ConsoleSession;
  const page = pageOf(context, fetchApp, session);
  const { visitor, sessionId } = session;
  if (visitor.kind === 'partner') {
    const holder = { kind: 'key', keyId: visitor.principal.keyId } as const;
    return { context, page, session, ports, holder, known: null };
  }
  if (sessionId === null) return { context, page, session, ports, holder: null, known: null };
  const { keyId: personId, name } = visitor.operator;
  return { context, page, session, ports, holder: { kind: 'person', personId }, known: { personId, name } };
}

type Said = Pick<MeView, 'problem' | 'done'> & { status?: number };

async function showMe(me: Me, { status = 200, ...said }: Said): Promise<Response> {
  const { context, page, session, ports, holder, known } = me;
  const credentials = ports.credentials(context.env);
  const site = siteForPasskeys(siteOf(context));
  const start = freshStart(Date.now());
  const view: MeView = {
    session,
    sessions: holder === null ? [] : await ports.sessions(context.env).list(holder),
    person:
      known === null
        ? null
        : {
            passkeys: await credentials.passkeys(known.personId),
            hasPassword: await credentials.hasPassword(known.personId),
            start,
            options: site === null ? null : await credentials.registration(site, known, ownChallenge(session, start)),
          },
    isWelcome: context.req.query('welcome') === '1',
    done: DONE[context.req.query('done') ?? ''],
    ...said,
  };
  return page.show({
    title: 'Your account',
    nav: null,
    status,
    body: meBody(page, view),
    script: '/console/passkey.js',
  });
}

/** Said on the page after something was done. */
const DONE: Readonly<Record<string, string>> = {
  password: 'The password is set. All other sessions were ended.',
  passkey: 'The passkey is added. Next time, sign in with it.',
  removed: 'The passkey is removed.',
  ended: 'That session is ended.',
};

const done = ({ page }: Me, what: keyof typeof DONE): Response => page.goTo(page.at('/me', { done: what }));

/** A challenge that belongs to this session: no other one can answer it. */
const ownChallenge = ({ csrf }: ConsoleSession, start: string): string => challengeOf(`${csrf}.${start}`);

const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

async function signOutEverywhere({ context, ports, holder }: Me): Promise<Response> {
  if (holder !== null) await ports.sessions(context.env).endAll(holder);
  return signOut(context, ports);
}

async function endSession(me: Me, form: FormData): Promise<Response> {
  if (me.holder !== null) await me.ports.sessions(me.context.env).endOne(me.holder, textIn(form, 'session'));
  return done(me, 'ended');
}

async function setPassword(me: Me, form: FormData): Promise<Response> {
  const { context, ports, session, holder, known } = me;
  if (known === null || holder === null) return notYours(me);
  const credentials = ports.credentials(context.env);
  const [password, again] = [textIn(form, 'password'), textIn(form, 'again')];
  const problem = passwordProblem(password, again, known.name);
  if (problem !== null) return showMe(me, { problem, status: 400 });
  // Whoever came by a link or a passkey has just proved who they are; a password may have been typed hours ago by somebody else.
  if (session.signedInBy === 'password') {
    const about = [`name:${known.name.toLowerCase()}`];
    const tries = ports.tries(context.env);
    const waitMs = await tries.claim(about);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      context.header('Retry-After', String(seconds));
      return showMe(me, {
        problem: `There were too many wrong tries. Wait ${seconds} s, then try again.`,
        status: 429,
      });
    }
    if (!(await credentials.isPasswordOf(known.personId, textIn(form, 'current'))))
      return showMe(me, { problem: 'The password you have now is not right. Nothing was changed.', status: 403 });
    await tries.wasRight([], about);
  }
  await credentials.setPassword(known, password);
  await ports.sessions(context.env).endAll(holder, session.sessionId ?? '');
  return done(me, 'password');
}

function passwordProblem(password: string, again: string, name: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_CHARACTERS_MIN)
    return `A password has at least ${PASSWORD_CHARACTERS_MIN} characters. Nothing was changed.`;
  if (password.length > PASSWORD_CHARACTERS_MAX)
    return `A password has at most ${PASSWORD_CHARACTERS_MAX} characters. Nothing was changed.`;
  if (password.toLowerCase().includes(name.toLowerCase()))
    return 'The password contains your name. Nothing was changed.';
  if (new Set(password).size < 4) return 'The password repeats very few characters. Nothing was changed.';
  return password === again ? null : 'The two passwords are not the same. Nothing was changed.';
}

async function addPasskey(me: Me, form: FormData): Promise<Response> {
  const { context, ports, session, known } = me;
  const site = siteForPasskeys(siteOf(context));
  if (known === null || site === null) return notYours(me);
  const start = textIn(form, 'start');
  if ((await ports.credentials(context.env).passkeys(known.personId)).length >= PASSKEYS_MAX)
    return showMe(me, { problem: `The passkey was not added: ${PASSKEYS_FULL}`, status: 400 });
  const added =
    isYoung(start, Date.now()) &&
    (await ports.credentials(context.env).addPasskey(site, known, {
      challenge: ownChallenge(session, start),
      answer: jsonOrNull(textIn(form, 'answer')),
      name: textIn(form, 'name'),
    }));
  if (added) return done(me, 'passkey');
  const problem =
    'The passkey was not added: the page was open for too long, or the device answered wrongly. Try again.';
  return showMe(me, { problem, status: 400 });
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function showRemoval(me: Me): Promise<Response> {
  const { context, page, ports, known } = me;
  if (known === null) return notYours(me);
  const passkeys = await ports.credentials(context.env).passkeys(known.personId);
  const passkey = passkeys.find(({ credentialId }) => credentialId === page.query('id'));
  if (passkey === undefined) return done(me, 'removed');
  const others = passkeys.length - 1;
  const hasPassword = await ports.credentials(context.env).hasPassword(known.personId);
  const body = removalBody(page, passkey, others > 0 || hasPassword);
  return page.show({ title: `Remove ${passkey.name}`, nav: null, body });
}

async function removePasskey(me: Me, form: FormData): Promise<Response> {
  if (me.known === null) return notYours(me);
  await me.ports.credentials(me.context.env).removePasskey(me.known, textIn(form, 'id'));
  return done(me, 'removed');
}

const notYours = ({ page }: Me): Response =>
  page.refuse({
    status: 403,
    code: 'no_own_credentials',
    title: 'Nothing to set here',
    detail: 'You are signed in by a key or by Cloudflare Access, which have no passwords or passkeys here.',
  });
