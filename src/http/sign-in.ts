/** The key of a request → who is calling. Bearer, or the password of Basic for systems that can do nothing else. */
import type { Context, MiddlewareHandler } from 'hono';
import type { PartnerDirectory } from '../intake/ports.ts';
import type { HttpBindings } from './bindings.ts';
import { problem } from './problem.ts';

/** @param challenge true for pages: a browser then asks for the key itself. */
export function signIn(directory: (env: Env) => PartnerDirectory, challenge = false): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    const key = presentedKey(context.req.header('Authorization'));
    const known = key === undefined ? { outcome: 'unknown' as const } : await directory(context.env).signIn(key);
    switch (known.outcome) {
      case 'known':
        context.set('principal', known.principal);
        await next();
        return undefined;
      case 'unavailable':
        context.header('Retry-After', '30');
        return problem(context, {
          status: 503,
          code: 'directory_unavailable',
          title: 'Sign-in unavailable',
          detail: 'Keys cannot be checked at the moment. Your key may well be right.',
          fix: 'Send the request again in a minute.',
        });
      case 'unknown':
        return unauthorized(context, key === undefined, challenge);
    }
  };
}

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
