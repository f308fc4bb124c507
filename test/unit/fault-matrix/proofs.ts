/** What holds one cell of the fault matrix: tests by file and full title, or a harness that meets the fault by name. */
import type { NO_FAULTS, UPSTREAM_FAULTS } from '../../../scripts/simulate/faults.ts';
import type { Failpoint } from '../../../src/kernel/failpoint.ts';

export type Simulated = (typeof UPSTREAM_FAULTS)[number] | Exclude<keyof typeof NO_FAULTS, 'upstream'>;

export type Proof =
  /** @property row what must stand in the table of a test that is fed by one. */
  | { proof: 'test'; file: string; title: string; row?: string }
  /** `npm run kill`: the process ends at this point. */
  | { proof: 'kill'; point: Failpoint }
  /** An npm script with a flag of its own. */
  | { proof: 'run'; script: 'kill' | 'prove'; flag: string }
  /** `npm run simulate`: drawn by seeds. */
  | { proof: 'simulate'; fault: Simulated };

export interface Cell {
  fault: string;
  expected: string;
  heldBy: readonly Proof[];
}

/** A part that is not there yet, so that nothing can hold its cell. */
export interface Unbuilt {
  fault: string;
  why: string;
}

const inFolder =
  (folder: string) =>
  (name: string, ...titles: string[]): Proof[] =>
    titles.map((title) => ({ proof: 'test', file: `test/${folder}/${name}`, title }));

export const worker = (name: string, ...titles: string[]): Proof[] => inFolder('worker')(`${name}.test.ts`, ...titles);
export const unit = (name: string, ...titles: string[]): Proof[] => inFolder('unit')(`${name}.test.ts`, ...titles);
export const e2e = (name: string, ...titles: string[]): Proof[] => inFolder('e2e')(`${name}.test.ts`, ...titles);
export const proof = (name: string, ...titles: string[]): Proof[] => inFolder('proof')(`${name}.test.ts`, ...titles);
export const killAt = (...points: Failpoint[]): Proof[] => points.map((point) => ({ proof: 'kill', point }));
export const run = (script: 'kill' | 'prove', flag: string): Proof[] => [{ proof: 'run', script, flag }];
export const simulate = (...faults: Simulated[]): Proof[] => faults.map((fault) => ({ proof: 'simulate', fault }));

/** A test that is fed by a table, by the rows of it that are meant. */
export const rowsOf = (tests: readonly Proof[], ...rows: string[]): Proof[] =>
  tests.flatMap((one) => rows.map((row) => ({ ...one, row })));
