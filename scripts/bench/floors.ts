/**
 * What was measured last and agreed upon (`floors.json`), and what a change may not spoil: a ratio may not fall by more than
 * three tenths, and the rows that a row writes may not rise at all. A line that was never stored is held to nothing.
 *
 * `npm run bench -- --quick --renew` stores what it measures, of the lines that it ran; the difference is reviewed as any change
 * is. Renew on a machine that does nothing else, and never to make a failure go away that nobody can explain.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { hundredths } from './table.ts';

export interface Floors {
  /** Medians, by line. */
  ratios: Readonly<Record<string, number>>;
  /** For each row of the file, by line: the most of several runs. */
  rowsWritten: Readonly<Record<string, number>>;
}

/** What a bench measured now: of rows every run. */
export interface Measured {
  ratios: Readonly<Record<string, number>>;
  rowsWritten: Readonly<Record<string, readonly number[]>>;
}

const PATH = join(import.meta.dirname, 'floors.json');

export const readFloors = (): Floors => JSON.parse(readFileSync(PATH, 'utf8')) as Floors;
export const writeFloors = (floors: Floors): void => writeFileSync(PATH, `${JSON.stringify(floors, null, 2)}\n`);

/** How much of a ratio that was measured must be there. */
const FLOOR_SHARE = 0.7;
/**
 * How much more is written by chance: reports that arrive together are stored as one, and how many do depends on what else
 * the machine does; runs of one case differed by a fiftieth. A row more for a load of twenty, or for each message, is more.
 */
const CHANCE_SHARE = 0.03;

/** Whether a ratio is less than what its line is held to. */
export const isBelow = (floors: Floors, line: string, ratio: number): boolean =>
  ratio < (floors.ratios[line] ?? 0) * FLOOR_SHARE;

export function floorChecks({ ratios, rowsWritten }: Measured, floors: Floors): Check[] {
  const rows = (value: number): string => `${value.toFixed(2)} rows`;
  return [
    ...Object.entries(ratios).flatMap(([name, ratio]) => {
      const stored = floors.ratios[name];
      if (stored === undefined) return [];
      const floor = stored * FLOOR_SHARE;
      const holds = !isBelow(floors, name, ratio);
      return [{ name, measured: hundredths(ratio), wanted: `at least ${hundredths(floor)}`, holds }];
    }),
    ...Object.entries(rowsWritten).flatMap(([name, runs]) => {
      const stored = floors.rowsWritten[name];
      if (stored === undefined) return [];
      const least = Math.min(...runs);
      const holds = least <= stored * (1 + CHANCE_SHARE);
      return [{ name, measured: rows(least), wanted: `at most ${rows(stored * (1 + CHANCE_SHARE))}`, holds }];
    }),
  ];
}

/** @returns the floors with what was measured in place of what stood there; of other lines as they were. */
export function renewed(floors: Floors, { ratios, rowsWritten }: Measured): Floors {
  const most = Object.entries(rowsWritten).map(([name, runs]) => [name, Math.max(...runs)] as const);
  return {
    ratios: merged(floors.ratios, Object.entries(ratios)),
    rowsWritten: merged(floors.rowsWritten, most),
  };
}

/** In the order of their names, so that the file differs only where a figure does. */
const merged = (before: Readonly<Record<string, number>>, now: readonly (readonly [string, number])[]) =>
  Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(now.map(([name, value]) => [name, rounded(value)])) }).sort(
      ([one], [other]) => (one < other ? -1 : 1),
    ),
  );

/** Three digits say all that a measurement knows. */
const rounded = (value: number): number => Number(value.toPrecision(value >= 10 ? 4 : 3));
