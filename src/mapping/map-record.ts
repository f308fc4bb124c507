/** One record mapped and placed, and its line of JSON. Pure. */
import type { ReadRecord } from '../formats/reader.ts';
import type { Position } from '../kernel/problem.ts';
import type { MappedRecord, RecordMapper } from './request.ts';

export interface PlacedRecord {
  position: Position;
  mapped: MappedRecord;
}

/** A record that could not be read has its reader's problem as its one error. */
export function mapRecord(mapper: RecordMapper, record: ReadRecord): PlacedRecord {
  const { position, problem } = record;
  const mapped: MappedRecord =
    problem === undefined ? mapper(record.fields, record.lists) : { requests: [], errors: [problem], skipped: false };
  return { position, mapped };
}

/** The record as one line of JSON, without the line's end: what the `map` command prints and fixtures expect. */
export function recordLine({
  position: { record, ...position },
  mapped: { requests, errors, skipped, group },
}: PlacedRecord): string {
  const more = { ...(skipped ? { skipped } : {}), ...(group === undefined ? {} : { group }) };
  return JSON.stringify({ record, position, requests, errors, ...more });
}
