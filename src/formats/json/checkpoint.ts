/**
 * How far a JSON or NDJSON file was read, so that a restart continues at a record boundary and finds the same records.
 */
import { TEXT_START, type TextCheckpoint } from '../record-reader.ts';
import type { PassState } from './pass.ts';
import type { JsonEndProblem, JsonRecordProblem } from './problems.ts';

/**
 * What is read next. `value`: the document, or the value of a member on the path; `name…`, `colon_…`, `after_member`:
 * members of an object on the path, `_to_path` of the one that leads on; `skipped_…`: the name or value of a member
 * that nobody reads continues; `item…`: a record of the array; `refused_record`: a refused record continues.
 */
export type Stage =
  | 'start'
  | 'value'
  | 'name_or_end'
  | 'name'
  | 'colon_to_path'
  | 'colon_to_skip'
  | 'skipped_name'
  | 'skipped_value'
  | 'after_member'
  | 'item_or_end'
  | 'item'
  | 'refused_record'
  | 'after_item'
  | 'end';

/** Where reading continues: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface JsonCheckpoint extends TextCheckpoint {
  stage: Stage;
  /** Objects on the path to the records that are open. */
  depth: number;
  /** The records were reached: a second member of the same name on the path would contradict the first. */
  found: boolean;
  /** Names seen in the innermost open object before the records were reached; at most as many as a message shows. */
  members: readonly string[];
  /** State of the value being skipped at the stages `skipped_…` and `refused_record`. */
  passing: PassState | null;
  refused: RefusedRecord | null;
  /** Set when reading ended early. */
  endProblem: JsonEndProblem | null;
}

/** A record whose end is not found yet. `single`: it is there instead of the array. */
export interface RefusedRecord {
  byteFrom: number;
  line: number;
  single: boolean;
  problem: JsonRecordProblem;
}

/** The start of any JSON file. */
export const jsonStart: JsonCheckpoint = {
  ...TEXT_START,
  stage: 'start',
  depth: 0,
  found: false,
  members: [],
  passing: null,
  refused: null,
  endProblem: null,
};

export interface NdjsonCheckpoint extends TextCheckpoint {
  /** First byte of a line longer than a record may be, which continues at `byte`; it is skipped up to its end. */
  overlongFrom: number | null;
}

/** The start of any NDJSON file. */
export const ndjsonStart: NdjsonCheckpoint = { ...TEXT_START, overlongFrom: null };
