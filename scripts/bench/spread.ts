/** Statistics of a few rounds. Pure. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** The middle of several figures, and how far they lie apart. */
export interface Spread {
  median: number;
  least: number;
  most: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
});

/** How many times faster the second side was than the first in each round: only what ran side by side is compared. */
export const timesFaster = (firstMs: readonly number[], secondMs: readonly number[]): Spread =>
  spreadOf(firstMs.map((ms, round) => ms / (secondMs[round] ?? ms)));
