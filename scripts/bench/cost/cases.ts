/**
 * What a row costs: everything that the objects and stores are asked for between an upload and the last trace of it, counted in
 * memory with an upstream that answers at once. Nobody looks at the batch meanwhile. Each case runs more than once, on fresh
 * stores, and the leanest run counts: what depends on timing alone is in the others.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { costOf } from '../../../src/batch/core/cost.ts';
import type { Tally } from '../../../src/batch/core/row.ts';
import { total } from '../../../src/batch/core/tally.ts';
import type { Usage } from '../../../src/kernel/usage.ts';
import { objectFiles } from '../../local/stored-objects.ts';
import {
  batchOf,
  COUNTED_STORE,
  countsOf,
  type PreparedBridge,
  prepareBridge,
  uploadFile,
  withBridge,
} from '../delivery/bridge.ts';
import type { Counts } from '../delivery/counters.ts';
import { COUNTS_PATH } from '../delivery/counting.ts';
import { fileText, MAPPING_OF, rowsOf, rowsPerLoadOf, type Shape } from '../delivery/file.ts';
import { type Upstream, upstreamProcess } from '../delivery/upstream.ts';
import { temporaryFolder } from '../folders.ts';
import { median } from '../spread.ts';
import { rowsWrittenBy } from './price.ts';

interface CostCase {
  name: string;
  shape: Shape;
  /** Each row is sent as a message of its own, one after the other. */
  asMessages: boolean;
  /** How many loads it has for each that is wanted. */
  loadsTimes: number;
}

/** Of loads with one row there are more, for what a batch costs is little for each row of a usual file. */
const CASES: readonly CostCase[] = [
  { name: 'milestones', shape: 'milestones', asMessages: false, loadsTimes: 1 },
  { name: 'positions', shape: 'traces', asMessages: false, loadsTimes: 1 },
  { name: 'new loads', shape: 'new loads', asMessages: false, loadsTimes: 5 },
  { name: 'messages', shape: 'new loads', asMessages: true, loadsTimes: 1 },
];

export interface CostResult {
  line: string;
  rows: number;
  upstreamRequests: number;
  /** Of the leanest run. */
  counts: Counts;
  /** By all objects, for each row, of each run. */
  rowsWritten: number[];
  /** Of the databases when all is settled: a load's, and for each row that of the batch. */
  loadBytes: number;
  batchBytesPerRow: number;
  /** Dollars per million rows as the batch itself tells its operators. */
  toldDollars: number;
}

interface CostWanted {
  root: string;
  loads: number;
  rowsPerLoad: number;
  runs: number;
  /** Texts in the names of the cases that are counted; all, if none has one of them. */
  lines: readonly string[];
  tell(text: string): void;
}

export async function countCosts({ root, loads, rowsPerLoad, runs, lines, tell }: CostWanted): Promise<CostResult[]> {
  const folder = temporaryFolder();
  const bridge = await prepareBridge(root, join(folder, 'bridge'));
  const upstream = await upstreamProcess();
  try {
    const results: CostResult[] = [];
    const named = CASES.filter(({ name }) => lines.some((line) => name.includes(line)));
    for (const each of named.length > 0 ? named : CASES) {
      const size = { shape: each.shape, loads: loads * each.loadsTimes, rowsPerLoad };
      const line = `${each.name}, ${rowsPerLoadOf(size)} per load`;
      const found: RunFound[] = [];
      for (let run = 1; run <= runs; run += 1) {
        tell(`cost: ${line}, ${rowsOf(size)} rows, run ${run} of ${runs}`);
        found.push(await countOnce({ ...size, asMessages: each.asMessages, folder, bridge, upstream }));
      }
      results.push({ line, rows: rowsOf(size), ...leanest(found, rowsOf(size)) });
    }
    return results;
  } finally {
    upstream.stop();
  }
}

type RunFound = Omit<CostResult, 'line' | 'rows' | 'rowsWritten'>;

function leanest(runs: readonly RunFound[], rows: number): Omit<CostResult, 'line' | 'rows'> {
  const written = runs.map(({ counts }) => rowsWrittenBy(counts.objects) / rows);
  const [least] = runs.filter((_, at) => written[at] === Math.min(...written)) as [RunFound];
  return { ...least, rowsWritten: written };
}

interface RunWanted {
  shape: Shape;
  loads: number;
  rowsPerLoad: number;
  asMessages: boolean;
  folder: string;
  bridge: PreparedBridge;
  upstream: Upstream;
}

/** Of what is delivered first, so that no table, token or batch of the day is new any more. */
const SMALL_LOADS = 5;

function countOnce(wanted: RunWanted): Promise<RunFound> {
  const { bridge, upstream, loads } = wanted;
  return withBridge(
    { bridge, store: COUNTED_STORE, upstreamUrl: upstream.baseUrl, isCounted: true },
    async (running) => {
      const { baseUrl, persistTo } = running;
      await deliver(baseUrl, wanted, 'WU', SMALL_LOADS);
      await fetch(baseUrl + COUNTS_PATH, { method: 'DELETE' });
      const { counts, requests } = await deliver(baseUrl, wanted, 'LD', loads);
      await running.kill();
      const files = objectFiles(persistTo, 'Batch');
      const batches = files.map(databaseBytes);
      const largest = files[batches.indexOf(Math.max(...batches))] ?? '';
      return {
        counts,
        upstreamRequests: requests,
        loadBytes: median(objectFiles(persistTo, 'Load').map(databaseBytes)),
        batchBytesPerRow: Math.max(...batches) / rowsOf({ ...wanted, loads }),
        toldDollars: toldDollarsIn(largest, wanted.asMessages),
      };
    },
  );
}

/** @returns what was counted until nothing more happened, and how many requests the upstream had. */
async function deliver(baseUrl: string, wanted: RunWanted, prefix: string, loads: number) {
  const { shape, rowsPerLoad, asMessages, folder, bridge, upstream } = wanted;
  const file = { shape, rowsPerLoad, loads, prefix };
  const rows = rowsOf(file);
  await upstream.expect({ rows, delayMs: 0 });
  const text = fileText(file);
  let batchId: string | undefined;
  if (asMessages) await sendMessages(baseUrl, bridge.key, shape, text);
  else {
    const path = join(folder, 'costed');
    writeFileSync(path, text);
    batchId = await uploadFile(baseUrl, bridge.key, shape, path);
  }
  const counts = await countsOnceQuiet(baseUrl, upstream, rows);
  if (batchId !== undefined) {
    const { state, rowStates } = await batchOf(baseUrl, bridge.key, batchId);
    if (state !== 'settled' || rowStates.delivered !== rows)
      throw new Error(`a batch that is quiet is not delivered: ${state}, ${JSON.stringify(rowStates)}`);
  }
  const { requests } = await upstream.arrived();
  return { counts, requests };
}

async function sendMessages(baseUrl: string, key: string, shape: Shape, text: string): Promise<void> {
  const [head, ...rows] = text.trimEnd().split('\n');
  for (const row of rows) {
    const answer = await fetch(`${baseUrl}/v1/messages?mapping=${MAPPING_OF[shape]}&scac=DEMO`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: `${head}\n${row}\n`,
    });
    const receipt = await answer.text();
    if (answer.status !== 202) throw new Error(`the message was answered ${answer.status}: ${receipt}`);
  }
}

const LOOK_MS = 250;
/** Longer than anything waits that is still to be stored or reported. */
const QUIET_MS = 2_500;
const DELIVERY_MS_MAX = 10 * 60_000;

async function countsOnceQuiet(baseUrl: string, upstream: Upstream, rows: number): Promise<Counts> {
  const untilMs = performance.now() + DELIVERY_MS_MAX;
  for (let before = '', sinceMs = 0; performance.now() < untilMs; await delay(LOOK_MS)) {
    const [arrived, counts] = [await upstream.arrived(), await countsOf(baseUrl)];
    const now = JSON.stringify([arrived, counts]);
    if (now !== before) [before, sinceMs] = [now, performance.now()];
    else if (arrived.missing === 0 && performance.now() - sinceMs > QUIET_MS) {
      if (arrived.twice > 0 || arrived.strange > 0) throw new Error(`not every row arrived once: ${now}`);
      return counts;
    }
  }
  throw new Error(`${rows} rows are not delivered after ${DELIVERY_MS_MAX} ms`);
}

/** What its values say, without those of the last moment: they are told, and not stored any more. */
function toldDollarsIn(path: string, asMessages: boolean): number {
  const database = new DatabaseSync(path);
  try {
    const { json } = database.prepare(`SELECT json FROM kept WHERE name = 'state'`).get() as { json: string };
    const { usage, counts } = JSON.parse(json) as { usage: Usage; counts: { tally: Tally } };
    const rows = total(counts.tally.records);
    return (costOf(usage, asMessages ? rows : 1).dollars / rows) * 1e6;
  } finally {
    database.close();
  }
}

function databaseBytes(path: string): number {
  const database = new DatabaseSync(path);
  try {
    const one = (pragma: string): number =>
      Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] as number;
    return one('page_count') * one('page_size');
  } finally {
    database.close();
  }
}
