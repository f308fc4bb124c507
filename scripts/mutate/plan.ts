/** Which mutants a seed draws, and which tests look at each, in which order: the quick and the pointed ones first. Pure. */
import { createHash } from 'node:crypto';
import type { Mutant } from './mutants.ts';

export interface KnownTest {
  test: string;
  name: string;
  file: string;
  project: 'unit' | 'worker';
  ms: number;
  reached: ReadonlySet<string>;
  /** Of each source file, how many of its mutants it reaches. */
  near: ReadonlyMap<string, number>;
}

/** How many tests of a mutant are asked at a time, in all; what these take together at most, in ms. Ours. */
export const ROUNDS = { unit: [4, 16, 2_000], worker: [3, 10, 40] } as const;
const MUTANT_MS_MAX = { unit: 20_000, worker: 60_000 } as const;

/** A test that reaches everything seldom looks closely, one that is much in the file does; one that takes long is asked late. */
const rankOf = ({ ms, reached, near }: KnownTest, file: string): number =>
  ((ms + 5) * Math.sqrt(reached.size + 1)) / (1 + (near.get(file) ?? 0));

/** @param seenBy keys of which a test must reach one: the mutant's own, or the functions that see its constant. */
export function testsFor(
  { file, seenBy }: { file: string; seenBy: readonly string[] },
  tests: readonly KnownTest[],
  project: 'unit' | 'worker',
): KnownTest[] {
  const found = tests
    .filter((test) => test.project === project && seenBy.some((key) => test.reached.has(key)))
    .sort((one, two) => rankOf(one, file) - rankOf(two, file) || (one.test < two.test ? -1 : 1));
  let sumMs = 0;
  return found.filter(({ ms }, at) => {
    sumMs += ms;
    return at === 0 || sumMs <= MUTANT_MS_MAX[project];
  });
}

/** A change of one file moves none of the others' mutants. */
export function drawn(all: readonly Mutant[], seed: number, count: number): Mutant[] {
  const rank = ({ key }: Mutant): string => createHash('sha256').update(`${seed} ${key}`).digest('hex');
  return all
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .sort((one, two) => (one.rank < two.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
