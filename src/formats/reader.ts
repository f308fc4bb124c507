/**
 * One face for every format: what a mapping declares under `source`, read slice by slice into records of texts.
 *
 * A CSV record has the file's columns. A JSON record has the paths that the mapping reads, in the mapping's order: a
 * path is to a tree what a column is to a row. Pure; the formats' own folders do the reading.
 */
import { z } from 'zod';
import type { Position, Problem } from '../kernel/problem.ts';
import { type CsvCheckpoint, csvStart } from './csv/checkpoint.ts';
import { type CsvSource, csvSource } from './csv/declaration.ts';
import { readCsvSlice } from './csv/read.ts';
import type { Encoding } from './encoding.ts';
import { type JsonCheckpoint, jsonStart, type NdjsonCheckpoint, ndjsonStart } from './json/checkpoint.ts';
import { type JsonSource, jsonSource, type NdjsonSource, ndjsonSource } from './json/declaration.ts';
import { readNdjsonSlice } from './json/ndjson.ts';
import { compilePath, ELEMENT, itemsAt, type JsonPath, textAt } from './json/path.ts';
import { describeJsonProblem } from './json/problems.ts';
import { readJsonSlice } from './json/read.ts';
import type { JsonRecord, JsonSliceRead, JsonValue } from './json/record.ts';
import { describeFormatProblem } from './problems.ts';
import type { SourceRecord } from './record.ts';
import { REPLACED_BATCH, REPLACED_RECORD, type ReplacedReader, type ReplacedRow, replacedReader } from './replaced.ts';

export const recordSource = z.discriminatedUnion('format', [csvSource, jsonSource, ndjsonSource]);
export type RecordSource = CsvSource | JsonSource | NdjsonSource;

/** JSON-serialisable: all that a restart needs besides the file and its declaration. */
export type Checkpoint = CsvCheckpoint | JsonCheckpoint | NdjsonCheckpoint;

/** What is read of a record: texts by column or path, and for each array that is asked for its elements, read alike. */
export interface Cells {
  fields: readonly string[];
  lists: readonly (readonly Cells[])[];
}

/** What is asked of a tree: paths from its root, and arrays with the paths inside their elements; `.` is the element itself. */
export interface RecordShape {
  paths: readonly string[];
  lists: readonly { path: string; shape: RecordShape }[];
}

/** A record in words a person reads. `problem` set: it could not be read; `fields` then holds what could be. */
export interface ReadRecord extends Cells {
  position: Position;
  problem?: Problem;
  /** The row of an earlier batch that this one replaces, as the file says. */
  replaces?: ReplacedRow;
}

/**
 * - `records`: whole records; `endProblem` (only when finished) says why the file ends before its own end.
 * - `more`: no whole record fits in the bytes given; call again with a longer slice from the same checkpoint.
 * - `unreadable`: the file as a whole cannot be read. Never after a record was given.
 */
export type RecordsRead =
  | {
      outcome: 'records';
      columns: readonly string[];
      records: ReadRecord[];
      checkpoint: Checkpoint;
      finished: boolean;
      endProblem: Problem | null;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: Problem[] };

export interface RecordReader {
  start: Checkpoint;
  /** @param checkpoint of this reader's own; @param bytes from its byte on; @param atEnd they reach the end of the file. */
  read(checkpoint: Checkpoint, bytes: Uint8Array, atEnd: boolean): RecordsRead;
}

/** @param shape what the mapping reads; of no use to CSV, whose files name their own columns. */
export function readerOf(source: RecordSource, shape: RecordShape): RecordReader {
  switch (source.format) {
    case 'csv':
      return csvReader(source);
    case 'json':
      return jsonReader(shape, jsonStart, (checkpoint: JsonCheckpoint, bytes, atEnd) =>
        readJsonSlice(source, checkpoint, bytes, atEnd),
      );
    case 'ndjson':
      return jsonReader(shape, ndjsonStart, (checkpoint: NdjsonCheckpoint, bytes, atEnd) =>
        readNdjsonSlice(source, checkpoint, bytes, atEnd),
      );
  }
}

export const encodingOf = (source: RecordSource): Encoding => (source.format === 'ndjson' ? 'utf-8' : source.encoding);

/** What a person should know of how the file was read though nothing is wrong. */
export function readingNotes(checkpoint: Checkpoint): string[] {
  if (!('encodingByMark' in checkpoint) || checkpoint.encodingByMark === null) return [];
  const encoding = checkpoint.encodingByMark;
  return [
    `The file begins with the byte-order mark of ${encoding}, so it was read as ${encoding} and not as the mapping declares.`,
  ];
}

function csvReader(source: CsvSource): RecordReader {
  return {
    start: csvStart,
    read(checkpoint, bytes, atEnd) {
      // A batch is pinned to one mapping version, so a checkpoint is always of its own format.
      const read = readCsvSlice(source, checkpoint as CsvCheckpoint, bytes, atEnd);
      if (read.outcome === 'more') return read;
      if (read.outcome === 'unreadable') return unreadable(read.problems.map(describeFormatProblem));
      const replaced = replacedReader(read.columns);
      const records = read.records.map(csvRecord);
      return { ...read, records: replaced === undefined ? records : broughtBack(records, replaced), endProblem: null };
    },
  };
}

/** A row holds no arrays. */
const NO_LISTS: readonly (readonly Cells[])[] = [];

const csvRecord = ({ position, fields, problem }: SourceRecord): ReadRecord =>
  problem === undefined
    ? { position, fields, lists: NO_LISTS }
    : { position, fields, lists: NO_LISTS, problem: describeFormatProblem(problem) };

const broughtBack = (records: readonly ReadRecord[], replaced: ReplacedReader): ReadRecord[] =>
  records.map((record) => ({ ...record, ...replaced.read(record.fields) }));

function jsonReader<Own extends Checkpoint>(
  shape: RecordShape,
  start: Own,
  readSlice: (checkpoint: Own, bytes: Uint8Array, atEnd: boolean) => JsonSliceRead<Own>,
): RecordReader {
  const columns = shape.paths;
  const read = cellsReader(shape);
  return {
    start,
    read(checkpoint, bytes, atEnd) {
      const slice = readSlice(checkpoint as Own, bytes, atEnd);
      if (slice.outcome === 'more') return slice;
      if (slice.outcome === 'unreadable') return unreadable(slice.problems.map(describeJsonProblem));
      const endProblem = slice.endProblem === null ? null : describeJsonProblem(slice.endProblem);
      return { ...slice, columns, records: slice.records.map((record) => jsonRecord(record, read)), endProblem };
    },
  };
}

type ReadCells = (value: JsonValue | null) => Cells;

/** What is missing, null, an object or an array reads as the empty text: a field that is required then says so. */
function cellsReader(shape: RecordShape): ReadCells {
  const paths = shape.paths.map(jsonPath);
  const lists = shape.lists.map((list) => ({ path: jsonPath(list.path), read: cellsReader(list.shape) }));
  return (value) => ({
    fields: paths.map((path) => (value === null || path === null ? '' : (textAt(value, path) ?? ''))),
    lists: lists.map(({ path, read }) => (value === null || path === null ? [] : itemsAt(value, path).map(read))),
  });
}

/** Paths were checked with the document; one that is none reads nothing. */
function jsonPath(text: string): JsonPath | null {
  if (text.trim() === ELEMENT) return [];
  const path = compilePath(text.trim());
  return path.ok ? path.value : null;
}

function jsonRecord({ position, value, problem }: JsonRecord, read: ReadCells): ReadRecord {
  if (problem !== undefined) return { position, fields: [], lists: [], problem: describeJsonProblem(problem) };
  const batch = value === null ? undefined : textAt(value, [REPLACED_BATCH]);
  const record = value === null ? undefined : textAt(value, [REPLACED_RECORD]);
  if (batch === undefined || record === undefined) return { position, ...read(value) };
  return { position, ...read(value), replaces: { batch, record } };
}

const unreadable = (problems: Problem[]): RecordsRead => ({ outcome: 'unreadable', problems });
