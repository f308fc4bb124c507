/** Sandbox, directory and bridge together, on loopback: what the demo, the tests and the kill harness start from. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChannelPermits, prepareDirectory, startBridge } from './bridge.ts';
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
}

export interface Stack {
  sandbox: RunningWorker;
  /** The bridge that runs now; `startBridge` puts a new one in its place. */
  bridge: RunningWorker;
  /** Of the partners, in their order. */
  keys: string[];
  /** Where the bridge keeps its state. */
  persistTo: string;
  /** Starts the bridge on the same storage, by default from the same bundle; stop or kill the old one first. */
  startBridge(config?: string): Promise<void>;
  putFaults(rules: unknown[]): Promise<void>;
  /** Everything the sandbox received so far. */
  journal(): Promise<JournalEntry[]>;
  /** Ends both and removes their state. */
  stop(): Promise<void>;
}

/** As the sandbox keeps it. */
export interface JournalEntry {
  seq: number;
  receivedAtMs: number;
  environment: string | null;
  method: string;
  path: string;
  /** As sent, without the question mark. */
  query: string;
  headers: Record<string, string>;
  body: string;
  status: number | null;
  applied: boolean;
  /** null: it never took effect. */
  appliedAtMs: number | null;
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = newStateFolder('transload-stack-');
  const persistTo = join(folder, 'bridge');
  const { preferredPorts } = options;
  const [sandbox, made] = await Promise.all([
    startBareSandbox({
      persistTo: join(folder, 'sandbox'),
      ...(preferredPorts ? { preferredPort: preferredPorts.sandbox } : {}),
    }),
    prepareDirectory(persistTo, options.partners, options.directorySql),
  ]);
  const start = (config?: string): Promise<RunningWorker> =>
    startBridge({
      sandboxUrl: sandbox.baseUrl,
      persistTo,
      timeScale: options.timeScale ?? 1,
      ...(config === undefined ? {} : { config }),
      ...(options.permits === undefined ? {} : { permits: options.permits }),
      ...(options.failpointUrl === undefined ? {} : { failpointUrl: options.failpointUrl }),
      ...(preferredPorts ? { preferredPort: preferredPorts.bridge } : {}),
    });
  const stack: Stack = {
    sandbox,
    bridge: await start().catch(async (thrown: unknown) => {
      await sandbox.stop();
      throw thrown;
    }),
    keys: made.map(({ key }) => key),
    persistTo,
    async startBridge(config) {
      stack.bridge = await start(config);
    },
    async putFaults(rules) {
      const answer = await fetch(`${sandbox.baseUrl}/_sandbox/faults`, { method: 'PUT', body: JSON.stringify(rules) });
      if (!answer.ok) throw new Error(await answer.text());
    },
    journal: () => readJournal(sandbox.baseUrl),
    async stop() {
      await Promise.all([stack.bridge.stop(), sandbox.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return stack;
}

async function readJournal(sandboxUrl: string): Promise<JournalEntry[]> {
  const all: JournalEntry[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${sandboxUrl}/_sandbox/journal?after=${after}&limit=1000`);
    const { entries, next } = (await answer.json()) as { entries: JournalEntry[]; next: number };
    if (entries.length === 0) return all;
    all.push(...entries);
    after = next;
  }
}
