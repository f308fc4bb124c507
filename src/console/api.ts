/**
 * The API, called in the same process for the person who is signed in. Pages read and change nothing in any other way.
 */
import type { Context, ExecutionContext } from 'hono';
import { type ConsoleSession, type HttpBindings, madeFor } from '../http/edge/context.ts';
import { withParameters } from '../http/edge/reader.ts';
import type { ENVIRONMENTS } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';

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

export type Parameters = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** @property ifMatch the version that the person saw. */
export interface Sent {
  parameters?: Parameters;
  body?: unknown;
  /** A document in YAML, in place of `body`. */
  text?: string;
  idempotencyKey?: string;
  ifMatch?: string;
}

export interface Api {
  /** The JSON of an address. */
  get<T>(path: string, parameters?: Parameters): Promise<Result<T, ApiProblem>>;
  send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, sent?: Sent): Promise<Result<T, ApiProblem>>;
  /** The answer as it is: for downloads and streams. @param headers of the browser's request that count. */
  download(path: string, parameters?: Parameters, headers?: Record<string, string>): Promise<Response>;
}

/** The app's own `fetch`. */
export type AppFetch = (request: Request, env: Env, context: ExecutionContext) => Response | Promise<Response>;

/** @param environment added to every call of an operator, unless it names one. */
export function apiOf(
  context: Context<HttpBindings>,
  fetchApp: AppFetch,
  { visitor }: ConsoleSession,
  environment: (typeof ENVIRONMENTS)[number],
): Api {
  const call = async (path: string, parameters: Parameters, init: RequestInit): Promise<Response> => {
    const own = visitor.kind === 'operator' ? { environment, ...parameters } : parameters;
    const url = new URL(withParameters(path, textsOf(own)), context.req.url);
    const headers = new Headers(init.headers);
    headers.set('X-Request-Id', context.get('requestId'));
    return fetchApp(madeFor(visitor, new Request(url, { ...init, headers })), context.env, context.executionCtx);
  };
  const jsonOf = async <T>(answer: Response): Promise<Result<T, ApiProblem>> =>
    answer.ok ? ok((answer.status === 204 ? null : await answer.json()) as T) : err(await problemOf(answer));
  return {
    get: async (path, parameters = {}) =>
      jsonOf(await call(path, parameters, { headers: { Accept: 'application/json' } })),
    send: async (method, path, { parameters = {}, body, text, idempotencyKey, ifMatch } = {}) => {
      const headers: Record<string, string> = { Accept: 'application/json' };
      if (text !== undefined) headers['Content-Type'] = 'application/yaml';
      else if (body !== undefined) headers['Content-Type'] = 'application/json';
      if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
      if (ifMatch !== undefined) headers['If-Match'] = `"${ifMatch}"`;
      const sent = text ?? (body === undefined ? null : JSON.stringify(body));
      return jsonOf(await call(path, parameters, { method, headers, body: sent }));
    },
    download: (path, parameters = {}, headers = {}) => call(path, parameters, { headers }),
  };
}

/** Members that are null, undefined or empty are left out. */
export const textsOf = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  );

async function problemOf(answer: Response): Promise<ApiProblem> {
  const text = await answer.text();
  try {
    return { ...(JSON.parse(text) as ApiProblem), status: answer.status };
  } catch {
    return { status: answer.status, code: 'internal', title: 'Internal error', detail: 'No readable answer came.' };
  }
}
