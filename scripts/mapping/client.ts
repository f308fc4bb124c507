/** The bridge's ops API over HTTP: requests as the command asks them, answers as what was done, refused, or could not be asked. */
import { NotRun } from '../frame/command.ts';
import type { AskedBridge } from './arguments.ts';
import { type Refusal, Refused, refusalMessage } from './messages.ts';

export type Fetch = typeof fetch;

interface OpsRequest {
  method?: 'GET' | 'PUT' | 'POST' | 'PATCH';
  path: string;
  query?: Record<string, string>;
  /** A text as it is; anything else as JSON. */
  body?: unknown;
  accept?: string;
  /** The whole sha256 that the name must stand for. */
  ifMatch?: string | null;
}

export interface OpsClient {
  json<T>(request: OpsRequest): Promise<T>;
  text(request: OpsRequest): Promise<string>;
}

/** Statuses that say something about what was asked, not about whether it could be asked. */
const REFUSALS: ReadonlySet<number> = new Set([409, 412, 422]);

export function opsClient(asked: AskedBridge, fetchFrom: Fetch): OpsClient {
  const ask = async (request: OpsRequest): Promise<Response> => {
    const answer = await send(asked, fetchFrom, request);
    if (answer.ok) return answer;
    const text = await answer.text();
    const refusal = problemIn(text);
    if (!refusal) throw new NotRun(`${asked.url} answered ${answer.status}:\n${text.slice(0, 500)}`);
    throw REFUSALS.has(answer.status) ? new Refused(refusalMessage(refusal)) : new NotRun(refusalMessage(refusal));
  };
  return {
    json: async (request) => (await ask(request)).json(),
    text: async (request) => new TextDecoder().decode(await (await ask(request)).arrayBuffer()),
  };
}

async function send(asked: AskedBridge, fetchFrom: Fetch, request: OpsRequest): Promise<Response> {
  const { method = 'GET', path, query = {}, body, accept = 'application/json', ifMatch = null } = request;
  const search = new URLSearchParams({
    ...(asked.environment === null ? {} : { environment: asked.environment }),
    ...query,
  });
  const headers = new Headers({ Authorization: `Bearer ${asked.key}`, Accept: accept });
  if (ifMatch !== null) headers.set('If-Match', `"${ifMatch}"`);
  const init: RequestInit = { method, headers, redirect: 'manual' }; // a key is never carried elsewhere
  if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    return await fetchFrom(`${asked.url}${path}${search.size === 0 ? '' : `?${search}`}`, init);
  } catch (thrown) {
    const { message, cause } = thrown as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new NotRun(`${asked.url} cannot be reached: ${reason}`);
  }
}

function problemIn(text: string): Refusal | undefined {
  try {
    const value = JSON.parse(text) as Partial<Refusal> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string' ? (value as Refusal) : undefined;
  } catch {
    return undefined;
  }
}
