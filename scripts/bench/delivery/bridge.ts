/**
 * A file delivered by the bridge of a checkout: bare workerd on fresh stores, a small file first, then one upload, until its
 * batch says that all is settled.
 */
import { cpSync, existsSync, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { bundleWorker } from '../../local/bundle.ts';
import type { MadeKey, NewPartnerKey } from '../../local/partner-keys.ts';
import { type BareBridge, objectClassesOf, startBareBridge } from '../../local/start-bare-bridge.ts';
import { removeFolder, temporaryFolder } from '../folders.ts';
import { cpuMsOf, residentBytesOf } from '../processes.ts';
import { COUNTS_PATH, countingEntry, type StatementCounts } from './counting.ts';
import { MAPPING_OF, type Shape } from './file.ts';

/** A checkout's bridge, ready to be started again and again. */
export interface PreparedBridge {
  root: string;
  bundle: string;
  /** A directory with the partner in it, copied for each start. */
  directory: string;
  key: string;
}

const CHANNEL = 'bench';
const PARTNER: NewPartnerKey = {
  partner: 'bench',
  displayName: 'Bench',
  environment: 'test',
  channel: CHANNEL,
  scacs: ['DEMO'],
  mappings: null,
};

type PrepareDirectory = (persistTo: string, partners: readonly NewPartnerKey[]) => Promise<MadeKey[]>;

/** @param folder where to, empty. The checkout's own scripts make its directory, for its tables are its own. */
export async function prepareBridge(root: string, folder: string): Promise<PreparedBridge> {
  const bundle = join(folder, 'bundle');
  const directory = join(folder, 'directory');
  await bundleWorker(root, 'wrangler.toml', bundle);
  liftRate(bundle);
  const script = pathToFileURL(join(root, 'scripts/local/bridge.ts')).href;
  const { prepareDirectory } = (await import(script)) as { prepareDirectory: PrepareDirectory };
  const [made] = await prepareDirectory(directory, [PARTNER]);
  return { root, bundle, directory, key: made?.key ?? '' };
}

/** Where objects and files are: in memory, where a commit waits for nothing, or on a disk. */
export const STORES = ['memory', 'disk'] as const;
export type Store = (typeof STORES)[number];
const IN_MEMORY = '/dev/shm';

/**
 * Calls a second: more than anybody makes. A channel may have 500 at most, of which the bundle alone is told otherwise; under a
 * faster clock, which would do as well, the bridge's other waits were shorter, too.
 */
const RATE_PER_SECOND = 100_000;
const BURST = 2_000;
const RATE_MAX = /^var CHANNEL_RATE_MAX = \d+;$/m;

function liftRate(bundle: string): void {
  const path = join(bundle, 'index.js');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(RATE_MAX, `var CHANNEL_RATE_MAX = ${RATE_PER_SECOND};`));
}

const channelVars = (upstreamUrl: string): Record<string, string> => ({
  CHANNELS: JSON.stringify([
    {
      name: CHANNEL,
      environment: 'test',
      baseUrl: upstreamUrl,
      scacs: ['DEMO'],
      probe: 'none',
      auth: { events: 'key+bearer' },
      ratePerSecond: RATE_PER_SECOND,
      burst: BURST,
    },
  ]),
  CHANNEL_SECRETS: JSON.stringify({ [CHANNEL]: { apiKey: 'bench', clientSecret: 'bench' } }),
});

export interface BridgeRunWanted {
  bridge: PreparedBridge;
  shape: Shape;
  store: Store;
  upstreamUrl: string;
  smallFile: string;
  file: string;
  rows: number;
  /** Called when the small file is through. */
  begin(): Promise<void>;
}

export interface BridgeRun {
  /** From the first byte of the upload to the answer that says that all is settled, in ms. */
  ms: number;
  /** Processor time of the runtime, its stand-ins for R2, KV and D1 included, in ms. */
  cpuMs: number;
  /** Memory of the runtime at the end. */
  residentBytes: number;
  /** The longest time that a GET of the batch waited for its answer, in ms. */
  longestGetMs: number;
  /** Rows that the batch calls something else than delivered. */
  notDelivered: number;
}

export const runBridge = (wanted: BridgeRunWanted): Promise<BridgeRun> =>
  withBridge(wanted, undefined, async ({ pid, upload }) => {
    const cpuBeforeMs = cpuMsOf(pid);
    const fromMs = performance.now();
    const { longestGetMs, delivered } = await upload(wanted.file);
    const ms = performance.now() - fromMs;
    const cpuMs = cpuMsOf(pid) - cpuBeforeMs;
    return { ms, cpuMs, residentBytes: residentBytesOf(pid), longestGetMs, notDelivered: wanted.rows - delivered };
  });

/** What the objects asked of their databases meanwhile, by class. Slower than a run without. */
export function countStatements(wanted: BridgeRunWanted): Promise<Record<string, StatementCounts>> {
  return withBridge(wanted, countingEntry(objectClassesOf(wanted.bridge.root)), async ({ baseUrl, upload }) => {
    const counts = async () => (await (await fetch(baseUrl + COUNTS_PATH)).json()) as Record<string, StatementCounts>;
    await counts();
    await upload(wanted.file);
    return counts();
  });
}

interface Begun {
  baseUrl: string;
  pid: number;
  upload(file: string): Promise<Settled>;
}

async function withBridge<T>(
  wanted: BridgeRunWanted,
  entry: string | undefined,
  measure: (begun: Begun) => Promise<T>,
): Promise<T> {
  const { bridge, store, shape, upstreamUrl, smallFile, begin } = wanted;
  if (store === 'memory' && !existsSync(IN_MEMORY)) throw new Error(`there is no ${IN_MEMORY} to keep the stores in`);
  const persistTo = temporaryFolder(store === 'memory' ? IN_MEMORY : tmpdir());
  cpSync(bridge.directory, persistTo, { recursive: true });
  const options: BareBridge = { root: bridge.root, bundle: bridge.bundle, vars: channelVars(upstreamUrl), persistTo };
  const running = await startBareBridge({ ...options, ...(entry === undefined ? {} : { entry }) });
  const { baseUrl, pid } = running;
  const upload = (file: string) => uploadAndWait({ baseUrl, key: bridge.key, shape, file });
  try {
    await upload(smallFile);
    await begin();
    return await measure({ baseUrl, pid, upload });
  } finally {
    await running.kill();
    removeFolder(persistTo);
  }
}

const POLL_MS = 25;
/** No measurement of ours takes as long. */
const DELIVERY_MS_MAX = 30 * 60_000;

interface Upload {
  baseUrl: string;
  key: string;
  shape: Shape;
  file: string;
}

interface Settled {
  delivered: number;
  longestGetMs: number;
}

async function uploadAndWait({ baseUrl, key, shape, file }: Upload): Promise<Settled> {
  const headers = { Authorization: `Bearer ${key}` };
  const address = `${baseUrl}/v1/batches?mapping=${MAPPING_OF[shape]}&scac=DEMO`;
  const taken = await fetch(address, { method: 'POST', headers, body: await openAsBlob(file) });
  if (!taken.ok) throw new Error(`the upload was answered ${taken.status}: ${await taken.text()}`);
  const { batchId } = (await taken.json()) as { batchId: string };
  const untilMs = performance.now() + DELIVERY_MS_MAX;
  for (let longestGetMs = 0; ; ) {
    const fromMs = performance.now();
    const answer = await fetch(`${baseUrl}/v1/batches/${batchId}`, { headers });
    const text = await answer.text();
    longestGetMs = Math.max(longestGetMs, performance.now() - fromMs);
    const { state, rowStates } = JSON.parse(text) as BatchSummary;
    if (state === 'settled') return { delivered: rowStates.delivered ?? 0, longestGetMs };
    if (state === 'unreadable' || performance.now() > untilMs) throw new Error(`the batch is not delivered: ${text}`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
