/** Small JSON and NDJSON files read whole. */
import { Buffer } from 'node:buffer';
import { jsonStart, ndjsonStart } from '../../../../src/formats/json/checkpoint.ts';
import { jsonSource } from '../../../../src/formats/json/declaration.ts';
import { jsonSlices } from '../../../../src/formats/json/document.ts';
import { JSON_LIMITS, type JsonLimits } from '../../../../src/formats/json/limits.ts';
import { ndjsonSlices } from '../../../../src/formats/json/lines.ts';
import type { JsonValue } from '../../../../src/formats/json/path.ts';
import type { JsonProblem } from '../../../../src/formats/json/problems.ts';
import type { JsonRecord, JsonSlices } from '../../../../src/formats/json/records.ts';
import { readSlices, type WholeRead as Whole } from '../whole-read.ts';

/** @property byte first one not read; 0 for a file that is unreadable. */
export type WholeRead = Omit<Whole<unknown, JsonRecord, JsonProblem, JsonProblem>, 'checkpoint' | 'columns'> & {
  byte: number;
};

export interface Options {
  sliceBytes?: number;
  limits?: Partial<JsonLimits>;
}

/** A format bound to a declaration: what a caller keeps for one file. */
export interface Reader<Checkpoint extends { byte: number }> {
  start: Checkpoint;
  slices(limits: JsonLimits): JsonSlices<Checkpoint>;
}

export const jsonReader = (records = ''): Reader<typeof jsonStart> => {
  const declaration = jsonSource.parse({ format: 'json', records });
  return { start: jsonStart, slices: (limits) => jsonSlices(declaration, limits) };
};

export const ndjsonReader: Reader<typeof ndjsonStart> = { start: ndjsonStart, slices: ndjsonSlices };

const bytesOf = (input: string | Uint8Array): Uint8Array =>
  typeof input === 'string' ? Buffer.from(input, 'utf8') : input;

/** @param onCheckpoint told every checkpoint, as it comes back from storage, and the records read before it */
export function readWith<Checkpoint extends { byte: number }>(
  reader: Reader<Checkpoint>,
  input: string | Uint8Array,
  { sliceBytes, limits = {} }: Options = {},
  onCheckpoint?: (checkpoint: Checkpoint, recordsBefore: number) => void,
  from: Checkpoint = reader.start,
): WholeRead {
  const slices = reader.slices({ ...JSON_LIMITS, ...limits });
  const { records, problems, endProblem, checkpoint } = readSlices(
    slices,
    from,
    bytesOf(input),
    sliceBytes,
    onCheckpoint,
  );
  return { records, problems, endProblem, byte: checkpoint.byte };
}

export const readJson = (input: string | Uint8Array, records = '', options: Options = {}): WholeRead =>
  readWith(jsonReader(records), input, options);

export const readNdjson = (input: string | Uint8Array, options: Options = {}): WholeRead =>
  readWith(ndjsonReader, input, options);

/** The members of an object, in order; none of anything else. */
export const membersOf = (value: JsonValue | null): [name: string, member: JsonValue][] =>
  value?.kind === 'object' ? value.values.map((member, index) => [value.names.nameAt(index), member]) : [];

/** The value as JavaScript has it. Numbers become `{ number: text }`, objects lists of members, so that nothing is lost. */
export function plain(value: JsonValue | null): unknown {
  if (value === null) return 'refused';
  switch (value.kind) {
    case 'object':
      return { members: membersOf(value).map(([name, member]) => [name, plain(member)]) };
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
      return Object.fromEntries(membersOf(value).map(([name, member]) => [name, asParsed(member)]));
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
