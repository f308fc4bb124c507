/** What is said of steadiness, as a table and checks. Pure. */
import type { Check } from '../check.ts';
import { count, megabytes, table } from '../table.ts';
import type { SteadyResult } from './steady.ts';

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

export const steadyTable = (results: readonly SteadyResult[]): string =>
  table(
    [
      'file, store, upstream',
      'rows',
      'rows/s',
      'longest silence',
      "another's row",
      'memory',
      'first half',
      'second half',
      'new loads',
      'at most',
      'open files',
      'allowed',
    ],
    results.map((result) => [
      result.line,
      count(result.rows),
      count(Math.round(result.rowsPerSecond)),
      seconds(result.silenceMs),
      seconds(result.otherMs),
      megabytes(result.peakBytes),
      ...result.halves.map(megabytes),
      count(result.loadsMade),
      `${count(result.loadsMadePerSecond)}/s`,
      count(result.openFiles),
      count(result.openFilesMax),
    ]),
  );

export const checkSteady = ({ line, loss }: SteadyResult): Check => ({
  name: `steady, ${line}`,
  measured: loss ?? 'once',
  wanted: 'every row once',
  holds: loss === undefined,
});
