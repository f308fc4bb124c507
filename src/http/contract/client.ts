/**
 * The API for programs in TypeScript, typed by the contract: no generated code. Whoever uses it says how a request is
 * made: over the network, or in the same process.
 *
 *   const api = clientOf(({ address, ...call }) => send(origin + address, call));
 *   const batch = await api.call('GET /v1/batches/{id}', { path: { id } });
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { withParameters } from '../edge/reader.ts';
import type { Answered, PathOf, QueryOf, RouteName } from './contract.ts';

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

type Loose<Of> = { [Name in keyof Of]: Of[Name] | null | undefined };
/** What goes along with a request, whatever the route. @property ifMatch the version that was seen. */
export interface SentAlong {
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

/** @property query `environment` for operators whose key has both. */
export interface CallOptions<Name extends RouteName> extends SentAlong {
  path?: PathOf<Name>;
  query?: Loose<QueryOf<Name> & { environment?: string }>;
}

/** @property address path and query, below the origin. */
export interface CallRequest {
  method: string;
  address: string;
  headers: Record<string, string>;
  body: BodyInit | null;
}

export interface Client {
  /** The JSON of an answer; a refusal is a value. */
  call<Name extends RouteName>(route: Name, asked?: CallOptions<Name>): Promise<Result<Answered<Name>, ApiProblem>>;
  /** The answer as it is: files, streams, headers. */
  answer<Name extends RouteName>(route: Name, asked?: CallOptions<Name>): Promise<Response>;
}

export type Send = (request: CallRequest) => Promise<Response>;

export function clientOf(send: Send): Client {
  const answer: Client['answer'] = (route, asked = {}) => send(requestOf(route, asked));
  return { answer, call: async (route, asked) => jsonOf(await answer(route, asked)) };
}

export function requestOf<Name extends RouteName>(route: Name, asked: CallOptions<Name>): CallRequest {
  const [method = '', template = ''] = route.split(' ');
  const { path = {}, query = {} } = asked;
  const values = path as Readonly<Record<string, string | number>>;
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  return { method, address: withParameters(filled, textsOf(query as Parameters)), ...sentAlong(asked) };
}

export function sentAlong(sent: SentAlong): { headers: Record<string, string>; body: BodyInit | null } {
  const { body, text, bytes, idempotencyKey, ifMatch } = sent;
  const headers: Record<string, string> = { Accept: 'application/json', ...sent.headers };
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

export const jsonOf = async <T>(answer: Response): Promise<Result<T, ApiProblem>> =>
  answer.ok ? ok((answer.status === 204 ? null : await answer.json()) as T) : err(await problemOf(answer));

async function problemOf(answer: Response): Promise<ApiProblem> {
  const text = await answer.text();
  try {
    return { ...(JSON.parse(text) as ApiProblem), status: answer.status };
  } catch {
    return { status: answer.status, code: 'internal', title: 'Internal error', detail: 'No readable answer came.' };
  }
}
