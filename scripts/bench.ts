/**
 * Measures what a change could spoil, and holds it to a bound: how fast files become request bodies next to what a user
 * would write with csv-parse and JSONata, how fast interchanges become events next to node-x12, x12-parser and edifact, and
 * how much memory a file takes however large it is.
 *
 *   npm run bench [-- --part transform] [--part edi] [--part memory] [--rows 20000] [--megabytes 50] [--rounds 5] [--repeats 3] [--seed 1] [--json FILE]
 *
 * Only ratios and differences within one run are compared, never a figure with one of another day or machine.
 * Exit: 0 every bound holds, 1 one does not, 2 could not run.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UPLOAD_BYTES_MAX } from '../src/kernel/limits.ts';
import {
  type Check,
  checkEdi,
  checkEdiMemory,
  checkMemory,
  checkTable,
  checkTransform,
  type EdiMemory,
  ediTable,
  type MemoryResult,
  memoryTable,
  transformTable,
} from './bench/check.ts';
import { compareEdi, type EdiResult } from './bench/edi.ts';
import { type EdiKind, writeEdiFile } from './bench/edi-files.ts';
import { ediPeakBytes } from './bench/edi-memory.ts';
import { type FileKind, writeFile } from './bench/generate.ts';
import { type MemorySubject, peakBytes, SUBJECTS } from './bench/memory.ts';
import { hasProcessFiles } from './bench/processes.ts';
import { compareTransforms, median, type TransformResult } from './bench/transform.ts';

const PARTS = ['transform', 'edi', 'memory'] as const;
type Part = (typeof PARTS)[number];
const KINDS: readonly FileKind[] = ['csv', 'json'];
const SMALL_BYTES_MAX = 10 * 1024 * 1024;
const EDI_KINDS: readonly EdiKind[] = ['x12', 'edifact'];
const MEGABYTE = 1024 * 1024;
/** From how much to how much, in megabytes, an interchange grows whose memory does not; less where a smaller run is wanted. */
const EDI_SMALL_MEGABYTES = 5;
const EDI_LARGE_TIMES = 4;

const EXIT_HOLDS = 0;
const EXIT_FAILS = 1;
const EXIT_NOT_RUN = 2;

/** The reason why nothing can be measured, for a person. */
class NotRun extends Error {}

interface Wanted {
  parts: readonly Part[];
  rows: number;
  /** Of each interchange that is compared; the largest whose memory is measured has four times as many. */
  megabytes: number;
  rounds: number;
  repeats: number;
  seed: number;
  json: string | undefined;
}

function readArguments(args: string[]): Wanted {
  const { values } = parseArgs({
    args,
    options: {
      part: { type: 'string', multiple: true, default: [...PARTS] },
      rows: { type: 'string', default: '20000' },
      megabytes: { type: 'string', default: '50' },
      rounds: { type: 'string', default: '5' },
      repeats: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
    },
  });
  const unknown = values.part.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new NotRun(`There is no part "${unknown}". There are: ${PARTS.join(', ')}.`);
  const number = (name: 'rows' | 'megabytes' | 'rounds' | 'repeats' | 'seed'): number => {
    if (!/^[1-9]\d{0,8}$/.test(values[name])) throw new NotRun(`--${name} takes a whole number of 1 or more.`);
    return Number(values[name]);
  };
  const parts = PARTS.filter((part) => values.part.includes(part));
  const [rows, rounds, repeats, seed] = [number('rows'), number('rounds'), number('repeats'), number('seed')];
  return { parts, rows, megabytes: number('megabytes'), rounds, repeats, seed, json: values.json };
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
/** What is going on, for a person who waits. */
const tell = (text: string): boolean => process.stderr.write(`  ${text}\n`);

async function runTransform(wanted: Wanted): Promise<TransformResult[]> {
  const results: TransformResult[] = [];
  for (const kind of KINDS) {
    tell(`transform: ${kind}, ${wanted.rounds} rounds`);
    results.push(await compareTransforms(kind, wanted));
  }
  return results;
}

async function runEdi({ megabytes, rounds, seed }: Wanted): Promise<{ edi: EdiResult[]; ediMemory: EdiMemory[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-bench-'));
  const edi: EdiResult[] = [];
  const ediMemory: EdiMemory[] = [];
  try {
    for (const kind of EDI_KINDS) {
      tell(`edi: ${kind}, ${megabytes} MB, ${rounds} rounds`);
      edi.push(...(await compareEdi(kind, { megabytes, rounds, seed, folder })));
      if (!hasProcessFiles()) continue;
      tell(`edi: memory of ${kind}`);
      const path = join(folder, `memory.${kind}`);
      const peakOf = async (size: number) => {
        await writeEdiFile(path, kind, size * MEGABYTE, seed);
        return { bytes: statSync(path).size, peakBytes: await ediPeakBytes(kind, path) };
      };
      const small = await peakOf(Math.min(EDI_SMALL_MEGABYTES, megabytes));
      ediMemory.push({ kind, small, large: await peakOf(EDI_LARGE_TIMES * megabytes) });
    }
    return { edi, ediMemory };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runMemory({ seed, repeats }: Wanted): Promise<MemoryResult[]> {
  if (!hasProcessFiles()) throw new NotRun('Memory is read from /proc, which only Linux has. Use --part transform.');
  const folder = mkdtempSync(join(tmpdir(), 'transload-bench-'));
  try {
    const results: MemoryResult[] = [];
    for (const kind of KINDS) {
      const small = join(folder, `small.${kind}`);
      const large = join(folder, `large.${kind}`);
      await writeFile(small, kind, { bytesMax: SMALL_BYTES_MAX }, seed);
      await writeFile(large, kind, { bytesMax: UPLOAD_BYTES_MAX }, seed);
      const measure = (subject: MemorySubject, path: string) => medianPeak({ subject, kind, path, small, repeats });
      for (const subject of SUBJECTS) {
        results.push({ subject, kind, small: await measure(subject, small), large: await measure(subject, large) });
      }
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface PeakAsked {
  subject: MemorySubject;
  kind: FileKind;
  path: string;
  /** A small file of that kind. */
  small: string;
  repeats: number;
}

/** When garbage is collected depends on what else the machine does, so the middle one of several fresh processes counts. */
async function medianPeak({ subject, kind, path, small, repeats }: PeakAsked) {
  const { size: bytes } = statSync(path);
  const peaks: number[] = [];
  for (let run = 1; run <= repeats; run++) {
    tell(`memory: ${subject}, ${kind}, ${bytes} bytes, run ${run} of ${repeats}`);
    peaks.push(await peakBytes(subject, kind, path, small));
  }
  return { bytes, peakBytes: median(peaks) };
}

async function run(wanted: Wanted): Promise<number> {
  const transform = wanted.parts.includes('transform') ? await runTransform(wanted) : [];
  const { edi, ediMemory } = wanted.parts.includes('edi') ? await runEdi(wanted) : { edi: [], ediMemory: [] };
  const memory = wanted.parts.includes('memory') ? await runMemory(wanted) : [];
  const checks: Check[] = [
    ...transform.map(checkTransform),
    ...edi.flatMap(checkEdi),
    ...ediMemory.map(checkEdiMemory),
    ...memory.map(checkMemory),
  ];
  if (transform.length > 0) say(`\nFrom bytes to request bodies, processor time\n\n${transformTable(transform)}`);
  if (edi.length > 0) say(`\nFrom interchanges to events, processor time\n\n${ediTable(edi)}`);
  if (memory.length > 0) say(`\nMost memory held while a file is read, resident\n\n${memoryTable(memory)}`);
  say(`\n${checkTable(checks)}`);
  if (wanted.json !== undefined) {
    const { rows, megabytes, rounds, repeats, seed } = wanted;
    const settings = { rows, megabytes, rounds, repeats, seed };
    writeFileSync(wanted.json, `${JSON.stringify({ settings, transform, edi, ediMemory, memory, checks }, null, 2)}\n`);
  }
  return checks.every(({ holds }) => holds) ? EXIT_HOLDS : EXIT_FAILS;
}

try {
  process.exitCode = await run(readArguments(process.argv.slice(2)));
} catch (error) {
  const isArgument = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  const isPlain = error instanceof NotRun || isArgument;
  process.stderr.write(`${isPlain ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = EXIT_NOT_RUN;
}
