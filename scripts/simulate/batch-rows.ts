/** The rows of a batch as a new instance of it would find them, and all outcomes that it ever stored. */
import type { StoredBatchRequest, StoredRecord, Tally } from '../../src/batch/core/row.ts';
import { BatchStore } from '../../src/batch/store/batch-store.ts';
import { hasEnded, requestAt, type StoredOutcome, unpackOutcomes } from '../../src/batch/store/slice.ts';
import type { ObjectDatabase } from './sql.ts';

interface BatchRows {
  records: StoredRecord[];
  requests: StoredBatchRequest[];
  tally: Tally;
  /** Requests delivered, by the sum of all minutes. */
  deliveredByMinute: number;
  /** Rows and requests that are found as undelivered. */
  undelivered: { record: number; request: number; state: string }[];
}

export function rowsOf(database: ObjectDatabase): BatchRows {
  const exec = (text: string, ...bindings: never[]) => database.exec(text, bindings);
  const store = new BatchStore({ exec } as unknown as SqlStorage);
  const records = store.records(0, Number.POSITIVE_INFINITY, null);
  return {
    records,
    requests: store.requestsOf(records.map(({ record }) => record)),
    tally: store.tally(),
    deliveredByMinute: store.minutes().points.reduce((sum, [, delivered]) => sum + delivered, 0),
    undelivered: database.read('SELECT record, request, state FROM letter ORDER BY record, request'),
  };
}

/** Where a trigger copies every outcome that is stored. */
export const WRITTEN_OUTCOMES = 'written_outcomes';

/** I4: a final state of a generation stands. @returns what was changed. */
export function changedFinals(database: ObjectDatabase): string[] {
  if (!database.tables.includes(WRITTEN_OUTCOMES)) return [];
  const ended = new Map<string, StoredOutcome>();
  const changed: string[] = [];
  const written = database.read<{ outcomes: string }>(`SELECT outcomes FROM ${WRITTEN_OUTCOMES} ORDER BY seq`);
  for (const { outcomes } of written) {
    for (const outcome of unpackOutcomes(outcomes)) {
      if (outcome.revision < 0) continue; // its next generation begins
      const at = `${requestAt(outcome)}~${outcome.generation}`;
      const before = ended.get(at);
      if (before !== undefined && before.state !== outcome.state)
        changed.push(`${at} was ${before.state} and became ${outcome.state}`);
      if (hasEnded(outcome) && outcome.state !== 'coalesced') ended.set(at, outcome);
    }
  }
  return changed;
}
