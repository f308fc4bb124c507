/**
 * From the bytes of a file to the bodies of its requests, as JSON text: our way, and with csv-parse and JSONata.
 *
 * Both run over the same bytes in memory, each in a process of its own, in turn; what counts is the ratio of turns side by
 * side, since absolute times on a shared machine move from hour to hour.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import jsonata from 'jsonata';
import { bytesInMemory } from '../../src/formats/slices.ts';
import { mapFile } from '../../src/mapping/compile/map-file.ts';
import type { CodeList } from '../../src/mapping/document/code-list.ts';
import { compileDateTimePattern, type DateTimePattern } from '../../src/mapping/values/date-time-pattern.ts';
import { readTime, timeObjectOf } from '../../src/mapping/values/date-times.ts';
import { EXPRESSIONS } from './expressions.ts';
import { type FileKind, MAPPING_OF, writeFile } from './generate.ts';
import { shippedLists, shippedMapping } from './mapping.ts';
import type { Reading } from './reading.ts';
import { ratioOf, readInTurn, Side, type Turn } from './sides.ts';
import { median } from './spread.ts';

/** Turns the bytes of a file into bodies; each goes to `take` as JSON text. */
export type Transform = (bytes: Buffer, take: (body: string) => void) => Promise<void>;

const LISTS = shippedLists();

export function ours(kind: FileKind): Transform {
  const mapping = shippedMapping(MAPPING_OF[kind], LISTS);
  return async (bytes, take) => {
    for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
      if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
      for (const { mapped } of step.records) for (const { body } of mapped.requests) take(JSON.stringify(body));
    }
  };
}

/** A file stream delivers this much at a time, in bytes. */
const CHUNK_BYTES = 64 * 1024;
/** Rows per evaluation. Between 1 and 1,000 the number makes no difference. */
const ROWS_PER_EVALUATION = 100;

const PATTERNS: Record<FileKind, readonly [string, ...string[]]> = {
  csv: ['MM/dd/yyyy HH:mm', 'MM/dd/yyyy h:mm a'],
  json: ['iso'],
};

export function theirs(kind: FileKind): Transform {
  const expression = jsonata(EXPRESSIONS[kind]);
  expression.assign('statusCodes', byWord('x12-status-codes'));
  expression.assign('reasonCodes', byWord('x12-reason-codes'));
  expression.assign('zones', byWord('us-time-zones'));
  expression.registerFunction('readTime', timeReader(PATTERNS[kind]));
  return async (bytes, take) => {
    for await (const rows of kind === 'csv' ? csvRows(bytes) : jsonRows(bytes)) {
      const found: unknown = await expression.evaluate({}, { rows });
      for (const body of Array.isArray(found) ? found : [found]) if (body !== undefined) take(JSON.stringify(body));
    }
  };
}

/** Words of a list are compared in upper case there, as ours are. */
const byWord = (name: string): Record<string, string> => {
  const list = LISTS.get(name) as CodeList;
  return Object.fromEntries(Object.entries(list.document.codes).map(([word, code]) => [list.key(word), code]));
};

function timeReader(sources: readonly [string, ...string[]]): (text: string, zoneText: string) => object | undefined {
  const patterns = sources.map((source): DateTimePattern => {
    const compiled = compileDateTimePattern(source);
    if (!compiled.ok) throw new Error(source);
    return compiled.value;
  }) as [DateTimePattern, ...DateTimePattern[]];
  return (text, zoneText) => {
    const time = readTime({ text, zoneText }, { patterns });
    if (!time.ok) return undefined;
    return timeObjectOf(time.value);
  };
}

async function* csvRows(bytes: Buffer): AsyncGenerator<unknown[]> {
  const chunks = function* () {
    for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  };
  const parser = Readable.from(chunks()).pipe(parse({ columns: true, bom: true }));
  let rows: unknown[] = [];
  for await (const row of parser) {
    rows.push(row);
    if (rows.length < ROWS_PER_EVALUATION) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function* jsonRows(bytes: Buffer): Generator<unknown[]> {
  const { events } = JSON.parse(bytes.toString('utf8')) as { events: unknown[] };
  for (let at = 0; at < events.length; at += ROWS_PER_EVALUATION) yield events.slice(at, at + ROWS_PER_EVALUATION);
}

export interface TransformResult {
  kind: FileKind;
  rows: number;
  bytes: number;
  /** Requests that the rows became; the others have something wrong in them. */
  bodies: number;
  /** Rows per second of processor time, medians of the rounds. */
  oursPerSecond: number;
  theirsPerSecond: number;
  /** Ours ÷ theirs in each round, the least first, and their median. */
  ratios: number[];
  ratio: number;
}

const MODULE = join(import.meta.dirname, 'transform-side.ts');

export async function compareTransforms(
  kind: FileKind,
  { rows, rounds, seed, folder }: { rows: number; rounds: number; seed: number; folder: string },
): Promise<TransformResult> {
  const file = join(folder, `rows.${kind}`);
  await writeFile(file, kind, { rows }, seed);
  const turnsOf: Turn<number>[][] = [];
  for (let round = 0; round < rounds; round++) {
    const sides = [
      new Side<number>({ module: MODULE, args: [kind, 'theirs', file] }),
      new Side<number>({ module: MODULE, args: [kind, 'ours', file] }),
    ] as const;
    const turns = await readInTurn(...sides);
    for (const side of sides) side.end();
    const different = turns.find(({ first, second }) => first.value !== second.value);
    if (different) throw new Error(`${different.second.value} bodies against ${different.first.value}`);
    turnsOf.push(turns);
  }
  const ratios = turnsOf.map(ratioOf).sort((left, right) => left - right);
  const turns = turnsOf.flat();
  const perSecond = (readings: readonly Reading<number>[]): number =>
    Math.round((rows / median(readings.map(({ ms }) => ms))) * 1_000);
  return {
    kind,
    rows,
    bytes: statSync(file).size,
    bodies: turns[0]?.second.value ?? 0,
    oursPerSecond: perSecond(turns.map(({ second }) => second)),
    theirsPerSecond: perSecond(turns.map(({ first }) => first)),
    ratios,
    ratio: median(ratios),
  };
}
