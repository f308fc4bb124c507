/** How far a CSV file was read, so that a restart goes on at a record boundary and finds the same records. */
import type { Encoding } from '../encoding.ts';

/** Where reading goes on: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface CsvCheckpoint {
  /** First byte not read yet. */
  byte: number;
  /** Physical lines read. */
  line: number;
  /** Records read, the header not counted, those with problems counted. */
  record: number;
  /** Null until the header was read. */
  columns: readonly string[] | null;
  /** Cells of every row, where rows end with delimiters and the header does not; absent: as many as there are columns. */
  width?: number;
  /** Set when a byte-order mark names another encoding than the declaration: the mark wins, and people are told. */
  encodingByMark: Encoding | null;
  /** A record longer than records may be, whose last line goes on at `byte`; it is passed over up to that line's end. */
  overlong: Overlong | null;
}

/** `line` on which the record begins; `column` and `cellByte` of the cell that did not end. */
export interface Overlong {
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
