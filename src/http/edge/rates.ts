/**
 * How much one key, or one address with wrong keys, may ask for in a minute. The platform counts, at each of its places by
 * itself (the `ratelimits` of wrangler.toml); deployments without them hold nobody back.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { log, messageOf } from '../../kernel/log.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { problem } from './problem.ts';

type Limiters = Pick<Env, 'REQUESTS_OF_KEY' | 'TRIALS_OF_KEY' | 'WRONG_KEYS_OF_ADDRESS'>;

const SECONDS = 60;

/**
 * Asked before the key is looked for, so that what is refused costs the directory nothing. Counted by the whole key: wrong
 * ones with the id of a right one never hold that back.
 * @returns a refusal; undefined: go on.
 */
export async function heldBack(context: Context, presentedKey: string): Promise<Response | undefined> {
  if (await isWithin(context.env, 'REQUESTS_OF_KEY', sha256Hex(presentedKey))) return undefined;
  const most = showLimit(context);
  return tooMany(
    context,
    'too_many_requests',
    'requests',
    `This key may send ${most} requests in a minute.`,
    'Send fewer, and read long lists with larger pages.',
  );
}

/** Whoever signed in is told how many requests that are. */
export function showLimit(context: Context): string | undefined {
  const { REQUESTS_PER_MINUTE: most }: Partial<Pick<Env, 'REQUESTS_PER_MINUTE'>> = context.env as Env;
  if (most !== undefined) context.header('RateLimit-Policy', `"requests";q=${most};w=${SECONDS}`);
  return most;
}

/** For what the bridge works out at once and keeps nothing of; stands after `signIn`. */
export const trial: MiddlewareHandler = async (context, next) => {
  const refused = await trialHeldBack(context);
  if (refused !== undefined) return refused;
  await next();
  return undefined;
};

/** The same, where only a dry run is one; stands after `signIn`. One that a form names is counted once that is read. */
export const dryRunAsTrial: MiddlewareHandler = async (context, next) => {
  if (context.req.query('dryRun') === 'true') return trial(context, next);
  await next();
  return undefined;
};

/** As `heldBack`; what it says in headers is on whatever is answered. */
export async function trialHeldBack(context: Context): Promise<Response | undefined> {
  const { TRIALS_PER_MINUTE: most } = context.env as Env;
  if (await isWithin(context.env, 'TRIALS_OF_KEY', (context.get('principal') as { keyId: string }).keyId))
    return undefined;
  return tooMany(
    context,
    'too_many_requests',
    'trials',
    `This key may ask for ${most} dry runs, previews and suggestions in a minute.`,
    'Try fewer files, or send what you have tried already.',
  );
}

/** Only wrong keys count, so that they never refuse a right one. */
export async function wrongKeyHeldBack(context: Context): Promise<Response | undefined> {
  const address = context.req.header('CF-Connecting-IP') ?? 'unknown';
  if (await isWithin(context.env, 'WRONG_KEYS_OF_ADDRESS', address)) return undefined;
  return tooMany(
    context,
    'too_many_requests',
    'wrong-keys',
    'Too many wrong keys came from this address.',
    'Check the key that your program sends. A right key works at once.',
  );
}

/** A limiter that cannot be asked holds nobody back: it is a protection and not a right. */
async function isWithin(env: Partial<Limiters>, name: keyof Limiters, key: string): Promise<boolean> {
  try {
    return (await env[name]?.limit({ key }))?.success !== false;
  } catch (thrown) {
    log('warn', 'rate_limit_not_asked', { detail: `${name}: ${messageOf(thrown)}` });
    return true;
  }
}

/** @param code stands where the words do, from where the list of codes has them. seconds: until there is room again. */
export function tooMany(
  context: Context,
  code: 'too_many_requests',
  what: string,
  detail: string,
  fix: string,
  seconds = SECONDS,
): Response {
  context.header('RateLimit', `"${what}";r=0;t=${seconds}`);
  return problem(context, {
    status: 429,
    code,
    title: 'Too many requests',
    detail: `${detail} Nothing was done.`,
    fix: `${fix} Then send it again.`,
    retryAfterSeconds: seconds,
  });
}
