import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { OPEN_ROWS_LOOKS_MAX, openRowsAfter } from '../../../src/http/partner/correction-grid.ts';
import type { FoundBatch } from '../../../src/http/views/batch-lookup.ts';

/** Every row was refused; those up to this one were corrected since. */
function aBatch(correctedTo: number) {
  const seen = { asked: 0 };
  const rows = async (after: number, limit: number) => {
    seen.asked += 1;
    if (seen.asked > OPEN_ROWS_LOOKS_MAX) throw new Error('asked for ever');
    return Array.from({ length: limit }, (_, at) => {
      const record = after + 1 + at;
      return { record, state: 'rejected', replacedBy: record <= correctedTo ? 'b_other' : null } as unknown as BatchRow;
    });
  };
  return { batch: { stub: { rows } } as unknown as FoundBatch, seen };
}

describe('rows that can be corrected still', () => {
  it('are looked for beyond those that were corrected', async () => {
    const { batch, seen } = aBatch(5);
    const { rows, last } = await openRowsAfter(null, batch, 0, 2);
    expect([rows.map(({ row }) => row.record), last, seen.asked]).toEqual([[6], 6, 3]);
  });

  it('are looked for so many times at once, and no further: the next page goes on', async () => {
    const { batch, seen } = aBatch(Number.POSITIVE_INFINITY);
    expect(await openRowsAfter(null, batch, 0, 1)).toEqual({ rows: [], last: OPEN_ROWS_LOOKS_MAX });
    expect(seen.asked).toBe(OPEN_ROWS_LOOKS_MAX);
  });
});
