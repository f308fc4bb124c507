/**
 * What a person reads when something in a file or a document is wrong.
 *
 * Each stage has its own tagged union of facts and one exhaustive `describe…` that turns a fact into this form.
 */
import { headOf } from './text.ts';

/**
 * Where a record is in its source. Records and lines count from 1 (a header is not a record); bytes from 0, `byteTo`
 * exclusive.
 */
export interface Position {
  record: number;
  line: number;
  byteFrom: number;
  byteTo: number;
  /**
   * The location in the format's own words: `ISA 000000905, GS 1, ST 0001, segment 7 (AT7)`; absent where lines are
   * enough.
   */
  place?: string;
  /** In an archive, the file with the record; lines and bytes count in that file, records through all files. */
  file?: string;
}

/**
 * @property path the column, element or field at fault ('' for the whole record or file); value what was received,
 * capped; file the file of an archive that is at fault as a whole.
 */
export interface Problem {
  code: string;
  path: string;
  value: string;
  message: string;
  fix: string;
  position?: Position;
  file?: string;
}

/**
 * Whom a partner should contact when the file cannot be written as the mapping reads it. What to change in the mapping
 * is for its author (`mapping/document/author-fixes.ts`): a `fix` says what to send.
 */
export const ELSE_CONTACT = 'If that cannot be, ask the operator.';

/** Longest received value quoted in a problem, in characters: enough to recognise it, too short to store a cell of megabytes. */
const QUOTED_VALUE_CHARACTERS_MAX = 120;

/**
 * Longest path stored with a problem, in characters: names come from the file, too, and one of them may fill a cell of
 * it. Ours.
 */
const PATH_CHARACTERS_MAX = 500;

/** Shortens a path that consists of a file's own names. */
export const quotePath = (path: string): string =>
  path.length <= PATH_CHARACTERS_MAX ? path : `${headOf(path, PATH_CHARACTERS_MAX)}…`;

/** Shortens a received value for display and says by how much. */
export function quoteValue(value: string): string {
  if (value.length <= QUOTED_VALUE_CHARACTERS_MAX) return value;
  return `${headOf(value, QUOTED_VALUE_CHARACTERS_MAX)}… (${value.length} characters)`;
}
