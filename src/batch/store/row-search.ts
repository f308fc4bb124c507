/** Looks for rows of a batch, forward or back, through so many of them that the object can go on with its work. */

import type { RecordState } from '../../delivery/outcome.ts';
import type { StoredRecord } from '../core/row.ts';
import { isByState, isWanted, type RowsQuery } from '../core/row-filter.ts';
import { DISPATCH_CHARACTERS_MAX, ROWS_LOOKED_AT_MAX } from '../limits.ts';
import type { RowStore } from './row-store.ts';
import { RANGE_RECORDS, rangeOf, type Slice, type SliceRow } from './slice.ts';

/** @property lookedTo set where the search stopped before it was through: it goes on after it, or before it. */
export interface FoundRecords {
  records: StoredRecord[];
  lookedTo: number | null;
}

const NO_REQUESTS: Pick<SliceRow, 'requests'> = { requests: [] };

export function searchRows(store: RowStore, { after, before, last, limit, filter }: RowsQuery): FoundRecords {
  const { states } = filter;
  const mayHave = ({ states: known }: Slice): boolean =>
    states === null || known === null || states.some((state) => known.has(state as RecordState));
  const isBack = before !== null;
  const rows = isBack ? rowsBefore(store, before, mayHave) : store.rows(after, mayHave);
  const found: StoredRecord[] = [];
  let lookedAt = 0;
  let lookedTo: number | null = null;
  for (const row of rows) {
    if (found.length >= limit || row.record <= after || (last !== null && row.record > last)) break;
    if (lookedAt >= ROWS_LOOKED_AT_MAX) {
      lookedTo = isBack ? row.record + 1 : row.record - 1;
      break;
    }
    lookedAt += 1;
    const state = store.stateOf(row);
    const { requests } = isByState(filter) ? NO_REQUESTS : store.carrierOf(row);
    if (isWanted(filter, { ...row, state, requests })) found.push(recordOf(row, state));
  }
  return { records: isBack ? found.reverse() : found, lookedTo };
}

export function recordOf({ requests: _, members: __, ...row }: SliceRow, state: RecordState): StoredRecord {
  return { ...row, state, resolved_by: null };
}

/** The last one first. */
function* rowsBefore(store: RowStore, before: number, wanted: (slice: Slice) => boolean): Generator<SliceRow> {
  for (let range = rangeOf(Math.min(before - 1, store.lastRecord())); range >= 0; range -= 1) {
    const rows = [...store.rows(range * RANGE_RECORDS, wanted, range)];
    for (const row of rows.reverse()) if (row.record < before) yield row;
  }
}

/** Reads no more than one dispatch step: the rest must not be in memory. */
export function inOneStep<Row extends { body: string }>(rows: Iterable<Row>, limit: number): Row[] {
  const taken: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    characters += row.body.length;
    if (taken.length > 0 && characters > DISPATCH_CHARACTERS_MAX) break;
    taken.push(row);
    if (taken.length >= limit) break;
  }
  return taken;
}
