/** All rows of a batch in their order, page by page. */
import type { BatchRow } from './summary.ts';

/** Rows asked for at once. Ours: keeps a report of a million rows in little memory. */
const ROWS_AT_ONCE = 500;

/** @param rows after a record number, in order, at most `limit`. */
export async function* rowsInOrder(
  rows: (after: number, limit: number) => Promise<readonly BatchRow[]>,
): AsyncGenerator<BatchRow, undefined> {
  for (let after = 0; ; ) {
    const page = await rows(after, ROWS_AT_ONCE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_AT_ONCE) return undefined;
    after = last.record;
  }
}
