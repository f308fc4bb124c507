/** Sandbox, directory and bridge together, on loopback: what the demo, the tests and the kill harness start from. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry as StoredEntry, StoredOrder } from '../../src/sandbox/decision.ts';
import {
  type BridgeCode,
  bridgeBundle,
  type ChannelPermits,
  channelName,
  prepareDirectory,
  startBridge,
} from './bridge.ts';
import { type HarnessClient, harnessClient } from './client.ts';
import type { NewPartnerKey } from './partner-keys.ts';
import type { RunningWorker } from './running.ts';
import { startBareSandbox } from './start-bare-sandbox.ts';
import { newStateFolder } from './state-folder.ts';

export interface StackOptions {
  partners: readonly NewPartnerKey[];
  /** What else stands in the directory from the beginning. */
  directorySql?: string;
  timeScale?: number;
  /** Where the kill harness listens (kernel/failpoint). */
  failpointUrl?: string;
  /** Taken when they are free. */
  preferredPorts?: { bridge: number; sandbox: number };
  /** Of every channel. */
  permits?: ChannelPermits;
  /** What runs first. */
  code?: BridgeCode;
}

export interface Stack {
  sandbox: RunningWorker;
  /** The bridge that runs now; `startBridge` puts a new one in its place. */
  bridge: RunningWorker;
  /** Of the partners, in their order. */
  keys: string[];
  /** Where the bridge keeps its state. */
  persistTo: string;
  /** Starts the bridge on the same storage, by default this checkout; stop or kill the old one first. */
  startBridge(code?: BridgeCode): Promise<void>;
  putFaults(rules: unknown[]): Promise<void>;
  /** Of the sandbox. */
  putSettings(settings: Record<string, unknown>): Promise<void>;
  /** Everything the sandbox received so far. */
  journal(): Promise<JournalEntry[]>;
  /** Every order that the sandbox keeps, oldest first. */
  orders(): Promise<SandboxOrder[]>;
  /** Ends both and removes their state. */
  stop(): Promise<void>;
}

/** As the sandbox keeps it. @property seq by which it is listed. */
export interface JournalEntry extends Omit<StoredEntry, 'bodyBytes' | 'manner' | 'fault'> {
  seq: number;
}

/** An order as the sandbox keeps it. @property version 1 for the create, one more with every update. */
export interface SandboxOrder extends Omit<StoredOrder, 'stepOffsetsMs'> {
  version: number;
  /** As it was written last, with its id where that stood in the body. */
  document: unknown;
}

const PAGE_ENTRIES = 1_000;
/** Processes that were just killed may still write. */
const REMOVE_TRIES = 3;

export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = newStateFolder('transload-stack-');
  const removeFolder = (): void => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: REMOVE_TRIES });
    } catch {
      // Something writes there still. Whatever else ends with the process must end all the same.
    }
  };
  process.once('exit', removeFolder); // it may lie in memory
  const persistTo = join(folder, 'bridge');
  const { preferredPorts } = options;
  const starting = startBareSandbox({
    persistTo: join(folder, 'sandbox'),
    ...(preferredPorts ? { preferredPort: preferredPorts.sandbox } : {}),
  });
  /** Nobody else would end what has started. */
  const undo = async (thrown: unknown): Promise<never> => {
    await starting.then((started) => started.stop()).catch(() => undefined);
    process.off('exit', removeFolder);
    removeFolder();
    throw thrown;
  };
  const beside = [
    starting,
    prepareDirectory(persistTo, options.partners, options.directorySql),
    bridgeBundle(options), // where there is none yet, beside the others
  ] as const;
  const [sandbox, made] = await Promise.all(beside).catch(async (thrown: unknown) => {
    await Promise.allSettled(beside);
    return undo(thrown);
  });
  const start = (code?: BridgeCode): Promise<RunningWorker> =>
    startBridge({
      sandboxUrl: sandbox.baseUrl,
      persistTo,
      timeScale: options.timeScale ?? 1,
      ...(code && { code }),
      ...(options.permits === undefined ? {} : { permits: options.permits }),
      ...(options.failpointUrl === undefined ? {} : { failpointUrl: options.failpointUrl }),
      ...(preferredPorts ? { preferredPort: preferredPorts.bridge } : {}),
    });
  const put = async (what: string, body: unknown): Promise<void> => {
    const answer = await fetch(`${sandbox.baseUrl}/_sandbox/${what}`, { method: 'PUT', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const stack: Stack = {
    sandbox,
    bridge: await start(options.code).catch(undo),
    keys: made.map(({ key }) => key),
    persistTo,
    async startBridge(code) {
      stack.bridge = await start(code);
    },
    putFaults: (rules) => put('faults', rules),
    putSettings: (settings) => put('settings', settings),
    journal: () =>
      pagesOf(`${sandbox.baseUrl}/_sandbox/journal`, ({ entries }: { entries: JournalEntry[] }) => entries),
    orders: () => pagesOf(`${sandbox.baseUrl}/_sandbox/orders`, ({ orders }: { orders: SandboxOrder[] }) => orders),
    async stop() {
      await Promise.all([stack.bridge.stop(), sandbox.stop()]);
      process.off('exit', removeFolder);
      removeFolder();
    },
  };
  return stack;
}

async function pagesOf<Page extends object, Entry>(url: string, entriesIn: (page: Page) => Entry[]): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${url}?after=${after}&limit=${PAGE_ENTRIES}`);
    const page = (await answer.json()) as Page & { next: number };
    const entries = entriesIn(page);
    if (entries.length === 0) return all;
    all.push(...entries);
    after = page.next;
  }
}

/** @property auth of the channel that the one partner sends on. */
export interface HarnessOptions extends Omit<StackOptions, 'partners'> {
  partner: string;
  auth: 'key' | 'key+bearer';
}

/** A stack with one partner, which ends with the run. */
export async function withStack<T>(
  { partner, auth, ...options }: HarnessOptions,
  run: (stack: Stack, client: HarnessClient) => Promise<T>,
): Promise<T> {
  const channel = channelName('test', auth);
  const only = {
    partner,
    displayName: partner,
    environment: 'test',
    channel,
    scacs: ['DEMO'],
    mappings: null,
  } as const;
  const stack = await startStack({ ...options, partners: [only] });
  try {
    return await run(
      stack,
      harnessClient(() => stack.bridge.baseUrl, stack.keys[0] ?? ''),
    );
  } finally {
    await stack.stop();
  }
}
