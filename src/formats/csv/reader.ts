/**
 * CSV as a `RecordReader`: slices of bytes in, records with the file's own columns and exact positions out.
 *
 * A slice begins at the checkpoint and may end anywhere; records, positions and problems do not depend on where. A
 * record's bytes include its quotes but not its line end: cut out of the file, they are exactly what was written. Blank
 * lines and comments are not records but count as lines; a record that cannot be read is a record with a problem, and
 * reading continues after it. Pure: no clock, no I/O.
 */
import type { Position } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import { type Encoding, textCodec } from '../encoding.ts';
import type { Format } from '../format.ts';
import {
  NO_LISTS,
  REPLACED_BATCH,
  REPLACED_RECORD,
  type ReadRecord,
  type RecordReader,
  type RecordShape,
  recordReader,
  replacedReader,
  type SliceRead,
  type Slices,
} from '../record-reader.ts';
import { findLineEnd, TextSlice } from '../text-slice.ts';
import { type CsvCheckpoint, csvStart, type Overlong } from './checkpoint.ts';
import { type CsvSource, csvSource, dialectOf } from './declaration.ts';
import { CSV_LIMITS, type CsvLimits } from './limits.ts';
import { readOpening } from './opening.ts';
import { type CsvProblem, describeCsvProblem } from './problems.ts';
import { RecordScanner, type Scan } from './scan.ts';
import { columnRef, type Reading, type Shaped, shapeFault, shapeRecord } from './shape.ts';

/** One record as text, in column order. `problem` set: it could not be read; `fields` then holds the readable part. */
export interface CsvRecord extends Shaped {
  position: Position;
}

type CsvSliceRead = SliceRead<CsvCheckpoint, CsvRecord, CsvProblem>;

/**
 * @param reads names of columns that may occur only once; null: every name
 * @returns what reads the slices; `CSV_SLICE_BYTES_ENOUGH` bytes never give `more`
 */
export function csvSlices(
  source: CsvSource,
  reads: ReadonlySet<string> | null = null,
  limits: CsvLimits = CSV_LIMITS,
): Slices<CsvCheckpoint, CsvRecord, CsvProblem> {
  return (checkpoint, bytes, atEnd) => {
    const open = (columns: readonly string[], width: number, encodingByMark: Encoding | null): Reading => {
      const codec = textCodec(encodingByMark ?? source.encoding);
      const slice = new TextSlice(codec, checkpoint.byte, bytes, atEnd);
      return { slice, dialect: dialectOf(source, codec, limits), limits, columns, width };
    };
    if (checkpoint.columns !== null) {
      const { columns, width = columns.length } = { ...checkpoint, columns: checkpoint.columns };
      const reading = open(columns, width, checkpoint.encodingByMark);
      const result = new SliceReader(reading, checkpoint).read(0, checkpoint.line);
      const moved = result.checkpoint.byte > checkpoint.byte || result.finished;
      return moved ? result : { outcome: 'more' };
    }
    const opening = readOpening({ source, limits, bytes, atEnd, reads });
    if (opening.outcome !== 'opened') return opening;
    const { columns, width, encodingByMark, at, lines } = opening;
    return new SliceReader(open(columns, width, encodingByMark), { ...checkpoint, encodingByMark }).read(at, lines);
  };
}

/** Reads whole records from a slice until none is left. */
class SliceReader {
  private readonly reading: Reading;
  private readonly recordsBefore: number;
  private readonly records: CsvRecord[] = [];
  private readonly encodingByMark: Encoding | null;
  private overlong: Overlong | null;
  /** Offset in the slice, in units. */
  private at = 0;
  /** Physical lines of the file read before `at`. */
  private lines = 0;

  constructor(reading: Reading, checkpoint: CsvCheckpoint) {
    this.reading = reading;
    this.recordsBefore = checkpoint.record;
    this.encodingByMark = checkpoint.encodingByMark;
    this.overlong = checkpoint.overlong;
  }

  read(at: number, lines: number): CsvSliceRead & { outcome: 'records' } {
    const { slice, dialect, columns, width } = this.reading;
    const scanner = new RecordScanner(slice, dialect);
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
    const finished = slice.atEnd && !this.isUnread();
    return { outcome: 'records', columns, records: this.records, checkpoint, finished, endProblem: null };
  }

  /** A record that is too long and reaches the end of the file is read there, although no bytes are left. */
  private isUnread(): boolean {
    const { text, atEnd } = this.reading.slice;
    return this.at < text.length || (atEnd && this.overlong !== null);
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
    const to = findLineEnd(slice.text, this.at, slice.text.length);
    this.at = to;
    const next = slice.nextLine(to);
    if (next === null) return false;
    const sizes = { bytes: slice.byteAt(to) - byteFrom, bytesMax: limits.recordBytesMax, byte: cellByte };
    const problem = { code: 'record_too_large', column: columnRef(columns, column), ...sizes } as const;
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
  return recordReader(csvStart, csvSlices(source, reads), {
    describe: describeCsvProblem,
    recordOf(columns) {
      const replaced = replacedReader(columns);
      return (found) =>
        replaced === undefined ? csvRecord(found) : { ...csvRecord(found), ...replaced.read(found.fields) };
    },
  });
}

const csvRecord = ({ position, fields, problem }: CsvRecord): ReadRecord =>
  problem === undefined
    ? { position, fields, lists: NO_LISTS }
    : { position, fields, lists: NO_LISTS, problem: describeCsvProblem(problem) };

export const csvFormat: Format<CsvSource, CsvCheckpoint> = {
  declaration: csvSource,
  reader: csvReader,
  isTabular: true,
  encodingOf: ({ encoding }) => encoding,
  ending: 'csv',
  contentTypeOf: ({ encoding }) => `text/csv; charset=${encoding}`,
};
