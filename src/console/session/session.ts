/** The session of a request → who it is; without one, the way to the sign-in page. Forms must come from a page of ours. */
import type { Context, MiddlewareHandler } from 'hono';
import { beyondLink, type ConsoleSession, type HttpBindings, madeFor } from '../../http/edge/context.ts';
import { linkMaySee } from '../../http/edge/link-limits.ts';
import { problem } from '../../http/edge/problem.ts';
import { withParameters } from '../../http/edge/reader.ts';
import { isFromOwnPage } from '../../http/pages/policy.ts';
import type { PartnerDirectory } from '../../intake/ports.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { UploadLinks } from '../../ops/directory/upload-links.ts';
import { jsonOf, operatorOfAccess } from '../../ops/people/access.ts';
import type { Credentials } from '../../ops/people/credentials.ts';
import type { Sessions } from '../../ops/people/sessions.ts';
import type { Tries } from '../../ops/people/tries.ts';
import { cookieName, isLoopback, readCookie } from './site.ts';

export interface SignInPorts {
  directory: (env: Env) => PartnerDirectory;
  sessions: (env: Env) => Sessions;
  credentials: (env: Env) => Credentials;
  tries: (env: Env) => Tries;
  uploadLinks: (env: Env) => UploadLinks;
}

export type PageContext = Context<HttpBindings>;

export const siteOf = (context: Context): URL => new URL(context.req.url);

/** @returns '' where the browser has none. */
export const sessionToken = (context: Context): string =>
  readCookie(context.req.header('Cookie'), cookieName(siteOf(context), 'session'));

/**
 * Lets only people with a session through; the routes after it then know them, as they know the holder of a key. What comes
 * with a session from another site or another port changes nothing.
 */
export function visitorNeeded(ports: Pick<SignInPorts, 'sessions'>): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    if (context.get('session') === undefined) {
      const found = await sessionOf(context, ports);
      if (!found.ok) return unavailable(context);
      if (found.value === null) return signInFirst(context);
      context.set('session', found.value);
      madeFor(found.value.visitor, context.req.raw);
    }
    if (!isReading(context) && !isFromOwnPage(context)) return foreignForm(context);
    const visitor = context.get('session')?.visitor;
    const isLink = visitor?.kind === 'partner' && visitor.principal.isLink === true;
    if (isLink && context.req.path.startsWith('/console') && !linkMaySee(context.req.path)) return beyondLink(context);
    await next();
    return undefined;
  };
}

/**
 * The same, and forms must bring along what only a page of this session has.
 *
 * @param older answers a form of ours that brings along what a page of another session had, and does nothing.
 */
export function sessionNeeded(
  ports: Pick<SignInPorts, 'sessions'>,
  older: (context: Context<HttpBindings>) => Promise<Response> | Response = foreignForm,
): MiddlewareHandler<HttpBindings> {
  const visitor = visitorNeeded(ports);
  return (context, next) =>
    visitor(context, async () => {
      const token = isReading(context) ? null : ((await context.req.formData()).get('csrf') ?? '');
      if (token === null || token === context.get('session')?.csrf) await next();
      else context.res = token === '' ? foreignForm(context) : await older(context);
    });
}

const isReading = ({ req }: Context): boolean => ['GET', 'HEAD'].includes(req.method);

/** @returns null: nobody is signed in. */
export async function sessionOf(
  context: PageContext,
  ports: Pick<SignInPorts, 'sessions'>,
): Promise<Result<ConsoleSession | null, 'unavailable'>> {
  const token = sessionToken(context);
  try {
    const found = token === '' ? null : await ports.sessions(context.env).find(token);
    return ok(found ?? (await accessSession(context)));
  } catch (thrown) {
    log('error', 'directory_unavailable', { detail: messageOf(thrown) });
    return err('unavailable');
  }
}

/** What Access says of whoever asks; null: Access is not in front. On loopback an identity for tests can be named. */
export async function accessIdentity(context: PageContext): Promise<unknown> {
  const test = context.env.ACCESS_TEST_IDENTITY ?? '';
  if (test !== '' && isLoopback(siteOf(context))) return jsonOf(test);
  const { access } = context.executionCtx as { access?: CloudflareAccessContext };
  return access === undefined ? null : access.getIdentity();
}

/** Access holds the session: nothing of it is stored here, and it is asked anew each time. */
async function accessSession(context: PageContext): Promise<ConsoleSession | null> {
  const identity = await accessIdentity(context);
  const operator = identity === null ? null : operatorOfAccess(context.env.ACCESS_ROLES, identity);
  if (operator === null) return null;
  const { req } = context;
  const token = req.header('Cf-Access-Jwt-Assertion') ?? readCookie(req.header('Cookie'), 'CF_Authorization');
  return {
    sessionId: null,
    visitor: { kind: 'operator', operator },
    signedInBy: 'access',
    csrf: sha256Hex(`csrf:${token}:${operator.keyId}`),
    endsAtMs: null,
  };
}

/** A person who reads is led to the sign-in page, and back; a form or a program is told. */
function signInFirst(context: PageContext): Response {
  if (isReading(context) && context.get('problemPage') !== undefined) {
    const { pathname, search } = siteOf(context);
    return context.redirect(withParameters('/console/sign-in', { to: pathname + search }), 303);
  }
  return problem(context, {
    status: 401,
    code: 'session_missing',
    title: 'Not signed in',
    detail: 'You are not signed in, or were signed out. Nothing was done.',
    fix: 'Sign in at /console/sign-in, and do it again. A program uses the addresses below /v1 with its key.',
  });
}

export const foreignForm = (context: Context): Response =>
  problem(context, {
    status: 403,
    code: 'cross_site_refused',
    title: 'Not from this page',
    detail:
      'The request does not come from a page of the console that was opened since you signed in. Nothing was done.',
    fix: 'Open the page again and use its button, or use the API.',
  });

export function unavailable(context: Context): Response {
  return problem(context, {
    status: 503,
    code: 'directory_unavailable',
    title: 'Sign-in unavailable',
    detail: 'Who you are cannot be checked at the moment. You may well be signed in.',
    fix: 'Open the page again.',
  });
}
