/** What is said of costs, as tables. Pure. */
import { SCHEMA, type SqlCounts } from '../delivery/counters.ts';
import { table } from '../table.ts';
import type { CostResult } from './cases.ts';
import { dollarsPerMillionRows, ITEMS, rowsWrittenBy, sumOf, totalOf, usedBy } from './price.ts';

const perRow = (count: number, rows: number): string => (count / rows).toFixed(2);
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(bytes < 10_240 ? 2 : 0)} KB`;

export const costTable = (results: readonly CostResult[]): string =>
  table(
    [
      'each for one row',
      'rows',
      'written',
      'of other runs',
      'read',
      'statements',
      'storage calls',
      'alarms set',
      'alarms run',
      'calls',
      'upstream',
      'a Load',
      'the Batch',
    ],
    results.map(({ line, rows, counts: { objects }, upstreamRequests, rowsWritten, loadBytes, batchBytesPerRow }) => {
      const sum = (name: 'rowsRead' | 'statements' | 'storageCalls' | 'alarmsSet' | 'alarmRuns' | 'calls') =>
        perRow(
          sumOf(objects, (counts) => counts[name]),
          rows,
        );
      const written = rowsWrittenBy(objects) / rows;
      const others = rowsWritten.filter((each) => each !== written).map((each) => each.toFixed(3));
      return [
        line,
        String(rows),
        written.toFixed(3),
        others.length === 0 ? 'the same' : others.join(' '),
        perRow(
          sumOf(objects, ({ tables }) => tables[SCHEMA]?.rowsWritten ?? 0),
          rows,
        ),
        ...(['rowsRead', 'statements', 'storageCalls', 'alarmsSet', 'alarmRuns', 'calls'] as const).map(sum),
        perRow(upstreamRequests, rows),
        kilobytes(loadBytes),
        kilobytes(batchBytesPerRow),
      ];
    }),
  );

export const priceTable = (results: readonly CostResult[]): string =>
  table(
    ['dollars per million rows', ...ITEMS, 'together', 'as the batch says'],
    results.map(({ line, rows, counts, upstreamRequests, toldDollars }) => {
      const dollars = dollarsPerMillionRows(usedBy(counts, upstreamRequests), rows);
      return [
        line,
        ...[...ITEMS.map((item) => dollars[item]), totalOf(dollars), toldDollars].map((each) => each.toFixed(2)),
      ];
    }),
  );

/** Less would be written as nothing. */
const SHOWN_PER_ROW = 0.005;

/** By class and table, those that write most first. */
export function rowsTable({ line, rows, counts: { objects } }: CostResult): string {
  const of = (name: string, { rowsWritten, rowsRead, statements }: SqlCounts): string[] => [
    name,
    ...[rowsWritten, rowsRead, statements].map((count) => perRow(count, rows)),
  ];
  const classes = Object.entries(objects).flatMap(([className, { tables, alarmsSet }]) => [
    ...Object.entries(tables).map(([name, sql]) => ({ name: `${className} ${name}`, sql })),
    { name: `${className} (alarm)`, sql: { rowsWritten: alarmsSet, rowsRead: 0, statements: 0 } },
  ]);
  const shown = classes
    .filter(({ sql }) => Math.max(sql.rowsWritten, sql.rowsRead, sql.statements) / rows >= SHOWN_PER_ROW)
    .sort((left, right) => right.sql.rowsWritten - left.sql.rowsWritten || right.sql.rowsRead - left.sql.rowsRead);
  return table(
    [`${line}, for each row`, 'written', 'read', 'statements'],
    shown.map(({ name, sql }) => of(name, sql)),
  );
}
