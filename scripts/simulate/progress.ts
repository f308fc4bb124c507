/** Which blocks of seeds are done, in a file. Of other code nothing is done: the file bears the source's hash. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT } from './modules.ts';

export interface Progress {
  source: string;
  done: string[];
  /** Seeds that broke an invariant. */
  broken: number[];
}

const FOLDER = fileURLToPath(new URL('.simulate/', ROOT).href);
const FILE = `${FOLDER}progress.json`;

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

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const folder of ['src/', 'scripts/simulate/']) {
    const place = fileURLToPath(new URL(folder, ROOT).href);
    for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' }).sort()) {
      if (name.endsWith('.ts')) hash.update(name).update(readFileSync(place + name));
    }
  }
  return hash.digest('hex');
}
