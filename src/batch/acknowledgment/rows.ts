/** The rows of a batch in order, as their acknowledgment needs them. */
import type { BatchRow } from '../summary.ts';
import type { JudgedRow } from './judge.ts';

/** Rows asked for at once. Ours: a report asks alike. */
const ROWS_AT_ONCE = 500;

/** @param rows after a record number, in order, at most `limit`. */
export async function* judgedRows(
  rows: (after: number, limit: number) => Promise<readonly BatchRow[]>,
): AsyncGenerator<JudgedRow> {
  for (let after = 0; ; ) {
    const page = await rows(after, ROWS_AT_ONCE);
    for (const { record, state, errors } of page) yield { record, isInvalid: state === 'invalid', errors };
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_AT_ONCE) return;
    after = last.record;
  }
}
