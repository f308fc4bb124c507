/**
 * Interchanges of any size, ours: X12 214 sets as carriers write them, and IFTSTA messages that say the same. The same seed
 * gives the same bytes. Yields blocks of text, so that a file of any size is written without ever being held.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { dice } from '../frame/dice.ts';

export type EdiKind = 'x12' | 'edifact';

/** Sets of a group, and groups or messages of an interchange. */
const SETS_PER_GROUP = 1_000;
const MESSAGES_PER_INTERCHANGE = 10_000;
const EVENTS_MAX = 5;

const PLACES = [
  ['JOLIET', 'IL'],
  ['CANON CITY', 'CO'],
  ['WINSTON-SALEM', 'NC'],
  ['TRUTH OR CONSEQUENCES', 'NM'],
] as const;
const STATUSES = ['X3', 'AF', 'X6', 'X1', 'D1', 'CD'] as const;

const oneOf = <T>(values: readonly T[], random: () => number): T => values[Math.floor(random() * values.length)] as T;
const digits = (value: number, count: number): string => String(value).padStart(count, '0');

interface Status {
  code: string;
  date: string;
  time: string;
  city: string;
  state: string;
}

interface Load {
  number: string;
  pro: string;
  statuses: Status[];
}

function makeLoad(index: number, random: () => number): Load {
  const statuses = Array.from({ length: 1 + Math.floor(random() * EVENTS_MAX) }, (): Status => {
    const [city, state] = oneOf(PLACES, random);
    const date = `2026${digits(1 + Math.floor(random() * 12), 2)}${digits(1 + Math.floor(random() * 28), 2)}`;
    const time = digits(Math.floor(random() * 24), 2) + digits(Math.floor(random() * 60), 2);
    return { code: oneOf(STATUSES, random), date, time, city, state };
  });
  return { number: `LD${digits(index, 8)}`, pro: String(100_000 + Math.floor(random() * 900_000)), statuses };
}

/** A set of a heading and a stop for each status. */
function setText({ number, pro, statuses }: Load, control: string): string {
  const stops = statuses.map(
    ({ code, date, time, city, state }, at) =>
      `LX*${at + 1}~L11*${at + 1}*QN~AT7*${code}*NS***${date}*${time}*CT~MS1*${city}*${state}*US~MS2*DEMO*T${pro}*TL~`,
  );
  const heading = `B10*PRO${pro}*${number}*DEMO~L11*BOL-${pro}*BM~N1*SH*SHIPPER OF ${number}*93*${pro}~N3*100 MAIN ST~N4*JOLIET*IL*60431*US~`;
  return `ST*214*${control}~${heading}${stops.join('')}SE*${7 + 5 * statuses.length}*${control}~`;
}

function messageText({ number, pro, statuses }: Load, reference: string): string {
  const events = statuses.map(
    ({ code, date, time, city, state }) =>
      `STS+1+${code}'\nRFF+AAO:${pro}'\nDTM+334:${date}${time}:203'\nFTX+AAI+++Arrived at ${city}'\nLOC+7+${state}:139:6:${city}'\n`,
  );
  const heading = `BGM+23+${number}'\nDTM+137:202603010830:203'\nNAD+CA+DEMO::92+Carrier of ${number}'\nRFF+BM:BOL-${pro}'\nCNI+1+${number}'\n`;
  return `UNH+${reference}+IFTSTA:D:96A:UN'\n${heading}${events.join('')}UNT+${7 + 5 * statuses.length}+${reference}'\n`;
}

const ISA = (control: string): string =>
  `ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*${control}*0*T*>~`;

/** One interchange of groups. Without line breaks: one of the packages loses segments at them where its chunks end. */
function* x12Blocks(bytesMax: number, random: () => number): Generator<string> {
  const control = digits(1, 9);
  yield ISA(control);
  let groups = 0;
  for (let bytes = 0; bytes < bytesMax; ) {
    groups += 1;
    let block = `GS*QM*DEMO*TRANSLOAD*20260302*1500*${groups}*X*004010~`;
    let sets = 0;
    for (; sets < SETS_PER_GROUP && bytes + block.length < bytesMax; sets += 1) {
      block += setText(makeLoad(groups * SETS_PER_GROUP + sets, random), digits(sets + 1, 4));
    }
    block += `GE*${sets}*${groups}~`;
    bytes += block.length;
    yield block;
  }
  yield `IEA*${groups}*${control}~`;
}

/** Interchange behind interchange, none of them in groups. */
function* edifactBlocks(bytesMax: number, random: () => number): Generator<string> {
  let interchanges = 0;
  for (let bytes = 0; bytes < bytesMax; ) {
    interchanges += 1;
    let block = `UNB+UNOC:3+DEMO+TRANSLOAD+260301:1200+${interchanges}'\n`;
    let messages = 0;
    for (; messages < MESSAGES_PER_INTERCHANGE && bytes + block.length < bytesMax; messages += 1) {
      const load = makeLoad(interchanges * MESSAGES_PER_INTERCHANGE + messages, random);
      block += messageText(load, String(messages + 1));
    }
    block += `UNZ+${messages}+${interchanges}'\n`;
    bytes += block.length;
    yield block;
  }
}

/** About so many bytes: a set more is possible. */
export const ediBlocks = (kind: EdiKind, bytesMax: number, seed: number): Generator<string> =>
  kind === 'x12' ? x12Blocks(bytesMax, dice(seed)) : edifactBlocks(bytesMax, dice(seed));

/** Holds one block at a time. */
export async function writeEdiFile(path: string, kind: EdiKind, bytesMax: number, seed: number): Promise<void> {
  const out = createWriteStream(path);
  for (const block of ediBlocks(kind, bytesMax, seed)) if (!out.write(block)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
}
