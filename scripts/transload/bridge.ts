/** A bridge's API over HTTP: what it answers, what it refuses in words, or why it could not be asked. */
import {
  type ApiProblem,
  type CallArguments,
  type CallOptions,
  type CallRequest,
  clientOf,
  ownOf,
} from '../../src/http/contract/client.ts';
import type { Done, OpsRoute, Planned, RouteName, SharedRoute } from '../../src/http/contract/contract.ts';
import type { Result } from '../../src/kernel/result.ts';
import { NotRun } from '../frame/command.ts';
import { type Refusal, refusalMessage } from './mapping/messages.ts';
import { type AskedBridge, type BridgeOptions, bridgeIn, isOperators } from './profiles.ts';
import { type Fetch, Refused, type Surroundings } from './surroundings.ts';

export interface Bridge {
  asked: AskedBridge;
  isOps: boolean;
  /** The same route: of operators for an operator, of partners for a partner. */
  own<Name extends SharedRoute>(route: Name): Name | OpsRoute<Name>;
  call<Name extends RouteName>(route: Name, ...asked: CallArguments<Name>): Promise<Done<Name>>;
  /** What would be done: nothing changes. */
  plan<Name extends RouteName>(route: Name, ...asked: CallArguments<Name>): Promise<Planned<Name>>;
  /** The answer as it comes, however large it is. */
  answer<Name extends RouteName>(route: Name, ...asked: CallArguments<Name>): Promise<Response>;
}

/** What became of a request is not known: nothing usable was answered. */
export class Unclear extends NotRun {}
/** The bridge did not answer, or not now. Asking again may help. */
export class Unreached extends Unclear {
  /** It was heard, and nothing was done. */
  readonly isRefused: boolean;

  constructor(message: string, isRefused = false) {
    super(message);
    this.isRefused = isRefused;
  }
}
/** An earlier try is still being taken in. */
export class UnderWay extends Unreached {}

/** Statuses that say something about what was asked, not about whether it could be asked. */
const REFUSALS: ReadonlySet<number> = new Set([409, 412, 422]);
const TOO_MANY = 429;
const NOT_NOW: ReadonlySet<number> = new Set([TOO_MANY, 502, 503, 504]);
const UNREADABLE_CHARACTERS = 500;

export const openBridge = (options: BridgeOptions, surroundings: Surroundings): Bridge =>
  bridgeClient(bridgeIn(options, surroundings.environment), surroundings.fetch);

export function bridgeClient(asked: AskedBridge, fetchFrom: Fetch): Bridge {
  const isOps = isOperators(asked);
  const { answer, call, plan } = clientOf(async (request) => {
    const response = await send(asked, fetchFrom, request);
    if (response.ok) return response;
    throw refusalOf(asked, response.status, await response.text());
  });
  return {
    asked,
    isOps,
    own: ownOf(isOps),
    answer: (route, ...rest) => heard(asked, answer(route, ...rest)),
    call: async (route, ...rest) => told(await heard(asked, call(route, ...rest))),
    plan: async (route, ...rest) => told(await heard(asked, plan(route, ...rest))),
  };
}

/** @throws Unreached where the answer breaks off; Unclear where it is none of a bridge. */
async function heard<T>(asked: AskedBridge, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    throw unheard(asked, thrown);
  }
}

/** What is thrown while an answer is read, in words. */
export function unheard(asked: Pick<AskedBridge, 'url'>, thrown: unknown): unknown {
  if (thrown instanceof SyntaxError)
    return new Unclear(`${asked.url} answered with something that is no JSON. Is it the address of a bridge?`);
  const hasBrokenOff = thrown instanceof TypeError && thrown.message === 'terminated'; // as fetch says it
  return hasBrokenOff ? unreached(asked, thrown) : thrown;
}

/** What is refused was thrown. */
function told<Value>(result: Result<Value, ApiProblem>): Value {
  if (result.ok) return result.value;
  throw new NotRun(result.error.detail);
}

/** An answer that is none of the 2xx, as what is thrown. */
export function refusalOf(asked: Pick<AskedBridge, 'url'>, status: number, text: string): Error {
  const refusal = problemIn(text);
  const words = refusal
    ? refusalMessage(refusal)
    : `${asked.url} answered ${status}:\n${text.slice(0, UNREADABLE_CHARACTERS)}`;
  if (refusal?.code === 'key_in_flight') return new UnderWay(words);
  if (NOT_NOW.has(status)) return new Unreached(words, refusal !== undefined && status === TOO_MANY);
  if (refusal === undefined || status >= 500) return new Unclear(words);
  return REFUSALS.has(status) ? new Refused(words) : new NotRun(words);
}

/** @param address path and parameters. */
export function addressOf({ url, environment }: AskedBridge, address: string): string {
  const [path = '', parameters] = address.split('?');
  const all = new URLSearchParams(environment !== null && path.startsWith('/v1/ops') ? { environment } : {});
  for (const [name, value] of new URLSearchParams(parameters)) if (name !== 'environment') all.append(name, value);
  return `${url}${path}${all.size === 0 ? '' : `?${all}`}`;
}

async function send(asked: AskedBridge, fetchFrom: Fetch, request: CallRequest): Promise<Response> {
  const { method, address, headers, body } = request;
  const init: RequestInit = { method, headers: { ...headers, Authorization: `Bearer ${asked.key}` }, body };
  try {
    return await fetchFrom(addressOf(asked, address), { ...init, redirect: 'manual' }); // a key is never carried elsewhere
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

/** Of a list that was asked for one entry more than is shown. Where it goes on, a person is told. */
export function firstOf<Entry>(
  found: readonly Entry[],
  most: number,
  { errors }: Pick<Surroundings, 'errors'>,
): { shown: Entry[]; more: boolean } {
  const more = found.length > most;
  if (more) errors.write(`These are the first ${most}. To see more: -n NUMBER\n`);
  return { shown: found.slice(0, most), more };
}

/** All pages of a list, until there are enough. */
export async function pagesOf<Name extends RouteName, Entry>(
  bridge: Bridge,
  route: Name,
  asked: CallOptions<Name>,
  { entriesIn, enough }: { entriesIn(page: Done<Name>): readonly Entry[]; enough: number },
): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let query: object = {}; ; ) {
    const rest = [{ ...asked, query: { ...asked.query, ...query } }] as unknown as CallArguments<Name>;
    const page = await bridge.call(route, ...rest);
    all.push(...entriesIn(page));
    const { next } = page as { next: string | null };
    if (next === null || all.length >= enough) return all.slice(0, enough);
    query = Object.fromEntries(new URL(next, 'http://bridge').searchParams);
  }
}
