/** Sandbox, directory and bridge for one test file, over real HTTP on loopback. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PartnerClient, partnerClient } from '../../scripts/demo/partner.ts';
import { channelName, prepareDirectory, startBridge } from '../../scripts/local/bridge.ts';
import type { NewPartnerKey } from '../../scripts/local/partner-keys.ts';
import type { RunningWorker } from '../../scripts/local/running.ts';
import { startWorker } from '../../scripts/local/start-worker.ts';

export interface SeenUpstream {
  seq: number;
  environment: string | null;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  status: number | null;
  applied: boolean;
}

export interface TestEnvironment {
  sandbox: RunningWorker;
  bridge: RunningWorker;
  persistTo: string;
  keys: string[];
  client: PartnerClient;
  /** Everything the sandbox received so far. */
  journal(): Promise<SeenUpstream[]>;
  faults(rules: unknown[]): Promise<void>;
  /** Ends the bridge and starts it again on the same storage, by default from the same bundle. */
  restart(config?: string): Promise<void>;
  stop(): Promise<void>;
}

export const TEST_PARTNER: NewPartnerKey = {
  partner: 'acme',
  displayName: 'Acme Freight',
  environment: 'test',
  channel: channelName('test', 'key+bearer'),
  scacs: ['DEMO'],
  mappings: null,
};

export async function startEnvironment(
  options: { partners?: NewPartnerKey[]; timeScale?: number } = {},
): Promise<TestEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-e2e-'));
  const persistTo = join(folder, 'bridge');
  const [sandbox, made] = await Promise.all([
    startWorker({
      config: 'wrangler.sandbox.toml',
      persistTo: join(folder, 'sandbox'),
      readyPath: '/_sandbox/healthz',
    }),
    prepareDirectory(persistTo, options.partners ?? [TEST_PARTNER]),
  ]);
  const start = (config?: string) =>
    startBridge({
      sandboxUrl: sandbox.baseUrl,
      persistTo,
      timeScale: options.timeScale ?? 60,
      ...(config === undefined ? {} : { config }),
    });
  const keys = made.map(({ key }) => key);
  const environment: TestEnvironment = {
    sandbox,
    bridge: await start(),
    persistTo,
    keys,
    get client() {
      return partnerClient(environment.bridge.baseUrl, keys[0] ?? '');
    },
    journal: () => journal(sandbox.baseUrl),
    async faults(rules) {
      const answer = await fetch(`${sandbox.baseUrl}/_sandbox/faults`, { method: 'PUT', body: JSON.stringify(rules) });
      if (!answer.ok) throw new Error(await answer.text());
    },
    async restart(config) {
      await environment.bridge.kill();
      environment.bridge = await start(config);
    },
    async stop() {
      await environment.bridge.stop();
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return environment;
}

async function journal(sandboxUrl: string): Promise<SeenUpstream[]> {
  const all: SeenUpstream[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${sandboxUrl}/_sandbox/journal?after=${after}&limit=1000`);
    const { entries, next } = (await answer.json()) as { entries: SeenUpstream[]; next: number };
    if (entries.length === 0) return all;
    all.push(...entries);
    after = next;
  }
}
