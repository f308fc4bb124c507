/**
 * What everybody else feels while one partner's large file is worked: how long the bridge is silent, how much memory it holds,
 * and when one row of another partner, sent in the middle of it, is settled. The upstream answers at once.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { signIn } from '../../local/people.ts';
import { lossOf } from '../delivery/arrivals.ts';
import {
  batchOf,
  type PreparedBridge,
  prepareBridge,
  STORES,
  type Store,
  uploadFile,
  withBridge,
} from '../delivery/bridge.ts';
import { fileText, markOf, rowsOf } from '../delivery/file.ts';
import { type Upstream, upstreamProcess } from '../delivery/upstream.ts';
import { temporaryFolder } from '../folders.ts';
import { ProcessWatch, type Watched } from './watch.ts';

interface SteadyWanted {
  root: string;
  loads: number;
  rowsPerLoad: number;
  /** How many such files are sent at once. */
  files: number;
  isGzip: boolean;
  /** Texts in the names of the lines that are measured; all without any. */
  lines: readonly string[];
  tell(text: string): void;
}

export interface SteadyResult extends Watched {
  line: string;
  rows: number;
  rowsPerSecond: number;
  /** The longest time between two answers to GETs of the batch, its rows, its page and the list, until it has settled. */
  silenceMs: number;
  /** From the upload of another partner's one row until that has settled. */
  otherMs: number;
  /** What did not arrive once. */
  loss: string | undefined;
}

export async function measureSteadiness(wanted: SteadyWanted): Promise<SteadyResult[]> {
  const { root, lines, tell, ...size } = wanted;
  const folder = temporaryFolder();
  const bridge = await prepareBridge(root, join(folder, 'bridge'));
  const upstream = await upstreamProcess();
  try {
    const results: SteadyResult[] = [];
    for (const store of STORES) {
      const of = size.files === 1 ? '' : `${size.files} files, `;
      const line = `${of}milestones, ${size.rowsPerLoad} per load, ${store}, 0 ms${size.isGzip ? ', gzip' : ''}`;
      if (lines.length > 0 && !lines.some((text) => line.includes(text))) continue;
      tell(`steady: ${line}, ${size.files * rowsOf({ ...size, shape: 'milestones' })} rows`);
      results.push({ line, ...(await measureOnce({ ...size, store, folder, bridge, upstream })) });
    }
    return results;
  } finally {
    upstream.stop();
  }
}

interface RunWanted {
  loads: number;
  rowsPerLoad: number;
  files: number;
  isGzip: boolean;
  store: Store;
  folder: string;
  bridge: PreparedBridge;
  upstream: Upstream;
}

/** Of the file that is delivered first, so that nothing is new any more. */
const SMALL_LOADS = 10;

function measureOnce(wanted: RunWanted): Promise<Omit<SteadyResult, 'line'>> {
  const { loads, rowsPerLoad, files, isGzip, store, folder, bridge, upstream } = wanted;
  const size = { shape: 'milestones', loads, rowsPerLoad } as const;
  const rowsOfOne = rowsOf(size);
  const rows = files * rowsOfOne;
  const write = (name: string, text: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const small = write('small', fileText({ ...size, loads: SMALL_LOADS, prefix: 'WU' }));
  const large = Array.from({ length: files }, (_, file) => {
    const text = fileText({ ...size, prefix: `L${file}X`, firstRow: file * rowsOfOne });
    return write(`large-${file}`, isGzip ? gzipSync(text) : text);
  });
  const one = fileText({ ...size, loads: 1, rowsPerLoad: 1, prefix: 'OT' });
  const other = write('other', one.replace(markOf(0), markOf(rows)));
  return withBridge({ bridge, store, upstreamUrl: upstream.baseUrl }, async ({ baseUrl, pid, persistTo }) => {
    const send = (file: string, who: SignedIn) => untilSettled(baseUrl, who, file);
    const [partner, another] = [await signedIn(baseUrl, bridge.key), await signedIn(baseUrl, bridge.otherKey)];
    await upstream.expect({ rows: 0, delayMs: 0 });
    for (const who of [partner, another]) await send(small, who);
    await upstream.expect({ rows: rows + 1, delayMs: 0 });
    const watch = new ProcessWatch(pid, persistTo);
    const fromMs = performance.now();
    const largeSettles = Promise.all(large.map((file) => send(file, partner))).then((settled) => ({
      delivered: settled.reduce((sum, { delivered }) => sum + delivered, 0),
      silenceMs: Math.max(...settled.map(({ silenceMs }) => silenceMs)),
      ms: performance.now() - fromMs,
    }));
    const otherSettles = halfway(upstream, rows / 2).then(async () => {
      const sinceMs = performance.now();
      const settled = await send(other, another);
      return { ...settled, ms: performance.now() - sinceMs };
    });
    const [settled, otherSettled] = await Promise.all([largeSettles, otherSettles]);
    const notDelivered = rows + 1 - settled.delivered - otherSettled.delivered;
    return {
      rows,
      rowsPerSecond: (rows / settled.ms) * 1_000,
      silenceMs: settled.silenceMs,
      otherMs: otherSettled.ms,
      ...watch.end(),
      loss: lossOf({ ...(await upstream.arrived()), notDelivered }),
    };
  });
}

const LOOK_MS = 25;

async function halfway(upstream: Upstream, rows: number): Promise<void> {
  while ((await upstream.arrived()).rows < rows) await delay(LOOK_MS);
}

/** Between an answer and the next GET. It is a part of the silence. */
const PAUSE_MS = 10;
const DELIVERY_MS_MAX = 3 * 3_600_000;

/** What a partner may open meanwhile, one after the other. */
const LOOKED_AT: readonly ((batchId: string) => string)[] = [
  (batchId) => `/v1/batches/${batchId}/rows?limit=100`,
  () => '/v1/batches',
  (batchId) => `/console/batches/${batchId}`,
  (batchId) => `/v1/batches/${batchId}/rows?state=rejected`,
  () => '/console',
];

type Headers = Readonly<Record<string, string>>;

async function open(baseUrl: string, headers: Headers, address: string): Promise<void> {
  const answer = await fetch(baseUrl + address, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${address} was answered ${answer.status}: ${text.slice(0, 300)}`);
}

interface SignedIn {
  key: string;
  headers: Headers;
}

/** Once for all its files: who signs in again and again is refused. */
async function signedIn(baseUrl: string, key: string): Promise<SignedIn> {
  const session = await signIn(baseUrl, { key });
  return { key, headers: { Authorization: `Bearer ${key}`, Cookie: `${session.name}=${session.value}` } };
}

async function untilSettled(baseUrl: string, { key, headers }: SignedIn, file: string) {
  const batchId = await uploadFile(baseUrl, key, 'milestones', file);
  const untilMs = performance.now() + DELIVERY_MS_MAX;
  let silenceMs = 0;
  let answeredMs = performance.now();
  const answered = (): void => {
    const nowMs = performance.now();
    silenceMs = Math.max(silenceMs, nowMs - answeredMs);
    answeredMs = nowMs;
  };
  for (let look = 0; answeredMs < untilMs; look += 1) {
    await open(baseUrl, headers, LOOKED_AT[look % LOOKED_AT.length]?.(batchId) ?? '');
    answered();
    await delay(PAUSE_MS);
    const { state, rowStates } = await batchOf(baseUrl, key, batchId);
    answered();
    if (state === 'settled') return { delivered: rowStates.delivered ?? 0, silenceMs };
    await delay(PAUSE_MS);
  }
  throw new Error(`batch ${batchId} has not settled after ${DELIVERY_MS_MAX} ms`);
}
