/** The key of a request → who is calling. Bearer, or the password of Basic for systems that can do nothing else. */
import type { Context, MiddlewareHandler } from 'hono';
import type { KeyScope } from '../../intake/key-scope.ts';
import type { KeyDirectory, PartnerDirectory, Principal } from '../../intake/ports.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { AuditNotes } from '../../ops/directory/audit.ts';
import { mayActAs, type OpsDirectory, type OpsPrincipal, type OpsRole } from '../../ops/directory/directory.ts';
import type { SignedInBy } from '../../ops/people/sessions.ts';
import { linkMayCall } from './link-limits.ts';
import { type ProblemPage, problem } from './problem.ts';
import { heldBack, showLimit, wrongKeyHeldBack } from './rates.ts';
import type { Reader } from './reader.ts';

export type OpsContext = Context<HttpBindings>;

/** A person with a session of the console. */
export type Visitor = { kind: 'operator'; operator: OpsPrincipal } | { kind: 'partner'; principal: Principal };

/**
 * @property sessionId null: somebody else, such as Cloudflare Access, holds the session. csrf: what a form of this
 * session must bring along. endsAtMs: null: when that one ends it.
 */
export interface ConsoleSession {
  sessionId: string | null;
  visitor: Visitor;
  signedInBy: SignedInBy | 'access';
  csrf: string;
  endsAtMs: number | null;
}

export interface HttpBindings {
  Bindings: Env;
  /**
   * `principal` where a partner signs in, `operator` where an operator does; `noted` what an operator's request says of
   * itself for the audit; `reader` where either of them reads one partner's data; `session` where a person signed in to the console; `problemPage` where a person reads the answer
   * in a browser.
   */
  Variables: {
    requestId: string;
    principal: Principal;
    operator: OpsPrincipal;
    noted?: AuditNotes;
    reader: Reader;
    session?: ConsoleSession;
    problemPage?: ProblemPage;
  };
}

const visitors = new WeakMap<Request, Visitor>();

/**
 * A request of a person whose session was checked: the browser's own, or one of the console to the API in the same
 * process. Nothing that comes from outside can say so.
 */
export function madeFor(visitor: Visitor, request: Request): Request {
  visitors.set(request, visitor);
  return request;
}

/** Whether a page calls the API in this process, under the id of the request that the page answers. */
export const isMadeHere = (request: Request): boolean => visitors.has(request);

export function signIn(directory: (env: Env) => PartnerDirectory): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    const visitor = visitors.get(context.req.raw);
    if (visitor?.kind === 'operator') return notForThem(context, 'partners', 'an operator');
    const partner =
      visitor === undefined ? await signedIn(context, directory(context.env), heldBack) : ok(visitor.principal);
    if (!partner.ok) return partner.error;
    if (visitor === undefined) showLimit(context);
    if (partner.value.isLink && !linkMayCall(context.req.method, context.req.path)) return beyondLink(context);
    context.set('principal', partner.value);
    context.set('reader', ownReader(partner.value));
    await next();
    return undefined;
  };
}

/** @param hold refuses a key that asks too often, before it is looked for. */
async function signedIn<Who>(
  context: Context<HttpBindings>,
  directory: KeyDirectory<Who>,
  hold?: typeof heldBack,
): Promise<Result<Who, Response>> {
  if (isOfForeignPage(context)) return err(foreignPage(context));
  const key = presentedKey(context.req.header('Authorization'));
  const held = key === undefined ? undefined : await hold?.(context, key);
  if (held !== undefined) return err(held);
  const known = key === undefined ? NOBODY : await directory.signIn(key);
  if (known.outcome === 'known') return ok(known.principal);
  if (known.outcome === 'unavailable') return err(unavailable(context));
  const refused = key === undefined ? undefined : await wrongKeyHeldBack(context);
  return err(refused ?? unauthorized(context, key === undefined));
}

/** Whoever came by an upload link sends files, and nothing else. */
export const beyondLink = (context: Context): Response =>
  problem(context, {
    status: 403,
    code: 'not_for_link',
    title: 'Not with this link',
    detail: 'The link you came by is for sending files and seeing what came of them. Nothing was changed.',
    fix: 'Go back to your files, or sign in with a key.',
  });

/**
 * The same for operators. A partner's key is answered like any wrong key.
 * @param role needed by all routes after it; if left out: viewer to read, operator for anything else.
 */
export function opsSignIn(directory: (env: Env) => OpsDirectory, role?: OpsRole): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    const visitor = visitors.get(context.req.raw);
    if (visitor?.kind === 'partner') return notForThem(context, 'operators', 'a partner');
    const operator = visitor === undefined ? await signedIn(context, directory(context.env)) : ok(visitor.operator);
    if (!operator.ok) return operator.error;
    const needed = role ?? (READING.has(context.req.method) ? 'viewer' : 'operator');
    if (!mayActAs(operator.value.role, needed)) return roleInsufficient(context, operator.value.role, needed);
    context.set('operator', operator.value);
    await next();
    return undefined;
  };
}

const ownReader = ({ environment, partner }: Principal): Reader => ({ environment, partner, isOps: false });

/** @returns what the key of a partner's request sees; null: it is an operator's. */
export function scopeOf(context: Context<HttpBindings>): KeyScope | null {
  const principal = context.get('principal') as Principal | undefined;
  if (principal === undefined) return null;
  const { scacs, mappings, keyId, isLink } = principal;
  return { scacs, mappings, ...(isLink ? { uploadedBy: keyId } : {}) };
}

const NOBODY = { outcome: 'unknown' } as const;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * A browser that was once given a key for Basic adds it to whatever any page sends here, and says which page that is. A
 * program says nothing of the kind, and a page that has the key itself sends it as Bearer.
 */
function isOfForeignPage({ req }: Context): boolean {
  if (READING.has(req.method) || !/^\s*basic\s/i.test(req.header('Authorization') ?? '')) return false;
  const site = req.header('Sec-Fetch-Site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.header('Origin');
  return origin !== undefined && origin !== new URL(req.url).origin;
}

const foreignPage = (context: Context): Response =>
  problem(context, {
    status: 403,
    code: 'foreign_page',
    title: 'Sent by another page',
    detail: 'A page of another site sent this with the key that the browser remembers. Nothing was changed.',
    fix: 'Send it from a program, or with "Authorization: Bearer KEY".',
  });

/** For routes that need more than their method says; stands after `opsSignIn`. */
const needs =
  (needed: OpsRole): MiddlewareHandler<HttpBindings> =>
  async (context, next) => {
    const { role } = context.get('operator');
    if (!mayActAs(role, needed)) return roleInsufficient(context, role, needed);
    await next();
    return undefined;
  };
export const adminOnly = needs('admin');
/** Of what only reads, but takes much out. */
export const operatorOnly = needs('operator');

const roleInsufficient = (context: Context, role: OpsRole, needed: OpsRole): Response =>
  problem(context, {
    status: 403,
    code: 'role_insufficient',
    title: 'Role not sufficient',
    detail: `Your role, or that of your key, is ${role}; this needs ${needed}. Nothing was changed.`,
    fix: `Ask an admin to do it, or for the role ${needed}.`,
  });

/** A person with a session is told so; a key of the wrong kind is answered like any wrong key. */
const notForThem = (context: Context, whose: string, who: string): Response =>
  problem(context, {
    status: 403,
    code: 'not_for_you',
    title: `For ${whose}`,
    detail: `This is for ${whose}; you are signed in as ${who}. Nothing was changed.`,
    fix: 'Go back to your first page, or sign in as somebody else.',
  });

function unavailable(context: Context): Response {
  return problem(context, {
    status: 503,
    code: 'directory_unavailable',
    title: 'Sign-in unavailable',
    detail: 'Keys cannot be checked at the moment. Your key may well be right.',
    fix: 'Send the request again.',
  });
}

function unauthorized(context: Context, missing: boolean): Response {
  context.header('WWW-Authenticate', 'Bearer realm="Transload"');
  return problem(context, {
    status: 401,
    code: 'unauthorized',
    title: missing ? 'Key missing' : 'Key not accepted',
    detail: missing ? 'The request carries no key.' : 'The key is unknown, wrong, expired or revoked.',
    fix: 'Send your key as "Authorization: Bearer KEY", or as the password of Basic authentication (curl -u any:KEY).',
  });
}

/** @returns undefined when there is none; a text that is no key is still checked, so that all wrong keys look alike. */
export function presentedKey(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, scheme = '', value = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  try {
    const pair = atob(value);
    return pair.slice(pair.indexOf(':') + 1);
  } catch {
    return '';
  }
}
