/**
 * Pages of other sites that call the API of partners (Fetch §3.2): only those that an administrator set for the partner,
 * only with a key as Bearer, never with what a browser remembers, and never the addresses of operators.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { PREFLIGHT_CACHED_SECONDS } from '../../kernel/limits.ts';
import type { Partners } from '../../ops/directory/partners.ts';
import type { HttpBindings } from './context.ts';

type Exchange = Context<HttpBindings>;

/** What a page may send beside what any page may. */
const SENT = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'If-Range', 'Prefer', 'Range'],
].join(', ');
/** What a page may read of an answer beside what any page may. */
const READ = [
  ...['Accept-Ranges', 'Age', 'Allow', 'Cache-Status', 'Content-Disposition', 'Content-Location', 'Content-Range'],
  ...['Deprecation', 'ETag', 'Idempotency-Replayed', 'Link', 'Location', 'Preference-Applied', 'RateLimit'],
  ...['RateLimit-Policy', 'Repr-Digest', 'Retry-After', 'Sunset', 'Tracks-Source', 'X-Columns-Left-Out'],
  ...['X-Events-Left-Out', 'X-Events-Written', 'X-More-Events', 'X-Next-Cursor', 'X-Request-Id'],
].join(', ');

/** @param methodsAt those that an address has; '' where there is nothing. */
export function cors(
  partnersIn: (env: Env) => Pick<Partners, 'allowsOrigin'>,
  methodsAt: (path: string) => string,
): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    const origin = foreignOrigin(context);
    if (origin === undefined) return next();
    const isAsked = isPreflight(context);
    const methods = isAsked ? methodsAt(context.req.path) : '';
    if (isAsked && methods !== '') {
      varies(context, 'Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers');
      // It comes without a key: whose page it is, the request itself will show.
      if (!(await partnersIn(context.env).allowsOrigin(origin, null)))
        return context.body(null, 204, { Allow: methods });
      return context.body(null, 204, {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': SENT,
        'Access-Control-Max-Age': String(PREFLIGHT_CACHED_SECONDS),
      });
    }
    await next();
    varies(context, 'Origin');
    if (!/^\s*bearer\s/i.test(context.req.header('Authorization') ?? '')) return undefined;
    const partner = (context.get('principal') as { partner: string } | undefined)?.partner ?? null;
    if (!(await partnersIn(context.env).allowsOrigin(origin, partner))) return undefined;
    context.header('Access-Control-Allow-Origin', origin);
    context.header('Access-Control-Expose-Headers', READ);
    return undefined;
  };
}

/** @returns undefined: a program, one of our own pages, or an address of operators. */
function foreignOrigin({ req }: Exchange): string | undefined {
  const origin = req.header('Origin');
  if (origin === undefined || origin === new URL(req.url).origin || /^\/v1\/ops(?:\/|$)/.test(req.path))
    return undefined;
  return origin;
}

const isPreflight = ({ req }: Exchange): boolean =>
  req.method === 'OPTIONS' && req.header('Access-Control-Request-Method') !== undefined;

function varies(context: Exchange, ...names: readonly string[]): void {
  const known = context.res.headers.get('Vary');
  context.header('Vary', [...(known === null ? [] : [known]), ...names].join(', '));
}
