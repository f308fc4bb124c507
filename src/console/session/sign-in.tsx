/**
 * `/console/sign-in`: one page for people and for partners. A person signs in with a passkey, a password, or the first time
 * with a one-time link; a partner exchanges its key. Each begins a session that did not exist before.
 */
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { HttpBindings } from '../../http/edge/context.ts';
import { isFromOwnPage } from '../../http/pages/policy.ts';
import { BODY_FORM_BYTES_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { readKey, readOpsKey } from '../../ops/directory/keys.ts';
import { CHALLENGE_LIFETIME_MS, KNOWN_BROWSER_MS, PASSWORD_CHARACTERS_MAX } from '../../ops/people/limits.ts';
import { type Holder, newToken, type SignedInBy } from '../../ops/people/sessions.ts';
import { html } from '../open-page.tsx';
import { ownPath } from '../pages/action.tsx';
import { challengeOf, freshStart, isYoung, siteForPasskeys, startOf } from './challenge.ts';
import {
  accessIdentity,
  foreignForm,
  type PageContext,
  type SignInPorts,
  sessionOf,
  sessionToken,
  siteOf,
  unavailable,
} from './session.ts';
import { type LinkPageView, linkPage, type SignInView, signInPage, unsafePage } from './sign-in-pages.tsx';
import { cookieName, cookieOf, isSafeSite, readCookie } from './site.ts';

export function addSignIn(routes: Hono<HttpBindings>, ports: SignInPorts): void {
  const limit = bodyLimit({ maxSize: BODY_FORM_BYTES_MAX });
  const ofForm =
    (answer: (context: PageContext, form: FormData) => Promise<Response>) => async (context: PageContext) => {
      if (!isSafeSite(siteOf(context))) return html(context, unsafePage(context), 403);
      if (!isFromOwnPage(context)) return foreignForm(context);
      return reached(context, async () => answer(context, await context.req.formData()));
    };
  routes.get('/sign-in', (context) => reached(context, () => showSignIn(context, ports, {})));
  routes.get('/sign-in/link/:token', (context) => reached(context, () => showLink(context, ports)));
  routes.post(
    '/sign-in',
    limit,
    ofForm((context, form) => byPassword(context, ports, form)),
  );
  routes.post(
    '/sign-in/key',
    limit,
    ofForm((context, form) => byKey(context, ports, form)),
  );
  routes.post(
    '/sign-in/passkey',
    limit,
    ofForm((context, form) => byPasskey(context, ports, form)),
  );
  routes.post(
    '/sign-in/link/:token',
    limit,
    ofForm((context) => byLink(context, ports)),
  );
}

/** The directory may be down: that is said, and no key or password is called wrong. */
export async function reached(context: PageContext, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (thrown) {
    log('error', 'directory_unavailable', { detail: messageOf(thrown) });
    return unavailable(context);
  }
}

/** @property isAnswered the challenge of the page before was: the next page has its own. */
type Refused = Partial<Pick<SignInView, 'problem' | 'name' | 'to'>> & { status?: number; isAnswered?: boolean };

async function showSignIn(context: PageContext, ports: SignInPorts, refused: Refused): Promise<Response> {
  const site = siteOf(context);
  if (!isSafeSite(site)) return html(context, unsafePage(context), 403);
  const { status = 200, to = context.req.query('to') ?? '', problem, name = '', isAnswered = false } = refused;
  const session = await sessionOf(context, ports);
  const visitor = session.ok ? session.value?.visitor : undefined;
  const passkeySite = siteForPasskeys(site);
  let options: object | null = null;
  if (passkeySite !== null) {
    const start = (isAnswered ? null : startOf(context)) ?? freshStart(Date.now());
    context.header('Set-Cookie', cookieOf(site, 'start', start, CHALLENGE_LIFETIME_MS / 1_000), { append: true });
    options = await ports.credentials(context.env).authentication(passkeySite, challengeOf(start));
  }
  const view: SignInView = {
    to: ownPath(to) ?? '',
    name,
    passkey: options,
    isWithoutRole: visitor === undefined && (await accessIdentity(context)) !== null,
    signedInAs:
      visitor === undefined ? null : visitor.kind === 'operator' ? visitor.operator.name : visitor.principal.partner,
    ...(problem === undefined ? {} : { problem }),
  };
  return html(context, signInPage(context, view), status);
}

const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

/** @returns what the check says, or the wait until it is made. What was right takes back its try. */
export async function slowly<Who>(
  context: PageContext,
  ports: SignInPorts,
  tried: { takenBack: readonly string[]; forgotten: readonly string[] },
  check: () => Promise<Who | null>,
): Promise<{ waitMs: number; who: Who | null }> {
  const tries = ports.tries(context.env);
  const waitMs = await tries.claim([...tried.takenBack, ...tried.forgotten]);
  if (waitMs > 0) return { waitMs, who: null };
  const who = await check();
  if (who !== null) await tries.wasRight(tried.takenBack, tried.forgotten);
  return { waitMs, who };
}

/** Of IPv6, the network: a household has 2^64 addresses of it. */
export function addressOf(context: PageContext): string {
  const address = context.req.header('CF-Connecting-IP') ?? '';
  return `address:${address.includes(':') ? networkOf(address) : address}`;
}

const networkOf = (address: string): string => {
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill('0')].slice(0, 4).join(':');
};

async function byPassword(context: PageContext, ports: SignInPorts, form: FormData): Promise<Response> {
  const [name, password, to] = [textIn(form, 'name').trim(), textIn(form, 'password'), textIn(form, 'to')];
  if (name === '' || password === '' || password.length > PASSWORD_CHARACTERS_MAX)
    return showSignIn(context, ports, { problem: 'Fill in your name and your password.', name, to, status: 400 });
  const browser = readCookie(context.req.header('Cookie'), cookieName(siteOf(context), 'browser'));
  const isKnown = await ports.sessions(context.env).isKnown(browser, name);
  const as = name.toLowerCase();
  // A browser in which the person has signed in waits for its own wrong tries alone: nobody else can keep them out.
  const tried = isKnown
    ? { takenBack: [], forgotten: [`browser:${sha256Hex(browser)}:${as}`] }
    : { takenBack: [addressOf(context)], forgotten: [`name:${as}`] };
  const check = () => ports.credentials(context.env).byPassword(name, password);
  const { waitMs, who } = await slowly(context, ports, tried, check);
  if (who !== null) return begin(context, ports, { holder: person(who), by: 'password', to });
  if (waitMs > 0) return waiting(context, ports, waitMs, { name, to });
  const otherWay = siteForPasskeys(siteOf(context)) === null ? 'ask' : 'sign in with a passkey, or ask';
  const problem = `The name or the password is not right. If you have forgotten the password, ${otherWay} an admin for a new link.`;
  return showSignIn(context, ports, { problem, name, to, status: 401 });
}

async function byKey(context: PageContext, ports: SignInPorts, form: FormData): Promise<Response> {
  const [key, to] = [textIn(form, 'key').trim(), textIn(form, 'to')];
  if (readOpsKey(key) !== undefined) {
    const problem =
      'This is a key of an operator: programs use it at the addresses below /v1/ops. People sign in by name; an admin invites them.';
    return showSignIn(context, ports, { problem, to, status: 400 });
  }
  const keyId = readKey(key)?.keyId;
  const tried = { takenBack: [addressOf(context)], forgotten: keyId === undefined ? [] : [`key:${keyId}`] };
  const { waitMs, who } = await slowly(context, ports, tried, async () => {
    const known = await ports.directory(context.env).signIn(key);
    if (known.outcome === 'unavailable') throw new Error('the directory cannot be read');
    return known.outcome === 'known' ? known.principal : null;
  });
  if (who !== null) return begin(context, ports, { holder: { kind: 'key', keyId: who.keyId }, by: 'key', to });
  if (waitMs > 0) return waiting(context, ports, waitMs, { to });
  const problem = 'The key is unknown, wrong, expired or revoked. Copy it whole; if it is right, ask us for a new one.';
  return showSignIn(context, ports, { problem, to, status: 401 });
}

async function byPasskey(context: PageContext, ports: SignInPorts, form: FormData): Promise<Response> {
  const to = textIn(form, 'to');
  const [start, passkeySite] = [startOf(context), siteForPasskeys(siteOf(context))];
  const tried = { takenBack: [addressOf(context)], forgotten: [] };
  const { waitMs, who } = await slowly(context, ports, tried, async () => {
    const answer = jsonIn(textIn(form, 'answer'));
    if (start === null || passkeySite === null || !isYoung(start, Date.now())) return null;
    return ports.credentials(context.env).byPasskey(passkeySite, { challenge: challengeOf(start), answer });
  });
  if (who !== null) return begin(context, ports, { holder: person(who), by: 'passkey', to });
  if (waitMs > 0) return waiting(context, ports, waitMs, { to });
  const problem =
    'This passkey is not known here, or the page was open for too long. Try again, or choose another way.';
  return showSignIn(context, ports, { problem, to, status: 401, isAnswered: true });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Opening a link shows a button: programs that look at links in mails must not use it up. */
async function showLink(context: PageContext, ports: SignInPorts): Promise<Response> {
  if (!isSafeSite(siteOf(context))) return html(context, unsafePage(context), 403);
  const token = context.req.param('token') ?? '';
  const { waitMs, who } = await slowly(context, ports, { takenBack: [addressOf(context)], forgotten: [] }, () =>
    ports.credentials(context.env).linkHolder(token),
  );
  if (waitMs > 0) return waiting(context, ports, waitMs, {});
  return shownLink(context, who === null ? null : { name: who.name, token });
}

const shownLink = (context: PageContext, view: LinkPageView | null): Response =>
  html(context, linkPage(context, view), view === null ? 403 : 200);

async function byLink(context: PageContext, ports: SignInPorts): Promise<Response> {
  const token = context.req.param('token') ?? '';
  const { waitMs, who } = await slowly(context, ports, { takenBack: [addressOf(context)], forgotten: [] }, () =>
    ports.credentials(context.env).useLink(token),
  );
  if (who !== null) return begin(context, ports, { holder: person(who), by: 'link', to: '/console/me?welcome=1' });
  return waitMs > 0 ? waiting(context, ports, waitMs, {}) : shownLink(context, null);
}

const person = ({ personId }: { personId: string }): Holder => ({ kind: 'person', personId });

function waiting(context: PageContext, ports: SignInPorts, waitMs: number, refused: Refused): Promise<Response> {
  const [problem, status] = tooMany(context, waitMs);
  return showSignIn(context, ports, { ...refused, problem, status });
}

/** What the page says then, and its status. */
export function tooMany(context: PageContext, waitMs: number): [problem: string, status: 429] {
  const seconds = Math.ceil(waitMs / 1_000);
  context.header('Retry-After', String(seconds));
  return [`There were too many wrong tries. Wait ${seconds} s, then try again: this one was not checked.`, 429];
}

/** A new session in place of whatever the browser had before. */
export async function begin(
  context: PageContext,
  ports: SignInPorts,
  { holder, by, to }: { holder: Holder; by: SignedInBy; to: string },
): Promise<Response> {
  const site = siteOf(context);
  const sessions = ports.sessions(context.env);
  const browser = context.req.header('User-Agent') ?? '';
  const token = await sessions.begin({ holder, by, browser, replaced: sessionToken(context) });
  context.header('Set-Cookie', cookieOf(site, 'session', token, null), { append: true });
  context.header('Set-Cookie', cookieOf(site, 'start', '', 0), { append: true });
  if (holder.kind === 'person') {
    const before = readCookie(context.req.header('Cookie'), cookieName(site, 'browser'));
    const known = /^[\w-]{43}$/.test(before) ? before : newToken();
    await sessions.knowBrowser(known, holder.personId);
    context.header('Set-Cookie', cookieOf(site, 'browser', known, KNOWN_BROWSER_MS / 1_000), { append: true });
  }
  return context.redirect(ownPath(to) ?? '/console', 303);
}

/** Ends the session that the form belongs to, here and in the directory. */
export async function signOut(context: PageContext, ports: SignInPorts): Promise<Response> {
  const isAccess = context.get('session')?.signedInBy === 'access';
  await ports.sessions(context.env).end(sessionToken(context));
  context.header('Set-Cookie', cookieOf(siteOf(context), 'session', '', 0), { append: true });
  return context.redirect(isAccess ? '/cdn-cgi/access/logout' : '/console/sign-in', 303);
}
