/**
 * The API for programs in TypeScript, typed by the contract: no generated code. Whoever uses it says how a request is
 * made: over the network, or in the same process.
 *
 *   const api = clientOf(({ address, ...call }) => send(origin + address, call));
 *   const batch = await api.call('GET /v1/batches/{id}', { path: { id } });
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { BodyOf, Done, OpsRoute, PathOf, Planned, QueryOf, RouteName, SharedRoute } from './contract.ts';

/** What the API answers where it refuses: see `http/edge/problem.ts`. */
export interface ApiProblem {
  status: number;
  code: string;
  title: string;
  detail: string;
  fix?: string;
  requestId?: string;
  [more: string]: unknown;
}

/** A value that is null, undefined or empty is left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | null | undefined>>;
/** Of several values each stands by itself. */
type Query = Readonly<Record<string, Parameters[string] | readonly string[]>>;

/** What a caller may write: names and kinds are held; which texts there may be, the API says. */
type Written<Value> = Value extends string
  ? string
  : object extends Value
    ? unknown
    : Value extends number | boolean | null | undefined
      ? Value
      : Value extends readonly (infer Item)[]
        ? readonly Written<Item>[]
        : { [Name in keyof Value]: Written<Value[Name]> | undefined };
/** Numbers may be as an address has them. */
type InAddress<Value> = Value extends number ? number | string : Written<Value>;
type Loose<Of> = Of extends unknown ? { [Name in keyof Of]: InAddress<Of[Name]> | null | undefined } : never;
/** What goes along with a request, whatever the route. @property ifMatch the version that was seen. */
interface SentAlong {
  /** Sent as JSON. */
  body?: unknown;
  /** A document in YAML, in place of `body`. */
  text?: string;
  /** A file, in place of `body`. */
  bytes?: BodyInit;
  headers?: Readonly<Record<string, string>>;
  idempotencyKey?: string;
  ifMatch?: string;
}

/** A request of any route. */
interface AnyOptions extends SentAlong {
  path?: Readonly<Record<string, string | number>>;
  query?: Query;
}

export type CallOptions<Name extends RouteName> = Omit<AnyOptions, 'path' | 'query' | 'body'> & {
  query?: Loose<QueryOf<Name>>;
} & ([BodyOf<Name>] extends [never] ? { body?: never } : { body?: Written<BodyOf<Name>> }) &
  (keyof PathOf<Name> extends never ? { path?: never } : { path: PathOf<Name> });

/** Nothing need be said where the path has no names. */
export type CallArguments<Name extends RouteName> = keyof PathOf<Name> extends never
  ? [asked?: CallOptions<Name>]
  : [asked: CallOptions<Name>];

/** @property address path and query, below the origin. */
export interface CallRequest {
  method: string;
  address: string;
  headers: Record<string, string>;
  body: BodyInit | null;
}

export interface Client {
  /** The JSON of an answer; a refusal is a value. */
  call<Name extends RouteName>(route: Name, ...asked: CallArguments<Name>): Promise<Result<Done<Name>, ApiProblem>>;
  /** What would be done: nothing changes. */
  plan<Name extends RouteName>(route: Name, ...asked: CallArguments<Name>): Promise<Result<Planned<Name>, ApiProblem>>;
  /** The answer as it is: files, streams, headers. */
  answer<Name extends RouteName>(route: Name, ...asked: CallArguments<Name>): Promise<Response>;
}

export type Send = (request: CallRequest) => Promise<Response>;

export function clientOf(send: Send): Client {
  return {
    answer: (route, ...asked) => send(requestOf(route, optionsIn(asked))),
    call: async (route, ...asked) => jsonOf(await send(requestOf(route, asJson(optionsIn(asked))))),
    plan: async (route, ...asked) => jsonOf(await send(requestOf(route, asJson(planOf(optionsIn(asked)))))),
  };
}

/** What was said of a route, without its types. */
export const optionsIn = (asked: readonly unknown[]): AnyOptions => (asked[0] ?? {}) as AnyOptions;

/** The same route for whoever reads: of operators below `/v1/ops`, of partners below `/v1`. */
export const ownOf =
  (isOps: boolean) =>
  <Name extends SharedRoute>(route: Name): Name | OpsRoute<Name> =>
    (isOps ? route.replace(' /v1/', ' /v1/ops/') : route) as Name | OpsRoute<Name>;

/** Whose answer is to be JSON: a file has a form of its own. */
const asJson = (asked: AnyOptions): AnyOptions => ({
  ...asked,
  headers: { Accept: 'application/json', ...asked.headers },
});

/** The same request, for a plan. */
const planOf = (asked: AnyOptions): AnyOptions => ({ ...asked, query: { ...asked.query, dryRun: true } });

/** @param route its method and path; the types of `Client` say what goes with which. */
export function requestOf(route: RouteName, { path = {}, query = {}, ...sent }: AnyOptions = {}): CallRequest {
  const [method = '', template = ''] = route.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(path[name] ?? '').toWellFormed()),
  );
  return { method, address: `${filled}${searchOf(query)}`, ...sentAlong(sent) };
}

function searchOf(query: Query): string {
  const several = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? value.map((each): [string, string] => [name, each])
      : Object.entries(textsOf({ [name]: value })),
  );
  return several.length === 0 ? '' : `?${new URLSearchParams(several)}`;
}

function sentAlong(sent: SentAlong): { headers: Record<string, string>; body: BodyInit | null } {
  const { body, text, bytes, idempotencyKey, ifMatch } = sent;
  const headers: Record<string, string> = { ...sent.headers };
  if (text !== undefined) headers['Content-Type'] ??= 'application/yaml';
  else if (body !== undefined) headers['Content-Type'] ??= 'application/json';
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  if (ifMatch !== undefined) headers['If-Match'] = `"${ifMatch}"`;
  return { headers, body: bytes ?? text ?? (body === undefined ? null : JSON.stringify(body)) };
}

/** Members that are null, undefined or empty are left out. */
export const textsOf = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  );

const jsonOf = async <T>(answer: Response): Promise<Result<T, ApiProblem>> =>
  answer.ok ? ok((answer.status === 204 ? null : await answer.json()) as T) : err(await problemOf(answer));

async function problemOf(answer: Response): Promise<ApiProblem> {
  const text = await answer.text();
  try {
    return { ...(JSON.parse(text) as ApiProblem), status: answer.status };
  } catch {
    return { status: answer.status, code: 'internal', title: 'Internal error', detail: 'No readable answer came.' };
  }
}
