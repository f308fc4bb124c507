/**
 * How fast a file is delivered by the bridge: next to a naive script, or next to the bridge of another commit. Both sides run in
 * turn, each in a fresh process on fresh stores; what counts is the ratio within a round.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../folders.ts';
import { median, type Spread, timesFaster } from '../spread.ts';
import { lossOf } from './arrivals.ts';
import {
  COUNTED_STORE,
  countStatements,
  type PreparedBridge,
  prepareBridge,
  runBridge,
  STORES,
  type Store,
} from './bridge.ts';
import type { Counts } from './counters.ts';
import { type FileWanted, fileText, rowsOf, rowsPerLoadOf, SHAPES, type Shape } from './file.ts';
import { runNaive } from './naive.ts';
import { type Upstream, upstreamProcess } from './upstream.ts';

interface DeliveryLine {
  name: string;
  shape: Shape;
  store: Store;
  delayMs: number;
}

interface FileSize {
  loads: number;
  rowsPerLoad: number;
}

const DELAYS_MS = [0, 25] as const;

/** Every file on every store before either upstream, and of these the ones whose name holds one of the texts; all without any. */
export function linesOf({ rowsPerLoad }: Omit<FileSize, 'loads'>, texts: readonly string[] = []): DeliveryLine[] {
  const all = SHAPES.flatMap((shape) =>
    STORES.flatMap((store) =>
      DELAYS_MS.map((delayMs) => {
        const perLoad = rowsPerLoadOf({ shape, rowsPerLoad, loads: 1 });
        const name = `${shape}, ${perLoad} per load, ${store}, ${delayMs} ms`;
        return { name, shape, store, delayMs };
      }),
    ),
  );
  return all.filter(({ name }) => texts.length === 0 || texts.some((text) => name.includes(text)));
}

/** What one of the two did in all rounds. */
export interface DeliverySide {
  name: string;
  /** Of each round: how long it took, and the processor's time. */
  ms: number[];
  cpuMs: number[];
  /** Medians of the rounds. What a script holds in memory is not asked. */
  rowsPerSecond: number;
  cpuMsPerRow: number;
  residentBytes: number | null;
  longestGetMs: number | null;
  /** By class of objects, for all rows of a file of this shape in memory; a script has none. */
  counts: Counts['objects'] | null;
}

export interface DeliveryResult {
  line: string;
  rows: number;
  first: DeliverySide;
  second: DeliverySide;
  /** How many times faster the second side is, and with how many times less of the processor's time. */
  ratio: Spread;
  cpuRatio: Spread;
  /** What did not arrive once, with the side and the round. */
  losses: string[];
}

interface Run {
  ms: number;
  cpuMs: number;
  residentBytes?: number;
  longestGetMs?: number;
  notDelivered?: number;
}

/** What a side is measured with. */
interface RunWanted {
  line: DeliveryLine;
  rows: number;
  smallFile: string;
  file: string;
  upstreamUrl: string;
  begin(): Promise<void>;
}

interface Side {
  name: string;
  run(wanted: RunWanted): Promise<Run>;
  count?(wanted: RunWanted): Promise<Counts['objects']>;
}

const naiveSide: Side = { name: 'naive', run: ({ line, ...wanted }) => runNaive({ ...wanted, shape: line.shape }) };

function bridgeSide(name: string, bridge: PreparedBridge): Side {
  const of = ({ line: { shape, store }, ...wanted }: RunWanted) => ({ ...wanted, bridge, shape, store });
  return { name, run: (wanted) => runBridge(of(wanted)), count: (wanted) => countStatements(of(wanted)) };
}

interface DeliveryWanted extends FileSize {
  rounds: number;
  lines: readonly DeliveryLine[];
  /** This checkout. */
  root: string;
  /** The checkout that it is compared with; without one it is the naive script. */
  against?: string | undefined;
  /** Told what is going on. */
  tell(text: string): void;
}

/** Why another commit's bridge cannot be started here, for a person. */
export class Incomparable extends Error {}

export async function compareDeliveries(wanted: DeliveryWanted): Promise<DeliveryResult[]> {
  const folder = temporaryFolder();
  const sides = await sidesOf(wanted, folder);
  const upstream = await upstreamProcess();
  try {
    const results: DeliveryResult[] = [];
    for (const shape of SHAPES) {
      const ofShape = wanted.lines.filter((line) => line.shape === shape);
      if (ofShape.length > 0)
        results.push(...(await compareShape(ofShape, { ...wanted, shape, folder, upstream, sides })));
    }
    return results;
  } finally {
    upstream.stop();
  }
}

async function sidesOf({ root, against }: DeliveryWanted, folder: string): Promise<readonly [Side, Side]> {
  const here = join(folder, 'new');
  if (against === undefined) return [naiveSide, bridgeSide('Transload', await prepareBridge(root, here))];
  const old = await prepareBridge(against, join(folder, 'old')).catch((thrown: unknown) => {
    throw new Incomparable(thrown instanceof Error ? thrown.message : String(thrown));
  });
  return [bridgeSide('old', old), bridgeSide('new', await prepareBridge(root, here))];
}

/** Of the file that is delivered first, so that nothing is new any more. */
const SMALL_LOADS = 10;
const COUNTED: Omit<DeliveryLine, 'shape'> = { name: 'counted', store: COUNTED_STORE, delayMs: 0 };

interface ShapeWanted extends DeliveryWanted {
  shape: Shape;
  folder: string;
  upstream: Upstream;
  sides: readonly [Side, Side];
}

async function compareShape(lines: readonly DeliveryLine[], wanted: ShapeWanted): Promise<DeliveryResult[]> {
  const { shape, folder, upstream, sides, loads, rowsPerLoad, rounds, tell } = wanted;
  const write = (name: string, file: FileWanted): string => {
    const path = join(folder, name);
    writeFileSync(path, fileText(file));
    return path;
  };
  const smallFile = write('small', { shape, rowsPerLoad, loads: SMALL_LOADS, prefix: 'WU' });
  const file = write('file', { shape, rowsPerLoad, loads, prefix: 'LD' });
  const rows = rowsOf({ shape, rowsPerLoad, loads });
  const runOf = async (line: DeliveryLine): Promise<RunWanted> => {
    await upstream.expect({ rows: 0, delayMs: 0 });
    const begin = () => upstream.expect({ rows, delayMs: line.delayMs });
    return { line, rows, smallFile, file, upstreamUrl: upstream.baseUrl, begin };
  };
  const counts = new Map<Side, Counts['objects']>();
  for (const side of sides) {
    if (side.count === undefined) continue;
    tell(`delivery: ${shape}, statements of ${side.name}`);
    counts.set(side, await side.count(await runOf({ ...COUNTED, shape })));
  }
  const results: DeliveryResult[] = [];
  for (const line of lines) {
    const runs = new Map<Side, Run[]>(sides.map((side) => [side, []]));
    const losses: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of sides) {
        tell(`delivery: ${line.name}, ${rows} rows, ${side.name}, round ${round} of ${rounds}`);
        const run = await side.run(await runOf(line));
        runs.get(side)?.push(run);
        const loss = lossOf({ ...(await upstream.arrived()), notDelivered: run.notDelivered ?? 0 });
        if (loss !== undefined) losses.push(`${side.name}, round ${round}: ${loss}`);
      }
    }
    const [first, second] = sides.map((side) =>
      sideOf(side.name, rows, runs.get(side) ?? [], counts.get(side) ?? null),
    ) as [DeliverySide, DeliverySide];
    results.push({
      line: line.name,
      rows,
      first,
      second,
      ratio: timesFaster(first.ms, second.ms),
      cpuRatio: timesFaster(first.cpuMs, second.cpuMs),
      losses,
    });
  }
  return results;
}

function sideOf(name: string, rows: number, runs: readonly Run[], counts: DeliverySide['counts']): DeliverySide {
  const medianOf = (values: readonly (number | undefined)[]): number | null => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? null : median(known);
  };
  const ms = runs.map((run) => run.ms);
  const cpuMs = runs.map((run) => run.cpuMs);
  return {
    name,
    ms,
    cpuMs,
    rowsPerSecond: (rows / median(ms)) * 1_000,
    cpuMsPerRow: median(cpuMs) / rows,
    residentBytes: medianOf(runs.map(({ residentBytes }) => residentBytes)),
    longestGetMs: medianOf(runs.map(({ longestGetMs }) => longestGetMs)),
    counts,
  };
}
