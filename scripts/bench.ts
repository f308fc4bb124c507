/**
 * Measures what a change could spoil, and holds it to a bound: how fast files become request bodies next to what a user
 * would write with csv-parse and JSONata, how fast interchanges become events next to node-x12, x12-parser and edifact, how
 * fast a file is delivered next to a naive script, what a delivered row costs, what others feel meanwhile, how long the pages of
 * a large batch take, and how much memory a file takes however large.
 *
 *   npm run bench [-- --part transform] [--part edi] [--part memory] [--part delivery] [--part cost]
 *                 [--part steady] [--part pages] [--rounds 5] [--json FILE] [--rows 5000] [--megabytes 50] [--repeats 3] [--seed 1]
 *                 [--loads 1000] [--rows-per-load 20] [--line "milestones, 20 per load, memory"] [--files 10] [--gzip]
 *   npm run bench -- --quick [--renew]   small, in minutes; held to what is stored in scripts/bench/floors.json, or stored there
 *   npm run bench -- --against REVISION [--floor 0.95]   that commit and this checkout in turn; above 1 the new one is faster
 *
 * Only ratios and differences within one run are compared, never a figure with one of another day or machine.
 * Exit: 0 every bound holds, 1 one does not, 2 could not run.
 */
import { statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UPLOAD_BYTES_MAX } from '../src/kernel/limits.ts';
import { againstTable, checkRatio, compareCheckouts, ediLines, transformLines } from './bench/against.ts';
import { readArguments, type Wanted } from './bench/arguments.ts';
import {
  type Check,
  checkEdiMemory,
  checkMemory,
  checkTable,
  type EdiMemory,
  ediTable,
  type MemoryResult,
  memoryTable,
  transformTable,
} from './bench/check.ts';
import { type CostResult, countCosts } from './bench/cost/cases.ts';
import { ASSUMED_ANSWER_SECONDS } from './bench/cost/price.ts';
import { costTable, priceTable, rowsTable } from './bench/cost/table.ts';
import { compareDeliveries, type DeliveryResult, Incomparable, linesOf } from './bench/delivery/compare.ts';
import { checkDelivery, deliveryCostTable, deliveryTable } from './bench/delivery/table.ts';
import { compareEdi, type EdiResult, type EdiWanted, ediSizes } from './bench/edi.ts';
import { type EdiKind, writeEdiFile } from './bench/edi-files.ts';
import { ediPeakBytes } from './bench/edi-memory.ts';
import { ALL_PATHS } from './bench/edi-ours.ts';
import { floorChecks, isBelow, type Measured, readFloors, renewed, writeFloors } from './bench/floors.ts';
import { temporaryFolder } from './bench/folders.ts';
import { type FileKind, writeFile } from './bench/generate.ts';
import { type MemorySubject, peakBytes, SUBJECTS } from './bench/memory.ts';
import { measurePages } from './bench/pages/pages.ts';
import { checkPages, pagesTable } from './bench/pages/table.ts';
import { hasProcessFiles } from './bench/processes.ts';
import { median } from './bench/spread.ts';
import { measureSteadiness, type SteadyResult } from './bench/steady/steady.ts';
import { checkSteady, steadyTable } from './bench/steady/table.ts';
import { megabytes } from './bench/table.ts';
import { compareTransforms, type TransformResult } from './bench/transform.ts';
import { EXIT, isArgumentError, NotRun, say } from './frame/command.ts';
import { checkOut, removeCheckout } from './local/checkout.ts';

const ROOT = resolve(import.meta.dirname, '..');
const KINDS: readonly FileKind[] = ['csv', 'json'];
const SMALL_BYTES_MAX = 10 * 1024 * 1024;
const EDI_KINDS: readonly EdiKind[] = ['x12', 'edifact'];
const MEGABYTE = 1024 * 1024;
/** From how much to how much, in megabytes, an interchange grows whose memory does not; less where a smaller run is wanted. */
const EDI_SMALL_MEGABYTES = 5;
const EDI_LARGE_TIMES = 4;

/** Of each case that is counted. */
const COST_RUNS = 2;

/** What is going on, for a person who waits. */
const tell = (text: string): boolean => process.stderr.write(`  ${text}\n`);

/** One round with a slow process says nothing: of a line below its floor, so many decide. */
const DECIDING_ROUNDS = 3;
const isUnsure = (line: string, ratio: number, rounds: number): boolean =>
  rounds < DECIDING_ROUNDS && isBelow(readFloors(), line, ratio);

const transformLine = ({ kind, rows }: TransformResult): string => `transform, ${kind}, ${rows} rows`;
const ediLine = ({ kind, bytes, rival }: EdiResult): string => `edi, ${kind}, ${megabytes(bytes)}, ${rival}`;

async function runTransform(wanted: Wanted): Promise<TransformResult[]> {
  const folder = temporaryFolder();
  const measure = (kind: FileKind, rounds: number): Promise<TransformResult> => {
    tell(`transform: ${kind}, ${rounds} rounds`);
    return compareTransforms(kind, { ...wanted, rounds, folder });
  };
  const results: TransformResult[] = [];
  for (const kind of KINDS) {
    const result = await measure(kind, wanted.rounds);
    const decides = !isUnsure(transformLine(result), result.ratio, wanted.rounds);
    results.push(decides ? result : await measure(kind, DECIDING_ROUNDS));
  }
  return results;
}

async function runEdi({
  megabytes,
  rounds,
  seed,
  rivals,
}: Wanted): Promise<{ edi: EdiResult[]; ediMemory: EdiMemory[] }> {
  const folder = temporaryFolder();
  const edi: EdiResult[] = [];
  const ediMemory: EdiMemory[] = [];
  for (const kind of EDI_KINDS) {
    for (const size of ediSizes(megabytes)) {
      edi.push(...(await measureEdi(kind, { megabytes: size, rounds, seed, rivals, folder })));
    }
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
}

async function measureEdi(kind: EdiKind, wanted: EdiWanted): Promise<EdiResult[]> {
  const measure = (asked: EdiWanted): Promise<EdiResult[]> => {
    tell(`edi: ${kind}, ${asked.megabytes} MB, ${asked.rounds} rounds`);
    return compareEdi(kind, asked);
  };
  const results = await measure(wanted);
  const unsure = results.filter((result) => isUnsure(ediLine(result), result.ratio, wanted.rounds));
  if (unsure.length === 0) return results;
  const rivals = unsure.map(({ rival }) => rival);
  const decided = await measure({ ...wanted, rounds: DECIDING_ROUNDS, rivals });
  return [...results.filter(({ rival }) => !rivals.includes(rival)), ...decided];
}

async function runMemory({ seed, repeats }: Wanted): Promise<MemoryResult[]> {
  if (!hasProcessFiles()) throw new NotRun('Memory is read from /proc, which only Linux has. Use --part transform.');
  const folder = temporaryFolder();
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

async function runDelivery(wanted: Wanted, against?: string): Promise<DeliveryResult[]> {
  const lines = linesOf(wanted, wanted.lines);
  const names = linesOf(wanted).map(({ name }) => name);
  if (lines.length === 0) throw new NotRun(`No delivery has such a name. There are:\n${names.join('\n')}`);
  if (!hasProcessFiles()) throw new NotRun('Processor time is read from /proc, which only Linux has. Use --part edi.');
  return compareDeliveries({ ...wanted, loads: wanted.loads.delivery, lines, root: ROOT, against, tell });
}

const runCost = ({ loads, rowsPerLoad, lines }: Wanted): Promise<CostResult[]> =>
  countCosts({ root: ROOT, loads: loads.cost, rowsPerLoad, runs: COST_RUNS, lines, tell });

async function runSteady({ loads, rowsPerLoad, files, isGzip, lines }: Wanted): Promise<SteadyResult[]> {
  if (!hasProcessFiles()) throw new NotRun('Memory is read from /proc, which only Linux has. Use --part edi.');
  return measureSteadiness({ root: ROOT, loads: loads.steady, rowsPerLoad, files, isGzip, lines, tell });
}

function saySteadiness(results: readonly SteadyResult[]): void {
  if (results.length > 0) say(`\nWhat others feel while a large file is worked\n\n${steadyTable(results)}`);
}

function sayCosts(results: readonly CostResult[]): void {
  if (results.length === 0) return;
  say(`\nWhat a row costs: asked of all objects, and what stays\n\n${costTable(results)}`);
  say(`\nAt list price, with ${ASSUMED_ANSWER_SECONDS} s for an answer of the upstream\n\n${priceTable(results)}`);
  for (const result of results) say(`\n${rowsTable(result)}`);
}

function sayDeliveries(results: readonly DeliveryResult[]): void {
  if (results.length === 0) return;
  say(`\nFrom an upload to its last answer\n\n${deliveryTable(results)}`);
  say(
    `\nWhat that takes: processor time, statements and rows of the objects' databases\n\n${deliveryCostTable(results)}`,
  );
}

/** @param results for a machine. */
function conclude({ json, ...settings }: Wanted, checks: readonly Check[], results: object): number {
  say(`\n${checkTable(checks)}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ settings, ...results, checks }, null, 2)}\n`);
  return checks.every(({ holds }) => holds) ? EXIT.done : EXIT.found;
}

interface Figures {
  transform: readonly TransformResult[];
  edi: readonly EdiResult[];
  delivery: readonly DeliveryResult[];
  cost: readonly CostResult[];
}

/** Under names that say what was measured, with its size: a ratio of another size is another ratio. */
function measuredIn({ transform, edi, delivery, cost }: Figures): Measured {
  return {
    ratios: Object.fromEntries([
      ...transform.map((result) => [transformLine(result), result.ratio]),
      ...edi.filter(({ rival }) => rival !== ALL_PATHS).map((result) => [ediLine(result), result.ratio]),
      ...delivery.flatMap(({ line, rows, ratio, cpuRatio }) => [
        [`delivery, ${line}, ${rows} rows`, ratio.median],
        [`delivery, ${line}, ${rows} rows, CPU`, cpuRatio.median],
      ]),
    ]),
    rowsWritten: Object.fromEntries(
      cost.map(({ line, rows, rowsWritten }) => [`rows written, ${line}, ${rows} rows`, rowsWritten]),
    ),
  };
}

async function runHere(wanted: Wanted): Promise<number> {
  const transform = wanted.parts.includes('transform') ? await runTransform(wanted) : [];
  const { edi, ediMemory } = wanted.parts.includes('edi') ? await runEdi(wanted) : { edi: [], ediMemory: [] };
  const memory = wanted.parts.includes('memory') ? await runMemory(wanted) : [];
  const delivery = wanted.parts.includes('delivery') ? await runDelivery(wanted) : [];
  const cost = wanted.parts.includes('cost') ? await runCost(wanted) : [];
  const steady = wanted.parts.includes('steady') ? await runSteady(wanted) : [];
  const pages = wanted.parts.includes('pages') ? await measurePages({ root: ROOT, ...wanted.pages, tell }) : undefined;
  const measured = measuredIn({ transform, edi, delivery, cost });
  const floors = wanted.isRenewed ? renewed(readFloors(), measured) : readFloors();
  if (wanted.isRenewed) writeFloors(floors);
  const checks: Check[] = [
    ...floorChecks(measured, floors),
    ...ediMemory.map(checkEdiMemory),
    ...memory.map(checkMemory),
    ...delivery.map(checkDelivery),
    ...steady.map(checkSteady),
    ...(pages === undefined ? [] : checkPages(pages)),
  ];
  if (transform.length > 0) say(`\nFrom bytes to request bodies, processor time\n\n${transformTable(transform)}`);
  if (edi.length > 0) say(`\nFrom interchanges to events, processor time\n\n${ediTable(edi)}`);
  if (memory.length > 0) say(`\nMost memory held while a file is read, resident\n\n${memoryTable(memory)}`);
  sayDeliveries(delivery);
  sayCosts(cost);
  saySteadiness(steady);
  if (pages !== undefined) say(`\nPages of a batch by its rows, median times\n\n${pagesTable(pages)}`);
  return conclude(wanted, checks, { transform, edi, ediMemory, memory, delivery, cost, steady, pages });
}

async function runAgainst(wanted: Wanted, revision: string): Promise<number> {
  const old = join(temporaryFolder(), 'old');
  process.once('exit', () => removeCheckout(old));
  checkOut(revision, old);
  const { parts, rounds, floor } = wanted;
  const lines = [
    ...(parts.includes('transform') ? transformLines(wanted) : []),
    ...(parts.includes('edi') ? ediLines(wanted) : []),
  ];
  const readings = await compareCheckouts({ lines, rounds, old, root: ROOT, tell });
  const delivery = parts.includes('delivery') ? await runDelivery(wanted, old).catch(sayIncomparable) : [];
  const compared = readings.flatMap((result) => ('incomparable' in result ? [] : [result]));
  const checks = [
    ...[...compared, ...delivery].map(({ line, ratio }) => checkRatio(line, ratio, floor)),
    ...delivery.map(checkDelivery),
  ];
  if (readings.length > 0)
    say(`\nReadings of ${revision} and of this checkout, processor time\n\n${againstTable(readings)}`);
  sayDeliveries(delivery);
  if (checks.length === 0) throw new NotRun(`Nothing of ${revision} can be compared.`);
  return conclude(wanted, checks, { readings, delivery });
}

function sayIncomparable(thrown: unknown): [] {
  if (!(thrown instanceof Incomparable)) throw thrown;
  say(`\nDeliveries cannot be compared: ${thrown.message}`);
  return [];
}

/** What runs beside is ended, and what was made is removed, when the process exits. */
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(EXIT.notRun));
try {
  const wanted = readArguments(process.argv.slice(2));
  process.exitCode = await (wanted.against === undefined ? runHere(wanted) : runAgainst(wanted, wanted.against));
} catch (error) {
  const isPlain = error instanceof NotRun || isArgumentError(error);
  process.stderr.write(`${isPlain ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = EXIT.notRun;
}
