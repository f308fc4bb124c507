/**
 * The most memory that reading a file takes, for a file of 10 MB and for the largest upload: the bridge in the real
 * runtime, as a dry run (mapped and reported, nothing sent), and the `map` command. A fresh process for every figure.
 *
 * A runtime that has done nothing yet holds less than one at work, whatever the file: the bridge reads small files first,
 * and what it held until then does not count.
 */
import { spawn } from 'node:child_process';
import { openAsBlob, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { channelName } from '../local/bridge.ts';
import { type Stack, startStack } from '../local/stack.ts';
import { type FileKind, MAPPING_OF } from './generate.ts';
import { descendantsOf, forgetPeakOf, peakBytesIn, peakBytesOf, programOf } from './processes.ts';

/** What is measured: `bridge` is the runtime's process, with local stand-ins for the stores beside the Worker in it. */
export const SUBJECTS = ['bridge', 'map'] as const;
export type MemorySubject = (typeof SUBJECTS)[number];

/** @param small a small file of the same kind. @returns bytes. Throws when a file was not mapped to its end. */
export const peakBytes = (subject: MemorySubject, kind: FileKind, path: string, small: string): Promise<number> =>
  subject === 'bridge' ? bridgePeakBytes(kind, path, small) : mapPeakBytes(kind, path);

/** Small files read before memory is counted. */
const WARM_UP_FILES = 3;
const POLL_MS = 200;
/** The largest upload takes a quarter of a minute on two cores. */
const READING_MS_MAX = 10 * 60_000;

async function bridgePeakBytes(kind: FileKind, path: string, small: string): Promise<number> {
  const partner = { partner: 'bench', displayName: 'Bench', environment: 'test' as const, mappings: null };
  const stack = await startStack({
    partners: [{ ...partner, channel: channelName('test', 'key+bearer'), scacs: ['DEMO'] }],
  });
  try {
    for (let file = 0; file < WARM_UP_FILES; file += 1) await dryRun(stack, kind, small);
    // Of the runtime's processes the largest runs the Worker; another one is the development proxy.
    const runtimes = descendantsOf(stack.bridge.pid).filter((pid) => programOf(pid) === 'workerd');
    for (const pid of runtimes) forgetPeakOf(pid);
    await dryRun(stack, kind, path);
    const peaks = runtimes.map((pid) => peakBytesOf(pid) ?? 0);
    if (peaks.length === 0) throw new Error('the bridge has no process of the runtime');
    return Math.max(...peaks);
  } finally {
    await stack.stop();
  }
}

async function dryRun(stack: Stack, kind: FileKind, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${stack.keys[0]}` };
  const address = `${stack.bridge.baseUrl}/v1/batches`;
  const query = `mapping=${MAPPING_OF[kind]}&scac=DEMO&dryRun=true`;
  const upload = await fetch(`${address}?${query}`, { method: 'PUT', headers, body: await openAsBlob(path) });
  if (!upload.ok) throw new Error(await upload.text());
  const { batchId } = (await upload.json()) as { batchId: string };
  const untilMs = Date.now() + READING_MS_MAX;
  for (;;) {
    const answer = await fetch(`${address}/${batchId}`, { headers });
    const summary = (await answer.json()) as BatchSummary;
    if (summary.state === 'settled' || summary.state === 'unreadable' || Date.now() > untilMs) return checkRun(summary);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

function checkRun(summary: BatchSummary): void {
  const { valid = 0, invalid = 0 } = summary.rowStates;
  if (summary.state !== 'settled' || valid === 0 || valid + invalid !== summary.rows) {
    throw new Error(`the dry run ended as ${JSON.stringify(summary)}`);
  }
}

/** What the command prints is thrown away by the system: only the command's own memory counts. */
async function mapPeakBytes(kind: FileKind, path: string): Promise<number> {
  const scripts = join(PROJECT_ROOT, 'scripts');
  const args = [...mapFlags(), '--import', join(scripts, 'bench/peak-at-exit.ts'), join(scripts, 'transload.ts')];
  args.push('map', MAPPING_OF[kind], path);
  return peakOfProcess(args, 1); // some records are wrong
}

/** @param args of Node, `peak-at-exit.ts` among its imports. @param wanted the exit code of a run that did what it should. */
export async function peakOfProcess(args: readonly string[], wanted: number): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const status = await text(child.stdio[3] as Readable);
  const code = await ended;
  const peak = peakBytesIn(status);
  if (code !== wanted || peak === undefined) throw new Error(`${args.join(' ')} ended with ${code}`);
  return peak;
}

/** The flags that `npm run map` gives to Node: a small young generation, so that garbage does not grow with the file. */
export function mapFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    scripts: { map: string };
  };
  return scripts.map.split(' ').filter((word) => word.startsWith('--'));
}
