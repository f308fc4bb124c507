/** A batch made again → JSON, a line per row that differs, and the counts of all behind them. */
import type { RerunRow } from '../../batch/report/rerun.ts';

export interface RerunCounts {
  rows: number;
  same: number;
  different: number;
  apart: number;
}

export async function* rerunLines(head: Record<string, string>, rows: AsyncIterable<RerunRow>): AsyncGenerator<string> {
  const counts: RerunCounts = { rows: 0, same: 0, different: 0, apart: 0 };
  yield `${JSON.stringify(head).slice(0, -1)},"different":[`;
  let between = '\n';
  for await (const row of rows) {
    counts.rows += 1;
    counts[row.compared] += 1;
    if (row.compared !== 'different') continue;
    const { compared: _, differences, ...made } = row;
    const told = differences.map(({ path, wanted: before, received: after }) => ({ path, before, after }));
    yield `${between}${JSON.stringify({ ...made, differences: told })}`;
    between = ',\n';
  }
  yield `\n],"counts":${JSON.stringify(counts)}}\n`;
}
