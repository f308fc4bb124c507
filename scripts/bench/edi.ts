/**
 * From the bytes of an interchange to its events: our reader, and the packages that a user would take instead. Each reads the
 * same file in a process of its own, in turn, several rounds; what counts is the ratio within a round.
 */
import { fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type EdiKind, writeEdiFile } from './edi-files.ts';
import { ALL_PATHS } from './edi-ours.ts';
import type { SideRead } from './edi-side.ts';
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
  /** At least; null: shown for who wants to know what sets and loops cost, and held to nothing. */
  wanted: number | null;
}

const OURS = 'ours';
/**
 * Ratios below which a change spoiled something, ours: below what was measured on a busy machine. `segments`: the package's
 * segments alone, without sets or loops of them. `all paths`: ours, with all that the shipped mapping reads.
 */
const RIVALS: Readonly<Record<EdiKind, readonly { name: string; wanted: number | null }[]>> = {
  x12: [
    { name: ALL_PATHS, wanted: null },
    { name: 'node-x12', wanted: 2.5 },
    { name: 'node-x12, segments', wanted: null },
    { name: 'x12-parser', wanted: 4 },
    { name: 'x12-parser, segments', wanted: null },
  ],
  edifact: [
    { name: ALL_PATHS, wanted: null },
    { name: 'edifact', wanted: 1 },
  ],
};

const MEGABYTE = 1024 * 1024;

export async function compareEdi(
  kind: EdiKind,
  { megabytes, rounds, seed, folder }: { megabytes: number; rounds: number; seed: number; folder: string },
): Promise<EdiResult[]> {
  const file = join(folder, `events.${kind}`);
  await writeEdiFile(file, kind, megabytes * MEGABYTE, seed);
  const { size: bytes } = statSync(file);
  const names = [OURS, ...RIVALS[kind].map(({ name }) => name)];
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  let events = 0;
  for (let round = 0; round < rounds; round++) {
    const prints = new Map<string, string>();
    for (const name of names) {
      const read = await readAs(kind, name, file);
      times.get(name)?.push(read.ms);
      prints.set(`${read.events} events, ${read.print}`, name);
      ({ events } = read);
    }
    if (prints.size > 1) throw new Error(`events differ: ${JSON.stringify([...prints])}`);
  }
  const oursMs = times.get(OURS) ?? [];
  const perSecond = (ms: readonly number[]): number => bytes / MEGABYTE / (median(ms) / 1_000);
  return RIVALS[kind].map(({ name, wanted }): EdiResult => {
    const theirsMs = times.get(name) ?? [];
    const ratios = theirsMs.map((ms, round) => ms / (oursMs[round] ?? ms)).sort((left, right) => left - right);
    const speeds = { oursPerSecond: perSecond(oursMs), theirsPerSecond: perSecond(theirsMs) };
    return { kind, rival: name, bytes, events, ...speeds, ratios, ratio: median(ratios), wanted };
  });
}

/** One of the packages makes an object of every element of the file. */
const HEAP_MEGABYTES = 8_192;

function readAs(kind: EdiKind, side: string, file: string): Promise<SideRead> {
  return new Promise((resolve, reject) => {
    const execArgv = [`--max-old-space-size=${HEAP_MEGABYTES}`];
    const child = fork(join(import.meta.dirname, 'edi-side.ts'), [kind, side, file], { execArgv });
    let read: SideRead | undefined;
    child.on('message', (message: SideRead) => {
      read = message;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0 && read !== undefined) resolve(read);
      else reject(new Error(`${side} ended with ${code}`));
    });
  });
}
