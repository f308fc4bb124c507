/** What the upstream answers, as much of it as the bridge reads of a response. */
import type { UpstreamFault } from './faults.ts';
import type { Settle, World } from './world.ts';

export interface Planned {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** `cut`: it breaks off; `drip`: the rest never comes. */
  end?: 'whole' | 'cut' | 'drip';
}

/** @param onRead told when its body has come in whole. */
export function responseOf(
  { status, headers = {}, body = '{}', end = 'whole' }: Planned,
  onRead: () => void = () => undefined,
): unknown {
  const bytes = new TextEncoder().encode(body);
  let reads = 0;
  let cancelled = (): void => undefined;
  const read = (): Promise<unknown> => {
    reads += 1;
    if (reads === 1) return Promise.resolve({ done: false, value: bytes });
    if (end === 'drip')
      return new Promise((_, reject) => {
        cancelled = () => reject(new Error('Stream was cancelled.'));
      });
    if (end === 'cut') return Promise.reject(new Error('Network connection lost.'));
    onRead();
    return Promise.resolve({ done: true, value: undefined });
  };
  return {
    status,
    headers: { get: (name: string) => headers[name] ?? null },
    body: { getReader: () => ({ read, cancel: async () => cancelled() }) },
  };
}

/** What a call is about, where its fault asks for that. */
export interface Met {
  /** It is done, sooner or later, whatever its caller is told. */
  late(): void;
  /** The token that it bore is good no more. */
  refused(): unknown;
  conflict(): Planned;
  /** It is done, and its answer is no whole one. */
  cut(): Planned;
}

/** @returns what a call meets in place of an answer as it should be. */
export function fateOf(fault: UpstreamFault, world: World, met: Met): Planned | 'reset' | 'silence' {
  switch (fault) {
    case 'refused':
      return { status: 422 };
    case 'conflict':
      return met.conflict();
    case 'busy':
      return { status: 429, headers: retryAfter(world, true) };
    case 'busy_until':
      return { status: 429, headers: retryAfter(world, false) };
    case 'unavailable_until':
      return { status: 503, headers: retryAfter(world, false) };
    case 'request_timeout':
      return { status: 408 };
    case 'error_before':
      return { status: 500 + Math.floor(world.dice() * 5) };
    case 'error_after':
      met.late();
      return { status: 502 };
    case 'reset_before':
      return 'reset';
    case 'reset_after':
      met.late();
      return 'reset';
    case 'hang_before':
      return 'silence';
    case 'hang_after':
      met.late();
      return 'silence';
    case 'redirect':
      return { status: 307, headers: { location: 'https://elsewhere.example/' } };
    case 'credentials':
      met.refused();
      return { status: 401 };
    case 'scac':
      return { status: 403 };
    case 'cut_body':
      return met.cut();
  }
}

/** The connection breaks before anything has come. */
export function reset(world: World, settle: Settle<unknown>): void {
  world.after(1 + world.dice() * 500, () => settle.reject(new Error('Network connection lost.')));
}

/** @param isPlain whether none at all may come. */
function retryAfter({ dice, nowMs }: World, isPlain: boolean): Record<string, string> {
  if (isPlain && dice() < 0.5) return {};
  const drawn = dice();
  if (drawn < 0.6) return { 'retry-after': String(Math.floor(dice() * dice() * 7_200)) };
  if (drawn < 0.7) return { 'retry-after': '1000000000' };
  if (drawn < 0.8) return { 'retry-after': new Date(nowMs + dice() * 600_000).toUTCString() };
  return { 'retry-after': drawn < 0.9 ? '-5' : 'soon' };
}
