/** What is known of earlier runs: which test reaches what, and what became of each mutant. Of changed files nothing is. */
import { createHash } from 'node:crypto';
import { keptFile } from '../frame/kept-file.ts';

interface CoveredTest {
  test: string;
  name: string;
  ms: number;
  /** Places in `Cached.keys`. */
  reached: number[];
}

export interface Ended {
  source: string;
  /** Survived: no test that reaches it fails. Unreached: no test reaches it. */
  outcome: 'killed' | 'survived' | 'unreached';
  /** Of a killed one the test, and its file's hash; of others the hash of all tests. */
  by: string;
  tests: string;
  /** It was killed by a test that did not end in time. */
  isLate?: true;
}

export interface Cached {
  keys: string[];
  coverage: Record<string, { hash: string; tests: CoveredTest[] }>;
  ended: Record<string, Ended>;
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
export const FOLDER = '.mutate';
export const KEPT = keptFile<Cached>(`${FOLDER}/progress.json`);
