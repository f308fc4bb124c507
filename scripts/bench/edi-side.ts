/** A process of its own that reads an interchange as one side does: `edi-side.ts KIND SIDE FILE`. */
import { readFileSync } from 'node:fs';
import { bytesInMemory } from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import { ediBlocks } from './edi-files.ts';
import { ALL_PATHS, readerFor, readWith, type TakeEvent } from './edi-ours.ts';
import {
  type Theirs,
  withEdifact,
  withNodeX12,
  withNodeX12Segments,
  withX12Parser,
  withX12ParserSegments,
} from './edi-theirs.ts';
import { takeTurns } from './sides.ts';

/** @property print of all that the events say, in order: equal where they are. */
export interface EventsRead {
  events: number;
  print: number;
}

/** The beginning of a file like the measured one: the slowest side could not be warmed up with all of it. */
const WARM_UP_BYTES = 4 * 1024 * 1024;

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
const reader = readerFor(kind, side === ALL_PATHS ? 'mapping' : 'event');
const readWithOurs: Theirs = async (bytes, take) => void (await readWith(reader, kind, bytesInMemory(bytes), take));
const read = READINGS[side] ?? readWithOurs;
await takeTurns(async () => {
  const small = Buffer.from([...ediBlocks(kind, WARM_UP_BYTES, 1)].join(''));
  const bytes = readFileSync(file);
  const warm = small.byteLength < bytes.byteLength ? small : bytes;
  return { read: () => readEvents(bytes), warm: () => readEvents(warm) };
});

async function readEvents(stored: Buffer): Promise<EventsRead> {
  let events = 0;
  let print = 0;
  const last = (text: string): number => text.charCodeAt(text.length - 1) + 31 * text.length;
  const take: TakeEvent = (load, status, when, city) => {
    events += 1;
    print = (Math.imul(print, 31) + last(load) + 7 * last(status) + 11 * last(when) + 13 * last(city)) | 0;
  };
  await read(stored, take);
  return { events, print };
}
