/**
 * Mutants that no test is to kill, each with its reason (`survivors.json`). They are named by function and change, so that they
 * outlive edits around them; one that is no mutant any more is to go from the list.
 */
import type { Mutant } from './mutants.ts';
import survivors from './survivors.json' with { type: 'json' };

/** @property constant of the module in whose value it lies; absent: it lies in a function. */
interface Survivor {
  file: string;
  inside: string;
  constant?: string;
  before: string;
  after: string;
  reason: string;
}

export const SURVIVORS: readonly Survivor[] = survivors;

export const isSurvivor = (listed: Survivor, mutant: Mutant): boolean =>
  listed.file === mutant.file &&
  listed.inside === mutant.inside &&
  (listed.constant ?? null) === mutant.constant &&
  listed.before === mutant.before &&
  listed.after === mutant.after;

export const reasonOf = (mutant: Mutant): string | null =>
  SURVIVORS.find((listed) => isSurvivor(listed, mutant))?.reason ?? null;
