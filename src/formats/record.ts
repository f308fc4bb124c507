/** What every format reader yields, and how a file is read in slices so that a restart resumes at a record boundary. */
import type { Position } from '../kernel/problem.ts';
import type { FormatProblem } from './problems.ts';

/** One record as text, in column order. `problem` set: the record could not be read; `fields` then holds what could be. */
export interface SourceRecord {
  position: Position;
  fields: readonly string[];
  problem?: FormatProblem;
}

/**
 * The outcome of reading one slice.
 *
 * - `records`: `records` are whole, `checkpoint` names the first unread byte; `columns` is set once the header is known.
 * - `more`: no whole record fits in the bytes given; call again with a longer slice from the same checkpoint.
 * - `unreadable`: the file as a whole cannot be read; nothing of it may be sent.
 */
export type SliceRead<Checkpoint> =
  | {
      outcome: 'records';
      columns: readonly string[];
      records: SourceRecord[];
      checkpoint: Checkpoint;
      finished: boolean;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: FormatProblem[] };
