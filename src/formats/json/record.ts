/** What the JSON readers yield: records as trees in which every value is text, and the outcome of reading one slice. */
import type { Position } from '../../kernel/problem.ts';
import type { JsonProblem, JsonRecordProblem } from './problems.ts';

/**
 * A value as it is written. `text` of a string is its content; of a number the exact digits of the file (`1.10`,
 * `1e400`), so that nothing is rounded; else `true`, `false` or `null`. Members are a Map: `__proto__` is a name like
 * any other.
 */
export type JsonValue =
  | { kind: 'object'; members: ReadonlyMap<string, JsonValue> }
  | { kind: 'array'; items: readonly JsonValue[] }
  | { kind: 'string' | 'number' | 'boolean' | 'null'; text: string };

export type JsonKind = JsonValue['kind'];

/** One record. `value` is null exactly when `problem` is set. Its bytes run from its first to its last character. */
export interface JsonRecord {
  position: Position;
  value: JsonValue | null;
  problem?: JsonRecordProblem;
}

/**
 * The outcome of reading one slice.
 *
 * - `records`: `records` are whole, `checkpoint` names the first unread byte, which can be far from the slice's end when
 *   the records hold many values. With `finished`, nothing more follows, and
 *   `endProblem` says why when that is not the end of a sound document: it belongs to the file, not to a record, and the
 *   records given before it stay as they are. It is null until then.
 * - `more`: no whole record fits in the bytes given; call again with a longer slice from the same checkpoint.
 * - `unreadable`: the file as a whole cannot be read. Given by any slice, but never after a record was given.
 */
export type JsonSliceRead<Checkpoint> =
  | {
      outcome: 'records';
      records: JsonRecord[];
      checkpoint: Checkpoint;
      finished: boolean;
      endProblem: JsonProblem | null;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: JsonProblem[] };
