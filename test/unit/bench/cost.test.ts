import { expect, it } from 'vitest';
import type { CostResult } from '../../../scripts/bench/cost/cases.ts';
import { dollarsPerMillionRows, rowsWrittenBy, totalOf, usedBy } from '../../../scripts/bench/cost/price.ts';
import { costTable, priceTable, rowsTable } from '../../../scripts/bench/cost/table.ts';

const sql = (rowsWritten: number, rowsRead = 0, statements = 0) => ({ rowsWritten, rowsRead, statements });

/** What 1,000 rows took. */
const RESULT: CostResult = {
  line: 'milestones, 20 per load',
  rows: 1_000,
  upstreamRequests: 500,
  counts: {
    objects: {
      Load: {
        ...sql(3_000, 20_000, 4_000),
        alarmsSet: 100,
        alarmRuns: 100,
        calls: 900,
        storageCalls: 200,
        tables: { '(schema)': sql(1_000, 0, 500), request: sql(2_000, 20_000, 3_499), empty: sql(0, 0, 1) },
      },
      Batch: { ...sql(900), alarmsSet: 0, alarmRuns: 0, calls: 0, storageCalls: 0, tables: { kept: sql(900) } },
    },
    stores: {
      kv: { get: 100, put: 10 },
      r2: { put: 20, get: 50, head: 50, delete: 9 },
      d1: { queries: 5, rowsRead: 0, rowsWritten: 1_000 },
    },
    requests: 1_000,
  },
  rowsWritten: [4, 4.01],
  loadBytes: 32_768,
  batchBytesPerRow: 512,
  toldDollars: 5.5,
};

it('adds up what is billed, by the million', () => {
  expect(rowsWrittenBy(RESULT.counts.objects)).toBe(4_000);
  const dollars = dollarsPerMillionRows(usedBy(RESULT.counts, RESULT.upstreamRequests), RESULT.rows);
  expect(dollars).toEqual({
    'rows written': 5,
    'rows read': 0.02,
    'requests to objects': 0.15,
    duration: expect.closeTo(0.234, 3),
    'Worker requests': 0.3,
    'KV reads': 0.05,
    'KV writes': 0.05,
    'R2 class A': expect.closeTo(0.09),
    'R2 class B': expect.closeTo(0.036),
  });
  expect(totalOf(dollars)).toBeCloseTo(5.93, 2);
});

it('says in tables what a row took, by table too', () => {
  const cells = (text: string): string[] => text.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
  expect(cells(costTable([RESULT])).at(-1)).toBe(
    'milestones, 20 per load | 1000 | 4.000 | 4.010 | 1.00 | 20.00 | 4.00 | 0.20 | 0.10 | 0.10 | 0.90 | 0.50 | 32 KB | 0.50 KB',
  );
  expect(costTable([{ ...RESULT, rowsWritten: [4, 4] }])).toContain('the same');
  expect(cells(priceTable([RESULT])).at(-1)).toBe(
    'milestones, 20 per load | 5.00 | 0.02 | 0.15 | 0.23 | 0.30 | 0.05 | 0.05 | 0.09 | 0.04 | 5.93 | 5.50',
  );
  expect(cells(rowsTable(RESULT)).slice(2)).toEqual([
    'Load request | 2.00 | 20.00 | 3.50',
    'Load (schema) | 1.00 | 0.00 | 0.50',
    'Batch kept | 0.90 | 0.00 | 0.00',
    'Load (alarm) | 0.10 | 0.00 | 0.00',
  ]);
});
