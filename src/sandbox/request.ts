/**
 * The headers every API of the seed requires (4.2–4.4, 5), checked in one order: key, bearer, SCAC, Accept, body type.
 *
 * Pure. The token endpoints check their own headers in `tokens.ts`.
 */

import type * as z from 'zod';
import { SCAC_FORM } from '../upstream/contracts/bodies.ts';
import { ENDPOINTS, type EndpointName, HEADERS } from '../upstream/contracts/endpoints.ts';
import { parseJson } from '../upstream/contracts/json.ts';
import { NOT_SHOWN, type UpstreamApi } from '../upstream/contracts/not-shown.ts';
import { type Checked, type Look, passed, refused } from './decision.ts';
import { type Answer, BODY_BYTES_MAX, type FieldProblem, type Received, refuse, sha256Hex } from './http.ts';
import { ACCOUNTS, type Account, ENVIRONMENTS, type Environment } from './settings.ts';

const SCAC_HEADERS: Partial<Record<UpstreamApi, string>> = {
  events: HEADERS.carrierScac,
  orders: NOT_SHOWN.orderScacHeader,
};

export function checkCaller(
  received: Received,
  where: { environment: Environment; api: UpstreamApi },
  look: Look,
  nowMs: number,
): Checked<{ account: Account; scac: string }> {
  const caller = callerByKey(received, where.environment);
  if (!caller.ok) return caller;
  const account = caller.value;
  const needsBearer = look.settings.authByApi[where.api] === 'key+bearer';
  const scacHeader = SCAC_HEADERS[where.api];
  const scac = scacHeader === undefined ? '' : (header(received, scacHeader) ?? '');
  const answer =
    (needsBearer ? checkBearer(received, account, look, nowMs) : null) ??
    (scacHeader === undefined ? null : checkScac(scacHeader, scac, look.settings.onboardedScacs)) ??
    (scacHeader === undefined ? null : checkAccept(received));
  return answer === null ? passed({ account, scac }) : { ok: false, answer };
}

/** The account of a subscription key. */
export function callerByKey(received: Received, environment: Environment): Checked<Account> {
  const key = header(received, HEADERS.subscriptionKey);
  if (key === undefined)
    return refused('subscription_key_missing', `The header ${HEADERS.subscriptionKey} is missing.`);
  const account = ACCOUNTS.find((one) => one.environment === environment && one.apiKey === key);
  if (account !== undefined) return passed(account);
  const message = `The subscription key is not known in the ${environment} environment. Test and production keys differ.`;
  return refused('subscription_key_unknown', message);
}

function checkBearer(received: Received, account: Account, look: Look, nowMs: number): Answer | null {
  const token = bearerOf(received);
  if (token === null) {
    return refuse('token_missing', 'This API asks for the header Authorization: Bearer <access token>.');
  }
  const stored = look.token(sha256Hex(token));
  if (stored === undefined || stored.environment !== account.environment || stored.account !== account.name) {
    return refuse('token_unknown', 'The access token was not issued to this subscription key in this environment.');
  }
  if (stored.expiresAtMs <= nowMs) return refuse('token_expired', 'The access token has expired. Request a new one.');
  return null;
}

export function bearerOf(received: Received): string | null {
  return /^Bearer +(\S+)$/i.exec(received.headers.authorization ?? '')?.[1] ?? null;
}

function checkScac(headerName: string, scac: string, onboarded: readonly string[]): Answer | null {
  if (!SCAC_FORM.test(scac)) {
    const message = `The header ${headerName} must be a SCAC of two to four capital letters.`;
    return refuse('scac_malformed', message, [{ path: headerName, problem: scac === '' ? 'missing' : 'malformed' }]);
  }
  if (onboarded.includes(scac)) return null;
  return refuse('scac_not_onboarded', `The carrier ${scac} is not onboarded for this account.`);
}

/** seed 4.3, 4.4: `Accept: application/json` is required, so a wildcard is not enough. */
export function checkAccept(received: Received): Answer | null {
  const accepted = (received.headers.accept ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  if (accepted.includes('application/json')) return null;
  return refuse('accept_not_json', 'The header Accept must name application/json.');
}

/** @param wanted A media type without parameters. */
export function checkMediaType(received: Received, wanted: string): Answer | null {
  const sent = (received.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (received.bodyBytes > BODY_BYTES_MAX) {
    return refuse('body_too_large', `The body is longer than ${BODY_BYTES_MAX} bytes.`);
  }
  if (sent === wanted) return null;
  return refuse('media_type_unsupported', `The body must be sent as ${wanted}.`);
}

export function header(received: Received, name: string): string | undefined {
  return received.headers[name.toLowerCase()];
}

/*
 * Resolves method and path to an environment, an endpoint of the seed's tables and its path parameters.
 *
 * Exact: the create path ends in a slash because the seed writes it so (4.4), and nothing is redirected.
 */

export type Route =
  | { kind: 'endpoint'; environment: Environment; endpoint: EndpointName; params: Record<string, string> }
  | { kind: 'wrong_method'; environment: Environment; allowed: string[] }
  | { kind: 'unknown_path'; environment: Environment | null };

const TEMPLATES = Object.entries(ENDPOINTS).map(([name, { method, path }]) => ({
  name: name as EndpointName,
  method: method as string,
  segments: path.split('/'),
}));

/** @param path Starts with a slash, e.g. `/test/rcsc/order-requests/v1/`. */
export function findRoute(method: string, path: string): Route {
  const environment = ENVIRONMENTS.find((name) => path.startsWith(`/${name}/`));
  if (environment === undefined) return { kind: 'unknown_path', environment: null };
  const segments = pathWithin(environment, path).split('/');
  const allowed: string[] = [];
  for (const template of TEMPLATES) {
    const params = paramsOf(template.segments, segments);
    if (params === null) continue;
    if (template.method === method) return { kind: 'endpoint', environment, endpoint: template.name, params };
    allowed.push(template.method);
  }
  return allowed.length > 0 ? { kind: 'wrong_method', environment, allowed } : { kind: 'unknown_path', environment };
}

/** The path as the seed writes it, relative to the environment's base URL. */
export function pathWithin(environment: Environment | null, path: string): string {
  return environment === null ? path : path.slice(environment.length + 1);
}

/** @returns the parameters, or null when the path does not match the template. */
function paramsOf(template: string[], segments: string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, wanted] of template.entries()) {
    const segment = segments[index] ?? '';
    if (!wanted.startsWith('{')) {
      if (wanted !== segment) return null;
      continue;
    }
    const value = decode(segment);
    if (value === null || value === '') return null;
    params[wanted.slice(1, -1)] = value;
  }
  return params;
}

/** A stray percent sign makes an unknown path, not an exception. */
function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/* Validates a JSON body against its contract: the value, or a refusal that names every wrong field. Pure. */

export function readBody<Schema extends z.ZodType>(received: Received, schema: Schema): Checked<z.output<Schema>> {
  const answer = checkMediaType(received, 'application/json');
  if (answer !== null) return { ok: false, answer };
  const parsed = parseJson(received.body);
  if (parsed === undefined) return refused('body_not_json', 'The body is not JSON.');
  const checked = schema.safeParse(parsed);
  if (checked.success) return passed(checked.data);
  const fields = fieldProblems(checked.error.issues);
  return refused('body_invalid', `${fields.length} field(s) stand in the way.`, fields);
}

/** An unknown field is reported at its own path rather than at its parent's. */
export function fieldProblems(issues: readonly z.core.$ZodIssue[]): FieldProblem[] {
  return issues.flatMap((issue) => {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    const problem = issue.code === 'unrecognized_keys' ? 'unknown field' : issue.message;
    return paths.map((path) => ({ path: writePath(path), problem }));
  });
}

function writePath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
