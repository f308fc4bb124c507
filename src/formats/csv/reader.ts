/** CSV as a `RecordReader`: bytes in, records with the file's own columns out. */

import { trimmed } from '../../kernel/text.ts';
import { type Encoding, textCodec } from '../encoding.ts';
import { describeFormatProblem, type RecordProblem } from '../problems.ts';
import {
  NO_LISTS,
  REPLACED_BATCH,
  REPLACED_RECORD,
  type ReadRecord,
  type RecordReader,
  type RecordShape,
  type ReplacedReader,
  replacedReader,
} from '../record-reader.ts';
import { type CsvSource, dialectOf } from './declaration.ts';
import { CSV_LIMITS, type CsvLimits } from './limits.ts';
import { readOpening } from './opening.ts';
import { RecordScanner, type Scan } from './scan.ts';
import {
  columnRef,
  type Reading,
  type Shaped,
  type SliceRead,
  type SourceRecord,
  shapeFault,
  shapeRecord,
} from './shape.ts';
import { afterLineEnd, findLineEnd, Slice } from './slice.ts';

/* How far a CSV file was read, so that a restart continues at a record boundary and finds the same records. */

/** Where reading continues: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface CsvCheckpoint {
  /** First byte not read yet. */
  byte: number;
  /** Physical lines read. */
  line: number;
  /** Records read, including those with problems, without the header. */
  record: number;
  /** Null until the header was read. */
  columns: readonly string[] | null;
  /**
   * Cells of every row, if rows end with delimiters that the header does not have; absent: as many as there are
   * columns.
   */
  width?: number;
  /** Set when a byte-order mark names another encoding than the declaration: the mark wins, and this is reported. */
  encodingByMark: Encoding | null;
  /** A record longer than allowed, whose last line continues at `byte`; it is skipped up to that line's end. */
  overlong: Overlong | null;
}

/** `line` on which the record begins; `column` and `cellByte` of the cell that did not end. */
interface Overlong {
  byteFrom: number;
  line: number;
  column: number;
  cellByte: number;
}

/** The start of any CSV file. */
export const csvStart: CsvCheckpoint = {
  byte: 0,
  line: 0,
  record: 0,
  columns: null,
  encodingByMark: null,
  overlong: null,
};

/*
 * Reads a CSV file slice by slice into records with exact positions.
 *
 * A slice begins at the checkpoint and may end anywhere; records, positions and problems do not depend on where. A
 * record's bytes include its quotes but not its line end: cut out of the file, they are exactly what was written. Blank
 * lines and comments are not records but count as lines; a record that cannot be read is a record with a problem, and
 * reading continues after it. Pure: no clock, no I/O.
 */

/**
 * @param bytes from `checkpoint.byte` on; `CSV_SLICE_BYTES_ENOUGH` of them never give `more`
 * @param atEnd the bytes reach the end of the file
 * @param reads names of columns that may occur only once; absent: every name
 * @returns `records` may be empty (a slice of blank lines), but its checkpoint has moved on or the file is finished
 */
export function readCsvSlice(
  declaration: CsvSource,
  checkpoint: CsvCheckpoint,
  bytes: Uint8Array,
  atEnd: boolean,
  reads?: ReadonlySet<string>,
): SliceRead<CsvCheckpoint> {
  const input = { declaration, checkpoint, bytes, atEnd };
  return readCsvSliceWithin(CSV_LIMITS, reads === undefined ? input : { ...input, reads });
}

interface CsvSlice {
  declaration: CsvSource;
  checkpoint: CsvCheckpoint;
  bytes: Uint8Array;
  atEnd: boolean;
  reads?: ReadonlySet<string>;
}

/** The same with other limits, so that tests can reach them with small files. */
export function readCsvSliceWithin(limits: CsvLimits, input: CsvSlice): SliceRead<CsvCheckpoint> {
  const { declaration, checkpoint, bytes, atEnd, reads = null } = input;
  const open = (columns: readonly string[], width: number, encodingByMark: Encoding | null): Reading => {
    const codec = textCodec(encodingByMark ?? declaration.encoding);
    const slice = new Slice(codec, checkpoint.byte, bytes, atEnd);
    return { slice, codec, dialect: dialectOf(declaration, codec, limits), limits, columns, width };
  };
  if (checkpoint.columns !== null) {
    const { columns, width = columns.length } = { ...checkpoint, columns: checkpoint.columns };
    const reading = open(columns, width, checkpoint.encodingByMark);
    const result = new SliceReader(reading, checkpoint, atEnd).read(0, checkpoint.line);
    const moved = result.checkpoint.byte > checkpoint.byte || result.finished;
    return moved ? result : { outcome: 'more' };
  }
  const opening = readOpening({ source: declaration, limits, bytes, atEnd, reads });
  if (opening.outcome !== 'opened') return opening;
  const { columns, width, encodingByMark, at, lines } = opening;
  return new SliceReader(open(columns, width, encodingByMark), { ...checkpoint, encodingByMark }, atEnd).read(
    at,
    lines,
  );
}

/** Reads whole records from a slice until none is left. */
class SliceReader {
  private readonly reading: Reading;
  private readonly atEnd: boolean;
  private readonly recordsBefore: number;
  private readonly records: SourceRecord[] = [];
  private readonly encodingByMark: Encoding | null;
  private overlong: Overlong | null;
  /** Offset in the slice, in units. */
  private at = 0;
  /** Physical lines of the file read before `at`. */
  private lines = 0;

  constructor(reading: Reading, checkpoint: CsvCheckpoint, atEnd: boolean) {
    this.reading = reading;
    this.atEnd = atEnd;
    this.recordsBefore = checkpoint.record;
    this.encodingByMark = checkpoint.encodingByMark;
    this.overlong = checkpoint.overlong;
  }

  read(at: number, lines: number): SliceRead<CsvCheckpoint> & { outcome: 'records' } {
    const { slice, dialect, columns, width } = this.reading;
    const scanner = new RecordScanner(slice.text, this.atEnd, dialect);
    this.at = at;
    this.lines = lines;
    let moved = true;
    while (moved && this.isUnread()) {
      moved = this.overlong === null ? this.take(scanner.scan(this.at)) : this.passOverlong(this.overlong);
    }
    const record = this.recordsBefore + this.records.length;
    const { encodingByMark, overlong } = this;
    const place = { byte: slice.byteAt(this.at), line: this.lines, record, columns, encodingByMark, overlong };
    const checkpoint = width === columns.length ? place : { ...place, width };
    return { outcome: 'records', columns, records: this.records, checkpoint, finished: this.atEnd && !this.isUnread() };
  }

  /** A record that is too long and reaches the end of the file is read there, although no bytes are left. */
  private isUnread(): boolean {
    return this.at < this.reading.slice.text.length || (this.atEnd && this.overlong !== null);
  }

  /** @returns false when the slice ends before the next record can be recognised */
  private take(scan: Scan): boolean {
    const { reading, at: from } = this;
    switch (scan.kind) {
      case 'more':
        return false;
      case 'oversize':
        this.beginOverlong(scan);
        return true;
      case 'skip':
        break;
      case 'record':
        this.keep(this.lines + 1, reading.slice.byteAt(from), scan.to, shapeRecord(reading, from, scan));
        break;
      case 'fault':
        this.keep(this.lines + 1, reading.slice.byteAt(from), scan.to, shapeFault(reading, this.lines + 1, scan));
        break;
    }
    this.at = scan.next;
    this.lines += scan.lines;
    return true;
  }

  private keep(line: number, byteFrom: number, to: number, shaped: Shaped): void {
    const record = this.recordsBefore + this.records.length + 1;
    this.records.push({ position: { record, line, byteFrom, byteTo: this.reading.slice.byteAt(to) }, ...shaped });
  }

  private beginOverlong({ linesBefore, column, cellAt }: Scan & { kind: 'oversize' }): void {
    const { slice, dialect } = this.reading;
    this.overlong = { byteFrom: slice.byteAt(this.at), line: this.lines + 1, column, cellByte: slice.byteAt(cellAt) };
    this.lines += linesBefore;
    this.at += dialect.recordUnitsMax;
  }

  private passOverlong({ byteFrom, line, column, cellByte }: Overlong): boolean {
    const { slice, columns, limits } = this.reading;
    const { text } = slice;
    const to = findLineEnd(text, this.at, text.length);
    this.at = to;
    if (to === text.length && !this.atEnd) return false;
    const next = afterLineEnd(text, to, this.atEnd);
    if (next === null) return false;
    const problem: RecordProblem = {
      code: 'record_too_large',
      column: columnRef(columns, column),
      bytes: slice.byteAt(to) - byteFrom,
      bytesMax: limits.recordBytesMax,
      byte: cellByte,
    };
    this.keep(line, byteFrom, to, { fields: [], problem });
    this.overlong = null;
    this.at = next;
    this.lines++;
    return true;
  }
}

/** @param shape the columns that are read: duplicate names among the others do not matter. */
export function csvReader(source: CsvSource, { paths }: RecordShape): RecordReader<CsvCheckpoint> {
  const reads = new Set([...paths.map(trimmed), REPLACED_BATCH, REPLACED_RECORD]);
  return {
    start: csvStart,
    read(checkpoint, bytes, atEnd) {
      const read = readCsvSlice(source, checkpoint, bytes, atEnd, reads);
      if (read.outcome === 'more') return read;
      if (read.outcome === 'unreadable') {
        return { outcome: 'unreadable', problems: read.problems.map(describeFormatProblem) };
      }
      const replaced = replacedReader(read.columns);
      const records = read.records.map(csvRecord);
      return { ...read, records: replaced === undefined ? records : broughtBack(records, replaced), endProblem: null };
    },
  };
}

const csvRecord = ({ position, fields, problem }: SourceRecord): ReadRecord =>
  problem === undefined
    ? { position, fields, lists: NO_LISTS }
    : { position, fields, lists: NO_LISTS, problem: describeFormatProblem(problem) };

const broughtBack = (records: readonly ReadRecord[], replaced: ReplacedReader): ReadRecord[] =>
  records.map((record) => ({ ...record, ...replaced.read(record.fields) }));
