/**
 * A file delivered by the bridge of a checkout: bare workerd on fresh stores, a small file first, then one upload, until its
 * batch says that all is settled.
 */
import { cpSync, existsSync, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { NO_RATE } from '../../local/bridge.ts';
import { bundleWorker } from '../../local/bundle.ts';
import type { MadeKey, NewPartnerKey } from '../../local/partner-keys.ts';
import type { RunningWorker } from '../../local/running.ts';
import { bindingsOf, startBareBridge } from '../../local/start-bare-bridge.ts';
import { removeFolder, temporaryFolder } from '../folders.ts';
import { cpuMsOf, residentBytesOf } from '../processes.ts';
import type { Counts } from './counters.ts';
import { COUNTS_PATH, countingScripts } from './counting.ts';
import { MAPPING_OF, type Shape } from './file.ts';

/** A checkout's bridge, ready to be started again and again. */
export interface PreparedBridge {
  root: string;
  bundle: string;
  /** A directory with the partner in it, copied for each start. */
  directory: string;
  key: string;
  /** Of another partner, on the same channel. */
  otherKey: string;
}

const CHANNEL = 'bench';
const partnerNamed = (partner: string): NewPartnerKey => ({
  partner,
  displayName: partner,
  environment: 'test',
  channel: CHANNEL,
  scacs: ['DEMO'],
  mappings: null,
});

type PrepareDirectory = (persistTo: string, partners: readonly NewPartnerKey[], moreSql?: string) => Promise<MadeKey[]>;

/**
 * @param folder where to, empty. The checkout's own scripts make its directory, for its tables are its own.
 * @param moreSql what else stands in it.
 */
export async function prepareBridge(root: string, folder: string, moreSql?: string): Promise<PreparedBridge> {
  const bundle = join(folder, 'bundle');
  const directory = join(folder, 'directory');
  await bundleWorker(root, 'wrangler.toml', bundle);
  liftRate(bundle);
  const script = pathToFileURL(join(root, 'scripts/local/bridge.ts')).href;
  const { prepareDirectory } = (await import(script)) as { prepareDirectory: PrepareDirectory };
  const made = await prepareDirectory(directory, ['bench', 'another'].map(partnerNamed), moreSql);
  const [key = '', otherKey = ''] = made.map((each) => each.key);
  return { root, bundle, directory, key, otherKey };
}

/** Where objects and files are: in memory, where a commit waits for nothing, or on a disk. */
export const STORES = ['memory', 'disk'] as const;
export type Store = (typeof STORES)[number];
/** Where nothing is timed. */
export const COUNTED_STORE = 'memory' satisfies Store;
const IN_MEMORY = '/dev/shm';

/** A commit whose channels have 500 calls a second at most, on loopback too, is told otherwise in its bundle alone. */
const RATE_MAX = /^var CHANNEL_RATE_MAX = \d+;$/m;

function liftRate(bundle: string): void {
  const path = join(bundle, 'index.js');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(RATE_MAX, `var CHANNEL_RATE_MAX = ${NO_RATE.ratePerSecond};`));
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
      ...NO_RATE,
    },
  ]),
  CHANNEL_SECRETS: JSON.stringify({ [CHANNEL]: { apiKey: 'bench', clientSecret: 'bench' } }),
  SETTLED_OBJECTS: 'go',
});

interface BridgeRunWanted {
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

interface BridgeRun {
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
  withBridge(wanted, async ({ pid, baseUrl }) => {
    const upload = (file: string) => uploadAndWait({ ...wanted, baseUrl, file });
    await upload(wanted.smallFile);
    await wanted.begin();
    const cpuBeforeMs = cpuMsOf(pid);
    const fromMs = performance.now();
    const { longestGetMs, delivered } = await upload(wanted.file);
    const ms = performance.now() - fromMs;
    const cpuMs = cpuMsOf(pid) - cpuBeforeMs;
    return { ms, cpuMs, residentBytes: residentBytesOf(pid), longestGetMs, notDelivered: wanted.rows - delivered };
  });

/** What the objects asked of their databases meanwhile, by class. Slower than a run without. */
export const countStatements = (wanted: BridgeRunWanted): Promise<Counts['objects']> =>
  withBridge({ ...wanted, isCounted: true }, async ({ baseUrl }) => {
    const upload = (file: string) => uploadAndWait({ ...wanted, baseUrl, file });
    await upload(wanted.smallFile);
    await wanted.begin();
    await fetch(baseUrl + COUNTS_PATH, { method: 'DELETE' });
    await upload(wanted.file);
    return (await countsOf(baseUrl)).objects;
  });

/** Of a bridge that is counted. */
export const countsOf = async (baseUrl: string): Promise<Counts> =>
  (await (await fetch(baseUrl + COUNTS_PATH)).json()) as Counts;

interface FreshWanted extends Pick<BridgeRunWanted, 'bridge' | 'store' | 'upstreamUrl'> {
  isCounted?: boolean;
}

/** On fresh stores, which go with it. */
export async function withBridge<T>(wanted: FreshWanted, use: (running: RunningWorker) => Promise<T>): Promise<T> {
  const { bridge, store, upstreamUrl, isCounted = false } = wanted;
  if (store === 'memory' && !existsSync(IN_MEMORY)) throw new Error(`there is no ${IN_MEMORY} to keep the stores in`);
  const persistTo = temporaryFolder(store === 'memory' ? IN_MEMORY : tmpdir());
  cpSync(bridge.directory, persistTo, { recursive: true });
  const running = await startBareBridge({
    root: bridge.root,
    bundle: bridge.bundle,
    vars: channelVars(upstreamUrl),
    persistTo,
    ...(isCounted ? { scripts: countingScripts(bindingsOf(bridge.root)) } : {}),
  });
  try {
    return await use(running);
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
  bridge: PreparedBridge;
  shape: Shape;
  file: string;
}

interface Settled {
  delivered: number;
  longestGetMs: number;
}

async function uploadAndWait({ baseUrl, bridge: { key }, shape, file }: Upload): Promise<Settled> {
  const batchId = await uploadFile(baseUrl, key, shape, file);
  const untilMs = performance.now() + DELIVERY_MS_MAX;
  for (let longestGetMs = 0; ; ) {
    const fromMs = performance.now();
    const { state, rowStates } = await batchOf(baseUrl, key, batchId);
    longestGetMs = Math.max(longestGetMs, performance.now() - fromMs);
    if (state === 'settled') return { delivered: rowStates.delivered ?? 0, longestGetMs };
    if (performance.now() > untilMs) throw new Error(`batch ${batchId} is not delivered: ${JSON.stringify(rowStates)}`);
    await delay(POLL_MS);
  }
}

/** @returns the id of its batch. */
export async function uploadFile(baseUrl: string, key: string, shape: Shape, file: string): Promise<string> {
  const address = `${baseUrl}/v1/batches?mapping=${MAPPING_OF[shape]}&scac=DEMO`;
  const body = await openAsBlob(file);
  const taken = await fetch(address, { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body });
  if (!taken.ok) throw new Error(`the upload was answered ${taken.status}: ${await taken.text()}`);
  return ((await taken.json()) as { batchId: string }).batchId;
}

export async function batchOf(baseUrl: string, key: string, batchId: string): Promise<BatchSummary> {
  const answer = await fetch(`${baseUrl}/v1/batches/${batchId}`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the batch was answered ${answer.status}: ${text}`);
  const summary = JSON.parse(text) as BatchSummary;
  if (summary.state === 'unreadable') throw new Error(`the batch cannot be read: ${text}`);
  return summary;
}
