/**
 * Rows that replace rows of earlier batches: what was delivered is a duplicate, what is still on its way must not be
 * overtaken, anything else is sent. Pure; the Batch queries the earlier batches.
 */

import type { RecordState } from '../../delivery/outcome.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { type Problem, quoteValue } from '../../kernel/problem.ts';
import { spoiltBy } from '../../mapping/groups/map-group.ts';
import type { RowLocation } from './row.ts';
import type { MappedRow } from './run.ts';

/** What the earlier batch answers about a row to be replaced. */
export type Replaced =
  /** Nothing prevents it. */
  | { outcome: 'free' }
  | { outcome: 'delivered' }
  /** Not decided yet, or held. */
  | { outcome: 'open'; state: RecordState }
  /** Another row replaced it first: query that one next. */
  | { outcome: 'replaced'; by: RowLocation }
  /** No such row. */
  | { outcome: 'unknown' };

/** The final result. @property at the row that is replaced: the last one in a chain of replacements. */
export type FollowedReplaced =
  | Exclude<Replaced, { outcome: 'free' | 'replaced' }>
  | { outcome: 'free'; at: RowLocation };

const RECORD_FORM = /^[1-9]\d{0,14}$/;

/** @returns the location a row names; undefined when it does not have the form that reports write. */
export function locationNamed({ replaces }: Pick<MappedRow, 'replaces'>): RowLocation | undefined {
  if (replaces === undefined || !BATCH_ID_FORM.test(replaces.batch) || !RECORD_FORM.test(replaces.record)) {
    return undefined;
  }
  return { batchId: replaces.batch, record: Number(replaces.record) };
}

const OPEN: ReadonlySet<RecordState> = new Set(['queued', 'sending', 'waiting', 'unknown', 'held', 'coalesced']);

/** A batch's answer about one of its own rows. @param by the row that already replaces it; null: none. */
export function classifyRow(state: RecordState | undefined, by: RowLocation | null, queriesOf: RowLocation): Replaced {
  if (state === undefined) return { outcome: 'unknown' };
  if (state === 'delivered' || state === 'duplicate') return { outcome: 'delivered' };
  if (OPEN.has(state)) return { outcome: 'open', state };
  const isSame = by !== null && by.batchId === queriesOf.batchId && by.record === queriesOf.record;
  return by === null || isSame ? { outcome: 'free' } : { outcome: 'replaced', by };
}

/**
 * Rows whose replaced row must be queried; for a group, its first row. Invalid rows are included: a later correction of
 * the same row must find what became of this one.
 */
export const concerns = (rows: readonly MappedRow[]): MappedRow[] =>
  rows.filter((row) => row.replaces !== undefined && row.state !== 'skipped' && row.group === null);

/** @param answers by number of the querying row. */
export function afterReplacing(
  rows: readonly MappedRow[],
  answers: ReadonlyMap<number, FollowedReplaced>,
): MappedRow[] {
  const judged = new Map(
    concerns(rows).map((row) => [row.position.record, classify(row, answers.get(row.position.record))] as const),
  );
  return rows.map((row) => {
    const own = judged.get(row.position.record);
    if (own !== undefined) return own;
    const lead = row.group === null ? undefined : judged.get(row.group);
    if (lead === undefined || lead.state === null || row.state !== null) return currentIn(row, locationNamed(row));
    const problems = lead.state === 'invalid' ? [spoiltBy([lead.position.record])] : [];
    return { ...row, state: lead.state, problems };
  });
}

/** An invalid row, too, keeps the location until a later one replaces it. */
const currentIn = (row: MappedRow, replaced: RowLocation | undefined): MappedRow =>
  replaced === undefined ? row : { ...row, standsFor: replaced };

function classify(row: MappedRow, answer: FollowedReplaced | undefined): MappedRow {
  if (answer?.outcome === 'free') return currentIn(row, answer.at);
  if (row.state !== null) return row;
  switch (answer?.outcome) {
    case 'delivered':
      return { ...row, state: row.problems.length > 0 ? 'invalid' : 'duplicate', requests: [] };
    case 'open':
      return { ...row, state: 'invalid', requests: [], problems: [...row.problems, stillOpen(row, answer.state)] };
    case 'unknown':
    case undefined:
      return { ...row, state: 'invalid', requests: [], problems: [...row.problems, rowUnknown(row)] };
  }
}

const named = ({ replaces }: MappedRow): string => quoteValue(`${replaces?.batch ?? ''}, ${replaces?.record ?? ''}`);

const rowUnknown = (row: MappedRow): Problem => ({
  code: 'replaced_row_unknown',
  path: '_batch, _record',
  value: named(row),
  message: 'These two columns say which row is replaced, and there is no such row among your batches.',
  fix: 'Leave _batch and _record as they stand in the report, or empty both to send the row as a new one.',
});

const stillOpen = (row: MappedRow, state: RecordState): Problem => ({
  code: 'replaced_row_open',
  path: '_batch, _record',
  value: named(row),
  message: `The row it replaces is not decided yet (${state}), so that both could arrive.`,
  fix: 'Wait until it is decided, or cancel that batch; then send this row again.',
});
