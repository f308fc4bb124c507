/** The key of a request → who is calling. Bearer, or the password of Basic for systems that can do nothing else. */
import type { Context, MiddlewareHandler } from 'hono';
import type { KeyDirectory, PartnerDirectory, Principal } from '../../intake/ports.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { AuditNotes } from '../../ops/directory/audit.ts';
import { mayActAs, type OpsDirectory, type OpsPrincipal, type OpsRole } from '../../ops/directory/directory.ts';
import { readOpsKey } from '../../ops/directory/keys.ts';
import { type ProblemPage, problem } from './problem.ts';
import type { Reader } from './reader.ts';

export type OpsContext = Context<HttpBindings>;

/** A person with a session of the console. */
export type Visitor = { kind: 'operator'; operator: OpsPrincipal } | { kind: 'partner'; principal: Principal };

/** @property csrf what a form of this session must bring along. */
export interface ConsoleSession {
  visitor: Visitor;
  csrf: string;
  endsAtMs: number;
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
 * A request of the console to the API in the same process, for a person whose session was checked. Nothing that comes
 * from outside can say so.
 */
export function madeFor(visitor: Visitor, request: Request): Request {
  visitors.set(request, visitor);
  return request;
}

/** @param challenge true for pages: the browser then prompts for the key. */
export function signIn(directory: (env: Env) => PartnerDirectory, challenge = false): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    const visitor = visitors.get(context.req.raw);
    const partner =
      visitor?.kind === 'partner' ? ok(visitor.principal) : await signedIn(context, directory(context.env), challenge);
    if (!partner.ok) return partner.error;
    context.set('principal', partner.value);
    context.set('reader', ownReader(partner.value));
    await next();
    return undefined;
  };
}

async function signedIn<Who>(
  context: Context,
  directory: KeyDirectory<Who>,
  challenge: boolean,
): Promise<Result<Who, Response>> {
  const key = presentedKey(context.req.header('Authorization'));
  const known = key === undefined ? NOBODY : await directory.signIn(key);
  if (known.outcome === 'known') return ok(known.principal);
  return err(
    known.outcome === 'unavailable' ? unavailable(context) : unauthorized(context, key === undefined, challenge),
  );
}

/**
 * The same for operators. A partner's key is answered like any wrong key.
 * @param role needed by all routes after it; if left out: viewer to read, operator for anything else. challenge as
 * above.
 */
export function opsSignIn(
  directory: (env: Env) => OpsDirectory,
  role?: OpsRole,
  challenge = false,
): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    const visitor = visitors.get(context.req.raw);
    const operator =
      visitor?.kind === 'operator' ? ok(visitor.operator) : await signedIn(context, directory(context.env), challenge);
    if (!operator.ok) return operator.error;
    const needed = role ?? (READING.has(context.req.method) ? 'viewer' : 'operator');
    if (!mayActAs(operator.value.role, needed)) return roleInsufficient(context, operator.value.role, needed);
    context.set('operator', operator.value);
    await next();
    return undefined;
  };
}

/** For pages that both read: the form of the key says which of them is signing in. */
export function eitherSignIn(
  directory: (env: Env) => PartnerDirectory,
  ofOperators: (env: Env) => OpsDirectory,
): MiddlewareHandler<HttpBindings> {
  const [asPartner, asOperator] = [signIn(directory, true), opsSignIn(ofOperators, undefined, true)];
  return (context, next) => {
    const key = presentedKey(context.req.header('Authorization'));
    return key !== undefined && readOpsKey(key) !== undefined ? asOperator(context, next) : asPartner(context, next);
  };
}

const ownReader = ({ environment, partner }: Principal): Reader => ({ environment, partner, isOps: false });

const NOBODY = { outcome: 'unknown' } as const;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** For routes of administrators alone; stands after `opsSignIn`. */
export const adminOnly: MiddlewareHandler<HttpBindings> = async (context, next) => {
  const { role } = context.get('operator');
  if (!mayActAs(role, 'admin')) return roleInsufficient(context, role, 'admin');
  await next();
  return undefined;
};

const roleInsufficient = (context: Context, role: OpsRole, needed: OpsRole): Response =>
  problem(context, {
    status: 403,
    code: 'role_insufficient',
    title: 'Role not sufficient',
    detail: `This key has the role ${role}; this needs ${needed}. Nothing was changed.`,
    fix: `Use a key with the role ${needed}.`,
  });

function unavailable(context: Context): Response {
  context.header('Retry-After', '30');
  return problem(context, {
    status: 503,
    code: 'directory_unavailable',
    title: 'Sign-in unavailable',
    detail: 'Keys cannot be checked at the moment. Your key may well be right.',
    fix: 'Send the request again in a minute.',
  });
}

/** One realm for all pages: whoever signs in as somebody else is prompted for another key. */
function unauthorized(context: Context, missing: boolean, challenge: boolean): Response {
  context.header(
    'WWW-Authenticate',
    challenge ? 'Basic realm="Transload", charset="UTF-8"' : 'Bearer realm="Transload"',
  );
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
