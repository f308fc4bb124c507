/** One trap that real files set for readers, and the tests that hold what becomes of it. */
import { type Proof, rowsOf, unit } from '../../fault-matrix/proofs.ts';

export interface Trap {
  trap: string;
  heldBy: readonly Proof[];
}

/** Traps with the words of the table, each with its tests. */
export const traps = (list: Readonly<Record<string, readonly Proof[]>>): Trap[] =>
  Object.entries(list).map(([trap, heldBy]) => ({ trap, heldBy }));

/** Tests of one file under `test/unit`, by title; with rows: those rows of its table. */
export const testsOf =
  (name: string) =>
  (title: string, ...rows: string[]): Proof[] =>
    rows.length === 0 ? unit(name, title) : rowsOf(unit(name, title), ...rows);
