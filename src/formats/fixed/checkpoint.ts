/** How far a fixed-width file was read, so that a restart continues at a line and finds the same records. */
import type { Encoding } from '../encoding.ts';
import { TEXT_START, type TextCheckpoint } from '../record-reader.ts';
import type { TrailerFault } from './problems.ts';

/** Where a line is, without its end. */
export interface LineLocation {
  line: number;
  byteFrom: number;
  byteTo: number;
}

/** A line whose fields are carried into the records that follow. */
export interface CarriedLine extends LineLocation {
  kind: string;
  /** In the order of its fields. */
  values: readonly string[];
}

/**
 * A line that could not be read and may have been one whose fields are carried: values of the records after it are
 * uncertain.
 *
 * @property kind null: not even its kind is known. level of the carried kind it was, outermost 0; such a line of that
 * level or above makes values certain again.
 */
interface Uncertain {
  line: number;
  kind: string | null;
  level: number;
}

/** Where reading continues: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface FixedCheckpoint extends TextCheckpoint {
  /** Set when a byte-order mark names another encoding than the declaration: the mark wins, and this is reported. */
  encodingByMark: Encoding | null;
  carried: readonly CarriedLine[];
  uncertain: Uncertain | null;
  /** A line longer than allowed, which continues at `byte`; it is skipped up to its end. */
  overlong: { byteFrom: number; line: number } | null;
  /** Lines that were read as if blanks followed. */
  short: { lines: number; firstLine: number } | null;
  /** How many lines of `carried`, its last ones, have no record yet. */
  unread: number;
  /** Carried lines that ended without a record. */
  recordless: { lines: number; firstLine: number } | null;
  /** Lines that are not blank: of the file, and since the last trailer. */
  lines: number;
  linesInPart: number;
  /** Lines since the last trailer that are records, or may have been. */
  recordsInPart: number;
  /** Lines since the last trailer by their kind, of those kinds that a trailer counts; those of no known kind by ''. */
  kindsInPart: Readonly<Record<string, number>>;
  trailer: LineLocation | null;
  /** The first one. */
  trailerFault: TrailerFault | null;
}

/** The start of any fixed-width file. */
export const fixedStart: FixedCheckpoint = {
  ...TEXT_START,
  encodingByMark: null,
  carried: [],
  uncertain: null,
  overlong: null,
  short: null,
  unread: 0,
  recordless: null,
  lines: 0,
  linesInPart: 0,
  recordsInPart: 0,
  kindsInPart: {},
  trailer: null,
  trailerFault: null,
};
