/**
 * A process of its own for one reading: `edi-side.ts KIND SIDE FILE`. First it reads a part of the file, so that its code is
 * compiled, then all of it, several times. Writes what that took to its parent.
 */
import { readFileSync } from 'node:fs';
import { bytesInMemory } from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import { ediBlocks } from './edi-files.ts';
import { ALL_PATHS, readOurs, type TakeEvent } from './edi-ours.ts';
import {
  type Theirs,
  withEdifact,
  withNodeX12,
  withNodeX12Segments,
  withX12Parser,
  withX12ParserSegments,
} from './edi-theirs.ts';

/** @property print of all that the events say, in order: equal where they are. */
export interface SideRead {
  ms: number;
  events: number;
  print: number;
}

/** Read again and again for so long that all is compiled as well as it will be: measured. Every side has the same time. */
const WARM_UP_BYTES = 4 * 1024 * 1024;
const WARM_UP_MS = 3_000;
/** A small file is read in 15 ms: one collection of garbage within a single reading would double its time. */
const MEASURED_MS = 1_500;
const MEASURED_READINGS_MIN = 3;

const READINGS: Readonly<Record<string, Theirs>> = {
  'node-x12': withNodeX12,
  'node-x12, segments': withNodeX12Segments,
  'x12-parser': withX12Parser,
  'x12-parser, segments': withX12ParserSegments,
  edifact: withEdifact,
};

const isKind = (text: string | undefined): text is EdiKind => text === 'x12' || text === 'edifact';

const [kind, side = '', file = ''] = process.argv.slice(2);
if (!isKind(kind)) throw new Error('a kind of interchange is wanted');
const paths = side === ALL_PATHS ? 'mapping' : 'event';
const readWithOurs: Theirs = async (bytes, take) => void (await readOurs(kind, bytesInMemory(bytes), take, paths));
const read = READINGS[side] ?? readWithOurs;
const warmUp = Buffer.from([...ediBlocks(kind, WARM_UP_BYTES, 1)].join(''));
for (let warmMs = 0; warmMs < WARM_UP_MS; ) warmMs += (await timed(warmUp)).ms;
process.send?.(await medianReading(readFileSync(file)));

/** Read again and again; the reading in the middle of them all. */
async function medianReading(bytes: Buffer): Promise<SideRead> {
  const reads: SideRead[] = [];
  for (let ms = 0; ms < MEASURED_MS || reads.length < MEASURED_READINGS_MIN; ) {
    const read = await timed(bytes);
    reads.push(read);
    ms += read.ms;
  }
  const middle = reads.sort((left, right) => left.ms - right.ms)[reads.length >> 1];
  if (middle === undefined) throw new Error('nothing was read');
  return middle;
}

/** The processor's time, garbage collection included: what other processes do on the machine does not count. */
async function timed(bytes: Buffer): Promise<SideRead> {
  let events = 0;
  let print = 0;
  const last = (text: string): number => text.charCodeAt(text.length - 1) + 31 * text.length;
  const take: TakeEvent = (load, status, when, city) => {
    events += 1;
    print = (Math.imul(print, 31) + last(load) + 7 * last(status) + 11 * last(when) + 13 * last(city)) | 0;
  };
  const before = process.cpuUsage();
  await read(bytes, take);
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, events, print };
}
