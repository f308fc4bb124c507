/** Reads a whole small file through slices of a chosen size, as the caller of the reader does: longer slices on `more`. */
import { Buffer } from 'node:buffer';
import { jsonStart, ndjsonStart } from '../../../../src/formats/json/checkpoint.ts';
import { jsonSource, ndjsonSource } from '../../../../src/formats/json/declaration.ts';
import { JSON_LIMITS, type JsonLimits } from '../../../../src/formats/json/limits.ts';
import type { JsonProblem, JsonRecord, JsonSliceRead, JsonValue } from '../../../../src/formats/json/problems.ts';
import { readJsonSliceWithin } from '../../../../src/formats/json/read.ts';
import { readNdjsonSliceWithin } from '../../../../src/formats/json/reader.ts';

export interface WholeRead {
  records: JsonRecord[];
  /** Of the file as a whole: then no records were read. */
  problems: JsonProblem[];
  endProblem: JsonProblem | null;
  /** First byte not read; 0 for a file that is unreadable. */
  byte: number;
}

export interface Options {
  sliceBytes?: number;
  limits?: Partial<JsonLimits>;
}

/** A format bound to a declaration: what a caller keeps for one file. */
export interface Reader<Checkpoint extends { byte: number }> {
  start: Checkpoint;
  read(
    checkpoint: Checkpoint,
    bytes: Uint8Array,
    atEnd: boolean,
    limits?: Partial<JsonLimits>,
  ): JsonSliceRead<Checkpoint>;
}

export const jsonReader = (records = ''): Reader<typeof jsonStart> => {
  const declaration = jsonSource.parse({ format: 'json', records });
  return {
    start: jsonStart,
    read: (checkpoint, bytes, atEnd, limits) =>
      readJsonSliceWithin({ ...JSON_LIMITS, ...limits }, { declaration, checkpoint, bytes, atEnd }),
  };
};

const ndjson = ndjsonSource.parse({ format: 'ndjson' });

export const ndjsonReader: Reader<typeof ndjsonStart> = {
  start: ndjsonStart,
  read: (checkpoint, bytes, atEnd, limits) =>
    readNdjsonSliceWithin({ ...JSON_LIMITS, ...limits }, { declaration: ndjson, checkpoint, bytes, atEnd }),
};

export const bytesOf = (input: string | Uint8Array): Uint8Array =>
  typeof input === 'string' ? Buffer.from(input, 'utf8') : input;

/** @param onCheckpoint told every checkpoint, as it comes back from storage, and the records read before it */
export function readWith<Checkpoint extends { byte: number }>(
  reader: Reader<Checkpoint>,
  input: string | Uint8Array,
  { sliceBytes = Number.POSITIVE_INFINITY, limits = {} }: Options = {},
  onCheckpoint: (checkpoint: Checkpoint, recordsBefore: number) => void = () => undefined,
  from: Checkpoint = reader.start,
): WholeRead {
  const file = bytesOf(input);
  const records: JsonRecord[] = [];
  let checkpoint = from;
  let length = sliceBytes;
  for (let steps = 0; steps <= 4 * file.byteLength + 100; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const bytes = file.slice(checkpoint.byte, to);
    const read = reader.read(checkpoint, bytes, to === file.byteLength, limits);
    if (read.outcome === 'unreadable') {
      if (records.length > 0) throw new Error('records were given before the file was called unreadable');
      return { records: [], problems: read.problems, endProblem: null, byte: 0 };
    }
    if (read.outcome === 'more') {
      if (to === file.byteLength) throw new Error('the reader wants more than the whole file');
      length = length < 64 ? length + 1 : length * 2;
      continue;
    }
    for (const record of read.records) records.push(record);
    length = sliceBytes;
    checkpoint = JSON.parse(JSON.stringify(read.checkpoint)) as Checkpoint;
    onCheckpoint(checkpoint, records.length);
    if (read.finished) return { records, problems: [], endProblem: read.endProblem, byte: checkpoint.byte };
    if (read.endProblem !== null) throw new Error('an end problem before the end');
  }
  throw new Error('the reader does not come to an end');
}

export const readJson = (input: string | Uint8Array, records = '', options: Options = {}): WholeRead =>
  readWith(jsonReader(records), input, options);

export const readNdjson = (input: string | Uint8Array, options: Options = {}): WholeRead =>
  readWith(ndjsonReader, input, options);

/** The value as JavaScript has it. Numbers become `{ number: text }`, objects lists of members, so that nothing is lost. */
export function plain(value: JsonValue | null): unknown {
  if (value === null) return 'refused';
  switch (value.kind) {
    case 'object':
      return { members: [...value.members].map(([name, member]) => [name, plain(member)]) };
    case 'array':
      return value.items.map(plain);
    case 'number':
      return { number: value.text };
    case 'string':
      return value.text;
    case 'boolean':
      return value.text === 'true';
    case 'null':
      return null;
  }
}

/** The value as `JSON.parse` gives it. */
export function asParsed(value: JsonValue | null): unknown {
  if (value === null) return undefined;
  switch (value.kind) {
    case 'object':
      return Object.fromEntries([...value.members].map(([name, member]) => [name, asParsed(member)]));
    case 'array':
      return value.items.map(asParsed);
    case 'number':
      return Number(value.text);
    case 'string':
      return value.text;
    case 'boolean':
      return value.text === 'true';
    case 'null':
      return null;
  }
}

export const valuesOf = (read: WholeRead): unknown[] => read.records.map(({ value }) => asParsed(value));

export const codesOf = (read: WholeRead): (string | undefined)[] => read.records.map(({ problem }) => problem?.code);

/** The text a record's position names, cut out of the file. */
export function cutOut(input: string | Uint8Array, { position }: JsonRecord): string {
  return Buffer.from(bytesOf(input).subarray(position.byteFrom, position.byteTo)).toString('utf8');
}

/** Every problem of a file, wherever it belongs. */
export const problemsOf = (read: WholeRead): JsonProblem[] => [
  ...read.problems,
  ...read.records.flatMap(({ problem }) => problem ?? []),
  ...(read.endProblem === null ? [] : [read.endProblem]),
];
