/**
 * What every format offers to the rest: records of texts, read slice by slice, with a position for each.
 *
 * A CSV record has the file's columns. A record of any other format has the paths that the mapping reads, in the
 * mapping's order: a path is to a tree, or to a loop of segments, what a column is to a row.
 */
import type { Position, Problem } from '../kernel/problem.ts';
import type { ReadPart } from './segments/tree.ts';

/*
 * Corrected rows: a report names each row by batch and number, and a file that contains these two columns says which
 * row each of its own replaces. Pure.
 */

/** Names of the two columns, in reports and in corrected files. */
export const REPLACED_BATCH = '_batch';
export const REPLACED_RECORD = '_record';

/** The row that a record replaces, as written: not checked yet whether there is such a row. */
export interface ReplacedRow {
  batch: string;
  record: string;
}

/**
 * What a report writes before a cell that a spreadsheet would run as a formula, and before one that looks already
 * escaped.
 */
const NEUTRALISED = /^'(?='*(?:[\t\r\0]|\s*[=+\-@＝＋－＠]))/;

interface ReplacedReader {
  read(fields: readonly string[]): { fields: readonly string[]; replaces?: ReplacedRow };
}

/** @returns how the records of a file with these columns are read; undefined if it has no corrected rows. */
export function replacedReader(columns: readonly string[]): ReplacedReader | undefined {
  const batchAt = columns.findIndex((column) => column.trim() === REPLACED_BATCH);
  const recordAt = columns.findIndex((column) => column.trim() === REPLACED_RECORD);
  if (batchAt === -1 || recordAt === -1) return undefined;
  return {
    read(fields) {
      const batch = (fields[batchAt] ?? '').trim();
      const record = (fields[recordAt] ?? '').trim();
      const cells = fields.some((field) => NEUTRALISED.test(field))
        ? fields.map((field) => field.replace(NEUTRALISED, ''))
        : fields;
      return batch === '' && record === '' ? { fields: cells } : { fields: cells, replaces: { batch, record } };
    },
  };
}

/** JSON-serialisable: all that a restart needs besides the file and its declaration. `byte`: the first one not read yet. */
export interface AnyCheckpoint {
  byte: number;
}

/** Of formats of lines and trees. */
export interface TextCheckpoint extends AnyCheckpoint {
  /** Line ends read, as the format counts them. */
  line: number;
  /** Records read, including those with problems. */
  record: number;
}

export const TEXT_START: TextCheckpoint = { byte: 0, line: 0, record: 0 };

/**
 * What is read of a record: texts by column or path, and for each requested array its elements, read in the same way.
 */
export interface Cells {
  fields: readonly string[];
  lists: readonly (readonly Cells[])[];
  /** Of an element of nested arrays: its index in each of them, from 0, outermost first. */
  at?: readonly number[];
}

/**
 * What is read from a tree: paths from its root, and arrays with the paths inside their elements; `.` is the element
 * itself.
 */
export interface RecordShape {
  paths: readonly string[];
  /** For a path that is only a fallback: the indexes of the paths that must be empty, for each of its uses. */
  yields?: ReadonlyMap<number, readonly (readonly number[])[]>;
  lists: readonly { path: string; shape: RecordShape }[];
}

/** A record with its messages. `problem` set: it could not be read; `fields` then holds the readable part. */
export interface ReadRecord extends Cells {
  position: Position;
  problem?: Problem;
  /** What else is wrong with it. */
  otherProblems?: readonly Problem[];
  /** The row of an earlier batch that this one replaces, as the file says. */
  replaces?: ReplacedRow;
}

/**
 * What is found in one slice: inside a format records and problems as facts, to the rest of the product as messages.
 *
 * - `records`: whole records, maybe none, but then `checkpoint` has moved on or the file is finished. Bytes after it can
 *   be left although they hold whole records. `endProblem` (only when finished) says why reading ended before the end of
 *   the file; the records before it stay valid. `columns` absent: the paths that the mapping reads.
 * - `more`: no whole record fits in the bytes given; call again with a longer slice from the same checkpoint.
 * - `unreadable`: the file as a whole cannot be read. Never after a record was returned.
 */
export type SliceRead<Checkpoint, Found, Fact, EndFact = never> =
  | {
      outcome: 'records';
      columns?: readonly string[];
      records: Found[];
      checkpoint: Checkpoint;
      finished: boolean;
      endProblem: EndFact | null;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: Fact[] };

/** What reads the slices of a file: the format's limits say how many bytes are enough for one. */
export type Slices<Checkpoint, Found, Fact, EndFact = never> = (
  checkpoint: Checkpoint,
  bytes: Uint8Array,
  atEnd: boolean,
) => SliceRead<Checkpoint, Found, Fact, EndFact>;

export type RecordsRead<Checkpoint extends AnyCheckpoint = AnyCheckpoint> =
  | (SliceRead<Checkpoint, ReadRecord, Problem, Problem> & {
      outcome: 'records';
      columns: readonly string[];
      /** Of a format with envelopes: what its records were read from, in file order. */
      parts?: readonly ReadPart[];
    })
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: Problem[] };

export interface RecordReader<Checkpoint extends AnyCheckpoint = AnyCheckpoint> {
  start: Checkpoint;
  /** @param checkpoint of this reader; @param bytes from its byte on; @param atEnd they reach the end of the file. */
  read(checkpoint: Checkpoint, bytes: Uint8Array, atEnd: boolean): RecordsRead<Checkpoint>;
}

/** How the facts of a format become messages, and its records those of the mapping. */
interface Describing<Found, Fact> {
  describe(fact: Fact): Problem;
  /** @param columns of the file, or the paths that the mapping reads. */
  recordOf(columns: readonly string[]): (found: Found) => ReadRecord;
  /** What the mapping reads, in a format that names no columns. */
  paths?: readonly string[];
}

export const recordReader = <Own extends AnyCheckpoint, Found, Fact, EndFact extends Fact>(
  start: Own,
  slices: Slices<Own, Found, Fact, EndFact>,
  { describe, recordOf, paths = [] }: Describing<Found, Fact>,
): RecordReader<Own> => ({
  start,
  read(checkpoint, bytes, atEnd) {
    const read = slices(checkpoint, bytes, atEnd);
    if (read.outcome === 'more') return read;
    if (read.outcome === 'unreadable') return { outcome: 'unreadable', problems: read.problems.map(describe) };
    const { columns = paths, records } = read;
    const endProblem = read.endProblem === null ? null : describe(read.endProblem);
    return { ...read, columns, records: records.map(recordOf(columns)), endProblem };
  },
});

/** A record of a tree. @param textOf the member or attribute of a name, by which it says which row it replaces. */
export function treeRecord(position: Position, cells: Cells, textOf: (name: string) => string | undefined): ReadRecord {
  const batch = textOf(REPLACED_BATCH);
  const record = textOf(REPLACED_RECORD);
  const { fields, lists } = cells;
  if (batch === undefined || record === undefined) return { position, fields, lists };
  return { position, fields, lists, replaces: { batch, record } };
}

/** A record of which nothing can be read. */
export const unreadRecord = (position: Position, problem: Problem): ReadRecord => ({
  position,
  fields: [],
  lists: NO_LISTS,
  problem,
});

/** The same reader with other positions for its records: in an archive, on a sheet. */
export const locatedReader = <Own extends AnyCheckpoint>(
  reader: RecordReader<Own>,
  placed: (position: Position) => Position,
): RecordReader<Own> => ({
  start: reader.start,
  read(checkpoint, bytes, atEnd) {
    const read = reader.read(checkpoint, bytes, atEnd);
    if (read.outcome !== 'records') return read;
    return { ...read, records: read.records.map((record) => ({ ...record, position: placed(record.position) })) };
  },
});

/** A record holds no arrays. */
export const NO_LISTS: readonly (readonly Cells[])[] = [];
