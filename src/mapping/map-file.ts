/**
 * The road from a file to its requests, without storage or delivery: read slices, bind the columns, map every record.
 *
 * Serves the `map` command, the examples inside documents, and dry runs. Memory is one slice, whatever the file's size.
 */
import type { ReadRecord } from '../formats/reader.ts';
import { readSlice, type StoredBytes } from '../formats/slices.ts';
import type { Position, Problem } from '../kernel/problem.ts';
import type { CompiledMapping } from './compile.ts';
import type { MappedRecord, RecordMapper } from './request.ts';

/** Records mapped at once: a slice read holds thousands, and what they become is larger than they are. */
const RECORDS_PER_STEP = 500;

export interface PlacedRecord {
  position: Position;
  mapped: MappedRecord;
}

/** Some records in order; at most a few hundred. `unreadable` ends the file: it cannot be read as declared, or lacks columns. Nothing before it was yielded then. */
export type MappedStep =
  | { outcome: 'records'; records: readonly PlacedRecord[] }
  | { outcome: 'unreadable'; problems: readonly Problem[] }
  /** The file breaks off behind the records given, which stand. */
  | { outcome: 'ends_early'; problem: Problem };

/** A record that could not be read has its reader's problem as its one error. */
export function mapRecord(mapper: RecordMapper, record: ReadRecord): PlacedRecord {
  const { position, problem } = record;
  const mapped: MappedRecord =
    problem === undefined ? mapper(record.fields) : { requests: [], errors: [problem], skipped: false };
  return { position, mapped };
}

/** The record as one line of JSON, without the line's end: what the `map` command prints and fixtures expect. */
export function recordLine({
  position: { record, ...position },
  mapped: { requests, errors, skipped },
}: PlacedRecord): string {
  return JSON.stringify({ record, position, requests, errors, ...(skipped ? { skipped } : {}) });
}

export async function* mapFile(mapping: CompiledMapping, source: StoredBytes): AsyncGenerator<MappedStep> {
  let checkpoint = mapping.reader.start;
  let mapper: RecordMapper | undefined;
  for (;;) {
    const from = checkpoint;
    const read = await readSlice(source, from.byte, ({ bytes, atEnd }) => mapping.reader.read(from, bytes, atEnd));
    if (read.outcome === 'unreadable') {
      yield { outcome: 'unreadable', problems: read.problems };
      return;
    }
    if (mapper === undefined) {
      const bound = mapping.bind(read.columns);
      if (!bound.ok) {
        yield { outcome: 'unreadable', problems: bound.error };
        return;
      }
      mapper = bound.value;
    }
    for (let first = 0; first < read.records.length; first += RECORDS_PER_STEP) {
      const records = read.records.slice(first, first + RECORDS_PER_STEP);
      const bound = mapper;
      yield { outcome: 'records', records: records.map((record) => mapRecord(bound, record)) };
    }
    if (read.endProblem !== null) yield { outcome: 'ends_early', problem: read.endProblem };
    if (read.finished) return;
    checkpoint = read.checkpoint;
  }
}

/** A whole file that is in memory already. */
export const bytesInMemory = (bytes: Uint8Array): StoredBytes => ({
  bytes: bytes.byteLength,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});
