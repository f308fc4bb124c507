/** Which blocks of inputs are done, in a file. Of other readers nothing is done: the file bears the source's hash. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Progress {
  source: string;
  done: string[];
  /** Inputs that broke a promise: `x12 17`. */
  broken: string[];
}

const ROOT = join(import.meta.dirname, '..', '..');
export const FOLDER = join(ROOT, '.fuzz');
const FILE = join(FOLDER, 'progress.json');

export function readProgress(fresh: boolean): Progress {
  const source = sourceHash();
  const empty: Progress = { source, done: [], broken: [] };
  if (fresh || !existsSync(FILE)) return empty;
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Progress;
  return kept.source === source ? kept : empty;
}

/** Moved into its place whole, so that a stop never leaves half of it. */
export function writeProgress(progress: Progress): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FILE}.new`, JSON.stringify(progress));
  renameSync(`${FILE}.new`, FILE);
}

/** What an input and its reading are made of. */
const SOURCES = ['src/formats', 'src/kernel', 'scripts/fuzz', 'mappings'];

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const folder of SOURCES) {
    const place = join(ROOT, folder);
    for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' }).sort()) {
      if (/\.(?:ts|yaml)$/.test(name)) hash.update(name).update(readFileSync(join(place, name)));
    }
  }
  return hash.digest('hex');
}
