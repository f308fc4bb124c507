/** How far a CSV file was read, so that a restart continues at a record boundary and finds the same records. */
import type { Encoding } from '../encoding.ts';
import { TEXT_START, type TextCheckpoint } from '../record-reader.ts';

/** Where reading continues: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface CsvCheckpoint extends TextCheckpoint {
  /** Null until the header was read, which is no record. */
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
export interface Overlong {
  byteFrom: number;
  line: number;
  column: number;
  cellByte: number;
}

/** The start of any CSV file. */
export const csvStart: CsvCheckpoint = { ...TEXT_START, columns: null, encodingByMark: null, overlong: null };
