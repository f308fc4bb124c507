import { expect, it } from 'vitest';
import { hasProcessFiles, openFilesMaxOf, openFilesOf } from '../../../scripts/bench/processes.ts';
import type { SteadyResult } from '../../../scripts/bench/steady/steady.ts';
import { checkSteady, steadyTable } from '../../../scripts/bench/steady/table.ts';
import { halvesOf, madeIn } from '../../../scripts/bench/steady/watch.ts';

const result: SteadyResult = {
  line: 'milestones, 20 per load, disk, 0 ms',
  rows: 20_000,
  rowsPerSecond: 171.6,
  silenceMs: 34_120,
  otherMs: 8_004,
  peakBytes: 1_300 * 1024 * 1024,
  halves: [800 * 1024 * 1024, 1_300 * 1024 * 1024],
  loadsMade: 1_001,
  loadsMadePerSecond: 205,
  openFiles: 3_200,
  openFilesMax: 20_000,
  loss: undefined,
};

it('says in a table what others felt', () => {
  const [, , line] = steadyTable([result]).split('\n');
  expect(line?.replace(/ {2,}/g, ' | ')).toBe(
    'milestones, 20 per load, disk, 0 ms | 20,000 | 172 | 34.12 s | 8.00 s | 1300 MB | 800 MB | 1300 MB | 1,001 | 205/s | 3,200 | 20,000',
  );
});

it('fails where something did not arrive once', () => {
  expect(checkSteady(result)).toMatchObject({ measured: 'once', holds: true });
  expect(checkSteady({ ...result, loss: '1 twice' })).toMatchObject({ measured: '1 twice', holds: false });
});

it('tells memory that grows with the file from memory that does not', () => {
  expect(halvesOf([1, 5, 3, 9, 4])).toEqual([5, 9]);
  expect(halvesOf([])).toEqual([0, 0]);
});

it('finds the second in which most loads were made', () => {
  expect(madeIn([10, 10, 60, 110, 160, 210, 215])).toEqual({ loadsMade: 205, loadsMadePerSecond: 200 });
  expect(madeIn([])).toEqual({ loadsMade: 0, loadsMadePerSecond: 0 });
});

it.runIf(hasProcessFiles())('counts the open files of running processes only', () => {
  expect(openFilesOf(process.pid)).toBeLessThan(openFilesMaxOf(process.pid));
  expect(() => openFilesOf(0)).toThrow();
  expect(() => openFilesMaxOf(0)).toThrow();
});
