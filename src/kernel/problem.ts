/**
 * What a person reads when something in a file or a document is wrong.
 *
 * Each stage keeps its own tagged union of facts and one exhaustive `describe…` that turns a fact into this form.
 */
import { headOf } from './text.ts';

/** Where a record stands in its source. Records and lines count from 1 (a header is no record); bytes from 0, `byteTo` exclusive. */
export interface Position {
  record: number;
  line: number;
  byteFrom: number;
  byteTo: number;
  /** Where that is in the format's own words: `ISA 000000905, GS 1, ST 0001, segment 7 (AT7)`; absent where lines say enough. */
  place?: string;
  /** Of an archive, the file in which the record stands; lines and bytes are counted in it, records through all its files. */
  file?: string;
}

/**
 * @property path the column, element or field at fault ('' for the whole record or file); value what was received, capped;
 * file the one of an archive's files that is at fault as a whole.
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
 * Whom a partner asks when the file cannot be written as the mapping reads it. What to change there is its author's to know
 * (`mapping/document/author-fixes.ts`): a `fix` says what to send.
 */
export const ELSE_CONTACT = 'If that cannot be, ask whoever set up your mapping.';

/** Longest received value quoted in a problem, in characters: enough to recognise it, too short to store a cell of megabytes. */
const QUOTED_VALUE_CHARACTERS_MAX = 120;

/** Longest path kept with a problem, in characters: names come from the file, too, and one of them may fill a cell of it. Ours. */
const PATH_CHARACTERS_MAX = 500;

/** Shortens a path that is made of a file's own names. */
export const quotePath = (path: string): string =>
  path.length <= PATH_CHARACTERS_MAX ? path : `${headOf(path, PATH_CHARACTERS_MAX)}…`;

/** Shortens a received value for display and says by how much. */
export function quoteValue(value: string): string {
  if (value.length <= QUOTED_VALUE_CHARACTERS_MAX) return value;
  return `${headOf(value, QUOTED_VALUE_CHARACTERS_MAX)}… (${value.length} characters)`;
}
