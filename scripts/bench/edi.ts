/**
 * From the bytes of an interchange to its events: our reader, and the packages that a user would take instead. Each reads the
 * same file in a process of its own, in turn; what counts is the ratio of turns side by side.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type EdiKind, writeEdiFile } from './edi-files.ts';
import { ALL_PATHS } from './edi-ours.ts';
import type { EventsRead } from './edi-side.ts';
import type { Reading } from './reading.ts';
import { ratioOf, readInTurn, Side, type Turn } from './sides.ts';
import { median } from './spread.ts';

export interface EdiResult {
  kind: EdiKind;
  rival: string;
  bytes: number;
  events: number;
  /** Megabytes per second of processor time, medians of the rounds. */
  oursPerSecond: number;
  theirsPerSecond: number;
  /** Ours ÷ theirs in each round, the least first, and their median. */
  ratios: number[];
  ratio: number;
}

const OURS = 'ours';
/** `segments`: the package's segments alone, without sets or loops of them. `all paths`: ours, with all that the shipped mapping reads. */
const RIVALS: Readonly<Record<EdiKind, readonly string[]>> = {
  x12: [ALL_PATHS, 'node-x12', 'node-x12, segments', 'x12-parser', 'x12-parser, segments'],
  edifact: [ALL_PATHS, 'edifact'],
};

const MEGABYTE = 1024 * 1024;

/** Small ones, too: most are, and what is done once for each file counts there. */
const SMALL_MEGABYTES = 10;
export const ediSizes = (megabytes: number): number[] =>
  megabytes > SMALL_MEGABYTES ? [SMALL_MEGABYTES, megabytes] : [megabytes];

/** One of the packages makes an object of every element of the file. */
const HEAP_MEGABYTES = 8_192;
const MODULE = join(import.meta.dirname, 'edi-side.ts');

export interface EdiWanted {
  megabytes: number;
  rounds: number;
  seed: number;
  /** Without any: all. */
  rivals: readonly string[];
  folder: string;
}

export async function compareEdi(
  kind: EdiKind,
  { megabytes, rounds, seed, rivals: wanted, folder }: EdiWanted,
): Promise<EdiResult[]> {
  const rivals = RIVALS[kind].filter((name) => wanted.length === 0 || wanted.includes(name));
  const file = join(folder, `events.${kind}`);
  await writeEdiFile(file, kind, megabytes * MEGABYTE, seed);
  const { size: bytes } = statSync(file);
  const sideOf = (name: string): Side<EventsRead> =>
    new Side({ module: MODULE, args: [kind, name, file], heapMegabytes: HEAP_MEGABYTES });
  const turnsOf = new Map(rivals.map((name) => [name, [] as Turn<EventsRead>[][]]));
  for (let round = 0; round < rounds; round++) {
    const ours = sideOf(OURS);
    for (const name of rivals) {
      const theirs = sideOf(name);
      const turns = await readInTurn(theirs, ours);
      const different = turns.find(({ first, second }) => first.value.print !== second.value.print);
      if (different) throw new Error(`events of ${name} differ: ${JSON.stringify(different)}`);
      turnsOf.get(name)?.push(turns);
      theirs.end();
    }
    ours.end();
  }
  const perSecond = (readings: readonly Reading<unknown>[]): number =>
    bytes / MEGABYTE / (median(readings.map(({ ms }) => ms)) / 1_000);
  return rivals.map((name): EdiResult => {
    const roundsOf = turnsOf.get(name) ?? [];
    const turns = roundsOf.flat();
    const ratios = roundsOf.map(ratioOf).sort((left, right) => left - right);
    return {
      ...{ kind, rival: name, bytes, ratios, ratio: median(ratios) },
      events: turns[0]?.second.value.events ?? 0,
      oursPerSecond: perSecond(turns.map(({ second }) => second)),
      theirsPerSecond: perSecond(turns.map(({ first }) => first)),
    };
  });
}
