/** A bridge's API over HTTP: what it answers, what it refuses in words, or why it could not be asked. */
import { setTimeout as pause } from 'node:timers/promises';
import { type CallOptions, requestOf } from '../../src/http/contract/client.ts';
import type { Answered, RouteName } from '../../src/http/contract/contract.ts';
import { NotRun } from '../frame/command.ts';
import { type Refusal, refusalMessage } from './mapping/messages.ts';
import { type AskedBridge, type BridgeOptions, bridgeIn, isOperators } from './profiles.ts';
import { type Fetch, Refused, type Surroundings } from './surroundings.ts';

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export interface BridgeRequest {
  method?: Method;
  path: string;
  query?: Readonly<Record<string, string>>;
  /** A text or bytes as they are; anything else as JSON. */
  body?: unknown;
  accept?: string;
  /** The whole sha256 that the name must stand for. */
  ifMatch?: string | null;
  headers?: Readonly<Record<string, string>>;
}

export interface Bridge {
  asked: AskedBridge;
  /** Where batches and orders are: operators read those of all partners. */
  root: '/v1' | '/v1/ops';
  /** A route of the contract, with the types of its parameters and of its answer. */
  call<Name extends RouteName>(route: Name, asked?: CallOptions<Name>): Promise<Answered<Name>>;
  json<T>(request: BridgeRequest): Promise<T>;
  text(request: BridgeRequest): Promise<string>;
  /** For answers that are larger than memory. */
  open(request: BridgeRequest): Promise<Response>;
}

/** The bridge did not answer, or not now. Asking again may help. */
export class Unreached extends NotRun {}

/** Statuses that say something about what was asked, not about whether it could be asked. */
const REFUSALS: ReadonlySet<number> = new Set([409, 412, 422]);
const NOT_NOW: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const UNREADABLE_CHARACTERS = 500;

export const openBridge = (options: BridgeOptions, surroundings: Surroundings): Bridge =>
  bridgeClient(bridgeIn(options, surroundings.environment), surroundings.fetch);

export function bridgeClient(asked: AskedBridge, fetchFrom: Fetch): Bridge {
  const open = async (request: BridgeRequest): Promise<Response> => {
    const answer = await send(asked, fetchFrom, request);
    if (answer.ok) return answer;
    throw refusalOf(asked, answer.status, await answer.text());
  };
  return {
    asked,
    root: isOperators(asked) ? '/v1/ops' : '/v1',
    open,
    call: async (route, options = {}) => {
      const { method, address, headers, body } = requestOf(route, options);
      return (
        await open({ method: method as Method, path: address, headers, ...(body === null ? {} : { body }) })
      ).json();
    },
    json: async (request) => (await open(request)).json(),
    text: async (request) => new TextDecoder().decode(await (await open(request)).arrayBuffer()),
  };
}

/** An answer that is none of the 2xx, as what is thrown. */
export function refusalOf(asked: Pick<AskedBridge, 'url'>, status: number, text: string): Error {
  const refusal = problemIn(text);
  const words = refusal
    ? refusalMessage(refusal)
    : `${asked.url} answered ${status}:\n${text.slice(0, UNREADABLE_CHARACTERS)}`;
  if (NOT_NOW.has(status)) return new Unreached(words);
  return refusal && REFUSALS.has(status) ? new Refused(words) : new NotRun(words);
}

export const addressOf = ({ url, environment }: AskedBridge, path: string, query: Readonly<Record<string, string>>) => {
  const at = new URL(path, 'http://bridge');
  if (environment !== null && path.startsWith('/v1/ops')) at.searchParams.set('environment', environment);
  for (const [name, value] of Object.entries(query)) at.searchParams.set(name, value);
  return `${url}${at.pathname}${at.search}`;
};

async function send(asked: AskedBridge, fetchFrom: Fetch, request: BridgeRequest): Promise<Response> {
  const { method = 'GET', path, query = {}, body, accept = 'application/json', ifMatch = null } = request;
  const headers = new Headers({ Authorization: `Bearer ${asked.key}`, Accept: accept, ...request.headers });
  if (ifMatch !== null) headers.set('If-Match', `"${ifMatch}"`);
  const init: RequestInit = { method, headers, redirect: 'manual' }; // a key is never carried elsewhere
  if (body !== undefined)
    init.body = typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body);
  try {
    return await fetchFrom(addressOf(asked, path, query), init);
  } catch (thrown) {
    throw unreached(asked, thrown);
  }
}

export function unreached({ url }: Pick<AskedBridge, 'url'>, thrown: unknown): Unreached {
  const { message, cause } = thrown as Error;
  const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
  return new Unreached(`${url} cannot be reached: ${reason}`);
}

function problemIn(text: string): Refusal | undefined {
  try {
    const value = JSON.parse(text) as Partial<Refusal> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string' ? (value as Refusal) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits, but no longer than until Ctrl-C. */
export async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}

/** All pages of a list, until there are enough. */
export async function pagesOf<Page extends { next: string | null }, Entry>(
  bridge: Bridge,
  request: BridgeRequest,
  entriesIn: (page: Page) => readonly Entry[],
  enough: number,
): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let [path, query]: [string, BridgeRequest['query']] = [request.path, request.query]; ; ) {
    const page: Page = await bridge.json<Page>({ ...request, path, query: query ?? {} });
    all.push(...entriesIn(page));
    if (page.next === null || all.length >= enough) return all.slice(0, enough);
    [path, query] = [page.next, {}];
  }
}
