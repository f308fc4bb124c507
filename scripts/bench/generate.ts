/**
 * Carrier files of any size for the shipped mappings carrier-status-csv and carrier-events-json: twelve columns, or a tree
 * of as many values, one row in a hundred wrong. The same seed gives the same bytes.
 *
 * Yields blocks of text, so that a file of any size is written without ever being held.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { dice } from '../frame/dice.ts';

export type FileKind = 'csv' | 'json';

/** Where a file ends: after so many rows, or before it would grow beyond so many bytes. */
type FileSize = { rows: number } | { bytesMax: number };

export const MAPPING_OF: Record<FileKind, string> = { csv: 'carrier-status-csv', json: 'carrier-events-json' };

/** Share of rows with something wrong in them. */
const WRONG_SHARE = 0.01;
const ROWS_PER_BLOCK = 500;
const ROWS_PER_LOAD = 20;
const MINUTES_PER_ROW = 7;

const STATUSES = ['X3', 'AF', 'X6', 'X1', 'D1', 'CD'] as const;
const REASONS = ['NS', 'AO', 'BE', ''] as const;
const PLACES = [
  { city: 'Joliet', state: 'IL', code: 'CT', zone: 'America/Chicago' },
  { city: 'Cañon City', state: 'co', code: 'MT', zone: 'America/Denver' },
  { city: 'Winston-Salem', state: 'NC', code: 'ET', zone: 'America/New_York' },
  { city: 'Portland, Lents', state: 'OR', code: 'Pacific', zone: 'America/Los_Angeles' },
  { city: 'Truth or Consequences', state: 'NM', code: '-07:00', zone: '-07:00' },
] as const;

/** One event, before it is written as a row or as an object. */
interface Event {
  load: string;
  status: string;
  reason: string;
  place: (typeof PLACES)[number];
  month: string;
  day: string;
  time: string;
  stop: string;
  pro: string;
  bol: string;
  trailer: string;
}

const oneOf = <T>(values: readonly [T, ...T[]] | readonly T[], random: () => number): T =>
  values[Math.floor(random() * values.length)] as T;
const digits = (value: number, count: number): string => String(value).padStart(count, '0');

/** @param index counts from 0. Events of a load follow each other in time; the loads of a file are twenty rows each. */
function makeEvent(index: number, random: () => number): Event {
  const row = index % ROWS_PER_LOAD;
  const minutes = 6 * 60 + row * MINUTES_PER_ROW;
  const event: Event = {
    load: `LD${digits(Math.floor(index / ROWS_PER_LOAD), 7)}`,
    status: oneOf(STATUSES, random),
    reason: oneOf(REASONS, random),
    place: oneOf(PLACES, random),
    month: digits(1 + Math.floor(random() * 12), 2),
    day: digits(1 + Math.floor(random() * 28), 2),
    time: `${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}`,
    stop: String(1 + Math.floor(row / 4)),
    pro: String(100_000 + Math.floor(random() * 900_000)),
    bol: random() < 0.5 ? '' : `BOL-${Math.floor(random() * 1_000_000)}`,
    trailer: `tr ${Math.floor(random() * 10_000)}`,
  };
  return random() < WRONG_SHARE ? spoil(event, random) : event;
}

const WRONGS: readonly Partial<Event>[] = [{ load: '' }, { status: 'ZZ' }, { month: '13' }];
const spoil = (event: Event, random: () => number): Event => ({ ...event, ...oneOf(WRONGS, random) });

const CSV_HEAD = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL,Trailer\n';

function csvRow({ place, ...event }: Event): string {
  const city = place.city.includes(',') ? `"${place.city}"` : place.city;
  const date = `${event.month}/${event.day}/2026`;
  const { load, status, reason, time, stop, pro, bol, trailer } = event;
  return `${load},${status},${reason},${date},${time},${place.code},${city},${place.state},${stop},${pro},${bol},${trailer}\n`;
}

function jsonRow({ place, ...event }: Event): string {
  const { load, status, reason, month, day, time, stop, pro, bol, trailer } = event;
  return JSON.stringify({
    load: { number: load, pro: Number(pro), bol, stops: [{ sequence: Number(stop) }] },
    status: { code: status, reason: reason === '' ? null : reason },
    place: { city: place.city, state: place.state, timeZone: place.zone },
    occurredAt: `2026-${month}-${day}T${time}:00`,
    'trailer-no': trailer,
  });
}

const SHAPES: Record<FileKind, { head: string; row(event: Event): string; between: string; tail: string }> = {
  csv: { head: CSV_HEAD, row: csvRow, between: '', tail: '' },
  json: { head: '{"sentBy":"bench","events":[\n', row: jsonRow, between: ',\n', tail: '\n]}\n' },
};

/** The file as blocks of text, in order. */
export function* fileBlocks(kind: FileKind, size: FileSize, seed: number): Generator<string> {
  const { head, row, between, tail } = SHAPES[kind];
  const random = dice(seed);
  const rowsMax = 'rows' in size ? size.rows : Number.POSITIVE_INFINITY;
  let bytesLeft = ('bytesMax' in size ? size.bytesMax : Number.POSITIVE_INFINITY) - head.length - tail.length;
  let block = head;
  for (let index = 0; index < rowsMax; index++) {
    const text = (index === 0 ? '' : between) + row(makeEvent(index, random));
    bytesLeft -= Buffer.byteLength(text);
    if (bytesLeft < 0) break;
    block += text;
    if ((index + 1) % ROWS_PER_BLOCK !== 0) continue;
    yield block;
    block = '';
  }
  yield block + tail;
}

export const fileInMemory = (kind: FileKind, rows: number, seed: number): Buffer =>
  Buffer.from([...fileBlocks(kind, { rows }, seed)].join(''));

/** Holds one block at a time. */
export async function writeFile(path: string, kind: FileKind, size: FileSize, seed: number): Promise<void> {
  const out = createWriteStream(path);
  for (const block of fileBlocks(kind, size, seed)) if (!out.write(block)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
}
