/**
 * Reads a JSON document slice by slice into the records of one array, with exact positions.
 *
 * A slice begins where the checkpoint says and ends anywhere; records, positions and problems do not depend on where.
 * What is wrong inside a record costs that record, as long as its end can be told; wrong punctuation ends the reading,
 * because a guessed border could send one record's values with another's. Everything outside the records must be valid
 * JSON too. Pure: no clock, no I/O.
 */
import type { JsonCheckpoint } from './checkpoint.ts';
import type { JsonSource } from './declaration.ts';
import { DocumentReader } from './document.ts';
import { JSON_LIMITS, type JsonLimits } from './limits.ts';
import { compileRecordsPath } from './path.ts';
import type { JsonSliceRead } from './record.ts';
import { Slice } from './slice.ts';
import { sniffStart } from './sniff.ts';

/**
 * @param bytes from `checkpoint.byte` on; `JSON_SLICE_BYTES_ENOUGH` of them are never answered with `more`
 * @param atEnd the bytes reach the end of the file
 * @returns `records` may hold none (a slice of a long record), but its checkpoint has moved on or the file is finished;
 *   bytes after the checkpoint may be left although they hold whole records
 */
export function readJsonSlice(
  declaration: JsonSource,
  checkpoint: JsonCheckpoint,
  bytes: Uint8Array,
  atEnd: boolean,
): JsonSliceRead<JsonCheckpoint> {
  return readJsonSliceWithin(JSON_LIMITS, { declaration, checkpoint, bytes, atEnd });
}

export interface JsonSlice {
  declaration: JsonSource;
  checkpoint: JsonCheckpoint;
  bytes: Uint8Array;
  atEnd: boolean;
}

/** The same under other limits, so that tests can reach them with small files. */
export function readJsonSliceWithin(limits: JsonLimits, input: JsonSlice): JsonSliceRead<JsonCheckpoint> {
  const { declaration, checkpoint, bytes, atEnd } = input;
  const path = compileRecordsPath(declaration.records);
  // Only a declaration that did not pass `jsonSource` comes here, which is a bug of the caller.
  if (!path.ok) throw new Error(`records is no path: ${path.error}`);
  if (checkpoint.endProblem !== null) {
    return { outcome: 'records', records: [], checkpoint, finished: true, endProblem: checkpoint.endProblem };
  }
  const open = (at: number, from: JsonCheckpoint): JsonSliceRead<JsonCheckpoint> =>
    new DocumentReader({ path: path.value, limits, slice: new Slice(checkpoint.byte, bytes, atEnd) }, from).read(at);
  if (checkpoint.stage !== 'start') return open(0, checkpoint);
  if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
  const sniffed = sniffStart(bytes.subarray(0, limits.sniffBytes));
  if (!sniffed.ok) return { outcome: 'unreadable', problems: [sniffed.error] };
  return open(sniffed.value, { ...checkpoint, stage: 'value' });
}
