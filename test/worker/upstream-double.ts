/** Stands in for the upstream in worker tests: answers in order, and remembers every request that left. */
import { vi } from 'vitest';

export interface Left {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  redirect: string | undefined;
  atMs: number;
}

/** A status, a thrown error, or something that answers when asked: a response is bound to the request that made it. */
export type Answering =
  | number
  | Error
  | ((left: Left, signal: AbortSignal | undefined) => Response | Promise<Response>);

export interface UpstreamDouble {
  /** Calls other than token requests and probes, in the order they left. */
  left: Left[];
  tokenRequests: Left[];
  /** What the gates asked by themselves: GET locations. */
  probes: Left[];
  /** Most calls that were on the wire at once. */
  inFlightMax(): number;
  /** From now on these answers, in order; the last one repeats. */
  answer(...answers: Answering[]): void;
  /** From now on these for token requests. Until then: `token-1`, `token-2`, … for an hour each. */
  answerTokens(...answers: Answering[]): void;
  /** From now on these for the gates' own probes. Until then: 200. */
  answerProbes(...answers: Answering[]): void;
}

/** @param first one answer per call; the last one repeats. */
export function upstreamAnswers(...first: Answering[]): UpstreamDouble {
  const left: Left[] = [];
  const tokenRequests: Left[] = [];
  const probes: Left[] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  let next = takeInTurn(first);
  let nextProbe = takeInTurn([200]);
  let nextToken = takeInTurn([() => Response.json(tokenBody(tokenRequests.length))]);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const request = leftOf(url, init);
    const isToken = /\/token$/.test(request.url);
    const isProbe = /\/locations$/.test(request.url);
    (isToken ? tokenRequests : isProbe ? probes : left).push(request);
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    try {
      return await answerTo(isToken ? nextToken() : isProbe ? nextProbe() : next(), request, init?.signal ?? undefined);
    } finally {
      inFlight -= 1;
    }
  });
  return {
    left,
    tokenRequests,
    probes,
    inFlightMax: () => inFlightMax,
    answer(...answers) {
      next = takeInTurn(answers);
    },
    answerTokens(...answers) {
      nextToken = takeInTurn(answers);
    },
    answerProbes(...answers) {
      nextProbe = takeInTurn(answers);
    },
  };
}

/** What the fleet and locations APIs say where every number is known; to anything else a confirmation. */
export function aFleetThatKnows({ method, url }: Left): object {
  const number = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
  if (method === 'GET' && url.includes('/vehicles/')) return { vehicleNumber: number, VIN: `VIN${number}` };
  if (method === 'GET' && url.includes('/locations/')) {
    return { locationNumber: number, address: { city: 'Joliet', state: 'IL' }, timeZone: 'America/Chicago' };
  }
  return { id: crypto.randomUUID() };
}

export const tokenBody = (number: number, life: Record<string, number> = { expires_in: 3600 }) => ({
  token_type: 'Bearer',
  access_token: `token-${number}`,
  ...life,
});

/** An answer that comes when the test says so; the timer keeps the caller's request alive meanwhile. */
export function heldAnswer(): { answer: Answering; release: (status: number) => void } {
  let status: number | undefined;
  return {
    answer: async () => {
      while (status === undefined) await timer(3);
      return Response.json({}, { status });
    },
    release(released) {
      status = released;
    },
  };
}

/** Never answers; ends when the caller gives up. */
export const neverAnswers = async (_: Left, signal: AbortSignal | undefined): Promise<Response> => {
  while (!signal?.aborted) await timer(5);
  throw new Error('aborted');
};

function takeInTurn(answers: readonly Answering[]): () => Answering {
  let taken = 0;
  return () => {
    taken += 1;
    return answers[Math.min(taken, answers.length) - 1] ?? 200;
  };
}

function leftOf(url: unknown, init: RequestInit | undefined): Left {
  return {
    url: String(url),
    method: init?.method ?? 'GET',
    headers: { ...(init?.headers as Record<string, string>) },
    body: typeof init?.body === 'string' ? init.body : '',
    redirect: init?.redirect,
    atMs: Date.now(),
  };
}

export async function answerTo(answer: Answering, left: Left, signal: AbortSignal | undefined): Promise<Response> {
  if (answer instanceof Error) throw answer;
  if (typeof answer === 'function') return answer(left, signal);
  return Response.json({ code: answer }, { status: answer });
}

/** As it was before a test faked it. */
const realSetTimeout = setTimeout;
const timer = (ms: number): Promise<void> => new Promise((resolve) => realSetTimeout(resolve, ms));
