/**
 * From the bytes of an interchange to its events: our reader, and the packages that a user would take instead. All run over
 * the same bytes in memory, in turn, several rounds; what counts is the ratio within a round.
 */
import { bytesInMemory } from '../../src/formats/slices.ts';
import { type EdiKind, ediBlocks } from './edi-files.ts';
import { readOurs, type TakeEvent } from './edi-ours.ts';
import { type Theirs, withEdifact, withNodeX12, withX12Parser } from './edi-theirs.ts';
import { median } from './transform.ts';

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
  wanted: number;
}

interface Side {
  name: string;
  read: Theirs;
  /** How many times as fast ours must be. */
  wanted: number;
}

const OURS = 'ours';
/** Wanted ratios are ours. */
const RIVALS: Readonly<Record<EdiKind, readonly Side[]>> = {
  x12: [
    { name: 'node-x12', read: withNodeX12, wanted: 2.5 },
    { name: 'x12-parser', read: withX12Parser, wanted: 5 },
  ],
  edifact: [{ name: 'edifact', read: withEdifact, wanted: 1.5 }],
};

const MEGABYTE = 1024 * 1024;
/** Rounds run before anything counts, over a part of the file, so that all sides are compiled. */
const WARM_UP_BYTES = 2 * MEGABYTE;

export async function compareEdi(
  kind: EdiKind,
  { megabytes, rounds, seed }: { megabytes: number; rounds: number; seed: number },
): Promise<EdiResult[]> {
  const fileOf = (bytes: number): Buffer => Buffer.from([...ediBlocks(kind, bytes, seed)].join(''));
  const ours: Side = {
    name: OURS,
    wanted: 0,
    read: async (bytes, take) => void (await readOurs(kind, bytesInMemory(bytes), take)),
  };
  const sides = [ours, ...RIVALS[kind]];
  const warmUp = fileOf(WARM_UP_BYTES);
  for (const side of sides) await timed(side, warmUp);
  const file = fileOf(megabytes * MEGABYTE);
  const times = new Map<string, number[]>(sides.map(({ name }) => [name, []]));
  let events = 0;
  for (let round = 0; round < rounds; round++) {
    const seen: Timed[] = [];
    // Who comes first changes, so that no side always inherits the garbage of the same other one.
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(round + turn) % sides.length] ?? ours;
      const one = await timed(side, file);
      times.get(side.name)?.push(one.ms);
      seen.push(one);
    }
    const [first] = seen;
    const odd = seen.find((one) => one.events !== first?.events || one.print !== first?.print);
    if (odd !== undefined) throw new Error(`events differ: ${JSON.stringify(seen)}`);
    events = first?.events ?? 0;
  }
  const oursMs = times.get(OURS) ?? [];
  return RIVALS[kind].map(({ name, wanted }): EdiResult => {
    const theirsMs = times.get(name) ?? [];
    const ratios = theirsMs.map((ms, round) => ms / (oursMs[round] ?? 0)).sort((left, right) => left - right);
    const perSecond = (ms: number[]): number => file.byteLength / MEGABYTE / (median(ms) / 1_000);
    return {
      kind,
      rival: name,
      bytes: file.byteLength,
      events,
      oursPerSecond: perSecond(oursMs),
      theirsPerSecond: perSecond(theirsMs),
      ratios,
      ratio: median(ratios),
      wanted,
    };
  });
}

interface Timed {
  name: string;
  ms: number;
  events: number;
  /** Of all that the events say, in order: equal where they are. */
  print: number;
}

/** The processor's time, garbage collection included: what other processes do on the machine does not count. */
async function timed({ name, read }: Side, bytes: Buffer): Promise<Timed> {
  let events = 0;
  let print = 0;
  const take: TakeEvent = (load, status, when, city) => {
    events += 1;
    const last = (text: string): number => text.charCodeAt(text.length - 1) + 31 * text.length;
    print = (Math.imul(print, 31) + last(load) + 7 * last(status) + 11 * last(when) + 13 * last(city)) | 0;
  };
  const before = process.cpuUsage();
  await read(bytes, take);
  const { user, system } = process.cpuUsage(before);
  return { name, ms: (user + system) / 1_000, events, print };
}
