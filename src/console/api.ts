/**
 * The API, called in the same process for the person who is signed in. Pages read and change nothing in any other way.
 */
import type { Context, ExecutionContext } from 'hono';
import { type ApiProblem, type Client, clientOf, type Parameters, textsOf } from '../http/contract/client.ts';
import { type ConsoleSession, type HttpBindings, madeFor } from '../http/edge/context.ts';
import type { ENVIRONMENTS } from '../kernel/names.ts';

export type { ApiProblem, Client as Api, Parameters };
export { textsOf };

/** The app's own `fetch`. */
export type AppFetch = (request: Request, env: Env, context: ExecutionContext) => Response | Promise<Response>;

/** @param environment added to every call of an operator, unless it names one. */
export function apiOf(
  context: Context<HttpBindings>,
  fetchApp: AppFetch,
  { visitor }: ConsoleSession,
  environment: (typeof ENVIRONMENTS)[number],
): Client {
  return clientOf(async ({ address, headers, ...init }) => {
    const url = new URL(address, context.req.url);
    if (visitor.kind === 'operator' && !url.searchParams.has('environment'))
      url.searchParams.set('environment', environment);
    const request = new Request(url, { ...init, headers: { ...headers, 'X-Request-Id': context.get('requestId') } });
    return fetchApp(madeFor(visitor, request), context.env, context.executionCtx);
  });
}
