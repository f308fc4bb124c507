/** Which mutants a seed draws: a change of one file moves none of the others'. Pure. */
import { createHash } from 'node:crypto';
import type { Mutant } from './mutants.ts';

export function drawn(all: readonly Mutant[], seed: number, count: number): Mutant[] {
  const rank = ({ key }: Mutant): string => createHash('sha256').update(`${seed} ${key}`).digest('hex');
  return all
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .sort((one, two) => (one.rank < two.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
