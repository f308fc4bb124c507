/** Clock, dice, timers and network of the whole process, put into the hands of whichever world runs now. */
import { createHash } from 'node:crypto';
import type { Entry } from './agenda.ts';
import type { World } from './world.ts';

type Fetch = (url: string, init: FetchInit) => Promise<unknown>;
export interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  redirect?: string;
}

let world: World | undefined;
let network: Fetch | undefined;

/** Real time, for reports of the simulator about itself. */
export const realNowMs: () => number = performance.now.bind(performance);

export function enter(entered: World, fetching: Fetch): void {
  world = entered;
  network = fetching;
}

function here(): World {
  if (world === undefined) throw new Error('no world runs');
  return world;
}

/** What the bridge would log stays here. Once per process, before any module of the bridge runs. */
export function takeGlobals(): void {
  const nothing = () => undefined;
  Date.now = () => Math.floor(here().clockMs());
  Math.random = () => here().dice();
  define('fetch', (url: string, init: FetchInit) => network?.(url, init));
  define('setTimeout', (go: () => void, delayMs: number) => here().timer(delayMs, go));
  define('clearTimeout', (entry: Entry | undefined) => {
    if (entry !== undefined) entry.isCancelled = true;
  });
  define('scheduler', {
    wait: (delayMs: number) => new Promise<void>((resolve) => void here().timer(delayMs, resolve)),
  });
  crypto.getRandomValues = <T>(bytes: T): T => {
    if (bytes instanceof Uint8Array) for (let at = 0; at < bytes.length; at += 1) bytes[at] = here().dice() * 256;
    return bytes;
  };
  crypto.randomUUID = () => uuidOf(here().dice);
  crypto.subtle.digest = async (_, bytes) => {
    const hashed = createHash('sha256').update(viewOf(bytes)).digest();
    return hashed.buffer.slice(hashed.byteOffset, hashed.byteOffset + hashed.byteLength) as ArrayBuffer;
  };
  process.on('unhandledRejection', (thrown) => {
    if (world === undefined) throw thrown;
    world.breach('thrown', `by a promise of nobody: ${String(thrown)}`);
  });
  Object.assign(console, { info: nothing, warn: nothing, error: nothing });
}

const define = (name: string, value: unknown): void => {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
};

const viewOf = (bytes: BufferSource): Uint8Array =>
  ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);

export function uuidOf(dice: () => number): `${string}-${string}-${string}-${string}-${string}` {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(dice() * 16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;
}
