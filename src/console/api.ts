/**
 * The API, called in the same process for the person who is signed in. Pages read and change nothing in any other way.
 */
import type { Context, ExecutionContext } from 'hono';
import {
  type ApiProblem,
  jsonOf,
  type Parameters,
  type SentAlong,
  sentAlong,
  textsOf,
} from '../http/contract/client.ts';
import { type ConsoleSession, type HttpBindings, madeFor } from '../http/edge/context.ts';
import { withParameters } from '../http/edge/reader.ts';
import type { ENVIRONMENTS } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';

export type { ApiProblem, Parameters };
export { textsOf };

export interface Sent extends Omit<SentAlong, 'headers'> {
  parameters?: Parameters;
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
  return {
    get: async (path, parameters = {}) =>
      jsonOf(await call(path, parameters, { headers: { Accept: 'application/json' } })),
    send: async (method, path, { parameters = {}, ...sent } = {}) =>
      jsonOf(await call(path, parameters, { method, ...sentAlong(sent) })),
    download: (path, parameters = {}, headers = {}) => call(path, parameters, { headers }),
  };
}
