/** What is said of deliveries, as tables and checks. Pure. */
import type { Check } from '../check.ts';
import { count, hundredths, megabytes, table } from '../table.ts';
import type { DeliveryResult, DeliverySide } from './compare.ts';
import type { ObjectCounts } from './counters.ts';

export function deliveryTable(results: readonly DeliveryResult[]): string {
  const [result] = results;
  const names = [result?.first.name ?? '', result?.second.name ?? ''];
  return table(
    ['file, store, upstream', 'rows', ...names.map((name) => `${name} rows/s`), 'ratio', 'least', 'most', 'CPU ratio'],
    results.map(({ line, rows, first, second, ratio, cpuRatio }) => [
      line,
      count(rows),
      ...[first, second].map(({ rowsPerSecond }) => count(Math.round(rowsPerSecond))),
      ...[ratio.median, ratio.least, ratio.most, cpuRatio.median].map(hundredths),
    ]),
  );
}

const NONE = '-';

export const deliveryCostTable = (results: readonly DeliveryResult[]): string =>
  table(
    [
      'file, store, upstream',
      'side',
      'CPU ms/row',
      'statements/row',
      'written/row',
      'read/row',
      'alarms/row',
      'resident',
      'longest GET',
    ],
    results.flatMap(({ line, rows, first, second }) =>
      [first, second].map((side) => [
        line,
        side.name,
        side.cpuMsPerRow.toFixed(2),
        ...countsPerRow(side, rows),
        side.residentBytes === null ? NONE : megabytes(side.residentBytes),
        side.longestGetMs === null ? NONE : `${Math.round(side.longestGetMs)} ms`,
      ]),
    ),
  );

const COUNTED = ['statements', 'rowsWritten', 'rowsRead', 'alarmsSet'] as const satisfies (keyof ObjectCounts)[];

function countsPerRow({ counts }: DeliverySide, rows: number): string[] {
  if (counts === null) return COUNTED.map(() => NONE);
  return COUNTED.map((name) => (Object.values(counts).reduce((sum, each) => sum + each[name], 0) / rows).toFixed(2));
}

export const checkDelivery = ({ line, losses }: DeliveryResult): Check => ({
  name: `delivery, ${line}`,
  measured: losses.length === 0 ? 'once' : losses.join('; '),
  wanted: 'every row once',
  holds: losses.length === 0,
});
