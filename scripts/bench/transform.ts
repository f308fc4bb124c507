/**
 * From the bytes of a file to the bodies of its requests, as JSON text: our way, and with csv-parse and JSONata.
 *
 * Both run over the same bytes in memory, in turn, several rounds; what counts is the ratio within a round, since absolute
 * times on a shared machine move from hour to hour.
 */
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import jsonata from 'jsonata';
import { bytesInMemory } from '../../src/formats/slices.ts';
import { mapFile } from '../../src/mapping/compile/map-file.ts';
import type { CodeList } from '../../src/mapping/document/code-list.ts';
import { compileDateTimePattern, type DateTimePattern } from '../../src/mapping/values/date-time-pattern.ts';
import { readTime, timeObjectOf } from '../../src/mapping/values/date-times.ts';
import { EXPRESSIONS } from './expressions.ts';
import { type FileKind, fileInMemory, MAPPING_OF } from './generate.ts';
import { shippedLists, shippedMapping } from './mapping.ts';
import { timed } from './reading.ts';
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

/** Rounds run before anything counts, so that both sides are compiled. */
const WARM_UP_ROUNDS = 2;
/** A side reads again and again for so long, and its median reading counts: one collection of garbage would double a short one. */
const READING_MS_MIN = 600;

export async function compareTransforms(
  kind: FileKind,
  { rows, rounds, seed }: { rows: number; rounds: number; seed: number },
): Promise<TransformResult> {
  const bytes = fileInMemory(kind, rows, seed);
  const sides = [ours(kind), theirs(kind)] as const;
  const times: { oursMs: number; theirsMs: number }[] = [];
  let bodies = 0;
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const first = round % 2 === 0 ? 0 : 1; // who comes first changes, so that neither always inherits the other's garbage
    const one = await timedTransform(sides[first], bytes);
    const other = await timedTransform(sides[1 - first] ?? sides[0], bytes);
    if (one.bodies !== other.bodies) throw new Error(`${one.bodies} bodies against ${other.bodies}`);
    bodies = one.bodies;
    const [oursMs, theirsMs] = first === 0 ? [one.ms, other.ms] : [other.ms, one.ms];
    if (round >= WARM_UP_ROUNDS) times.push({ oursMs, theirsMs });
  }
  const ratios = times.map(({ oursMs, theirsMs }) => theirsMs / oursMs).sort((left, right) => left - right);
  const perSecond = (ms: number[]): number => Math.round((rows / median(ms)) * 1_000);
  return {
    kind,
    rows,
    bytes: bytes.byteLength,
    bodies,
    oursPerSecond: perSecond(times.map(({ oursMs }) => oursMs)),
    theirsPerSecond: perSecond(times.map(({ theirsMs }) => theirsMs)),
    ratios,
    ratio: median(ratios),
  };
}

async function timedTransform(transform: Transform, bytes: Buffer): Promise<{ ms: number; bodies: number }> {
  const readingsMs: number[] = [];
  let bodies = 0;
  for (let sumMs = 0; sumMs < READING_MS_MIN; sumMs += readingsMs.at(-1) ?? 0) {
    const { ms, value } = await timed(() => countBodies(transform, bytes));
    readingsMs.push(ms);
    bodies = value;
  }
  return { ms: median(readingsMs), bodies };
}

async function countBodies(transform: Transform, bytes: Buffer): Promise<number> {
  let bodies = 0;
  await transform(bytes, () => {
    bodies += 1;
  });
  return bodies;
}
