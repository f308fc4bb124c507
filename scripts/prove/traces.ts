/** Positions through sandbox and bridge as processes: as one file, or as a file an hour while the clock runs. */
import { parse } from 'csv-parse/sync';
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { TRACE_WINDOW_MS } from '../../src/kernel/limits.ts';
import { requestKey } from '../../src/kernel/names.ts';
import { dice } from '../frame/dice.ts';
import { type Arrival, seenAt, sendingsOf } from '../invariants/evidence.ts';
import { type ReportLine, type TracedBatch, traceViolations, type UploadedPoint } from '../invariants/traces.ts';
import { type HarnessClient, isSettled, pause } from '../local/client.ts';
import { withStack } from '../local/stack.ts';
import { storedSubjects } from '../local/stored-objects.ts';
import { fileOf, type Ping, pingsOf } from './day.ts';
import { PROVE, type Proof } from './proof.ts';

/** @property files one at once, or each hour's when that hour has passed on the scaled clock. */
interface TraceUpload {
  name: string;
  loads: number;
  hours: number;
  files: 'one' | 'hourly';
}

/** One stack; its uploads follow each other. */
interface TracePlan {
  uploads: readonly TraceUpload[];
  timeScale: number;
  seed: number;
}

interface UploadedFile {
  batchId: string;
  pings: Ping[];
}

interface Ended {
  upload: TraceUpload;
  files: UploadedFile[];
  summaries: BatchSummary[];
  /** From the first byte to the last outcome. */
  tookMs: number;
}

const HOUR_MINUTES = 60;
const HOUR_MS = 3_600_000;
const SETTLE_MS_MAX = 300_000;

export const proveTraces = ({ uploads, timeScale, seed }: TracePlan): Promise<Proof> =>
  withStack({ ...PROVE, timeScale }, async (stack, client) => {
    const random = dice(seed);
    const ended: Ended[] = [];
    for (const upload of uploads) ended.push(await run(upload, client, { timeScale, random }));
    const batches: TracedBatch[] = [];
    for (const { files, summaries } of ended) {
      for (const summary of summaries) {
        const lines = parse(await client.report(summary.batchId), { columns: true }) as ReportLine[];
        const uploaded = files.filter(({ batchId }) => batchId === summary.batchId).flatMap(points);
        batches.push({ summary, lines, uploaded });
      }
    }
    await stack.bridge.stop(); // its files are read next
    const seen = seenAt(await stack.journal(), 'trace');
    const loads = storedSubjects(stack.persistTo, 'Load').map(sendingsOf);
    const windowMs = TRACE_WINDOW_MS / timeScale;
    const atScale = `timeScale ${timeScale} (15 minutes = ${windowMs} ms), seed ${seed}`;
    return {
      figures: ended.map((each) => `${figuresOf(each, seen)} at ${atScale}`),
      violations: traceViolations({ seen, loads, batches, windowMs }),
    };
  });

async function run(
  upload: TraceUpload,
  client: HarnessClient,
  { timeScale, random }: { timeScale: number; random: () => number },
): Promise<Ended> {
  const { name, loads, hours } = upload;
  const startMs = Date.now();
  const files: UploadedFile[] = [];
  const put = async (fromMinute: number, minutes: number): Promise<void> => {
    const pings = pingsOf({ name, loads, fromMinute, minutes }, random);
    files.push({ batchId: await client.put(fileOf(pings), 'gps-pings-ndjson'), pings });
  };
  if (upload.files === 'one') await put(0, hours * HOUR_MINUTES);
  else {
    for (let hour = 0; hour < hours; hour += 1) {
      await pause(startMs + ((hour + 1) * HOUR_MS) / timeScale - Date.now());
      await put(hour * HOUR_MINUTES, HOUR_MINUTES);
    }
  }
  const ids = files.map(({ batchId }) => batchId);
  const summaries = await client.drain(ids, isSettled, SETTLE_MS_MAX);
  return { upload, files, summaries, tookMs: Date.now() - startMs };
}

const points = ({ batchId, pings }: UploadedFile): UploadedPoint[] =>
  pings.map(({ load, arrives }, index) => ({ key: requestKey(batchId, index + 1, 1), load, point: arrives }));

function figuresOf({ upload, files, tookMs }: Ended, seen: readonly Arrival[]): string {
  const { name, loads, hours } = upload;
  const requests = seen.filter(({ body }) => body.startsWith(`{"loadNumber":"${name}-`)).length;
  const sent = files.reduce((sum, { pings }) => sum + pings.length, 0);
  const form = upload.files === 'one' ? 'one file' : `${hours} hourly files`;
  return `traces in ${form}: ${hours} hours of ${loads} loads, ${sent} points in ${requests} requests, ${(tookMs / 1_000).toFixed(1)} s`;
}
