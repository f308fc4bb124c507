/** One record mapped and placed, and its line of JSON. Pure, but for a line in the log where a bug shows. */
import type { ReadRecord } from '../../formats/record-reader.ts';
import { log, messageOf } from '../../kernel/log.ts';
import type { Position, Problem } from '../../kernel/problem.ts';
import type { MappedRecord, RecordMapper } from '../request.ts';

export interface PlacedRecord {
  position: Position;
  mapped: MappedRecord;
}

/** A record that could not be read has its reader's problem as its one error. */
export function mapRecord(mapper: RecordMapper, record: ReadRecord): PlacedRecord {
  const { position, problem, otherProblems = [] } = record;
  const mapped: MappedRecord =
    problem === undefined
      ? orFault(position, () => mapper(record.fields, record.lists), inError)
      : inError(problem, ...otherProblems);
  return { position, mapped };
}

const inError = (...errors: Problem[]): MappedRecord => ({ requests: [], errors, skipped: false });

/** A bug that a record brings out costs that record alone: thrown on, it would stop the whole file, at every try anew. */
export function orFault<Mapped>({ record }: Position, map: () => Mapped, failed: (problem: Problem) => Mapped): Mapped {
  try {
    return map();
  } catch (thrown) {
    log('error', 'mapping_failed', { detail: `record ${record}: ${messageOf(thrown)}` });
    return failed(MAPPING_FAILED);
  }
}

const MAPPING_FAILED: Problem = {
  code: 'mapping_failed',
  path: '',
  value: '',
  message: 'A fault of this service kept it from being mapped; nothing was sent for it.',
  fix: 'Nothing is known to be wrong here. Tell the operator, and send it again once that is mended.',
};

/** The record as one line of JSON, without the line's end: what the `map` command prints and fixtures expect. */
export function recordLine({
  position: { record, ...position },
  mapped: { requests, errors, skipped, group, lookedUp },
}: PlacedRecord): string {
  const more = {
    ...(skipped ? { skipped } : {}),
    ...(group === undefined ? {} : { group }),
    ...(lookedUp === undefined ? {} : { lookedUp }),
  };
  return JSON.stringify({ record, position, requests, errors, ...more });
}
