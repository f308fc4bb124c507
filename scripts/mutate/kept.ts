/** What is known of earlier runs: which test reaches what, and what became of each mutant. Of changed files nothing is. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', '.mutate');

interface CoveredTest {
  test: string;
  name: string;
  ms: number;
  /** Places in `Kept.keys`. */
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
export const inFolder = (name: string): string => {
  mkdirSync(FOLDER, { recursive: true });
  return join(FOLDER, name);
};

export function readKept(isFresh: boolean): Cached {
  const file = inFolder('progress.json');
  if (isFresh || !existsSync(file)) return { keys: [], coverage: {}, ended: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as Cached;
}

/** Moved into its place whole, so that a stop never leaves half of it. */
export function writeKept(kept: Cached): void {
  const file = inFolder('progress.json');
  writeFileSync(`${file}.new`, JSON.stringify(kept));
  renameSync(`${file}.new`, file);
}
