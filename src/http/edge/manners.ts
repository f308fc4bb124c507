/**
 * What HTTP expects of every address, whatever it does: methods, media types, tags, pages, when to come back, and a page
 * for people. Read from the contract, so that no route has to think of it.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { RECEIPT_RETRY_SECONDS } from '../../kernel/limits.ts';
import { hex } from '../../kernel/secret.ts';
import { didYouMean } from '../../mapping/document/nearest.ts';
import { ROUTES } from '../contract/contract.ts';
import { type NamedRoute, routeOf, routesAt } from '../contract/match.ts';
import { ANY_TYPE, JSON_TYPE } from '../contract/route.ts';
import type { HttpBindings } from './context.ts';
import { type ProblemMessages, problem } from './problem.ts';
import { acceptedTypes, noneNearly } from './query.ts';

type Exchange = Context<HttpBindings>;

export const manners: MiddlewareHandler<HttpBindings> = async (context, next) => {
  const { method, path } = context.req;
  const found = routeOf(method, path);
  const page = found && pageForPerson(context, found);
  if (page !== undefined) return context.redirect(page, 302);
  const types = found === undefined ? [] : typesNotAccepted(context, found);
  if (types.length > 0) return notAcceptable(context, types);
  const misspelt = found === undefined ? undefined : parameterMisspelt(context, found);
  if (misspelt !== undefined) return problem(context, misspelt);
  await next();
  if (found !== undefined) await finish(context, found);
  // What stands before a route may have looked for the thing already: that it is not there is beside the point.
  else if (context.res.status === 404 && routesAt(path).length > 0) replace(context, methodNotAllowed(context));
  return undefined;
};

/* Methods, and addresses that nobody has. */

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** '' where there is nothing. */
export const methodsAt = (path: string): string => (routesAt(path).length === 0 ? '' : allowedAt(path));

/** For OPTIONS: no key is needed to learn what an address has. */
export const showMethods: MiddlewareHandler<HttpBindings> = async (context, next) => {
  const methods = context.req.method === 'OPTIONS' ? methodsAt(context.req.path) : '';
  return methods === '' ? next() : context.body(null, 204, { Allow: methods });
};

const allowedAt = (path: string): string => {
  const methods = routesAt(path).map(({ method }) => method);
  return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort().join(', ');
};

/** 405 where only the method is wrong; else 404, with the address that was probably meant. */
export function nothingThere(context: Exchange): Response {
  const { method, path } = context.req;
  if (routesAt(path).length > 0 && routeOf(method, path) === undefined) return methodNotAllowed(context);
  const words: ProblemMessages = {
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: `There is nothing at ${method} ${path}.`,
  };
  const near = nearestPath(path);
  return problem(context, near === '' ? words : { ...words, fix: near });
}

function methodNotAllowed(context: Exchange): Response {
  const { method, path } = context.req;
  const allowed = allowedAt(path);
  context.header('Allow', allowed);
  return problem(context, {
    status: 405,
    code: 'method_not_allowed',
    title: 'Method not allowed',
    detail: `${path} has no ${method}. Nothing was done.`,
    fix: `Use one of ${allowed}.`,
  });
}

/** Of the paths with as many parts, filled in with those that were asked for. */
function nearestPath(path: string): string {
  const asked = path.replace(/\/$/, '').split('/');
  const filled = Object.keys(ROUTES).flatMap((name) => {
    const parts = (name.split(' ')[1] ?? '').split('/');
    if (parts.length !== asked.length) return [];
    return [parts.map((part, at) => (part.startsWith('{') ? (asked[at] ?? '') : part)).join('/')];
  });
  return didYouMean(path, new Set(filled)).trim();
}

/* Media types. Who sends something gets an answer whatever it accepts: nothing that came in is refused for that. */

/** An address that names its form is answered in it: it is for systems that cannot send a header. */
const NAMES_FORM = /\.(?:csv|json|edi)$/;

function typesNotAccepted({ req }: Exchange, { route }: NamedRoute): string[] {
  const header = req.header('Accept');
  if (header === undefined || NAMES_FORM.test(req.path) || !isReading(req.method)) return [];
  const types = Object.entries(route.answers).flatMap(([status, { media }]) =>
    Number(status) < 300 ? Object.keys(media) : [],
  );
  if (types.length === 0 || types.includes(ANY_TYPE)) return [];
  const accepted = acceptedTypes(header);
  return accepted.length === 0 || accepted.some((range) => types.some((type) => isIn(type, range))) ? [] : types;
}

const isIn = (type: string, range: string): boolean => {
  const plain = type.toLowerCase();
  if (range === ANY_TYPE || range === plain) return true;
  // RFC 1767 has a name for EDI of any kind
  if (range === 'application/edi-consent') return plain.startsWith('application/edi');
  return range.endsWith('/*') && plain.startsWith(range.slice(0, -1));
};

const notAcceptable = (context: Exchange, types: readonly string[]): Response =>
  problem(context, {
    status: 406,
    code: 'not_acceptable',
    title: 'No such form',
    detail: `This address answers as ${types.join(', ')}; Accept names none of these.`,
    fix: `Accept ${types[0]}, or leave Accept out.`,
  });

/* Parameters. What acts, and what operators read, knows its own and refuses all others. */

function parameterMisspelt({ req }: Exchange, { route: { who, query = {} } }: NamedRoute): ProblemMessages | undefined {
  if (who !== 'partner' || !isReading(req.method)) return undefined;
  const read = noneNearly(req.query(), Object.keys(query));
  return read.ok ? undefined : read.error;
}

/* People. */

/**
 * A browser that opens an address gets the page of the same thing, where the address names no form. Programs that say nothing of
 * their own may name HTML first, too (Java does), but not XHTML beside it.
 */
function pageForPerson({ req }: Exchange, { route, path }: NamedRoute): string | undefined {
  if (route.page === undefined || req.method !== 'GET' || NAMES_FORM.test(req.path)) return undefined;
  const types = acceptedTypes(req.header('Accept') ?? null);
  if (types[0] !== 'text/html' || !types.includes('application/xhtml+xml')) return undefined;
  // As sent: `req.path` is decoded in part, and what is in it may be what no header can hold
  const { pathname, search } = new URL(req.url);
  const [names, values] = [path.split('/'), pathname.split('/')];
  const filledIn = (name: string): string => values[names.indexOf(name)] ?? '';
  return `${route.page.replace(/\{\w+\}/g, filledIn)}${search}`;
}

/* Answers: tags, pages, when to come back. */

async function finish(context: Exchange, { route }: NamedRoute): Promise<void> {
  const { status } = context.res;
  if (status === 202) setIfMissing(context, 'Retry-After', String(RECEIPT_RETRY_SECONDS));
  const isRead = isReading(context.req.method);
  const hasNext = hasPages(route.answers[200]?.media[JSON_TYPE]);
  if (status !== 200 || !isRead || !(route.isPolled || hasNext)) return;
  if (context.res.headers.get('Content-Type')?.startsWith(JSON_TYPE) === true)
    await finishJson(context, { isPolled: route.isPolled === true, hasNext });
  if (route.isPolled) answerUnchanged(context);
}

const hasPages = (shape: unknown): boolean => {
  const members = (shape as { shape?: Record<string, unknown> } | null | undefined)?.shape;
  return members !== undefined && 'next' in members;
};

async function finishJson(
  context: Exchange,
  { isPolled, hasNext }: { isPolled: boolean; hasNext: boolean },
): Promise<void> {
  const bytes = await context.res.arrayBuffer();
  const headers = new Headers(context.res.headers);
  if (hasNext && !headers.has('Link')) {
    const { next } = JSON.parse(new TextDecoder().decode(bytes)) as { next?: unknown };
    if (typeof next === 'string' && next.startsWith('/')) headers.set('Link', `<${next}>; rel="next"`);
  }
  if (isPolled && !headers.has('ETag')) headers.set('ETag', await tagOf(bytes));
  replace(context, new Response(bytes, { status: 200, headers }));
}

/** Enough of the hash that two answers of an address never share one. */
const TAG_CHARACTERS = 30;

const tagOf = async (bytes: ArrayBuffer): Promise<string> =>
  `W/"${hex(await crypto.subtle.digest('SHA-256', bytes)).slice(0, TAG_CHARACTERS)}"`;

function answerUnchanged(context: Exchange): void {
  const { headers } = context.res;
  const tag = headers.get('ETag');
  if (tag === null) return;
  const asked = context.req.header('If-None-Match');
  const isKnown = asked?.split(',').some((each) => weak(each) === weak(tag) || each.trim() === '*');
  if (isKnown !== true) return;
  const kept = new Headers(context.res.headers);
  for (const name of [...kept.keys()]) if (name.startsWith('content-')) kept.delete(name);
  replace(context, new Response(null, { status: 304, headers: kept }));
}

/** RFC 9110 §13.1.2: whether a tag is weak does not matter here. */
const weak = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Hono would add the headers of the answer before. */
function replace(context: Exchange, answer: Response): void {
  context.res = undefined;
  context.res = answer;
}

function setIfMissing(context: Exchange, name: string, value: string): void {
  if (!context.res.headers.has(name)) context.header(name, value);
}
