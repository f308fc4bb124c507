/**
 * Reads the statuses in an answer of the order-status endpoints, as its mapping says. Pure.
 *
 * An entry that does not fit costs only itself: it is counted and shown. The answer is unreadable only if the list
 * itself is not found, because then its content is unknown.
 */

import { MINUTE_MS } from '../../kernel/clock.ts';
import { daysInMonth, toLocalMs, YEAR_MAX, YEAR_MIN } from '../../kernel/date-time.ts';
import { SKIPPED_SAMPLE_CHARACTERS_MAX, SKIPPED_SAMPLES_MAX, STATUS_TEXT_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { headOf } from '../../kernel/text.ts';
import { findZone, resolveLocal } from '../../kernel/zones.ts';
import { compileDateTimePattern, type DateTimePattern, readsMoment } from '../../mapping/values/date-time-pattern.ts';
import { readTime as readMappedTime } from '../../mapping/values/date-times.ts';
import type { AnswerMapping } from './answer-mapping.ts';

/* The time of a status, as its answer mapping says it is written → an instant. */

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:(Z)|([+-])(\d{2}):?(\d{2})?)?$/i;
/** Years that an event may be in, as milliseconds. */
const EARLIEST_MS = Date.UTC(YEAR_MIN, 0, 1);
const LATEST_MS = Date.UTC(YEAR_MAX + 1, 0, 1) - 1;

type TimeReading = AnswerMapping['time'];

/** @returns null if it is no time in that form, or names no instant. */
function readTime(value: string | number, reading: TimeReading): number | null {
  const { form, parse, zone } = reading;
  const atMs =
    parse !== undefined
      ? readPattern(String(value).trim(), reading)
      : form === 'iso'
        ? readIso(String(value), zone)
        : readEpoch(value, form === 'epochMs' ? 1 : 1_000);
  return atMs !== null && atMs >= EARLIEST_MS && atMs <= LATEST_MS ? atMs : null;
}

/** A cache: thousands of entries are read under one mapping. */
const compiledOf = new WeakMap<TimeReading, DateTimePattern[]>();

/** As in a file's mapping: the first pattern that matches the whole text counts. */
function readPattern(text: string, reading: TimeReading): number | null {
  const patterns = compiledOf.get(reading) ?? compile(reading);
  const pattern = patterns.find((each) => each.parse(text).ok);
  if (pattern === undefined) return null;
  const defaultZone = reading.zone ?? (readsMoment(pattern.source) ? 'UTC' : undefined);
  const read = readMappedTime({ text }, { patterns: [pattern], ...(defaultZone === undefined ? {} : { defaultZone }) });
  return read.ok ? read.value.instantMs : null;
}

function compile(reading: TimeReading): DateTimePattern[] {
  const compiled = [reading.parse ?? []].flat().flatMap((source) => {
    const pattern = compileDateTimePattern(source);
    return pattern.ok ? [pattern.value] : []; // validated when it was set
  });
  compiledOf.set(reading, compiled);
  return compiled;
}

function readEpoch(value: string | number, factor: number): number | null {
  if (typeof value === 'string' && !/^\d{1,16}(\.\d{1,9})?$/.test(value)) return null;
  const atMs = Math.trunc(Number(value) * factor);
  return Number.isSafeInteger(atMs) ? atMs : null;
}

function readIso(text: string, zone: string | undefined): number | null {
  const found = ISO.exec(text.trim());
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const millisecond = Number((found[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const localMs = toLocalMs({ year, month, day, hour, minute, second, millisecond });
  if (found[8] !== undefined) return localMs;
  if (found[9] === undefined) return zone === undefined ? null : inZone(localMs, zone);
  const offset = Number(found[10]) * 60 + Number(found[11] ?? 0);
  return localMs - (found[9] === '-' ? -offset : offset) * MINUTE_MS;
}

/** A time that does not exist in the zone, or exists twice, names no instant. */
function inZone(localMs: number, name: string): number | null {
  const zone = findZone(name);
  if (zone === undefined) return null;
  const found = resolveLocal(zone, localMs);
  return found.kind === 'exact' ? localMs - found.span.offsetMinutes * MINUTE_MS : null;
}

export type StatusLevel = 'milestone' | 'detail';

export interface StatusPlace {
  city?: string;
  state?: string;
  postalCode?: string;
  country?: string;
}

/** One change of one order. */
export interface OrderStatus {
  orderRef: string;
  orderId: string | null;
  code: string;
  atMs: number;
  level: StatusLevel;
  place: StatusPlace;
  /** Of all fields above: equal if two answers report the same. */
  hash: string;
  /** Of the entry as written, and of what was read around it: recognizes it when another mapping reads it. */
  rawHash: string;
  isFinal: boolean;
}

/** @property index of the entry in the answer, from 0. */
export interface SkippedEntry {
  index: number;
  code:
    | 'no_object'
    | 'order_ref_missing'
    | 'code_missing'
    | 'time_missing'
    | 'time_unreadable'
    | 'entry_unreadable'
    /** One order was queried: this is another's, by its reference or its id. */
    | 'order_ref_foreign'
    | 'order_id_foreign';
  /** The beginning of the entry as JSON. */
  entry: string;
}

export interface ReadAnswer {
  statuses: OrderStatus[];
  /** How many entries there are, skipped or not. */
  entries: number;
  unfit: { count: number; samples: SkippedEntry[] };
}

type Unreadable = 'not_json' | 'list_missing';

/** @param misfit why a status is not one that was queried; null: it is. */
export function readAnswer(
  text: string,
  mapping: AnswerMapping,
  misfit: (status: OrderStatus) => SkippedEntry['code'] | null = () => null,
): Result<ReadAnswer, Unreadable> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const list = listIn(parsed.value, mapping.list);
  if (list === null) return err('list_missing');
  const read: ReadAnswer = { statuses: [], entries: 0, unfit: { count: 0, samples: [] } };
  for (const around of list) {
    const index = read.entries++;
    const status = readEntry(around, mapping);
    const code = status.ok ? misfit(status.value) : status.error;
    if (status.ok && code === null) read.statuses.push(status.value);
    else if (code !== null) noteSkipped(read.unfit, { index, code, entry: headOfEntry(around[0]) });
  }
  return ok(read);
}

/** An entry and what surrounds it, innermost first. */
type Around = readonly unknown[];

/** @returns the entries under the first path that leads to a list; null where none does. */
function listIn(root: unknown, paths: AnswerMapping['list']): Around[] | null {
  for (const path of paths) {
    const [first, ...names] = path.split('.');
    const found = first === '$' ? rootList(root, names) : outerList(root, path.split('.'));
    if (found !== null) return found;
  }
  return null;
}

/** An answer that is a list itself. */
const rootList = (root: unknown, names: readonly string[]): Around[] | null =>
  Array.isArray(root) ? innerLists([root], names) : null;

/** Down to the first list every name must exist: if the answer itself is that list, the path says so. */
function outerList(root: unknown, names: readonly string[]): Around[] | null {
  let around: Around = [root];
  for (const [index, name] of names.entries()) {
    const [value] = around;
    if (Array.isArray(value)) return index === 0 ? null : innerLists(around, names.slice(index));
    const member = memberOf(value, name);
    if (member === undefined) return null;
    around = [member, ...around];
  }
  return entriesIn(around);
}

/** An entry without a list where one should be counts as one that does not fit; a list may be empty, or null. */
function innerLists([value, ...outside]: Around, names: readonly string[]): Around[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => innerLists([each, ...outside], names));
  const [name, ...rest] = names;
  if (name === undefined || typeof value !== 'object' || value === null) return [[value, ...outside]];
  const member = memberOf(value, name);
  if (member === null) return [];
  if (member === undefined) return [[[value], ...outside]];
  return innerLists([member, value, ...outside], rest);
}

/** A single object is a list of one. @returns null for anything else. */
function entriesIn([list, ...outside]: Around): Around[] | null {
  if (Array.isArray(list)) return list.map((entry: unknown) => [entry, ...outside]);
  return typeof list === 'object' && list !== null ? [[list, ...outside]] : null;
}

function readEntry(around: Around, mapping: AnswerMapping): Result<OrderStatus, SkippedEntry['code']> {
  const [entry] = around;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return err('no_object');
  const outside: [field: string, value: string | number][] = []; // two entries may differ in nothing else
  const take = (field: string, paths: readonly string[]): string | number | null => {
    const found = valueAt(around, paths);
    if (found.isOutside) outside.push([field, found.value]);
    return found.value;
  };
  const text: TextOf = (field, paths) => {
    const value = paths && take(field, paths);
    const trimmed = value === undefined || value === null ? '' : String(value).trim();
    return trimmed === '' || trimmed.length > STATUS_TEXT_CHARACTERS_MAX || !trimmed.isWellFormed() ? null : trimmed;
  };
  const orderRef = text('orderRef', mapping.orderRef);
  if (orderRef === null) return err('order_ref_missing');
  const written = text('code', mapping.code.from);
  if (written === null) return err('code_missing');
  const day = take('time', mapping.time.from);
  if (day === null) return err('time_missing');
  const clock = mapping.time.clock === undefined ? null : take('clock', mapping.time.clock);
  const atMs = readTime(clock === null ? day : `${day} ${clock}`, mapping.time);
  if (atMs === null) return err('time_unreadable');
  const raw = jsonOf(entry);
  if (raw === null) return err('entry_unreadable');
  const { codes } = mapping.code;
  const code = Object.hasOwn(codes, written) ? (codes[written] ?? written) : written;
  const { level } = mapping;
  const said = text('level', level.from);
  const place = placeIn(mapping.place, text);
  const told = {
    orderRef,
    orderId: text('orderId', mapping.orderId),
    code,
    atMs,
    level: said === null ? level.otherwise : level.milestones.includes(said) ? 'milestone' : 'detail',
    place,
  } as const;
  const isFinal = mapping.finalCodes.some((final) => final.toLowerCase() === code.toLowerCase());
  return ok({
    ...told,
    hash: sha256Hex(JSON.stringify(told)),
    rawHash: sha256Hex(`${raw}${JSON.stringify(outside)}`),
    isFinal,
  });
}

/** The value under the first path that has one; null if there is none or it is no such text. */
type TextOf = (field: string, paths: readonly string[] | undefined) => string | null;

const PLACE_PARTS = ['city', 'state', 'postalCode', 'country'] as const;

function placeIn(paths: AnswerMapping['place'], text: TextOf): StatusPlace {
  const [city, state, postalCode, country] = PLACE_PARTS.map((part) => text(part, paths[part]));
  return {
    ...(city ? { city } : {}),
    ...(state ? { state } : {}),
    ...(postalCode ? { postalCode } : {}),
    ...(country ? { country } : {}),
  };
}

/** The first text or number under one of the paths, in the entry or around it. */
function valueAt(
  around: Around,
  paths: readonly string[],
): { value: string | number; isOutside: boolean } | { value: null; isOutside: false } {
  for (const path of paths) {
    const names = path.split('.');
    for (const [depth, inside] of around.entries()) {
      let value = inside;
      for (const name of names) value = memberOf(value, name);
      if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''))
        return { value, isOutside: depth > 0 };
    }
  }
  return { value: null, isOutside: false };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return Reflect.get(value, name);
}

function noteSkipped(unfit: ReadAnswer['unfit'], found: SkippedEntry): void {
  unfit.count += 1;
  if (unfit.samples.length < SKIPPED_SAMPLES_MAX) unfit.samples.push(found);
}

const headOfEntry = (entry: unknown): string => headOf(jsonOf(entry) ?? '', SKIPPED_SAMPLE_CHARACTERS_MAX);

/** @returns null if it is nested too deeply to write. */
function jsonOf(entry: unknown): string | null {
  try {
    return JSON.stringify(entry);
  } catch {
    return null;
  }
}

function parse(text: string): Result<unknown, Unreadable> {
  try {
    const value: unknown = JSON.parse(text);
    return ok(value);
  } catch {
    return err('not_json');
  }
}
